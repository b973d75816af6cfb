import matter from 'gray-matter';
import { FAILSAFE_SCHEMA, load, Schema, Type } from 'js-yaml-3';
import { MAX_BLOCK, MAX_DEPTH } from './split';

/**
 * Plain words for the messages of the YAML parser, for use behind "line N: ". Most mistakes of people are a character with a
 * meaning in YAML at the beginning of a value, or a colon in it.
 */
const WORDS: readonly (readonly [message: RegExp, words: string])[] = [
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

/** Translates a message of the YAML parser to plain words, which never quote the text. */
function plainReason(message: string): string {
  const found = WORDS.find(([pattern]) => pattern.test(message));
  return found?.[1] ?? 'it is not readable YAML; check quotation marks, colons and indentation';
}

// gray-matter runs `---js` blocks as code. No text can choose its engine here, and without the engine no other module can run
// one either.
const engines: unknown = Reflect.get(matter, 'engines');
if (typeof engines === 'object' && engines !== null) Reflect.deleteProperty(engines, 'javascript');

const deny = {
  parse(): never {
    throw new Error('only YAML is read');
  },
};

/** A null with its source word, because the parser asks before it knows whether it is a value or a key; a key is that word. */
class Null {
  readonly [Symbol.toStringTag] = 'Null';

  constructor(private readonly word: string) {}

  toString(): string {
    return this.word;
  }
}

/** The unquoted words that are null in YAML 1.1 and 1.2. */
const NULLS: ReadonlySet<unknown> = new Set(['~', 'null', 'Null', 'NULL']);

/** The schema: every scalar is its source text, except null, because only the parser knows whether a word was quoted. */
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

/** Parses YAML with `SCHEMA`; a repeated key inside a value is no error. */
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

/** Top-level keys and their values, without a prototype. */
export type Values = Readonly<Record<string, unknown>>;

/** The result of parsing a block. A `fatal` fault is no typing error but an attack on the parser. */
type Reading = { readonly values: Values } | { readonly reason: string; readonly fatal: boolean };

/** The largest block after its aliases are expanded (characters). Without aliases a block never grows. */
const MAX_MEANING = 4 * MAX_BLOCK;

/**
 * A line with a key and a scalar that every YAML reader reads as it is written: a text between double quotes without escapes, a
 * plain scalar without a character that has a meaning in YAML, or nothing.
 */
const FLAT_LINE =
  /([A-Za-z_][\w-]{0,99}):(?: +(?:"([^"\\\p{C}\p{Zl}\p{Zp}]*)"|([\p{L}\p{N}](?:[\p{L}\p{M}\p{N}_./+()@-]|[ :](?=[\p{L}\p{M}\p{N}_./+()@-]))*)))?(?:\r?\n|$)/uy;

/** Reads a block of such lines, which most notes have, in a tenth of the parser's time; null for any other block. */
function readFlat(block: string): Values | null {
  const values = emptyMap();
  FLAT_LINE.lastIndex = 0;
  while (FLAT_LINE.lastIndex < block.length) {
    const [, key, quoted, plain = null] = FLAT_LINE.exec(block) ?? [];
    if (key === undefined) return null;
    values[key] = quoted ?? (NULLS.has(plain) ? null : plain);
  }
  return values;
}

/**
 * Parses a block of YAML as text: every scalar is its source text (`0123`, `no`, dates), an empty value and a plain `null` or `~`
 * are null, maps have no prototype. Never throws, never runs code. The block must have passed `dangerIn`.
 */
export function readYaml(block: string): Reading {
  const flat = readFlat(block);
  if (flat !== null) return { values: flat };
  let document: unknown;
  try {
    // Without options the library would cache and share its results for ever.
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

/** Returns an empty map without a prototype, in which `__proto__` and `toString` are plain keys. */
export function emptyMap(): Record<string, unknown> {
  return { __proto__: null };
}

/** The exception for values that are too large or too deep. */
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

/** Copies a value deeply, so that an alias for a large or endless structure uses up the budget. */
function copyValue(value: unknown, budget: Budget, depth: number): unknown {
  if (depth > MAX_DEPTH) throw new TooMuch('lists or maps are nested too deep');
  if (value instanceof Null) return null;
  if (Array.isArray(value)) {
    spend(budget, 1);
    return value.map((item: unknown) => copyValue(item, budget, depth + 1));
  }
  if (typeof value === 'object' && value !== null) {
    // A placeholder such as {{date}} parses as a map with a map for its key; no property means that, so it is null.
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

/** Returns a parser's error in plain words. */
function reasonOf(error: unknown): string {
  const reason: unknown = error instanceof Error ? Reflect.get(error, 'reason') : undefined;
  return plainReason(typeof reason === 'string' ? reason : '');
}

/** A value of flat front matter from a caller. */
export type Scalar = string | number | boolean;
export type Flat = Record<string, Scalar | Scalar[]>;

/** The longest value from a caller (code points); the rest is cut off. */
const MAX_VALUE = 500;

/**
 * Text that every YAML reader reads as this text without quotes: it starts with a letter, and a character of a word follows each
 * `:` and space. Numbers and dates start with a digit, so they are quoted.
 */
const PLAIN = /^\p{L}(?:[\p{L}\p{M}\p{N}_./+()@-]|[ :](?=[\p{L}\p{M}\p{N}_./+()@]))*$/u;
/** Words that YAML 1.1 or 1.2 does not read as text; some readers read `e1` as a number. */
const RESERVED = /^(?:y|yes|n|no|on|off|true|false|null|e[-+]?\d+)$/i;
/** The service's own timestamps, which are written without quotes so that property editors show dates. */
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** Puts text on one line and removes control characters, lone surrogates and characters that YAML forbids; trims. */
export function oneLine(text: string): string {
  return text
    .replace(/[\t-\r\u0085\u2028\u2029]+/g, ' ')
    .replace(/[\p{Cc}\p{Cs}\uFEFF\uFFFE\uFFFF]/gu, '')
    .trim();
}

/** Converts a caller's text to a value for front matter: `oneLine`, cut to 500 code points. */
export function callerText(text: string): string {
  const line = oneLine(text);
  return line.length > MAX_VALUE ? [...line].slice(0, MAX_VALUE).join('').trim() : line;
}

/** Encodes a scalar as YAML on one line, quoted like JSON when a reader of YAML 1.1 or 1.2 could read it differently. */
export function yamlScalar(value: Scalar): string {
  if (typeof value !== 'string') return String(value);
  const plain = TIMESTAMP.test(value) || (PLAIN.test(value) && !RESERVED.test(value));
  return plain ? value : quoted(value);
}

/** Encodes a list as YAML on one line. Texts are always quoted, as Obsidian requires for links. */
export function yamlList(values: readonly Scalar[]): string {
  return `[${values.map((value) => (typeof value === 'string' ? quoted(value) : String(value))).join(', ')}]`;
}

/** Encodes a value of a block as YAML on one line: lists and maps in the notation of JSON. */
export function yamlValue(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return `[${value.map((item: unknown) => jsonValue(item)).join(', ')}]`;
  return typeof value === 'string' ? yamlScalar(value) : jsonValue(value);
}

/** Encodes a value of a block as JSON on one line. */
export function jsonValue(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return yamlValue(value);
  return `{${Object.entries(value)
    .map(([key, each]) => `${quoted(key)}: ${jsonValue(each)}`)
    .join(', ')}}`;
}

/** Quotes a text like JSON and escapes `<%`, because template plug-ins run the text behind it anywhere in a new file. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(/<%/g, '\\u003c%');
}
