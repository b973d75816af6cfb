import type { Steps } from '../../src/core/base/steps';

/** Counts the steps of a work, with those of the calls that it makes. */
export function countSteps(work: Steps<unknown>): number {
  return runCounted(work).count;
}

function runCounted(work: Steps<unknown>): { readonly result: unknown; readonly count: number } {
  let count = 1;
  let step = work.next();
  for (; step.done !== true; count += 1) {
    const call = step.value && runCounted(step.value.here());
    count += call?.count ?? 0;
    step = work.next(call?.result);
  }
  return { result: step.value, count };
}
