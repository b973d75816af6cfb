// Not the window's timers: Chromium slows those of a hidden window down.
import { clearTimeout, setTimeout } from 'node:timers';
import type { Clock } from '../../core/base/host';

/** Does `work` after so many milliseconds, once; returns how to call that off. */
export type SetTimer = (milliseconds: number, work: () => void) => () => void;

/** With the timers of this machine; what waits keeps no process alive. */
export const setTimer: SetTimer = (milliseconds, work) => {
  const timer = setTimeout(work, milliseconds).unref();
  return () => clearTimeout(timer);
};

/** Timers stand still while the machine sleeps, so an alarm looks at the clock this often, in milliseconds. */
const LOOK_EVERY_MS = 10_000;

/** One thing to be done at a time of the wall clock. Setting it again forgets the former one. */
export class Alarm {
  readonly #clock: Clock;
  readonly #later: SetTimer;
  #callOff: () => void = () => undefined;

  constructor(clock: Clock, start: SetTimer = setTimer) {
    this.#clock = clock;
    this.#later = start;
  }

  /** Does `work` once, when so many milliseconds have passed by the clock, or a little after. */
  set(milliseconds: number, work: () => void): void {
    this.clear();
    this.#wait(milliseconds, work);
  }

  clear(): void {
    this.#callOff();
    this.#callOff = () => undefined;
  }

  #wait(left: number, work: () => void): void {
    const since = this.#clock.now().getTime();
    const step = Math.min(left, LOOK_EVERY_MS);
    const look = (): void => {
      // At least the timer's own time has passed, also when the clock was set back.
      const still = left - Math.max(this.#clock.now().getTime() - since, step);
      if (still > 0) this.#wait(still, work);
      else work();
    };
    this.#callOff = this.#later(step, look);
  }
}
