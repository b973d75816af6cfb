import type { TextRun } from './pdf-open';

/** Longer words are not looked at. */
const MAX_WORD = 80;

/**
 * Joins words that were parted at the end of a line. A document tells by itself how it writes a word: what stands elsewhere
 * in one piece is put together, what stands elsewhere with its hyphen keeps it.
 */
export class Hyphens {
  readonly #words = new Set<string>();

  /** @param lines all lines of the document */
  constructor(lines: readonly string[]) {
    for (const line of lines) {
      const words = line.toLowerCase().match(/[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*/gu) ?? [];
      // The last word of a line may be half of one.
      for (const word of words) this.#words.add(word);
    }
  }

  /** Two lines of one paragraph as one text. */
  join(line: string, next: string): string {
    if (line.endsWith('\u00ad')) return line.slice(0, -1) + next;
    // A paragraph grows with every line, and only its end is looked at.
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

/** Small letters on both sides, as where a word was parted; a name or a number keeps its hyphen. */
function isSyllables(first: string, second: string): boolean {
  return !first.includes('-') && /\p{Ll}$/u.test(first) && /^\p{Ll}/u.test(second) && first.length > 1;
}

/** Chinese and Japanese have no spaces between words. */
function isTight(line: string, next: string): boolean {
  const script = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uff65]/u;
  return script.test(line.slice(-1)) && script.test(next.slice(0, 1));
}

/**
 * Characters that PDF files use for the shape of a letter instead of the letter: ligatures, forms of Arabic letters, radicals
 * that stand for whole Chinese characters. Others stay, though Unicode has plainer ones for them: `x²` is not `x2`.
 */
const SHAPES = /[\u2e80-\u2fdf\uf900-\ufaff\ufb00-\ufdfb\ufe70-\ufefc\u{2f800}-\u{2fa1f}]+/gu;

/** Text of a PDF file as a person would have typed it. */
export function normalise(text: string): string {
  return text
    .replace(SHAPES, (shapes) => shapes.normalize('NFKC'))
    .replace(/[\u00a0\u2000-\u200a\u202f\u205f\u3000\t]/g, ' ')
    .replace(/[\p{Cc}\u200b\ufeff\ufffe\uffff]/gu, '')
    .normalize('NFC');
}

/** One line of a page. Lengths are in points, from the lower left corner. */
export interface PageLine {
  readonly text: string;
  readonly x: number;
  readonly y: number;
  readonly right: number;
  readonly size: number;
  /** Where its text goes on after a gap as wide as a letter: the columns of a table. */
  readonly stops: readonly number[];
}

/** The runs of a page as lines, in the order of the file, which is the one in which programs write text. */
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

/** A note set high or low is part of its line; what stands further off, or back to the left, is another. */
function isSameLine(before: TextRun, run: TextRun): boolean {
  const size = Math.max(before.size, run.size);
  return Math.abs(run.y - before.y) < 0.6 * size || before.text.trim() === '';
}

function lineOf(runs: readonly TextRun[]): PageLine | null {
  let text = '';
  let end = 0;
  for (const [at, run] of runs.entries()) {
    // A gap as wide as a table's column, without a space in the file.
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

/** A line whose letters are so much larger than those of the text is a heading, if it is no longer than this. */
const HEADING_SIZE = 1.15;
const MAX_HEADING = 200;
/** Sizes of letters that make a heading of the first, second and third level, in times the size of the text. */
const LEVELS = [1.7, 1.35] as const;
/** Lines further apart than this, in times the usual distance of the page, belong to different paragraphs. */
const GAP = 1.35;
/** Lines of one paragraph are no further apart than this, in times the size of the letters: double spacing is 2.4. */
const MAX_PITCH = 2.5;

/** Points by which things in the same place may differ. */
const SAME_PLACE = 1.5;

/** What stands before an item of a list. */
const BULLET = /^[•◦▪‣⁃∙●○■□\uf0b7\uf0a7]\s*(?=\S)/u;

/** The size in which most of the text is written. */
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

/** The lines of a page as Markdown. */
export function pageText(lines: readonly PageLine[], body: number, hyphens: Hyphens): string {
  const pitch = usualPitch(lines);
  const blocks = groups(lines, (before, line) => isApart(before, line, pitch, body)).flatMap((part) => {
    // How far the lines of this part of the page reach: where a line ends early, the writer ended it.
    const margin = part.reduce((most, { right }) => Math.max(most, right), 0);
    return groups(part, (before, line) => endsEarly(before, line, margin));
  });
  return blocks
    .map((part) => block(part, body, hyphens))
    .join('\n\n')
    .replace(/^(- .*)\n\n(?=- )/gm, '$1\n');
}

/** Lines in groups; a new one begins where `isBreak` says so of a line and the one before. */
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
  // What would be a heading, a rule or the beginning of a block of code is none.
  return plain.replace(/^(?=#{1,6}(?:\s|$)|[-=*_]{3,}\s*$|```|~~~)/, '\\');
}

/** 0 for text, else the level of the heading. */
function headingLevel({ size, text }: PageLine, body: number): number {
  if (body === 0 || size < HEADING_SIZE * body || text.length > MAX_HEADING || !/\p{L}/u.test(text)) return 0;
  const larger = LEVELS.findIndex((times) => size >= times * body);
  return larger < 0 ? LEVELS.length + 1 : larger + 1;
}

function isApart(before: PageLine, line: PageLine, pitch: number, body: number): boolean {
  const down = before.y - line.y;
  // Up the page: the next column, or a box of its own.
  if (down < -0.5 * line.size || down > GAP * Math.min(MAX_PITCH * line.size, Math.max(pitch, line.size)))
    return true;
  if (Math.abs(before.size - line.size) > 0.15 * before.size) return true;
  return headingLevel(before, body) !== headingLevel(line, body);
}

/** The next word would still have had room. An item of a list or a row of a table begins anew in any case. */
function endsEarly(before: PageLine, line: PageLine, margin: number): boolean {
  if (BULLET.test(line.text) || isSameTable(before, line)) return true;
  return before.right + line.size + widthOfFirstWord(line) < margin;
}

/** Gaps in the text are in the same places. */
function isSameTable({ stops }: PageLine, line: PageLine): boolean {
  return stops.some((stop) => line.stops.some((other) => Math.abs(stop - other) < SAME_PLACE));
}

function widthOfFirstWord({ text, x, right }: PageLine): number {
  const [word = ''] =
    /^(?:[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]{1,2}|\S+)/u.exec(text) ?? [];
  return ((right - x) * word.length) / text.length;
}

/** The distance of most lines from the one before, in points. */
function usualPitch(lines: readonly PageLine[]): number {
  const distances = lines
    .slice(1)
    .map((line, at) => (lines[at]?.y ?? 0) - line.y)
    .filter((down) => down > 1)
    .sort((a, b) => a - b);
  return distances[Math.floor(distances.length / 3)] ?? 0;
}

/** What programs write into the title of a file by themselves. */
const MADE_UP =
  /^(?:untitled|document|microsoft (?:word|powerpoint|excel)|powerpoint presentation|slide \d+|page \d+|about:blank|https?:)|\.(?:docx?|pptx?|xlsx?|odt|tex|dvi|indd|pdf|html?|qxd)$/i;

const MAX_TITLE = 200;

/** The title of a document: what its metadata says if a person can have meant it, else its first heading, else none. */
export function sensibleTitle(
  metadata: string,
  fileName: string,
  firstHeading: string | null,
): string | null {
  const said = metadata.replace(/[\p{Cc}\s]+/gu, ' ').trim();
  const isFileName = said.toLowerCase() === fileName.replace(/\.[^.]*$/, '').toLowerCase();
  const isMeant = /\p{L}{2}/u.test(said) && said.length <= MAX_TITLE && !MADE_UP.test(said) && !isFileName;
  return isMeant ? said : firstHeading;
}
