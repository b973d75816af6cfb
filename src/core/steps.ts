import type { Pace } from './pace';

/** Work in small steps, between which others may have their turn; it returns what comes of it. */
export type Steps<T> = Generator<void, T>;

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
