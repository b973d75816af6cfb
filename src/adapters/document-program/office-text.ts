import { type Block, emphasised, Inline, item, linesOf, list, paragraph, tableOf } from './blocks';
import { inlineCode, link, linkTarget, literal } from './markup';

/** A piece of text with its look. */
export interface Run {
  readonly text: string;
  readonly bold?: boolean;
  readonly italic?: boolean;
  readonly strike?: boolean;
  readonly code?: boolean;
  readonly raised?: 'sup' | 'sub';
  /** The address that it leads to; one that no note may hold makes plain text. */
  readonly link?: string;
}

/** Markdown within a line, such as a formula, with its words for titles. */
export interface Piece {
  readonly markdown: string;
  readonly shown: string;
}

type Part = Run | Piece;

const isPiece = (part: Part | undefined): part is Piece => part !== undefined && 'markdown' in part;
const LETTER = /[\p{L}\p{M}\p{N}]/u;

/** Two runs with one look are one. */
function lookOf({ bold, italic, strike, code, raised, link: address }: Run): string {
  return [
    bold ? 'b' : '',
    italic ? 'i' : '',
    strike ? 's' : '',
    code ? 'c' : '',
    raised ?? '',
    address ?? '',
  ].join(' ');
}

/** Joins runs of one look, and parts them at line ends. Blanks take the look of the run before, unless it marks them. */
function joined(parts: readonly Part[]): Part[] {
  const result: Part[] = [];
  for (const part of parts) {
    if (isPiece(part)) {
      result.push(part);
      continue;
    }
    for (const text of part.text.split(/(\n)/)) {
      if (text === '') continue;
      const last = result.at(-1);
      const isSame =
        last !== undefined &&
        !isPiece(last) &&
        (lookOf(last) === lookOf(part) || (text.trim() === '' && !last.code && last.raised === undefined));
      if (isSame && text !== '\n' && last.text !== '\n')
        result[result.length - 1] = { ...last, text: last.text + text };
      else result.push(text === '\n' ? { text } : { ...part, text });
    }
  }
  return result;
}

/**
 * Returns the text of runs as Markdown. Bold and italic letters within a word, or beside a sign that would undo their marks, are plain,
 * so that words stay whole.
 * @param isPlain true for headings, which are bold by themselves
 */
export function inlineOf(parts: readonly Part[], isPlain = false): Inline {
  const runs = joined(parts);
  const inline = new Inline(runs.map((part) => (isPiece(part) ? '' : part.text)).join(''));
  /** True when the mark of the run before ends here, so that another one cannot begin. */
  let isMarked = false;
  for (const [at, part] of runs.entries()) {
    if (isPiece(part)) {
      // Two formulas beside each other would be one mark.
      if (isPiece(runs[at - 1]) && part.markdown.startsWith('$')) inline.text(' ');
      inline.piece(part.markdown, part.shown);
      isMarked = false;
      continue;
    }
    const [, lead = '', text = '', trail = ''] = /^(\s*)([^]*?)(\s*)$/.exec(part.text) ?? [];
    const [before, after] = [lead + edge(runs[at - 1], -1), trail + edge(runs[at + 1], 0)];
    const isApart = !LETTER.test(before.slice(-1)) && !LETTER.test(after.charAt(0));
    const markdown: string | null =
      text === '' || isPlain ? null : markedUp(part, text, isApart && !(isMarked && lead === ''));
    if (lead !== '') inline.text(lead);
    if (markdown === null) inline.text(text);
    else inline.piece(markdown, text);
    if (trail !== '') inline.text(trail);
    isMarked = markdown !== null && trail === '';
  }
  return inline;
}

/** Returns the first (0) or last (-1) character of a part. */
function edge(part: Part | undefined, at: 0 | -1): string {
  const text = part === undefined ? '' : isPiece(part) ? ' ' : part.text;
  return text.at(at) ?? '';
}

/** Returns a run as Markdown; null when it is plain text. */
function markedUp(run: Run, text: string, isApart: boolean): string | null {
  const target = run.link === undefined ? null : linkTarget(run.link);
  if (target !== null) return link(target, text);
  if (run.raised !== undefined) return `<${run.raised}>${literal(text, { hasMath: true })}</${run.raised}>`;
  if (!isApart) return null;
  if (run.code) return inlineCode(text.replace(/\s+/g, ' '));
  const mark = `${run.strike ? '~~' : ''}${run.bold ? '**' : ''}${run.italic ? '*' : ''}`;
  if (mark === '' || !LETTER.test(text)) return null;
  return emphasised(mark, text).slice(0, -mark.length) + [...mark].reverse().join('');
}

/** An item of a list by its level from 0. */
export interface ListItem {
  readonly level: number;
  /** The number as it is shown, such as `2.` or `b)`; '' for a bullet. */
  readonly label: string;
  readonly blocks: readonly Block[];
}

/** The levels of lists; deeper items are on the last one. */
const MAX_LEVEL = 12;

/** Returns items as nested lists. A level that is left out counts for nothing. */
export function listOf(items: readonly ListItem[]): Block[] {
  return items.length === 0 ? [] : [list(itemsFrom(items, { at: 0 }, -1))];
}

function itemsFrom(items: readonly ListItem[], place: { at: number }, outer: number): string[][] {
  const made: string[][] = [];
  const level = levelOf(items[place.at]);
  for (let next = items[place.at]; next !== undefined && levelOf(next) > outer; next = items[place.at]) {
    place.at += 1;
    const below =
      levelOf(items[place.at]) > Math.max(level, levelOf(next)) ? itemsFrom(items, place, levelOf(next)) : [];
    const blocks = below.length > 0 ? [...next.blocks, list(below)] : next.blocks;
    made.push(labelled(next.label, blocks));
  }
  return made;
}

function levelOf(one: ListItem | undefined): number {
  return one === undefined ? -1 : Math.min(one.level, MAX_LEVEL);
}

/** A number that Markdown writes too stays one; others, such as `1.2.` and `b)`, are the first word of an item. */
function labelled(label: string, blocks: readonly Block[]): string[] {
  if (/^\d{1,9}[.)]$/.test(label)) return item(label, blocks);
  if (label === '') return item('-', blocks);
  const [first, ...rest] = blocks;
  const said = literal(label);
  return first?.kind === 'paragraph'
    ? item('-', [paragraph([`${said} ${first.lines[0] ?? ''}`, ...first.lines.slice(1)]), ...rest])
    : item('-', [paragraph([said]), ...blocks]);
}

/** A cell of a table with the columns and rows that it covers. */
export interface Cell {
  readonly text: string;
  readonly across: number;
  readonly down: number;
}

/** The columns and rows that one cell covers at most. */
const MAX_SPAN = 1000;
/** The cells of a table that are filled with the value of a merged one. */
const MAX_FILLED = 100_000;

/**
 * Returns the rows of a table whose merged cells are filled: each row and each column is read by itself, so the value of a merged cell
 * stands in all of them; in a row that has no other value it stands once.
 */
export function filled(rows: readonly (readonly Cell[])[]): string[][] {
  /** The values of cells above that reach into the next rows, by columns. */
  const above = new Map<number, { text: string; rows: number }>();
  let count = 0;
  return rows.map((row) => {
    const texts: string[] = [];
    const takeAbove = () => {
      for (let held = above.get(texts.length); held !== undefined; held = above.get(texts.length)) {
        if (held.rows > 1) held.rows -= 1;
        else above.delete(texts.length);
        texts.push(held.text);
      }
    };
    for (const one of row) {
      takeAbove();
      const isOnly = row.every((other) => other === one || other.text === '') && above.size === 0;
      const [across, down] =
        count < MAX_FILLED ? [Math.min(one.across, MAX_SPAN), Math.min(one.down, MAX_SPAN)] : [1, 1];
      count += across * down - 1;
      for (let at = 0; at < across; at += 1) {
        if (down > 1) above.set(texts.length, { text: one.text, rows: down - 1 });
        texts.push(at > 0 && isOnly ? '' : one.text);
      }
    }
    takeAbove();
    return texts;
  });
}

/** Returns the rows of a table that stands in a cell: Markdown has no table there. */
export function innerTable(rows: readonly (readonly string[])[]): Block[] {
  return rows.map((row) => paragraph([row.filter((text) => text !== '').join(', ')]));
}

/** Returns a table; the rows that have one value above all others stand before it as paragraphs. */
export function officeTable(rows: readonly (readonly string[])[]): Block[] {
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const titles: Block[] = [];
  let from = 0;
  for (; from < rows.length && width > 1; from += 1) {
    const values = (rows[from] ?? []).filter((value) => value !== '');
    if (values.length > 1) break;
    if (values[0] !== undefined) titles.push(paragraph(values[0].split('<br>')));
  }
  // A table of one value in each row is no title.
  if (from === rows.length) return tableOf(rows);
  return [...titles, ...tableOf(rows.slice(from))];
}

/** The footnotes of a document: what a reader of its text finds at a mark. Endnotes and comments are footnotes too. */
export class Notes {
  readonly #labels = new Map<string, string>();
  readonly #made: Block[] = [];
  #numbers = 0;
  #comments = 0;

  /**
   * Returns the mark of a note.
   * @param key names the note; a second mark of it leads to the same text
   * @param read returns the text of the note, for its first mark
   */
  mark(key: string, isComment: boolean, read: () => readonly Block[]): Piece {
    let label = this.#labels.get(key);
    if (label === undefined) {
      label = isComment ? `comment-${(this.#comments += 1)}` : String((this.#numbers += 1));
      this.#labels.set(key, label);
      const [first = '', ...rest] = linesOf(read());
      // A paragraph that is indented belongs to the note (Obsidian, as Markdown Extra).
      const lines = [`[^${label}]: ${first}`, ...rest.map((line) => (line === '' ? '' : `    ${line}`))];
      this.#made.push({ kind: 'other', lines });
    }
    return { markdown: `[^${label}]`, shown: '' };
  }

  /** The texts of all notes that were marked. */
  blocks(): readonly Block[] {
    return this.#made;
  }
}

/** Returns who wrote a comment and when, for its beginning. */
export function commentHead(author: string, date: string): string {
  const by = author.replace(/\s+/g, ' ').trim();
  const on = /^\d{4}-\d{2}-\d{2}/.exec(date)?.[0] ?? '';
  const said = ['Comment', by === '' ? '' : ` by ${by}`, on === '' ? '' : `, ${on}`].join('');
  return literal(`${said}:`);
}
