import { type Piece, type Row, rowText } from './pdf-rows';

/** The lines at the top and at the bottom of a page that may be headers and footers. */
const EDGE = 3;
/** Lines whose baselines differ by at most this much have the same place (points). */
const SAME_PLACE = 3;
/** In longer documents a line must be on this many pages. */
const MIN_PAGES = 3;
/** Documents of at most this many pages may have a number of the page on two of them, as those on the left differ. */
const FEW_PAGES = 6;
/** The space between a line without a page number and the text, as a factor of the usual distance of lines, which is at most 1.5 of their size. */
const APART = 1.6;

/** A header has at most this many numbers. */
const MAX_NUMBERS = 8;

interface Candidate {
  readonly page: number;
  readonly row: Row;
  readonly text: string;
  /** The numbers of the line; letters such as `iv` count too, where they are all of it. */
  readonly numbers: readonly number[];
  /** The places in `numbers` of those that may be the number of the page. */
  readonly paging: readonly number[];
}

/** Words beside the number of a page. */
const PAGE_WORDS =
  /^(?:page|pages|p|pp|pg|of|seite|seiten|s|von|página|pagina|páginas|pág|pag|de|di|sur|aus|af|av|sida|side|sivu|strona|str|z|strana|stránka|oldal|страница|стр|из|sayfa|trang|ページ|頁|页|第|共|쪽|페이지)$/iu;

/** Matches a number at the edge of a line that a rule or a dot parts from the text. */
const PARTED = /^\d+(?=\s*[|·•–—-]\s)|(?<=\s[|·•–—-]\s*)\d+$/;

/**
 * Removes page headers, footers and page numbers: lines near the edge of a page that other pages have at the same place, with
 * the same words, and with numbers that grow with the pages, or that are equal where a space parts the line from the text. Returns the rows of each page that are left, and
 * each removed text once, with # in the place of the page number.
 * @param bodySize the font size of most of the text (points); larger lines are headings, which stay
 */
export function withoutMargins(
  pages: readonly (readonly Row[])[],
  bodySize: number,
): { pages: (readonly Row[])[]; removed: string[] } {
  const groups = new Map<string, Candidate[]>();
  for (const [page, rows] of pages.entries())
    for (const row of edgeRows(rows)) {
      if (row.size > 1.15 * bodySize || isHeadOfTable(row, rows)) continue;
      const candidate = candidateOf(page, row);
      const place = Math.round(row.y / SAME_PLACE);
      // Places next to each other count as one: the group of the first one seen is used.
      const keys = [place, place - 1, place + 1].map((near) => `${near} ${candidate.text}`);
      addTo(groups, keys.find((each) => groups.has(each)) ?? keys[0] ?? '', candidate);
    }
  const found = [...groups.values()].map(repeated);
  const lines = found.flatMap((group) => group.lines);
  const rest = pages.map((rows) => new Set(rows));
  for (const { page, row } of lines) rest[page]?.delete(row);
  // Copies of a page have all of their lines in common, so that they say nothing of its margins.
  const own = rest.map((rows) => [...rows].map(rowText).join('\n'));
  const margins = found.flatMap((group) => {
    const few = group.isPaged ? FEW_PAGES : MIN_PAGES;
    const count = new Set(group.lines.map(({ page }) => own[page])).size;
    if (count < (pages.length > few ? MIN_PAGES : 2)) return [];
    const apart = group.lines.filter(({ page, row }) => isApart(row, pages[page] ?? [], rest[page]));
    return group.isPaged || apart.length * 2 > group.lines.length ? group.lines : [];
  });
  const removed = new Set(margins.map(({ row }) => row));
  return {
    pages: pages.map((rows) => rows.filter((row) => !removed.has(row))),
    removed: namesOf(margins),
  };
}

/** Returns true when a space parts a line from the first line towards the middle of the page that other pages do not repeat. */
function isApart(row: Row, rows: readonly Row[], rest: ReadonlySet<Row> = new Set()): boolean {
  const distances = rows.slice(1).map(({ y }, at) => (rows[at]?.y ?? y) - y);
  distances.sort((a, b) => a - b);
  const usual = distances[Math.floor(distances.length / 3)] ?? 0;
  const space = APART * Math.min(1.5 * row.size, Math.max(usual, row.size));
  const place = rows.indexOf(row);
  const step = place < rows.length / 2 ? 1 : -1;
  for (let at = place; ; at += step) {
    const [one, next] = [rows[at], rows[at + step]];
    if (one === undefined || next === undefined || Math.abs(one.y - next.y) > space) return true;
    if (rest.has(next)) return false;
  }
}

/** Returns each text once, as it is written where all pages have the same numbers, else with # in their places. */
function namesOf(margins: readonly Candidate[]): string[] {
  const written = new Map<string, Set<string>>();
  for (const { text, row } of margins) {
    const own = written.get(text) ?? new Set();
    written.set(text, own.add(rowText(row)));
  }
  return [...written].map(([text, own]) => ([...own].length === 1 ? ([...own][0] ?? text) : text));
}

function addTo<T>(groups: Map<string, T[]>, key: string, value: T): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [value]);
  else group.push(value);
}

/** Returns the outermost rows of a page. A page with few lines keeps those in its middle. */
function edgeRows(rows: readonly Row[]): Row[] {
  if (rows.length <= 2) return [...rows];
  const edge = Math.min(EDGE, Math.floor((rows.length - 1) / 2));
  return [...rows.slice(0, edge), ...rows.slice(-edge)];
}

/** Returns true when the next row has cells below those of this one, as a table has that goes on from page to page. */
function isHeadOfTable(row: Row, rows: readonly Row[]): boolean {
  const next = rows[rows.indexOf(row) + 1];
  if (next === undefined || row.pieces.length < 2) return false;
  const isBelow = (piece: Piece) =>
    next.pieces.some(({ x, right }) => Math.abs(x - piece.x) < 2 || Math.abs(right - piece.right) < 2);
  return row.pieces.filter(isBelow).length > 1;
}

function candidateOf(page: number, row: Row): Candidate {
  const whole = rowText(row);
  const roman = fromRoman(whole.replace(/[^\p{L}]/gu, ''));
  if (roman !== null) return { page, row, text: '#', numbers: [roman], paging: [0] };
  const numbers = (whole.match(/\d+/g) ?? []).map(Number);
  const paging: number[] = [];
  let at = 0;
  // A line such as "Chapter 2" is no page number, one such as "Page 2" or "Report | 2" is.
  for (const { text } of row.pieces) {
    const count = text.match(/\d+/g)?.length ?? 0;
    const words = text.match(/\p{L}+/gu) ?? [];
    if (words.every((word) => PAGE_WORDS.test(word)))
      for (let own = 0; own < count; own += 1) paging.push(at + own);
    else if (PARTED.test(text)) paging.push(/^\d/.test(text) && !/\d$/.test(text) ? at : at + count - 1);
    at += count;
  }
  return { page, row, text: whole.replace(/\d+/g, '#'), numbers, paging };
}

function fromRoman(text: string): number | null {
  if (!/^[ivxlc]{1,8}$/i.test(text)) return null;
  const values: Readonly<Record<string, number>> = { i: 1, v: 5, x: 10, l: 50, c: 100 };
  const digits = [...text.toLowerCase()].map((letter) => values[letter] ?? 0);
  return digits.reduce((sum, digit, at) => sum + (digit < (digits[at + 1] ?? 0) ? -digit : digit), 0);
}

/** Lines of one place and text on several pages. */
interface Repeated {
  readonly lines: readonly Candidate[];
  /** True when a number in them grows with the pages. */
  readonly isPaged: boolean;
}

/** Returns those of a group that have the numbers of another page, or numbers as far apart as their pages. */
function repeated(group: readonly Candidate[]): Repeated {
  const equal = new Map<string, Candidate[]>();
  const paged = new Map<string, Candidate[]>();
  for (const candidate of group) {
    const { numbers, page, paging } = candidate;
    if (numbers.length > MAX_NUMBERS) continue;
    addTo(equal, numbers.join(' '), candidate);
    // One of the numbers is that of the page; the others are equal.
    for (const at of paging)
      addTo(
        paged,
        `${at}: ${numbers.map((each, other) => (other === at ? each - page : each)).join(' ')}`,
        candidate,
      );
  }
  const onPages = (alike: Map<string, Candidate[]>) =>
    [...alike.values()].filter((same) => new Set(same.map(({ page }) => page)).size > 1).flat();
  const growing = onPages(paged);
  return { lines: [...new Set([...onPages(equal), ...growing])], isPaged: growing.length > 0 };
}
