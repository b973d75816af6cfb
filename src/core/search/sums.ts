import { classIn, docOf } from './postings';
import { addedUp, worthOf } from './scoring';

/** Some postings that stand in a row. */
export interface PostingRow {
  readonly cells: Uint32Array;
  readonly from: number;
  readonly to: number;
}

/** Postings of a term, or of several that count as one, and how much they weigh. */
export interface Scored extends PostingRow {
  readonly weight: number;
}

/** Sums are looked at so many at a time. */
export const AT_ONCE = 8;

// Functions of their own, because the engine makes better code of a loop that is not inside another.

// And without a branch for what is true now and then, which a processor guesses wrong: what is listed is written down at once,
// and stays when the count of the list goes on.

/** Lists documents with at least this score, and the scores; how many they are. */
export function listFrom(
  least: number,
  { cells, from, to, weight }: Scored,
  saturations: Int32Array,
  met: Uint32Array,
  found: Int32Array,
): number {
  let count = 0;
  for (let at = from; at < to; at += 1) {
    const posting = cells[at] ?? 0;
    const score = scoreOf(posting, saturations, weight);
    met[count] = docOf(posting);
    found[count] = score;
    count += (least - 1 - score) >>> 31;
  }
  return count;
}

/** The same for sums. */
export function listSums(
  least: number,
  sums: Int32Array,
  limit: number,
  met: Uint32Array,
  found: Int32Array,
): number {
  let count = 0;
  for (let doc = 0; doc < limit; doc += AT_ONCE) {
    // Below nothing only when all of them are below the least: then the sign of each difference is set.
    const differences =
      ((sums[doc] ?? 0) - least) &
      ((sums[doc + 1] ?? 0) - least) &
      ((sums[doc + 2] ?? 0) - least) &
      ((sums[doc + 3] ?? 0) - least) &
      ((sums[doc + 4] ?? 0) - least) &
      ((sums[doc + 5] ?? 0) - least) &
      ((sums[doc + 6] ?? 0) - least) &
      ((sums[doc + 7] ?? 0) - least);
    if (differences < 0) continue;
    for (let each = doc; each < doc + AT_ONCE; each += 1) {
      const sum = sums[each] ?? 0;
      met[count] = each;
      found[count] = sum;
      count += (least - 1 - sum) >>> 31;
    }
  }
  return count;
}

/**
 * Puts the sums of the documents that have at least so much beside them, and nothing in the place of all; how many they are.
 */
export function takeOut(
  least: number,
  sums: Int32Array,
  met: Uint32Array,
  found: Int32Array,
  all: number,
): number {
  let count = 0;
  for (let at = 0; at < all; at += 1) {
    const doc = met[at] ?? 0;
    const sum = sums[doc] ?? 0;
    sums[doc] = 0;
    met[count] = doc;
    found[count] = sum;
    count += (least - 1 - sum) >>> 31;
  }
  return count;
}

/** Two postings at a time: they are of two documents, so that the processor can work on both at once. */
export function add({ cells, from, to, weight }: Scored, saturations: Int32Array, sums: Int32Array): void {
  const pairs = to - ((to - from) & 1);
  for (let at = from; at < pairs; at += 2) {
    const first = cells[at] ?? 0;
    const second = cells[at + 1] ?? 0;
    const score = scoreOf(first, saturations, weight);
    const otherScore = scoreOf(second, saturations, weight);
    sums[docOf(first)] = (sums[docOf(first)] ?? 0) + score;
    sums[docOf(second)] = (sums[docOf(second)] ?? 0) + otherScore;
  }
  if (pairs === to) return;
  const last = cells[pairs] ?? 0;
  sums[docOf(last)] = (sums[docOf(last)] ?? 0) + scoreOf(last, saturations, weight);
}

/** The same, and lists the documents that are met for the first time behind the `count` in `met`; how many there are then. */
export function addAndList(
  { cells, from, to, weight }: Scored,
  saturations: Int32Array,
  sums: Int32Array,
  met: Uint32Array,
  count: number,
): number {
  let listed = count;
  for (let at = from; at < to; at += 1) {
    const posting = cells[at] ?? 0;
    const doc = docOf(posting);
    const before = sums[doc] ?? 0;
    met[listed] = doc;
    listed += (before - 1) >>> 31;
    sums[doc] = before + scoreOf(posting, saturations, weight);
  }
  return listed;
}

/** The same with what a document keeps of a term in the place of its score, and one more, so that it is not nothing. */
export function mergeAndList(
  { cells, from, to }: PostingRow,
  sums: Int32Array,
  met: Uint32Array,
  count: number,
): number {
  let listed = count;
  for (let at = from; at < to; at += 1) {
    const posting = cells[at] ?? 0;
    const doc = docOf(posting);
    const before = sums[doc] ?? 0;
    if (before === 0) met[listed++] = doc;
    sums[doc] = 1 + (before === 0 ? classIn(posting) : addedUp(before - 1, classIn(posting)));
  }
  return listed;
}

/** At least one, so that nothing that was met has the sum of what was not. */
export function scoreOf(posting: number, saturations: Int32Array, weight: number): number {
  return 1 + worthOf(saturations[classIn(posting)] ?? 0, weight);
}
