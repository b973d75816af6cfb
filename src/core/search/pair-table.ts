/** No script that is written without spaces stands before this unit. */
const FIRST_UNIT = 0xe00;

/** Finds the terms of scripts without spaces by the units that they begin and end with. */
export class PairTable {
  readonly #beginning = new Map<number, number[]>();
  readonly #ending = new Map<number, number[]>();

  /** Takes in a term of at least two units that begins and ends with these; nothing when they are of another script. */
  add(term: number, first: number, last: number): void {
    if (first < FIRST_UNIT) return;
    list(this.#beginning, term, first);
    if (last !== first) list(this.#ending, term, last);
  }

  /** The terms that begin with a unit. */
  beginning(unit: number): readonly number[] {
    return this.#beginning.get(unit) ?? [];
  }

  /** The terms that end with a unit and do not begin with it. */
  ending(unit: number): readonly number[] {
    return this.#ending.get(unit) ?? [];
  }
}

function list(terms: Map<number, number[]>, term: number, unit: number): void {
  const known = terms.get(unit);
  if (known === undefined) terms.set(unit, [term]);
  else known.push(term);
}
