import { classIn, docOf, postingOf, type PostingRange } from './postings';
import { classOfSum, sumOf, sumOfSums, worthOf } from './scoring';

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

/** The postings of a group of terms, with its weight. */
export interface Scored extends PostingRange {
  readonly weight: number;
}

type Passes = (doc: number) => boolean;

/** Sums scores term at a time, into one array of sums by document. */
export class Accumulator {
  /** All zero between calls. */
  #sums = new Int32Array(0);
  /** The documents met. */
  #touched = new Uint32Array(0);

  /**
   * Adds to `best`, which must be empty, the documents in any of the postings that pass, with the sum of their scores, as far
   * as they can be among the best.
   * @param saturations by the class of a posting
   * @param limit an upper bound (exclusive) of the documents
   */
  addUp(terms: readonly Scored[], saturations: Int32Array, limit: number, best: TopK, passes: Passes): void {
    const [only] = terms;
    if (terms.length === 1 && only !== undefined) {
      keepOfOne(only, saturations, best, passes);
      return;
    }
    this.#makeRoom(limit);
    const [sums, touched] = [this.#sums, this.#touched];
    let count = 0;
    try {
      for (const term of terms) count = addAndList(term, saturations, sums, touched, count);
      keepListed(sums, touched, count, best, passes);
    } finally {
      for (let at = 0; at < count; at += 1) sums[touched[at] ?? 0] = 0;
    }
  }

  /**
   * Merges the postings of several terms that count as one, in no order: the frequency in a document is the sum of those of
   * the terms.
   */
  merged(rows: readonly PostingRange[], limit: number): PostingRange {
    this.#makeRoom(limit);
    const [sums, touched] = [this.#sums, this.#touched];
    let count = 0;
    for (const row of rows) count = mergeAndList(row, sums, touched, count);
    const postings = new Uint32Array(count);
    for (let at = 0; at < count; at += 1) {
      const doc = touched[at] ?? 0;
      postings[at] = postingOf(doc, classOfSum((sums[doc] ?? 1) - 1));
      sums[doc] = 0;
    }
    return { cells: postings, from: 0, to: count };
  }

  #makeRoom(limit: number): void {
    if (this.#sums.length > limit) return;
    // `addAndList` writes one behind the last.
    const room = limit + (limit >>> 2) + 1;
    this.#sums = new Int32Array(room);
    this.#touched = new Uint32Array(room);
  }
}

// These loops take most of the time of a search. Each is a function of its own, because the engine compiles them better than
// loops inside others.

/** Adds to `best` the documents of a group that pass. Those below the worst of the best are not asked. */
function keepOfOne(term: Scored, saturations: Int32Array, best: TopK, passes: Passes): void {
  const { cells, from, to, weight } = term;
  let floor = best.floor;
  for (let at = from; at < to; at += 1) {
    const posting = cells[at] ?? 0;
    const score = scoreOf(posting, saturations, weight);
    if (score < floor || !passes(docOf(posting))) continue;
    best.add(docOf(posting), score);
    floor = best.floor;
  }
}

/** Adds the scores of a group, and appends the documents met for the first time to the `count` listed; returns their new number. */
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
    // Without a branch, which a processor would mispredict.
    listed += (before - 1) >>> 31;
    sums[doc] = before + scoreOf(posting, saturations, weight);
  }
  return listed;
}

/** Adds to `best` the first `count` documents listed that pass. Those below the worst of the best are not asked. */
function keepListed(sums: Int32Array, touched: Uint32Array, count: number, best: TopK, passes: Passes): void {
  let floor = best.floor;
  for (let at = 0; at < count; at += 1) {
    const doc = touched[at] ?? 0;
    const sum = sums[doc] ?? 0;
    if (sum < floor || !passes(doc)) continue;
    best.add(doc, sum);
    floor = best.floor;
  }
}

/**
 * Merges the frequency of each posting into the sum of its document, instead of a score. It stores the sum plus 1, since 0
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
    const own = sumOf(classIn(posting));
    sums[doc] = 1 + (before === 0 ? own : sumOfSums(before - 1, own));
  }
  return listed;
}

/** Returns at least 1, so that no document that was met has the sum of one that was not. */
function scoreOf(posting: number, saturations: Int32Array, weight: number): number {
  return 1 + worthOf(saturations[classIn(posting)] ?? 0, weight);
}
