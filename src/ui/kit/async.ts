import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { OperationName } from '../../core/operation/descriptors';
import { type Answer, type Ask, CallError } from '../../core/registry/client';
import { useUi } from '../client/context';

/** Nothing is shown as loading before this: most answers come sooner, and a flash is worse than a wait. */
const SHOW_LOADING_AFTER_MS = 150;

export interface AsyncState<T> {
  /** The last answer to what is asked now; null before the first one. Kept while it is asked again, and when that fails. */
  readonly value: T | null;
  /** Why the last try failed; null when it did not. */
  readonly error: CallError | null;
  /** True while the first answer is awaited and that has taken long enough to be worth a sign. */
  readonly loading: boolean;
  /** Asks again. What is shown stays until the answer comes. */
  readonly reload: () => void;
}

interface Settled<T> {
  readonly key: string | null;
  readonly value: T | null;
  readonly error: CallError | null;
  readonly loading: boolean;
}

/**
 * Runs `run` once for each `key`, and again on `reload`. An answer to a former key is dropped, and so is one that comes after
 * the answer to a later run. Others count, failures too, so that something is shown also while it is asked again faster than
 * answers come; an older one may be seen for as long as the newer takes. A null key asks nothing and shows nothing. With
 * `keep`, the value for the former key stays until the new one is there, which fits a page of a list and never a note.
 */
export function useAsync<T>(
  key: string | null,
  run: () => Promise<T>,
  { keep = false }: { readonly keep?: boolean } = {},
): AsyncState<T> {
  const [state, setState] = useState<Settled<T>>({ key: null, value: null, error: null, loading: false });
  const turns = useRef({ last: 0, settled: 0 });
  const runner = useRef(run);
  runner.current = run;

  const start = useCallback(() => {
    const { current: now } = turns;
    const turn = ++now.last;
    const timer = window.setTimeout(() => {
      if (turn > now.settled) setState((old) => (old.key === key ? old : { ...old, loading: true }));
    }, SHOW_LOADING_AFTER_MS);
    const settle = (change: (old: Settled<T>) => Settled<T>): void => {
      window.clearTimeout(timer);
      if (turn <= now.settled) return;
      now.settled = turn;
      setState(change);
    };
    runner.current().then(
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
  }, [key, keep]);

  useEffect(() => {
    if (key === null) return undefined;
    const stopTimer = start();
    return () => {
      stopTimer();
      // Whatever is still to come is of no interest.
      turns.current.settled = turns.current.last;
    };
  }, [key, start]);

  const reload = useCallback(() => {
    if (key !== null) start();
  }, [key, start]);
  const mine = state.key === key && key !== null;
  return {
    value: mine || (keep && key !== null) ? state.value : null,
    error: mine ? state.error : null,
    loading: !mine && key !== null && state.loading,
    reload,
  };
}

/** `useAsync` for one call of the service. A null question asks nothing. */
export function useCall<Name extends OperationName>(
  name: Name,
  ask: Ask<Name> | null,
  options: { readonly keep?: boolean } = {},
): AsyncState<Answer<Name>> {
  const { client } = useUi();
  const key = ask === null ? null : `${name} ${JSON.stringify(ask)}`;
  return useAsync(
    key,
    () => (ask === null ? Promise.reject(new Error('Nothing is asked.')) : client.call(name, ask)),
    options,
  );
}

/** Any failure as a CallError: a fault of ours is called `internal` and shows its own words. */
export function asCallError(error: unknown): CallError {
  if (error instanceof CallError) return error;
  return new CallError('internal', error instanceof Error ? error.message : String(error));
}

/** Something that a button does: whether it is under way, and why it failed the last time. */
interface Act {
  readonly working: boolean;
  readonly error: CallError | null;
  /** Does nothing while it is under way. */
  readonly run: () => void;
}

/** Runs something at a press, once at a time; `onEnd` is called afterwards, however it ended. */
export function useAct(act: () => Promise<void>, onEnd: () => void): Act {
  const [working, setWorking] = useState(false);
  const [error, setError] = useState<CallError | null>(null);
  const stands = useRef(true);
  const busy = useRef(false);
  useEffect(() => () => void (stands.current = false), []);
  const run = async (): Promise<void> => {
    if (busy.current) return;
    busy.current = true;
    setWorking(true);
    setError(null);
    try {
      await act();
    } catch (thrown) {
      if (stands.current) setError(asCallError(thrown));
    } finally {
      busy.current = false;
      if (stands.current) {
        setWorking(false);
        onEnd();
      }
    }
  };
  return { working, error, run: () => void run() };
}

const MAX_PAUSES = 3;
/** What the service answers when it only wants to be asked again later. */
const LATER = ['rate_limited', 'busy'];

/**
 * Runs something, and again after the pause that the service asks for, three times at most. `pause` gets milliseconds, and
 * what it throws ends the waiting.
 */
export async function patiently<T>(run: () => Promise<T>, pause: (ms: number) => Promise<void>): Promise<T> {
  for (let pauses = 0; ; pauses += 1) {
    try {
      return await run();
    } catch (error) {
      const { code, details } = asCallError(error);
      const seconds = details.retry_after;
      if (!LATER.includes(code) || typeof seconds !== 'number' || pauses === MAX_PAUSES) throw error;
      await pause(seconds * 1000);
    }
  }
}

/** Calls `listener` soon after anything in the vault has changed, for as long as the component stands. */
export function useChanges(listener: () => void): void {
  const { client } = useUi();
  const latest = useRef(listener);
  latest.current = listener;
  useEffect(() => client.changes(() => latest.current()), [client]);
}

/** Work that goes on is looked at this often, in milliseconds. What it has done is no change of a note. */
const LOOK_EVERY_MS = 1_500;

/**
 * The state of the service, asked again after every change, and again and again while `busy` or while it works on something.
 */
export function useStatus(busy: boolean): AsyncState<Answer<'status'>> {
  const status = useCall('status', {}, { keep: true });
  const { value, error, reload } = status;
  useChanges(reload);
  const works =
    busy || (value !== null && (value.index.state === 'building' || isSyncing(value) || isTaking(value)));
  useEffect(() => {
    if (!works) return undefined;
    const timer = window.setTimeout(reload, LOOK_EVERY_MS);
    return () => window.clearTimeout(timer);
    // Every answer, and every failure, sets the next look.
  }, [works, value, error, reload]);
  return status;
}

/** A sync runs, or the first one is soon to begin by itself. */
function isSyncing({ hybrid }: Answer<'status'>): boolean {
  return hybrid.state === 'syncing' || hybrid.state === 'starting';
}

/** The inbox is being looked through, or a file of it is taken. */
function isTaking({ watcher }: Answer<'status'>): boolean {
  return watcher.state === 'starting' || watcher.running !== undefined;
}
