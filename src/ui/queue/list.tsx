import type { ComponentChildren, Ref } from 'preact';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useUi } from '../client/context';
import { IconButton } from '../kit/controls';
import { Flag, Notice, SkeletonRows } from '../kit/feedback';
import { Icon, type IconName } from '../kit/icons';
import { Key } from '../kit/keys';
import { memo, useUniqueId, useVirtualRows } from '../kit/lists';
import { age, count, counted, moment } from '../kit/words';
import { Writer } from '../kit/writer';
import { type Entry, GAP, harmlessWords, hasFlags, HEADING, extractionWords, rowHeight } from './entry';
import { currentIndex, type QueueAction, type QueueState } from './state';
import { groupOf, isNarrowed, NO_TRIAGE, type Risk, RISK_WORDS, triageWords } from './triage';
import { SnoozedButton, TriageButton, TriageFields } from './triage-bar';

const EXTRACTIONS: Readonly<
  Record<NonNullable<Entry['extraction']>, readonly [icon: IconName, words: string]>
> = {
  llm: ['scan-text', 'Extracted'],
  passthrough: ['file-text', 'Passed through'],
  structured: ['files', 'Given as a page'],
};

/** What each risk means; null for those that have a flag of their own. */
const RISK_TITLES: Readonly<Record<Risk, string | null>> = {
  active_content: 'Something in it would run, or fetch from elsewhere.',
  made_harmless: 'The gate changed what was sent:',
  collision: 'There is a note at the suggested address already.',
  near_duplicate: 'Another note says nearly the same.',
  link_removed: 'A link in it leads to nothing that a note of the wiki may link to.',
  unverified: null,
  rejected_before: null,
};

function riskTitle({ same, collision, made_harmless: harmless }: Entry, risk: Risk): string {
  const words = RISK_TITLES[risk] ?? '';
  if (risk === 'collision' && collision !== undefined) return `${words} ${collision}`;
  if (risk === 'made_harmless' && harmless !== undefined)
    return `${words}\n${harmlessWords(harmless).join('\n')}`;
  return risk === 'near_duplicate' && same.length > 0 ? `${words}\n${same.join('\n')}` : words;
}

/** The flags of a note: first those that ask for attention, then how the page was made. */
function EntryFlags({ entry }: { readonly entry: Entry }) {
  const { warnings, rejected_before: before, unverified, extraction, stale, previous_hash: previous } = entry;
  const label = extraction === undefined ? null : EXTRACTIONS[extraction];
  return (
    <>
      {entry.snoozed_until !== undefined && (
        <Flag icon="moon" title="Put off; it comes back by itself, or when its text changes.">
          Until {moment(entry.snoozed_until)}
        </Flag>
      )}
      {entry.risks.map(
        (risk) =>
          RISK_TITLES[risk] !== null && (
            <Flag key={risk} icon="triangle-alert" tone="amber" title={riskTitle(entry, risk)}>
              {RISK_WORDS[risk]}
            </Flag>
          ),
      )}
      {before && (
        <Flag icon="ban" tone="amber" title="A note with the same text was rejected.">
          Rejected before
        </Flag>
      )}
      {unverified && (
        <Flag
          icon="circle-alert"
          tone="amber"
          title="None of the quotes that were to bear it out stands in its source."
        >
          No quote found
        </Flag>
      )}
      {stale && (
        <Flag icon="hourglass" tone="amber" title="Past its half-life: check it before you promote it.">
          Stale
        </Flag>
      )}
      {previous !== undefined && (
        <Flag icon="history" title="Its writer changed the text while it waited for review.">
          Revised
        </Flag>
      )}
      {warnings.length > 0 && (
        <Flag icon="circle-alert" tone="amber" title={warnings.join('\n')}>
          {counted(warnings.length, 'warning')}
        </Flag>
      )}
      {label !== null && (
        <Flag icon={label[0]} title={`Made ${extractionWords(entry)}.`}>
          {label[1]}
        </Flag>
      )}
    </>
  );
}

interface QueueRowProps {
  readonly id: string;
  readonly entry: Entry;
  readonly age: string;
  /** The index in the whole list, and its length; most rows are not drawn. */
  readonly index: number;
  readonly total: number;
  readonly current: boolean;
  /** Null outside of the select mode. */
  readonly ticked: boolean | null;
  readonly dispatch: (action: QueueAction) => void;
}

/** A pending note in the list: title, age, excerpt, writer, suggested address and flags. */
function Row({ id, entry, age: ageWords, index, total, current, ticked, dispatch }: QueueRowProps) {
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

/** A row that fades out after its note has left the queue; assistive technology ignores it. */
function FadingRow({ entry, now }: { readonly entry: Entry; readonly now: Date }) {
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

/** A row that renders only when one of its props has changed. */
const QueueRow = memo(Row);

/** Returns an address in words, `homelab / facts`; empty when a note suggests neither wing nor hall. */
export function addressWords({ wing, hall }: Pick<Entry['suggested'], 'wing' | 'hall'>): string {
  if (wing === undefined && hall === undefined) return '';
  return `${wing ?? 'no wing'} / ${hall ?? 'no hall'}`;
}

/** The duration of the fading of a row (ms). The style sheet repeats the number. */
const FADE_MS = 120;

/** A fading row, and the path of the row below it; null below the last one. */
interface Fading {
  readonly entry: Entry;
  readonly above: string | null;
}

/**
 * Holds the rows that have just left the queue and fade in their places. Only drawn rows fade; rows that a filter hides do
 * not, and none does with reduced motion. Returns a function that gives the fading rows above a path. `list` is the element of
 * the list.
 */
function useFadingRows(
  entries: readonly Entry[] | null,
  drawn: readonly Entry[],
  list: { readonly current: HTMLElement | null },
): (path: string | null) => readonly Entry[] {
  const [rows, setRows] = useState<readonly Fading[]>([]);
  const queued = useMemo(() => new Set(entries?.map(({ path }) => path)), [entries]);
  const before = useRef(drawn);
  const timers = useRef(new Set<number>());
  useEffect(() => () => timers.current.forEach((timer) => window.clearTimeout(timer)), []);

  // A layout effect runs before the browser paints the list without these rows.
  useLayoutEffect(() => {
    const { current: old } = before;
    before.current = drawn;
    const removed = old.filter(({ path }) => !queued.has(path));
    if (removed.length === 0 || !allowsMotion(list.current)) return;
    const fading = removed.map((entry): Fading => {
      const next = old.slice(old.indexOf(entry) + 1).find(({ path }) => queued.has(path));
      return { entry, above: next?.path ?? null };
    });
    setRows((all) => [...all, ...fading]);
    const timer = window.setTimeout(() => {
      timers.current.delete(timer);
      setRows((all) => all.filter((row) => !fading.includes(row)));
    }, FADE_MS);
    timers.current.add(timer);
  }, [drawn, queued, list]);

  return useCallback(
    (path) =>
      rows.filter(({ above, entry }) => above === path && !queued.has(entry.path)).map(({ entry }) => entry),
    [rows, queued],
  );
}

function allowsMotion(element: HTMLElement | null): boolean {
  const win = element?.ownerDocument.defaultView;
  return win !== null && win !== undefined && !win.matchMedia('(prefers-reduced-motion: reduce)').matches;
}

interface QueueListProps {
  readonly state: QueueState;
  readonly loading: boolean;
  /** True while near-equal notes are looked for. */
  readonly looking: boolean;
  readonly dispatch: (action: QueueAction) => void;
  readonly listRef: { current: HTMLUListElement | null };
  readonly filterRef: Ref<HTMLInputElement>;
  /** Opens the layer that adds files or text. */
  readonly onAdd: () => void;
  /** Drawn above the list: the progress of the ingestion. */
  readonly head: ComponentChildren;
  /** Drawn at the foot: the last decision, or in a narrow pane the ticked notes. */
  readonly children?: ComponentChildren;
}

/** The list of pending notes, oldest first, with a filter. Only the rows in view are drawn. */
export function QueueList(props: QueueListProps) {
  const { state, loading, looking, dispatch, listRef, filterRef, onAdd, head, children } = props;
  const { visible, selecting, filter, triage } = state;
  const [isTriaging, setTriaging] = useState(false);
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
        <TriageButton triage={triage} open={isTriaging} onToggle={() => setTriaging((open) => !open)} />
        <IconButton icon="plus" label="Add files or text" onClick={onAdd} />
        <IconButton
          icon="list-checks"
          label="Select several"
          aria-pressed={selecting}
          onClick={() => dispatch({ type: 'selecting', on: !selecting })}
        />
      </div>
      {isTriaging && <TriageFields state={state} dispatch={dispatch} />}
      {head}
      <div class="brain-list-head">
        <span class="brain-cut">
          {headWords(state)}
          {looking && (
            <span title="Notes that say nearly the same are looked for; the list names them in a moment.">
              , comparing…
            </span>
          )}
        </span>
        <span class="brain-push" />
        <SnoozedButton state={state} dispatch={dispatch} />
      </div>
      {state.snoozeProblem !== null && <Notice tone="red">{state.snoozeProblem}</Notice>}
      {state.entries === null ? (
        loading && <SkeletonRows rows={6} label="Reading the queue" />
      ) : visible.length === 0 ? (
        <NoMatch
          state={state}
          onClear={() => {
            dispatch({ type: 'triage', triage: NO_TRIAGE });
            dispatch({ type: 'filter', text: '' });
          }}
        />
      ) : (
        <Rows state={state} dispatch={dispatch} listRef={listRef} />
      )}
      {children}
    </section>
  );
}

function headWords({ entries, visible, ticked, filter, triage }: QueueState): ComponentChildren {
  if (entries === null) return '';
  if (ticked.size > 0) {
    return (
      <>
        <strong>{count(ticked.size)} selected</strong> of {count(visible.length)}
      </>
    );
  }
  const words = triageWords(triage);
  const waiting = entries.filter((entry) => (entry.snoozed_until !== undefined) === triage.snoozed).length;
  const kind = triage.snoozed ? 'snoozed' : 'pending';
  if (filter.trim() !== '' || isNarrowed(triage)) {
    return (
      <>
        <strong>{count(visible.length)} found</strong> of {count(waiting)} {kind}
        {words !== '' && `: ${words}`}
      </>
    );
  }
  return (
    <>
      <strong>
        {count(waiting)} {kind}
      </strong>
      , {words === '' ? 'oldest first' : words}
    </>
  );
}

function NoMatch({ state, onClear }: { readonly state: QueueState; readonly onClear: () => void }) {
  const { filter, triage } = state;
  if (filter.trim() === '' && !isNarrowed(triage)) {
    return (
      <div class="brain-empty">
        <p>{triage.snoozed ? 'No note is snoozed.' : 'Nothing else waits: the notes that do are snoozed.'}</p>
      </div>
    );
  }
  const said = [filter.trim() === '' ? '' : `“${filter.trim()}”`, triageWords(triage)];
  return (
    <div class="brain-empty">
      <p>
        No pending note fits {said.filter((part) => part !== '').join(', ')}.{' '}
        <button type="button" class="brain-plain" onClick={onClear}>
          Clear the filter
        </button>
      </p>
    </div>
  );
}

/** Returns for each row the heading of the group that begins with it, else null. */
function headingsOf(visible: readonly Entry[], group: QueueState['triage']['group']): (string | null)[] {
  if (group === null) return [];
  const groups = visible.map((entry) => groupOf(entry, group));
  const counts = new Map<string | null, number>();
  for (const name of groups) counts.set(name, (counts.get(name) ?? 0) + 1);
  return groups.map((name, at) =>
    at > 0 && groups[at - 1] === name ? null : `${name ?? ''} (${count(counts.get(name) ?? 0)})`,
  );
}

function headingRow(heading: string | null | undefined): ComponentChildren[] {
  if (heading === null || heading === undefined) return [];
  return [
    <li key={`group ${heading}`} class="brain-group" role="presentation">
      {heading}
    </li>,
  ];
}

function Rows({ state, dispatch, listRef }: Pick<QueueListProps, 'state' | 'dispatch' | 'listRef'>) {
  const { host } = useUi();
  const id = useUniqueId();
  const { visible, current, ticked, selecting, filter } = state;
  const { group } = state.triage;
  const headings = useMemo(() => headingsOf(visible, group), [visible, group]);
  const heights = useMemo(
    () => visible.map((entry, at) => rowHeight(entry) + (headings[at] == null ? 0 : HEADING)),
    [visible, headings],
  );
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
  // A move to a note brings it into view, and so does another filter, which moves all rows. Other changes of the list keep the
  // scroll position.
  useEffect(() => {
    if (at >= 0) show(at);
  }, [path, state.pane, filter, state.triage]);
  const now = host.now();
  const { start, end } = rows;
  const drawn = useMemo(() => visible.slice(start, end), [visible, start, end]);
  const fadingAbove = useFadingRows(state.entries, drawn, listRef);
  const fadingRow = (entry: Entry) => <FadingRow key={`${entry.path} leaves`} entry={entry} now={now} />;
  const isDrawn = at >= rows.start && at < rows.end;
  return (
    <ul
      ref={attachBoth}
      class={`brain-items brain-scroll brain-virtual ${selecting ? 'brain-select-mode' : ''}`}
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
          ...fadingAbove(entry.path).map(fadingRow),
          ...headingRow(headings[index]),
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
      {fadingAbove(null).map(fadingRow)}
    </ul>
  );
}
