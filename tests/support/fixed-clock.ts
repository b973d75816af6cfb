import type { Clock } from '../../src/core/base/host';

/** A clock that stands still until it is told to go on. */
export interface FixedClock extends Clock {
  /** Moves the time forward by `ms` milliseconds. */
  advance(ms: number): void;
}

/** A clock that shows `time` (RFC 3339). */
export function fixedClock(time = '2026-11-20T10:32:00Z'): FixedClock {
  let now = Date.parse(time);
  return {
    now: () => new Date(now),
    advance: (ms) => {
      now += ms;
    },
  };
}
