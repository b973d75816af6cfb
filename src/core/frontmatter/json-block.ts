import { isRecord, parsedJson } from '../base/json';
import type { BlockLines, Entry, Fault } from './split';
import { jsonValue, yamlScalar } from './yaml';

const TOKEN = /"[^"\\]*(?:\\[^][^"\\]*)*"|[{}[\],]/g;
const MEMBER = /^(\s*)("[^"\\]*(?:\\[^][^"\\]*)*")\s*:/;

/**
 * Splits a block that is an object of JSON into its members: `before` holds the white space above a member, `after` its comma. Null
 * for any other block, and for `{}` on one line, which YAML lines may replace.
 */
export function parseMembers(block: string): BlockLines | Fault | null {
  const start = block.trimStart();
  if (!start.startsWith('{') || /^\{[ \t]*\}/.test(start) || !isRecord(parsedJson(block))) return null;
  const entries: Entry[] = [];
  const seen = new Set<string>();
  const first = block.indexOf('{') + 1;
  let from = first;
  let line = block.slice(0, first).split('\n').length;
  let depth = 0;
  for (const { 0: token, index } of block.matchAll(TOKEN)) {
    if (token === '{' || token === '[') depth += 1;
    if (token === '}' || token === ']') depth -= 1;
    if (token === ',' ? depth === 1 : depth === 0) {
      const member = memberIn(block.slice(from, index), token === ',', line);
      // Nothing stands in an object without members.
      if (member === null) break;
      if (seen.has(member.key)) return { line: member.line, reason: 'its key stands above already' };
      seen.add(member.key);
      entries.push(member);
      const { before, text, after } = member;
      line += (before + text + after).split('\n').length - 1;
      from += before.length + text.length + after.length;
    }
  }
  return { head: block.slice(0, first), entries, tail: block.slice(from) };
}

/** Reads the member in a part of an object, up to its comma or to the end of the object. @param line that in which the part begins */
function memberIn(part: string, hasComma: boolean, line: number): Entry | null {
  const [all, before = '', key = ''] = MEMBER.exec(part) ?? [];
  const name = parsedJson(key);
  if (all === undefined || typeof name !== 'string') return null;
  const text = part.trim();
  return {
    key: name,
    before,
    text,
    after: hasComma ? `${part.slice(before.length + text.length)},` : '',
    valueAt: all.length - before.length,
    line: line + before.split('\n').length - 1,
  };
}

/**
 * Applies changes to a block of JSON: members keep their bytes and their order, new ones come last, written like the one above.
 * @param changed the new text of a member by its key, or null to remove it
 */
export function rewriteMembers(
  { head, entries, tail }: BlockLines,
  changed: ReadonlyMap<string, string | null>,
): string {
  const known = new Set(entries.map(({ key }) => key));
  const last = entries.at(-1);
  const isAlone = entries.length === 1 && last?.before.includes('\n') === false;
  const before = isAlone ? ' ' : (last?.before ?? '');
  const members: Pick<Entry, 'before' | 'text' | 'after'>[] = [];
  for (const entry of entries) {
    const text = changed.get(entry.key);
    if (text !== null) members.push({ ...entry, text: text ?? entry.text });
  }
  for (const [key, text] of changed)
    if (text !== null && !known.has(key)) members.push({ before, text, after: '' });
  const end = members.length - 1;
  const lines = members.map((each, at) => each.before + each.text + (at < end ? each.after || ',' : ''));
  return head + lines.join('') + tail;
}

/** Returns a property as a member: its source in YAML where that is JSON too, such as a number, else its value. */
export function memberOf(key: string, source: string, value: unknown): string {
  const isJson = parsedJson(source) !== undefined;
  return `${jsonValue(key)}: ${isJson ? onOneLine(source) : jsonValue(value)}`;
}

/** Returns a member as a line of YAML, which reads JSON. */
export function lineOfMember({ key, text, valueAt }: Entry, eol: string): string {
  return `${yamlScalar(key)}: ${onOneLine(text.slice(valueAt))}${eol}`;
}

/** Puts JSON on one line. Its texts hold no line end. */
function onOneLine(json: string): string {
  const lines = json.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '').join(' ');
}
