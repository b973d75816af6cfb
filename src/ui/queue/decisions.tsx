import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { type BrainClient, CallError } from '../../core/registry/client';
import { useUi } from '../client/context';
import type { UiHost } from '../client/host';
import { asCallError, patiently } from '../kit/async';
import { failureWords, useLate } from '../kit/feedback';
import { Icon } from '../kit/icons';
import { Key } from '../kit/keys';
import { counted } from '../kit/words';
import type { Draft, Entry } from './entry';
import { isAway, refusalWords } from './problem';
import type { Queue } from './state';

/** A note that was decided on, and how that is taken back. */
export interface Decided {
  readonly title: string;
  readonly kind: 'promoted' | 'rejected';
  /** Where it stands now. */
  readonly path: string;
  /** Where it stood in the queue. */
  readonly from: string;
}

/** A note as a person saw it: `content_hash` is that of the text that was shown. */
export type Seen = Pick<Entry, 'path' | 'title' | 'content_hash'>;

/**
 * Promotes a note as it was shown.
 * @throws CallError `hash_mismatch` when its file has changed since, or what else the service says; then nothing was changed.
 */
async function promote(client: BrainClient, seen: Seen, draft: Draft): Promise<Decided> {
  if (draft.hall === null) throw new CallError('invalid_hall', 'Choose a hall.');
  const { path } = await client.call('promote', {
    ...promoteAsk(seen.path, draft, draft.hall),
    expected_hash: seen.content_hash,
  });
  return { title: seen.title, kind: 'promoted', path, from: seen.path };
}

/** What promoting a note asks of the service; with `dry_run`, only what would come of it. */
export function promoteAsk(path: string, draft: Draft, hall: NonNullable<Draft['hall']>) {
  const { wing, slug, links } = draft;
  return { path, wing, hall, slug, ...(Object.keys(links).length > 0 && { links }) };
}

/** Rejects a note as it was shown. @throws CallError as `promote` does. */
async function reject(client: BrainClient, seen: Seen, reason: string): Promise<Decided> {
  const why = reason.trim();
  const { rejected_path: path } = await client.call('reject', {
    path: seen.path,
    expected_hash: seen.content_hash,
    ...(why !== '' && { reason: why }),
  });
  return { title: seen.title, kind: 'rejected', path, from: seen.path };
}

/** Puts a note back into the queue. Answers its path there. @throws CallError when it has been moved or changed since. */
async function takeBack(client: BrainClient, { kind, path }: Decided): Promise<string> {
  const back = await client.call(operationBack(kind), { path });
  return back.path;
}

/**
 * True when a note can still be put back to where it came from; false when it has been moved, removed or put back already.
 * @throws CallError when the service could not tell.
 */
async function canTakeBack(client: BrainClient, { kind, path, from }: Decided): Promise<boolean> {
  try {
    const back = await client.call(operationBack(kind), { path, dry_run: true });
    return back.path === from;
  } catch (error) {
    if (error instanceof CallError && isAway(error)) return false;
    throw error;
  }
}

function operationBack(kind: Decided['kind']): 'unpromote' | 'restore' {
  return kind === 'promoted' ? 'unpromote' : 'restore';
}

/** One of the ticked notes and what keeps it from being promoted just as it is suggested. */
export interface BulkItem {
  readonly entry: Entry;
  readonly draft: Draft;
  /** In words; null when nothing does. */
  readonly obstacle: string | null;
}

/** Why a note deserves a look of its own before it is promoted. */
export function obstacleOf(entry: Entry, draft: Draft): string | null {
  if (draft.wing === '' && draft.hall === null) return 'No wing and no hall suggested';
  if (draft.wing === '') return 'No wing suggested';
  if (draft.hall === null) return 'No hall suggested';
  return entry.warnings[0] ?? null;
}

interface BulkJob {
  readonly kind: 'promote' | 'reject';
  readonly items: readonly BulkItem[];
  /** For rejections. */
  readonly reason: string;
}

export interface BulkProgress {
  readonly done: number;
  readonly decided: readonly Decided[];
  /** What went wrong, by path. */
  readonly failures: ReadonlyMap<string, string>;
  /** True while the service wants a pause between many changes. */
  readonly waiting: boolean;
}

/**
 * Decides on notes one after the other, in their order. One that fails stays in the queue and does not stop the others; a
 * service that asks for a pause gets it. Stops before the next note when `isCancelled` says so, and when no server answers.
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
        await patiently(
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

/** What was decided together, the latest last. */
type DecisionGroup = readonly Decided[];

const KEY = 'queue.decisions';
/** Older decisions are forgotten beyond so many notes; the last decision is kept whole, however many it took. */
const MAX_NOTES = 500;

/** What was decided in this session, the latest last; nothing where what was kept cannot be read. */
export function keptDecisions(session: UiHost['session']): readonly DecisionGroup[] {
  const text = session.get(KEY);
  if (text === null) return [];
  try {
    const made: unknown = JSON.parse(text);
    return Array.isArray(made) && made.every(isDecision) ? made : [];
  } catch {
    return []; // Another version of the screens wrote it, or a person did.
  }
}

/** Remembers what was decided, for a screen that is opened anew. */
export function keepDecisions(session: UiHost['session'], made: readonly DecisionGroup[]): void {
  const kept: DecisionGroup[] = [];
  let notes = 0;
  for (const decision of [...made].reverse()) {
    notes += decision.length;
    if (notes > MAX_NOTES && kept.length > 0) break;
    kept.unshift(decision);
  }
  session.set(KEY, JSON.stringify(kept));
}

/** The decisions without some of their notes; one without any note is none. */
export function withoutNotes(
  made: readonly DecisionGroup[],
  gone: readonly Decided[],
): readonly DecisionGroup[] {
  const out = new Set(gone.map(({ kind, path }) => `${kind} ${path}`));
  return made
    .map((decision) => decision.filter(({ kind, path }) => !out.has(`${kind} ${path}`)))
    .filter((decision) => decision.length > 0);
}

/**
 * The notes at the end of what was decided that can no longer be put back, up to the first that can: after a reload others may
 * have moved them, and another vault may be served at the same address.
 * @throws CallError when the service could not tell.
 */
export async function noLongerBack(
  client: BrainClient,
  made: readonly DecisionGroup[],
): Promise<readonly Decided[]> {
  const gone: Decided[] = [];
  for (const one of made.flat().reverse()) {
    if (await canTakeBack(client, one)) break;
    gone.push(one);
  }
  return gone;
}

function isDecision(value: unknown): value is DecisionGroup {
  return Array.isArray(value) && value.length > 0 && value.every(isDecided);
}

function isDecided(value: unknown): value is Decided {
  if (typeof value !== 'object' || value === null) return false;
  if (!('title' in value && 'kind' in value && 'path' in value && 'from' in value)) return false;
  const { title, kind, path, from } = value;
  const isKind = kind === 'promoted' || kind === 'rejected';
  return isKind && [title, path, from].every((text) => typeof text === 'string');
}

interface UndoableDecision {
  /** The decision that comes next to be taken back; null when there is none, and before it is known that it can be. */
  readonly last: DecisionGroup | null;
  readonly latest: () => DecisionGroup | null;
  readonly add: (decision: DecisionGroup) => void;
  /** These notes are back in the queue, or can never be. */
  readonly drop: (notes: readonly Decided[]) => void;
}

/**
 * What was decided in this session, also before the screen was opened: kept where the host keeps such things, and offered
 * only once the service has said that it could be taken back. It is asked again with another `revision` when it could not tell.
 */
function useMade(revision: number): UndoableDecision {
  const { client, host } = useUi();
  const [made, setMade] = useState<readonly DecisionGroup[]>([]);
  const shown = useRef(made);
  const known = useRef(false);

  const put = useCallback(
    (next: readonly DecisionGroup[]): void => {
      keepDecisions(host.session, next);
      shown.current = next;
      setMade(next);
    },
    [host],
  );
  const drop = useCallback(
    (notes: readonly Decided[]) => put(withoutNotes(keptDecisions(host.session), notes)),
    [host, put],
  );

  useEffect(() => {
    const kept = keptDecisions(host.session);
    if (kept.length === 0) known.current = true;
    if (known.current) return undefined;
    let stands = true;
    noLongerBack(client, kept).then(
      (gone) => {
        if (!stands) return;
        known.current = true;
        drop(gone);
      },
      // What keeps the service from answering is told by the list; nothing is offered meanwhile.
      () => undefined,
    );
    return () => {
      stands = false;
    };
  }, [client, host, drop, revision]);

  return {
    last: made.at(-1) ?? null,
    latest: () => shown.current.at(-1) ?? null,
    add: (decision) => {
      if (decision.length > 0) put([...keptDecisions(host.session), decision]);
    },
    drop,
  };
}

/** What is done to one note. */
type Decision = 'promote' | 'reject';

/** A decision that did not come about: the note is in the queue as it was. */
export interface Failure {
  readonly path: string;
  readonly title: string;
  readonly kind: Decision;
  readonly error: CallError;
}

export interface Decisions {
  /** What is under way, or null. Decisions run one after another, in the order in which they were made. */
  readonly working: { readonly kind: Decision | 'undo'; readonly title: string } | null;
  /** The last decision that failed, until it is tried again or its note is changed. */
  readonly failure: Failure | null;
  readonly clearFailure: () => void;
  /** Says of a note what keeps it from being promoted, as if the service had. */
  readonly complain: (note: Seen, error: CallError) => void;
  /** The decision that `undo` would take back. */
  readonly last: DecisionGroup | null;
  /** What was last put back, until the next decision. */
  readonly restored: DecisionGroup | null;
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

/** Decides on several notes, and reports the progress. */
function useBulk(serialize: Serialize, dispatch: Queue['dispatch']) {
  const { client } = useUi();
  const [bulk, setBulk] = useState<Decisions['bulk']>(null);
  const cancelled = useRef(false);
  useEffect(() => () => void (cancelled.current = true), []);

  const run = (job: BulkJob, onDecided: (decided: readonly Decided[]) => void): Promise<void> => {
    cancelled.current = false;
    setBulk({ job, progress: NOTHING_DONE, running: true });
    return serialize(async () => {
      const progress = await runBulk(client, job, {
        isCancelled: () => cancelled.current,
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
  const made = useMade(revision);

  const remember = (decision: DecisionGroup): void => {
    made.add(decision);
    setRestored(null);
    setUndoError(null);
  };
  const undo = (stayed: () => boolean): Promise<void> =>
    serialize(async () => {
      const last = made.latest();
      if (last === null) return;
      onStart(last[0]?.title ?? '');
      setUndoError(null);
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
  return { last: made.last, restored, undoError, remember, undo };
}

/** Decides on notes of the queue, remembers what was decided in this session, and takes it back. */
export function useDecisions(queue: Queue): Decisions {
  const { client } = useUi();
  const { dispatch, hold } = queue;
  const [working, setWorking] = useState<Decisions['working']>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const serialize = useSerialQueue(hold, () => setWorking(null));
  const bulk = useBulk(serialize, dispatch);
  const { last, restored, undoError, remember, undo } = useUndoLast(queue, serialize, (title) => {
    setWorking({ kind: 'undo', title });
    bulk.closeEnded();
  });

  const decide = (kind: Decision, note: Seen, stayed: () => boolean, run: () => Promise<Decided>) => {
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
    complain: ({ path, title }, error) => setFailure({ path, title, kind: 'promote', error }),
    last,
    restored,
    undoError,
    bulk: bulk.bulk,
    promote: (note, draft, stayed) => decide('promote', note, stayed, () => promote(client, note, draft)),
    reject: (note, reason, stayed) => decide('reject', note, stayed, () => reject(client, note, reason)),
    undo,
    runBulk: (job) => {
      setFailure(null);
      return bulk.run(job, remember);
    },
    cancelBulk: bulk.cancel,
    closeBulk: bulk.close,
  };
}

const WORKING = { promote: 'Promoting', reject: 'Rejecting', undo: 'Undoing' } as const;

/** What was decided last and the way back, until the next decision. What was put back stands there in its turn. */
export function LastDecision({
  decisions,
  undo,
  wide,
}: {
  readonly decisions: Decisions;
  readonly undo: () => void;
  readonly wide: boolean;
}) {
  const { last, restored, undoError, working } = decisions;
  const isLate = useLate(working !== null);
  const isSlow = working !== null && isLate;
  return (
    <div class={isSlow ? lookOf(true, wide) : lookOf(last !== null || restored !== null, wide)} role="status">
      {isSlow ? (
        <>
          <Icon name="loader-circle" class="brain-spin" />
          <span class="brain-cut">
            {WORKING[working.kind]} <b class="brain-strong">{working.title}</b>
          </span>
        </>
      ) : undoError !== null ? (
        <>
          <Icon name="circle-x" class="brain-bad" />
          <span class="brain-cut" title={undoProblem(undoError)}>
            Not undone: {undoProblem(undoError)}
          </span>
        </>
      ) : restored !== null ? (
        <>
          <Icon name="undo-2" />
          <DecisionWords verb="Put back" decision={restored} />
        </>
      ) : (
        last !== null && (
          <>
            <Icon name={kindOf(last) === 'rejected' ? 'ban' : 'check'} class="brain-ok" />
            <DecisionWords verb={kindOf(last) === 'rejected' ? 'Rejected' : 'Promoted'} decision={last} />
          </>
        )
      )}
      {last !== null && (
        <>
          <span class="brain-push" />
          <button type="button" class="brain-plain" onClick={undo}>
            {restored === null ? 'Undo' : 'Undo one more'}
            <Key>U</Key>
          </button>
        </>
      )}
    </div>
  );
}

/** The line takes its place once there is something to say; an empty one is only there to be read out later. */
function lookOf(says: boolean, wide: boolean): string {
  if (!says) return 'brain-sr';
  return wide ? 'brain-last brain-wide-only' : 'brain-last';
}

function undoProblem(error: CallError): string {
  return isAway(error) ? 'The note is no longer where the decision had put it.' : failureWords(error);
}

function kindOf(decision: DecisionGroup): Decided['kind'] | undefined {
  return decision[0]?.kind;
}

function DecisionWords({ verb, decision }: { readonly verb: string; readonly decision: DecisionGroup }) {
  const [first] = decision;
  return (
    <span class="brain-cut">
      {verb}{' '}
      <b class="brain-strong">{decision.length === 1 ? first?.title : counted(decision.length, 'note')}</b>
    </span>
  );
}
