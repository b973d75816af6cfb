import { parsedJson } from '../../core/base/json';
import { CUT_WARNING, fenced, joinWithin, MAX_TEXT, withoutTerminalCodes } from './markup';
import type { ReadText } from './protocol';

/** The spaces of one level, and the level from which on lines are not indented further. */
const INDENT = 2;
const MAX_DEPTH = 32;

/** Converts a JSON file to an indented block of code. Invalid JSON stays as it is, with a warning. */
export function readJson(text: string): ReadText {
  if (parsedJson(text) === undefined) {
    const { markdown, isCut } = fenced(withReadableJson(text), 'text');
    const warnings = ['The file is no valid JSON; its text was taken as it stands.'];
    return { markdown, warnings: isCut ? [...warnings, CUT_WARNING] : warnings };
  }
  const { markdown, isCut } = jsonBlock(text);
  return { markdown, warnings: isCut ? [CUT_WARNING] : [] };
}

/** Converts valid JSON to an indented block of code. */
export function jsonBlock(json: string): { markdown: string; isCut: boolean } {
  // One character more than fits makes `fenced` report that the text is cut.
  return fenced(joinWithin(indented(json), MAX_TEXT + 1).text, 'json');
}

/** Converts a file with one JSON value a line to a block of code. Invalid lines stay. */
export function readJsonLines(text: string): ReadText {
  const warnings: string[] = [];
  const bad = text.split('\n').filter((line) => line.trim() !== '' && parsedJson(line) === undefined).length;
  if (bad > 0)
    warnings.push(
      `${bad === 1 ? 'One line is no valid JSON and was kept as it stands' : `${bad} lines are no valid JSON and were kept as they stand`}.`,
    );
  const lines = joinWithin(readableLines(text), MAX_TEXT + 1).text;
  const { markdown, isCut } = fenced(lines, 'jsonl');
  if (isCut) warnings.push(CUT_WARNING);
  return { markdown, warnings };
}

function* readableLines(text: string): Generator<string> {
  for (const line of text.split('\n'))
    yield `${parsedJson(line) === undefined ? withReadableJson(line) : readable(line)}\n`;
}

/**
 * Replaces the escapes in the JSON objects of a text by the characters that they mean: of a log whose lines are or end with
 * JSON, or of a whole file. All other text stays.
 */
export function withReadableJson(text: string): string {
  if (!text.includes('\\') || !text.includes('{')) return text;
  let [shown, done] = ['', 0];
  for (const [from, to] of objectsIn(text)) {
    shown += text.slice(done, from) + readable(text.slice(from, to));
    done = to;
  }
  return shown + text.slice(done);
}

/** The next token of JSON: a mark, the beginning of a string, or a plain value. */
const TOKEN = /\s*([[\]{}:,"]|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?|true|false|null)(?![\w.+-]))/iy;
/** The tokens that may come next; `v` is a plain value. */
const [VALUE, FIRST_VALUE, NAME, FIRST_NAME] = ['{["v', '{["v]', '"', '"}'];
/** The tokens that may come after an opening bracket, after a value behind it, and after a comma behind that. */
const OPENED = new Map([
  ['{', { first: FIRST_NAME, more: ',}', next: NAME }],
  ['[', { first: FIRST_VALUE, more: ',]', next: VALUE }],
]);

/** Yields the outermost JSON objects of a text in order, in one pass. Of an object that breaks off, the complete ones within. */
function* objectsIn(text: string): Generator<readonly [from: number, to: number]> {
  const open: { readonly from: number; readonly more: string; readonly next: string }[] = [];
  let complete: [from: number, to: number][] = [];
  let expected = '{';
  for (let at = text.indexOf('{'); at >= 0;) {
    const { kind, begin, end } = tokenAt(text, at);
    const opened = OPENED.get(kind);
    if (!expected.includes(kind)) open.length = 0;
    else if (opened !== undefined) {
      open.push({ from: begin, ...opened });
      expected = opened.first;
    } else if (kind === ',') expected = open.at(-1)?.next ?? VALUE;
    else if (kind === ':') expected = VALUE;
    else if (kind === '"' && expected.startsWith('"')) expected = ':';
    else {
      const from = kind === '}' || kind === ']' ? (open.pop()?.from ?? begin) : end;
      while ((complete.at(-1)?.[0] ?? -1) > from) complete.pop();
      if (kind === '}') complete.push([from, end]);
      expected = open.at(-1)?.more ?? '{';
    }
    at = open.length > 0 ? end : text.indexOf('{', expected === '{' ? Math.max(end, begin + 1) : begin);
    if (open.length > 0) continue;
    yield* complete;
    [complete, expected] = [[], '{'];
  }
}

/** Returns the kind of the next token: a mark, `v`, or a space for none; `end` is negative in a string that breaks off. */
function tokenAt(text: string, at: number): { kind: string; begin: number; end: number } {
  TOKEN.lastIndex = at;
  const token = TOKEN.exec(text)?.[1] ?? '';
  const begin = token === '' ? at : TOKEN.lastIndex - token.length;
  const end = token === '"' ? stringEnd(text, begin + 1) : begin + token.length;
  const kind = token === '' || end < 0 ? ' ' : '[]{}:,"'.includes(token) ? token : 'v';
  return { kind, begin, end };
}

/** Returns the offset behind a string of JSON; -1 for what is none. */
function stringEnd(text: string, from: number): number {
  for (let at = from; at < text.length;) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) return at + 1;
    if (unit < 0x20) return -1;
    if (unit === 0x5c) {
      ESCAPE.lastIndex = at;
      if (!ESCAPE.test(text)) return -1;
      at = ESCAPE.lastIndex;
    } else at += 1;
  }
  return -1;
}

const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-f]{4})/iy;

/**
 * Yields valid JSON with a line for each value. It works on the text and does not parse it, so that long numbers keep their
 * digits and repeated names stay.
 */
function* indented(text: string): Generator<string> {
  let depth = 0;
  let opened = '';
  const newLine = () => `\n${' '.repeat(INDENT * Math.min(depth, MAX_DEPTH))}`;
  for (const token of tokens(text)) {
    if (token === '}' || token === ']') {
      depth -= 1;
      yield opened === '' ? newLine() + token : token;
      opened = '';
      continue;
    }
    if (opened !== '') yield newLine();
    opened = '';
    if (token === ':') yield ': ';
    else if (token === ',') yield `,${newLine()}`;
    else yield token.startsWith('"') ? readable(token) : token;
    if (token === '{' || token === '[') {
      depth += 1;
      opened = token;
    }
  }
}

/**
 * Replaces the escapes of a string by the characters that they mean. Quotes and backslashes stay escaped, and so do half
 * characters and control characters, apart from line ends and tabs. Terminal control codes are removed.
 */
function readable(token: string): string {
  const shown = token.replace(ESCAPES, (escape, high?: string, low?: string, hex?: string) => {
    const units = [high, low, hex].flatMap((one) => (one === undefined ? [] : [parseInt(one, 16)]));
    const meant = units.length > 0 ? String.fromCharCode(...units) : (MEANT.get(escape) ?? escape);
    if (units.length === 0) return meant;
    if (meant === '"' || meant === '\\') return `\\${meant}`;
    if (/[\n\r\f\v\p{Zl}\p{Zp}\x85]/u.test(meant)) return '\n';
    return meant !== '\t' && meant !== '\u001b' && /[\p{Cc}\p{Cs}]/u.test(meant) ? escape : meant;
  });
  return withoutTerminalCodes(shown);
}

/** An escape of JSON: a pair of surrogates, a UTF-16 unit, or one letter. */
const ESCAPES = /\\(?:u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})|u([0-9a-f]{4})|r\\n|[^])/gi;
const MEANT: ReadonlyMap<string, string> = new Map([
  ['\\r\\n', '\n'],
  ['\\n', '\n'],
  ['\\r', '\n'],
  ['\\f', '\n'],
  ['\\t', '\t'],
  ['\\/', '/'],
]);

/** Yields the tokens of valid JSON: brackets, commas, colons, strings and plain values. */
function* tokens(text: string): Generator<string> {
  const plain = /[^\s[\]{},:"]+/y;
  for (let at = 0; at < text.length;) {
    const character = text.charAt(at);
    let end = at + 1;
    if (character === '"') end = endOfString(text, at);
    else if (/\s/.test(character)) {
      at = end;
      continue;
    } else if (!'[]{},:'.includes(character)) {
      plain.lastIndex = at;
      end = at + (plain.exec(text)?.[0].length ?? 1);
    }
    yield text.slice(at, end);
    at = end;
  }
}

/**
 * Returns the end of a string. It is a loop because a regular expression that handles escapes runs out of memory in long
 * strings.
 */
function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text.charAt(at) !== '"') at += text.charAt(at) === '\\' ? 2 : 1;
  return at + 1;
}
