import type { TextRun } from './pdf-open';

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
    if (line.endsWith('\u00ad')) return line.slice(0, -1) + next;
    // Only the end of the text is searched, as a paragraph grows with every line.
    const end = line.slice(-MAX_WORD);
    const [, first] = /([\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*)[-\u2010]$/u.exec(end) ?? [];
    const [second] = /^[\p{L}\p{N}]+/u.exec(next.slice(0, MAX_WORD)) ?? [];
    if (first === undefined || second === undefined) return line + (isTight(line, next) ? '' : ' ') + next;
    const whole = `${first}${second}`.toLowerCase();
    const parted = `${first}-${second}`.toLowerCase();
    const isOne = this.#words.has(whole) || (!this.#words.has(parted) && isSyllables(first, second));
    return (isOne ? line.slice(0, -1) : line) + next;
  }
}

/** Returns true for lower-case letters on both sides, as in a hyphenated word; a name or a number keeps its hyphen. */
function isSyllables(first: string, second: string): boolean {
  return !first.includes('-') && /\p{Ll}$/u.test(first) && /^\p{Ll}/u.test(second) && first.length > 1;
}

/** Returns true when no space belongs between the lines: Chinese and Japanese have none between words. */
function isTight(line: string, next: string): boolean {
  const script = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uff65]/u;
  return script.test(line.slice(-1)) && script.test(next.slice(0, 1));
}

/**
 * Presentation forms, which PDF files use in place of letters: ligatures, Arabic forms, radicals in place of Chinese
 * characters. Other characters stay, though NFKC would replace them: `x²` is not `x2`.
 */
const SHAPES = /[\u2e80-\u2fdf\uf900-\ufaff\ufb00-\ufdfb\ufe70-\ufefc\u{2f800}-\u{2fa1f}]+/gu;

/** Normalizes the text of a PDF file to what a person would type. */
export function normalise(text: string): string {
  return text
    .replace(SHAPES, (shapes) => shapes.normalize('NFKC'))
    .replace(/[\u00a0\u2000-\u200a\u202f\u205f\u3000\t]/g, ' ')
    .replace(/[\p{Cc}\u200b\ufeff\ufffe\uffff]/gu, '')
    .normalize('NFC');
}

/** A line of a page. Lengths are in points, from the lower left corner. */
export interface PageLine {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly right: number;
  readonly size: number;
  /** The positions at which the text continues after a gap of at least a letter's width: the columns of a table. */
  readonly stops: readonly number[];
}

/** Joins the runs of a page to lines, in the order of the file, which is the order in which programs write text. */
export function linesOf(runs: readonly TextRun[]): PageLine[] {
  const lines: PageLine[] = [];
  let open: TextRun[] = [];
  const close = () => {
    const line = lineOf(open);
    if (line !== null) lines.push(line);
    open = [];
  };
  for (const run of runs) {
    const before = open.at(-1);
    if (before !== undefined && run.text.trim() !== '' && !isSameLine(before, run)) close();
    if (run.text !== '') open.push(run);
    if (run.endsLine) close();
  }
  close();
  return lines;
}

/** Returns true when a run belongs to the line: a superscript or subscript does, a run that is further off does not. */
function isSameLine(before: TextRun, run: TextRun): boolean {
  const size = Math.max(before.size, run.size);
  return Math.abs(run.y - before.y) < 0.6 * size || before.text.trim() === '';
}

function lineOf(runs: readonly TextRun[]): PageLine | null {
  let text = '';
  let end = 0;
  for (const [at, run] of runs.entries()) {
    // A gap as wide as between columns, without a space in the file.
    const gap = run.x - end;
    if (at > 0 && gap > run.size && !/\s$/.test(text) && !/^\s/.test(run.text)) text += ' ';
    text += run.text;
    end = run.x + run.width;
  }
  const plain = normalise(text).replace(/ +/g, ' ').trim();
  const filled = runs.filter((run) => run.text.trim() !== '');
  const [first] = filled;
  if (plain === '' || first === undefined) return null;
  const widest = filled.reduce((most, run) => (run.text.length > most.text.length ? run : most), first);
  const stops = filled.flatMap((run, at) => {
    const before = filled[at - 1];
    return before !== undefined && run.x - before.x - before.width > run.size ? [run.x] : [];
  });
  return { text: plain, x: first.x, y: first.y, right: end, size: widest.size, stops };
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

/** The distance within which two positions count as the same (points). */
const SAME_PLACE = 1.5;

/** The bullet of a list item. */
const BULLET = /^[•◦▪‣⁃∙●○■□\uf0b7\uf0a7]\s*(?=\S)/u;

/** Returns the font size of most of the text. */
export function bodySize(lines: readonly PageLine[]): number {
  const lengths = new Map<number, number>();
  for (const { size, text } of lines) {
    const rounded = Math.round(size * 2) / 2;
    lengths.set(rounded, (lengths.get(rounded) ?? 0) + text.length);
  }
  let [most, body] = [0, 0];
  for (const [size, length] of lengths) if (length > most) [most, body] = [length, size];
  return body;
}

/** Converts the lines of a page to Markdown. */
export function pageText(lines: readonly PageLine[], body: number, hyphens: Hyphens): string {
  const pitch = usualPitch(lines);
  const blocks = groups(lines, (before, line) => isApart(before, line, pitch, body)).flatMap((part) => {
    // The right edge of this part of the page: a paragraph ends where a line ends early.
    const margin = part.reduce((most, { right }) => Math.max(most, right), 0);
    return groups(part, (before, line) => endsEarly(before, line, margin));
  });
  return blocks
    .map((part) => block(part, body, hyphens))
    .join('\n\n')
    .replace(/^(- .*)\n\n(?=- )/gm, '$1\n');
}

/** Groups lines; a group begins where `isBreak` returns true for a line and the one before. */
function groups(
  lines: readonly PageLine[],
  isBreak: (before: PageLine, line: PageLine) => boolean,
): PageLine[][] {
  const found: PageLine[][] = [];
  for (const line of lines) {
    const last = found.at(-1);
    const before = last?.at(-1);
    if (last === undefined || before === undefined || isBreak(before, line)) found.push([line]);
    else last.push(line);
  }
  return found;
}

function block(lines: readonly PageLine[], body: number, hyphens: Hyphens): string {
  const [first, ...rest] = lines;
  if (first === undefined) return '';
  const level = headingLevel(first, body);
  const text = rest.reduce((whole, line) => hyphens.join(whole, line.text), first.text);
  const plain = text.replace(/\u00ad/g, '');
  if (level > 0 && plain.length <= MAX_HEADING) return `${'#'.repeat(level)} ${plain}`;
  const item = BULLET.exec(plain);
  if (item !== null) return `- ${plain.slice(item[0].length).trim()}`;
  // Escapes text that Markdown would take for a heading, a rule or a fence.
  return plain.replace(/^(?=#{1,6}(?:\s|$)|[-=*_]{3,}\s*$|```|~~~)/, '\\');
}

/** Returns the level of a heading; 0 for text. */
function headingLevel({ size, text }: PageLine, body: number): number {
  if (body === 0 || size < HEADING_SIZE * body || text.length > MAX_HEADING || !/\p{L}/u.test(text)) return 0;
  const larger = LEVELS.findIndex((times) => size >= times * body);
  return larger < 0 ? LEVELS.length + 1 : larger + 1;
}

function isApart(before: PageLine, line: PageLine, pitch: number, body: number): boolean {
  const down = before.y - line.y;
  // The line is higher on the page: the next column, or a separate box.
  if (down < -0.5 * line.size || down > GAP * Math.min(MAX_PITCH * line.size, Math.max(pitch, line.size)))
    return true;
  if (Math.abs(before.size - line.size) > 0.15 * before.size) return true;
  return headingLevel(before, body) !== headingLevel(line, body);
}

/**
 * Returns true when the next word would have fitted into the line. Items of a list and rows of a table always begin a new
 * block.
 */
function endsEarly(before: PageLine, line: PageLine, margin: number): boolean {
  if (BULLET.test(line.text) || isSameTable(before, line)) return true;
  return before.right + line.size + widthOfFirstWord(line) < margin;
}

/** Returns true when both lines have a gap at the same position. */
function isSameTable({ stops }: PageLine, line: PageLine): boolean {
  return stops.some((stop) => line.stops.some((other) => Math.abs(stop - other) < SAME_PLACE));
}

function widthOfFirstWord({ text, x, right }: PageLine): number {
  const [word = ''] =
    /^(?:[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]{1,2}|\S+)/u.exec(text) ?? [];
  return ((right - x) * word.length) / text.length;
}

/** Returns the usual distance between lines (points). */
function usualPitch(lines: readonly PageLine[]): number {
  const distances = lines
    .slice(1)
    .map((line, at) => (lines[at]?.y ?? 0) - line.y)
    .filter((down) => down > 1)
    .sort((a, b) => a - b);
  return distances[Math.floor(distances.length / 3)] ?? 0;
}

/** Titles that programs write by themselves. */
const MADE_UP =
  /^(?:untitled|unbenannt|ohne titel|sans titre|sin t[ií]tulo|senza titolo|(?:document|dokument)\s*\d*$|microsoft (?:word|powerpoint|excel)|powerpoint presentation|slide \d+|page \d+|about:blank|https?:)|\.(?:docx?|pptx?|xlsx?|odt|tex|dvi|indd|pdf|html?|qxd)$/i;

const MAX_TITLE = 200;

/** Matches what may be the name of a person: two to four words with a capital letter. */
const PERSON = /^(?:\p{Lu}[\p{L}\p{M}.'’-]*\s+){1,3}\p{Lu}[\p{L}\p{M}'’-]+$/u;

/** What a document says beside its title. */
interface TitleContext {
  /** The author in the metadata. */
  readonly author?: string;
  /** The lines of the first page. */
  readonly firstLines?: readonly string[];
}

/**
 * Returns the title of a document: that of its metadata if a person may have written it, else the first heading, else null. An
 * author in the field of the title is none: one that the field of the author has too, or a name below the first heading.
 */
export function sensibleTitle(
  metadata: string,
  fileName: string,
  firstHeading: string | null,
  { author = '', firstLines = [] }: TitleContext = {},
): string | null {
  const title = oneSpaced(metadata);
  if (isAuthor(title, oneSpaced(author), firstHeading, firstLines.map(oneSpaced))) return firstHeading;
  const isFileName = title.toLowerCase() === fileName.replace(/\.[^.]*$/, '').toLowerCase();
  const isMeant = /\p{L}{2}/u.test(title) && title.length <= MAX_TITLE && !MADE_UP.test(title) && !isFileName;
  return isMeant ? title : firstHeading;
}

function oneSpaced(text: string): string {
  return text.replace(/[\p{Cc}\s]+/gu, ' ').trim();
}

function isAuthor(
  title: string,
  author: string,
  firstHeading: string | null,
  lines: readonly string[],
): boolean {
  if (title === '' || firstHeading === null) return false;
  if (title.toLowerCase() === author.toLowerCase() || /^\S+@\S+\.\S+$/.test(title)) return true;
  const heading = oneSpaced(firstHeading);
  if (!PERSON.test(title) || heading.toLowerCase().includes(title.toLowerCase())) return false;
  const at = lines.findIndex((line) => line === heading || heading.startsWith(line));
  return at >= 0 && lines.slice(at + 1).some((line) => line === title || line === `by ${title}`);
}
