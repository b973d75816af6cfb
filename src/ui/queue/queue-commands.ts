import { type Hall, HALLS } from '../../core/rules/hall';
import { type BrainClient, CallError } from '../client';
import type { UiHost } from '../host';
import { openAddSheet } from '../ingest/add-sheet';
import { wantedDrop } from '../ingest/read-files';
import type { Intake } from '../ingest/intake';
import { isField } from '../parts/keys';
import type { BulkItem } from './bulk';
import type { Draft, DraftChange, Entry } from './entry';
import { fieldOf } from './promote-problem';
import type { Seen } from './decisions';
import type { QueueRefs, Spot } from './queue-refs';
import { currentIndex } from './queue-state';
import type { Decisions, Failure } from './use-decisions';
import type { Destination } from './use-destination';
import type { Queue } from './use-queue';

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
export function queueCommands(world: World) {
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
