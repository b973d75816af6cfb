import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type BrainClient, CallError } from '../../core/registry/client';
import { useUi } from '../client/context';
import type { UiHost } from '../client/host';
import { asCallError, withRetries } from '../kit/async';
import { type Draft, keepPlace, placeRequest } from '../place/place';
import type { Entry } from './entry';
import { isMissing, refusalWords } from './problem';
import type { Queue } from './state';

/** A decision on a note, with all that is needed to take it back. */
export interface Decided {
  readonly title: string;
  readonly kind: 'promoted' | 'rejected' | 'replaced';
  /** The present path; of a note that replaced another one, that of the other. */
  readonly path: string;
  /** The path in the queue. */
  readonly from: string;
}

/** A note as a person saw it; `content_hash` is that of the text on the screen. */
export type SeenNote = Pick<Entry, 'path' | 'title' | 'content_hash'>;

/**
 * Promotes a note as it was shown. On an error nothing was changed.
 * @throws CallError `hash_mismatch` when its file has changed since, or another error of the service
 */
async function promote(client: BrainClient, seen: SeenNote, draft: Draft): Promise<Decided> {
  if (draft.hall === null) throw new CallError('invalid_hall', 'Choose a hall.');
  const { path } = await client.call('promote', {
    ...placeRequest(seen.path, draft, draft.hall),
    expected_hash: seen.content_hash,
  });
  return { title: seen.title, kind: 'promoted', path, from: seen.path };
}

/** Rejects a note as it was shown. @throws CallError as `promote` does. */
async function reject(client: BrainClient, seen: SeenNote, reason: string): Promise<Decided> {
  const why = reason.trim();
  const { rejected_path: path } = await client.call('reject', {
    path: seen.path,
    expected_hash: seen.content_hash,
    ...(why !== '' && { reason: why }),
  });
  return { title: seen.title, kind: 'rejected', path, from: seen.path };
}

/** Puts a note back into the queue and returns its path there. @throws CallError when it has been moved or changed since. */
async function takeBack(client: BrainClient, { kind, path }: Decided): Promise<string> {
  const back = await client.call(inverseOf(kind), { path });
  return back.path;
}

/**
 * Returns true when a note can be put back to its old path; false when it was moved, removed or put back already.
 * @throws CallError when the service could not tell.
 */
async function canTakeBack(client: BrainClient, { kind, path, from }: Decided): Promise<boolean> {
  try {
    const back = await client.call(inverseOf(kind), { path, dry_run: true });
    return back.path === from;
  } catch (error) {
    if (error instanceof CallError && isMissing(error)) return false;
    throw error;
  }
}

/** Returns the operation that takes a decision back. */
function inverseOf(kind: Decided['kind']): 'unpromote' | 'restore' {
  return kind === 'rejected' ? 'restore' : 'unpromote';
}

/** One of the ticked notes. */
export interface BulkItem {
  readonly entry: Entry;
  readonly draft: Draft;
  /** The reason in words why it cannot be promoted as suggested; null when it can. */
  readonly obstacle: string | null;
}

/** Returns the reason why a note needs a look before it is promoted, or null. */
export function obstacleOf(entry: Entry, draft: Draft): string | null {
  if (draft.wing === '' && draft.hall === null) return 'No wing and no hall suggested';
  if (draft.wing === '') return 'No wing suggested';
  if (draft.hall === null) return 'No hall suggested';
  return entry.warnings[0] ?? null;
}

interface BulkJob {
  readonly kind: 'promote' | 'reject';
  readonly items: readonly BulkItem[];
  /** The reason of rejections; unused for promotions. */
  readonly reason: string;
}

export interface BulkProgress {
  readonly done: number;
  readonly decided: readonly Decided[];
  /** The errors in words, by path. */
  readonly failures: ReadonlyMap<string, string>;
  /** True while the run waits because the service has asked for a pause. */
  readonly waiting: boolean;
}

/**
 * Decides on notes one at a time, in their order. A note that fails stays in the queue, and the next ones follow. When the
 * service asks for a pause, the run waits. It ends early when `isCancelled` returns true, when no server answers, or when the
 * token is refused.
 */
export async function runBulk(
  client: BrainClient,
  job: BulkJob,
  hooks: {
    readonly isCancelled: () => boolean;
    readonly onProgress: (progress: BulkProgress) => void;
    readonly onDecided: (entry: Entry) => void;
    readonly pause: (ms: number) => Promise<void>;
  },
): Promise<BulkProgress> {
  const decided: Decided[] = [];
  const failures = new Map<string, string>();
  let done = 0;
  const progress = (waiting = false): BulkProgress => ({
    done,
    decided: [...decided],
    failures: new Map(failures),
    waiting,
  });
  for (const item of job.items) {
    if (hooks.isCancelled()) break;
    const { entry, draft } = item;
    try {
      decided.push(
        await withRetries(
          () => (job.kind === 'promote' ? promote(client, entry, draft) : reject(client, entry, job.reason)),
          async (ms) => {
            hooks.onProgress(progress(true));
            await hooks.pause(ms);
            if (hooks.isCancelled()) throw new CallError('cancelled', 'Cancelled before it was decided.');
          },
        ),
      );
      hooks.onDecided(entry);
    } catch (error) {
      const refusal = asCallError(error);
      const { code } = refusal;
      if (code !== 'cancelled') failures.set(entry.path, refusalWords(refusal));
      if (code === 'unreachable' || code === 'unauthorized') break;
    }
    done += 1;
    hooks.onProgress(progress());
  }
  return progress();
}

/** The decisions of one command, the latest last. */
export type DecisionGroup = readonly Decided[];

const KEY = 'queue.decisions';
/** The session keeps decisions on at most this many notes; the last group is kept whole whatever its size. */
const MAX_NOTES = 500;

/** Reads the decisions of this session, the latest last; none when the stored text is invalid. */
export function keptDecisions(session: UiHost['session']): readonly DecisionGroup[] {
  const text = session.get(KEY);
  if (text === null) return [];
  try {
    const groups: unknown = JSON.parse(text);
    return Array.isArray(groups) && groups.every(isGroup) ? groups : [];
  } catch {
    return []; // Another version of the screens wrote it, or a person did.
  }
}

/** Stores the decisions in the session, for a screen that is opened later. */
export function keepDecisions(session: UiHost['session'], groups: readonly DecisionGroup[]): void {
  const kept: DecisionGroup[] = [];
  let notes = 0;
  for (const group of [...groups].reverse()) {
    notes += group.length;
    if (notes > MAX_NOTES && kept.length > 0) break;
    kept.unshift(group);
  }
  session.set(KEY, JSON.stringify(kept));
}

/** Returns the groups without some notes; a group without notes is dropped. */
export function withoutNotes(
  groups: readonly DecisionGroup[],
  removed: readonly Decided[],
): readonly DecisionGroup[] {
  const out = new Set(removed.map(({ kind, path }) => `${kind} ${path}`));
  return groups
    .map((group) => group.filter(({ kind, path }) => !out.has(`${kind} ${path}`)))
    .filter((group) => group.length > 0);
}

/**
 * Returns the latest decisions that can no longer be taken back, up to the first that can. After a reload others may have
 * moved the notes, and the same address may serve another vault.
 * @throws CallError when the service could not tell.
 */
export async function notUndoable(
  client: BrainClient,
  groups: readonly DecisionGroup[],
): Promise<readonly Decided[]> {
  const lost: Decided[] = [];
  for (const decided of groups.flat().reverse()) {
    if (await canTakeBack(client, decided)) break;
    lost.push(decided);
  }
  return lost;
}

function isGroup(value: unknown): value is DecisionGroup {
  return Array.isArray(value) && value.length > 0 && value.every(isDecided);
}

function isDecided(value: unknown): value is Decided {
  if (typeof value !== 'object' || value === null) return false;
  if (!('title' in value && 'kind' in value && 'path' in value && 'from' in value)) return false;
  const { title, kind, path, from } = value;
  const isKind = kind === 'promoted' || kind === 'rejected' || kind === 'replaced';
  return isKind && [title, path, from].every((text) => typeof text === 'string');
}

/** The decisions of this session that can be taken back. */
interface UndoStack {
  /** The group that the next undo takes back; null when there is none, or before the service has confirmed that it can. */
  readonly last: DecisionGroup | null;
  /** Returns the present `last`, also before the next rendering. */
  readonly latest: () => DecisionGroup | null;
  readonly add: (group: DecisionGroup) => void;
  /** Removes notes that are back in the queue or can never be. */
  readonly drop: (notes: readonly Decided[]) => void;
}

/**
 * Holds the decisions of this session, in the session storage of the host, including those from before the screen was opened.
 * They are offered once the service has confirmed that they can be taken back; when it could not tell, it is asked again with
 * the next `revision`.
 */
function useUndoStack(revision: number): UndoStack {
  const { client, host } = useUi();
  const [groups, setGroups] = useState<readonly DecisionGroup[]>([]);
  const latest = useRef(groups);
  const isConfirmed = useRef(false);

  const put = useCallback(
    (next: readonly DecisionGroup[]): void => {
      keepDecisions(host.session, next);
      latest.current = next;
      setGroups(next);
    },
    [host],
  );
  const drop = useCallback(
    (notes: readonly Decided[]) => put(withoutNotes(keptDecisions(host.session), notes)),
    [host, put],
  );

  useEffect(() => {
    const kept = keptDecisions(host.session);
    if (kept.length === 0) isConfirmed.current = true;
    if (isConfirmed.current) return undefined;
    let isMounted = true;
    notUndoable(client, kept).then(
      (lost) => {
        if (!isMounted) return;
        isConfirmed.current = true;
        drop(lost);
      },
      // The list shows why the service does not answer; no undo is offered meanwhile.
      () => undefined,
    );
    return () => {
      isMounted = false;
    };
  }, [client, host, drop, revision]);

  return {
    last: groups.at(-1) ?? null,
    latest: () => latest.current.at(-1) ?? null,
    add: (group) => {
      if (group.length > 0) put([...keptDecisions(host.session), group]);
    },
    drop,
  };
}

type Decision = 'promote' | 'reject';

/** A decision that failed: the note is in the queue as it was. */
export interface Failure {
  readonly path: string;
  readonly title: string;
  readonly kind: Decision;
  readonly error: CallError;
}

export interface Decisions {
  /** The decision or undo under way, or null. They run one at a time, in the order in which they were made. */
  readonly working: { readonly kind: Decision | 'undo'; readonly title: string } | null;
  /** The last decision that failed, until it is tried again or its note is changed. */
  readonly failure: Failure | null;
  readonly clearFailure: () => void;
  /** Reports a promotion that failed before the service was called. */
  readonly reportFailure: (note: SeenNote, error: CallError) => void;
  /** The decision that `undo` takes back. */
  readonly last: DecisionGroup | null;
  /** The notes of the last undo, until the next decision. */
  readonly restored: DecisionGroup | null;
  readonly undoError: CallError | null;
  readonly bulk: { readonly job: BulkJob; readonly progress: BulkProgress; readonly running: boolean } | null;
  /**
   * Removes the note from the list at once, then calls the service. When the call fails, the note is back; if `stayed`
   * returns true, since the person has not gone on, it is shown with the error.
   */
  readonly promote: (note: SeenNote, draft: Draft, stayed: () => boolean) => Promise<void>;
  /** Works as `promote` does. */
  readonly reject: (note: SeenNote, reason: string, stayed: () => boolean) => Promise<void>;
  /** Tells that a note has replaced the one at `path`, and goes on to the next. */
  readonly replaced: (note: SeenNote, path: string) => Promise<void>;
  /** Puts the notes of the last decision back, and shows them if `stayed` returns true. */
  readonly undo: (stayed: () => boolean) => Promise<void>;
  readonly runBulk: (job: BulkJob) => Promise<void>;
  readonly cancelBulk: () => void;
  readonly closeBulk: () => void;
}

/** Runs asynchronous work one at a time, in the order of the calls. The list of the queue is not refreshed meanwhile. */
type Serialize = (run: () => Promise<void>) => Promise<void>;

function useSerialQueue(hold: Queue['hold'], onEnd: () => void): Serialize {
  const tail = useRef<Promise<void>>(Promise.resolve());
  return (run) => {
    const turn = tail.current.then(async () => {
      const release = hold();
      try {
        await run();
      } finally {
        onEnd();
        release();
      }
    });
    tail.current = turn.catch(() => undefined); // The caller gets the error; the next run starts all the same.
    return turn;
  };
}

const NOTHING_DONE: BulkProgress = { done: 0, decided: [], failures: new Map(), waiting: false };

/** Decides on several notes and holds the progress. */
function useBulk(serialize: Serialize, dispatch: Queue['dispatch']) {
  const { client } = useUi();
  const [bulk, setBulk] = useState<Decisions['bulk']>(null);
  const cancelled = useRef(false);
  const isMounted = useRef(true);
  useEffect(() => () => void (isMounted.current = false), []);

  const run = (job: BulkJob, onDecided: (decided: readonly Decided[]) => void): Promise<void> => {
    cancelled.current = false;
    setBulk({ job, progress: NOTHING_DONE, running: true });
    return serialize(async () => {
      const progress = await runBulk(client, job, {
        isCancelled: () => cancelled.current || !isMounted.current,
        onProgress: (now) => setBulk({ job, progress: now, running: true }),
        onDecided: ({ path }) => dispatch({ type: 'decided', path }),
        pause: (ms) => new Promise((resolve) => window.setTimeout(resolve, ms)),
      });
      if (progress.decided.length > 0) onDecided(progress.decided);
      setBulk({ job, progress, running: false });
    });
  };
  return {
    bulk,
    run,
    cancel: () => {
      cancelled.current = true;
    },
    close: () => setBulk(null),
    /** Hides the result of the last run; one that is under way stays. */
    closeEnded: () => setBulk((now) => (now?.running === true ? now : null)),
  };
}

/** Puts the notes of the last decision back into the queue. */
function useUndoLast(queue: Queue, serialize: Serialize, onStart: (title: string) => void) {
  const { client } = useUi();
  const { dispatch, revision } = queue;
  const [undoError, setUndoError] = useState<CallError | null>(null);
  const [restored, setRestored] = useState<DecisionGroup | null>(null);
  const stack = useUndoStack(revision);

  const remember = (group: DecisionGroup): void => {
    stack.add(group);
    setRestored(null);
    setUndoError(null);
  };
  const undo = (stayed: () => boolean): Promise<void> =>
    serialize(async () => {
      const last = stack.latest();
      if (last === null) return;
      onStart(last[0]?.title ?? '');
      setUndoError(null);
      const settled: Decided[] = [];
      try {
        for (const decided of [...last].reverse()) {
          const path = await takeBack(client, decided).catch((thrown: unknown) => {
            // A note that is no longer there can never be put back.
            if (isMissing(asCallError(thrown))) settled.push(decided);
            throw thrown;
          });
          settled.push(decided);
          if (stayed()) dispatch({ type: 'want', path });
        }
        setRestored(last);
      } catch (thrown) {
        setRestored(null);
        setUndoError(asCallError(thrown));
      }
      stack.drop(settled);
    });
  return { last: stack.last, restored, undoError, remember, undo };
}

/** Decides on notes of the queue, holds the decisions of this session, and takes them back. */
export function useDecisions(queue: Queue): Decisions {
  const { client, host } = useUi();
  const { dispatch, hold } = queue;
  const [working, setWorking] = useState<Decisions['working']>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const serialize = useSerialQueue(hold, () => setWorking(null));
  const bulk = useBulk(serialize, dispatch);
  const { last, restored, undoError, remember, undo } = useUndoLast(queue, serialize, (title) => {
    setWorking({ kind: 'undo', title });
    bulk.closeEnded();
  });

  const decide = (
    kind: Decision,
    note: Pick<SeenNote, 'path' | 'title'>,
    stayed: () => boolean,
    run: () => Promise<Decided>,
  ) => {
    const { path, title } = note;
    setFailure(null);
    bulk.closeEnded();
    dispatch({ type: 'leaving', path });
    return serialize(async () => {
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

  return {
    working,
    failure,
    clearFailure: useCallback(() => setFailure(null), []),
    reportFailure: ({ path, title }, error) => setFailure({ path, title, kind: 'promote', error }),
    last,
    restored,
    undoError,
    bulk: bulk.bulk,
    promote: (note, draft, stayed) =>
      decide('promote', note, stayed, async () => {
        const decided = await promote(client, note, draft);
        if (draft.hall !== null) keepPlace(host.session, { wing: draft.wing, hall: draft.hall });
        return decided;
      }),
    reject: (note, reason, stayed) => decide('reject', note, stayed, () => reject(client, note, reason)),
    replaced: ({ path: from, title }, path) =>
      decide(
        'promote',
        { path: from, title },
        () => false,
        async () => ({ title, kind: 'replaced', path, from }),
      ),
    undo,
    runBulk: (job) => {
      setFailure(null);
      return bulk.run(job, remember);
    },
    cancelBulk: bulk.cancel,
    closeBulk: bulk.close,
  };
}
