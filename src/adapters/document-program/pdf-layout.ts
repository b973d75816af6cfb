import { isMostlyRightToLeft } from './pdf-bidi';
import type { Piece, Row } from './pdf-rows';

/** A line of text. Lengths are in points. */
export interface Line {
  readonly text: string;
  readonly x: number;
  readonly right: number;
  readonly y: number;
  readonly size: number;
  readonly isMono: boolean;
}

/** A part of a page, in the order of reading: lines one below the other, or a table. */
export type Part =
  | { readonly lines: readonly Line[]; /** True for a column beside others. */ readonly isColumn: boolean }
  | { readonly cells: readonly (readonly string[])[]; readonly size: number; readonly y: number };

/** Space without text between two columns. */
interface Gutter {
  readonly from: number;
  readonly to: number;
}

/** Rows further apart than this factor of the font size are no rows of one table or of two columns. */
const MAX_ROW_GAP = 5;
/** The narrowest gutter, as a factor of the font size. */
const MIN_GUTTER = 0.85;
/** The nesting of columns within columns. */
const MAX_DEPTH = 4;
/** A column of prose has lines of this length, in characters. */
const PROSE_LENGTH = 18;

/** Returns the parts of a page in the order of reading: columns one after the other, tables row by row. */
export function partsOf(rows: readonly Row[], isColumn = false, depth = 0): Part[] {
  const isRtl = isMostlyRightToLeft(rows.flatMap(({ pieces }) => pieces.map(({ text }) => text)).join(' '));
  const parts: Part[] = [];
  let open: Line[] = [];
  const close = () => {
    if (open.length > 0) parts.push({ lines: open, isColumn });
    open = [];
  };
  let at = 0;
  let free = 0;
  while (at < rows.length) {
    const region = depth < MAX_DEPTH ? regionAt(rows, at) : null;
    if (region === null) {
      const [row] = rows.slice(at, at + 1);
      if (row !== undefined) open.push(lineOf(row.pieces, isRtl));
      at += 1;
      continue;
    }
    // A column may begin above the first one.
    let begin = at;
    while (begin > free && isBeside(rows[begin - 1], rows[begin], region.gutters, isRtl)) begin -= 1;
    open.length -= at - begin;
    const inside = rows.slice(begin, region.end);
    let columns = columnsOf(inside, region.gutters);
    const areRead = isRead(columns);
    const head = areRead || begin === free ? null : headOf(rows[begin - 1], columns);
    if (head !== null) {
      open.pop();
      columns = columnsOf([head, ...inside], region.gutters);
    }
    if (isRtl) columns.reverse();
    close();
    if (areRead) for (const column of columns) parts.push(...partsOf(column, true, depth + 1));
    else parts.push(...tableOf(columns, isRtl));
    at = region.end;
    free = at;
  }
  close();
  return parts;
}

/** Returns true when a row is close above another one and belongs to a column that is not the first. */
function isBeside(
  row: Row | undefined,
  below: Row | undefined,
  gutters: readonly Gutter[],
  isRtl: boolean,
): boolean {
  if (row === undefined || below === undefined || row.y - below.y > 2.5 * below.size) return false;
  return gutters.some(({ from, to }) =>
    row.pieces.every((piece) => (isRtl ? piece.right < (from + to) / 2 : piece.x > (from + to) / 2)),
  );
}

/**
 * Returns the row above a table as its head, where a word begins at each column although the gaps between them are narrow;
 * null when it is no head.
 */
function headOf(row: Row | undefined, columns: readonly (readonly Row[])[]): Row | null {
  const [piece, ...others] = row?.pieces ?? [];
  const [below] = columns[0] ?? [];
  if (row === undefined || piece === undefined || others.length > 0 || below === undefined) return null;
  if (row.y - below.y > 2.5 * row.size || Math.abs(piece.x - (below.pieces[0]?.x ?? 0)) > row.size)
    return null;
  const { text, x, right } = piece;
  // The place of a letter is about that of its share of the text.
  const words = [...text.matchAll(/(?<=\s)\S/g)].map(({ index }) => ({
    index,
    x: x + ((right - x) * index) / text.length,
  }));
  const cuts = columns.slice(1).map((column) => {
    const start = column.reduce((least, { pieces }) => Math.min(least, pieces[0]?.x ?? least), Infinity);
    return words.find((word) => Math.abs(word.x - start) < row.size)?.index ?? -1;
  });
  if (cuts.some((cut, at) => cut <= (cuts[at - 1] ?? 0))) return null;
  const ends = [...cuts, text.length];
  const pieces = [0, ...cuts].map((from, at) => {
    const cell = text.slice(from, ends[at]).trim();
    const start = at === 0 ? x : (columns[at]?.[0]?.pieces[0]?.x ?? x);
    return { ...piece, text: cell, x: start, right: start + 1 };
  });
  return { ...row, pieces };
}

function lineOf(pieces: readonly Piece[], isRtl: boolean): Line {
  const inOrder = isRtl ? [...pieces].reverse() : pieces;
  const widest = pieces.reduce((most, piece) => (piece.text.length > most.text.length ? piece : most));
  return {
    text: inOrder.map(({ text }) => text).join(' '),
    x: pieces.reduce((least, { x }) => Math.min(least, x), Infinity),
    right: pieces.reduce((most, { right }) => Math.max(most, right), -Infinity),
    y: widest.y,
    size: widest.size,
    isMono: pieces.every(({ isMono }) => isMono),
  };
}

/**
 * Finds the rows from `from` on that have gutters in common; null when there are fewer than two with text on both sides.
 * One row may cross some of the gutters, as a head over two columns of a table does.
 */
function regionAt(rows: readonly Row[], from: number): { end: number; gutters: Gutter[] } | null {
  const [first, ...next] = rows.slice(from, from + 3);
  const begun = first === undefined ? null : firstGutters(first, next);
  if (first === undefined || begun === null) return null;
  let gutters = begun;
  let end = from;
  let sided = 0;
  let crossing = -1;
  for (let before = first, row = rows[end]; row !== undefined; before = row, row = rows[(end += 1)]) {
    const down = before.y - row.y;
    if (down > MAX_ROW_GAP * Math.max(before.size, row.size)) break;
    const { pieces } = row;
    const parts = gutters.map((gutter) => without(gutter, pieces));
    const crossed = parts.filter((part) => part.length === 0).length;
    if (crossed === gutters.length) break;
    if (crossed > 0) {
      // Two such rows in turn begin something else.
      if (crossing === end - 1 && sided > 1) break;
      crossing = end;
      if (sided > 1) continue;
    }
    const left = parts.flat();
    // A line by itself after a gap belongs to the region only when more rows follow.
    if (isOnSides(row, left) || isPair(before, row)) sided += 1;
    else if (down > 2 * row.size && !hasSidesSoon(rows, end + 1, left)) break;
    gutters = left;
  }
  if (crossing === end - 1) end -= 1;
  const widest = gutters.reduce((most, { from: left, to }) => Math.max(most, to - left), 0);
  const isEnough = sided > 2 || (sided === 2 && widest > 1.5 * first.size);
  return isEnough && end > from + 1 ? { end, gutters } : null;
}

/** Returns the gutters of the row with the most pieces, as a head may have fewer than the rows below it; null where none begin. */
function firstGutters(first: Row, next: readonly Row[]): Gutter[] | null {
  const [second] = next;
  if (second === undefined) return null;
  // Lines of two columns need not have one baseline.
  const isStaggered = first.pieces.length === 1 && first.y - second.y < 0.8 * first.size;
  if (isStaggered) return guttersOf([...first.pieces, ...second.pieces]);
  if (first.pieces.length < 2) return null;
  return guttersOf(
    next.reduce((most, row) => (row.pieces.length > most.pieces.length ? row : most), first).pieces,
  );
}

/** Returns true for two lines side by side that have no common baseline. */
function isPair(before: Row, row: Row): boolean {
  const isClose = before !== row && before.y - row.y < 0.8 * row.size;
  return isClose && before.pieces.length === 1 && row.pieces.length === 1;
}

function isOnSides({ pieces }: Row, gutters: readonly Gutter[]): boolean {
  const [piece] = pieces;
  if (piece === undefined || pieces.length < 2) return false;
  return gutters.some(({ from, to }) => {
    const middle = (from + to) / 2;
    return pieces.some(({ x }) => x > middle) && pieces.some(({ right }) => right < middle);
  });
}

/** Returns true when one of the next rows has text on both sides of a gutter. */
function hasSidesSoon(rows: readonly Row[], from: number, gutters: readonly Gutter[]): boolean {
  for (const row of rows.slice(from, from + 4)) {
    if (gutters.every((gutter) => without(gutter, row.pieces).length === 0)) return false;
    if (isOnSides(row, gutters)) return true;
  }
  return false;
}

function guttersOf(pieces: readonly Piece[]): Gutter[] {
  const sorted = [...pieces].sort((a, b) => a.x - b.x);
  const gutters: Gutter[] = [];
  let right = sorted[0]?.right ?? 0;
  for (const piece of sorted.slice(1)) {
    if (piece.x - right >= MIN_GUTTER * piece.size) gutters.push({ from: right, to: piece.x });
    right = Math.max(right, piece.right);
  }
  return gutters;
}

/** Returns what is left of a gutter beside the pieces of a row. */
function without(gutter: Gutter, pieces: readonly Piece[]): Gutter[] {
  let left: Gutter[] = [gutter];
  for (const { x, right, size } of pieces) {
    if (right <= gutter.from || x >= gutter.to) continue;
    left = left
      .flatMap(({ from, to }) => [
        { from, to: Math.min(to, x) },
        { from: Math.max(from, right), to },
      ])
      .filter(({ from, to }) => to - from >= 0.8 * MIN_GUTTER * size);
  }
  return left;
}

/** Returns the rows of each column, from left to right. */
function columnsOf(rows: readonly Row[], gutters: readonly Gutter[]): Row[][] {
  const edges = gutters.map(({ from, to }) => (from + to) / 2);
  const columns: Row[][] = [...edges, Infinity].map(() => []);
  for (const { pieces, y, size } of rows) {
    const own = columns.map((): Piece[] => []);
    for (const piece of pieces) {
      const at = edges.findIndex((edge) => (piece.x + piece.right) / 2 < edge);
      own[at < 0 ? edges.length : at]?.push(piece);
    }
    for (const [at, part] of own.entries()) {
      const baseline = part.length === 1 ? (part[0]?.y ?? y) : y;
      if (part.length > 0) columns[at]?.push({ pieces: part, y: baseline, size });
    }
  }
  return columns.filter((column) => column.length > 0);
}

/** Returns true when columns are read one after the other, false when they are the columns of a table. */
function isRead(columns: readonly (readonly Row[])[]): boolean {
  if (columns.every((column) => column.every(({ pieces }) => pieces.every(({ isMono }) => isMono))))
    return false;
  if (isForm(columns)) return false;
  const blocks = blocksOf(columns);
  const switches = blocks.filter(({ column }, at) => column !== blocks[at - 1]?.column).length;
  const isDrawnByColumn = switches <= columns.length + 1;
  const prose = columns.filter(isProse).length;
  // Cells of several lines, drawn one cell after the other.
  const isDrawnByCell = !isDrawnByColumn && blocks.filter(({ lines }) => lines.length > 1).length > 1;
  if (prose * 2 > columns.length && columns.length < 5 && !isDrawnByCell) return true;
  if (!isDrawnByColumn || columns.length > 4) return false;
  return !isAligned(columns);
}

/** Returns true for labels beside the values of form fields, or beside anything if they end with a colon. */
function isForm(columns: readonly (readonly Row[])[]): boolean {
  const [first = [], ...others] = columns;
  const isOfValues = (column: readonly Row[]) =>
    column.every(({ pieces }) => pieces.every(({ isValue }) => isValue));
  const labels = first.filter(({ pieces }) => pieces.at(-1)?.text.endsWith(':'));
  return others.some(isOfValues) || (labels.length > 1 && labels.length * 10 >= first.length * 8);
}

/** Returns true when most lines of a column are long and nearly as wide as the column. */
function isProse(column: readonly Row[]): boolean {
  const lines = column.map(({ pieces }) => lineOf(pieces, false));
  const left = lines.reduce((least, { x }) => Math.min(least, x), Infinity);
  const right = lines.reduce((most, line) => Math.max(most, line.right), -Infinity);
  const full = lines.filter(
    (line) => line.right - left > 0.75 * (right - left) && line.text.length >= PROSE_LENGTH,
  );
  return lines.length >= 3 && full.length * 2 > lines.length;
}

/** Returns true when the columns are filled in the same rows, and two of them or more, or one of numbers, are short. */
function isAligned(columns: readonly (readonly Row[])[]): boolean {
  const [first = [], ...others] = columns;
  const rows = columns.reduce((most, column) => Math.max(most, column.length), 0);
  if (rows < 2 || columns.some((column) => column.length * 2 < rows)) return false;
  const places = new Set(first.map(({ y }) => Math.round(y)));
  const isInRows = others.every(
    (column) =>
      column.filter(({ y }) => [-1, 0, 1].some((off) => places.has(Math.round(y) + off))).length * 10 >=
      column.length * 9,
  );
  const isOfNumbers = (column: readonly Row[]): boolean =>
    column.filter(({ pieces }) => pieces.some(({ text }) => /\p{Nd}/u.test(text) && text.length < 16))
      .length *
      10 >=
    column.length * 6;
  return isInRows && (columns.length > 2 || columns.some(isOfNumbers));
}

/** Lines of one column that follow each other in the file. */
interface Block {
  readonly column: number;
  readonly lines: { readonly row: Row; readonly y: number }[];
}

/** Returns the blocks of columns in the order in which the file draws them. */
function blocksOf(columns: readonly (readonly Row[])[]): Block[] {
  const drawn = columns
    .flatMap((rows, column) => rows.map((row) => ({ column, row, order: orderOf(row) })))
    .sort((a, b) => a.order - b.order);
  const blocks: Block[] = [];
  for (const { column, row } of drawn) {
    const last = blocks.at(-1);
    const before = last?.lines.at(-1);
    const down = before === undefined ? 0 : before.y - row.y;
    if (last?.column === column && down > 0 && down < 1.8 * row.size) last.lines.push({ row, y: row.y });
    else blocks.push({ column, lines: [{ row, y: row.y }] });
  }
  return blocks;
}

function orderOf({ pieces }: Row): number {
  return pieces.reduce((least, { order }) => Math.min(least, order), Infinity);
}

function tableOf(columns: readonly (readonly Row[])[], isRtl: boolean): Part[] {
  const rows = tableRows(columns);
  const texts = rows.map(({ cells }) =>
    cells.map((lines) => lines.map(({ pieces }) => lineOf(pieces, isRtl).text).join(' ')),
  );
  const [first] = rows;
  const size = columns[0]?.[0]?.size ?? 0;
  return [{ cells: texts, size, y: first?.top ?? 0 }];
}

interface TableRow {
  readonly cells: Row[][];
  readonly top: number;
  bottom: number;
}

/** Puts the lines of columns into the rows of a table. Cells of several lines are told by the order of the file. */
function tableRows(columns: readonly (readonly Row[])[]): TableRow[] {
  const blocks = blocksOf(columns);
  const isByColumn = blocks.length <= columns.length;
  const cells = isByColumn
    ? columns.flatMap((rows, column) => rows.map((row): Block => ({ column, lines: [{ row, y: row.y }] })))
    : blocks;
  const topOf = ({ lines }: Block) => lines[0]?.y ?? 0;
  const heads = headsOf(columns[0] ?? []);
  const found: TableRow[] = [];
  for (const cell of [...cells].sort((a, b) => topOf(b) - topOf(a))) {
    const last = found.at(-1);
    const top = topOf(cell);
    const bottom = cell.lines.at(-1)?.y ?? top;
    const size = cell.lines[0]?.row.size ?? 0;
    const inside = cell.lines.map(({ row }) => row);
    const own = last?.cells[cell.column];
    if (last !== undefined && own !== undefined) {
      const down = last.bottom - top;
      const fills = own.length === 0 && top > last.bottom - 0.5 * size;
      // The first column is empty where a cell of another column continues.
      if (fills || (down < 1.6 * size && isContinued(cell, own, down, heads))) {
        own.push(...inside);
        last.bottom = Math.min(last.bottom, bottom);
        continue;
      }
    }
    const made: Row[][] = columns.map(() => []);
    made[cell.column]?.push(...inside);
    found.push({ cells: made, top, bottom });
  }
  return found;
}

/** The lines of the first column: their baselines (rounded), and the usual distance between them. */
interface Heads {
  readonly places: ReadonlySet<number>;
  readonly pitch: number;
}

function headsOf(rows: readonly Row[]): Heads {
  const distances = rows.slice(1).map(({ y }, at) => (rows[at]?.y ?? y) - y);
  distances.sort((a, b) => a - b);
  return {
    places: new Set(rows.map(({ y }) => Math.round(y))),
    pitch: distances[Math.floor(distances.length / 2)] ?? 0,
  };
}

/** Returns true when a cell continues the one above it, as it is close to it or goes on in the middle of a sentence. */
function isContinued({ column, lines }: Block, above: readonly Row[], down: number, heads: Heads): boolean {
  const [line] = lines;
  if (column === 0 || line === undefined || above.length === 0) return false;
  for (let off = -4; off <= 4; off += 1) if (heads.places.has(Math.round(line.y) + off)) return false;
  return down < 0.85 * heads.pitch || /^\p{Ll}/u.test(line.row.pieces[0]?.text ?? '');
}
