import { Fragment, type RefObject } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { Icon } from '../kit/icons';
import { counted } from '../kit/words';
import type { DiffModel, DiffRow, DiffSide } from './model';

/** Unchanged rows that stay in sight beside a change. */
const CONTEXT = 2;
/** Fewer hidden rows than this are not worth a button. */
const LEAST_HIDDEN = 3;

/** What a reader sees: a row, or a button in place of unchanged rows. `from` is the index of the first row. */
type DiffItem =
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

export type Layout = 'side by side' | 'inline';

/** Rows drawn at once; the rest waits behind a button, so that a huge note does not stop the window. */
const ROWS_AT_ONCE = 600;
const ROWS_AFTER_JUMP = 100;

/**
 * A comparison as text: nothing of either version is read as anything else. The first row of each change carries
 * `data-change`, so that it can be found and scrolled to.
 */
export function DiffView(props: {
  readonly model: DiffModel;
  readonly layout: Layout;
  readonly areaRef: RefObject<HTMLDivElement | null>;
  /** The change that the reader is at. */
  readonly change: number;
}) {
  const { model, layout, areaRef, change } = props;
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const [asked, setAsked] = useState(ROWS_AT_ONCE);
  const items = useMemo(() => foldRows(model.rows, open), [model, open]);
  // A change that the reader jumps to is drawn, with what follows it.
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

/** A line of one side. The role says what colour and sign say. */
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
