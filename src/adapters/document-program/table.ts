import { withReadableJson } from './json';
import { CUT_WARNING, joinWithin, linesToMarkdown, markdownTables, textCell } from './markup';
import type { ReadText } from './protocol';
import { separated } from './separated';

/** The delimiters of a `.csv` file besides the comma. Of two that fit equally well the first one is taken. */
const OTHERS = ['\t', ';', '|'];
/** No text has this character, so that a row has one value. */
const NO_DELIMITER = '\u001f';
/** The beginning of a file that decides its delimiter (UTF-16 units, rows). */
const SAMPLE = 64 * 1024;
const SAMPLE_ROWS = 200;
/** Excel's own first line, which names the delimiter. */
const NAMED = /^"?sep=([^\w\s"]|\t)"?[ \t]*(?:\n|$)/i;

type Row = readonly string[];

/**
 * Converts comma-separated (or otherwise delimited) or tab-separated values to Markdown tables. Comments and lines of a report
 * above the head of the table become text.
 */
export function readTable(text: string, name: string): ReadText {
  const named = NAMED.exec(text);
  const values = named === null ? text : text.slice(named[0].length);
  const delimiter =
    named?.[1] ?? (name.toLowerCase().endsWith('.tsv') ? '\t' : likelyDelimiter(values.slice(0, SAMPLE)));
  const { rows: all, broken } = separated(values, delimiter);
  const warnings: string[] = [];
  if (broken > 0)
    warnings.push(
      `${broken === 1 ? 'One value has' : `${broken} values have`} a quotation mark too many or too few; compare the table with the original.`,
    );
  const head = headOf(all);
  const above = all.slice(0, head).map((row) => row.slice(0, used(row)).join(delimiter));
  const count = above.filter((line) => line !== '').length;
  if (count > 0)
    warnings.push(
      `${count === 1 ? 'One line' : `${count} lines`} above the head of the table ${count === 1 ? 'was' : 'were'} taken as text.`,
    );
  const rows = all.slice(head).filter((row) => used(row) > 0);
  const { text: markdown, isCut } = joinWithin(pieces(above, rows));
  if (isCut) warnings.push(CUT_WARNING);
  return { markdown, warnings };
}

function* pieces(above: readonly string[], rows: readonly Row[]): Generator<string> {
  if (above.some((line) => line !== '')) {
    yield* linesToMarkdown(above.join('\n').trim().split(/\n/));
    yield '\n';
  }
  if (rows.length > 0) yield* markdownTables(rows, (value) => textCell(withReadableJson(value)));
}

/** Returns the number of values of a row up to its last one that is not blank. */
function used(row: Row): number {
  let count = row.length;
  while (count > 0 && (row[count - 1] ?? '').trim() === '') count -= 1;
  return count;
}

/**
 * Returns the index of the head: the first row that is no comment and has more than half of the usual width. A block of
 * narrower rows that ends with a blank one is above the table too.
 */
function headOf(rows: readonly Row[]): number {
  const widths = rows.map(used);
  const width = usualWidth(widths.filter((each) => each > 1));
  const blockEnd = (from: number, most: number) => {
    let end = from;
    while (end < rows.length && (widths[end] ?? 0) > 0 && (widths[end] ?? 0) <= most) end += 1;
    return end;
  };
  let at = 0;
  for (;;) {
    while (at < rows.length && isAbove(rows[at] ?? [], width)) at += 1;
    // Several narrower rows above whole ones are facts too; a single one may be a head without a name for the first column.
    const narrow = blockEnd(at, width - 1);
    if (
      narrow - at > 1 &&
      narrow - at <= MAX_FACTS &&
      [0, 1].every((more) => widths[narrow + more] === width)
    ) {
      at = narrow;
      break;
    }
    // Directly below a line of text, a few names with values are no table either.
    const end = blockEnd(at, (widths[at - 1] ?? 0) > 0 ? width : width - 1);
    if (end === at || end - at > MAX_FACTS || widths[end] !== 0) break;
    let next = end;
    while (next < rows.length && isAbove(rows[next] ?? [], width)) next += 1;
    if (blockEnd(next, Infinity) - next <= end - at) break;
    at = next;
  }
  // A file of nothing but comments has its first one as its head.
  return at < rows.length ? at : 0;
}

/** The rows of a block above the table. */
const MAX_FACTS = 10;

/** Returns true for a blank row, a comment, and a line of a report: with at most half of the usual width, or with one value. */
function isAbove(row: Row, width: number): boolean {
  const count = used(row);
  // A mark directly before a name is a head, as in `#CHROM`.
  if (row[0]?.startsWith('#') === true && (count < width || /^#+(?:\s|$)/.test(row[0]))) return true;
  return count === 0 || (width > 1 && count <= Math.max(1, Math.floor(width / 2)));
}

/** Returns the width that most rows have, the smaller one of two; 1 without rows. */
function usualWidth(widths: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const width of widths) counts.set(width, (counts.get(width) ?? 0) + 1);
  let [best, most] = [1, 0];
  for (const [width, count] of counts)
    if (count > most || (count === most && width < best)) [best, most] = [width, count];
  return best;
}

/**
 * Returns the delimiter that gives the most rows one width. Where all commas are within numbers or before a space, another
 * one that fits is more likely.
 */
function likelyDelimiter(sample: string): string {
  const fits = OTHERS.map((delimiter) => ({ delimiter, share: shareOf(sample, delimiter) }));
  const best = fits.reduce((one, other) => (other.share > one.share ? other : one));
  const commas = shareOf(sample, ',');
  const areText = !/,(?!\s|$)/m.test(sample.replace(/\d,(?=\d)/g, ''));
  if (best.share > commas || (best.share >= 0.5 && areText)) return best.delimiter;
  // A column of numbers with decimal commas below its name.
  const [head = ''] = sample.trimStart().split('\n', 1);
  return areText && !head.includes(',') && /^"?-?[\d.]*\d,\d+"?$/m.test(sample) ? NO_DELIMITER : ',';
}

/** Returns the share of the rows that have the usual width with this delimiter; 0 where none has two values. */
function shareOf(sample: string, delimiter: string): number {
  const data = separated(sample, delimiter, '"', SAMPLE_ROWS).rows.filter((row) => used(row) > 0);
  const isComment = (row: Row) => row[0]?.startsWith('#') === true;
  const rows = data.some((row) => row.length > 1 && !isComment(row))
    ? data.filter((row) => !isComment(row))
    : data;
  // A quotation mark without another one shows that the delimiter has cut a value.
  const widths = rows.map((row) => (row.some((value) => value.split('"').length % 2 === 0) ? 1 : row.length));
  const width = usualWidth(widths.filter((each) => each > 1));
  return width === 1 ? 0 : widths.filter((each) => each === width).length / widths.length;
}
