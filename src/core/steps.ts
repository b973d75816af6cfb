import type { Pace } from './pace';

/** Work in small steps, between which others may have their turn; it returns what comes of it. */
export type Steps<T> = Generator<void, T>;

/** Counts work in units of any kind, to tell when a step is full. */
export class Tally {
  #done = 0;

  constructor(private readonly perStep: number) {}

  /** Counts more work; true when a step is full with it: then it is time to pause. */
  isFull(units = 1): boolean {
    this.#done += units;
    if (this.#done < this.perStep) return false;
    this.#done = 0;
    return true;
  }
}

/** Does all the steps at once. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Does the steps in slices of time. */
export async function inSlices<T>(steps: Steps<T>, pace: Pick<Pace, 'run'>): Promise<T> {
  for (;;) {
    const step = await pace.run(() => steps.next());
    if (step.done === true) return step.value;
  }
}

/** From so many UTF-16 units on a text is read before its change is carried out, and waits for it … */
export const LONG_TEXT = 1 << 16;
