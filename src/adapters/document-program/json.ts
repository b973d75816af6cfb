import { CUT_WARNING, fenced, joinWithin, MAX_TEXT } from './markup';
import type { ReadText } from './protocol';

/** Spaces of one level, and the level from which on lines are no longer moved in. */
const INDENT = 2;
const MAX_DEPTH = 32;

/** A JSON file as a readable block of code. What is no JSON stays as it stands, with a warning. */
export function readJson(text: string): ReadText {
  if (!isJson(text)) {
    const { markdown, isCut } = fenced(text, 'text');
    const warnings = ['The file is no valid JSON; its text was taken as it stands.'];
    return { markdown, warnings: isCut ? [...warnings, CUT_WARNING] : warnings };
  }
  // One more than fits tells the block that something was cut.
  const { markdown, isCut } = fenced(joinWithin(laidOut(text), MAX_TEXT + 1).text, 'json');
  return { markdown, warnings: isCut ? [CUT_WARNING] : [] };
}

/** A file with one JSON value a line, as a block of code. Lines that are none stay. */
export function readJsonLines(text: string): ReadText {
  const warnings: string[] = [];
  const bad = text.split('\n').filter((line) => line.trim() !== '' && !isJson(line)).length;
  if (bad > 0)
    warnings.push(
      `${bad === 1 ? 'One line is no valid JSON and was kept as it stands' : `${bad} lines are no valid JSON and were kept as they stand`}.`,
    );
  const { markdown, isCut } = fenced(text, 'jsonl');
  if (isCut) warnings.push(CUT_WARNING);
  return { markdown, warnings };
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
 * Valid JSON with a line for each value. Works on the text and not on what it means: that way long numbers keep their
 * digits and names that come twice stay.
 */
function* laidOut(text: string): Generator<string> {
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
    else yield token;
    if (token === '{' || token === '[') {
      depth += 1;
      opened = token;
    }
  }
}

/** Brackets, commas, colons, strings and plain values of valid JSON. */
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

/** A loop and no expression: one of the kind that knows of escapes runs out of memory in long strings. */
function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text.charAt(at) !== '"') at += text.charAt(at) === '\\' ? 2 : 1;
  return at + 1;
}
