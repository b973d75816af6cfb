import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { OperationName } from '../../core/operation/descriptors';
import { type Answer, type Ask, CallError } from '../../core/registry/client';
import { useUi } from '../client/context';

/** The delay before a loading sign (ms): most answers come sooner, and a flash is worse than a wait. */
const SHOW_LOADING_AFTER_MS = 150;

export interface AsyncState<T> {
  /** The last answer for the present key; null before the first. It is kept during a reload, and when that fails. */
  readonly value: T | null;
  /** The error of the last run; null when it succeeded. */
  readonly error: CallError | null;
  /** True while the first answer takes longer than `SHOW_LOADING_AFTER_MS`. */
  readonly loading: boolean;
  /** Runs again; the value stays until the answer comes. */
  readonly reload: () => void;
}

const NOTHING_AHEAD = { next: null, version: null };

interface Settled<T> {
  readonly key: string | null;
  readonly value: T | null;
  readonly error: CallError | null;
  readonly loading: boolean;
}

/** What is probably asked for next; its answer is used only while `version` stays the same. */
interface Ahead<Next> {
  readonly next: Next | null;
  readonly version: unknown;
}

/** A request that is made before its answer is needed. `value` is absent until the answer is there. */
interface Early<T> {
  readonly key: string;
  readonly version: unknown;
  readonly answer: Promise<T>;
  value?: T;
}

/**
 * Runs `run` once for each `key`, and again on `reload`. An answer for an earlier key is dropped, and so is one that comes
 * after the answer to a later run. Every other answer or failure is shown, even while a later run is under way, so that
 * reloads faster than the answers do not starve the screen. A null key runs nothing and has no value. With `keep`, the value
 * for the earlier key stays until the new one is there, which suits a page of a list, but not a note. With `ahead`, the next
 * key's answer is asked for once the present one's is there, and is then the value from the first rendering with that key on.
 */
export function useAsync<T>(
  key: string | null,
  run: () => Promise<T>,
  {
    keep = false,
    ahead = NOTHING_AHEAD,
  }: {
    readonly keep?: boolean;
    readonly ahead?: Ahead<{ readonly key: string; readonly run: () => Promise<T> }>;
  } = {},
): AsyncState<T> {
  const [state, setState] = useState<Settled<T>>({ key: null, value: null, error: null, loading: false });
  const runs = useRef({ last: 0, settled: 0 });
  const runner = useRef(run);
  runner.current = run;
  const early = useRef<Early<T> | null>(null);
  const { next, version } = ahead;
  const held = early.current?.key === key && early.current.version === version ? early.current : null;
  const asked = useRef(held);
  asked.current = held;

  const start = useCallback(
    (answer?: Promise<T>) => {
      const { current: now } = runs;
      const id = ++now.last;
      const timer = window.setTimeout(() => {
        if (id > now.settled) setState((old) => (old.key === key ? old : { ...old, loading: true }));
      }, SHOW_LOADING_AFTER_MS);
      const settle = (change: (old: Settled<T>) => Settled<T>): void => {
        window.clearTimeout(timer);
        if (id <= now.settled) return;
        now.settled = id;
        setState(change);
      };
      (answer?.catch(() => runner.current()) ?? runner.current()).then(
        (value) => settle(() => ({ key, value, error: null, loading: false })),
        (error: unknown) =>
          settle((old) => ({
            key,
            value: old.key === key || keep ? old.value : null,
            error: asCallError(error),
            loading: false,
          })),
      );
      return () => window.clearTimeout(timer);
    },
    [key, keep],
  );

  useEffect(() => {
    if (key === null) return undefined;
    const stopTimer = start(asked.current?.answer);
    return () => {
      stopTimer();
      // Answers that are still to come are dropped.
      runs.current.settled = runs.current.last;
    };
  }, [key, start]);

  const reload = useCallback(() => {
    if (key !== null) start();
  }, [key, start]);
  const isCurrent = state.key === key && key !== null;
  useEffect(() => {
    if (!isCurrent || next === null) return;
    if (early.current?.key === next.key && early.current.version === version) return;
    const request: Early<T> = { key: next.key, version, answer: next.run() };
    early.current = request;
    request.answer.then(
      (value) => (request.value = value),
      () => {
        if (early.current === request) early.current = null;
      },
    );
  }, [isCurrent, next?.key, version]);
  return {
    value: isCurrent ? state.value : (held?.value ?? (keep && key !== null ? state.value : null)),
    error: isCurrent ? state.error : null,
    loading: !isCurrent && key !== null && state.loading,
    reload,
  };
}

const NO_REQUEST = { key: null, run: () => Promise.reject(new Error('Nothing is asked.')) };

/** Calls an operation of the service through `useAsync`, with the request as key. A null request calls nothing. */
export function useCall<Name extends OperationName>(
  name: Name,
  ask: Ask<Name> | null,
  {
    keep = false,
    ahead = NOTHING_AHEAD,
  }: { readonly keep?: boolean; readonly ahead?: Ahead<Ask<Name>> } = {},
): AsyncState<Answer<Name>> {
  const { client } = useUi();
  const requestOf = (asked: Ask<Name>) => ({
    key: `${name} ${JSON.stringify(asked)}`,
    run: () => client.call(name, asked),
  });
  const { key, run } = ask === null ? NO_REQUEST : requestOf(ask);
  const next = ahead.next === null ? null : requestOf(ahead.next);
  return useAsync(key, run, { keep, ahead: { next, version: ahead.version } });
}

/** Returns any thrown value as a CallError; one that is none gets the code `internal` and keeps its message. */
export function asCallError(error: unknown): CallError {
  if (error instanceof CallError) return error;
  return new CallError('internal', error instanceof Error ? error.message : String(error));
}

/** Returns the value as it was when it had last been unchanged for `ms`; the first value at once. */
export function useRested<Value>(value: Value, ms: number): Value {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = window.setTimeout(() => setRested(value), ms);
    return () => window.clearTimeout(timer);
  }, [value, ms]);
  return rested;
}

/** The state of an action behind a button. */
interface Act {
  readonly working: boolean;
  /** The error of the last run; null when it succeeded. */
  readonly error: CallError | null;
  /** Starts the action; while it is under way, does nothing. */
  readonly run: () => void;
}

/** Runs `act` at most once at a time. After each run, failed or not, calls `onEnd` if the component is still mounted. */
export function useAct(act: () => Promise<void>, onEnd: () => void): Act {
  const [working, setWorking] = useState(false);
  const [error, setError] = useState<CallError | null>(null);
  const isMounted = useRef(true);
  const busy = useRef(false);
  useEffect(() => () => void (isMounted.current = false), []);
  const run = async (): Promise<void> => {
    if (busy.current) return;
    busy.current = true;
    setWorking(true);
    setError(null);
    try {
      await act();
    } catch (thrown) {
      if (isMounted.current) setError(asCallError(thrown));
    } finally {
      busy.current = false;
      if (isMounted.current) {
        setWorking(false);
        onEnd();
      }
    }
  };
  return { working, error, run: () => void run() };
}

const MAX_PAUSES = 3;
/** The error codes that ask the caller to try again later. */
const RETRYABLE = ['rate_limited', 'busy'];

/**
 * Runs `run`, and again after the pause that the service asks for (`retry_after`), at most three times. `pause` gets the time
 * (ms); an error that it throws ends the retries.
 */
export async function withRetries<T>(
  run: () => Promise<T>,
  pause: (ms: number) => Promise<void>,
): Promise<T> {
  for (let pauses = 0; ; pauses += 1) {
    try {
      return await run();
    } catch (error) {
      const { code, details } = asCallError(error);
      const seconds = details.retry_after;
      if (!RETRYABLE.includes(code) || typeof seconds !== 'number' || pauses === MAX_PAUSES) throw error;
      await pause(seconds * 1000);
    }
  }
}

/** Calls `listener` soon after any change in the vault, while the component is mounted. */
export function useChanges(listener: () => void): void {
  const { client } = useUi();
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => client.changes(() => latest.current()), [client]);
}

/** The polling interval while the service works, whose progress is no change of a note (ms). */
const POLL_MS = 1_500;

/**
 * Reads the status of the service, again after every change, and every `POLL_MS` while `busy` or while the service builds the
 * index, syncs embeddings or ingests the inbox.
 */
export function useStatus(busy: boolean): AsyncState<Answer<'status'>> {
  const status = useCall('status', {}, { keep: true });
  const { value, error, reload } = status;
  useChanges(reload);
  const works =
    busy || (value !== null && (value.index.state === 'building' || isSyncing(value) || isIngesting(value)));
  useEffect(() => {
    if (!works) return undefined;
    const timer = window.setTimeout(reload, POLL_MS);
    return () => window.clearTimeout(timer);
    // Every answer and every failure sets the next timer.
  }, [works, value, error, reload]);
  return status;
}

/** Returns true while a sync runs, or before the first one, which begins by itself. */
function isSyncing({ hybrid }: Answer<'status'>): boolean {
  return hybrid.state === 'syncing' || hybrid.state === 'starting';
}

/** Returns true while the inbox is scanned or a file of it is ingested. */
function isIngesting({ watcher }: Answer<'status'>): boolean {
  return watcher.state === 'starting' || watcher.running !== undefined;
}
