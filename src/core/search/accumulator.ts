import type { Best } from './best';
import { classIn, docOf, postingOf } from './postings';
import { addedUp, leastSaturation, worthOf } from './scoring';

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

/** With fewer postings than every so-manieth document, those that were met are listed instead of going over all. */
const SPARSE = 12;
/** A floor is guessed from every so-manieth of many … */
const SAMPLED = 32;
/** … when there are at least so many … */
const MANY = 1024;
/** … as the score of the so-manieth best of those, and one more for each of them that is expected among the wanted. */
const GUESSED = 4;
const MOST_GUESSED = 8;

type Passes = (doc: number) => boolean;

/** Adds up scores, term after term, one sum a document. Its loops count, because iterators of typed arrays cost more than the work. */
export class Accumulator {
  /** All zero between calls; some more than there are documents, so that they can be looked at four at a time. */
  #sums = new Int32Array(0);
  #met = new Uint32Array(0);
  readonly #sample = new Int32Array(MOST_GUESSED);

  /**
   * Gives documents that are in any of the postings and pass to `best`, with the sum of their scores: all that `best` may keep
   * of them.
   * @param saturations by the class of a posting
   * @param limit above every document
   */
  addUp(terms: readonly Scored[], saturations: Int32Array, limit: number, best: Best, passes: Passes): void {
    const [only] = terms;
    if (only === undefined) return;
    if (terms.length === 1) {
      const guessed = this.#guessOfOne(only, saturations, best.limit);
      if (guessed > 0 && rankFrom(guessed, only, saturations, best, passes)) return;
      rankFrom(0, only, saturations, best.begin(best.limit), passes);
      return;
    }
    this.#makeRoom(limit);
    let count = 0;
    for (const { from, to } of terms) count += to - from;
    if (count * SPARSE < limit) this.#addUpFew(terms, saturations, best, passes);
    else this.#addUpMany(terms, saturations, limit, best, passes);
  }

  /** The postings of several terms that count as one: a document holds it as often as it holds any of them. In no order. */
  merged(rows: readonly PostingRow[], limit: number): PostingRow {
    this.#makeRoom(limit);
    const sums = this.#sums;
    const met = this.#met;
    let count = 0;
    for (const row of rows) count = mergeAndList(row, sums, met, count);
    const postings = new Uint32Array(count);
    for (let at = 0; at < count; at += 1) {
      const doc = met[at] ?? 0;
      postings[at] = postingOf(doc, (sums[doc] ?? 1) - 1);
      sums[doc] = 0;
    }
    return { cells: postings, from: 0, to: count };
  }

  #addUpFew(terms: readonly Scored[], saturations: Int32Array, best: Best, passes: Passes): void {
    const sums = this.#sums;
    const met = this.#met;
    let count = 0;
    for (const term of terms) count = addAndList(term, saturations, sums, met, count);
    let { floor } = best;
    for (let at = 0; at < count; at += 1) {
      const doc = met[at] ?? 0;
      const sum = sums[doc] ?? 0;
      sums[doc] = 0;
      if (sum < floor || !passes(doc)) continue;
      best.add(doc, sum);
      ({ floor } = best);
    }
  }

  #addUpMany(
    terms: readonly Scored[],
    saturations: Int32Array,
    limit: number,
    best: Best,
    passes: Passes,
  ): void {
    const sums = this.#sums;
    for (const term of terms) add(term, saturations, sums);
    const guessed = this.#guessOfSums(limit, best.limit);
    if (guessed <= 1 || !pickFrom(guessed, sums, limit, best, passes)) {
      // Whoever is met has a sum of at least one.
      pickFrom(1, sums, limit, best.begin(best.limit), passes);
    }
    sums.fill(0, 0, limit);
  }

  #makeRoom(limit: number): void {
    if (this.#sums.length >= limit + 4) return;
    this.#sums = new Int32Array(limit + (limit >>> 2) + 4);
    this.#met = new Uint32Array(limit + (limit >>> 2));
  }

  /** A score that likely as many sums reach as are wanted, and not many more; 0 when it would be of no use. */
  #guessOfSums(limit: number, wanted: number): number {
    const rank = guessedRank(wanted);
    if (limit < MANY || rank > MOST_GUESSED) return 0;
    const sample = this.#sample.fill(0);
    for (let doc = 0; doc < limit; doc += SAMPLED) keepIn(sample, rank, this.#sums[doc] ?? 0);
    return sample[rank - 1] ?? 0;
  }

  /** The same of the scores for one term. */
  #guessOfOne({ cells, from, to, weight }: Scored, saturations: Int32Array, wanted: number): number {
    const rank = guessedRank(wanted);
    if (to - from < MANY || rank > MOST_GUESSED) return 0;
    const sample = this.#sample.fill(0);
    for (let at = from; at < to; at += SAMPLED)
      keepIn(sample, rank, scoreOf(cells[at] ?? 0, saturations, weight));
    return sample[rank - 1] ?? 0;
  }
}

/** Chosen so that of a thousand guesses a few are too high, and the work has to be done once more without one. */
function guessedRank(wanted: number): number {
  return GUESSED + Math.floor(wanted / SAMPLED);
}

/** Keeps the highest scores, sorted. */
function keepIn(sample: Int32Array, rank: number, score: number): void {
  if (score <= (sample[rank - 1] ?? 0)) return;
  let at = rank - 1;
  for (; at > 0 && (sample[at - 1] ?? 0) < score; at -= 1) sample[at] = sample[at - 1] ?? 0;
  sample[at] = score;
}

// Functions of their own, because the engine makes better code of a loop that is not inside another.

/** Gives documents with at least this score to `best`; false when it has room for others then. */
function rankFrom(
  least: number,
  { cells, from, to, weight }: Scored,
  saturations: Int32Array,
  best: Best,
  passes: Passes,
): boolean {
  let floor = Math.max(least, best.floor);
  let enough = leastSaturation(floor - 1, weight);
  for (let at = from; at < to; at += 1) {
    const posting = cells[at] ?? 0;
    if ((saturations[classIn(posting)] ?? 0) < enough || !passes(docOf(posting))) continue;
    best.add(docOf(posting), scoreOf(posting, saturations, weight));
    if (best.floor <= floor) continue;
    ({ floor } = best);
    enough = leastSaturation(floor - 1, weight);
  }
  return best.isFull;
}

/** The same for sums. */
function pickFrom(least: number, sums: Int32Array, limit: number, best: Best, passes: Passes): boolean {
  let floor = Math.max(least, best.floor);
  for (let doc = 0; doc < limit; doc += 4) {
    const low =
      (sums[doc] ?? 0) < floor &&
      (sums[doc + 1] ?? 0) < floor &&
      (sums[doc + 2] ?? 0) < floor &&
      (sums[doc + 3] ?? 0) < floor;
    if (low) continue;
    for (let each = doc; each < doc + 4; each += 1) {
      const sum = sums[each] ?? 0;
      if (sum < floor || !passes(each)) continue;
      best.add(each, sum);
      floor = Math.max(least, best.floor);
    }
  }
  return best.isFull;
}

/** Two postings at a time: they are of two documents, so that the processor can work on both at once. */
function add({ cells, from, to, weight }: Scored, saturations: Int32Array, sums: Int32Array): void {
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
function addAndList(
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
    if (before === 0) met[listed++] = doc;
    sums[doc] = before + scoreOf(posting, saturations, weight);
  }
  return listed;
}

/** The same with what a document keeps of a term in the place of its score, and one more, so that it is not nothing. */
function mergeAndList(
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
function scoreOf(posting: number, saturations: Int32Array, weight: number): number {
  return 1 + worthOf(saturations[classIn(posting)] ?? 0, weight);
}
