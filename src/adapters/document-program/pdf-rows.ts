import {
  isInReadingOrder,
  isMostlyRightToLeft,
  isRightToLeft,
  readingOrder,
  SHARE_ON_PAGE,
} from './pdf-bidi';
import { type TextRun, VERTICAL } from './pdf-run';

/**
 * Presentation forms, which PDF files use in place of letters: ligatures, Arabic forms, radicals in place of Chinese
 * characters. Other characters stay, though NFKC would replace them: `x²` is not `x2`.
 */
const SHAPES = /[\u2e80-\u2fdf\uf900-\ufaff\ufb00-\ufdfb\ufe10-\ufe4f\ufe70-\ufefc\u{2f800}-\u{2fa1f}]+/gu;

/** Normalizes the text of a PDF file to what a person would type. */
export function normalise(text: string): string {
  return text
    .replace(SHAPES, (shapes) => shapes.normalize('NFKC'))
    .replace(/[\u00a0\u2000-\u200a\u202f\u205f\u3000\t]/g, ' ')
    .replace(/[\p{Cc}\u200b\ufeff\ufffe\uffff]/gu, '')
    .normalize('NFC');
}

/** A piece of a line without a wide gap. Lengths are in points. */
export interface Piece {
  readonly text: string;
  readonly x: number;
  readonly right: number;
  readonly y: number;
  readonly size: number;
  /** True when all of its letters have one width. */
  readonly isMono: boolean;
  /** True for values of form fields. */
  readonly isValue: boolean;
  /** The place of its first run in the file. */
  readonly order: number;
}

/** The pieces on one line of a page, from left to right. */
export interface Row {
  readonly pieces: readonly Piece[];
  readonly y: number;
  readonly size: number;
}

/** Returns the text of a row on one line. */
export function rowText({ pieces }: Row): string {
  return pieces.map(({ text }) => text).join(' ');
}

/** A wider gap than this factor of the font size parts two pieces: columns, or the cells of a table. */
const WIDE = 0.85;
/** A wider gap than this factor of the font size is a space between words. */
const SPACE = 0.13;

/** Matches the mark of a list item, which belongs to the text after it, however wide the gap. */
export const MARKER =
  /^(?:[•◦▪‣⁃∙●○■□➢➤✓✔☐☒☑\uf0b7\uf0a7\uf0d8–—*·-]|\(?(?:\d{1,3}|\p{L}|[ivx]{1,5})[.)])(?=\s|$)/u;

interface PlacedRun extends TextRun {
  readonly order: number;
  /** True when a space is before it in the file. */
  readonly afterSpace: boolean;
  /** The baseline of its line, which differs from `y` for what is set high or low. */
  readonly base: number;
}

const ASIAN = /^[\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af\uff01-\uff60]$/u;

/**
 * Returns the runs of a page with those of vertical lines turned, where a program has placed one letter below the other
 * without saying that the text is vertical.
 */
export function withVerticalLines(runs: readonly TextRun[]): readonly TextRun[] {
  const letters = runs.filter(({ text, turn }) => turn === undefined && ASIAN.test(text.trim()));
  const below = letters.filter((run, at) => {
    const before = letters[at - 1];
    if (before === undefined || Math.abs(run.x - before.x) > 0.35 * run.size) return false;
    return before.y - run.y > 0.6 * run.size && before.y - run.y < 2 * run.size;
  });
  if (below.length < 20 || below.length * 2 < letters.length) return runs;
  const turned = new Set(letters);
  return runs.map((run) =>
    turned.has(run) ? { ...run, x: -run.y - 0.9 * run.size, y: run.x, width: run.size, turn: VERTICAL } : run,
  );
}

/** Returns the rows of runs in one direction of writing, from the top of the page. */
export function rowsOf(runs: readonly TextRun[]): Row[] {
  const placed = withoutShadows(placedRuns(withMarks(runs))).sort((a, b) => b.base - a.base);
  const isRtl = isMostlyRightToLeft(runs.map(({ text }) => text).join(' '));
  const rows: Row[] = [];
  let open: PlacedRun[] = [];
  let [y, size] = [0, 0];
  const close = () => {
    const pieces = piecesOf(open, isRtl);
    if (pieces.length > 0) rows.push({ pieces, y, size });
    open = [];
  };
  for (const run of placed) {
    const small = 1.6 * Math.min(run.size, size);
    // Marks of vertical lines lie beside their middle.
    const near = run.turn === VERTICAL ? 0.8 : 0.5;
    if (open.length > 0 && y - run.base >= near * Math.min(Math.max(run.size, size), small)) close();
    if (open.length === 0 || run.size > size) [y, size] = [run.base, run.size];
    open.push(run);
  }
  close();
  return rows;
}

/** Marks of vowels, which are runs of their own at the place of their letter. */
const MARKS = /^\s*[\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\ufe70-\ufe7f]+\s*$/u;

/**
 * Joins marks of vowels to their letters. Programs that draw from left to right draw a mark before its letter, others after
 * it. In the joined run the mark is before the letter, as the order of reading turns both round.
 */
function withMarks(runs: readonly TextRun[]): readonly TextRun[] {
  if (!runs.some(({ text }) => MARKS.test(text))) return runs;
  const found: TextRun[] = [];
  let waiting = '';
  for (const [at, run] of runs.entries()) {
    const text = run.text.trim();
    if (MARKS.test(run.text)) {
      const next = runs
        .slice(at + 1, at + 6)
        .find((each) => each.text.trim() !== '' && !MARKS.test(each.text));
      const before = found.at(-1);
      const isNext = next !== undefined && isRightToLeft(next.text) && Math.abs(next.y - run.y) < run.size;
      if (isNext && (before === undefined || before.y - run.y > run.size || next.x > before.x))
        waiting += text;
      else if (before !== undefined) found[found.length - 1] = { ...before, text: text + before.text };
      else found.push(run);
    } else if (waiting === '') found.push(run);
    else if (text !== '') {
      // Space between a mark and its letter is none.
      found.push({ ...run, text: waiting + run.text });
      waiting = '';
    }
  }
  return found;
}

function placedRuns(runs: readonly TextRun[]): PlacedRun[] {
  const isMono = isOfOneWidth(runs);
  const isLogical = isInReadingOrder(runs.map(({ text }) => text));
  const placed: PlacedRun[] = [];
  let afterSpace = false;
  for (const run of runs) {
    if (run.text.trim() === '') {
      afterSpace ||= run.text !== '';
      continue;
    }
    const before = placed.at(-1);
    const isRaised = before !== undefined && isSetOff(before, run);
    placed.push({
      ...run,
      text: isLogical ? readingOrder(run.text) : run.text,
      order: placed.length,
      afterSpace,
      base: isRaised ? before.base : run.y,
      isMono: run.isMono === true && isMono,
    });
    afterSpace = false;
  }
  return placed;
}

/** Returns true when the fonts that claim letters of one width have them; some fonts claim it wrongly. */
function isOfOneWidth(runs: readonly TextRun[]): boolean {
  const widths = runs
    .filter(({ isMono, text }) => isMono === true && text.length > 2)
    .map(({ width, text, size }) => width / text.length / size)
    .sort((a, b) => a - b);
  const at = (share: number) => widths[Math.floor(share * (widths.length - 1))] ?? 0;
  return at(0.5) > 0.4 && at(0.5) < 0.8 && at(0.8) - at(0.2) < 0.05;
}

/** Returns true for smaller letters that follow directly and are set high or low: `x²`, the mark of a footnote. */
function isSetOff(before: PlacedRun, run: TextRun): boolean {
  const gap = run.x - before.x - before.width;
  return (
    run.size < 0.9 * before.size &&
    Math.abs(gap) < 0.5 * before.size &&
    Math.abs(run.y - before.base) < 0.6 * before.size
  );
}

/** Drops runs that are drawn twice at nearly one place, which makes letters bold or gives them a shadow. */
function withoutShadows(runs: readonly PlacedRun[]): PlacedRun[] {
  const seen = new Map<string, PlacedRun>();
  return runs.filter((run) => {
    const before = seen.get(run.text);
    seen.set(run.text, run);
    return (
      before === undefined ||
      Math.abs(run.x - before.x) > 0.1 * run.size ||
      Math.abs(run.y - before.y) > 0.1 * run.size
    );
  });
}

function piecesOf(runs: readonly PlacedRun[], isRtl: boolean): Piece[] {
  const pieces: Piece[] = [];
  let open: PlacedRun[] = [];
  let [text, end] = ['', 0];
  const close = () => {
    const piece = pieceOf(open, text, end, isRtl);
    if (piece !== null) pieces.push(piece);
    open = [];
    text = '';
  };
  for (const run of inPlace(runs)) {
    const before = open.at(-1);
    if (before !== undefined) {
      const gap = run.x - end;
      const size = Math.max(before.size, run.size);
      const isCode = open[0]?.isMono === true && run.isMono === true;
      if (gap > WIDE * size && !isCode && !MARKER.test(text.trim())) close();
      else {
        const spaces = isCode && gap > 0 ? Math.min(200, Math.round(gap / widthOfLetter(run))) : 0;
        text += ' '.repeat(spaces > 0 ? spaces : isSpaced(before, run, gap) ? 1 : 0);
      }
    }
    open.push(run);
    text += run.text;
    end = Math.max(open.length === 1 ? run.x : end, run.x + run.width);
  }
  close();
  return pieces;
}

/** Returns runs by their places, unless they follow each other in the file with letters that overlap a little. */
function inPlace(runs: readonly PlacedRun[]): PlacedRun[] {
  const inFile = [...runs].sort((a, b) => a.order - b.order);
  const isOrdered = inFile.every((run, at) => {
    const before = inFile[at - 1];
    return before === undefined || run.x >= before.x + 0.5 * Math.min(before.width, run.size);
  });
  return isOrdered ? inFile : [...runs].sort((a, b) => a.x - b.x || a.order - b.order);
}

function isSpaced(before: PlacedRun, run: PlacedRun, gap: number): boolean {
  if (/\s$/.test(before.text) || /^\s/.test(run.text)) return false;
  if (run.afterSpace && run.order === before.order + 1) return true;
  return gap > SPACE * Math.min(before.size, run.size);
}

/** Returns the width of the letters of a run of one width. */
function widthOfLetter({ width, text, size }: TextRun): number {
  return width / text.length || 0.6 * size;
}

function pieceOf(runs: readonly PlacedRun[], text: string, right: number, isRtl: boolean): Piece | null {
  const [first] = runs;
  if (first === undefined) return null;
  const isMono = runs.every((run) => run.isMono === true);
  const read = normalise(
    isRightToLeft(text) ? readingOrder(text, isMostlyRightToLeft(text, isRtl ? SHARE_ON_PAGE : 0.5)) : text,
  );
  const plain = isMono ? read.trim() : read.replace(/ +/g, ' ').trim();
  if (plain === '') return null;
  const widest = runs.reduce((most, run) => (run.text.length > most.text.length ? run : most), first);
  const order = runs.reduce((least, run) => Math.min(least, run.order), first.order);
  const isValue = runs.every((run) => run.isValue === true);
  return { text: plain, x: first.x, right, y: widest.base, size: widest.size, isMono, isValue, order };
}
