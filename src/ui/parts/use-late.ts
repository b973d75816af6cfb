import { useEffect, useState } from 'preact/hooks';

/** Shorter waits are over before a sign of them could be read. */
const LATE_AFTER_MS = 150;

/** True once something has been going on for long enough to be worth a sign. */
export function useLate(isGoingOn: boolean): boolean {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    if (!isGoingOn) return undefined;
    const timer = window.setTimeout(() => setLate(true), LATE_AFTER_MS);
    return () => {
      window.clearTimeout(timer);
      setLate(false);
    };
  }, [isGoingOn]);
  return isGoingOn && isLate;
}
