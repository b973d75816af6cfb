import { useEffect, useRef, useState } from 'preact/hooks';
import type { CallError } from '../client';
import { asCallError } from '../parts/use-async';

/** Something that a button does: whether it is under way, and why it failed the last time. */
export interface Act {
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
