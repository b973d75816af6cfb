import { useEffect, useState } from 'preact/hooks';
import { type BrainClient, CallError } from '../client';

/** What the frame says about the server beside every screen. Absent is what the token may not know. */
export interface StateLine {
  readonly version?: string;
  readonly pending?: number;
  readonly failing?: number;
}

/** The version and the two counts of the list of screens, fresh after every change. */
export function useStateLine(client: BrainClient): StateLine {
  const [line, setLine] = useState<StateLine>({});
  useEffect(() => {
    let current = true;
    const load = async (): Promise<void> => {
      const next = await stateOf(client);
      if (current && next !== null) setLine(next);
    };
    void load();
    const stop = client.changes(() => void load());
    return () => {
      current = false;
      stop();
    };
  }, [client]);
  return line;
}

/** Null when the server did not say: what was known stays, and the frame tells of the connection by itself. */
async function stateOf(client: BrainClient): Promise<StateLine | null> {
  try {
    const { version, queue, checks } = await client.call('status', {});
    const failing = checks.filter(({ state }) => state === 'failed').length;
    return { version, pending: queue.count, failing };
  } catch (error) {
    if (error instanceof CallError) return error.code === 'forbidden_scope' ? {} : null;
    throw error;
  }
}
