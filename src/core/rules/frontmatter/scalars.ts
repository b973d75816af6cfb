/** A value of flat front matter, as a caller sends it. */
export type Scalar = string | number | boolean;
export type Flat = Record<string, Scalar | Scalar[]>;

/** Characters that a value from a caller keeps. */
export const MAX_VALUE = 500;

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
