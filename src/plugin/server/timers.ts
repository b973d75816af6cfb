// Node's timers and not the window's, which Chromium throttles in a hidden window.
import { clearTimeout, setTimeout } from 'node:timers';
import type { Clock } from '../../core/base/host';

/** Runs `work` once after a delay. Returns a function that cancels it. */
export type SetTimer = (milliseconds: number, work: () => void) => () => void;

/** Sets a timer that does not keep the process alive. */
export const setTimer: SetTimer = (milliseconds, work) => {
  const timer = setTimeout(work, milliseconds).unref();
  return () => clearTimeout(timer);
};

/** Timers pause while the machine sleeps, so an alarm checks the clock at this interval (ms). */
const CHECK_EVERY_MS = 10_000;

/** One task at a time of the wall clock. Setting it again cancels the previous one. */
export class Alarm {
  readonly #clock: Clock;
  readonly #later: SetTimer;
  #cancel: () => void = () => undefined;

  constructor(clock: Clock, start: SetTimer = setTimer) {
    this.#clock = clock;
    this.#later = start;
  }

  /** Runs `work` once, when this much time has passed by the wall clock or a little later. */
  set(milliseconds: number, work: () => void): void {
    this.clear();
    this.#wait(milliseconds, work);
  }

  clear(): void {
    this.#cancel();
    this.#cancel = () => undefined;
  }

  #wait(left: number, work: () => void): void {
    const since = this.#clock.now().getTime();
    const step = Math.min(left, CHECK_EVERY_MS);
    const check = (): void => {
      // At least the delay of the timer has passed, even when the clock was set back.
      const rest = left - Math.max(this.#clock.now().getTime() - since, step);
      if (rest > 0) this.#wait(rest, work);
      else work();
    };
    this.#cancel = this.#later(step, check);
  }
}
