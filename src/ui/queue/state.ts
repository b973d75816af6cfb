import { useCallback, useEffect, useMemo, useReducer, useRef, useState } from 'preact/hooks';
import type { Answer, BrainClient, CallError } from '../../core/registry/client';
import { useUi } from '../client/context';
import { asCallError, type AsyncState, useCall, useChanges } from '../kit/async';
import { type NoteLinks, noteLinks } from '../markdown/note-links';
import { type DraftChange, type Entry, fits } from './entry';

/** What can have the focus by name. */
export type Spot = 'list' | 'filter' | 'note' | 'wing' | 'slug' | 'hall' | 'reason' | 'gate';

/** The elements that take the focus, as far as they are drawn. */
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

/** What the review queue shows, and what was done in it. Only `queueReducer` makes a new one. */
export interface QueueState {
  /** The whole queue, oldest first; null before it is known. */
  readonly entries: readonly Entry[] | null;
  readonly filter: string;
  /** The entries that fit the filter. */
  readonly visible: readonly Entry[];
  /** The note that is shown. It may have left the queue by another hand: then it is in no list any more. */
  readonly current: Entry | null;
  /** Since when the file of the current note is another one than when it was opened. */
  readonly changedAt: Date | null;
  /** The note that is to be shown once it is in the list, unless the person goes on to something before. */
  readonly wanted: string | null;
  /** Notes that are being decided on: in no list meanwhile, and back in it when that fails. */
  readonly leaving: ReadonlyMap<string, Entry>;
  readonly ticked: ReadonlySet<string>;
  readonly selecting: boolean;
  readonly drafts: ReadonlyMap<string, DraftChange>;
  readonly view: View;
  /** The note to compare the current one with. */
  readonly compareWith: string | null;
  readonly mode: 'promote' | 'reject';
  /** Which side a narrow pane shows. */
  readonly pane: 'list' | 'note';
  /** Whether the form is unfolded in a narrow pane. */
  readonly form: 'open' | 'closed';
}

export type QueueAction =
  | { readonly type: 'listed'; readonly entries: readonly Entry[]; readonly at: Date }
  | { readonly type: 'filter'; readonly text: string }
  | { readonly type: 'want'; readonly path: string }
  /** The person did something: nobody is taken away from it to a note that is still to come. */
  | { readonly type: 'acted' }
  | { readonly type: 'go'; readonly path: string }
  | { readonly type: 'open'; readonly path: string }
  | { readonly type: 'tick-to'; readonly path: string }
  | { readonly type: 'step'; readonly by: number; readonly extend?: boolean }
  | { readonly type: 'tick'; readonly path: string }
  | { readonly type: 'tick-all' }
  | { readonly type: 'untick' }
  | { readonly type: 'selecting'; readonly on: boolean }
  | { readonly type: 'draft'; readonly path: string; readonly change: DraftChange }
  | { readonly type: 'leaving'; readonly path: string }
  | { readonly type: 'decided'; readonly path: string }
  /** With `mode` the note is shown as well, with that form. */
  | { readonly type: 'kept'; readonly path: string; readonly mode?: QueueState['mode'] }
  | { readonly type: 'leave' }
  | { readonly type: 'view'; readonly view: View }
  | { readonly type: 'compare'; readonly path: string }
  | { readonly type: 'mode'; readonly mode: QueueState['mode'] }
  | { readonly type: 'pane'; readonly pane: QueueState['pane'] }
  | { readonly type: 'form'; readonly form: QueueState['form'] };

/** Before anything is known; with `path`, that note is shown first. */
export function startState(path: string | null): QueueState {
  return {
    entries: null,
    filter: '',
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

/** The one way from a state to the next. */
export function queueReducer(state: QueueState, action: QueueAction): QueueState {
  switch (action.type) {
    case 'listed':
      return listed(state, action.entries, action.at);
    case 'filter':
      return filtered({ ...state, filter: action.text });
    case 'want':
      return wantedShown({ ...state, wanted: action.path, pane: 'note' });
    case 'acted':
      // Before there is a list, whatever was pressed was not about another note.
      return state.wanted === null || state.entries === null ? state : { ...state, wanted: null };
    case 'go': {
      const entry = state.visible.find(({ path }) => path === action.path);
      return entry === undefined ? state : shown(state, entry);
    }
    case 'open':
      return { ...queueReducer(state, { type: 'go', path: action.path }), pane: 'note' };
    case 'tick-to': {
      const [from, to] = [currentIndex(state), state.visible.findIndex(({ path }) => path === action.path)];
      if (from < 0 || to < 0) return queueReducer(state, { type: 'tick', path: action.path });
      return stepped(state, to - from, true);
    }
    case 'step':
      return stepped(state, action.by, action.extend === true);
    case 'tick': {
      if (state.entries?.some(({ path }) => path === action.path) !== true) return state;
      const ticked = new Set(state.ticked);
      if (!ticked.delete(action.path)) ticked.add(action.path);
      return { ...state, ticked, selecting: true };
    }
    case 'tick-all':
      return { ...state, ticked: new Set(state.visible.map(({ path }) => path)), selecting: true };
    case 'untick':
      return { ...state, ticked: new Set(), selecting: false };
    case 'selecting':
      return action.on ? { ...state, selecting: true } : { ...state, selecting: false, ticked: new Set() };
    case 'draft':
      return {
        ...state,
        drafts: new Map(state.drafts).set(action.path, {
          ...state.drafts.get(action.path),
          ...action.change,
        }),
      };
    case 'leaving': {
      const entry = state.entries?.find(({ path }) => path === action.path);
      if (entry === undefined) return state;
      const leaving = new Map(state.leaving).set(action.path, entry);
      return { ...withoutNote(state, action.path), leaving };
    }
    case 'decided': {
      const [drafts, leaving] = [new Map(state.drafts), new Map(state.leaving)];
      drafts.delete(action.path);
      leaving.delete(action.path);
      return { ...withoutNote(state, action.path), drafts, leaving };
    }
    case 'kept':
      return kept(state, action.path, action.mode);
    case 'leave':
      return left(state);
    case 'view':
      return { ...state, view: action.view };
    case 'compare':
      return { ...state, view: 'compare', compareWith: action.path, pane: 'note' };
    case 'mode':
      return { ...state, mode: action.mode, pane: 'note', form: 'open' };
    case 'pane':
      return { ...state, pane: action.pane };
    case 'form':
      return { ...state, form: action.form };
  }
}

/** The place of the current note among the visible ones, or -1. */
export function currentIndex({ visible, current }: QueueState): number {
  return current === null ? -1 : visible.findIndex(({ path }) => path === current.path);
}

/** True when the current note has left the queue by another hand. */
export function isGone({ current, entries }: QueueState): boolean {
  return current !== null && entries !== null && !entries.some(({ path }) => path === current.path);
}

function listed(state: QueueState, all: readonly Entry[], at: Date): QueueState {
  const entries = all.filter(({ path }) => !state.leaving.has(path));
  const paths = new Set(entries.map(({ path }) => path));
  const ticked = new Set([...state.ticked].filter((path) => paths.has(path)));
  const fresh = entries.find(({ path }) => path === state.current?.path);
  const moved = fresh !== undefined && fresh.content_hash !== state.current?.content_hash;
  return wantedShown(
    filtered({
      ...state,
      entries,
      current: fresh ?? state.current,
      changedAt: moved ? at : state.changedAt,
      ticked,
      selecting: state.selecting && (ticked.size > 0 || state.ticked.size === 0),
    }),
  );
}

function filtered(state: QueueState): QueueState {
  const visible = (state.entries ?? []).filter((entry) => fits(entry, state.filter));
  const next = { ...state, visible };
  const stays = state.current !== null && (isGone(next) || visible.includes(state.current));
  return stays ? next : shown(next, visible[0], state.pane);
}

function wantedShown(state: QueueState): QueueState {
  const found = state.entries?.find(({ path }) => path === state.wanted);
  if (found === undefined) return state;
  const next = fits(found, state.filter) ? state : filtered({ ...state, filter: '' });
  return { ...shown(next, found, next.pane), wanted: null };
}

/** Shows a note and forgets what was said about the one before. What was typed for it stays. */
function shown(state: QueueState, entry: Entry | undefined, pane = state.pane): QueueState {
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

function stepped(state: QueueState, by: number, extend: boolean): QueueState {
  const { visible } = state;
  const at = currentIndex(state);
  // The note after one that has gone is one step away, as is the note before it.
  const from = at >= 0 ? at : afterGone(state) - (by > 0 ? 1 : 0);
  const to = Math.min(Math.max(from + by, 0), visible.length - 1);
  const next = shown(state, visible[to]);
  if (!extend) return next;
  const ticked = new Set(state.ticked);
  for (const { path } of visible.slice(Math.max(Math.min(from, to), 0), Math.max(from, to) + 1))
    ticked.add(path);
  return { ...next, ticked, selecting: true };
}

/** Takes a note out of the list; the next older one, or at the end the one before, becomes current. */
function withoutNote(state: QueueState, path: string): QueueState {
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
  return shown({ ...next, current: null }, next.visible[Math.min(Math.max(at, 0), next.visible.length - 1)]);
}

/** Puts a note that could not be decided on back to its place in the list. */
function kept(state: QueueState, path: string, mode: QueueState['mode'] | undefined): QueueState {
  const entry = state.leaving.get(path);
  if (entry === undefined) return state;
  const leaving = new Map(state.leaving);
  leaving.delete(path);
  const entries = [...(state.entries ?? [])];
  const later = entries.findIndex(({ created_at: at }) => at > entry.created_at);
  entries.splice(later < 0 ? entries.length : later, 0, entry);
  const back = { ...state, entries, leaving };
  if (mode === undefined) return filtered(back);
  const next = filtered(fits(entry, state.filter) ? back : { ...back, filter: '' });
  return { ...shown(next, entry), mode, pane: 'note', form: 'open' };
}

/** Where the reader goes on who looks at a note that has left the queue: at the first one that is not older. */
function afterGone({ visible, current }: QueueState): number {
  const next = visible.findIndex(({ created_at: at }) => current !== null && at >= current.created_at);
  return next < 0 ? visible.length : next;
}

/** From a note that has left the queue to the one that now stands in its place. */
function left(state: QueueState): QueueState {
  const { visible } = state;
  return shown({ ...state, current: null }, visible[Math.min(afterGone(state), visible.length - 1)]);
}

const PAGE = 200;
/** A queue that keeps growing while it is read is taken as it stands after this many pages. */
const MAX_PAGES = 100;
/** One that keeps shrinking is taken as it stands after it has been begun anew so often. */
const MAX_BEGINNINGS = 5;

/**
 * Reads the whole queue, page by page, without the notes that are similar: those are looked for only for the note that is
 * shown. `onFirst` gets the beginning as soon as it is there. A note that moved between two pages while they were read is
 * listed once, and none is passed over: each page begins with the last note of the one before, and when it does not, all is
 * read anew.
 * @throws CallError
 */
export async function readPending(
  client: BrainClient,
  onFirst: (entries: readonly Entry[]) => void,
): Promise<readonly Entry[]> {
  const found = new Map<string, Entry>();
  let isFirst = true;
  for (let beginnings = 1; ; beginnings += 1) {
    found.clear();
    const isWhole = await readPages(client, found, (entries) => {
      if (isFirst) onFirst(entries);
      isFirst = false;
    });
    if (isWhole || beginnings === MAX_BEGINNINGS) return [...found.values()];
  }
}

/** Resolves false, having read some, when notes before the page were taken out of the queue. */
async function readPages(
  client: BrainClient,
  found: Map<string, Entry>,
  onFirst: (entries: readonly Entry[]) => void,
): Promise<boolean> {
  let last: string | undefined;
  for (let page = 0, offset = 0; page < MAX_PAGES; page += 1) {
    const { pending, total } = await client.call('pending', { limit: PAGE, offset, similar: false });
    if (last !== undefined && pending[0]?.path !== last) return false;
    for (const entry of pending) found.set(entry.path, entry);
    if (offset + pending.length >= total || pending.length === 0) return true;
    if (page === 0) onFirst([...found.values()]);
    offset += pending.length - 1;
    last = pending.at(-1)?.path;
  }
  return true;
}

/** As much of a note as is read for this screen, in characters. What is longer says so. */
const MAX_CHARS = 400_000;

export type Note = Answer<'note'>;
export type GateReport = Answer<'gate'>;

/**
 * The text of a pending note and what the gate says about it, both read again when the vault changes. Of a note that is `gone`
 * from the queue what was read stays. While one is `passing`, on its way out with others, nothing is asked about it.
 */
export function useNote(
  entry: Entry | null,
  { gone, passing }: { readonly gone: boolean; readonly passing: boolean },
  revision: number,
): { readonly note: AsyncState<Note>; readonly gate: AsyncState<GateReport>; readonly links: NoteLinks } {
  const known = useRef<string | null>(null);
  const shown = entry?.path ?? null;
  const path = passing && shown !== known.current ? null : shown;
  known.current = path;
  const still = gone || passing;
  const note = useCall('note', path === null ? null : { path, max_chars: MAX_CHARS });
  const gate = useCall('gate', path === null ? null : { path });
  const shownHash = note.value?.content_hash;
  useEffect(() => {
    // A note that left the queue stays as it was last seen.
    if (entry !== null && !still && shownHash !== undefined && shownHash !== entry.content_hash)
      note.reload();
  }, [entry?.content_hash, shownHash, still]);
  useEffect(() => {
    // A new note elsewhere can be what a link here was missing.
    if (revision > 0 && !still) gate.reload();
  }, [revision, still]);
  const refs = gate.value?.refs;
  const links = useMemo(() => noteLinks(refs ?? []), [refs]);
  return { note, gate, links };
}

const SHOW_LOADING_AFTER_MS = 150;

export interface Queue {
  readonly state: QueueState;
  readonly dispatch: (action: QueueAction) => void;
  /** Why the queue could not be read; what was known of it is still shown. */
  readonly error: CallError | null;
  readonly loading: boolean;
  /** Grows with every change in the vault: what else is shown of it is to be read again. */
  readonly revision: number;
  readonly reload: () => void;
  /** Leaves the list as it is until the returned function is called, which brings it up to date. */
  readonly hold: () => () => void;
}

/** The review queue, kept up to date with the vault for as long as it is shown. */
export function useQueue(path: string | null): Queue {
  const { client, host } = useUi();
  const [state, dispatch] = useReducer(queueReducer, path, startState);
  const [error, setError] = useState<CallError | null>(null);
  const [loading, setLoading] = useState(false);
  const [revision, setRevision] = useState(0);
  const known = useRef(false);
  const work = useRef({ reading: false, again: false, decided: false, held: 0, stands: true });

  const reload = useCallback(() => {
    const { current: now } = work;
    if (now.reading || now.held > 0) {
      now.again = true;
      return;
    }
    now.reading = true;
    const run = async (): Promise<void> => {
      do {
        now.again = false;
        now.decided = false;
        try {
          let first = true;
          const entries = await readPending(client, (beginning) => {
            // Later on, a part of the list would look as if the rest had gone.
            if (first && !known.current) dispatch({ type: 'listed', entries: beginning, at: host.now() });
            first = false;
          });
          if (!now.stands) return;
          // A decision while it was read would bring the note back for a moment. Other changes only have it read again: where
          // they come faster than answers, nothing would be shown before they end.
          if (now.held === 0 && !now.decided) {
            known.current = true;
            dispatch({ type: 'listed', entries, at: host.now() });
          }
          setError(null);
        } catch (failure) {
          if (now.stands) setError(asCallError(failure));
        }
      } while (now.again && now.held === 0 && now.stands);
      now.reading = false;
    };
    void run();
  }, [client, host]);

  const hold = useCallback(() => {
    const { current: now } = work;
    now.held += 1;
    now.again = true;
    now.decided = true;
    return () => {
      now.held -= 1;
      reload();
    };
  }, [reload]);

  useEffect(() => {
    const { current: now } = work;
    now.stands = true;
    const timer = window.setTimeout(() => setLoading(true), SHOW_LOADING_AFTER_MS);
    reload();
    return () => {
      now.stands = false;
      window.clearTimeout(timer);
    };
  }, [reload]);
  useChanges(() => {
    setRevision((number) => number + 1);
    reload();
  });
  return { state, dispatch, error, loading: loading && state.entries === null, revision, reload, hold };
}
