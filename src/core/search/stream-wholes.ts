import { LetterSets } from './letter-sets';
import { FIELD_END, termEnding, type TermStream, unitsOf } from './term-stream';
import { MAX_REACH, type Wholes } from './wholes';

/** Where a term that is asked about stands among those before it: none that matters is farther away. */
const HERE = 2 * MAX_REACH + 1;

/** Tells which terms of a stream are wholes, mostly by the letters of two. */
export class StreamWholes {
  readonly #textOf: (term: number) => string;
  readonly #wholes: Wholes;
  readonly #sets: LetterSets;

  /**
   * @param textOf the text of a term, empty for FIELD_END
   * @param limit above every term
   */
  constructor(textOf: (term: number) => string, limit: number, wholes: Wholes) {
    this.#textOf = textOf;
    this.#wholes = wholes;
    this.#sets = new LetterSets(textOf, limit);
  }

  /** True when the term whose last unit stands there is a whole behind its parts. */
  isWhole(units: TermStream, at: number): boolean {
    const whole = termEnding(units, at);
    let end = at - unitsOf(whole);
    const part = termEnding(units, end);
    if (part === FIELD_END || !this.#sets.mayEnd(part, whole)) return false;
    const texts = [this.#textOf(whole)];
    const textAt = (place: number): string => {
      while (texts.length <= HERE - place) {
        const term = termEnding(units, end);
        texts.push(this.#textOf(term));
        // Nothing reaches over the end of a field.
        if (term !== FIELD_END) end -= unitsOf(term);
      }
      return texts[HERE - place] ?? '';
    };
    return this.#wholes.startOf(HERE, textAt) >= 0;
  }
}
