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

/**
 * A document's terms in the order of its text, fields ended by FIELD_END. Where there are several, the last one is the text: a
 * second FIELD_END stands before it, and none before that beside another.
 */
export type TermStream = Uint16Array;

/** The term whose last unit stands there; FIELD_END before the beginning. */
export function termEnding(units: TermStream, at: number): number {
  const unit = units[at] ?? FIELD_END;
  const before = units[at - 1] ?? 0;
  return before < LONG_TERM ? unit : longTerm(before, unit);
}

/** How many units a term takes. */
export function unitsOf(term: number): number {
  return term < LONG_TERM ? 1 : 2;
}

/** Packs term numbers, one after the other. */
export class TermPacker {
  #units = new Uint16Array(16);
  #size = 0;

  /** Units that were added since they were last taken or forgotten. */
  get size(): number {
    return this.#size;
  }

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

  /** Forgets what was added. */
  clear(): void {
    this.#size = 0;
  }

  /** What was added since it was last taken or forgotten. */
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
