import type { Command } from 'commander';

/** Arguments with another name than the field of the service that they become. */
const OTHER_NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  query: { query: '<words>' },
  answer: { query: '<question>' },
  promote: { path: '<paths>' },
  ingest: { path: '<what>', text: '<what>' },
  write: { filename: '<slug>' },
};

/** Matches a field in quotes, also as `"field": true`, unless a noun before it shows that it is a value. */
const QUOTED =
  /(?<!\b(?:wing|hall|name|named|note|titled|title|token|skill|called) )"([a-z]+(?:_[a-z]+)*)"(: true)?/g;
const JOINED = /\b[a-z]+(?:_[a-z]+)+\b/g;

/**
 * Returns a message of the service in the words of the command line: fields become the flags and arguments of the command, or
 * the flags of another command where the message is about that.
 */
export function inFlags(message: string, command: Command): string {
  const own = wordsOf(command);
  const all = new Map([...treeOf(rootOf(command)).flatMap((each) => [...wordsOf(each)]), ...own]);
  return message
    .replace('see GET /openapi.json', 'see --help')
    .replace(QUOTED, (found, field: string, isFlag?: string) => {
      const word = own.get(field) ?? (isFlag === undefined ? undefined : all.get(field));
      return word ?? found;
    })
    .replace(JOINED, (field) => own.get(field) ?? flagIn(all, field));
}

/** Returns the words for the fields of a command: `--expected-hash` for expected_hash, `<wing>` for an argument. */
function wordsOf(command: Command): Map<string, string> {
  const flags = command.options.flatMap(({ long }): [string, string][] =>
    long === undefined || long === null ? [] : [[long.slice(2).replaceAll('-', '_'), long]],
  );
  const places = command.registeredArguments.map((one): [string, string] => [one.name(), `<${one.name()}>`]);
  return new Map([...flags, ...places, ...Object.entries(OTHER_NAMES[command.name()] ?? {})]);
}

function flagIn(words: ReadonlyMap<string, string>, field: string): string {
  const word = words.get(field);
  return word?.startsWith('--') === true ? word : field;
}

function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}

/** Returns a command and all below it. */
export function treeOf(command: Command): Command[] {
  return [command, ...command.commands.flatMap((each) => treeOf(each))];
}
