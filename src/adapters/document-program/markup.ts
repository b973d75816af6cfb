import { MAX_TEXT } from '../../core/documents/ports';
import { fenceAround } from '../../core/markdown/fence';

export { MAX_TEXT };

export const CUT_WARNING = `The document has more text than is read: only the first ${MAX_TEXT.toLocaleString('en')} characters were taken. The rest stands in the original alone.`;

/** Returns the beginning of a text up to the limit, never with half a character at its end. */
export function within(text: string, limit = MAX_TEXT): string {
  if (text.length <= limit) return text;
  const last = text.charCodeAt(limit - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? limit - 1 : limit);
}

/** The number of names that a list shows. */
const MAX_NAMED = 20;

/** Returns names as one line, with the number of those beyond the twentieth. */
export function listed(names: readonly string[]): string {
  const named = names.slice(0, MAX_NAMED).join(', ');
  return names.length > MAX_NAMED ? `${named} and ${names.length - MAX_NAMED} more` : named;
}

/** Joins parts until the limit is reached, and makes no further parts. */
export function joinWithin(parts: Iterable<string>, limit = MAX_TEXT): { text: string; isCut: boolean } {
  const taken: string[] = [];
  let size = 0;
  for (const part of parts) {
    if (size + part.length > limit) {
      taken.push(within(part, limit - size));
      return { text: taken.join(''), isCut: true };
    }
    taken.push(part);
    size += part.length;
  }
  return { text: taken.join(''), isCut: false };
}

/** Terminal control codes in logs, such as colours (ECMA-48). A command that nothing ends keeps its text. */
const TERMINAL = new RegExp(
  [
    '\\u001b\\[[0-?]*[ -/]*[@-~]',
    '\\u001b\\][^\\u0007\\u001b\\n]*(?:\\u0007|\\u001b\\\\)',
    '\\u001b\\([0AB]',
    '\\u001b',
  ].join('|'),
  'g',
);

/**
 * Converts text to a block of code that shows every character. A text over the limit is cut, so that the block stays whole.
 */
export function fenced(text: string, language: string): { markdown: string; isCut: boolean } {
  const whole = text.replace(/^\n+/, '').trimEnd();
  const [ticks, tildes] = [fenceAround(whole), fenceAround(whole, '~')];
  const fence = ticks.length <= tildes.length ? ticks : tildes;
  const room = MAX_TEXT - 2 * fence.length - language.length - '\n\n\n'.length;
  const taken = within(whole, Math.max(0, room));
  return { markdown: `${fence}${language}\n${taken}\n${fence}\n`, isCut: taken.length < whole.length };
}

/** Removes terminal control codes. */
export function withoutTerminalCodes(text: string): string {
  return text.replace(TERMINAL, '');
}

/** The columns of one table; a wider one becomes several, each with the first column again. */
const MAX_COLUMNS = 20;
/** The rows of one table; a longer one continues in another, with the head again. */
const MAX_ROWS = 500;

/** Web addresses. */
const ADDRESS = '(?<![\\p{L}\\p{N}_*~=&])https?://[^\\s\\0<>[\\]`|\\\\]+';
/** Characters that Markdown or Obsidian may take for markup. */
const MARKS = [
  '\\\\(?=[!-/:-@[-`{-~]|$)',
  '`',
  '\\*',
  '_+',
  '={2,}|~{2,}|%{2,}',
  '\\$',
  '<(?=[A-Za-z/!?%])',
  '&(?=#?\\w+;)',
  '(?<![\\p{L}\\p{N}])#(?=[\\p{L}\\p{N}_/-])',
  '\\[(?=[[^!]|[ xX-]\\])|(?<=\\[)\\[|\\](?=[[(:])',
  '\\^(?=\\[|[A-Za-z0-9-]+\\s*$)',
];
const MARKUP = new RegExp([ADDRESS, ...MARKS].join('|'), 'gmu');
/** The text of a link ends at a bracket, and has no link in it. */
const LINK_MARKUP = new RegExp([...MARKS, '[[\\]]'].join('|'), 'gmu');
const LETTER = /[\p{L}\p{M}\p{N}]/u;

/** Where a text is shown. */
export interface TextContext {
  /** True within the text of a link. */
  readonly isLink?: boolean;
  /** True where a dollar sign may begin math; by default in a text with two of them. */
  readonly hasMath?: boolean;
}

/**
 * Escapes text, so that Markdown shows it letter by letter: nothing in it is emphasis, code, a link, a tag, a comment, math or
 * HTML. Web addresses stay links. `literalStart` also escapes what is markup at the beginning of a line.
 */
export function literal(
  text: string,
  { isLink = false, hasMath = text.indexOf('$') !== text.lastIndexOf('$') }: TextContext = {},
): string {
  return text.replace(isLink ? LINK_MARKUP : MARKUP, (found, at: number) => {
    if (found.startsWith('http')) return address(found);
    const [before, after] = [text.charAt(at - 1), text.charAt(at + found.length)];
    if (found === '$' && !hasMath) return found;
    if (found === '&') return '&amp;';
    if (found === '*' && !isLink && before.trim() === '' && after.trim() === '' && after !== '') return found;
    // Underscores within a word are no emphasis.
    if (found.startsWith('_') && LETTER.test(before) && LETTER.test(after)) return found;
    return found.replace(/[^]/g, '\\$&');
  });
}

/** Returns a heading that shows the letters of a text. */
export function heading(level: number, text: string): string {
  // Marks at the end of a heading would be hidden.
  const shown = literal(text.replace(/\s+/g, ' ').trim()).replace(/(^|\s)(#+)$/, '$1\\$2');
  return `${'#'.repeat(level)} ${shown}\n\n`;
}

/** Returns a web address that Markdown takes as it is; punctuation at its end is text. */
function address(found: string): string {
  let end = found.length;
  while (/[.,;:!?)'"*_~]/.test(found.charAt(end - 1))) end -= 1;
  const [url, rest] = [found.slice(0, end), literal(found.slice(end))];
  return /[*_~$^]|==|%%|&#?\w+;/.test(found) ? `<${url}>${rest}` : url + rest;
}

/** A line of characters that draw a rule, underline a heading or begin a table. */
const DRAWN = /^[-*_=+|:\s]+$/;
const ITEM = /^\s*([-*+]|\d{1,9}[.)])\s+/;

/** Escapes a line that is no item of a list, also what is markup at its beginning. */
function literalLine(line: string): string {
  // Four spaces would begin a block of code.
  return ' '.repeat(Math.min(3, indentOf(line))) + literalStart(line.trimStart());
}

/** Escapes the lines of paragraphs one after another; items of lists stay items. */
class LiteralLines {
  /** The column where the text of the last item begins, or less; 0 where no list is open. */
  #content = 0;

  /** Returns a paragraph, whose lines are not empty. */
  paragraph(lines: readonly string[]): string {
    let isAfterText = false;
    const taken = lines.map((line, at) => {
      const [whole = '', mark = ''] = DRAWN.test(line) ? [] : (ITEM.exec(line) ?? []);
      if (mark === '') {
        isAfterText = true;
        const literal = literalLine(line);
        if (at === 0 && indentOf(literal) < this.#content) this.close();
        return literal;
      }
      // Four spaces more than the text of the item above would begin a block of code, and so would a fifth behind the mark.
      const indent = Math.min(indentOf(line), this.#content + 3);
      const gap = Math.min(4, indentOf(whole.slice(whole.indexOf(mark) + mark.length)));
      const text = line.slice(whole.length);
      // Only a bullet or the number 1 with text begins a list in the midst of a paragraph (CommonMark 0.31, section 5.2).
      const isItem = text !== '' && (!isAfterText || /^(?:[-*+]|0*1[.)])$/.test(mark));
      if (isItem) [this.#content, isAfterText] = [indent + mark.length + gap, false];
      return ' '.repeat(indent) + mark + ' '.repeat(gap) + literalStart(text);
    });
    return taken.map((line) => `${line}\n`).join('');
  }

  /** Notes that something stands below that is in no list. */
  close(): void {
    this.#content = 0;
  }
}

/** Escapes text, also what would be a heading, a quotation, a rule or a mark of a list at the beginning of its line. */
export function literalStart(text: string, place?: TextContext): string {
  if (DRAWN.test(text)) return text.replace(/^[-+:]|[*_=|]/g, '\\$&');
  return literal(text, place)
    .replace(/^(?:#{1,6}(?=\s|$)|>|[-+*](?=\s|$))/, '\\$&')
    .replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2');
}

/**
 * Yields text as Markdown that shows its letters: paragraphs and lists, and blocks of code for paragraphs whose lines are all
 * indented by four columns or more.
 */
export function* linesToMarkdown(lines: readonly string[]): Generator<string> {
  const literal = new LiteralLines();
  for (let at = 0; at < lines.length;) {
    let end = at;
    while (end < lines.length && (lines[end] ?? '').trim() !== '') end += 1;
    const paragraph = lines.slice(at, end);
    const isCode = paragraph.length > 0 && paragraph.every(isCodeLine);
    if (isCode) {
      literal.close();
      yield fenced(paragraph.join('\n'), '').markdown;
    } else yield literal.paragraph(paragraph);
    // The blank line after the paragraph.
    if (end < lines.length - 1) yield '\n';
    at = end + 1;
  }
}

/** Returns true for an indented line that is no item and that the gate leaves as it is in code. */
function isCodeLine(line: string): boolean {
  return indentOf(line) >= 4 && !ITEM.test(line) && !line.includes('<%');
}

/** Converts Markdown to the cell of a table. */
export function cell(markdown: string): string {
  return oneCell(markdown.trim().replace(/\\(?=\||$)/g, '\\\\'));
}

/** Converts text to the cell of a table that shows its letters. */
export function textCell(text: string): string {
  return oneCell(literal(text.trim()));
}

/** Converts Markdown whose text is escaped to the cell of a table. */
export function oneCell(markdown: string): string {
  return markdown.replace(/\|/g, '\\|').replace(/\s+/g, (run) => (run.includes('\n') ? '<br>' : ' '));
}

/**
 * Yields rows as Markdown tables, with the first row as their head. Rows may differ in length. Wide and long tables become
 * several, and nothing is left out. The pieces are yielded, so that the caller can stop.
 * @param toCell converts a value to a cell; values are Markdown by default
 */
export function* markdownTables(
  rows: readonly (readonly string[])[],
  toCell: (value: string) => string = cell,
): Generator<string> {
  const [head = [], ...body] = rows;
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  if (width === 0) return;
  let isFirst = true;
  let long = body;
  for (const columns of groups(width)) {
    // A row that ends before these columns has no values in the later ones either.
    if (!columns.isFirst) long = long.filter((row) => row.length > columns.from);
    const lines = columns.isFirst ? body : long.filter((row) => hasAny(row, columns));
    for (let from = 0; from === 0 || from < lines.length; from += MAX_ROWS) {
      if (!isFirst) yield '\n';
      isFirst = false;
      if (width > MAX_COLUMNS || lines.length > MAX_ROWS)
        yield `${caption(columns, width, from, lines.length)}\n\n`;
      yield line(head, columns, toCell);
      yield `|${' --- |'.repeat(count(columns))}\n`;
      for (const row of lines.slice(from, from + MAX_ROWS)) yield line(row, columns, toCell);
    }
  }
}

/** The columns from `from` to before `to`, preceded by the first column when they are not the first. */
interface Columns {
  readonly from: number;
  readonly to: number;
  readonly isFirst: boolean;
}

function* groups(width: number): Generator<Columns> {
  let from = 0;
  do {
    const isFirst = from === 0;
    const to = Math.min(width, from + MAX_COLUMNS - (isFirst ? 0 : 1));
    yield { from, to, isFirst };
    from = to;
  } while (from < width);
}

function count({ from, to, isFirst }: Columns): number {
  return to - from + (isFirst ? 0 : 1);
}

function hasAny(row: readonly string[], { from, to }: Columns): boolean {
  for (let at = from; at < Math.min(to, row.length); at += 1) if (row[at] !== '') return true;
  return false;
}

function line(
  row: readonly string[],
  { from, to, isFirst }: Columns,
  toCell: (value: string) => string,
): string {
  let text = isFirst ? '|' : `| ${toCell(row[0] ?? '')} |`;
  for (let at = from; at < to; at += 1) text += ` ${toCell(row[at] ?? '')} |`;
  return `${text}\n`;
}

function caption({ from, to }: Columns, width: number, row: number, rows: number): string {
  const columns = width > MAX_COLUMNS ? `Columns ${from + 1} to ${to} of ${width}` : '';
  const lines = rows > MAX_ROWS ? `rows ${row + 1} to ${Math.min(rows, row + MAX_ROWS)} of ${rows}` : '';
  const text = [columns, lines].filter(Boolean).join(', ');
  return `*${text.charAt(0).toUpperCase()}${text.slice(1)}*`;
}

/**
 * Returns the target of a link as Markdown takes it: a web address, or the path of a file that may come together with the
 * document. Returns null for any other, as it leads nowhere from a note.
 */
export function linkTarget(address: string): string | null {
  const target = address.trim();
  const isWeb = /^(?:https?:\/\/|mailto:)[^\s<>]+$/i.test(target);
  const isFile = !/^(?:[/~]|www\.)/.test(target) && /^[^:#?<>\n\\]+\.\w{1,8}(?:#[^<>\n]*)?$/.test(target);
  if (!isWeb && !isFile) return null;
  return target.replace(/[()\s]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** Returns a Markdown link of a target from `linkTarget` and of text, which is escaped. */
export function link(target: string, text: string): string {
  const shown = text.replace(/\s+/g, ' ').trim();
  if (shown === target && /^[a-z]+:/i.test(target)) return `<${target}>`;
  const said = literal(shown === '' ? target : shown, { isLink: true, hasMath: true });
  return `[${said}](${target})`;
}

/** Converts text to inline code, between as many backticks as it needs. */
export function inlineCode(text: string): string {
  const runs = new Set((text.match(/`+/g) ?? []).map((run) => run.length));
  let size = 1;
  while (runs.has(size)) size += 1;
  const pad = /^`|`$/.test(text) ? ' ' : '';
  return `${'`'.repeat(size)}${pad}${text}${pad}${'`'.repeat(size)}`;
}

/** Returns the indentation of a line; a tab stops at every eighth column. */
export function indentOf(line: string): number {
  let width = 0;
  for (const character of line) {
    if (character === ' ') width += 1;
    else if (character === '\t') width += 8 - (width % 8);
    else break;
  }
  return width;
}
