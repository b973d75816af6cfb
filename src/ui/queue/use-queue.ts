import { useCallback, useEffect, useReducer, useRef, useState } from 'preact/hooks';
import type { CallError } from '../client';
import { useUi } from '../context';
import { asCallError } from '../parts/use-async';
import { useChanges } from '../parts/use-changes';
import { type QueueAction, queueReducer, type QueueState, startState } from './queue-state';
import { readPending } from './read-pending';

const SHOW_LOADING_AFTER_MS = 150;

export interface Queue {
  readonly state: QueueState;
  readonly dispatch: (action: QueueAction) => void;
  /** Why the queue could not be read; what was known of it is still shown. */
  readonly error: CallError | null;
  readonly loading: boolean;
  /** Grows with every change in the vault: what else is shown of it is to be read again. */
  readonly revision: number;
  readonly reload: () => void;
  /** Leaves the list as it is until the returned function is called, which brings it up to date. */
  readonly hold: () => () => void;
}

/** The review queue, kept up to date with the vault for as long as it is shown. */
export function useQueue(path: string | null): Queue {
  const { client, host } = useUi();
  const [state, dispatch] = useReducer(queueReducer, path, startState);
  const [error, setError] = useState<CallError | null>(null);
  const [loading, setLoading] = useState(false);
  const [revision, setRevision] = useState(0);
  const known = useRef(false);
  const work = useRef({ reading: false, again: false, decided: false, held: 0, stands: true });

  const reload = useCallback(() => {
    const { current: now } = work;
    if (now.reading || now.held > 0) {
      now.again = true;
      return;
    }
    now.reading = true;
    const run = async (): Promise<void> => {
      do {
        now.again = false;
        now.decided = false;
        try {
          let first = true;
          const entries = await readPending(client, (beginning) => {
            // Later on, a part of the list would look as if the rest had gone.
            if (first && !known.current) dispatch({ type: 'listed', entries: beginning, at: host.now() });
            first = false;
          });
          if (!now.stands) return;
          // A decision while it was read would bring the note back for a moment. Other changes only have it read again: where
          // they come faster than answers, nothing would be shown before they end.
          if (now.held === 0 && !now.decided) {
            known.current = true;
            dispatch({ type: 'listed', entries, at: host.now() });
          }
          setError(null);
        } catch (failure) {
          if (now.stands) setError(asCallError(failure));
        }
      } while (now.again && now.held === 0 && now.stands);
      now.reading = false;
    };
    void run();
  }, [client, host]);

  const hold = useCallback(() => {
    const { current: now } = work;
    now.held += 1;
    now.again = true;
    now.decided = true;
    return () => {
      now.held -= 1;
      reload();
    };
  }, [reload]);

  useEffect(() => {
    const { current: now } = work;
    now.stands = true;
    const timer = window.setTimeout(() => setLoading(true), SHOW_LOADING_AFTER_MS);
    reload();
    return () => {
      now.stands = false;
      window.clearTimeout(timer);
    };
  }, [reload]);
  useChanges(() => {
    setRevision((number) => number + 1);
    reload();
  });
  return { state, dispatch, error, loading: loading && state.entries === null, revision, reload, hold };
}
