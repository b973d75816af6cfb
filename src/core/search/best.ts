/**
 * Keeps the best of many: higher scores first, equal scores as `compare` orders them, so that the order is total. A heap with
 * the worst of them on top, so that most of the others are turned away by one comparison. Made to be used again and again.
 */
export class Best {
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
