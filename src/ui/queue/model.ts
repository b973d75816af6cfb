import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type BrainClient, CallError } from '../../core/registry/client';
import { type Hall, HALLS } from '../../core/vocabulary/address';
import { useUi } from '../client/context';
import type { UiHost } from '../client/host';
import type { ScreenParams } from '../client/screens';
import { openAddSheet } from '../intake/add';
import type { Intake } from '../intake/intake';
import { intakeOf, wantedDrop } from '../intake/sources';
import { useCall } from '../kit/async';
import { isField } from '../kit/keys';
import {
  type BulkItem,
  type Decisions,
  type Failure,
  obstacleOf,
  type Seen,
  useDecisions,
} from './decisions';
import { type Draft, type DraftChange, draftOf, type Entry } from './entry';
import { type Destination, useDestination } from './forms';
import { fieldOf } from './problem';
import {
  currentIndex,
  isGone,
  type Queue,
  type QueueRefs,
  type QueueState,
  type Spot,
  useNote,
  useQueue,
} from './state';

interface World {
  readonly client: BrainClient;
  readonly host: UiHost;
  readonly queue: Queue;
  readonly decisions: Decisions;
  readonly entry: Entry | null;
  /** The entry with the hash of the text that is on the screen. */
  readonly seen: Seen | null;
  readonly draft: Draft | null;
  readonly gone: boolean;
  readonly destination: Destination;
  readonly bulkItems: readonly BulkItem[];
  readonly bulkHall: Hall | null;
  readonly reason: string;
  readonly gateOpen: boolean;
  readonly change: number;
  readonly refs: QueueRefs;
  /** Counts what the person does in the screen, so that nobody is taken away from what they have gone on to. */
  readonly acts: { readonly current: number };
  readonly setBulkHall: (hall: Hall | null) => void;
  readonly setGateOpen: (open: boolean) => void;
  readonly setPropertiesOpen: (change: (open: boolean) => boolean) => void;
  readonly setChange: (change: number) => void;
  readonly focus: (on: Spot) => void;
  readonly intake: Intake;
}

/** What can be done in the review queue, by keys and by buttons alike. */
export type QueueCommands = ReturnType<typeof queueCommands>;

/** The commands as they are now: made anew with every change of what they act on. */
function queueCommands(world: World) {
  const { host, queue, decisions, entry, seen, draft, gone, bulkItems, refs, focus } = world;
  const { state, dispatch } = queue;
  const several = state.ticked.size > 0;
  const path = entry?.path ?? null;

  const goTo = (spot: Spot): void => {
    if (spot === 'wing' || spot === 'slug') dispatch({ type: 'mode', mode: 'promote' });
    if (spot === 'list') dispatch({ type: 'pane', pane: 'list' });
    focus(spot);
  };

  /** True as long as the person has done nothing since this was called. */
  const staying = (): (() => boolean) => {
    const { acts } = world;
    const then = acts.current;
    return () => acts.current === then;
  };

  const promoteOne = (): void => {
    if (seen === null || draft === null || gone) return;
    const { destination } = world;
    const problem =
      draft.wing.trim() === ''
        ? new CallError('invalid_wing', 'Choose a wing.')
        : draft.hall === null
          ? new CallError('invalid_hall', 'Choose a hall.')
          : destination.state === 'refused' && fieldOf(destination.error) !== null
            ? destination.error
            : null;
    if (problem === null) {
      void decisions.promote(seen, draft, staying());
      focus('list');
      return;
    }
    // The wrong field takes the focus, so it has to be in sight.
    dispatch({ type: 'mode', mode: 'promote' });
    decisions.complain(seen, problem);
  };

  const rejectOne = (): void => {
    if (seen === null || gone) return;
    void decisions.reject(seen, world.reason, staying());
    focus('list');
  };

  const runBulk = async (kind: 'promote' | 'reject'): Promise<void> => {
    const items = kind === 'promote' ? bulkItems.filter(({ obstacle }) => obstacle === null) : bulkItems;
    if (items.length === 0 || decisions.bulk?.running === true) return;
    dispatch({ type: 'mode', mode: 'promote' });
    await decisions.runBulk({ kind, items, reason: world.reason });
    focus('list');
  };

  const step = (by: number, extend = false): void => dispatch({ type: 'step', by, extend });

  const compareWith = (other: string): void => {
    world.setChange(-1);
    dispatch({ type: 'compare', path: other });
  };

  const stepChange = (by: number): void => {
    const next = Math.max(0, world.change + by);
    const row = refs.note.current?.querySelector(`[data-change="${next}"]`);
    if (row === null || row === undefined) return;
    world.setChange(next);
    row.scrollIntoView({ block: 'center' });
  };

  return {
    step,
    stepChange,
    compareWith,
    goTo,
    first: () => step(-state.visible.length),
    last: () => step(state.visible.length),
    open: () => {
      dispatch({ type: 'pane', pane: 'note' });
      focus('note');
    },
    promote: () => {
      if (several) void runBulk('promote');
      else promoteOne();
    },
    startReject: () => {
      if (several ? decisions.bulk?.running === true : entry === null || gone) return;
      dispatch({ type: 'mode', mode: 'reject' });
      focus('reason');
    },
    reject: () => {
      if (several) void runBulk('reject');
      else rejectOne();
    },
    cancelReject: () => {
      dispatch({ type: 'mode', mode: 'promote' });
      focus('list');
    },
    change: (change: DraftChange) => {
      if (path !== null) dispatch({ type: 'draft', path, change });
    },
    chooseLink: (target: string, chosen: string | null) => {
      if (path === null || draft === null) return;
      const others = Object.entries(draft.links).filter(([other]) => other !== target);
      const links = Object.fromEntries(chosen === null ? others : [...others, [target, chosen]]);
      dispatch({ type: 'draft', path, change: { links } });
    },
    hall: (number: number) => {
      const hall = HALLS[number - 1];
      if (hall === undefined || path === null) return;
      if (several) world.setBulkHall(world.bulkHall === hall ? null : hall);
      else dispatch({ type: 'draft', path, change: { hall } });
    },
    edit: () => {
      if (path !== null && !gone) host.editNote?.(path);
    },
    openInPane: () => {
      if (path !== null && !gone) host.openNote(path, { newPane: true });
    },
    reExtract: () => {
      if (seen === null || gone) return;
      const { path: at, title, content_hash: hash } = seen;
      world.intake.add([{ name: title, source: async () => ({ kind: 'queued', path: at, hash }) }]);
    },
    add: () => openAddSheet(host, world.intake),
    drop: (data: DataTransfer) => world.intake.add(wantedDrop(data, host)),
    undo: () => void decisions.undo(staying()),
    unfold: () => goTo('wing'),
    togglePreview: () => dispatch({ type: 'view', view: state.view === 'preview' ? 'source' : 'preview' }),
    compare: () => {
      const other = state.compareWith ?? entry?.similar[0]?.path;
      if (other !== undefined) compareWith(other);
    },
    toggleGate: () => world.setGateOpen(!world.gateOpen),
    showGate: () => {
      world.setGateOpen(true);
      dispatch({ type: 'pane', pane: 'note' });
      focus('gate');
    },
    toggleProperties: () => world.setPropertiesOpen((open) => !open),
    tick: () => {
      if (path !== null && currentIndex(state) >= 0) dispatch({ type: 'tick', path });
    },
    tickAll: () => dispatch({ type: 'tick-all' }),
    untick: () => {
      decisions.closeBulk();
      world.setBulkHall(null);
      dispatch({ type: 'mode', mode: 'promote' });
      dispatch({ type: 'untick' });
      goTo('list');
    },
    decideTicked: () => dispatch({ type: 'mode', mode: 'promote' }),
    /** From a note that has left the queue to the one that now stands in its place. */
    leave: () => {
      dispatch({ type: 'leave' });
      focus('list');
    },
    look: (at: string) => {
      dispatch({ type: 'go', path: at });
      focus('list');
    },
    /** To a note that could not be decided on, with the form in which it was tried. */
    lookAtFailure: ({ path: at, kind, error }: Failure) => {
      dispatch({ type: 'want', path: at });
      dispatch({ type: 'mode', mode: kind });
      focus(fieldOf(error) ?? 'list');
    },
    scroll: (pages: number) => {
      const area = refs.note.current;
      area?.scrollBy({ top: pages * area.clientHeight * 0.85 });
    },
    nextPanel: (by: number) => focusPanel(refs.root.current, by),
    /** Leaves a field, a form, a comparison, a selection or the note, whichever is innermost. False when none is left. */
    escape: (target: EventTarget | null): void | false => {
      if (isField(target)) {
        if (target === refs.filter.current) dispatch({ type: 'filter', text: '' });
        focus('list');
      } else if (state.mode === 'reject') {
        dispatch({ type: 'mode', mode: 'promote' });
        focus('list');
      } else if (state.view === 'compare') dispatch({ type: 'view', view: 'preview' });
      else if (state.selecting) {
        dispatch({ type: 'untick' });
        decisions.closeBulk();
      } else if (state.pane === 'note') goTo('list');
      else return false;
    },
  };
}

/** In each panel, what takes the focus. */
const PANELS = [
  ['.brain-list', ['[role="listbox"]', 'input']],
  ['.brain-preview', ['.brain-scroll']],
  ['.brain-decision', ['form input', 'form textarea', 'form [role="radio"]', 'form .mod-cta']],
] as const;

function focusPanel(root: HTMLElement | null, by: number): void {
  if (root === null) return;
  const panels = PANELS.flatMap(([panel, inside]) => {
    const section = root.querySelector(panel);
    const target = inside
      .map((selector) => section?.querySelector<HTMLElement>(selector) ?? null)
      .find((element) => element !== null && element.getClientRects().length > 0);
    return section === null || target === undefined || target === null ? [] : [{ section, target }];
  });
  const at = panels.findIndex(({ section }) => section.contains(root.ownerDocument.activeElement));
  panels[(at + by + panels.length) % panels.length]?.target.focus();
}

/**
 * Gives the focus to the side that a narrow pane has turned to when the element that had it is no longer drawn: browsers would
 * leave it with nobody, and no key would work. Where both sides are drawn the focus stays where it is.
 */
function usePaneFocus(pane: QueueState['pane'], refs: QueueRefs): void {
  // Before the browser draws, which is when it takes the focus from what is hidden.
  useLayoutEffect(() => {
    const root = refs.root.current;
    const active = root?.ownerDocument.activeElement ?? null;
    if (root === null || active === null || !root.contains(active) || isDrawn(active)) return;
    const side = pane === 'note' ? refs.note.current : refs.list.current;
    (side !== null && isDrawn(side) ? side : root).focus({ preventScroll: true });
  }, [pane, refs]);
}

/** True when an element takes up room on the screen, so that it can have the focus. */
function isDrawn(element: Element): boolean {
  return element.getClientRects().length > 0;
}

/** Everything that the parts of the review queue show and do. */
export interface QueueScreenModel extends ReturnType<typeof useNote> {
  readonly queue: Queue;
  readonly state: QueueState;
  readonly decisions: Decisions;
  /** The note that is shown. */
  readonly entry: QueueState['current'];
  /** What would happen to it, as far as it is typed. */
  readonly draft: Draft | null;
  readonly destination: Destination;
  readonly gone: boolean;
  /** Why the last decision on this very note failed. */
  readonly problem: CallError | null;
  readonly wings: readonly { readonly wing: string; readonly notes: number }[];
  /** The ticked notes, in the order of the list. */
  readonly bulkItems: readonly BulkItem[];
  readonly bulkHall: Hall | null;
  readonly setBulkHall: (hall: Hall | null) => void;
  readonly reason: string;
  readonly setReason: (reason: string) => void;
  readonly propertiesOpen: boolean;
  readonly gateOpen: boolean;
  /** The difference that the reader is at; -1 before the first. */
  readonly change: number;
  readonly refs: QueueRefs;
  /** To be told of everything that the person does in the screen. */
  readonly onAct: () => void;
  readonly commands: QueueCommands;
  /** What is being ingested, here or elsewhere on this device. */
  readonly intake: Intake;
}

/** The state of the review queue and what can be done in it. */
export function useQueueScreen(params: ScreenParams): QueueScreenModel {
  const { client, host } = useUi();
  const queue = useQueue(params.path ?? null);
  const { state, dispatch, revision } = queue;
  const decisions = useDecisions(queue);
  const gone = isGone(state);
  // A note that is about to be decided on together with others is gone before an answer about it comes.
  const passing = isPassing(decisions.bulk, state.current);
  const entry = useWithSimilar(state.current, gone || passing);
  const path = entry?.path ?? null;
  const texts = useNote(entry, { gone, passing }, revision);
  const wings = useWings(revision);

  const change = path === null ? undefined : state.drafts.get(path);
  const draft = useMemo(() => (entry === null ? null : draftOf(entry, change)), [entry, change]);
  const settled = decisions.bulk?.running !== true;
  const destination = useDestination(gone || !settled ? null : path, draft, revision);
  const shownHash = texts.note.value?.content_hash;
  const seen = entry === null ? null : { ...entry, content_hash: shownHash ?? entry.content_hash };
  const { failure, clearFailure } = decisions;
  const problem = failure !== null && failure.path === path ? failure.error : null;

  const [bulkHall, setBulkHall] = useState<Hall | null>(null);
  const bulkItems = useMemo(
    () => itemsOf(state, bulkHall),
    [state.entries, state.ticked, state.drafts, bulkHall],
  );
  const [reason, setReason] = useNoteState(path, '');
  const [gateOpen, setGateOpen] = useNoteState(path, false);
  const [diffChange, setDiffChange] = useNoteState(`${path ?? ''} ${state.compareWith ?? ''}`, -1);
  const [propertiesOpen, setPropertiesOpen] = useState(false);

  const several = state.ticked.size > 0;
  const { closeBulk } = decisions;
  useLayoutEffect(() => {
    // What came of the notes before says nothing about those that are ticked from here on.
    if (several && settled) closeBulk();
  }, [several]);

  const refs = useRefs();
  usePaneFocus(state.pane, refs);
  const acts = useRef(0);
  const [focus, setFocus] = useState<{ readonly on: Spot } | null>(null);
  // Before anything else is typed: a letter must not go where the focus was.
  useLayoutEffect(() => {
    if (focus === null) return;
    const wanted = refs[focus.on].current;
    // What is not drawn cannot have the focus; the keys need it somewhere on the screen.
    const element = wanted !== null && isDrawn(wanted) ? wanted : refs.root.current;
    element?.focus({ preventScroll: focus.on === 'list' });
    if (focus.on === 'gate') element?.scrollIntoView({ block: 'nearest' });
  }, [focus, refs]);

  const intake = intakeOf(client);
  const commands = queueCommands({
    client,
    intake,
    host,
    queue,
    decisions,
    entry,
    seen,
    draft,
    gone,
    destination,
    bulkItems,
    bulkHall,
    reason,
    gateOpen,
    change: diffChange,
    refs,
    acts,
    setBulkHall,
    setGateOpen,
    setPropertiesOpen,
    setChange: setDiffChange,
    focus: (on) => setFocus({ on }),
  });
  const asked = useOpening(params, state, dispatch, commands);
  useEffect(() => {
    if (problem === null) return;
    const field = fieldOf(problem);
    if (field !== null) setFocus({ on: field });
    if (problem.code === 'hash_mismatch') texts.note.reload();
    // Only when it fails: whoever comes back to the note later does not expect the focus to go anywhere.
  }, [failure]);
  // What was typed since may have put it right.
  const failedPath = failure?.path;
  const failedDraft = failedPath === undefined ? undefined : state.drafts.get(failedPath);
  const failed = useRef({ failure, failedDraft });
  useEffect(() => {
    if (failed.current.failure === failure && failed.current.failedDraft !== failedDraft) clearFailure();
    failed.current = { failure, failedDraft };
  }, [failure, failedDraft, clearFailure]);
  useFirstFocus(state, refs);

  return {
    ...texts,
    queue,
    state,
    decisions,
    entry,
    draft,
    destination,
    gone,
    problem,
    wings,
    bulkItems,
    bulkHall,
    setBulkHall,
    reason,
    setReason,
    propertiesOpen,
    gateOpen,
    change: diffChange,
    refs,
    onAct: () => {
      acts.current += 1;
      dispatch({ type: 'acted' });
      // A form that was asked for with a note that is still to come must not open later on.
      if (state.entries !== null) asked.current = undefined;
    },
    commands,
    intake,
  };
}

/** The note with the notes that are similar to it, once they are known. */
function useWithSimilar(entry: QueueState['current'], gone: boolean): QueueState['current'] {
  const ask = entry === null || gone ? null : { path: entry.path, limit: 1 };
  const similar = useCall('pending', ask).value?.pending[0]?.similar;
  return useMemo(
    () => (entry === null || similar === undefined ? entry : { ...entry, similar }),
    [entry, similar],
  );
}

/** True for a note that a run over several, which is under way, has taken up or will. */
function isPassing(bulk: Decisions['bulk'], current: QueueState['current']): boolean {
  if (bulk?.running !== true) return false;
  return bulk.job.items.some(({ entry }) => entry.path === current?.path);
}

function useWings(revision: number): QueueScreenModel['wings'] {
  const { value, reload } = useCall('wings', {});
  useEffect(() => {
    if (revision > 0) reload();
  }, [revision, reload]);
  return value?.wings ?? [];
}

/** State that belongs to one note and starts anew with the next. */
function useNoteState<T>(key: string | null, start: T): readonly [T, (value: T) => void] {
  const [held, setHeld] = useState({ key, value: start });
  return [held.key === key ? held.value : start, (value) => setHeld({ key, value })];
}

function useRefs(): QueueRefs {
  const root = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const filter = useRef<HTMLInputElement>(null);
  const note = useRef<HTMLDivElement>(null);
  const wing = useRef<HTMLInputElement>(null);
  const slug = useRef<HTMLInputElement>(null);
  const hall = useRef<HTMLButtonElement>(null);
  const reason = useRef<HTMLTextAreaElement>(null);
  const gate = useRef<HTMLElement>(null);
  return useMemo(() => ({ root, list, filter, note, wing, slug, hall, reason, gate }), []);
}

function itemsOf(state: QueueState, hall: Hall | null): BulkItem[] {
  return (state.entries ?? [])
    .filter(({ path }) => state.ticked.has(path))
    .map((entry) => {
      const own = draftOf(entry, state.drafts.get(entry.path));
      const draft = hall === null ? own : { ...own, hall };
      return { entry, draft, obstacle: obstacleOf(entry, draft) };
    });
}

/** What the screen is opened on: a note, and with it the form that was asked for, which is answered until it is open. */
function useOpening(
  params: ScreenParams,
  state: QueueState,
  dispatch: Queue['dispatch'],
  commands: QueueCommands,
): { current: string | undefined } {
  const opened = useRef<ScreenParams>(params);
  const asked = useRef<string | undefined>(params.act);
  useEffect(() => {
    if (opened.current === params) return;
    opened.current = params;
    asked.current = params.act;
    if (params.path !== undefined) dispatch({ type: 'want', path: params.path });
  }, [params, dispatch]);
  useEffect(() => {
    if (asked.current === undefined || state.current === null || state.current.path !== params.path) return;
    const act = asked.current;
    asked.current = undefined;
    if (act === 'reject') commands.startReject();
    if (act === 'promote') commands.goTo('wing');
  }, [state.current, params]);
  return asked;
}

/** When the list has appeared it takes the focus, unless something in its window has it already. */
function useFirstFocus(state: QueueState, refs: QueueRefs): void {
  const done = useRef(false);
  useEffect(() => {
    const list = refs.list.current;
    if (done.current || state.entries === null || list === null) return;
    done.current = true;
    const { activeElement, body } = list.ownerDocument;
    const free = activeElement === null || activeElement === body || activeElement === refs.root.current;
    if (free) list.focus({ preventScroll: true });
  }, [state.entries, refs]);
}
