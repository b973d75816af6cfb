import { dedented } from './blocks';

/** A table as rows of cells, each with the lines of its text. */
export type DrawnTable = readonly (readonly (readonly string[])[])[];

/** Characters that fill two columns. They get a second one, so that columns are offsets. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/g;
const FILL = '\u200b';

function wide(lines: readonly string[]): string[] {
  return lines.map((line) => line.replace(WIDE, `$&${FILL}`));
}

function textOf(lines: readonly string[]): string[] {
  return dedented(lines.map((line) => line.replaceAll(FILL, '').trimEnd()));
}

/** A line that begins a grid table, and one that begins a simple one. */
export const GRID = /^\+(?:[-=]+\+)+$/;
export const SIMPLE = /^=+(?: +=+)+$/;

/**
 * Returns the cells of a grid table. A cell over several rows or columns has its text in the first one. Returns null when the
 * lines are no whole table.
 */
export function gridTable(source: readonly string[]): DrawnTable | null {
  const lines = wide(source);
  const width = lines[0]?.length ?? 0;
  if (lines.some((line) => line.length !== width || !/^[+|].*[+|]$/.test(line))) return null;
  const borders = lines.flatMap((line, at) => (/\+[-=]+\+/.test(line) ? [at] : []));
  const columns = columnsOf(borders.map((at) => lines[at] ?? ''));
  if (borders.at(-1) !== lines.length - 1) return null;
  const rows: string[][][] = [];
  for (let at = 0; at + 1 < borders.length; at += 1) {
    const top = borders[at] ?? 0;
    const row: string[][] = [];
    for (let nth = 0; nth + 1 < columns.length; nth += 1) {
      const left = columns[nth] ?? 0;
      const cell = isCorner(lines, top, left) ? cellAt({ lines, borders, columns }, at, nth) : [];
      if (cell === null) return null;
      row.push(cell);
    }
    // A border of one cell that divides no text makes no row.
    if (row.some((cell) => cell.some((line) => line !== ''))) rows.push(row);
  }
  return rows;
}

interface Grid {
  readonly lines: readonly string[];
  readonly borders: readonly number[];
  readonly columns: readonly number[];
}

/** Returns the text of the cell whose corner is at a border and a column, or null when it has no end. */
function cellAt({ lines, borders, columns }: Grid, at: number, nth: number): string[] | null {
  const [top, left] = [borders[at] ?? 0, columns[nth] ?? 0];
  let right = left;
  for (let next = nth + 1; next < columns.length && right === left; next += 1)
    if (isEnd(lines, top, columns[next] ?? 0)) right = columns[next] ?? 0;
  if (right === left || !isBorder(lines[top] ?? '', left, right)) return null;
  for (let next = at + 1; next < borders.length; next += 1) {
    const floor = borders[next] ?? 0;
    const line = lines[floor] ?? '';
    if (line[left] === '+' && line[right] === '+' && isBorder(line, left, right))
      return textOf(lines.slice(top + 1, floor).map((one) => one.slice(left + 1, right)));
    // Another cell begins inside of this one.
    if (isCorner(lines, floor, left)) return null;
  }
  return null;
}

/** Returns the offsets at which borders meet. */
function columnsOf(borders: readonly string[]): number[] {
  const columns = new Set<number>();
  for (const line of borders)
    for (const { index } of line.matchAll(/(?<=[-=])\+|\+(?=[-=])/g)) columns.add(index);
  return [...columns].sort((one, other) => one - other);
}

/** Returns true where the top left corner of a cell is. */
function isCorner(lines: readonly string[], top: number, left: number): boolean {
  return (
    lines[top]?.[left] === '+' &&
    /[-=]/.test(lines[top]?.[left + 1] ?? '') &&
    /[+|]/.test(lines[top + 1]?.[left] ?? '')
  );
}

/** Returns true where a cell below this line may end. */
function isEnd(lines: readonly string[], top: number, column: number): boolean {
  return lines[top]?.[column] === '+' && /[+|]/.test(lines[top + 1]?.[column] ?? '');
}

function isBorder(line: string, left: number, right: number): boolean {
  return /^[-=+]+$/.test(line.slice(left, right));
}

/** Returns the index behind a simple table that begins at an index. */
export function endOfSimple(lines: readonly string[], at: number): number {
  let borders = 0;
  for (let next = at + 1; next < lines.length; next += 1) {
    if (!/^=+(?: +=+)*$/.test(lines[next] ?? '')) continue;
    borders += 1;
    if (borders === 2 || (lines[next + 1] ?? '') === '') return next + 1;
  }
  return lines.length;
}

/**
 * Returns the cells of a simple table. A cell over several columns has its text in the first one. Returns null when text lies
 * outside of the columns.
 */
export function simpleTable(source: readonly string[]): DrawnTable | null {
  const lines = wide(source);
  const columns = rangesOf(lines[0] ?? '');
  const rows: string[][][] = [];
  let pending: string[] = [];
  for (const line of lines.slice(1)) {
    if (/^=[= ]*$/.test(line)) {
      if (!addRows(rows, pending, columns, columns)) return null;
      pending = [];
    } else if (/^-[- ]*$/.test(line) && pending.some((one) => one !== '')) {
      const spans = rangesOf(line);
      if (spans.some(({ from }) => !columns.some((column) => column.from === from))) pending.push(line);
      else {
        if (!addRows(rows, pending, spans, columns)) return null;
        pending = [];
      }
    } else pending.push(line);
  }
  return pending.some((line) => line !== '') ? null : rows;
}

interface ColumnRange {
  readonly from: number;
  readonly to: number;
}

function rangesOf(border: string): ColumnRange[] {
  return [...border.matchAll(/[=-]+/g)].map(({ index, 0: mark }) => ({
    from: index,
    to: index + mark.length,
  }));
}

/** Adds rows of cells with these spans. A line without text in the first column continues the row above. */
function addRows(
  rows: string[][][],
  lines: readonly string[],
  spans: readonly ColumnRange[],
  columns: readonly ColumnRange[],
): boolean {
  const added: string[][][] = [];
  let row: string[][] | null = null;
  const first = spans[0]?.to ?? 0;
  for (const line of lines) {
    if (row === null || line.slice(0, first).trim() !== '') {
      if (line === '') continue;
      row = columns.map(() => []);
      added.push(row);
    }
    for (const [at, { from, to }] of spans.entries()) {
      const next = spans[at + 1]?.from ?? Infinity;
      // Text between two columns belongs to neither.
      if (line.slice(to, next === Infinity ? to : next).trim() !== '') return false;
      const column = columns.findIndex((one) => one.from === from);
      row[column]?.push(line.slice(from, next));
    }
  }
  for (const one of added) rows.push(one.map((cell) => textOf(cell)));
  return true;
}
