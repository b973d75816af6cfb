import { useEffect, useState } from 'preact/hooks';
import { type BrainClient, CallError } from '../../core/registry/client';
import type { Pace } from '../client/http';

/** What the frame says about the server beside every screen. Absent is what the token may not know. */
export interface StateLine {
  readonly version?: string;
  readonly pending?: number;
  readonly failing?: number;
}

/** A look at the whole service is work for it, so nobody who only leaves the page open causes much of it. */
const LOOK_EVERY_MS = 5 * 60_000;

/**
 * The version and the two counts of the list of screens. How many notes wait is asked after every change, which costs the
 * service nothing; what its checks say only now and then while the page can be seen, and with every other `occasion`.
 */
export function useStateLine(client: BrainClient, pace: Pace, occasion: string): StateLine {
  const [pending, setPending] = useState<StateLine>({});
  const [checked, setChecked] = useState<StateLine>({});
  useEffect(
    () =>
      follow(
        () => pendingOf(client),
        setPending,
        (again) => client.changes(again),
      ),
    [client],
  );
  useEffect(
    () =>
      follow(
        () => (pace.isVisible() ? checkedOf(client) : Promise.resolve(null)),
        setChecked,
        (again) => every(pace, again),
      ),
    [client, pace, occasion],
  );
  return { ...checked, ...pending };
}

/** Asks now and whenever it is told to, and shows every answer but null. Returns how to stop. */
function follow<T>(
  ask: () => Promise<T | null>,
  show: (answer: T) => void,
  subscribe: (again: () => void) => () => void,
): () => void {
  let stands = true;
  const load = async (): Promise<void> => {
    const next = await ask();
    if (stands && next !== null) show(next);
  };
  void load();
  const stop = subscribe(() => void load());
  return () => {
    stands = false;
    stop();
  };
}

function every(pace: Pace, run: () => void): () => void {
  let cancel: () => void;
  const next = (): void => {
    cancel = pace.later(() => {
      run();
      next();
    }, LOOK_EVERY_MS);
  };
  next();
  return () => cancel();
}

async function pendingOf(client: BrainClient): Promise<StateLine | null> {
  return unlessSilent(async () => {
    const { total } = await client.call('pending', { limit: 1, similar: false });
    return { pending: total };
  });
}

async function checkedOf(client: BrainClient): Promise<StateLine | null> {
  return unlessSilent(async () => {
    const { version, checks } = await client.call('status', {});
    return { version, failing: checks.filter(({ state }) => state === 'failed').length };
  });
}

/** Null when the server did not say: what was known stays, and the frame tells of the connection by itself. */
async function unlessSilent(ask: () => Promise<StateLine>): Promise<StateLine | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof CallError) return error.code === 'forbidden_scope' ? {} : null;
    throw error;
  }
}
