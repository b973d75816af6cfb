/**
 * Keeps the best of many: higher scores first, equal scores as `compare` orders them, so that the order is total. Made for a
 * few dozen, which stand sorted.
 */
export class Best {
  readonly #compare: (a: number, b: number) => number;
  readonly #limit: number;
  readonly #docs: Float64Array;
  readonly #scores: Float64Array;
  #size = 0;

  /** @param compare orders two documents with equal scores */
  constructor(limit: number, compare: (a: number, b: number) => number) {
    this.#limit = limit;
    this.#compare = compare;
    this.#docs = new Float64Array(limit);
    this.#scores = new Float64Array(limit);
  }

  get size(): number {
    return this.#size;
  }

  /** A lower score does not come in, whatever the document. */
  get floor(): number {
    return this.#size < this.#limit ? -Infinity : (this.#scores[this.#limit - 1] ?? Infinity);
  }

  /** The document at a rank, the best at 0. */
  doc(rank: number): number {
    return this.#docs[rank] ?? 0;
  }

  score(rank: number): number {
    return this.#scores[rank] ?? 0;
  }

  /** Considers a document, which was not considered before. */
  add(doc: number, score: number): void {
    const [docs, scores] = [this.#docs, this.#scores];
    let at = this.#size;
    if (at === this.#limit) {
      if (at === 0 || !this.#isBefore(doc, score, at - 1)) return;
      at -= 1;
    } else {
      this.#size += 1;
    }
    while (at > 0 && this.#isBefore(doc, score, at - 1)) {
      docs[at] = docs[at - 1] ?? 0;
      scores[at] = scores[at - 1] ?? 0;
      at -= 1;
    }
    docs[at] = doc;
    scores[at] = score;
  }

  #isBefore(doc: number, score: number, rank: number): boolean {
    const other = this.#scores[rank] ?? 0;
    return score > other || (score === other && this.#compare(doc, this.#docs[rank] ?? 0) < 0);
  }
}
