import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { useUi } from '../context';
import type { ScreenParams } from '../screens';
import { askedOf, paramsOf } from './search-params';
import type { Asked } from './use-search';

/** Typing that has rested for so long is what the person meant, and worth a place in the address. */
const KEEP_AFTER_MS = 1_200;

export interface AskedState {
  readonly asked: Asked;
  readonly change: (part: Partial<Asked>) => void;
  /** Puts what is asked now into the address, so that coming back shows it. */
  readonly keep: () => void;
}

/**
 * What the screen asks: from the parameters, then from the person. A choice goes into the address at once, typing when it
 * rests, so that going back does not pass every letter.
 */
export function useAsked(params: ScreenParams): AskedState {
  const { host } = useUi();
  const [asked, setAsked] = useState(() => askedOf(params));
  const given = JSON.stringify(paramsOf(askedOf(params)));
  /** What the address says, or will say once the host has come round to it. */
  const kept = useRef(given);
  const latest = useRef(asked);
  latest.current = asked;

  // Parameters that are not an echo of ours are a link, or a step back.
  useEffect(() => {
    if (given === kept.current) return;
    kept.current = given;
    setAsked(askedOf(params));
  }, [given]);

  const keep = useCallback(() => {
    const params = paramsOf(latest.current);
    const text = JSON.stringify(params);
    if (text === kept.current) return;
    kept.current = text;
    host.go('search', params);
  }, [host]);

  useEffect(() => {
    const timer = window.setTimeout(keep, KEEP_AFTER_MS);
    return () => window.clearTimeout(timer);
  }, [asked.query, keep]);
  useEffect(keep, [asked.wing, asked.hall, asked.raw, keep]);

  const change = (part: Partial<Asked>): void => setAsked((old) => ({ ...old, ...part }));
  return { asked, change, keep };
}
