import type { ComponentChildren, Ref } from 'preact';
import { useCallback, useEffect, useMemo } from 'preact/hooks';
import { useUi } from '../context';
import { Icon } from '../parts/icon';
import { Key } from '../parts/key';
import { SkeletonRows } from '../parts/skeleton';
import { useUniqueId } from '../parts/use-unique-id';
import { useVirtualRows } from '../parts/use-virtual-rows';
import { age, count } from '../parts/words';
import { type Entry, rowHeight } from './entry';
import { LeavingRow, QueueRow } from './queue-row';
import { currentIndex, type QueueAction, type QueueState } from './queue-state';
import { useLeaving } from './use-leaving';

interface Props {
  readonly state: QueueState;
  readonly loading: boolean;
  readonly dispatch: (action: QueueAction) => void;
  readonly listRef: { current: HTMLUListElement | null };
  readonly filterRef: Ref<HTMLInputElement>;
  /** Opens what files or text are added with. */
  readonly onAdd: () => void;
  /** Above the list: what is being ingested. */
  readonly head: ComponentChildren;
  /** Stands at the foot: the last decision, or in a narrow pane the ticked notes. */
  readonly children?: ComponentChildren;
}

/** The list of pending notes, oldest first, with a filter. Only the rows in view are drawn. */
export function QueueList(props: Props) {
  const { state, loading, dispatch, listRef, filterRef, onAdd, head, children } = props;
  const { visible, selecting, filter } = state;
  return (
    <section class="brain-list" aria-label="Pending notes">
      <div class="brain-bar">
        <div class="brain-input">
          <Icon name="search" />
          <input
            ref={filterRef}
            type="search"
            aria-label="Filter pending notes"
            placeholder="Filter"
            value={filter}
            onInput={(event) => dispatch({ type: 'filter', text: event.currentTarget.value })}
          />
          {filter === '' && (
            <span class="mod-end">
              <Key>/</Key>
            </span>
          )}
        </div>
        <button type="button" class="clickable-icon" aria-label="Add files or text" onClick={onAdd}>
          <Icon name="plus" />
        </button>
        <button
          type="button"
          class="clickable-icon"
          aria-label="Select several"
          aria-pressed={selecting}
          onClick={() => dispatch({ type: 'selecting', on: !selecting })}
        >
          <Icon name="list-checks" />
        </button>
      </div>
      {head}
      <div class="brain-list-head">
        <span>{headWords(state)}</span>
      </div>
      {state.entries === null ? (
        loading && <SkeletonRows rows={6} label="Reading the queue" />
      ) : visible.length === 0 ? (
        <NoMatch filter={filter} onClear={() => dispatch({ type: 'filter', text: '' })} />
      ) : (
        <Rows state={state} dispatch={dispatch} listRef={listRef} />
      )}
      {children}
    </section>
  );
}

function headWords({ entries, visible, ticked, filter }: QueueState): ComponentChildren {
  if (entries === null) return '';
  if (ticked.size > 0) {
    return (
      <>
        <strong>{count(ticked.size)} selected</strong> of {count(visible.length)}
      </>
    );
  }
  if (filter.trim() !== '') {
    return (
      <>
        <strong>{count(visible.length)} found</strong> of {count(entries.length)} pending
      </>
    );
  }
  return (
    <>
      <strong>{count(entries.length)} pending</strong>, oldest first
    </>
  );
}

function NoMatch({ filter, onClear }: { readonly filter: string; readonly onClear: () => void }) {
  return (
    <div class="brain-empty">
      <p>
        No pending note fits “{filter.trim()}”.{' '}
        <button type="button" class="brain-plain" onClick={onClear}>
          Clear the filter
        </button>
      </p>
    </div>
  );
}

function Rows({ state, dispatch, listRef }: Pick<Props, 'state' | 'dispatch' | 'listRef'>) {
  const { host } = useUi();
  const id = useUniqueId();
  const { visible, current, ticked, selecting, filter } = state;
  const heights = useMemo(() => visible.map(rowHeight), [visible]);
  const rows = useVirtualRows(heights);
  const at = currentIndex(state);
  const path = current?.path;
  const { show, attach } = rows;
  const attachBoth = useCallback(
    (element: HTMLUListElement | null) => {
      listRef.current = element;
      attach(element);
    },
    [listRef, attach],
  );
  // Moving to a note brings it into view, and so does another filter, which moves all rows; a list that only changed around it
  // stays where it was scrolled to.
  useEffect(() => {
    if (at >= 0) show(at);
  }, [path, state.pane, filter]);
  const now = host.now();
  const { start, end } = rows;
  const drawn = useMemo(() => visible.slice(start, end), [visible, start, end]);
  const leaving = useLeaving(state.entries, drawn, listRef);
  const shadow = (entry: Entry) => <LeavingRow key={`${entry.path} leaves`} entry={entry} now={now} />;
  const isDrawn = at >= rows.start && at < rows.end;
  return (
    <ul
      ref={attachBoth}
      class={`brain-items brain-scroll brain-virtual${selecting ? ' brain-select-mode' : ''}`}
      role="listbox"
      aria-label="Pending notes"
      aria-multiselectable={selecting ? true : undefined}
      aria-activedescendant={isDrawn ? `${id}-${at}` : undefined}
      tabIndex={0}
      data-panel="list"
      onScroll={rows.onScroll}
      style={{ '--brain-before': `${rows.before}px`, '--brain-after': `${rows.after}px` }}
    >
      {drawn.flatMap((entry, offset) => {
        const index = start + offset;
        return [
          ...leaving(entry.path).map(shadow),
          <QueueRow
            key={entry.path}
            id={`${id}-${index}`}
            entry={entry}
            age={age(entry.created_at, now)}
            index={index}
            total={visible.length}
            current={index === at}
            ticked={selecting ? ticked.has(entry.path) : null}
            dispatch={dispatch}
          />,
        ];
      })}
      {leaving(null).map(shadow)}
    </ul>
  );
}
