import type { DiffRow } from './diff-model';

/** Unchanged rows that stay in sight beside a change. */
const CONTEXT = 2;
/** Fewer hidden rows than this are not worth a button. */
const LEAST_HIDDEN = 3;

/** What a reader sees: a row, or a button in place of unchanged rows. `from` is the index of the first row. */
export type DiffItem =
  | { readonly kind: 'row'; readonly from: number; readonly row: DiffRow }
  | { readonly kind: 'fold'; readonly from: number; readonly count: number };

/** Hides long stretches of unchanged rows, but those whose first hidden row is in `open`. */
export function foldRows(rows: readonly DiffRow[], open: ReadonlySet<number>): DiffItem[] {
  const items: DiffItem[] = [];
  const show = (from: number, to: number): void => {
    for (const [offset, row] of rows.slice(from, to).entries()) {
      items.push({ kind: 'row', from: from + offset, row });
    }
  };
  for (let start = 0; start < rows.length;) {
    const kind = rows[start]?.kind;
    let end = start;
    while (end < rows.length && rows[end]?.kind === kind) end += 1;
    const from = start === 0 ? 0 : start + CONTEXT;
    const to = end === rows.length ? end : end - CONTEXT;
    if (kind === 'same' && to - from >= LEAST_HIDDEN && !open.has(from)) {
      show(start, from);
      items.push({ kind: 'fold', from, count: to - from });
      show(to, end);
    } else {
      show(start, end);
    }
    start = end;
  }
  return items;
}
