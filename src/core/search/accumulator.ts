import type { Best } from './best';
import { classIn, docOf, postingOf } from './postings';
import { addedUp, worthOf } from './scoring';

/** Postings of a term, or of several that count as one, and how much they weigh. */
export interface Scored {
  readonly postings: Uint32Array;
  readonly weight: number;
}

/** With fewer postings than every so-manieth document, those that were met are listed instead of going over all. */
const SPARSE = 4;

/** Adds up scores, term after term, one sum a document. Its loops count, because iterators of typed arrays cost more than the work. */
export class Accumulator {
  /** All zero between calls. */
  #sums = new Int32Array(0);
  #met = new Uint32Array(0);

  /**
   * Gives every document that is in any of the postings and passes to `best`, with the sum of its scores.
   * @param saturations by the class of a posting
   * @param limit above every document
   */
  addUp(
    terms: readonly Scored[],
    saturations: Int32Array,
    limit: number,
    best: Best,
    passes: (doc: number) => boolean,
  ): void {
    const [only] = terms;
    if (only === undefined) return;
    if (terms.length === 1) this.#rank(only, saturations, best, passes);
    else if (terms.reduce((sum, { postings }) => sum + postings.length, 0) * SPARSE < limit)
      this.#addUpFew(terms, saturations, limit, best, passes);
    else this.#addUpMany(terms, saturations, limit, best, passes);
  }

  /** The postings of several terms that count as one: a document holds it as often as it holds any of them. In no order. */
  merged(lists: readonly Uint32Array[], limit: number): Uint32Array {
    this.#makeRoom(limit);
    const sums = this.#sums;
    const met = this.#met;
    let count = 0;
    for (const list of lists) {
      for (const posting of list) {
        const doc = docOf(posting);
        const before = sums[doc] ?? 0;
        if (before === 0) met[count++] = doc;
        sums[doc] = 1 + (before === 0 ? classIn(posting) : addedUp(before - 1, classIn(posting)));
      }
    }
    const postings = new Uint32Array(count);
    for (let at = 0; at < count; at += 1) {
      const doc = met[at] ?? 0;
      postings[at] = postingOf(doc, (sums[doc] ?? 1) - 1);
      sums[doc] = 0;
    }
    return postings;
  }

  #rank(
    { postings, weight }: Scored,
    saturations: Int32Array,
    best: Best,
    passes: (doc: number) => boolean,
  ): void {
    let { floor } = best;
    for (let at = 0; at < postings.length; at += 1) {
      const posting = postings[at] ?? 0;
      const score = scoreOf(posting, saturations, weight);
      if (score < floor || !passes(docOf(posting))) continue;
      best.add(docOf(posting), score);
      ({ floor } = best);
    }
  }

  #addUpFew(
    terms: readonly Scored[],
    saturations: Int32Array,
    limit: number,
    best: Best,
    passes: (doc: number) => boolean,
  ): void {
    this.#makeRoom(limit);
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
    passes: (doc: number) => boolean,
  ): void {
    this.#makeRoom(limit);
    const sums = this.#sums;
    for (const term of terms) add(term, saturations, sums);
    // Whoever is met has a sum of at least one.
    let floor = Math.max(1, best.floor);
    for (let doc = 0; doc < limit; doc += 1) {
      const sum = sums[doc] ?? 0;
      if (sum < floor || !passes(doc)) continue;
      best.add(doc, sum);
      floor = Math.max(1, best.floor);
    }
    sums.fill(0, 0, limit);
  }

  #makeRoom(limit: number): void {
    if (this.#sums.length >= limit) return;
    this.#sums = new Int32Array(limit + (limit >>> 2));
    this.#met = new Uint32Array(limit + (limit >>> 2));
  }
}

// Functions of their own, because the engine makes better code of a loop that is not inside another.

function add({ postings, weight }: Scored, saturations: Int32Array, sums: Int32Array): void {
  for (let at = 0; at < postings.length; at += 1) {
    const posting = postings[at] ?? 0;
    const doc = docOf(posting);
    sums[doc] = (sums[doc] ?? 0) + scoreOf(posting, saturations, weight);
  }
}

/** The same, and lists the documents that are met for the first time behind the `count` in `met`; how many there are then. */
function addAndList(
  { postings, weight }: Scored,
  saturations: Int32Array,
  sums: Int32Array,
  met: Uint32Array,
  count: number,
): number {
  let listed = count;
  for (let at = 0; at < postings.length; at += 1) {
    const posting = postings[at] ?? 0;
    const doc = docOf(posting);
    const before = sums[doc] ?? 0;
    if (before === 0) met[listed++] = doc;
    sums[doc] = before + scoreOf(posting, saturations, weight);
  }
  return listed;
}

/** At least one, so that nothing that was met has the sum of what was not. */
function scoreOf(posting: number, saturations: Int32Array, weight: number): number {
  return 1 + worthOf(saturations[classIn(posting)] ?? 0, weight);
}
