import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { CallError } from '../client';
import { useUi } from '../context';
import { asCallError } from '../parts/use-async';
import { type BulkJob, type BulkProgress, runBulk } from './bulk';
import { type Decided, promote, reject, takeBack } from './decisions';
import type { Draft, Entry } from './entry';
import type { Queue } from './use-queue';

/** What was decided together, the latest last. */
export type Decision = readonly Decided[];

export interface Decisions {
  /** What is being done to the current note, or null. */
  readonly working: 'promote' | 'reject' | 'undo' | null;
  /** Why the last try on the current note failed. */
  readonly error: CallError | null;
  readonly clearError: () => void;
  /** Says of the current note what keeps it from being decided on, as if the service had. */
  readonly complain: (error: CallError) => void;
  /** The decision that `undo` would take back. */
  readonly last: Decision | null;
  /** What was last put back, until the next decision. */
  readonly restored: Decision | null;
  readonly undoError: CallError | null;
  readonly bulk: { readonly job: BulkJob; readonly progress: BulkProgress; readonly running: boolean } | null;
  /** Each resolves true when the note was decided. */
  readonly promote: (entry: Entry, draft: Draft) => Promise<boolean>;
  readonly reject: (entry: Entry, reason: string) => Promise<boolean>;
  readonly undo: () => Promise<void>;
  readonly runBulk: (job: BulkJob) => Promise<void>;
  readonly cancelBulk: () => void;
  readonly closeBulk: () => void;
}

const NOTHING_DONE: BulkProgress = { done: 0, decided: [], failures: new Map(), waiting: false };

/** Decides on notes of the queue, remembers what was decided since the screen was opened, and takes it back. */
export function useDecisions(queue: Queue): Decisions {
  const { client } = useUi();
  const { dispatch, hold } = queue;
  const [working, setWorking] = useState<Decisions['working']>(null);
  const [error, setError] = useState<CallError | null>(null);
  const [undoError, setUndoError] = useState<CallError | null>(null);
  const [made, setMade] = useState<readonly Decision[]>([]);
  const [restored, setRestored] = useState<Decision | null>(null);
  const [bulk, setBulk] = useState<Decisions['bulk']>(null);
  const busy = useRef(false);
  const cancelled = useRef(false);
  useEffect(() => () => void (cancelled.current = true), []);

  const remember = (decision: Decision): void => {
    if (decision.length === 0) return;
    setMade((all) => [...all, decision]);
    setRestored(null);
    setUndoError(null);
  };

  /** One thing at a time; the list stands still meanwhile. Resolves false when something else was under way. */
  const exclusively = async (kind: NonNullable<Decisions['working']> | 'bulk', run: () => Promise<void>) => {
    if (busy.current) return false;
    busy.current = true;
    const release = hold();
    if (kind !== 'bulk') setWorking(kind);
    try {
      await run();
      return true;
    } finally {
      busy.current = false;
      setWorking(null);
      release();
    }
  };

  const decide = async (kind: 'promote' | 'reject', entry: Entry, run: () => Promise<Decided>) => {
    let decided = false;
    setError(null);
    await exclusively(kind, async () => {
      try {
        remember([await run()]);
        decided = true;
        dispatch({ type: 'decided', path: entry.path });
      } catch (failure) {
        setError(asCallError(failure));
      }
    });
    return decided;
  };

  const undo = async (): Promise<void> => {
    const last = made.at(-1);
    if (last === undefined) return;
    await exclusively('undo', async () => {
      const back: Decided[] = [];
      setUndoError(null);
      try {
        for (const one of [...last].reverse()) {
          const path = await takeBack(client, one);
          back.push(one);
          dispatch({ type: 'want', path });
        }
        setRestored(last);
      } catch (failure) {
        setUndoError(asCallError(failure));
      }
      const left = last.filter((one) => !back.includes(one));
      setMade((all) => (left.length === 0 ? all.slice(0, -1) : [...all.slice(0, -1), left]));
    });
  };

  const bulkRun = async (job: BulkJob): Promise<void> => {
    cancelled.current = false;
    setBulk({ job, progress: NOTHING_DONE, running: true });
    await exclusively('bulk', async () => {
      const progress = await runBulk(client, job, {
        isCancelled: () => cancelled.current,
        onProgress: (now) => setBulk({ job, progress: now, running: true }),
        onDecided: ({ path }) => dispatch({ type: 'decided', path }),
        pause: (ms) => new Promise((resolve) => window.setTimeout(resolve, ms)),
      });
      remember(progress.decided);
      setBulk({ job, progress, running: false });
    });
  };

  return {
    working,
    error,
    clearError: useCallback(() => setError(null), []),
    complain: setError,
    last: made.at(-1) ?? null,
    restored,
    undoError,
    bulk,
    promote: (entry, draft) => decide('promote', entry, () => promote(client, entry, draft)),
    reject: (entry, reason) => decide('reject', entry, () => reject(client, entry, reason)),
    undo,
    runBulk: bulkRun,
    cancelBulk: () => {
      cancelled.current = true;
    },
    closeBulk: () => setBulk(null),
  };
}
