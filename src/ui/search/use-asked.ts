import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { useUi } from '../context';
import type { ScreenParams } from '../screens';
import { askedOf, paramsOf } from './search-params';
import { type Asked, isNarrowed } from './use-search';

/** Typing that has rested for so long is what the person meant, and worth a place in the address. */
const KEEP_AFTER_MS = 1_200;

export interface AskedState {
  readonly asked: Asked;
  readonly change: (part: Partial<Asked>) => void;
  /** The person means what is asked now: it gets a step of its own, to which going back leads. */
  readonly keep: () => void;
}

/**
 * What the screen asks: from the parameters, then from the person. A choice, and a query that was submitted, are steps of the
 * host. Typing that only rests replaces the step that is there, so that going back passes no half of a word; what was
 * submitted before is never replaced.
 */
export function useAsked(params: ScreenParams): AskedState {
  const { host } = useUi();
  const [asked, setAsked] = useState(() => askedOf(params));
  const given = JSON.stringify(paramsOf(askedOf(params)));
  /** What the address says, or will say once the host has come round to it. */
  const kept = useRef(given);
  /** Whether the person meant that: a search that was opened with nothing to ask is nothing to come back to. */
  const isMeant = useRef(asked.query !== '' || isNarrowed(asked));
  const latest = useRef(asked);
  latest.current = asked;

  // Parameters that are not an echo of ours are a link, or a step back.
  useEffect(() => {
    if (given === kept.current) return;
    kept.current = given;
    isMeant.current = true;
    setAsked(askedOf(params));
  }, [given]);

  const put = useCallback(
    (replace: boolean) => {
      const next = paramsOf(latest.current);
      const text = JSON.stringify(next);
      if (text === kept.current) return;
      kept.current = text;
      host.go('search', next, { replace });
    },
    [host],
  );
  const keep = useCallback(() => {
    put(!isMeant.current);
    isMeant.current = true;
  }, [put]);

  useEffect(() => {
    const timer = window.setTimeout(() => {
      if (JSON.stringify(paramsOf(latest.current)) === kept.current) return;
      put(!isMeant.current);
      isMeant.current = false;
    }, KEEP_AFTER_MS);
    return () => window.clearTimeout(timer);
  }, [asked.query, put]);
  const choice = JSON.stringify({ ...asked, query: '' });
  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    put(false);
    isMeant.current = true;
  }, [choice, put]);

  const change = (part: Partial<Asked>): void => setAsked((old) => ({ ...old, ...part }));
  return { asked, change, keep };
}
