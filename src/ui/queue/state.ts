import { useCallback, useEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';
import type { Answer, BrainClient, CallError } from '../../core/registry/client';
import { useUi } from '../client/context';
import { asCallError, type AsyncState, useCall, useChanges } from '../kit/async';
import { type NoteLinks, noteLinks } from '../markdown/note-links';
import type { DraftChange } from '../place/place';
import type { Entry } from './entry';
import { arrange, isListed, NO_TRIAGE, type Triage } from './triage';

/** The elements that a command can focus. */
export type Spot = 'list' | 'filter' | 'note' | 'wing' | 'slug' | 'hall' | 'reason' | 'gate';

/** Refs to the elements that take the focus; null while they are not drawn. */
export interface QueueRefs {
  readonly root: { current: HTMLDivElement | null };
  readonly list: { current: HTMLUListElement | null };
  readonly filter: { current: HTMLInputElement | null };
  readonly note: { current: HTMLDivElement | null };
  readonly wing: { current: HTMLInputElement | null };
  readonly slug: { current: HTMLInputElement | null };
  readonly hall: { current: HTMLButtonElement | null };
  readonly reason: { current: HTMLTextAreaElement | null };
  readonly gate: { current: HTMLElement | null };
}

export type View = 'preview' | 'source' | 'compare';

/** The text that a note is compared with: that of another note, or an older version of the note itself. */
export type CompareTarget =
  { readonly kind: 'note'; readonly path: string } | { readonly kind: 'revision'; readonly hash: string };

/** The state of the review queue. Only `queueReducer` makes a new one. */
export interface QueueState {
  /** The whole queue, oldest first; null before it is known. */
  readonly entries: readonly Entry[] | null;
  readonly filter: string;
  /** Which notes are listed, and in which order. */
  readonly triage: Triage;
  /** Why the last note could not be put off or woken, in words; null when it could. */
  readonly snoozeProblem: string | null;
  /** The entries that fit the filter, in the order of the list. */
  readonly visible: readonly Entry[];
  /** The note that is shown. It is in no list when someone else has taken it out of the queue. */
  readonly current: Entry | null;
  /** The time at which the file of the current note changed while it was shown, or null. */
  readonly changedAt: Date | null;
  /** The path of the note to show once it is in the list, unless the person presses something before. */
  readonly wanted: string | null;
  /** The notes whose decision is under way: they are in no list, and return to it when the decision fails. */
  readonly leaving: ReadonlyMap<string, Entry>;
  readonly ticked: ReadonlySet<string>;
  readonly selecting: boolean;
  readonly drafts: ReadonlyMap<string, DraftChange>;
  readonly view: View;
  readonly compareWith: CompareTarget | null;
  readonly mode: 'promote' | 'reject';
  /** The side that a narrow pane shows. */
  readonly pane: 'list' | 'note';
  /** The state of the form in a narrow pane. */
  readonly form: 'open' | 'closed';
}

interface OfNote {
  readonly path: string;
}

/** What happens to the queue, by its name. */
interface Actions {
  listed: { readonly entries: readonly Entry[]; readonly at: Date };
  filter: { readonly text: string };
  triage: { readonly triage: Triage };
  /** Notes are put off until a time, or woken (null). With `problem`, that failed and they are as before. */
  snoozed: { readonly paths: ReadonlySet<string>; readonly until: string | null; readonly problem?: string };
  want: OfNote;
  /** A key or pointer press, which drops `wanted`. */
  acted: object;
  go: OfNote;
  open: OfNote;
  'tick-to': OfNote;
  step: { readonly by: number; readonly extend?: boolean };
  tick: OfNote;
  'tick-all': object;
  untick: object;
  selecting: { readonly on: boolean };
  draft: OfNote & { readonly change: DraftChange };
  leaving: OfNote;
  decided: OfNote;
  /** The decision failed. With `mode`, the note is shown with that form. */
  kept: OfNote & { readonly mode?: QueueState['mode'] };
  leave: object;
  view: { readonly view: View };
  compare: { readonly target: CompareTarget };
  mode: { readonly mode: QueueState['mode'] };
  pane: { readonly pane: QueueState['pane'] };
  form: { readonly form: QueueState['form'] };
}

export type QueueAction<Type extends keyof Actions = keyof Actions> = {
  [Each in Type]: { readonly type: Each } & Actions[Each];
}[Type];

/** Returns the state before the queue is known; with `path`, that note is shown first. */
export function startState(path: string | null): QueueState {
  return {
    entries: null,
    filter: '',
    triage: NO_TRIAGE,
    snoozeProblem: null,
    visible: [],
    current: null,
    changedAt: null,
    wanted: path,
    leaving: new Map(),
    ticked: new Set(),
    selecting: false,
    drafts: new Map(),
    view: 'preview',
    compareWith: null,
    mode: 'promote',
    pane: path === null ? 'list' : 'note',
    form: 'closed',
  };
}

const STEPS: {
  readonly [Type in keyof Actions]: (state: QueueState, action: QueueAction<Type>) => QueueState;
} = {
  listed: receiveList,
  filter: (state, { text }) => applyFilter({ ...state, filter: text }),
  triage: (state, { triage }) => applyFilter({ ...state, triage }),
  snoozed: snoozeNotes,
  want: (state, { path }) => showWanted({ ...state, wanted: path, pane: 'note' }),
  // A press before the list is there cannot choose another note.
  acted: (state) => (state.wanted === null || state.entries === null ? state : { ...state, wanted: null }),
  go(state, { path }) {
    const entry = state.visible.find((each) => each.path === path);
    return entry === undefined ? state : showEntry(state, entry);
  },
  open: (state, { path }) => ({ ...queueReducer(state, { type: 'go', path }), pane: 'note' }),
  'tick-to'(state, { path }) {
    const [from, to] = [currentIndex(state), state.visible.findIndex((each) => each.path === path)];
    if (from < 0 || to < 0) return queueReducer(state, { type: 'tick', path });
    return moveBy(state, to - from, true);
  },
  step: (state, { by, extend = false }) => moveBy(state, by, extend),
  tick(state, { path }) {
    if (state.entries?.some((each) => each.path === path) !== true) return state;
    const ticked = new Set(state.ticked);
    if (!ticked.delete(path)) ticked.add(path);
    return { ...state, ticked, selecting: true };
  },
  'tick-all': (state) => ({
    ...state,
    ticked: new Set(state.visible.map(({ path }) => path)),
    selecting: true,
  }),
  untick: (state) => ({ ...state, ticked: new Set(), selecting: false }),
  selecting: (state, { on }) => ({ ...state, selecting: on, ...(!on && { ticked: new Set<string>() }) }),
  draft: (state, { path, change }) => ({
    ...state,
    drafts: new Map(state.drafts).set(path, { ...state.drafts.get(path), ...change }),
  }),
  leaving(state, { path }) {
    const entry = state.entries?.find((each) => each.path === path);
    if (entry === undefined) return state;
    return { ...removeNote(state, path), leaving: new Map(state.leaving).set(path, entry) };
  },
  decided(state, { path }) {
    const [drafts, leaving] = [new Map(state.drafts), new Map(state.leaving)];
    drafts.delete(path);
    leaving.delete(path);
    return { ...removeNote(state, path), drafts, leaving };
  },
  kept: restoreNote,
  leave: leaveGone,
  view: (state, { view }) => ({ ...state, view }),
  compare: (state, { target }) => ({ ...state, view: 'compare', compareWith: target, pane: 'note' }),
  mode: (state, { mode }) => ({ ...state, mode, pane: 'note', form: 'open' }),
  pane: (state, { pane }) => ({ ...state, pane }),
  form: (state, { form }) => ({ ...state, form }),
};

/** Returns the state after an action. */
export function queueReducer<Type extends keyof Actions>(
  state: QueueState,
  action: QueueAction<Type>,
): QueueState {
  return STEPS[action.type](state, action);
}

/** Returns the index of the current note among the visible ones, or -1. */
export function currentIndex({ visible, current }: QueueState): number {
  return current === null ? -1 : visible.findIndex(({ path }) => path === current.path);
}

/** Returns true when someone else has taken the current note out of the queue. */
export function isGone({ current, entries }: QueueState): boolean {
  return current !== null && entries !== null && !entries.some(({ path }) => path === current.path);
}

/** Returns the note after the current one in the list, or null. */
export function noteAfter(state: QueueState): Entry | null {
  const at = currentIndex(state);
  return at < 0 ? null : (state.visible[at + 1] ?? null);
}

function receiveList(state: QueueState, { entries: all, at }: QueueAction<'listed'>): QueueState {
  const entries = all.filter(({ path }) => !state.leaving.has(path));
  const paths = new Set(entries.map(({ path }) => path));
  const ticked = new Set([...state.ticked].filter((path) => paths.has(path)));
  const fresh = entries.find(({ path }) => path === state.current?.path);
  const moved = fresh !== undefined && fresh.content_hash !== state.current?.content_hash;
  return showWanted(
    applyFilter({
      ...state,
      entries,
      current: fresh ?? state.current,
      changedAt: moved ? at : state.changedAt,
      ticked,
      selecting: state.selecting && (ticked.size > 0 || state.ticked.size === 0),
    }),
  );
}

function applyFilter(state: QueueState): QueueState {
  const visible = arrange(state.entries ?? [], state.filter, state.triage);
  const next = { ...state, visible };
  const stays = state.current !== null && (isGone(next) || visible.includes(state.current));
  return stays ? next : showEntry(next, visible[0], state.pane);
}

function showWanted(state: QueueState): QueueState {
  const found = state.entries?.find(({ path }) => path === state.wanted);
  if (found === undefined) return state;
  const next = listing(state, found);
  return { ...showEntry(next, found, next.pane), wanted: null };
}

/** Returns the state with a filter that lists the note: the present one, or none. */
function listing(state: QueueState, entry: Entry): QueueState {
  if (isListed(entry, state.filter, state.triage)) return state;
  const snoozed = entry.snoozed_until !== undefined;
  return applyFilter({ ...state, filter: '', triage: { ...NO_TRIAGE, snoozed } });
}

/** Puts notes off or wakes them. Those that leave the list make the one after the current note the current one. */
function snoozeNotes(state: QueueState, { paths, until, problem }: QueueAction<'snoozed'>): QueueState {
  const marked = ({ snoozed_until: _, ...entry }: Entry): Entry =>
    until === null ? entry : { ...entry, snoozed_until: until };
  const entries = (state.entries ?? []).map((entry) => (paths.has(entry.path) ? marked(entry) : entry));
  const visible = arrange(entries, state.filter, state.triage);
  const at = currentIndex(state);
  const stays = new Set(visible.map(({ path }) => path));
  const ticked = new Set([...state.ticked].filter((path) => !paths.has(path)));
  const next: QueueState = {
    ...state,
    entries,
    visible,
    ticked,
    selecting: state.selecting && (ticked.size > 0 || state.ticked.size === 0),
    snoozeProblem: problem ?? null,
    current: entries.find(({ path }) => path === state.current?.path) ?? state.current,
  };
  if (state.current === null) return showEntry(next, visible[0], state.pane);
  if (stays.has(state.current.path) || isGone(state)) return next;
  const after = [...state.visible.slice(at + 1), ...state.visible.slice(0, Math.max(at, 0)).reverse()];
  const neighbour = after.find(({ path }) => stays.has(path));
  return showEntry(
    { ...next, current: null },
    visible.find(({ path }) => path === neighbour?.path),
  );
}

/** Makes a note the current one and resets the view. The drafts of all notes are kept. */
function showEntry(state: QueueState, entry: Entry | undefined, pane = state.pane): QueueState {
  if (entry?.path === state.current?.path) return { ...state, pane };
  return {
    ...state,
    current: entry ?? null,
    changedAt: null,
    mode: 'promote',
    view: state.view === 'compare' ? 'preview' : state.view,
    compareWith: null,
    form: 'closed',
    pane: entry === undefined ? 'list' : pane,
  };
}

function moveBy(state: QueueState, by: number, extend: boolean): QueueState {
  const { visible } = state;
  const at = currentIndex(state);
  // From a note that has left the queue, its former neighbours are one step away.
  const from = at >= 0 ? at : indexAfterGone(state) - (by > 0 ? 1 : 0);
  const to = Math.min(Math.max(from + by, 0), visible.length - 1);
  const next = showEntry(state, visible[to]);
  if (!extend) return next;
  const ticked = new Set(state.ticked);
  for (const { path } of visible.slice(Math.max(Math.min(from, to), 0), Math.max(from, to) + 1))
    ticked.add(path);
  return { ...next, ticked, selecting: true };
}

/** Removes a note from the list. The one after it becomes current, or at the end the one before. */
function removeNote(state: QueueState, path: string): QueueState {
  const at = state.visible.findIndex((entry) => entry.path === path);
  const without = (list: readonly Entry[]) => list.filter((entry) => entry.path !== path);
  const ticked = new Set(state.ticked);
  ticked.delete(path);
  const next = {
    ...state,
    entries: without(state.entries ?? []),
    visible: without(state.visible),
    ticked,
    selecting: state.selecting && ticked.size > 0,
  };
  if (state.current?.path !== path) return next;
  return showEntry(
    { ...next, current: null },
    next.visible[Math.min(Math.max(at, 0), next.visible.length - 1)],
  );
}

/** Puts a note whose decision failed back to its place in the list. */
function restoreNote(state: QueueState, { path, mode }: QueueAction<'kept'>): QueueState {
  const entry = state.leaving.get(path);
  if (entry === undefined) return state;
  const leaving = new Map(state.leaving);
  leaving.delete(path);
  const entries = [...(state.entries ?? [])];
  const later = entries.findIndex(({ created_at: at }) => at > entry.created_at);
  entries.splice(later < 0 ? entries.length : later, 0, entry);
  const back = { ...state, entries, leaving };
  if (mode === undefined) return applyFilter(back);
  const next = applyFilter(listing(back, entry));
  return { ...showEntry(next, entry), mode, pane: 'note', form: 'open' };
}

/** Returns the index of the visible note that follows a current note that has left the queue: the first that is not older. */
function indexAfterGone({ visible, current }: QueueState): number {
  const next = visible.findIndex(({ created_at: at }) => current !== null && at >= current.created_at);
  return next < 0 ? visible.length : next;
}

/** Goes from a note that has left the queue to the one that took its place. */
function leaveGone(state: QueueState): QueueState {
  const { visible } = state;
  return showEntry({ ...state, current: null }, visible[Math.min(indexAfterGone(state), visible.length - 1)]);
}

const PAGE = 200;
/** The reading stops after this many pages, if the queue keeps growing meanwhile. */
const MAX_PAGES = 100;
/** The reading starts at most this many times, if the queue keeps shrinking meanwhile. */
const MAX_ATTEMPTS = 5;

/** The queue as it was read. */
interface Listed {
  readonly entries: readonly Entry[];
  /** True when near-equal notes were still looked for, so that `same` and that risk may be missing. */
  readonly looking: boolean;
}

/**
 * Reads the whole queue, page by page, without similar notes, which are read only for the current note. `onFirst` gets the
 * first page as soon as it is there. No note is missed or listed twice while the queue changes: each page begins with the last
 * note of the page before; when it does not, the reading starts again. Unless it is to `wait`, near-equal notes may be missing.
 * @throws CallError
 */
export async function readPending(
  client: BrainClient,
  wait: boolean,
  onFirst: (first: Listed) => void,
): Promise<Listed> {
  const found = new Map<string, Entry>();
  let isFirst = true;
  for (let attempt = 1; ; attempt += 1) {
    found.clear();
    const { isComplete, looking } = await readPages(client, wait, found, (first) => {
      if (isFirst) onFirst(first);
      isFirst = false;
    });
    if (isComplete || attempt === MAX_ATTEMPTS) return { entries: [...found.values()], looking };
  }
}

/** Reads the pages into `found`; not complete when a note before a page has left the queue meanwhile. */
async function readPages(
  client: BrainClient,
  wait: boolean,
  found: Map<string, Entry>,
  onFirst: (first: Listed) => void,
): Promise<{ readonly isComplete: boolean; readonly looking: boolean }> {
  let last: string | undefined;
  let isLooking = false;
  for (let page = 0, offset = 0; page < MAX_PAGES; page += 1) {
    const answer = await client.call('pending', { limit: PAGE, offset, similar: false, wait });
    const { pending, total, looking = false } = answer;
    isLooking ||= looking;
    if (last !== undefined && pending[0]?.path !== last) return { isComplete: false, looking: isLooking };
    for (const entry of pending) found.set(entry.path, entry);
    if (offset + pending.length >= total || pending.length === 0) break;
    if (page === 0) onFirst({ entries: [...found.values()], looking });
    offset += pending.length - 1;
    last = pending.at(-1)?.path;
  }
  return { isComplete: true, looking: isLooking };
}

/** The screen reads at most this many characters of a note; the answer says when it is cut. */
const MAX_CHARS = 400_000;

export type Note = Answer<'note'>;
export type GateReport = Answer<'gate'>;

/**
 * Reads the text of a pending note and the report of the gate, again when the vault changes. A note that is `gone` from the
 * queue keeps the last answers. A note that becomes the current one while it is `passing`, as part of a running bulk decision,
 * is not read. The note that is `next` is read ahead.
 */
export function useNote(
  entry: Entry | null,
  next: Entry | null,
  { gone, passing }: { readonly gone: boolean; readonly passing: boolean },
  revision: number,
): { readonly note: AsyncState<Note>; readonly gate: AsyncState<GateReport>; readonly links: NoteLinks } {
  const lastPath = useRef<string | null>(null);
  const entryPath = entry?.path ?? null;
  const path = passing && entryPath !== lastPath.current ? null : entryPath;
  lastPath.current = path;
  const isFrozen = gone || passing;
  const note = useCall('note', path === null ? null : { path, max_chars: MAX_CHARS }, {
    ahead: { next: next && { path: next.path, max_chars: MAX_CHARS }, version: null },
  });
  const gate = useCall('gate', path === null ? null : { path }, {
    ahead: { next: next && { path: next.path }, version: revision },
  });
  const shownHash = note.value?.content_hash;
  useEffect(() => {
    // A note that has left the queue keeps the text that was last read.
    if (entry !== null && !isFrozen && shownHash !== undefined && shownHash !== entry.content_hash)
      note.reload();
  }, [entry?.content_hash, shownHash, isFrozen]);
  useEffect(() => {
    // A new note elsewhere can be the missing target of a link in this one.
    if (revision > 0 && !isFrozen) gate.reload();
  }, [revision, isFrozen]);
  const refs = gate.value?.refs;
  const links = useMemo(() => noteLinks(refs ?? []), [refs]);
  return { note, gate, links };
}

const SHOW_LOADING_AFTER_MS = 150;
/** The longest wait for a note that was put off; browsers take no longer one than 24 days (ms). */
const MAX_WAIT_MS = 86_400_000;

export interface Queue {
  readonly state: QueueState;
  readonly dispatch: (action: QueueAction) => void;
  /** The error of the last reading; the entries read before are still shown. */
  readonly error: CallError | null;
  readonly loading: boolean;
  /** True while the service looks for near-equal notes, which the list does not name yet. */
  readonly looking: boolean;
  /** Grows with every change in the vault; readers of other data reload when it changes. */
  readonly revision: number;
  readonly reload: () => void;
  /** Pauses the refreshing of the list until the returned function is called, which refreshes it. */
  readonly hold: () => () => void;
}

/** Reads the queue again when the next snoozed note wakes. */
function useWaking(entries: QueueState['entries'], reload: () => void): void {
  const { host } = useUi();
  const wakes = entries?.reduce<string | undefined>(
    (first, { snoozed_until: until = first }) =>
      first === undefined || (until ?? '') < first ? until : first,
    undefined,
  );
  useEffect(() => {
    if (wakes === undefined) return undefined;
    const wait = Math.min(Date.parse(wakes) - host.now().getTime() + 1000, MAX_WAIT_MS);
    const timer = window.setTimeout(reload, Math.max(wait, 1000));
    return () => window.clearTimeout(timer);
  }, [wakes, reload, host]);
}

/** Reads the review queue, again after every change in the vault, while the component is mounted. */
export function useQueue(path: string | null): Queue {
  const { client, host } = useUi();
  const [state, dispatch] = useReducer(queueReducer<keyof Actions>, path, startState);
  const [error, setError] = useState<CallError | null>(null);
  const [loading, setLoading] = useState(false);
  const [looking, setLooking] = useState(false);
  const [revision, setRevision] = useState(0);
  const isListed = useRef(false);
  const work = useRef({ reading: false, again: false, decided: false, holds: 0, mounted: true });

  const reload = useCallback(() => {
    const { current: now } = work;
    if (now.reading || now.holds > 0) {
      now.again = true;
      return;
    }
    now.reading = true;
    const show = (listed: Listed): void => {
      dispatch({ type: 'listed', entries: listed.entries, at: host.now() });
      setLooking(listed.looking);
    };
    const run = async (): Promise<void> => {
      let wait = false;
      do {
        now.again = false;
        now.decided = false;
        try {
          const listed = await readPending(client, wait, (beginning) => {
            // After the first list, a part of it would look as if the rest had left the queue.
            if (!isListed.current) show(beginning);
          });
          if (!now.mounted) return;
          // A list read before a decision would bring its note back for a moment, so it is dropped. After other changes the list
          // is shown and read again: changes that come faster than answers must not keep the screen empty.
          if (now.holds === 0 && !now.decided) {
            isListed.current = true;
            show(listed);
          }
          // The list is shown as it is, and read again once the near-equal notes are known.
          wait = listed.looking;
          setError(null);
        } catch (failure) {
          wait = false;
          if (now.mounted) setError(asCallError(failure));
        }
      } while ((now.again || wait) && now.holds === 0 && now.mounted);
      now.reading = false;
    };
    void run();
  }, [client, host]);

  const hold = useCallback(() => {
    const { current: now } = work;
    now.holds += 1;
    now.again = true;
    now.decided = true;
    return () => {
      now.holds -= 1;
      reload();
    };
  }, [reload]);

  useEffect(() => {
    const { current: now } = work;
    now.mounted = true;
    const timer = window.setTimeout(() => setLoading(true), SHOW_LOADING_AFTER_MS);
    reload();
    return () => {
      now.mounted = false;
      window.clearTimeout(timer);
    };
  }, [reload]);
  useWaking(state.entries, reload);
  useChanges(() => {
    setRevision((number) => number + 1);
    reload();
  });
  const isLoading = loading && state.entries === null;
  return { state, dispatch, error, loading: isLoading, looking, revision, reload, hold };
}
