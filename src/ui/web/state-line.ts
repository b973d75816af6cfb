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
        () => loadPending(client),
        setPending,
        (reload) => client.changes(reload),
      ),
    [client],
  );
  useEffect(
    () =>
      follow(
        () => (pace.isVisible() ? loadChecks(client) : Promise.resolve(null)),
        setChecked,
        (reload) => repeat(pace, reload),
      ),
    [client, pace, occasion],
  );
  return { ...checked, ...pending };
}

/** Calls `ask` now and on every event, and `show` with every answer but null. Returns a function that stops both. */
function follow<T>(
  ask: () => Promise<T | null>,
  show: (answer: T) => void,
  subscribe: (reload: () => void) => () => void,
): () => void {
  let isActive = true;
  const load = async (): Promise<void> => {
    const next = await ask();
    if (isActive && next !== null) show(next);
  };
  void load();
  const stop = subscribe(() => void load());
  return () => {
    isActive = false;
    stop();
  };
}

function repeat(pace: Pace, run: () => void): () => void {
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

async function loadPending(client: BrainClient): Promise<StateLine | null> {
  return nullOnError(async () => {
    const { total } = await client.call('pending', { limit: 1, similar: false, wait: false });
    return { pending: total };
  });
}

async function loadChecks(client: BrainClient): Promise<StateLine | null> {
  return nullOnError(async () => {
    const { version, checks } = await client.call('status', {});
    return { version, failing: checks.filter(({ state }) => state === 'failed').length };
  });
}

/** Returns null when the server did not answer: the last value is kept, and the frame shows the connection by itself. */
async function nullOnError(ask: () => Promise<StateLine>): Promise<StateLine | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof CallError) return error.code === 'forbidden_scope' ? {} : null;
    throw error;
  }
}
