import type { SetTimer } from '../../src/plugin/server/timers';
import { fixedClock, type FixedClock } from './fixed-clock';

/** A clock with the timers that go by it. */
export interface ManualTime {
  readonly clock: FixedClock;
  readonly later: SetTimer;
  /** How many timers wait. */
  readonly waiting: number;
  /** Moves the time on, running what falls due on the way in its order. */
  pass(milliseconds: number): void;
  /** Moves the clock on as in a sleep of the machine, where no timer runs. */
  sleep(milliseconds: number): void;
}

/** Time that passes only when a test says so. */
export function manualTime(): ManualTime {
  const clock = fixedClock();
  const timers = new Set<{ left: number; readonly work: () => void }>();
  return {
    clock,
    later(milliseconds, work) {
      const timer = { left: milliseconds, work };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    get waiting() {
      return timers.size;
    },
    pass(milliseconds) {
      for (let left = milliseconds; ;) {
        const [next] = [...timers].sort((a, b) => a.left - b.left);
        const step = Math.min(left, next?.left ?? Infinity);
        clock.advance(step);
        for (const timer of timers) timer.left -= step;
        left -= step;
        if (next === undefined || next.left > 0) return;
        timers.delete(next);
        next.work();
      }
    },
    sleep: (milliseconds) => clock.advance(milliseconds),
  };
}
