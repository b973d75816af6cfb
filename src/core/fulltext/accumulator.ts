import { classIn, docOf, postingOf } from './postings';
import { addedUp, worthOf } from './scoring';

/**
 * Keeps the best of many: higher scores first, equal scores as `compare` orders them, so that the order is total. A heap with
 * the worst of them on top, so that most of the others are turned away by one comparison. Made to be used again and again.
 */
export class TopK {
  readonly #compare: (a: number, b: number) => number;
  #limit = 0;
  #docs = new Uint32Array(64);
  #scores = new Float64Array(64);
  #size = 0;

  /** @param compare orders two documents with equal scores */
  constructor(compare: (a: number, b: number) => number) {
    this.#compare = compare;
  }

  /** Forgets all, and keeps the best `limit` of what comes from now on. */
  begin(limit: number): this {
    if (limit > this.#docs.length) {
      this.#docs = new Uint32Array(limit);
      this.#scores = new Float64Array(limit);
    }
    this.#limit = limit;
    this.#size = 0;
    return this;
  }

  get size(): number {
    return this.#size;
  }

  /** How many are kept at most. */
  get limit(): number {
    return this.#limit;
  }

  /** True when as many are kept as may be. */
  get isFull(): boolean {
    return this.#size === this.#limit;
  }

  /** A lower score does not come in, whatever the document. */
  get floor(): number {
    return this.#size < this.#limit ? -Infinity : (this.#scores[0] ?? Infinity);
  }

  /** The document at a rank, the best at 0. Only after `sort`. */
  doc(rank: number): number {
    return this.#docs[rank] ?? 0;
  }

  /** The score at a rank. Only after `sort`. */
  score(rank: number): number {
    return this.#scores[rank] ?? 0;
  }

  /** The rank of a document, -1 for one that was not kept. Only after `sort`. */
  rank(doc: number): number {
    for (let rank = 0; rank < this.#size; rank += 1) if (this.#docs[rank] === doc) return rank;
    return -1;
  }

  /** Considers a document, which was not considered before. */
  add(doc: number, score: number): void {
    const size = this.#size;
    if (size < this.#limit) {
      this.#size = size + 1;
      this.#rise(size, doc, score);
    } else if (size > 0 && this.#isBefore(doc, score, 0)) {
      this.#sink(size, doc, score);
    }
  }

  /** Puts what was kept into order, the best first. Nothing may be added after that. */
  sort(): void {
    const [docs, scores] = [this.#docs, this.#scores];
    for (let last = this.#size - 1; last > 0; last -= 1) {
      const [doc, score] = [docs[last] ?? 0, scores[last] ?? 0];
      docs[last] = docs[0] ?? 0;
      scores[last] = scores[0] ?? 0;
      this.#sink(last, doc, score);
    }
  }

  /** Finds the place of a document from the end of the heap up. */
  #rise(from: number, doc: number, score: number): void {
    let at = from;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#isBefore(doc, score, parent)) break;
      this.#move(parent, at);
      at = parent;
    }
    this.#docs[at] = doc;
    this.#scores[at] = score;
  }

  /** Finds the place of a document in a heap of so many, from its top down; what stood on top is gone. */
  #sink(size: number, doc: number, score: number): void {
    let at = 0;
    for (let child = 1; child < size; child = 2 * at + 1) {
      const other = child + 1;
      if (other < size && this.#isBefore(this.#docs[child] ?? 0, this.#scores[child] ?? 0, other))
        child = other;
      if (!this.#isBefore(doc, score, child)) break;
      this.#move(child, at);
      at = child;
    }
    this.#docs[at] = doc;
    this.#scores[at] = score;
  }

  #move(from: number, to: number): void {
    this.#docs[to] = this.#docs[from] ?? 0;
    this.#scores[to] = this.#scores[from] ?? 0;
  }

  #isBefore(doc: number, score: number, rank: number): boolean {
    const other = this.#scores[rank] ?? 0;
    return score > other || (score === other && this.#compare(doc, this.#docs[rank] ?? 0) < 0);
  }
}

/** Scores are counted in so many steps, so that the best are known before any of them is put into order. */
const STEPS = 256;
const counts = new Int32Array(STEPS);

/**
 * Gives the documents that may be among the best and pass to `best`, which is empty: `scores` and `docs` stand side by side,
 * `count` of them. All scores are whole numbers above 0.
 */
export function pickTop(
  docs: Uint32Array,
  scores: Int32Array,
  count: number,
  best: TopK,
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
 * Gives those with at least the score `least` that pass to `best`, in one go: unlike `pickTop`, it does not count the scores
 * first to learn which of them are too low.
 */
function addAll(
  docs: Uint32Array,
  scores: Int32Array,
  count: number,
  best: TopK,
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

/** Some postings that stand in a row. */
interface PostingRow {
  readonly cells: Uint32Array;
  readonly from: number;
  readonly to: number;
}

/** Postings of a term, or of several that count as one, and how much they weigh. */
export interface Scored extends PostingRow {
  readonly weight: number;
}

/** Sums are looked at so many at a time. */
const AT_ONCE = 8;

// Functions of their own, because the engine makes better code of a loop that is not inside another.

// And without a branch for what is true now and then, which a processor guesses wrong: what is listed is written down at once,
// and stays when the count of the list goes on.

/** Lists documents with at least this score, and the scores; how many they are. */
function listFrom(
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
function listSums(
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
function takeOut(least: number, sums: Int32Array, met: Uint32Array, found: Int32Array, all: number): number {
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
    met[listed] = doc;
    listed += (before - 1) >>> 31;
    sums[doc] = before + scoreOf(posting, saturations, weight);
  }
  return listed;
}

/** Adds each posting's cell plus one to its document, in place of a score. Plus one, since 0 means that nothing was added. */
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
  addUp(terms: readonly Scored[], saturations: Int32Array, limit: number, best: TopK, passes: Passes): void {
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

  #rankOne(term: Scored, saturations: Int32Array, best: TopK, passes: Passes): void {
    const [met, found] = [this.#met, this.#found];
    let least = this.#guessOfOne(term, saturations, best.limit);
    let count = listFrom(least, term, saturations, met, found);
    if (count < best.limit && least > 0)
      count = listFrom((least = lower(least)), term, saturations, met, found);
    pickTop(met, found, count, best, passes);
    if (least === 0 || best.isFull) return;
    addAll(met, found, listFrom(0, term, saturations, met, found), best.begin(best.limit), passes);
  }

  #addUpFew(terms: readonly Scored[], saturations: Int32Array, best: TopK, passes: Passes): void {
    const [sums, met, found] = [this.#sums, this.#met, this.#found];
    let all = 0;
    for (const term of terms) all = addAndList(term, saturations, sums, met, all);
    const guessed = this.#guessOfMet(all, best.limit);
    pickTop(met, found, takeOut(guessed, sums, met, found, all), best, passes);
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
    best: TopK,
    passes: Passes,
  ): void {
    const [sums, met, found] = [this.#sums, this.#met, this.#found];
    for (const term of terms) add(term, saturations, sums);
    // Whoever is met has a sum of at least one.
    let least = Math.max(1, this.#guessOfSums(limit, best.limit));
    try {
      let count = listSums(least, sums, limit, met, found);
      if (count < best.limit && least > 1) count = listSums((least = lower(least)), sums, limit, met, found);
      pickTop(met, found, count, best, passes);
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
