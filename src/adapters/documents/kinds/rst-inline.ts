import { outsideCode, webLink } from './markup-lines';

const CODE = /()``([^\n]{1,1000}?)``/g;
/*
 * Both are looked for only where a run of the characters that they are made of begins: where the rest of a run is none, no
 * part of that rest is one. What of the run does not belong to them stands in the first group.
 */
const ROLE = /(?<![\w:+.-])([\w+.-]*):[\w:+.-]+:`([^`]+)`/g;
const REFERENCE = /(?<![\w.-])((?<=`)\w*[.-]+|(?<!`)[.-]*)(\w[\w.-]*)_(?![\w`_])/g;

/** The addresses that a file gives names: `.. _name: https://…`. Names are compared without regard to case. */
export function targetsOf(lines: readonly string[]): ReadonlyMap<string, string> {
  const targets = new Map<string, string>();
  for (const line of lines) {
    const [, name, address] = /^\s*\.\. _`?([^:`]+)`?:\s+(\S+)$/.exec(line) ?? [];
    if (name !== undefined && address !== undefined) targets.set(name.toLowerCase(), address);
  }
  return targets;
}

/** What stands within a line of reStructuredText as Markdown: code, links, roles. Emphasis is written alike. */
export function rstInline(targets: ReadonlyMap<string, string>): (line: string) => string {
  const named = (name: string) => webLink(targets.get(name.toLowerCase()) ?? '', name);
  return (line) =>
    outsideCode(line, CODE, (text) =>
      text
        .replace(/`([^`<]+)<([^`>]+)>`__?/g, (_, label: string, address: string) => webLink(address, label))
        .replace(/`([^`]+)`__?/g, (_, name: string) => named(name))
        .replace(ROLE, (_, before: string, said: string) => before + withoutTarget(said).replace(/^[~!]/, ''))
        .replace(/`([^`]+)`/g, '*$1*')
        .replace(/\[#?(\w+)\]_(?!\w)/g, '[^$1]')
        .replace(REFERENCE, (whole, before: string, name: string) =>
          targets.has(name.toLowerCase()) ? before + named(name) : whole,
        ),
    );
}

/** What a role says, without the target in angle brackets at its end. */
function withoutTarget(said: string): string {
  if (!said.endsWith('>')) return said;
  const open = said.indexOf('<', said.slice(0, -1).lastIndexOf('>') + 1);
  return open < 0 ? said : said.slice(0, open).trimEnd();
}
