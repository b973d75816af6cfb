import { Fragment, type RefObject } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { Icon } from '../kit/icons';
import { counted } from '../kit/words';
import type { DiffModel, DiffRow, DiffSide } from './model';

/** The number of unchanged rows shown before and after a change. */
const CONTEXT = 2;
/** A fold hides at least this many rows. */
const LEAST_HIDDEN = 3;

/** A row, or a button that stands for folded rows. `from` is the index of the first row. */
type DiffItem =
  | { readonly kind: 'row'; readonly from: number; readonly row: DiffRow }
  | { readonly kind: 'fold'; readonly from: number; readonly count: number };

/** Folds long runs of unchanged rows, except those whose first hidden row is in `open`. */
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

export type Layout = 'side by side' | 'inline';

/** The number of rows that are drawn first, and that a button adds, so that a huge note does not block the window. */
const ROWS_AT_ONCE = 600;
const ROWS_AFTER_JUMP = 100;

/**
 * A comparison, drawn as plain text: Markdown and HTML in it are not interpreted. The first row of each change has the
 * attribute `data-change` with its index, so that a caller can find it and scroll to it.
 */
export function DiffView(props: {
  readonly model: DiffModel;
  readonly layout: Layout;
  readonly areaRef: RefObject<HTMLDivElement | null>;
  /** The index of the change that the reader is at; -1 before the first. */
  readonly change: number;
}) {
  const { model, layout, areaRef, change } = props;
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const [asked, setAsked] = useState(ROWS_AT_ONCE);
  const items = useMemo(() => foldRows(model.rows, open), [model, open]);
  // A change that the reader jumps to is drawn, with the rows after it.
  const at = items.findIndex((item) => changeOf(item) === change);
  const limit = Math.max(asked, at < 0 ? 0 : at + ROWS_AFTER_JUMP);
  const drawn = useMemo(
    () => items.slice(0, limit).map((item, index) => ({ item, starts: startsChange(items, index) })),
    [items, limit],
  );
  const rest = items.length - drawn.length;
  return (
    <div
      ref={areaRef}
      class="brain-scroll"
      tabIndex={0}
      role="region"
      aria-label={layout === 'inline' ? 'Changes, inline' : 'Side by side changes'}
    >
      <div class={layout === 'inline' ? 'brain-diff mod-inline' : 'brain-diff'}>
        {drawn.map(({ item, starts }) =>
          item.kind === 'fold' ? (
            <button
              key={item.from}
              type="button"
              class="fold"
              onClick={() => setOpen((old) => new Set([...old, item.from]))}
            >
              <Icon name="chevron-down" />
              {counted(item.count, 'unchanged line')}
            </button>
          ) : (
            <Row
              key={item.from}
              row={item.row}
              layout={layout}
              starts={starts}
              isHere={item.row.kind === 'changed' && item.row.change === change}
            />
          ),
        )}
        {rest > 0 && (
          <button type="button" class="fold" onClick={() => setAsked(limit + ROWS_AT_ONCE)}>
            <Icon name="chevron-down" />
            Show the next of {counted(rest, 'row')}
          </button>
        )}
      </div>
    </div>
  );
}

function changeOf(item: DiffItem | undefined): number | null {
  return item?.kind === 'row' && item.row.kind === 'changed' ? item.row.change : null;
}

function startsChange(items: readonly DiffItem[], index: number): boolean {
  const change = changeOf(items[index]);
  return change !== null && changeOf(items[index - 1]) !== change;
}

function Row(props: {
  readonly row: DiffRow;
  readonly layout: Layout;
  readonly starts: boolean;
  readonly isHere: boolean;
}) {
  const { row, layout, starts, isHere } = props;
  const here = isHere ? 'is-here' : '';
  const mark = starts && row.kind === 'changed' ? row.change : undefined;
  if (row.kind === 'same') {
    return layout === 'inline' ? (
      <>
        <span class="n">{row.left}</span>
        <span class="n">{row.right}</span>
        <span class="t">{row.text}</span>
      </>
    ) : (
      <>
        <span class="n">{row.left}</span>
        <span class="t">{row.text}</span>
        <span class="n r">{row.right}</span>
        <span class="t">{row.text}</span>
      </>
    );
  }
  if (layout === 'inline') {
    return (
      <>
        {row.left !== null && (
          <>
            <span class={`n del ${here}`} data-change={mark}>
              {row.left.number}
            </span>
            <span class="n del" />
            <Text side={row.left} kind="del" />
          </>
        )}
        {row.right !== null && (
          <>
            <span
              class={`n add ${row.left === null ? here : ''}`}
              data-change={row.left === null ? mark : undefined}
            />
            <span class="n add">{row.right.number}</span>
            <Text side={row.right} kind="add" />
          </>
        )}
      </>
    );
  }
  return (
    <>
      <span class={`n ${row.left === null ? 'gap' : 'del'} ${here}`} data-change={mark}>
        {row.left?.number}
      </span>
      <Text side={row.left} kind="del" />
      <span class={`n r ${row.right === null ? 'gap' : 'add'}`}>{row.right?.number}</span>
      <Text side={row.right} kind="add" />
    </>
  );
}

/** A line of one side. The role tells a screen reader what colour and sign show. */
function Text({ side, kind }: { readonly side: DiffSide | null; readonly kind: 'del' | 'add' }) {
  if (side === null) return <span class="t gap" />;
  const Mark = kind === 'del' ? 'del' : 'ins';
  return (
    <span class={`t ${kind}`} role={kind === 'del' ? 'deletion' : 'insertion'}>
      {side.pieces.map(({ text, changed }, index) =>
        changed ? <Mark key={index}>{text}</Mark> : <Fragment key={index}>{text}</Fragment>,
      )}
    </span>
  );
}
