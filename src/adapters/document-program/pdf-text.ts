import { isMostlyRightToLeft } from './pdf-bidi';
import type { Line, Part } from './pdf-layout';
import { MARKER } from './pdf-rows';
import { fenced, literal, literalStart, markdownTables, textCell } from './markup';

/** The length of the words that are compared. */
const MAX_WORD = 80;

/**
 * Joins words that are hyphenated at the end of a line. The document decides: a word that it spells without the hyphen
 * elsewhere is joined, one that it spells with it keeps it.
 */
export class Hyphens {
  readonly #words = new Set<string>();

  /** @param lines all lines of the document */
  constructor(lines: readonly string[]) {
    for (const line of lines) {
      const words = line.toLowerCase().match(/[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*/gu) ?? [];
      // The last word of a line may be only a part of one.
      for (const word of words) this.#words.add(word);
    }
  }

  /** Joins two lines of a paragraph. */
  join(line: string, next: string): string {
    return this.joinAll([line, next]);
  }

  /** Joins the lines of a paragraph. */
  joinAll(lines: readonly string[]): string {
    const parts: string[] = [];
    for (const line of lines) {
      const before = parts.at(-1);
      if (before !== undefined) {
        const between = this.#between(before, line);
        if (between === null) parts[parts.length - 1] = before.slice(0, -1);
        else if (between !== '') parts.push(between);
      }
      parts.push(line);
    }
    return parts.join('');
  }

  /** Returns what belongs between two lines; null when the hyphen at the end of the first one goes. */
  #between(line: string, next: string): string | null {
    if (line.endsWith('\u00ad')) return null;
    // Only the end of the text is searched, as it may be a whole paragraph.
    const end = line.slice(-MAX_WORD);
    const [, first] = /([\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*)[-\u2010]$/u.exec(end) ?? [];
    const [second] = /^[\p{L}\p{N}]+/u.exec(next.slice(0, MAX_WORD)) ?? [];
    if (first === undefined || second === undefined) return isTight(line, next) ? '' : ' ';
    const whole = `${first}${second}`.toLowerCase();
    const parted = `${first}-${second}`.toLowerCase();
    const isOne = this.#words.has(whole) || (!this.#words.has(parted) && isSyllables(first, second));
    return isOne ? null : '';
  }
}

/** Returns true for lower-case letters on both sides, as in a hyphenated word; a name or a number keeps its hyphen. */
function isSyllables(first: string, second: string): boolean {
  return !first.includes('-') && /\p{Ll}$/u.test(first) && /^\p{Ll}/u.test(second) && first.length > 1;
}

/** Returns true when no space belongs between the lines: Chinese and Japanese have none between words. */
function isTight(line: string, next: string): boolean {
  const script =
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65]/u;
  return script.test(line.slice(-1)) && script.test(next.slice(0, 1));
}

/** What the lines of all pages say about one of them. */
export interface PdfContext {
  /** The font size of most of the text (points). */
  readonly body: number;
  /** The right edge of text outside of columns (points); 0 when there is no prose. */
  readonly edge: number;
  /** True when most of the text has letters of one width, so that such letters do not make it code. */
  readonly isTyped: boolean;
  readonly hyphens: Hyphens;
}

/** Gathers what the parts of all pages say. */
export function contextOf(parts: readonly Part[]): PdfContext {
  const lines = parts.flatMap((part) => ('lines' in part ? part.lines : []));
  const texts = parts.flatMap((part) =>
    'lines' in part ? part.lines.map(({ text }) => text) : part.cells.flat(),
  );
  const body = bodySize(lines);
  const wide = parts.flatMap((part) =>
    'lines' in part && !part.isColumn ? inDirection(part.lines).filter((line) => isLong(line, body)) : [],
  );
  const length = (some: readonly Line[]) => some.reduce((sum, { text }) => sum + text.length, 0);
  return {
    body,
    edge: wide.reduce((most, { right }) => Math.max(most, right), 0),
    isTyped: length(lines.filter(({ isMono }) => isMono)) * 2 > length(lines),
    hyphens: new Hyphens(texts),
  };
}

/** A line of prose fills at least this many letters, or half as many of Chinese, Japanese or Korean. */
const PROSE = 40;

function isLong({ text, size, isMono }: Line, body: number): boolean {
  if (isMono || Math.abs(size - body) > 0.1 * body) return false;
  return text.length + (text.match(/[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/g) ?? []).length >= PROSE;
}

/** Returns the font size of most of the text. */
export function bodySize(lines: readonly Pick<Line, 'text' | 'size'>[]): number {
  const lengths = new Map<number, number>();
  for (const { size, text } of lines) {
    const rounded = Math.round(size * 2) / 2;
    lengths.set(rounded, (lengths.get(rounded) ?? 0) + text.length);
  }
  let [most, body] = [0, 0];
  for (const [size, length] of lengths) if (length > most) [most, body] = [length, size];
  return body;
}

/** A paragraph, heading, list item, table, or block of lines in Markdown. */
export interface Block {
  readonly kind: 'prose' | 'heading' | 'item' | 'lines' | 'code' | 'table';
  readonly text: string;
  /** The text of a heading, without escapes. */
  readonly heading?: string;
  readonly size: number;
  /** True when its last line is as long as its neighbours, so that the paragraph may continue elsewhere. */
  readonly isFull: boolean;
}

/** Converts a part of a page to blocks of Markdown. */
export function blocksOf(part: Part, context: PdfContext): Block[] {
  if (!('lines' in part)) return [tableBlock(part.cells, part.size)];
  const lines = inDirection(part.lines);
  const edge = part.isColumn ? lines.reduce((most, { right }) => Math.max(most, right), 0) : context.edge;
  const pitch = usualPitch(lines);
  const blocks: Block[] = [];
  for (const group of groups(lines, (before, line) => isApart(before, line, pitch, context))) {
    const left = group.reduce((least, { x }) => Math.min(least, x), Infinity);
    // What is set so far to the right is no text that fills the page: an address, a date.
    const isAside = !part.isColumn && edge - left < NARROW * (group[0]?.size ?? 0);
    blocks.push(...blocksOfGroup(group, isAside ? 0 : edge, context));
  }
  return blocks;
}

/** Turns lines from right to left round, so that every line begins at `x` and ends at `right`. */
function inDirection(lines: readonly Line[]): readonly Line[] {
  if (!isMostlyRightToLeft(lines.map(({ text }) => text).join(' '))) return lines;
  return lines.map((line) => ({ ...line, x: 1000 - line.right, right: 1000 - line.x }));
}

/**
 * A line is a heading when its letters are larger than those of the text by this factor, and it is no longer than
 * MAX_HEADING.
 */
const HEADING_SIZE = 1.15;
const MAX_HEADING = 200;
/**
 * The font sizes of headings of the first and second level, as factors of the text's size; smaller headings are of the
 * third level.
 */
const LEVELS = [1.7, 1.35] as const;
/** Lines further apart than this factor of the page's usual line distance belong to different paragraphs. */
const GAP = 1.35;
/** The largest line distance within a paragraph, as a factor of the font size: double spacing is 2.4. */
const MAX_PITCH = 2.5;
/** Prose fills at least this width, as a factor of the font size. */
const NARROW = 12;
/** The distance within which two positions count as the same (points). */
const SAME_PLACE = 2;

/** Groups lines; a group begins where `isBreak` returns true for a line and the one before. */
function groups(lines: readonly Line[], isBreak: (before: Line, line: Line) => boolean): Line[][] {
  const found: Line[][] = [];
  for (const line of lines) {
    const last = found.at(-1);
    const before = last?.at(-1);
    if (last === undefined || before === undefined || isBreak(before, line)) found.push([line]);
    else last.push(line);
  }
  return found;
}

/** Returns the level of a heading; 0 for text. */
function headingLevel({ size, text }: Line, body: number): number {
  if (body === 0 || size < HEADING_SIZE * body || text.length > MAX_HEADING || !/\p{L}/u.test(text)) return 0;
  const larger = LEVELS.findIndex((times) => size >= times * body);
  return larger < 0 ? LEVELS.length + 1 : larger + 1;
}

function isApart(before: Line, line: Line, pitch: number, { body }: PdfContext): boolean {
  const down = before.y - line.y;
  // Blank lines are part of code.
  if (before.isMono && line.isMono) return down > 3.5 * Math.max(pitch, line.size);
  if (before.isMono !== line.isMono) return true;
  // The line is higher on the page: the next column, or a separate box.
  if (down < -0.5 * line.size || down > GAP * Math.min(MAX_PITCH * line.size, Math.max(pitch, line.size)))
    return true;
  if (Math.abs(before.size - line.size) > 0.15 * before.size) return true;
  return headingLevel(before, body) !== headingLevel(line, body);
}

/** Returns the usual distance between lines (points). */
function usualPitch(lines: readonly Line[]): number {
  const distances = lines
    .slice(1)
    .map((line, at) => (lines[at]?.y ?? 0) - line.y)
    .filter((down) => down > 1)
    .sort((a, b) => a - b);
  return distances[Math.floor(distances.length / 3)] ?? 0;
}

/** Converts lines without a gap between them. */
function blocksOfGroup(group: readonly Line[], edge: number, context: PdfContext): Block[] {
  const [first] = group;
  if (first === undefined) return [];
  const { size } = first;
  const joined = (lines: readonly Line[]) => joinedText(lines, context.hyphens);
  const level = headingLevel(first, context.body);
  if (level > 0) {
    const text = joined(group);
    if (text.length <= MAX_HEADING)
      return [
        {
          kind: 'heading',
          text: `${'#'.repeat(level)} ${literal(text)}`,
          heading: text,
          size,
          isFull: false,
        },
      ];
  }
  if (first.isMono && (!context.isTyped || isLikeCode(group))) return [codeBlock(group)];
  const margin = proseEdge(group, edge);
  const local = group.reduce((most, { right }) => Math.max(most, right), 0);
  const begins = (before: Line, line: Line) =>
    isItem(line, before, group, margin) ||
    // A line without a margin goes on where it fills the text and the next one begins with a small letter.
    (margin === null && !(edge > 0 && /^(?:\p{Ll}|\p{Lo})/u.test(line.text))) ||
    endsEarly(before, line, margin ?? (isRunOn(before, line) ? local : edge));
  const indent = indentOf(group, margin);
  const parts = groups(group, (before, line) => begins(before, line) || indent(before, line));
  const places = placesOf(group);
  const blocks: Block[] = [];
  for (const part of parts) {
    const [head] = part;
    const last = part.at(-1);
    if (head === undefined || last === undefined) continue;
    const text = joined(part);
    const filled = (group.length > 1 ? margin : null) ?? (edge > 0 ? edge : Infinity);
    const isFull = last.right > filled - 0.12 * (filled - head.x);
    if (isItem(head, null, group, margin))
      blocks.push({ kind: 'item', text: itemText(text, head, places), size, isFull });
    else if (margin === null && group.length > 1) {
      const before = blocks.at(-1);
      // Lines of prose among others are a paragraph.
      const kind = part.length > 1 ? 'prose' : 'lines';
      if (before?.kind === 'lines' && kind === 'lines')
        blocks[blocks.length - 1] = { ...before, text: `${before.text}\n${literalStart(text)}`, isFull };
      else blocks.push({ kind, text: literalStart(text), size, isFull });
    } else blocks.push({ kind: 'prose', text: literalStart(text), size, isFull });
  }
  return blocks;
}

function joinedText(lines: readonly Line[], hyphens: Hyphens): string {
  return hyphens.joinAll(lines.map(({ text }) => text)).replace(/\u00ad/g, '');
}

/**
 * Returns the right edge to which the lines of a group are filled, as prose is; null for lines that end where their writer
 * ended them: addresses, poems, lists without marks. `edge` is that of the text around.
 */
function proseEdge(group: readonly Line[], edge: number): number | null {
  const local = group.reduce((most, { right }) => Math.max(most, right), 0);
  const left = group.reduce((least, { x }) => Math.min(least, x), Infinity);
  const size = group[0]?.size ?? 0;
  const inner = group.slice(0, -1);
  if (inner.length === 0) return Math.max(local, edge);
  const early = (margin: number) =>
    inner.filter((line, at) => {
      const next = group[at + 1];
      return next !== undefined && endsEarly(line, next, margin);
    }).length / inner.length;
  const even = inner.filter(({ right }) => local - right < SAME_PLACE).length;
  const isJustified = even > 1 && even * 3 >= inner.length * 2;
  const isVerse =
    !isJustified && group.length > 2 && group.every(({ text }) => /^[^\p{L}\p{N}]*[\p{Lu}\p{N}]/u.test(text));
  const isWide = local - left >= NARROW * size;
  if (isWide && group.length > 2 && (isJustified || (early(local) <= 0.25 && !isVerse))) return local;
  if (edge === 0 || local < edge - 0.4 * (edge - left)) return null;
  const margin = Math.max(edge, local);
  return early(margin) > 0.5 || (isVerse && early(margin) > 0) ? null : margin;
}

/** Returns true when the next word would have fitted into the line. */
function endsEarly(before: Line, line: Line, margin: number): boolean {
  return before.right + 0.3 * line.size + widthOfFirstWord(line) < margin;
}

function widthOfFirstWord({ text, x, right }: Line): number {
  const [word = ''] =
    /^(?:[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]{1,2}|\S+)/u.exec(text) ?? [];
  return ((right - x) * word.length) / text.length;
}

/** Returns true when a long line ends within a sentence that the next one goes on with. */
function isRunOn(before: Line, line: Line): boolean {
  return before.text.length >= PROSE && /[\p{Ll},]$/u.test(before.text) && /^\p{Ll}/u.test(line.text);
}

/** Returns a function that says whether a line begins a paragraph by its indentation, which most lines do not share. */
function indentOf(group: readonly Line[], margin: number | null): (before: Line, line: Line) => boolean {
  const left = group.reduce((least, { x }) => Math.min(least, x), Infinity);
  const size = group[0]?.size ?? 0;
  const isIndented = ({ x }: Line) => x - left > 0.8 * size && x - left < 5 * size;
  const indented = group.filter(isIndented).length;
  if (margin === null || indented === 0 || group.length < 3) return () => false;
  // Most lines of a bibliography are indented, and each entry begins further left.
  const isHanging = indented * 2 > group.length;
  return (before, line) =>
    isHanging ? !isIndented(line) && isIndented(before) : isIndented(line) && !isIndented(before);
}

/** Marks that begin the line of a list, and also other lines. */
const DOUBTFUL = /^(?:[–—*·-]|\(?(?:\d{1,3}|\p{L}|[ivx]{1,5})[.)])/u;

/** Returns true when a line begins an item of a list. `before` is the line before it, null when it begins a block already. */
function isItem(line: Line, before: Line | null, group: readonly Line[], margin: number | null): boolean {
  if (!MARKER.test(line.text) || /^\S+$/.test(line.text)) return false;
  if (before === null || !DOUBTFUL.test(line.text)) return true;
  if (margin === null || endsEarly(before, line, margin) || /[.:;!?]$/.test(before.text)) return true;
  const [first] = group;
  return first !== undefined && MARKER.test(first.text) && Math.abs(first.x - line.x) < SAME_PLACE;
}

/** Returns the places at which items of a list begin. */
function placesOf(group: readonly Line[]): number[] {
  const places = new Set(group.filter(({ text }) => MARKER.test(text)).map(({ x }) => Math.round(x)));
  // A list with more levels than this is none.
  return [...places].sort((a, b) => a - b).slice(0, 20);
}

function itemText(text: string, line: Line, places: readonly number[]): string {
  const level = places.filter((x) => x < line.x - SAME_PLACE).length;
  const [mark = ''] = MARKER.exec(text) ?? [];
  const rest = text.slice(mark.length).trim();
  const box = /[☐☒☑✓✔]/u.test(mark) ? `[${mark === '☐' ? ' ' : 'x'}] ` : '';
  const shown = /\p{N}|\p{L}/u.test(mark) ? `${mark} ` : `- ${box}`;
  return `${'    '.repeat(Math.min(level, 5))}${shown}${literalStart(rest)}`;
}

/** Matches what code has and prose has not. */
const CODE =
  /[;{}]\s*$|^\s*(?:\/\/|#|\$ |>>> |--|def |return\b|if\b.*[:{(]|for\b.*[:{(]|import |from \S+ import|const |let |var |function |class |public |private )|\w\(.*\)|[=!<>+*/-]=|\w+\s*=\s*\S|<\/?\w+/;

function isLikeCode(lines: readonly Line[]): boolean {
  return lines.filter(({ text }) => CODE.test(text)).length * 10 >= lines.length * 4;
}

/** Converts lines of letters of one width to a block of code, with their indentation and blank lines. */
function codeBlock(lines: readonly Line[]): Block {
  const left = lines.reduce((least, { x }) => Math.min(least, x), Infinity);
  const size = lines[0]?.size ?? 0;
  const pitch = usualPitch(lines);
  const widths = lines.map(({ x, right, text }) => (right - x) / text.length).sort((a, b) => a - b);
  const letter = widths[Math.floor(widths.length / 2)] || 0.6 * size;
  const shown: string[] = [];
  let before: Line | undefined;
  for (const line of lines) {
    const blank = before === undefined || pitch === 0 ? 0 : Math.round((before.y - line.y) / pitch) - 1;
    shown.push(...Array<string>(Math.max(0, Math.min(3, blank))).fill(''));
    shown.push(' '.repeat(Math.min(200, Math.round((line.x - left) / letter))) + line.text);
    before = line;
  }
  return { kind: 'code', text: fenced(shown.join('\n'), '').markdown.trimEnd(), size, isFull: false };
}

function tableBlock(cells: readonly (readonly string[])[], size: number): Block {
  const width = cells.reduce((most, row) => Math.max(most, row.length), 0);
  const filled = cells.filter((row) => row.filter((cell) => cell !== '').length > 1).length;
  if (width > 1 && filled > 1)
    return {
      kind: 'table',
      text: [...markdownTables(cells, textCell)].join('').trimEnd(),
      size,
      isFull: false,
    };
  const rows = cells.map((row) => literalStart(row.filter((cell) => cell !== '').join(' ')));
  return { kind: 'lines', text: rows.join('\n'), size, isFull: false };
}

/** The end of a text that is searched for the end of a sentence; the text may be long. */
const TAIL = 100;

/**
 * Joins a block to the one before it, across columns and pages, when a sentence or a word goes on; null when it does not.
 * @param isFlow true where text goes on in another column or on the next page
 */
export function continued(before: Block, block: Block, hyphens: Hyphens, isFlow: boolean): Block | null {
  if (!isText(block) || !(isText(before) || before.kind === 'item')) return null;
  if (Math.abs(before.size - block.size) > 0.1 * before.size) return null;
  const tail = before.text.slice(-TAIL);
  const isParted = /\p{L}[-\u2010\u00ad]$/u.test(tail) && /^\p{L}/u.test(block.text);
  if (!isParted && /[.!?:;…。！？؟]["'”’»)\]]*$/u.test(tail)) return null;
  const isLower = /^["'“‘«(]?(?:\p{Ll}|\p{Lo})/u.test(block.text);
  const isWord = /[\p{Ll}\p{Lo},][)\]"”’]*$/u.test(tail);
  const isSentence = before.kind === 'lines' ? before.isFull : before.isFull || tail.split(' ').length > 2;
  const isFilled = isFlow && before.kind === 'prose' && before.isFull && isWord && !MARKER.test(block.text);
  if (!isParted && !(isLower && isSentence) && !isFilled) return null;
  const kind = block.kind === 'lines' ? 'lines' : before.kind;
  return { ...before, kind, text: hyphens.join(before.text, block.text), isFull: block.isFull };
}

function isText({ kind }: Block): boolean {
  return kind === 'prose' || kind === 'lines';
}
