/** No script that is written without spaces stands before this unit. */
const FIRST_UNIT = 0xe00;

/** Finds the terms of scripts without spaces by the units that they begin and end with. */
export class PairTable {
  readonly #terms = new Map<number, number[]>();

  /** Takes in a term that begins and ends with these units; nothing when they are of another script. */
  add(term: number, first: number, last: number): void {
    if (first < FIRST_UNIT) return;
    this.#list(term, first);
    if (last !== first) this.#list(term, last);
  }

  /** The terms that begin or end with a unit. */
  get(unit: number): readonly number[] {
    return this.#terms.get(unit) ?? [];
  }

  #list(term: number, unit: number): void {
    const known = this.#terms.get(unit);
    if (known === undefined) this.#terms.set(unit, [term]);
    else known.push(term);
  }
}
