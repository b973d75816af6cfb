import type { Best } from './best';
import { addAll, pickBest } from './pick-best';
import { postingOf } from './postings';
import {
  add,
  addAndList,
  AT_ONCE,
  listFrom,
  listSums,
  mergeAndList,
  type PostingRow,
  type Scored,
  scoreOf,
  takeOut,
} from './sums';

/** With fewer postings than every so-manieth document, those that were met are listed instead of going over all. */
const SPARSE = 3;
/** A score that likely enough documents reach is guessed from every so-manieth of many … */
const SAMPLED = 32;
/** … of which there are so many at least … */
const MANY = 1024;
/** … and from more of them when there are only so many. */
const SAMPLED_OF_FEWER = 8;
const FEWER = 192;
/** A guess at a place beyond this among those looked at is of no use. */
const MOST_GUESSED = 16;

type Passes = (doc: number) => boolean;

/**
 * Adds up scores, term after term, one sum a document. Its loops count, because iterators of typed arrays cost more than the
 * work.
 */
export class Accumulator {
  /** All zero between calls; some more than there are documents, so that they can be looked at eight at a time. */
  #sums = new Int32Array(0);
  /** Documents that were met, and their sums, side by side. */
  #met = new Uint32Array(0);
  #found = new Int32Array(0);
  readonly #sample = new Int32Array(MOST_GUESSED);

  /**
   * Gives documents that are in any of the postings and pass to `best`, with the sum of their scores: all that `best` may keep
   * of them.
   * @param saturations by the class of a posting
   * @param limit above every document
   */
  addUp(terms: readonly Scored[], saturations: Int32Array, limit: number, best: Best, passes: Passes): void {
    this.#makeRoom(limit);
    const [only] = terms;
    if (terms.length === 1 && only !== undefined) {
      this.#rankOne(only, saturations, best, passes);
      return;
    }
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

  #rankOne(term: Scored, saturations: Int32Array, best: Best, passes: Passes): void {
    const [met, found] = [this.#met, this.#found];
    let least = this.#guessOfOne(term, saturations, best.limit);
    let count = listFrom(least, term, saturations, met, found);
    if (count < best.limit && least > 0)
      count = listFrom((least = lower(least)), term, saturations, met, found);
    pickBest(met, found, count, best, passes);
    if (least === 0 || best.isFull) return;
    addAll(met, found, listFrom(0, term, saturations, met, found), best.begin(best.limit), passes);
  }

  #addUpFew(terms: readonly Scored[], saturations: Int32Array, best: Best, passes: Passes): void {
    const [sums, met, found] = [this.#sums, this.#met, this.#found];
    let all = 0;
    for (const term of terms) all = addAndList(term, saturations, sums, met, all);
    const guessed = this.#guessOfMet(all, best.limit);
    pickBest(met, found, takeOut(guessed, sums, met, found, all), best, passes);
    if (guessed === 0 || best.isFull) return;
    // Now and then the guess is too high, or too few pass. Then all have to be looked at.
    all = 0;
    for (const term of terms) all = addAndList(term, saturations, sums, met, all);
    addAll(met, found, takeOut(0, sums, met, found, all), best.begin(best.limit), passes);
  }

  #addUpMany(
    terms: readonly Scored[],
    saturations: Int32Array,
    limit: number,
    best: Best,
    passes: Passes,
  ): void {
    const [sums, met, found] = [this.#sums, this.#met, this.#found];
    for (const term of terms) add(term, saturations, sums);
    // Whoever is met has a sum of at least one.
    let least = Math.max(1, this.#guessOfSums(limit, best.limit));
    try {
      let count = listSums(least, sums, limit, met, found);
      if (count < best.limit && least > 1) count = listSums((least = lower(least)), sums, limit, met, found);
      pickBest(met, found, count, best, passes);
      if (least > 1 && !best.isFull)
        addAll(met, found, listSums(1, sums, limit, met, found), best.begin(best.limit), passes);
    } finally {
      sums.fill(0, 0, limit);
    }
  }

  #makeRoom(limit: number): void {
    if (this.#sums.length >= limit + AT_ONCE) return;
    const room = limit + (limit >>> 2) + AT_ONCE;
    this.#sums = new Int32Array(room);
    this.#met = new Uint32Array(room);
    this.#found = new Int32Array(room);
  }

  /** A score that likely as many sums reach as are wanted, and not many more; 0 when it would be of no use. */
  #guessOfSums(limit: number, wanted: number): number {
    const stride = strideIn(limit);
    const rank = guessedRank(wanted, stride);
    if (rank === 0) return 0;
    const sample = this.#sample.fill(0);
    for (let doc = 0; doc < limit; doc += stride) keepIn(sample, rank, this.#sums[doc] ?? 0);
    return sample[rank - 1] ?? 0;
  }

  /** The same of the sums of the first so many documents that were met. */
  #guessOfMet(count: number, wanted: number): number {
    const stride = strideIn(count);
    const rank = guessedRank(wanted, stride);
    if (rank === 0) return 0;
    const [met, sums, sample] = [this.#met, this.#sums, this.#sample.fill(0)];
    for (let at = 0; at < count; at += stride) keepIn(sample, rank, sums[met[at] ?? 0] ?? 0);
    return sample[rank - 1] ?? 0;
  }

  /** The same of the scores for one term. */
  #guessOfOne({ cells, from, to, weight }: Scored, saturations: Int32Array, wanted: number): number {
    const stride = strideIn(to - from);
    const rank = guessedRank(wanted, stride);
    if (rank === 0) return 0;
    const sample = this.#sample.fill(0);
    for (let at = from; at < to; at += stride)
      keepIn(sample, rank, scoreOf(cells[at] ?? 0, saturations, weight));
    return sample[rank - 1] ?? 0;
  }
}

/** A guess that is hardly too high when another was. */
function lower(guess: number): number {
  return Math.max(1, guess >>> 1);
}

/** How far apart those are, among `count`, that are looked at for a guess; 0 when there are too few for one. */
function strideIn(count: number): number {
  if (count >= MANY) return SAMPLED;
  return count >= FEWER ? SAMPLED_OF_FEWER : 0;
}

/**
 * The place among the best of a sample at which a score stands that as many reach as are wanted: so far above the number of
 * them that is expected in the sample, by its deviation, that of a thousand guesses a few are too high. 0 when there is none.
 */
function guessedRank(wanted: number, stride: number): number {
  if (stride === 0) return 0;
  const expected = wanted / stride;
  const rank = Math.floor(expected + 3.5 * Math.sqrt(expected) + 1);
  return rank > MOST_GUESSED ? 0 : rank;
}

/** Keeps the highest scores, sorted. */
function keepIn(sample: Int32Array, rank: number, score: number): void {
  if (score <= (sample[rank - 1] ?? 0)) return;
  let at = rank - 1;
  for (; at > 0 && (sample[at - 1] ?? 0) < score; at -= 1) sample[at] = sample[at - 1] ?? 0;
  sample[at] = score;
}
