import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { type Answer, type BrainClient, CallError } from '../../core/registry/client';
import { type Hall, HALLS } from '../../core/vocabulary/address';
import { useUi } from '../client/context';
import type { UiHost } from '../client/host';
import type { ScreenParams } from '../client/screens';
import { incomingOf } from '../imports/incoming';
import { pickedOf } from '../imports/picked';
import { openAddSheet } from '../intake/add';
import type { Intake } from '../intake/intake';
import { dropRequests, intakeOf, isArchive } from '../intake/sources';
import { asCallError, type AsyncState, useCall } from '../kit/async';
import { isField } from '../kit/keys';
import {
  type Destination,
  type Draft,
  type DraftChange,
  fieldOfError,
  lastPlace,
  useDestination,
} from '../place/place';
import { openReplace } from '../replace/replace';
import {
  type BulkItem,
  type Decisions,
  type Failure,
  obstacleOf,
  type SeenNote,
  useDecisions,
} from './decisions';
import { openEdit } from '../edit/edit';
import { type BulkCheck, useBulkCheck } from './bulk-check';
import { draftOf, type Entry } from './entry';
import { type HeldKeys, type Shown, useHeldKeys, usePainted } from './guard';
import { refusalWords } from './problem';
import {
  type CompareTarget,
  currentIndex,
  isGone,
  noteAfter,
  type Queue,
  type QueueRefs,
  type QueueState,
  type Spot,
  useNote,
  useQueue,
} from './state';

/** The current note, and the draft of the decision on it. */
interface CurrentNote extends ReturnType<typeof useNote> {
  readonly entry: QueueState['current'];
  /** The entry with the hash of the text that is on the screen. */
  readonly seen: SeenNote | null;
  /** The destination of the note, as far as it is filled in. */
  readonly draft: Draft | null;
  readonly destination: Destination;
  /** True when it has left the queue by someone else's action. */
  readonly gone: boolean;
  /** The error of the last decision on this note, or null. */
  readonly problem: CallError | null;
  /** The request for the similar notes. */
  readonly similar: AsyncState<unknown>;
  /** Names the text once the gate and the similar notes of that very text are known too; null before. */
  readonly shownKey: object | null;
}

/** Says why a key or a button has just done nothing. */
export interface Refusal {
  readonly why: 'unread' | 'unopened' | 'unchecked' | 'crowded' | 'undoing' | 'first';
  /** The title of the note that it was meant for. */
  readonly title: string;
}

/** The state of the screen that belongs to the current note. */
interface NoteView {
  readonly reason: string;
  readonly setReason: (reason: string) => void;
  readonly gateOpen: boolean;
  readonly setGateOpen: (open: boolean) => void;
  /** The index of the difference that the reader is at; -1 before the first. */
  readonly change: number;
  readonly setChange: (change: number) => void;
  readonly propertiesOpen: boolean;
  readonly setPropertiesOpen: (change: (open: boolean) => boolean) => void;
  /** True shows the text as it is written, false as it will stand. */
  readonly asWritten: boolean;
  readonly setAsWritten: (asWritten: boolean) => void;
}

/** The state of a decision on several notes. */
interface TickedNotes {
  /** The ticked notes with their drafts, in the order of the list. */
  readonly bulkItems: readonly BulkItem[];
  /** The hall for all of them; null when each keeps its own. */
  readonly bulkHall: Hall | null;
  readonly setBulkHall: (hall: Hall | null) => void;
  readonly bulkCheck: BulkCheck;
}

/** The state that the commands act on. */
interface CommandContext extends CurrentNote, NoteView, TickedNotes {
  readonly host: UiHost;
  readonly client: BrainClient;
  readonly queue: Queue;
  readonly decisions: Decisions;
  readonly refs: QueueRefs;
  /** The number of key and pointer presses in the screen. An answer moves the person only when there was none since. */
  readonly acts: { readonly current: number };
  readonly focus: (on: Spot) => void;
  readonly intake: Intake;
  readonly guard: Guard;
}

/** Keeps decisions from notes that the person cannot have seen, and from keys that are held down. */
interface Guard {
  readonly held: HeldKeys;
  /** Returns true once what a key names is painted and drawn. */
  readonly isPainted: (key: unknown) => boolean;
  readonly refuse: (refusal: Refusal) => void;
}

/** The commands of the review queue, for keys and buttons alike. */
export type QueueCommands = ReturnType<typeof queueCommands>;

/** Returns the commands for a state; each rendering makes new ones. */
function queueCommands(context: CommandContext) {
  const move = moveCommands(context);
  return {
    ...move,
    ...decisionCommands(context),
    ...draftCommands(context),
    ...noteCommands(context),
    ...viewCommands(context),
    ...tickCommands(context, move.goTo),
    ...snoozeCommands(context),
    unfold: () => move.goTo('wing'),
  };
}

/** Returns the commands that move the focus or go to another note. */
function moveCommands({ queue, decisions, refs, focus }: CommandContext) {
  const { state, dispatch } = queue;
  const goTo = (spot: Spot): void => {
    if (spot === 'wing' || spot === 'slug') dispatch({ type: 'mode', mode: 'promote' });
    if (spot === 'list') dispatch({ type: 'pane', pane: 'list' });
    focus(spot);
  };
  const step = (by: number, extend = false): void => dispatch({ type: 'step', by, extend });
  return {
    goTo,
    step,
    first: () => step(-state.visible.length),
    last: () => step(state.visible.length),
    open: () => {
      dispatch({ type: 'pane', pane: 'note' });
      focus('note');
    },
    /** Goes from a note that has left the queue to the note that took its place. */
    leave: () => {
      dispatch({ type: 'leave' });
      focus('list');
    },
    look: (at: string) => {
      dispatch({ type: 'go', path: at });
      focus('list');
    },
    /** Goes to a note of the queue, also to one that the filter leaves out. */
    find: (at: string) => {
      dispatch({ type: 'want', path: at });
      focus('list');
    },
    /** Goes to a note whose decision failed, and opens the form of that decision. */
    lookAtFailure: ({ path: at, kind, error }: Failure) => {
      dispatch({ type: 'want', path: at });
      dispatch({ type: 'mode', mode: kind });
      focus(fieldOfError(error) ?? 'list');
    },
    nextPanel: (by: number) => focusPanel(refs.root.current, by),
    /** Leaves the innermost of a field, a form, a comparison, a selection and the note. Returns false when there is none. */
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

/** Returns a function that returns true while the person has pressed nothing since this call. */
function staying({ acts }: CommandContext): () => boolean {
  const then = acts.current;
  return () => acts.current === then;
}

/** Returns the commands that promote or reject the current note or, when notes are ticked, those. */
function decisionCommands(context: CommandContext) {
  const { queue, decisions, entry, seen, gone, bulkItems, bulkCheck, focus } = context;
  const { state, dispatch } = queue;
  const several = state.ticked.size > 0;
  const mayAct = (): boolean => isKeyFree(context);

  const promoteOne = (): void => {
    const { draft, destination } = context;
    if (seen === null || draft === null || gone) return;
    const problem = problemOf(draft, destination);
    if (problem !== null) {
      // The invalid field takes the focus, so its form must be open.
      dispatch({ type: 'mode', mode: 'promote' });
      decisions.reportFailure(seen, problem);
      focus(fieldOfError(problem) ?? 'list');
      return;
    }
    if (!isSeen(context)) return;
    if (destination.state === 'refused') {
      destination.reload();
      context.guard.refuse({ why: 'unchecked', title: seen.title });
    }
    if (destination.state !== 'free') return;
    void decisions.promote(seen, draft, staying(context));
    focus('list');
  };
  const rejectOne = (): void => {
    if (seen === null || gone || !isSeen(context)) return;
    void decisions.reject(seen, context.reason, staying(context));
    focus('list');
  };
  const runBulk = async (kind: 'promote' | 'reject', withRisky = false): Promise<void> => {
    const apart = bulkCheck.checked?.apart;
    const isReady = ({ entry: one, obstacle }: BulkItem): boolean => {
      const why = apart?.get(one.path)?.kind;
      return obstacle === null && (why === undefined || (withRisky && why === 'risky'));
    };
    const items = kind === 'promote' ? bulkItems.filter(isReady) : bulkItems;
    if (items.length === 0 || bulkCheck.running || decisions.bulk?.running === true) return;
    if (!context.guard.isPainted(state.ticked)) {
      context.guard.refuse({ why: 'unread', title: '' });
      return;
    }
    dispatch({ type: 'mode', mode: 'promote' });
    if (kind === 'promote' && !(await bulkCheck.run(bulkItems))) return;
    await decisions.runBulk({ kind, items, reason: context.reason });
    focus('list');
  };
  return {
    promote: () => {
      if (!mayAct()) return;
      if (several) void runBulk('promote');
      else promoteOne();
    },
    promoteRisky: () => {
      if (mayAct() && several) void runBulk('promote', true);
    },
    startReject: () => {
      if (several ? decisions.bulk?.running === true : entry === null || gone) return;
      dispatch({ type: 'mode', mode: 'reject' });
      focus('reason');
    },
    reject: () => {
      if (!mayAct()) return;
      if (several) void runBulk('reject');
      else rejectOne();
    },
    cancelReject: () => {
      dispatch({ type: 'mode', mode: 'promote' });
      focus('list');
    },
    undo: () => {
      if (!mayAct()) return;
      if (decisions.working?.kind === 'undo')
        context.guard.refuse({ why: 'undoing', title: decisions.working.title });
      else void decisions.undo(staying(context));
    },
  };
}

/** Returns true unless the key is only held down, or pressed while another one is; says so in the second case. */
function isKeyFree({ guard, entry }: CommandContext): boolean {
  if (guard.held.isRepeating()) return false;
  if (!guard.held.isCrowded()) return true;
  guard.refuse({ why: 'crowded', title: entry?.title ?? '' });
  return false;
}

/**
 * Returns true when the current note, its gate and its similar notes are painted. Else it says so, reads again what could not
 * be read, and opens the note where a narrow pane shows the list.
 */
function isSeen(context: CommandContext): boolean {
  const { guard, queue, entry, shownKey, note, gate, similar, focus } = context;
  if (guard.isPainted(shownKey)) return true;
  const title = entry?.title ?? '';
  for (const part of [note, gate, similar]) if (part.error !== null) part.reload();
  if (queue.state.pane === 'list' && shownKey !== null) {
    queue.dispatch({ type: 'pane', pane: 'note' });
    focus('note');
    guard.refuse({ why: 'unopened', title });
  } else guard.refuse({ why: 'unread', title });
  return false;
}

/** Returns the error that a promotion would have, as far as the screen knows, or null. */
function problemOf(draft: Draft, destination: Destination): CallError | null {
  if (draft.wing.trim() === '') return new CallError('invalid_wing', 'Choose a wing.');
  if (draft.hall === null) return new CallError('invalid_hall', 'Choose a hall.');
  const isRefused = destination.state === 'refused' && fieldOfError(destination.error) !== null;
  return isRefused ? destination.error : null;
}

/** Returns the commands that change the destination of the note and the targets of its ambiguous links. */
function draftCommands(context: CommandContext) {
  const { queue, entry, draft } = context;
  const { state, dispatch } = queue;
  const path = entry?.path ?? null;
  const chooseHall = (hall: Hall, leaveField: boolean): void => {
    if (path === null) return;
    dispatch({ type: 'draft', path, change: { hall } });
    if (leaveField) context.focus(draft === null || draft.wing.trim() === '' ? 'wing' : 'list');
  };
  return {
    change: (change: DraftChange) => {
      if (path !== null) dispatch({ type: 'draft', path, change });
    },
    chooseLink: (target: string, chosen: string | null) => {
      if (path === null || draft === null) return;
      const others = Object.entries(draft.links).filter(([other]) => other !== target);
      const links = Object.fromEntries(chosen === null ? others : [...others, [target, chosen]]);
      dispatch({ type: 'draft', path, change: { links } });
    },
    /** Keeps a finding of the gate as written, or lets Promote change it. */
    keep: (index: number, isKept: boolean) => {
      const { seen, gate } = context;
      if (path === null || draft === null || seen === null) return;
      // An index means a finding of the report for the shown text.
      if (gate.value === null || gate.value.content_hash !== seen.content_hash) return;
      const others = (draft.keep ?? []).filter((other) => other !== index);
      const indices = isKept ? [...others, index].sort((one, other) => one - other) : others;
      const keep = { of: seen.content_hash, findings: gate.value.findings_hash, indices };
      dispatch({ type: 'draft', path, change: { keep } });
    },
    /** Chooses a hall by its number. From the field of the hall the focus goes on to what is missing, else to the list. */
    hall: (number: number, fromField: boolean) => {
      const hall = HALLS[number - 1];
      if (hall === undefined || path === null) return;
      if (state.ticked.size > 0) context.setBulkHall(context.bulkHall === hall ? null : hall);
      else chooseHall(hall, fromField);
    },
    chooseHall,
    /** Gives the note the wing and hall of the last one that was promoted or adopted in this session. */
    sameAsLast: () => {
      const place = lastPlace(context.host.session);
      if (path === null || state.ticked.size > 0) return;
      if (place === null) context.guard.refuse({ why: 'first', title: '' });
      else dispatch({ type: 'draft', path, change: place });
    },
  };
}

/** Returns the commands that open the note elsewhere or add notes to the queue. */
function noteCommands({ client, host, queue, entry, note, seen, gone, intake }: CommandContext) {
  const path = entry?.path ?? null;
  /** Leads to where archives are imported, and takes them along. */
  const bring = (archives: readonly File[]): void => {
    const picked = pickedOf(archives.map((file) => ({ place: file.name, file })));
    if (picked === null) return;
    incomingOf(client).choose(picked, true);
    host.go('imports');
  };
  return {
    edit: () => {
      if (path === null || gone) return;
      if (host.editNote !== undefined) host.editNote(path);
      else
        openEdit({ client, host }, path, () => {
          queue.reload();
          note.reload();
        });
    },
    openInPane: () => {
      if (path !== null && !gone) host.openNote(path, { newPane: true });
    },
    reExtract: () => {
      if (seen === null || gone) return;
      const { path: at, title, content_hash: hash } = seen;
      intake.add([{ name: title, source: async () => ({ kind: 'queued', path: at, hash }) }]);
    },
    add: () => openAddSheet(host, intake, bring),
    drop: (data: DataTransfer) => {
      const archives = [...data.files].filter(({ name }) => isArchive(name));
      intake.add(dropRequests(data, host));
      bring(archives);
    },
  };
}

/** Returns the command that puts the current note off or, when notes are ticked, those; notes that are put off are woken. */
function snoozeCommands(context: CommandContext) {
  const { queue, entry, gone, client, focus } = context;
  const { state, dispatch } = queue;
  return {
    snooze: async () => {
      const { ticked, entries } = state;
      if (!isKeyFree(context) || (ticked.size === 0 && !isSeen(context))) return;
      const several = (entries ?? []).filter(({ path }) => ticked.has(path));
      const notes = several.length > 0 ? several : entry === null || gone ? [] : [entry];
      if (notes.length === 0) return;
      const isWaking = notes.every((note) => note.snoozed_until !== undefined);
      const paths = new Set(notes.map(({ path }) => path));
      const release = queue.hold();
      focus('list');
      dispatch({ type: 'snoozed', paths, until: isWaking ? null : SOON });
      try {
        for (const note of notes) {
          const { snoozed_until: until } = await client.call('snooze', {
            path: note.path,
            expected_hash: note.content_hash,
            ...(isWaking && { until: null }),
          });
          paths.delete(note.path);
          dispatch({ type: 'snoozed', paths: new Set([note.path]), until });
        }
      } catch (error) {
        const problem = `Not ${isWaking ? 'woken' : 'snoozed'}: ${refusalWords(asCallError(error))}`;
        dispatch({ type: 'snoozed', paths, until: isWaking ? SOON : null, problem });
      } finally {
        release();
      }
    },
  };
}

/** The time until which a note is put off before the service has said it: later than any. */
const SOON = '9999-12-31T23:59:59Z';

/** Returns the commands that choose how the note is shown. */
function viewCommands(context: CommandContext) {
  const { client, host, queue, entry, seen, gone, destination, refs, focus } = context;
  const { state, dispatch } = queue;
  const compareTo = (target: CompareTarget): void => {
    context.setChange(-1);
    dispatch({ type: 'compare', target });
  };
  const compareWith = (path: string): void => compareTo({ kind: 'note', path });
  const replace = (path: string): void => {
    if (seen === null || gone || !isSeen(context)) return;
    openReplace(
      { client, host },
      {
        path: seen.path,
        replaces: path,
        ...(context.draft?.keep !== undefined && {
          keep: context.draft.keep,
          findingsHash: context.draft.findingsHash,
        }),
        onDone: () => void context.decisions.replaced(seen, path),
        onStale: context.note.reload,
      },
    );
  };
  const showRevision = (): void => {
    if (entry?.previous_hash !== undefined) compareTo({ kind: 'revision', hash: entry.previous_hash });
  };
  return {
    compareWith,
    showRevision,
    replace,
    /** Replaces the note that this one is compared with, else the one at the address that it would take. */
    replaceShown: () => {
      const { compareWith: target } = state;
      const compared = state.view === 'compare' && target?.kind === 'note' ? target.path : null;
      const taken = destination.state === 'refused' ? destination.error.details.path : undefined;
      const path = compared ?? (typeof taken === 'string' ? taken : null);
      if (path === null) return false;
      replace(path);
      return undefined;
    },
    compare: () => {
      const similar = entry?.similar[0]?.path ?? entry?.same[0];
      if (state.compareWith !== null) compareTo(state.compareWith);
      else if (similar !== undefined) compareWith(similar);
      else showRevision();
    },
    stepChange: (by: number) => {
      const next = Math.max(0, context.change + by);
      const row = refs.note.current?.querySelector(`[data-change="${next}"]`);
      if (row === null || row === undefined) return;
      context.setChange(next);
      row.scrollIntoView({ block: 'center' });
    },
    togglePreview: () => dispatch({ type: 'view', view: state.view === 'preview' ? 'source' : 'preview' }),
    toggleAsWritten: () => context.setAsWritten(!context.asWritten),
    toggleGate: () => context.setGateOpen(!context.gateOpen),
    showGate: () => {
      context.setGateOpen(true);
      dispatch({ type: 'pane', pane: 'note' });
      focus('gate');
    },
    toggleProperties: () => context.setPropertiesOpen((open) => !open),
    scroll: (pages: number) => {
      const area = refs.note.current;
      area?.scrollBy({ top: pages * area.clientHeight * 0.85 });
    },
  };
}

/** Returns the commands that tick notes, to decide on several at once. */
function tickCommands({ queue, decisions, entry, setBulkHall }: CommandContext, goTo: (spot: Spot) => void) {
  const { state, dispatch } = queue;
  return {
    tick: () => {
      if (entry !== null && currentIndex(state) >= 0) dispatch({ type: 'tick', path: entry.path });
    },
    tickAll: () => dispatch({ type: 'tick-all' }),
    untick: () => {
      decisions.closeBulk();
      setBulkHall(null);
      dispatch({ type: 'mode', mode: 'promote' });
      dispatch({ type: 'untick' });
      goTo('list');
    },
    decideTicked: () => dispatch({ type: 'mode', mode: 'promote' }),
  };
}

/** The panels, and in each the elements that can take the focus, by priority. */
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
 * Moves the focus to the side that a narrow pane shows when the focused element is no longer drawn. Browsers would focus the
 * body, where no key of the screen works. In a wide pane the focus stays.
 */
function usePaneFocus(pane: QueueState['pane'], refs: QueueRefs): void {
  // A layout effect runs before the browser paints and takes the focus from the hidden element.
  useLayoutEffect(() => {
    const root = refs.root.current;
    const active = root?.ownerDocument.activeElement ?? null;
    if (root === null || active === null || !root.contains(active) || isDrawn(active)) return;
    const side = pane === 'note' ? refs.note.current : refs.list.current;
    (side !== null && isDrawn(side) ? side : root).focus({ preventScroll: true });
  }, [pane, refs]);
}

/** Returns true when an element has a box on the screen, and so can take the focus. */
function isDrawn(element: Element): boolean {
  return element.getClientRects().length > 0;
}

/** The state and the commands of the review queue, for its components. */
export interface QueueScreenModel extends CurrentNote, NoteView, TickedNotes {
  readonly queue: Queue;
  readonly state: QueueState;
  readonly decisions: Decisions;
  readonly wings: readonly { readonly wing: string; readonly notes: number }[];
  readonly refs: QueueRefs;
  /** Called at every pointer press in the screen. */
  readonly onAct: () => void;
  /** Called at every key press in the screen, before its parts hear it. */
  readonly onKey: (event: KeyboardEvent) => void;
  /** Says why the last key or button did nothing, until the next one. */
  readonly refusal: Refusal | null;
  readonly commands: QueueCommands;
  /** The sources that are being ingested, in this screen or elsewhere on this device. */
  readonly intake: Intake;
}

/** Holds the state of the review queue and returns it with the commands on it. */
export function useQueueScreen(params: ScreenParams): QueueScreenModel {
  const { client, host } = useUi();
  const queue = useQueue(params.path ?? null);
  const { state, dispatch } = queue;
  const decisions = useDecisions(queue);
  const current = useCurrentNote(queue, decisions);
  const wings = useWings(queue.revision);
  const ticked = useTickedNotes(state, decisions);
  const view = useNoteView(current.entry?.path ?? null, state.compareWith);

  const refs = useRefs();
  usePaneFocus(state.pane, refs);
  const acts = useRef(0);
  const focus = useFocus(refs);
  const [refusal, refuse] = useState<Refusal | null>(null);
  const held = useHeldKeys();
  const isPainted = usePainted(shownOf(state, current), refs.root);
  const guard: Guard = {
    held,
    refuse,
    isPainted: (key) => isPainted(key) && (key === state.ticked || isNoteDrawn(refs)),
  };

  const intake = intakeOf(client);
  const shown = { ...current, ...ticked, ...view, queue, decisions, refs, intake };
  const commands = queueCommands({ ...shown, host, client, acts, focus, guard });
  const requestedForm = useOpening(params, state, dispatch, commands);
  const reloadNote = (): void => {
    current.note.reload();
    current.gate.reload();
  };
  useFailedDecision(decisions, state, current.problem, { focus, reloadNote });
  useFirstFocus(state, refs);

  const onAct = (): void => {
    acts.current += 1;
    refuse(null);
    dispatch({ type: 'acted' });
    // A form requested for a note that has not arrived must not open later.
    if (state.entries !== null) requestedForm.current = undefined;
  };
  return {
    ...shown,
    state,
    wings,
    refusal,
    onAct,
    onKey: (event) => {
      held.onKeyDown(event);
      if (!event.repeat) onAct();
    },
    commands,
  };
}

/** Returns what a decision would be about: the ticked notes, else the current one. */
function shownOf({ ticked }: QueueState, { entry, shownKey }: CurrentNote): Shown {
  return ticked.size > 0
    ? { key: ticked, name: `${ticked.size} notes` }
    : { key: shownKey, name: entry?.path ?? '' };
}

/** Returns true when the text of the note is on the screen, which a narrow pane hides behind the list. */
function isNoteDrawn({ note }: QueueRefs): boolean {
  return note.current !== null && isDrawn(note.current);
}

function useCurrentNote(queue: Queue, { bulk, failure }: Decisions): CurrentNote {
  const { state, revision } = queue;
  const gone = isGone(state);
  // A note of a running bulk decision has left the queue before an answer about it comes.
  const passing = isPassing(bulk, state.current);
  const next = passing ? null : noteAfter(state);
  const isLeaving = gone || passing;
  const { entry, similar } = useWithSimilar(queue, next, isLeaving);
  const path = entry?.path ?? null;
  const texts = useNote(entry, next, { gone, passing }, revision);

  const change = path === null ? undefined : state.drafts.get(path);
  const shownHash = texts.note.value?.content_hash;
  const hash = shownHash ?? entry?.content_hash;
  const findings = texts.gate.value?.content_hash === hash ? texts.gate.value?.findings_hash : undefined;
  const draft = useMemo(
    () =>
      entry === null || hash === undefined
        ? null
        : draftOf({ ...entry, content_hash: hash }, change, findings),
    [entry, change, hash, findings],
  );
  const isBusy = bulk?.running === true;
  const destination = useDestination('promote', gone || isBusy ? null : path, draft, { revision, hash });
  const readKey = useShownKey(path, { ...texts, similar }, isLeaving);
  const place = JSON.stringify([draft, destination.state]);
  const standing = destination.state === 'free' ? destination.body : undefined;
  const isAsking = destination.state === 'asking';
  // The text that will stand is another one for another place.
  const shownKey = useMemo(
    () => (readKey === null || isAsking ? null : { readKey, place }),
    [readKey, isAsking, place, standing],
  );
  const seen = entry === null ? null : { ...entry, content_hash: shownHash ?? entry.content_hash };
  const problem = failure !== null && failure.path === path ? failure.error : null;
  return { ...texts, entry, seen, draft, destination, gone, problem, similar, shownKey };
}

/**
 * Returns a key for the text of a note once its text, gate and similar notes are read from one and the same text. Parts of
 * different texts are read again, unless the note is `frozen`.
 */
function useShownKey(
  path: string | null,
  parts: Pick<ReturnType<typeof useNote>, 'note' | 'gate'> & {
    readonly similar: AsyncState<Answer<'pending'>>;
  },
  frozen: boolean,
): string | null {
  const { note, gate, similar } = parts;
  const text = note.value?.content_hash;
  const others = [gate.value?.content_hash, similar.value?.pending[0]?.content_hash];
  const isSame = text !== undefined && others.every((hash) => hash === text);
  useEffect(() => {
    if (frozen || text === undefined || others.includes(undefined) || isSame) return;
    for (const part of [note, gate, similar]) part.reload();
  }, [text, ...others, frozen]);
  return path !== null && isSame ? `${path}\n${text}` : null;
}

function useTickedNotes(state: QueueState, { bulk, closeBulk }: Decisions): TickedNotes {
  const [bulkHall, setBulkHall] = useState<Hall | null>(null);
  const bulkItems = useMemo(
    () => bulkItemsOf(state, bulkHall),
    [state.entries, state.ticked, state.drafts, bulkHall],
  );
  const several = state.ticked.size > 0;
  useLayoutEffect(() => {
    // The result of the last run says nothing about the notes that are ticked from here on.
    if (several && bulk?.running !== true) closeBulk();
  }, [several]);
  const bulkCheck = useBulkCheck(bulkItems);
  return { bulkItems, bulkHall, setBulkHall, bulkCheck };
}

function useNoteView(path: string | null, compareWith: CompareTarget | null): NoteView {
  const [reason, setReason] = useNoteState(path, '');
  const [gateOpen, setGateOpen] = useNoteState(path, false);
  const [change, setChange] = useNoteState(`${path ?? ''} ${JSON.stringify(compareWith)}`, -1);
  const [propertiesOpen, setPropertiesOpen] = useState(false);
  const [asWritten, setAsWritten] = useNoteState(path, false);
  const gate = { gateOpen, setGateOpen, asWritten, setAsWritten };
  return { reason, setReason, ...gate, change, setChange, propertiesOpen, setPropertiesOpen };
}

/** Returns a function that moves the focus to a spot of the screen with the next rendering. */
function useFocus(refs: QueueRefs): (on: Spot) => void {
  const [focus, setFocus] = useState<{ readonly on: Spot } | null>(null);
  // A layout effect runs before the next key press, which would otherwise go to the element that had the focus.
  useLayoutEffect(() => {
    if (focus === null) return;
    const target = refs[focus.on].current;
    // An element that is not drawn cannot have the focus; the keys need it somewhere on the screen.
    const element = target !== null && isDrawn(target) ? target : refs.root.current;
    element?.focus({ preventScroll: focus.on === 'list' });
    if (focus.on === 'gate') element?.scrollIntoView({ block: 'nearest' });
  }, [focus, refs]);
  return (on) => setFocus({ on });
}

/**
 * Focuses the field that a failed decision is about, or reloads a text that has changed. A change of the draft clears the
 * failure.
 */
function useFailedDecision(
  { failure, clearFailure }: Decisions,
  { drafts }: QueueState,
  problem: CallError | null,
  { focus, reloadNote }: { readonly focus: (on: Spot) => void; readonly reloadNote: () => void },
): void {
  // A layout effect: with the next key the person may move the focus elsewhere.
  useLayoutEffect(() => {
    if (problem === null) return;
    const field = fieldOfError(problem);
    if (field !== null) focus(field);
    if (problem.code === 'hash_mismatch') reloadNote();
    // Only at the moment of the failure: a person who comes back to the note later keeps the focus where it is.
  }, [failure]);
  // The change may have removed the cause.
  const failedPath = failure?.path;
  const failedDraft = failedPath === undefined ? undefined : drafts.get(failedPath);
  const failed = useRef({ failure, failedDraft });
  useEffect(() => {
    if (failed.current.failure === failure && failed.current.failedDraft !== failedDraft) clearFailure();
    failed.current = { failure, failedDraft };
  }, [failure, failedDraft, clearFailure]);
}

/** Adds the similar notes to a note once they are known, and the near-equal ones while the list is `looking` for them. */
function useWithSimilar(
  { state: { current: entry, entries }, looking, revision }: Queue,
  next: Entry | null,
  gone: boolean,
): { readonly entry: QueueState['current']; readonly similar: AsyncState<Answer<'pending'>> } {
  const ask = entry === null || gone ? null : { path: entry.path, limit: 1 };
  // A note that leaves the queue is similar from another place; one that is written shows in the revision before the list.
  const version = useMemo(() => ({}), [entries, revision]);
  const asked = useCall('pending', ask, {
    ahead: { next: next && { path: next.path, limit: 1 }, version },
  });
  useEffect(() => {
    if (revision > 0 && !gone) asked.reload();
  }, [revision]);
  const read = asked.value?.pending[0];
  const complete = useMemo(() => {
    if (entry === null || read === undefined) return entry;
    const { similar, same, risks } = read;
    return looking ? { ...entry, similar, same, risks } : { ...entry, similar };
  }, [entry, read, looking]);
  return { entry: complete, similar: asked };
}

/** Returns true for a note that belongs to the running bulk decision. */
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

/** Holds a state that belongs to one key and starts at `start` for every other. */
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

function bulkItemsOf(state: QueueState, hall: Hall | null): BulkItem[] {
  return (state.entries ?? [])
    .filter(({ path }) => state.ticked.has(path))
    .map((entry) => {
      const suggested = draftOf(entry, state.drafts.get(entry.path));
      const draft = hall === null ? suggested : { ...suggested, hall };
      return { entry, draft, obstacle: obstacleOf(entry, draft) };
    });
}

/**
 * Opens the note and the form that the parameters of the screen name. Returns a ref with the requested form until it is open.
 */
function useOpening(
  params: ScreenParams,
  state: QueueState,
  dispatch: Queue['dispatch'],
  commands: QueueCommands,
): { current: string | undefined } {
  const lastParams = useRef<ScreenParams>(params);
  const requestedForm = useRef<string | undefined>(params.act);
  useEffect(() => {
    if (lastParams.current === params) return;
    lastParams.current = params;
    requestedForm.current = params.act;
    if (params.path !== undefined) dispatch({ type: 'want', path: params.path });
  }, [params, dispatch]);
  useEffect(() => {
    if (requestedForm.current === undefined || state.current === null || state.current.path !== params.path)
      return;
    const act = requestedForm.current;
    requestedForm.current = undefined;
    if (act === 'reject') commands.startReject();
    if (act === 'promote') commands.goTo('wing');
  }, [state.current, params]);
  return requestedForm;
}

/** Focuses the list once it has appeared, unless another element of the window has the focus. */
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
