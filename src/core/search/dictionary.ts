import { PairTable } from './pair-table';
import { MANY_TERMS, roomAfter, widened } from './room';
import { isStopWordIn } from './stop-words';
import { MAX_TERM_NUMBER } from './term-stream';
import { lettersIn, textIn, unitsOf } from './unit-text';

/** What is kept of a term: where its letters begin, and their number, with `STOP_WORD` when it is one. */
export const TERM_PLACE = 2;
const SIZE = 1;
const STOP_WORD = 0x80000000;

/** A slot holds a hash and the number of a term, 0 for an empty slot; at most two of three slots are in use. */
const SLOT = 2;
const FIRST_SLOTS = 1 << 6;
/** Letters of many terms, as `roomAfter` means it. */
const MANY_LETTERS = 8 * MANY_TERMS;

/**
 * Small numbers for terms, from 1. A term keeps its number until it is released, also while no document holds it; a number is
 * used again after that, so a vocabulary never grows by change alone. All letters stand in one array, so that a vocabulary is
 * read from a file in one piece and can be walked without making strings.
 */
export class Dictionary {
  #units: Uint16Array = new Uint16Array(16);
  #unitsUsed = 0;
  #places: Uint32Array = new Uint32Array(16 * TERM_PLACE);
  #slots: Uint32Array = new Uint32Array(FIRST_SLOTS * SLOT);
  #slotsUsed = 0;
  /** Nobody can make up terms that meet in one slot without knowing these two. */
  #seed = (Math.random() * 2 ** 32) | 0;
  #factor = ((Math.random() * 2 ** 32) & ~7) | 5;
  #free: number[] = [];
  /** Made when they are first asked for. */
  #pairs: PairTable | null = null;
  #letters: Uint32Array | null = null;
  #limit = 1;
  #size = 0;

  /** Number of terms that have a number. */
  get size(): number {
    return this.#size;
  }

  /** Every number given so far is below this. */
  get limit(): number {
    return this.#limit;
  }

  /** The letters of all terms, as UTF-16; of one of them from `start` on, `length` of them. Valid until the next `take`. */
  get units(): Uint16Array {
    return this.#units;
  }

  start(number: number): number {
    return this.#places[number * TERM_PLACE] ?? 0;
  }

  /** Length of a term in UTF-16 units; 0 when no term has the number. */
  length(number: number): number {
    return (this.#places[number * TERM_PLACE + SIZE] ?? 0) & ~STOP_WORD;
  }

  /** Which letters a term has, one bit for every 32nd of them. */
  letters(number: number): number {
    if (this.#letters === null || this.#letters.length < this.#limit) {
      const letters = new Uint32Array(this.#limit + (this.#limit >>> 3));
      for (let each = 1; each < this.#limit; each += 1) letters[each] = this.#lettersOf(each);
      this.#letters = letters;
    }
    return this.#letters[number] ?? 0;
  }

  /** The terms of scripts without spaces, of more than one unit, by the units that they begin and end with. */
  get pairs(): PairTable {
    if (this.#pairs === null) {
      this.#pairs = new PairTable(this.#limit);
      for (let number = 1; number < this.#limit; number += 1) this.#pair(number);
    }
    return this.#pairs;
  }

  isStopWord(number: number): boolean {
    return (this.#places[number * TERM_PLACE + SIZE] ?? 0) >= STOP_WORD;
  }

  /** The term that has a number. */
  text(number: number): string {
    return textIn(this.#units, this.start(number), this.length(number));
  }

  /** The number of a term, or undefined when it has none. */
  get(term: string): number | undefined {
    const units = unitsOf(term);
    const slot = this.#find(units, 0, units.length, this.#hash(units, 0, units.length));
    return slot < 0 ? undefined : this.#slots[slot + 1];
  }

  /** The number of the term between two places, which is not empty and gets one when it has none. */
  take(term: Uint16Array, from = 0, to = term.length): number {
    const hash = this.#hash(term, from, to);
    const known = this.#find(term, from, to, hash);
    if (known >= 0) return this.#slots[known + 1] ?? 0;
    const number = this.#free.pop() ?? this.#limit++;
    if (number >= MAX_TERM_NUMBER)
      throw new RangeError(`An index holds fewer than ${MAX_TERM_NUMBER} terms.`);
    if (this.#limit * TERM_PLACE > this.#places.length) this.#widen();
    this.#places[number * TERM_PLACE] = this.#keep(term, from, to);
    this.#places[number * TERM_PLACE + SIZE] = (to - from) | (isStopWordIn(term, from, to) ? STOP_WORD : 0);
    this.#size += 1;
    if (this.#pairs !== null) this.#pair(number);
    if (this.#letters !== null && number < this.#letters.length)
      this.#letters[number] = this.#lettersOf(number);
    if ((this.#slotsUsed + 1) * 3 * SLOT > this.#slots.length * 2) this.#doubleSlots();
    this.#place(hash, number);
    return number;
  }

  /** Forgets all terms but some. Nothing may refer to the numbers of the others any more. */
  keepOnly(isKept: (number: number) => boolean): void {
    const old = this.#units;
    this.#units = new Uint16Array(old.length);
    this.#unitsUsed = 0;
    this.#pairs = null;
    this.#letters = null;
    for (let number = 1; number < this.#limit; number += 1) {
      const [start, length] = [this.start(number), this.length(number)];
      if (length === 0) continue;
      if (isKept(number)) {
        this.#units.set(old.subarray(start, start + length), this.#unitsUsed);
        this.#places[number * TERM_PLACE] = this.#unitsUsed;
        this.#unitsUsed += length;
      } else {
        this.#places[number * TERM_PLACE + SIZE] = 0;
        this.#free.push(number);
        this.#size -= 1;
      }
    }
    this.#fillSlots();
  }

  /**
   * Takes over terms as a file keeps them: `places` as `placesOf` gives them, the letters, one term after the other, and what
   * `slots` and `hashing` were.
   * @param size how many of the terms are kept
   */
  adopt(
    places: Uint32Array,
    units: Uint16Array,
    slots: Uint32Array,
    hashing: readonly number[],
    size: number,
  ): void {
    const [seed = 0, factor = 0, used = 0] = hashing;
    [this.#seed, this.#factor, this.#slotsUsed, this.#slots] = [seed | 0, factor | 0, used, slots];
    this.#places = places;
    this.#units = units;
    this.#unitsUsed = units.length;
    this.#limit = places.length / TERM_PLACE;
    this.#size = size;
    // Mostly all are.
    for (let number = 1; number < this.#limit && this.#free.length < this.#limit - 1 - size; number += 1)
      if (this.length(number) === 0) this.#free.push(number);
  }

  /**
   * Where terms are found by their hashes, for `adopt`. Terms that a file does not keep have slots all the same, which nobody
   * takes for those of others.
   */
  get slots(): Uint32Array {
    return this.#slots;
  }

  /** What the hashes are made with, and how many slots are in use; three words. */
  get hashing(): readonly number[] {
    return [this.#seed, this.#factor, this.#slotsUsed];
  }

  /** The letters of a term; a view that is valid until the next change. */
  unitsOf(number: number): Uint16Array {
    const start = this.start(number);
    return this.#units.subarray(start, start + this.length(number));
  }

  /** Where some of the terms below `limit` stand when there are no others, as `adopt` takes it. */
  placesOf(limit: number, isKept: (number: number) => boolean): Uint32Array {
    const places = new Uint32Array(limit * TERM_PLACE);
    let start = 0;
    for (let number = 1; number < limit; number += 1) {
      if (!isKept(number)) continue;
      places[number * TERM_PLACE] = start;
      places[number * TERM_PLACE + SIZE] = this.#places[number * TERM_PLACE + SIZE] ?? 0;
      start += this.length(number);
    }
    return places;
  }

  #lettersOf(number: number): number {
    return lettersIn(this.#units, this.start(number), this.length(number));
  }

  #pair(number: number): void {
    const [start, length] = [this.start(number), this.length(number)];
    if (length > 1) this.#pairs?.add(number, this.#units[start] ?? 0, this.#units[start + length - 1] ?? 0);
  }

  #keep(term: Uint16Array, from: number, to: number): number {
    const start = this.#unitsUsed;
    if (start + to - from > this.#units.length) this.#makeRoom(to - from);
    for (let at = from; at < to; at += 1) this.#units[this.#unitsUsed++] = term[at] ?? 0;
    return start;
  }

  #widen(): void {
    this.#places = widened(this.#places, roomAfter(this.#places.length, MANY_TERMS * TERM_PLACE));
  }

  #makeRoom(units: number): void {
    const larger = new Uint16Array(roomAfter(this.#units.length, MANY_LETTERS) + units);
    larger.set(this.#units);
    this.#units = larger;
  }

  #hash(term: Uint16Array, from: number, to: number): number {
    const factor = this.#factor;
    let hash = this.#seed;
    for (let at = from; at < to; at += 1) hash = mixed(hash, term[at] ?? 0, factor);
    return hash;
  }

  /** Where the term stands, or -1. */
  #find(term: Uint16Array, from: number, to: number, hash: number): number {
    const slots = this.#slots;
    const last = slots.length - 1;
    for (let at = (hash * SLOT) & last; ; at = (at + SLOT) & last) {
      const number = slots[at + 1] ?? 0;
      if (number === 0) return -1;
      if (slots[at] === hash >>> 0 && this.#isTerm(number, term, from, to)) return at;
    }
  }

  #isTerm(number: number, term: Uint16Array, from: number, to: number): boolean {
    if (this.length(number) !== to - from) return false;
    const units = this.#units;
    for (let at = from, unit = this.start(number); at < to; at += 1, unit += 1)
      if (units[unit] !== term[at]) return false;
    return true;
  }

  #place(hash: number, number: number): void {
    const last = this.#slots.length - 1;
    let at = (hash * SLOT) & last;
    while (this.#slots[at + 1] !== 0) at = (at + SLOT) & last;
    this.#slots[at] = hash;
    this.#slots[at + 1] = number;
    this.#slotsUsed += 1;
  }

  /** Makes room for more terms. Nothing is looked up by its letters, so that a large vocabulary grows without a stop. */
  #doubleSlots(): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(old.length * 2);
    this.#slotsUsed = 0;
    for (let at = 0; at < old.length; at += SLOT) {
      const number = old[at + 1] ?? 0;
      if (number !== 0) this.#place(old[at] ?? 0, number);
    }
  }

  /** Makes the slots anew. */
  #fillSlots(): void {
    let slots = FIRST_SLOTS;
    while (slots * 2 < this.#size * 3 + 2) slots *= 2;
    this.#slots = new Uint32Array(slots * SLOT);
    this.#slotsUsed = 0;
    const [units, places] = [this.#units, this.#places];
    for (let number = 1; number < this.#limit; number += 1) {
      const start = places[number * TERM_PLACE] ?? 0;
      const end = start + ((places[number * TERM_PLACE + SIZE] ?? 0) & ~STOP_WORD);
      if (end === start) continue;
      this.#place(this.#hash(units, start, end), number);
    }
  }
}

function mixed(hash: number, unit: number, factor: number): number {
  const product = Math.imul(hash ^ unit, factor);
  return product ^ (product >>> 15);
}
