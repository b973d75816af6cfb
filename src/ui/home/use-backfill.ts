import { useEffect, useRef, useState } from 'preact/hooks';
import type { Answer, CallError } from '../client';
import { useUi } from '../context';
import { asCallError } from '../parts/use-async';

export interface Backfill {
  /** True from the start until the service has answered. */
  readonly running: boolean;
  /** What the last one has done; null before it and while the next one runs. */
  readonly result: Answer<'backfill'> | null;
  readonly error: CallError | null;
  readonly start: () => void;
  /** Stops whatever sync runs, whoever began it. What it has done stands. */
  readonly cancel: () => void;
}

/** Fills the embeddings when the person asks for it, and stops that. `onEnd` is called after either. */
export function useBackfill(onEnd: () => void): Backfill {
  const { client } = useUi();
  const [running, setRunning] = useState(false);
  const [result, setResult] = useState<Answer<'backfill'> | null>(null);
  const [error, setError] = useState<CallError | null>(null);
  const stands = useRef(true);
  const ended = useRef(onEnd);
  ended.current = onEnd;
  useEffect(() => () => void (stands.current = false), []);

  const attempt = async (act: () => Promise<void>): Promise<void> => {
    setError(null);
    try {
      await act();
    } catch (thrown) {
      if (stands.current) setError(asCallError(thrown));
    }
    if (stands.current) ended.current();
  };
  return {
    running,
    result,
    error,
    start() {
      if (running) return;
      setRunning(true);
      setResult(null);
      void attempt(async () => {
        try {
          const answer = await client.call('backfill', {});
          if (stands.current) setResult(answer);
        } finally {
          if (stands.current) setRunning(false);
        }
      });
    },
    cancel: () => void attempt(async () => void (await client.call('cancelBackfill', {}))),
  };
}
