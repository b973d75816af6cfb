import { useEffect, useState } from 'preact/hooks';
import { type BrainClient, CallError } from '../../core/registry/client';
import type { Pace } from '../client/http';

/** The state of the server in the navigation. A field that the token may not read is absent. */
export interface StateLine {
  readonly version?: string;
  readonly pending?: number;
  readonly failing?: number;
}

/** The interval of status checks, which cost the service work, so that an idle page causes little. */
const LOOK_EVERY_MS = 5 * 60_000;

/**
 * Loads the version and the two counts of the navigation. The number of pending notes is loaded after every change, which is
 * cheap. The status is loaded rarely while the page is visible, and whenever `occasion` changes.
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

/** Calls `ask` now and on every event, and `show` with every answer but null. Returns a function that stops both. */
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

/** Returns null when the server did not answer: the last value is kept, and the frame shows the connection by itself. */
async function unlessSilent(ask: () => Promise<StateLine>): Promise<StateLine | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof CallError) return error.code === 'forbidden_scope' ? {} : null;
    throw error;
  }
}
