import type { Steps } from '../steps';

/** So many items are sorted, merged or looked at in one step. */
export const ITEMS_PER_STEP = 2048;

/** What `items.sort(compare)` gives, a new array when there are many, a part of the work a step. */
export function* sortSteps<T extends object>(items: T[], compare: (a: T, b: T) => number): Steps<T[]> {
  if (items.length <= ITEMS_PER_STEP) return items.sort(compare);
  let runs: T[][] = [];
  for (let from = 0; from < items.length; from += ITEMS_PER_STEP) {
    runs.push(items.slice(from, from + ITEMS_PER_STEP).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const longer: T[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      longer.push(yield* merge(runs[at] ?? [], runs[at + 1] ?? [], compare));
    }
    runs = longer;
  }
  return runs[0] ?? [];
}

/** Of equal items those of the first run come first. */
function* merge<T extends object>(first: T[], second: T[], compare: (a: T, b: T) => number): Steps<T[]> {
  const [last] = first.slice(-1);
  const [next] = second;
  if (last === undefined || next === undefined || compare(last, next) <= 0) {
    yield;
    return first.concat(second);
  }
  const merged: T[] = [];
  let [a, b] = [0, 0];
  for (;;) {
    const left = first[a];
    const right = second[b];
    if (left === undefined && right === undefined) return merged;
    if (left !== undefined && (right === undefined || compare(left, right) <= 0)) {
      merged.push(left);
      a += 1;
    } else if (right !== undefined) {
      merged.push(right);
      b += 1;
    }
    if (merged.length % ITEMS_PER_STEP === 0) yield;
  }
}
