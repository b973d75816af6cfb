import type { Hyphens } from './hyphens';
import type { PageLine } from './lines';

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
