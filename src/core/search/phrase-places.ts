/** Where something stands in a text, in UTF-16 units, `to` exclusive. */
interface Place {
  readonly from: number;
  readonly to: number;
}

/**
 * Finds a run of terms in the terms of a text, which come one after the other (Knuth, Morris and Pratt, Fast Pattern Matching
 * in Strings, 1977).
 */
export class PhrasePlaces {
  readonly #terms: readonly string[];
  /** By how many terms fit, how many still do when the next one does not. */
  readonly #shorter: number[] = [0];
  /** Where the last terms begin, as many as the run has. */
  readonly #begins: number[] = [];
  #fitting = 0;

  /** @param terms of the run, two at least */
  constructor(terms: readonly string[]) {
    this.#terms = terms;
    for (let at = 1, fitting = 0; at < terms.length; at += 1) {
      while (fitting > 0 && terms[fitting] !== terms[at]) fitting = this.#shorter[fitting - 1] ?? 0;
      if (terms[fitting] === terms[at]) fitting += 1;
      this.#shorter.push(fitting);
    }
  }

  /** Takes the next term of the text; answers where the run stands that ends with it, null when none does. */
  next(term: string, { from, to }: Place): Place | null {
    const size = this.#terms.length;
    this.#begins.push(from);
    if (this.#begins.length > size) this.#begins.shift();
    while (this.#fitting > 0 && this.#terms[this.#fitting] !== term)
      this.#fitting = this.#shorter[this.#fitting - 1] ?? 0;
    if (this.#terms[this.#fitting] === term) this.#fitting += 1;
    if (this.#fitting < size) return null;
    this.#fitting = this.#shorter[size - 1] ?? 0;
    return { from: this.#begins[0] ?? from, to };
  }
}
