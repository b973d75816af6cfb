import { CUT_WARNING, fenced, joinWithin, MAX_TEXT } from './markup';
import type { ReadText } from './protocol';

/** The spaces of one level, and the level from which on lines are not indented further. */
const INDENT = 2;
const MAX_DEPTH = 32;

/** Converts a JSON file to an indented block of code. Invalid JSON stays as it is, with a warning. */
export function readJson(text: string): ReadText {
  if (!isJson(text)) {
    const { markdown, isCut } = fenced(text, 'text');
    const warnings = ['The file is no valid JSON; its text was taken as it stands.'];
    return { markdown, warnings: isCut ? [...warnings, CUT_WARNING] : warnings };
  }
  // One character more than fits makes `fenced` report that the text is cut.
  const { markdown, isCut } = fenced(joinWithin(indented(text), MAX_TEXT + 1).text, 'json');
  return { markdown, warnings: isCut ? [CUT_WARNING] : [] };
}

/** Converts a file with one JSON value a line to a block of code. Invalid lines stay. */
export function readJsonLines(text: string): ReadText {
  const warnings: string[] = [];
  const bad = text.split('\n').filter((line) => line.trim() !== '' && !isJson(line)).length;
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
  for (const line of text.split('\n')) yield `${isJson(line) ? readable(line) : line}\n`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

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

/** Replaces the escapes of a string by the characters that they mean, apart from quotes, backslashes and control characters. */
function readable(token: string): string {
  const shown = token.replace(/\\(?:u([0-9a-f]{4})|[^])/gi, (escape, hex: string | undefined) => {
    const meant = hex === undefined ? MEANT.get(escape) : String.fromCharCode(parseInt(hex, 16));
    return meant === undefined || (hex !== undefined && /["\\\p{Cc}\p{Zl}\p{Zp}]/u.test(meant))
      ? escape
      : meant;
  });
  // Half a character stays an escape.
  return /\p{Cs}/u.test(shown) ? token : shown;
}

const MEANT: ReadonlyMap<string, string> = new Map([
  ['\\n', '\n'],
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
