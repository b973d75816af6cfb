/** Columns of one table; a wider one is shown in several, each with the first column again. */
const MAX_COLUMNS = 20;
/** Rows of one table; a longer one goes on in another, with the head again. */
const MAX_ROWS = 500;

/** Text as the cell of a Markdown table. */
export function cell(text: string): string {
  return text
    .trim()
    .replace(/\\(?=\||$)/g, '\\\\')
    .replace(/\|/g, '\\|')
    .replace(/\s+/g, (run) => (run.includes('\n') ? '<br>' : ' '));
}

/**
 * Rows as Markdown tables, the first row as their head. Rows may differ in length. Wide and long tables become several, and
 * nothing is left out. Comes in pieces, so that whoever has enough can stop.
 */
export function* markdownTables(rows: readonly (readonly string[])[]): Generator<string> {
  const [head = [], ...body] = rows;
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  if (width === 0) return;
  let isFirst = true;
  let long = body;
  for (const columns of groups(width)) {
    // Beyond the first columns a row may have nothing to say, and one that has ended has nothing more in any of them.
    if (!columns.isFirst) long = long.filter((row) => row.length > columns.from);
    const lines = columns.isFirst ? body : long.filter((row) => hasAny(row, columns));
    for (let from = 0; from === 0 || from < lines.length; from += MAX_ROWS) {
      if (!isFirst) yield '\n';
      isFirst = false;
      if (width > MAX_COLUMNS || lines.length > MAX_ROWS)
        yield `${caption(columns, width, from, lines.length)}\n\n`;
      yield line(head, columns);
      yield `|${' --- |'.repeat(count(columns))}\n`;
      for (const row of lines.slice(from, from + MAX_ROWS)) yield line(row, columns);
    }
  }
}

/** Columns `from` to `to` (without it), after the first column when they are not the first. */
interface Columns {
  readonly from: number;
  readonly to: number;
  readonly isFirst: boolean;
}

function* groups(width: number): Generator<Columns> {
  let from = 0;
  do {
    const isFirst = from === 0;
    const to = Math.min(width, from + MAX_COLUMNS - (isFirst ? 0 : 1));
    yield { from, to, isFirst };
    from = to;
  } while (from < width);
}

function count({ from, to, isFirst }: Columns): number {
  return to - from + (isFirst ? 0 : 1);
}

function hasAny(row: readonly string[], { from, to }: Columns): boolean {
  for (let at = from; at < Math.min(to, row.length); at += 1) if (row[at] !== '') return true;
  return false;
}

function line(row: readonly string[], { from, to, isFirst }: Columns): string {
  let text = isFirst ? '|' : `| ${cell(row[0] ?? '')} |`;
  for (let at = from; at < to; at += 1) text += ` ${cell(row[at] ?? '')} |`;
  return `${text}\n`;
}

function caption({ from, to }: Columns, width: number, row: number, rows: number): string {
  const columns = width > MAX_COLUMNS ? `Columns ${from + 1} to ${to} of ${width}` : '';
  const lines = rows > MAX_ROWS ? `rows ${row + 1} to ${Math.min(rows, row + MAX_ROWS)} of ${rows}` : '';
  const text = [columns, lines].filter(Boolean).join(', ');
  return `*${text.charAt(0).toUpperCase()}${text.slice(1)}*`;
}
