import { classIn, docOf, postingOf, type PostingRange } from './postings';
import { sumOfClasses, worthOf } from './scoring';

/**
 * The best `limit` of many documents: higher scores first, equal scores in the order of `compare`, so that the order is
 * total. A heap with the worst document on top, so that one comparison rejects most others. An instance is reused for many
 * searches.
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

  /** Starts over, to keep the best `limit` of the documents added from now on. */
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

  /** The maximum number of documents to keep. */
  get limit(): number {
    return this.#limit;
  }

  get isFull(): boolean {
    return this.#size === this.#limit;
  }

  /** The lowest score that can still get in. */
  get floor(): number {
    return this.#size < this.#limit ? -Infinity : (this.#scores[0] ?? Infinity);
  }

  /** Returns the document at a rank, from 0 for the best. Only after `sort`. */
  doc(rank: number): number {
    return this.#docs[rank] ?? 0;
  }

  /** Returns the score at a rank. Only after `sort`. */
  score(rank: number): number {
    return this.#scores[rank] ?? 0;
  }

  /** Returns the rank of a document, or -1 if it was not kept. Only after `sort`. */
  rank(doc: number): number {
    for (let rank = 0; rank < this.#size; rank += 1) if (this.#docs[rank] === doc) return rank;
    return -1;
  }

  /** Adds a document that was not added before, if it is good enough. */
  add(doc: number, score: number): void {
    const size = this.#size;
    if (size < this.#limit) {
      this.#size = size + 1;
      this.#rise(size, doc, score);
    } else if (size > 0 && this.#isBefore(doc, score, 0)) {
      this.#sink(size, doc, score);
    }
  }

  /** Sorts what was kept, the best first. Nothing may be added after that. */
  sort(): void {
    const [docs, scores] = [this.#docs, this.#scores];
    for (let last = this.#size - 1; last > 0; last -= 1) {
      const [doc, score] = [docs[last] ?? 0, scores[last] ?? 0];
      docs[last] = docs[0] ?? 0;
      scores[last] = scores[0] ?? 0;
      this.#sink(last, doc, score);
    }
  }

  /** Sifts a document up from a slot of the heap. */
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

  /** Sifts a document down from the top of a heap of `size`, in place of the one there. */
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

/** The number of buckets in the histogram of scores that finds the best ones before any is sorted. */
const STEPS = 256;
const counts = new Int32Array(STEPS);

/**
 * Adds to `best`, which must be empty, the documents that pass and may be among the best. `docs` and `scores` are parallel
 * arrays of `count`; all scores are integers above 0.
 */
export function pickTop(
  docs: Uint32Array,
  scores: Int32Array,
  count: number,
  best: TopK,
  passes: (doc: number) => boolean,
): void {
  const least = count > 2 * best.limit ? thresholdFor(scores, count, best.limit) : 0;
  addAll(docs, scores, count, best, passes, least);
  // Too many of the documents above the threshold did not pass.
  if (least > 0 && !best.isFull) addAll(docs, scores, count, best.begin(best.limit), passes);
}

/** Returns a score that at least `wanted` of the scores reach, and hardly more. */
function thresholdFor(scores: Int32Array, count: number, wanted: number): number {
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

/** Adds to `best` the documents that pass and score at least `least`. Unlike `pickTop` it makes no histogram first. */
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

/** The postings of a group of terms, with its weight. */
export interface Scored extends PostingRange {
  readonly weight: number;
}

/** The number of sums that one test looks at. */
const AT_ONCE = 8;

// These loops are functions of their own, because the engine compiles a loop better when it is not inside another.

// They do not branch on what is true now and then, since a processor mispredicts that: a value is always written to the list,
// and the count advances only if it belongs there.

/** Writes the documents of a group that score at least `least`, and their scores; returns their number. */
function listScores(
  least: number,
  { cells, from, to, weight }: Scored,
  saturations: Int32Array,
  touched: Uint32Array,
  scores: Int32Array,
): number {
  let count = 0;
  for (let at = from; at < to; at += 1) {
    const posting = cells[at] ?? 0;
    const score = scoreOf(posting, saturations, weight);
    touched[count] = docOf(posting);
    scores[count] = score;
    count += (least - 1 - score) >>> 31;
  }
  return count;
}

/** Writes the documents whose sums are at least `least`, and the sums; returns their number. */
function listSums(
  least: number,
  sums: Int32Array,
  limit: number,
  touched: Uint32Array,
  scores: Int32Array,
): number {
  let count = 0;
  for (let doc = 0; doc < limit; doc += AT_ONCE) {
    // The sign bit is set only if it is set in every difference, that is, if all sums are below `least`.
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
      touched[count] = each;
      scores[count] = sum;
      count += (least - 1 - sum) >>> 31;
    }
  }
  return count;
}

/**
 * Keeps of `all` listed documents those with a sum of at least `least`, writes these sums, and resets the sums of all;
 * returns the number kept.
 */
function collectSums(
  least: number,
  sums: Int32Array,
  touched: Uint32Array,
  scores: Int32Array,
  all: number,
): number {
  let count = 0;
  for (let at = 0; at < all; at += 1) {
    const doc = touched[at] ?? 0;
    const sum = sums[doc] ?? 0;
    sums[doc] = 0;
    touched[count] = doc;
    scores[count] = sum;
    count += (least - 1 - sum) >>> 31;
  }
  return count;
}

/** Adds two postings at a time: they are of two documents, so the processor can work on both at once. */
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

/**
 * Does the same as `add`, and appends the documents touched for the first time to the `count` in `touched`; returns their new number.
 */
function addAndList(
  { cells, from, to, weight }: Scored,
  saturations: Int32Array,
  sums: Int32Array,
  touched: Uint32Array,
  count: number,
): number {
  let listed = count;
  for (let at = from; at < to; at += 1) {
    const posting = cells[at] ?? 0;
    const doc = docOf(posting);
    const before = sums[doc] ?? 0;
    touched[listed] = doc;
    listed += (before - 1) >>> 31;
    sums[doc] = before + scoreOf(posting, saturations, weight);
  }
  return listed;
}

/**
 * Merges the class of each posting into the sum of its document, instead of a score. It stores the class plus 1, since 0
 * means that the document was not met.
 */
function mergeAndList(
  { cells, from, to }: PostingRange,
  sums: Int32Array,
  touched: Uint32Array,
  count: number,
): number {
  let listed = count;
  for (let at = from; at < to; at += 1) {
    const posting = cells[at] ?? 0;
    const doc = docOf(posting);
    const before = sums[doc] ?? 0;
    if (before === 0) touched[listed++] = doc;
    sums[doc] = 1 + (before === 0 ? classIn(posting) : sumOfClasses(before - 1, classIn(posting)));
  }
  return listed;
}

/** Returns at least 1, so that no document that was met has the sum of one that was not. */
function scoreOf(posting: number, saturations: Int32Array, weight: number): number {
  return 1 + worthOf(saturations[classIn(posting)] ?? 0, weight);
}

/** With fewer postings than a third of the documents, the documents touched are listed, instead of scanning all sums. */
const SPARSE = 3;
/** The sampling stride of the estimated threshold, for at least MIN_FOR_WIDE_STRIDE scores. */
const WIDE_STRIDE = 32;
const MIN_FOR_WIDE_STRIDE = 1024;
/** The sampling stride for at least MIN_FOR_NARROW_STRIDE scores. Fewer give no estimate. */
const NARROW_STRIDE = 8;
const MIN_FOR_NARROW_STRIDE = 192;
/** The maximum rank in the sample that an estimate uses. */
const MAX_SAMPLE_RANK = 16;

type Passes = (doc: number) => boolean;

/**
 * Sums scores term at a time, into one array of sums by document. The loops are by index, because iterators of typed arrays
 * cost more than the work.
 */
export class Accumulator {
  /** All zero between calls. Longer than the number of documents, because it is read eight at a time. */
  #sums = new Int32Array(0);
  /** Documents touched and their sums, as parallel arrays. */
  #touched = new Uint32Array(0);
  #scores = new Int32Array(0);
  readonly #sample = new Int32Array(MAX_SAMPLE_RANK);

  /**
   * Adds to `best` the documents in any of the postings that pass, with the sum of their scores, as far as they can be among
   * the best.
   * @param saturations by the class of a posting
   * @param limit an upper bound (exclusive) of the documents
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

  /**
   * Merges the postings of several terms that count as one, in no order: the frequency in a document is the sum of those of
   * the terms.
   */
  merged(rows: readonly PostingRange[], limit: number): PostingRange {
    this.#makeRoom(limit);
    const sums = this.#sums;
    const touched = this.#touched;
    let count = 0;
    for (const row of rows) count = mergeAndList(row, sums, touched, count);
    const postings = new Uint32Array(count);
    for (let at = 0; at < count; at += 1) {
      const doc = touched[at] ?? 0;
      postings[at] = postingOf(doc, (sums[doc] ?? 1) - 1);
      sums[doc] = 0;
    }
    return { cells: postings, from: 0, to: count };
  }

  #rankOne(term: Scored, saturations: Int32Array, best: TopK, passes: Passes): void {
    const [touched, scores] = [this.#touched, this.#scores];
    let least = this.#estimateOfOne(term, saturations, best.limit);
    let count = listScores(least, term, saturations, touched, scores);
    if (count < best.limit && least > 0)
      count = listScores((least = lowered(least)), term, saturations, touched, scores);
    pickTop(touched, scores, count, best, passes);
    if (least === 0 || best.isFull) return;
    addAll(
      touched,
      scores,
      listScores(0, term, saturations, touched, scores),
      best.begin(best.limit),
      passes,
    );
  }

  #addUpFew(terms: readonly Scored[], saturations: Int32Array, best: TopK, passes: Passes): void {
    const [sums, touched, scores] = [this.#sums, this.#touched, this.#scores];
    let all = 0;
    for (const term of terms) all = addAndList(term, saturations, sums, touched, all);
    const estimate = this.#estimateOfTouched(all, best.limit);
    pickTop(touched, scores, collectSums(estimate, sums, touched, scores, all), best, passes);
    if (estimate === 0 || best.isFull) return;
    // The estimate was too high, or too few documents passed: look at all.
    all = 0;
    for (const term of terms) all = addAndList(term, saturations, sums, touched, all);
    addAll(touched, scores, collectSums(0, sums, touched, scores, all), best.begin(best.limit), passes);
  }

  #addUpMany(
    terms: readonly Scored[],
    saturations: Int32Array,
    limit: number,
    best: TopK,
    passes: Passes,
  ): void {
    const [sums, touched, scores] = [this.#sums, this.#touched, this.#scores];
    for (const term of terms) add(term, saturations, sums);
    // Every document touched has a sum of at least one.
    let least = Math.max(1, this.#estimateOfSums(limit, best.limit));
    try {
      let count = listSums(least, sums, limit, touched, scores);
      if (count < best.limit && least > 1)
        count = listSums((least = lowered(least)), sums, limit, touched, scores);
      pickTop(touched, scores, count, best, passes);
      if (least > 1 && !best.isFull)
        addAll(touched, scores, listSums(1, sums, limit, touched, scores), best.begin(best.limit), passes);
    } finally {
      sums.fill(0, 0, limit);
    }
  }

  #makeRoom(limit: number): void {
    if (this.#sums.length >= limit + AT_ONCE) return;
    const room = limit + (limit >>> 2) + AT_ONCE;
    this.#sums = new Int32Array(room);
    this.#touched = new Uint32Array(room);
    this.#scores = new Int32Array(room);
  }

  /** Returns a score that probably about as many sums reach as are wanted; 0 if no estimate is useful. */
  #estimateOfSums(limit: number, wanted: number): number {
    const stride = strideIn(limit);
    const rank = sampleRank(wanted, stride);
    if (rank === 0) return 0;
    const sample = this.#sample.fill(0);
    for (let doc = 0; doc < limit; doc += stride) insertScore(sample, rank, this.#sums[doc] ?? 0);
    return sample[rank - 1] ?? 0;
  }

  /** Returns the same estimate for the sums of the first `count` documents touched. */
  #estimateOfTouched(count: number, wanted: number): number {
    const stride = strideIn(count);
    const rank = sampleRank(wanted, stride);
    if (rank === 0) return 0;
    const [touched, sums, sample] = [this.#touched, this.#sums, this.#sample.fill(0)];
    for (let at = 0; at < count; at += stride) insertScore(sample, rank, sums[touched[at] ?? 0] ?? 0);
    return sample[rank - 1] ?? 0;
  }

  /** Returns the same estimate for the scores of one group. */
  #estimateOfOne({ cells, from, to, weight }: Scored, saturations: Int32Array, wanted: number): number {
    const stride = strideIn(to - from);
    const rank = sampleRank(wanted, stride);
    if (rank === 0) return 0;
    const sample = this.#sample.fill(0);
    for (let at = from; at < to; at += stride)
      insertScore(sample, rank, scoreOf(cells[at] ?? 0, saturations, weight));
    return sample[rank - 1] ?? 0;
  }
}

/** Returns an estimate that is hardly ever too high, after one that was. */
function lowered(estimate: number): number {
  return Math.max(1, estimate >>> 1);
}

/** Returns the distance of the samples among `count` scores; 0 if there are too few for an estimate. */
function strideIn(count: number): number {
  if (count >= MIN_FOR_WIDE_STRIDE) return WIDE_STRIDE;
  return count >= MIN_FOR_NARROW_STRIDE ? NARROW_STRIDE : 0;
}

/**
 * Returns the rank in a sample whose score probably as many reach as are wanted; 0 if there is none. It lies above the
 * expected rank by 3.5 standard deviations, so that only a few of a thousand estimates are too high.
 */
function sampleRank(wanted: number, stride: number): number {
  if (stride === 0) return 0;
  const expected = wanted / stride;
  const rank = Math.floor(expected + 3.5 * Math.sqrt(expected) + 1);
  return rank > MAX_SAMPLE_RANK ? 0 : rank;
}

/** Inserts a score into the sorted list of the highest ones, if it is high enough. */
function insertScore(sample: Int32Array, rank: number, score: number): void {
  if (score <= (sample[rank - 1] ?? 0)) return;
  let at = rank - 1;
  for (; at > 0 && (sample[at - 1] ?? 0) < score; at -= 1) sample[at] = sample[at - 1] ?? 0;
  sample[at] = score;
}
