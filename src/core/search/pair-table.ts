import { MANY_TERMS, roomAfter, widened } from './room';

/** No script that is written without spaces stands before this unit. */
const FIRST_UNIT = 0xe00;
const UNITS = 1 << 16;

/** Finds the terms of scripts without spaces by the units that they begin and end with. */
export class PairTable {
  readonly #beginning: Chains;
  readonly #ending: Chains;

  /** @param limit terms below this will be taken in, and others sooner or later */
  constructor(limit: number) {
    this.#beginning = new Chains(limit);
    this.#ending = new Chains(limit);
  }

  /** Takes in a term of at least two units that begins and ends with these; nothing when they are of another script. */
  add(term: number, first: number, last: number): void {
    if (first < FIRST_UNIT) return;
    this.#beginning.add(term, first);
    if (last !== first) this.#ending.add(term, last);
  }

  /** The terms that begin with a unit. */
  beginning(unit: number): number[] {
    return this.#beginning.of(unit);
  }

  /** The terms that end with a unit and do not begin with it. */
  ending(unit: number): number[] {
    return this.#ending.of(unit);
  }
}

/**
 * Lists of terms by a unit, each of which leads to the next of its list: lists of their own would take as long to make of a
 * large vocabulary as a thread may be held.
 */
class Chains {
  /** By unit, the first of its list; 0 for none. */
  readonly #first = new Uint32Array(UNITS);
  /** By term, the next of its list. */
  #next: Uint32Array;

  constructor(limit: number) {
    this.#next = new Uint32Array(limit);
  }

  add(term: number, unit: number): void {
    if (term >= this.#next.length) this.#widen(term);
    this.#next[term] = this.#first[unit] ?? 0;
    this.#first[unit] = term;
  }

  of(unit: number): number[] {
    const terms: number[] = [];
    for (let term = this.#first[unit] ?? 0; term !== 0; term = this.#next[term] ?? 0) terms.push(term);
    return terms;
  }

  #widen(term: number): void {
    this.#next = widened(this.#next, Math.max(term + 1, roomAfter(this.#next.length, MANY_TERMS)));
  }
}
