import type { Best } from './best';

/** Scores are counted in so many steps, so that the best are known before any of them is put into order. */
const STEPS = 256;
const counts = new Int32Array(STEPS);

/**
 * Gives the documents that may be among the best and pass to `best`, which is empty: `scores` and `docs` stand side by side,
 * `count` of them. All scores are whole numbers above 0.
 */
export function pickBest(
  docs: Uint32Array,
  scores: Int32Array,
  count: number,
  best: Best,
  passes: (doc: number) => boolean,
): void {
  const least = count > 2 * best.limit ? leastOfBest(scores, count, best.limit) : 0;
  addAll(docs, scores, count, best, passes, least);
  // Too many of those did not pass.
  if (least > 0 && !best.isFull) addAll(docs, scores, count, best.begin(best.limit), passes);
}

/** A score that at least as many reach as are wanted, and hardly more. */
function leastOfBest(scores: Int32Array, count: number, wanted: number): number {
  let least = 0x7fffffff;
  let most = 0;
  for (let at = 0; at < count; at += 1) {
    const score = scores[at] ?? 0;
    least = Math.min(least, score);
    most = Math.max(most, score);
  }
  const shift = Math.max(0, 32 - Math.clz32(most - least) - 8);
  counts.fill(0);
  for (let at = 0; at < count; at += 1) {
    const step = ((scores[at] ?? 0) - least) >>> shift;
    counts[step] = (counts[step] ?? 0) + 1;
  }
  let step = (most - least) >>> shift;
  for (let left = wanted - (counts[step] ?? 0); left > 0 && step > 0; left -= counts[step] ?? 0) step -= 1;
  return least + (step << shift);
}

/**
 * Gives those with at least the score `least` that pass to `best`, in one go: unlike `pickBest`, it does not count the scores
 * first to learn which of them are too low.
 */
export function addAll(
  docs: Uint32Array,
  scores: Int32Array,
  count: number,
  best: Best,
  passes: (doc: number) => boolean,
  least = 0,
): void {
  let floor = least;
  for (let at = 0; at < count; at += 1) {
    const score = scores[at] ?? 0;
    if (score < floor) continue;
    const doc = docs[at] ?? 0;
    if (!passes(doc)) continue;
    best.add(doc, score);
    if (best.isFull) floor = Math.max(least, best.floor);
  }
}
