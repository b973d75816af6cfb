import { Icon } from '../parts/icon';
import { memo } from '../parts/memo';
import { age } from '../parts/words';
import { Writer } from '../parts/writer';
import { type Entry, GAP, hasFlags, rowHeight } from './entry';
import { EntryFlags } from './entry-flags';
import type { QueueAction } from './queue-state';

interface Props {
  readonly id: string;
  readonly entry: Entry;
  readonly age: string;
  /** Its place in the whole list, from 0, and how long that is: most of it is not drawn. */
  readonly index: number;
  readonly total: number;
  readonly current: boolean;
  /** Whether it is ticked; null while notes are not ticked at all. */
  readonly ticked: boolean | null;
  readonly dispatch: (action: QueueAction) => void;
}

/** A pending note in the list: what it says, how old it is, who wrote it, where it would go, what to look at. */
function Row({ id, entry, age: ageWords, index, total, current, ticked, dispatch }: Props) {
  const { path } = entry;
  const tick = (extend: boolean): void => dispatch({ type: extend ? 'tick-to' : 'tick', path });
  return (
    <li
      id={id}
      class={current ? 'brain-entry brain-item is-current' : 'brain-entry brain-item'}
      role="option"
      aria-current={current ? 'true' : undefined}
      aria-selected={ticked ?? current}
      aria-setsize={total}
      aria-posinset={index + 1}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) tick(event.shiftKey);
        else dispatch({ type: 'open', path });
      }}
    >
      {ticked !== null && (
        <span
          class={ticked ? 'brain-box is-on' : 'brain-box'}
          onClick={(event) => {
            event.stopPropagation();
            tick(event.shiftKey);
          }}
        >
          <Icon name="check" />
        </span>
      )}
      <RowText entry={entry} age={ageWords} />
    </li>
  );
}

/** A row that has left the queue, on its way out: to be seen only. */
export function LeavingRow({ entry, now }: { readonly entry: Entry; readonly now: Date }) {
  return (
    <li
      class="brain-entry brain-item is-leaving"
      aria-hidden="true"
      style={{ height: `${rowHeight(entry) - GAP}px` }}
    >
      <RowText entry={entry} age={age(entry.created_at, now)} />
    </li>
  );
}

function RowText({ entry, age: ageWords }: { readonly entry: Entry; readonly age: string }) {
  const { suggested } = entry;
  return (
    <>
      <div class="brain-item-title">
        <b class="brain-cut">{entry.title}</b>
        <span class="brain-count">{ageWords}</span>
      </div>
      <p class="brain-entry-excerpt brain-item-excerpt">{entry.excerpt}</p>
      <div class="brain-entry-meta brain-item-meta">
        <Writer origin={entry.origin} writtenBy={entry.written_by} />
        <span class="brain-address">{addressWords(suggested)}</span>
      </div>
      {hasFlags(entry) && (
        <div class="brain-item-flags">
          <EntryFlags entry={entry} />
        </div>
      )}
    </>
  );
}

/** A row as above, drawn anew only when something of it has changed. */
export const QueueRow = memo(Row);

/** `homelab / facts`, as far as a note says where it belongs. */
export function addressWords({ wing, hall }: Pick<Entry['suggested'], 'wing' | 'hall'>): string {
  if (wing === undefined && hall === undefined) return '';
  return `${wing ?? 'no wing'} / ${hall ?? 'no hall'}`;
}
