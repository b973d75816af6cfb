import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Hall } from '../../core/rules/hall';
import type { CallError } from '../client';
import { useUi } from '../context';
import { useCall } from '../parts/use-async';
import { intakeOf } from '../ingest/intake-of';
import type { Intake } from '../ingest/intake';
import type { ScreenParams } from '../screens';
import { obstacleOf, type BulkItem } from './bulk';
import { type Draft, draftOf } from './entry';
import { queueCommands, type QueueCommands } from './queue-commands';
import type { QueueRefs, Spot } from './queue-refs';
import { fieldOf } from './promote-problem';
import { isGone, type QueueState } from './queue-state';
import { type Decisions, useDecisions } from './use-decisions';
import { type Destination, useDestination } from './use-destination';
import { useNote } from './use-note';
import { isDrawn, usePaneFocus } from './use-pane-focus';
import { type Queue, useQueue } from './use-queue';

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
