/** Stands between the fields of a document, so that no phrase reaches from one into the next. */
export const FIELD_END = 0;

/**
 * A unit from here on says that a term takes two: how often its number holds LONG_TERM, and in the next unit, which is below
 * that, the rest. So every unit can be told apart by what stands before it, and nearly all of a text is terms that were met
 * early, whose small numbers take one.
 */
export const LONG_TERM = 0xf800;

/** Terms have numbers below this. */
export const MAX_TERM_NUMBER = LONG_TERM * (0x10000 - LONG_TERM);

/** The number of a term of two units. */
export function longTerm(first: number, second: number): number {
  return (first - LONG_TERM) * LONG_TERM + second;
}

/** A document's terms in the order of its text, fields ended by FIELD_END. */
export type TermStream = Uint16Array;

/** Packs term numbers, one after the other. */
export class TermPacker {
  #units = new Uint16Array(16);
  #size = 0;

  /** Adds a number below MAX_TERM_NUMBER. */
  add(term: number): void {
    if (this.#size + 2 > this.#units.length) this.#grow();
    // Without a branch: large numbers come late, and the engine would have to make its code of this anew in the middle of a
    // vault.
    const first = (term / LONG_TERM) | 0;
    const size = this.#size + (-first >>> 31);
    this.#units[this.#size] = LONG_TERM + first;
    this.#units[size] = term - first * LONG_TERM;
    this.#size = size + 1;
  }

  /** What was added since the last time. */
  take(): TermStream {
    const stream = this.#units.slice(0, this.#size);
    this.#size = 0;
    return stream;
  }

  #grow(): void {
    const larger = new Uint16Array(this.#units.length * 2);
    larger.set(this.#units);
    this.#units = larger;
  }
}

/** All term numbers in order. */
export function unpackTerms(stream: TermStream): number[] {
  const terms: number[] = [];
  eachTermOf(stream, (term) => terms.push(term));
  return terms;
}

/** Calls `visit` with every term number in order. */
export function eachTermOf(stream: TermStream, visit: (term: number) => void): void {
  for (let at = 0; at < stream.length; at += 1) {
    const unit = stream[at] ?? 0;
    if (unit < LONG_TERM) visit(unit);
    else visit(longTerm(unit, stream[++at] ?? 0));
  }
}

/**
 * True when the terms hold the places of a phrase, of which there is at least one, one after the other; each place names the
 * terms that may fill it. Every beginning of the phrase that fits so far is one bit of `open` (Baeza-Yates and Gonnet, A New
 * Approach to Text Searching, 1992), so the work is one step a term for every 32 places, whatever nearly fits.
 */
export function holdsPhrase(terms: readonly number[], places: readonly ReadonlySet<number>[]): boolean {
  const size = Math.ceil(places.length / 32);
  const fitting = new Map<number, Uint32Array>();
  places.forEach((fillers, place) => {
    for (const term of fillers) {
      const bits = fitting.get(term) ?? new Uint32Array(size);
      bits[place >>> 5] = (bits[place >>> 5] ?? 0) | (1 << (place & 31));
      fitting.set(term, bits);
    }
  });
  const open = new Uint32Array(size);
  const last = 1 << ((places.length - 1) & 31);
  for (const term of terms) {
    const bits = fitting.get(term);
    if (bits === undefined) {
      open.fill(0);
      continue;
    }
    let carry = 1;
    for (let word = 0; word < size; word += 1) {
      const before = open[word] ?? 0;
      open[word] = ((before << 1) | carry) & (bits[word] ?? 0);
      carry = before >>> 31;
    }
    if (((open[size - 1] ?? 0) & last) !== 0) return true;
  }
  return false;
}
