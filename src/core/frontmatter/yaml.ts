import matter from 'gray-matter';
import { FAILSAFE_SCHEMA, load, Schema, Type } from 'js-yaml-3';
import { MAX_BLOCK, MAX_DEPTH } from './split';

/**
 * What the YAML parser says, in words for people. They stand behind "line N: ", name what is wrong and what to look at.
 * Most of what people meet is a sign that means something to YAML at the beginning of a value, or a colon in it.
 */
const WORDS: readonly (readonly [said: RegExp, words: string])[] = [
  [/within a (?:double|single) quoted scalar/, 'a quotation mark is opened and not closed'],
  [/flow collection/, 'a list in brackets lacks a comma or its closing bracket'],
  [
    /explicit mapping pair|implicit mapping pair/,
    'a value that holds a colon needs quotation marks around it',
  ],
  [/block mapping entry/, 'text follows a closing quotation mark or bracket, or a line lacks its "key: "'],
  [/indentation of a block scalar|line break is expected/, 'the text of "|" or ">" begins on the next line'],
  [/indentation|tabulat|whitespace/, 'the line is indented differently from those around it'],
  [
    /alias/,
    'a value that starts with * stands for another value, which is not there; put quotation marks around it',
  ],
  [
    /document separator|anchor|tag|directive/i,
    'a value that starts with a sign such as * & ! @ % [ ] { } or - needs quotation marks around it',
  ],
  [/escape|hexadecimal/, 'a backslash between double quotation marks begins an escape that does not exist'],
  [/non-printable|JSON character|null byte|line breaks/, 'it holds a character that cannot be printed'],
];

/** The reason of a YAML parser in plain words; it never quotes the text. */
function plainReason(said: string): string {
  const found = WORDS.find(([pattern]) => pattern.test(said));
  return found?.[1] ?? 'it is not readable YAML; check quotation marks, colons and indentation';
}

// gray-matter runs `---js` blocks as code. Nothing here lets a text choose its engine; taking the engine away as well
// means that no later call, in no other module, can bring it back.
const engines: unknown = Reflect.get(matter, 'engines');
if (typeof engines === 'object' && engines !== null) Reflect.deleteProperty(engines, 'javascript');

const deny = {
  parse(): never {
    throw new Error('only YAML is read');
  },
};

/** A null as it stands in the text, until it is known whether it is a value or a key: as a key it is that word. */
class Null {
  readonly [Symbol.toStringTag] = 'Null';

  constructor(private readonly word: string) {}

  toString(): string {
    return this.word;
  }
}

/** YAML 1.1 and 1.2 agree on these, where they stand without quotes. */
const NULLS: ReadonlySet<unknown> = new Set(['~', 'null', 'Null', 'NULL']);

/** Scalars are text as it was written, but for null: only the parser knows whether a word stood in quotes. */
const SCHEMA = new Schema({
  include: [FAILSAFE_SCHEMA],
  implicit: [
    new Type('tag:yaml.org,2002:null', {
      kind: 'scalar',
      resolve: (data: unknown) => data === null || NULLS.has(data),
      construct: (data: unknown) => (typeof data === 'string' ? new Null(data) : null),
    }),
  ],
});

/** Reads scalars as text only; a repeated key inside a value is no error. */
function readDocument(text: string): { document: unknown } {
  const document: unknown = load(text, { schema: SCHEMA, json: true });
  return { document };
}

const OPTIONS = {
  language: 'yaml',
  engines: {
    yaml: { parse: readDocument },
    json: deny,
    javascript: deny,
    coffee: deny,
  },
};

/** Top-level keys and what they say; always without a prototype. */
export type Values = Readonly<Record<string, unknown>>;

/** What a YAML reader makes of a block. `fatal` marks what is no mistake in writing but an attack on the reader. */
type Reading = { readonly values: Values } | { readonly reason: string; readonly fatal: boolean };

/** Characters that a block may mean once its aliases are followed; without aliases it can never mean more than it holds. */
const MAX_MEANING = 4 * MAX_BLOCK;

/**
 * Reads a block of YAML as text: every scalar is a string as it was written (`0123`, `no`, dates), an empty value and a
 * plain `null` or `~` are null, maps have no prototype. Never throws, never runs anything. The block must have passed `dangerIn`.
 */
export function readYaml(block: string): Reading {
  let document: unknown;
  try {
    // The options are never left out: without them the library caches results for ever and shares them.
    const { data } = matter(`---\n${block}\n---\n`, OPTIONS);
    document = 'document' in data ? data.document : null;
  } catch (error) {
    return { reason: reasonOf(error), fatal: error instanceof RangeError };
  }
  if (document === null || document === undefined || document instanceof Null) return { values: emptyMap() };
  if (typeof document !== 'object' || Array.isArray(document)) {
    return { reason: 'it is not a list of keys with values', fatal: true };
  }
  try {
    return { values: copyMap(document, { left: MAX_MEANING }, 1) };
  } catch (error) {
    if (error instanceof TooMuch) return { reason: error.message, fatal: true };
    throw error;
  }
}

/** A map without a prototype: a key such as `__proto__` or `toString` is a key like any other in it. */
export function emptyMap(): Record<string, unknown> {
  return { __proto__: null };
}

class TooMuch extends Error {}

interface Budget {
  left: number;
}

function copyMap(map: object, budget: Budget, depth: number): Values {
  const copy = emptyMap();
  for (const [key, value] of Object.entries(map)) {
    spend(budget, key.length);
    copy[key] = copyValue(value, budget, depth);
  }
  return copy;
}

/** A copy that shares nothing: an alias that stands for a large or endless structure shows its true size here. */
function copyValue(value: unknown, budget: Budget, depth: number): unknown {
  if (depth > MAX_DEPTH) throw new TooMuch('lists or maps are nested too deep');
  if (value instanceof Null) return null;
  if (Array.isArray(value)) {
    spend(budget, 1);
    return value.map((item: unknown) => copyValue(item, budget, depth + 1));
  }
  if (typeof value === 'object' && value !== null) {
    // A placeholder such as {{date}} is a map with a map for its key, which no property means: it is no value yet.
    if (Object.keys(value).some((key) => key.includes('[object Object]'))) return null;
    return copyMap(value, budget, depth + 1);
  }
  spend(budget, typeof value === 'string' ? value.length + 1 : 1);
  return value;
}

function spend(budget: Budget, amount: number): void {
  budget.left -= amount;
  if (budget.left < 0) throw new TooMuch('its aliases stand for too much text');
}

/** What the parser found, in plain words. */
function reasonOf(error: unknown): string {
  const reason: unknown = error instanceof Error ? Reflect.get(error, 'reason') : undefined;
  return plainReason(typeof reason === 'string' ? reason : '');
}

/** A value of flat front matter, as a caller sends it. */
export type Scalar = string | number | boolean;
export type Flat = Record<string, Scalar | Scalar[]>;

/** Characters that a value from a caller keeps. */
const MAX_VALUE = 500;

/**
 * Text that every YAML reader takes for this text without quotes: it starts with a letter, and `:` or a space is always
 * followed by a character of a word. Numbers and dates start with a digit and so are quoted.
 */
const PLAIN = /^\p{L}(?:[\p{L}\p{M}\p{N}_./+()@-]|[ :](?=[\p{L}\p{M}\p{N}_./+()@]))*$/u;
/** Words that YAML 1.1 or 1.2 reads as something else than text; some readers see a number in `e1`. */
const RESERVED = /^(?:y|yes|n|no|on|off|true|false|null|e[-+]?\d+)$/i;
/** The service's own timestamps stand without quotes, so that property editors know them for dates. */
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** The text on one line, trimmed, without control characters, lone surrogates and characters that YAML forbids. */
export function oneLine(text: string): string {
  return text
    .replace(/[\t-\r\u0085\u2028\u2029]+/g, ' ')
    .replace(/[\p{Cc}\p{Cs}\uFEFF\uFFFE\uFFFF]/gu, '')
    .trim();
}

/** `oneLine`, cut to 500 characters (code points): how a caller's text is taken into front matter. */
export function callerText(text: string): string {
  const line = oneLine(text);
  return line.length > MAX_VALUE ? [...line].slice(0, MAX_VALUE).join('').trim() : line;
}

/** A scalar as YAML on one line, quoted like JSON whenever a reader of YAML 1.1 or 1.2 could take it for something else. */
export function yamlScalar(value: Scalar): string {
  if (typeof value !== 'string') return String(value);
  const plain = TIMESTAMP.test(value) || (PLAIN.test(value) && !RESERVED.test(value));
  return plain ? value : quoted(value);
}

/** A list as YAML on one line; texts are always quoted, as Obsidian wants links to be. */
export function yamlList(values: readonly Scalar[]): string {
  return `[${values.map((value) => (typeof value === 'string' ? quoted(value) : String(value))).join(', ')}]`;
}

/**
 * Plug-ins for templates run what stands between `<%` and `%>` anywhere in a new file; written as an escape it is only text.
 */
function quoted(text: string): string {
  return JSON.stringify(text).replace(/<%/g, '\\u003c%');
}
