import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { CallError } from '../client';
import { useUi } from '../context';
import { asCallError } from '../parts/use-async';
import { type BulkJob, type BulkProgress, runBulk } from './bulk';
import { type Decided, promote, reject, type Seen, takeBack } from './decisions';
import type { Draft } from './entry';
import type { Decision } from './kept-decisions';
import { isAway } from './promote-problem';
import { useMade } from './use-made';
import type { Queue } from './use-queue';

/** What is done to one note. */
export type Deed = 'promote' | 'reject';

/** A decision that did not come about: the note is in the queue as it was. */
export interface Failure {
  readonly path: string;
  readonly title: string;
  readonly kind: Deed;
  readonly error: CallError;
}

export interface Decisions {
  /** What is under way, or null. Decisions run one after another, in the order in which they were made. */
  readonly working: { readonly kind: Deed | 'undo'; readonly title: string } | null;
  /** The last decision that failed, until it is tried again or its note is changed. */
  readonly failure: Failure | null;
  readonly clearFailure: () => void;
  /** Says of a note what keeps it from being promoted, as if the service had. */
  readonly complain: (note: Seen, error: CallError) => void;
  /** The decision that `undo` would take back. */
  readonly last: Decision | null;
  /** What was last put back, until the next decision. */
  readonly restored: Decision | null;
  readonly undoError: CallError | null;
  readonly bulk: { readonly job: BulkJob; readonly progress: BulkProgress; readonly running: boolean } | null;
  /**
   * Each takes the note out of the list at once and decides on it then. When that fails the note is back, and shown with
   * what is wrong if `stayed` says that the person has not gone on to something else.
   */
  readonly promote: (note: Seen, draft: Draft, stayed: () => boolean) => Promise<void>;
  readonly reject: (note: Seen, reason: string, stayed: () => boolean) => Promise<void>;
  /** Puts the notes of the last decision back, and shows them if `stayed` says so. */
  readonly undo: (stayed: () => boolean) => Promise<void>;
  readonly runBulk: (job: BulkJob) => Promise<void>;
  readonly cancelBulk: () => void;
  readonly closeBulk: () => void;
}

const NOTHING_DONE: BulkProgress = { done: 0, decided: [], failures: new Map(), waiting: false };

/** Decides on notes of the queue, remembers what was decided in this session, and takes it back. */
export function useDecisions(queue: Queue): Decisions {
  const { client } = useUi();
  const { dispatch, hold, revision } = queue;
  const [working, setWorking] = useState<Decisions['working']>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [undoError, setUndoError] = useState<CallError | null>(null);
  const [restored, setRestored] = useState<Decision | null>(null);
  const [bulk, setBulk] = useState<Decisions['bulk']>(null);
  const made = useMade(revision);
  const chain = useRef<Promise<void>>(Promise.resolve());
  const cancelled = useRef(false);
  useEffect(() => () => void (cancelled.current = true), []);

  const remember = (decision: Decision): void => {
    made.add(decision);
    setRestored(null);
    setUndoError(null);
  };

  /** What came of several notes is old news once something else is done. */
  const forgetBulk = (): void => setBulk((now) => (now?.running === true ? now : null));

  /** One thing after another; the list stands still meanwhile. */
  const inTurn = (run: () => Promise<void>): Promise<void> => {
    const turn = chain.current.then(async () => {
      const release = hold();
      try {
        await run();
      } finally {
        setWorking(null);
        release();
      }
    });
    chain.current = turn.catch(() => undefined); // Told by whoever waits for the turn; the next one has its own.
    return turn;
  };

  const decide = (kind: Deed, note: Seen, stayed: () => boolean, run: () => Promise<Decided>) => {
    const { path, title } = note;
    setFailure(null);
    forgetBulk();
    dispatch({ type: 'leaving', path });
    return inTurn(async () => {
      setWorking({ kind, title });
      try {
        remember([await run()]);
        dispatch({ type: 'decided', path });
      } catch (thrown) {
        setFailure({ path, title, kind, error: asCallError(thrown) });
        dispatch({ type: 'kept', path, ...(stayed() && { mode: kind }) });
      }
    });
  };

  const undo = (stayed: () => boolean): Promise<void> =>
    inTurn(async () => {
      const last = made.latest();
      if (last === null) return;
      setWorking({ kind: 'undo', title: last[0]?.title ?? '' });
      setUndoError(null);
      forgetBulk();
      const settled: Decided[] = [];
      try {
        for (const one of [...last].reverse()) {
          const path = await takeBack(client, one).catch((thrown: unknown) => {
            // A note that is no longer there will never come back.
            if (isAway(asCallError(thrown))) settled.push(one);
            throw thrown;
          });
          settled.push(one);
          if (stayed()) dispatch({ type: 'want', path });
        }
        setRestored(last);
      } catch (thrown) {
        setRestored(null);
        setUndoError(asCallError(thrown));
      }
      made.drop(settled);
    });

  const bulkRun = (job: BulkJob): Promise<void> => {
    cancelled.current = false;
    setFailure(null);
    setBulk({ job, progress: NOTHING_DONE, running: true });
    return inTurn(async () => {
      const progress = await runBulk(client, job, {
        isCancelled: () => cancelled.current,
        onProgress: (now) => setBulk({ job, progress: now, running: true }),
        onDecided: ({ path }) => dispatch({ type: 'decided', path }),
        pause: (ms) => new Promise((resolve) => window.setTimeout(resolve, ms)),
      });
      if (progress.decided.length > 0) remember(progress.decided);
      setBulk({ job, progress, running: false });
    });
  };

  return {
    working,
    failure,
    clearFailure: useCallback(() => setFailure(null), []),
    complain: ({ path, title }, error) => setFailure({ path, title, kind: 'promote', error }),
    last: made.last,
    restored,
    undoError,
    bulk,
    promote: (note, draft, stayed) => decide('promote', note, stayed, () => promote(client, note, draft)),
    reject: (note, reason, stayed) => decide('reject', note, stayed, () => reject(client, note, reason)),
    undo,
    runBulk: bulkRun,
    cancelBulk: () => {
      cancelled.current = true;
    },
    closeBulk: () => setBulk(null),
  };
}
