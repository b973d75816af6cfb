import { MANY_TERMS, nextCapacity, widened } from './postings';
import { stemOf } from './stems';
import { isStopWord } from './stop-words';
import { MAX_TERM_NUMBER } from './streams';
import { areSmall, begins, lettersIn, textIn, unitsOf } from './words';

const UNITS = 1 << 16;

/**
 * Linked lists of terms by unit, in two arrays. Separate lists for a large vocabulary would take longer to make than the
 * thread may be blocked.
 */
class TermLists {
  /** By unit, the head of its list; 0 for none. */
  readonly #first = new Uint32Array(UNITS);
  /** By term, the next term of its list; 0 for none. */
  #next: Uint32Array;

  constructor(limit: number) {
    this.#next = new Uint32Array(limit);
  }

  add(term: number, unit: number): void {
    if (term >= this.#next.length) this.#widen(term);
    this.#next[term] = this.#first[unit] ?? 0;
    this.#first[unit] = term;
  }

  /** Returns the terms of a list that pass. */
  of(unit: number, passes: (term: number) => boolean): number[] {
    const terms: number[] = [];
    for (let term = this.#first[unit] ?? 0; term !== 0; term = this.#next[term] ?? 0)
      if (passes(term)) terms.push(term);
    return terms;
  }

  #widen(term: number): void {
    this.#next = widened(this.#next, Math.max(term + 1, nextCapacity(this.#next.length, MANY_TERMS)));
  }
}

/**
 * Words in the table of terms: the start of the letters; their number, with `STOP_WORD` set where the stem is a stop word; the
 * key of the stem, 0 for a term without other forms.
 */
export const TERM_ROW = 3;
const SIZE = 1;
const STEM = 2;
const STOP_WORD = 0x80000000;

/** The numbers of units by which the terms are found that begin or end with others; for fewer, all terms are looked at. */
const BEGINNING = 3;
export const COMPOUND_PART = 5;

/**
 * Words in a slot of the hash table: a hash, and the number of a term or 0 for an empty slot. At most two of three slots are
 * used.
 */
const SLOT = 2;
const FIRST_SLOTS = 1 << 6;
/** The letters of a large vocabulary, for `nextCapacity`. */
const MANY_LETTERS = 8 * MANY_TERMS;

/**
 * Numbers for terms, from 1. A term keeps its number until `keepOnly` releases it, even while no document holds it; released
 * numbers are reused, so changes alone never make a vocabulary grow. All letters are in one array, so that a file loads in
 * one piece and a scan makes no strings.
 */
export class Dictionary {
  #units: Uint16Array = new Uint16Array(16);
  #unitsUsed = 0;
  #rows: Uint32Array = new Uint32Array(16 * TERM_ROW);
  #slots: Uint32Array = new Uint32Array(FIRST_SLOTS * SLOT);
  #slotsUsed = 0;
  /** The random seed and factor of the hash, so that an attacker cannot prepare terms that collide. */
  #seed = (Math.random() * 2 ** 32) | 0;
  #factor = ((Math.random() * 2 ** 32) & ~7) | 5;
  #free: number[] = [];
  /** By key of a stem, by first units, and by last units; built on first use. */
  #stems: TermLists | null = null;
  #beginnings: TermLists | null = null;
  #endings: TermLists | null = null;
  #letters: Uint32Array | null = null;
  #limit = 1;
  #size = 0;

  /** The number of terms. */
  get size(): number {
    return this.#size;
  }

  /** An upper bound (exclusive) of all numbers. */
  get limit(): number {
    return this.#limit;
  }

  /** The letters of all terms (UTF-16): `length(n)` units from `start(n)` on for term `n`. Valid until the next `take`. */
  get units(): Uint16Array {
    return this.#units;
  }

  start(number: number): number {
    return this.#rows[number * TERM_ROW] ?? 0;
  }

  /** Returns the length of a term (UTF-16 units); 0 for a number that is not in use. */
  length(number: number): number {
    return (this.#rows[number * TERM_ROW + SIZE] ?? 0) & ~STOP_WORD;
  }

  /** Returns the set of letters of a term, as `lettersIn` does. */
  letters(number: number): number {
    if (this.#letters === null || this.#letters.length < this.#limit) {
      const letters = new Uint32Array(this.#limit + (this.#limit >>> 3));
      for (let each = 1; each < this.#limit; each += 1) letters[each] = this.#lettersOf(each);
      this.#letters = letters;
    }
    return this.#letters[number] ?? 0;
  }

  /** Returns the terms with a stem: all forms of a word, in no defined order. */
  formsOf(stem: string): number[] {
    const wanted = unitsOf(stem);
    if (!areSmall(wanted, 0, wanted.length)) return [this.get(stem) ?? 0].filter((number) => number !== 0);
    const lists = (this.#stems ??= this.#filled(this.#addForm));
    return lists.of(this.#keyOf(wanted, 0, wanted.length), (number) => {
      return stemOf(this.text(number)) === stem;
    });
  }

  /** Returns the longer terms that begin with a term, in no defined order. */
  beginningWith(term: string): number[] {
    const wanted = unitsOf(term);
    if (wanted.length < BEGINNING) return this.#where((number) => this.#begins(number, wanted));
    const lists = (this.#beginnings ??= this.#filled(this.#addBeginning));
    return lists.of(unitsKey(wanted, 0, BEGINNING), (number) => this.#begins(number, wanted));
  }

  /** Returns the longer terms that end with a term, in no defined order. */
  endingWith(term: string): number[] {
    const wanted = unitsOf(term);
    if (wanted.length < COMPOUND_PART) return this.#where((number) => this.#ends(number, wanted));
    const lists = (this.#endings ??= this.#filled(this.#addEnding));
    const key = unitsKey(wanted, wanted.length - COMPOUND_PART, COMPOUND_PART);
    return lists.of(key, (number) => this.#ends(number, wanted));
  }

  isStopWord(number: number): boolean {
    return (this.#rows[number * TERM_ROW + SIZE] ?? 0) >= STOP_WORD;
  }

  text(number: number): string {
    return textIn(this.#units, this.start(number), this.length(number));
  }

  /** Returns the number of a term, or undefined if it has none. */
  get(term: string): number | undefined {
    const units = unitsOf(term);
    const slot = this.#find(units, 0, units.length, this.#hash(units, 0, units.length));
    return slot < 0 ? undefined : this.#slots[slot + 1];
  }

  /** Returns the number of the non-empty term between two offsets; gives it a number if it has none. */
  intern(term: Uint16Array, from = 0, to = term.length): number {
    const hash = this.#hash(term, from, to);
    const known = this.#find(term, from, to, hash);
    if (known >= 0) return this.#slots[known + 1] ?? 0;
    const number = this.#free.pop() ?? this.#limit++;
    if (number >= MAX_TERM_NUMBER)
      throw new RangeError(`An index holds fewer than ${MAX_TERM_NUMBER} terms.`);
    if (this.#limit * TERM_ROW > this.#rows.length) this.#widen();
    this.#rows[number * TERM_ROW] = this.#copyLetters(term, from, to);
    const isSmall = areSmall(term, from, to);
    const stem = isSmall ? stemOf(textIn(term, from, to - from)) : '';
    this.#rows[number * TERM_ROW + SIZE] = (to - from) | (isSmall && isStopWord(stem) ? STOP_WORD : 0);
    this.#rows[number * TERM_ROW + STEM] = isSmall ? this.#keyOf(unitsOf(stem), 0, stem.length) : 0;
    this.#size += 1;
    if (this.#stems !== null) this.#addForm(number, this.#stems);
    if (this.#beginnings !== null) this.#addBeginning(number, this.#beginnings);
    if (this.#endings !== null) this.#addEnding(number, this.#endings);
    if (this.#letters !== null && number < this.#letters.length)
      this.#letters[number] = this.#lettersOf(number);
    if ((this.#slotsUsed + 1) * 3 * SLOT > this.#slots.length * 2) this.#doubleSlots();
    this.#addSlot(hash, number);
    return number;
  }

  /** Releases all terms but those kept. Nothing may refer to the released numbers any more. */
  keepOnly(isKept: (number: number) => boolean): void {
    const old = this.#units;
    this.#units = new Uint16Array(old.length);
    this.#unitsUsed = 0;
    this.#stems = null;
    this.#beginnings = null;
    this.#endings = null;
    this.#letters = null;
    for (let number = 1; number < this.#limit; number += 1) {
      const [start, length] = [this.start(number), this.length(number)];
      if (length === 0) continue;
      if (isKept(number)) {
        this.#units.set(old.subarray(start, start + length), this.#unitsUsed);
        this.#rows[number * TERM_ROW] = this.#unitsUsed;
        this.#unitsUsed += length;
      } else {
        this.#rows[number * TERM_ROW + SIZE] = 0;
        this.#free.push(number);
        this.#size -= 1;
      }
    }
    this.#fillSlots();
  }

  /**
   * Takes over terms from a file.
   * @param rows as `rowsOf` returns them
   * @param units the letters of the terms, in order
   * @param slots as `slots` was
   * @param hashing as `hashing` was
   * @param size the number of terms kept
   */
  adopt(
    rows: Uint32Array,
    units: Uint16Array,
    slots: Uint32Array,
    hashing: readonly number[],
    size: number,
  ): void {
    const [seed = 0, factor = 0, used = 0] = hashing;
    [this.#seed, this.#factor, this.#slotsUsed, this.#slots] = [seed | 0, factor | 0, used, slots];
    this.#rows = rows;
    this.#units = units;
    this.#unitsUsed = units.length;
    this.#limit = rows.length / TERM_ROW;
    this.#size = size;
    // Usually no number is free, and the loop ends at once.
    for (let number = 1; number < this.#limit && this.#free.length < this.#limit - 1 - size; number += 1)
      if (this.length(number) === 0) this.#free.push(number);
  }

  /**
   * The hash table, for `adopt`. It may hold terms that the file does not keep; no look-up finds them, because their length
   * is 0.
   */
  get slots(): Uint32Array {
    return this.#slots;
  }

  /** The seed and the factor of the hash, and the number of used slots: three words. */
  get hashing(): readonly number[] {
    return [this.#seed, this.#factor, this.#slotsUsed];
  }

  /** Returns the letters of a term: a view that is valid until the next change. */
  unitsOf(number: number): Uint16Array {
    const start = this.start(number);
    return this.#units.subarray(start, start + this.length(number));
  }

  /** Returns the table of terms below `limit` as `adopt` takes it, when only the kept ones have letters. */
  rowsOf(limit: number, isKept: (number: number) => boolean): Uint32Array {
    const rows = new Uint32Array(limit * TERM_ROW);
    let start = 0;
    for (let number = 1; number < limit; number += 1) {
      if (!isKept(number)) continue;
      rows[number * TERM_ROW] = start;
      rows[number * TERM_ROW + SIZE] = this.#rows[number * TERM_ROW + SIZE] ?? 0;
      rows[number * TERM_ROW + STEM] = this.#rows[number * TERM_ROW + STEM] ?? 0;
      start += this.length(number);
    }
    return rows;
  }

  #lettersOf(number: number): number {
    return lettersIn(this.#units, this.start(number), this.length(number));
  }

  #begins(number: number, wanted: Uint16Array): boolean {
    return this.length(number) > wanted.length && begins(this.#units, this.start(number), wanted);
  }

  #ends(number: number, wanted: Uint16Array): boolean {
    const more = this.length(number) - wanted.length;
    return more > 0 && begins(this.#units, this.start(number) + more, wanted);
  }

  #where(test: (number: number) => boolean): number[] {
    const found: number[] = [];
    for (let number = 1; number < this.#limit; number += 1) if (test(number)) found.push(number);
    return found;
  }

  /** Returns new lists of all terms. */
  #filled(add: (number: number, lists: TermLists) => void): TermLists {
    const lists = new TermLists(this.#limit);
    for (let number = 1; number < this.#limit; number += 1) add(number, lists);
    return lists;
  }

  readonly #addForm = (number: number, lists: TermLists): void => {
    const key = this.#rows[number * TERM_ROW + STEM] ?? 0;
    if (key !== 0 && this.length(number) > 0) lists.add(number, key);
  };

  readonly #addBeginning = (number: number, lists: TermLists): void => {
    if (this.length(number) > BEGINNING)
      lists.add(number, unitsKey(this.#units, this.start(number), BEGINNING));
  };

  readonly #addEnding = (number: number, lists: TermLists): void => {
    const start = this.start(number) + this.length(number) - COMPOUND_PART;
    if (this.length(number) > COMPOUND_PART) lists.add(number, unitsKey(this.#units, start, COMPOUND_PART));
  };

  /** Returns the key of a stem, from 1. It is seeded, so that nobody can make many words share one. */
  #keyOf(stem: Uint16Array, from: number, to: number): number {
    return this.#hash(stem, from, to) & (UNITS - 1) || 1;
  }

  #copyLetters(term: Uint16Array, from: number, to: number): number {
    const start = this.#unitsUsed;
    if (start + to - from > this.#units.length) this.#makeRoom(to - from);
    for (let at = from; at < to; at += 1) this.#units[this.#unitsUsed++] = term[at] ?? 0;
    return start;
  }

  #widen(): void {
    this.#rows = widened(this.#rows, nextCapacity(this.#rows.length, MANY_TERMS * TERM_ROW));
  }

  #makeRoom(units: number): void {
    const larger = new Uint16Array(nextCapacity(this.#units.length, MANY_LETTERS) + units);
    larger.set(this.#units);
    this.#units = larger;
  }

  #hash(term: Uint16Array, from: number, to: number): number {
    const factor = this.#factor;
    let hash = this.#seed;
    for (let at = from; at < to; at += 1) hash = mixed(hash, term[at] ?? 0, factor);
    return hash;
  }

  /** Returns the slot of a term, or -1. */
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

  #addSlot(hash: number, number: number): void {
    const last = this.#slots.length - 1;
    let at = (hash * SLOT) & last;
    while (this.#slots[at + 1] !== 0) at = (at + SLOT) & last;
    this.#slots[at] = hash;
    this.#slots[at + 1] = number;
    this.#slotsUsed += 1;
  }

  /**
   * Doubles the hash table. It rehashes by the stored hashes, not by letters, so that a large vocabulary grows without a
   * pause.
   */
  #doubleSlots(): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(old.length * 2);
    this.#slotsUsed = 0;
    for (let at = 0; at < old.length; at += SLOT) {
      const number = old[at + 1] ?? 0;
      if (number !== 0) this.#addSlot(old[at] ?? 0, number);
    }
  }

  /** Rebuilds the hash table. */
  #fillSlots(): void {
    let slots = FIRST_SLOTS;
    while (slots * 2 < this.#size * 3 + 2) slots *= 2;
    this.#slots = new Uint32Array(slots * SLOT);
    this.#slotsUsed = 0;
    const [units, rows] = [this.#units, this.#rows];
    for (let number = 1; number < this.#limit; number += 1) {
      const start = rows[number * TERM_ROW] ?? 0;
      const end = start + ((rows[number * TERM_ROW + SIZE] ?? 0) & ~STOP_WORD);
      if (end === start) continue;
      this.#addSlot(this.#hash(units, start, end), number);
    }
  }
}

/** Returns a key of so many units from an offset on. */
function unitsKey(units: Uint16Array, start: number, size: number): number {
  let key = 0;
  for (let at = start; at < start + size; at += 1) key = Math.imul(key, 0x2f) + (units[at] ?? 0);
  return key & (UNITS - 1);
}

function mixed(hash: number, unit: number, factor: number): number {
  const product = Math.imul(hash ^ unit, factor);
  return product ^ (product >>> 15);
}

/** The terms of an index, for query planning. Numbers are valid until the index changes. */
export interface Vocabulary {
  /** Returns the number of a term that occurs in a document; 0 for any other. */
  number(term: string): number;
  text(number: number): string;
  /** Returns the number of documents that hold the term. */
  documents(number: number): number;
  isStopWord(number: number): boolean;
  /** Returns the terms with a stem, in no defined order: the forms of a word. */
  forms(stem: string): readonly number[];
  /** Returns the terms with the stem of a term in another language than English, in no defined order. */
  relatives(form: string): readonly number[];
  /** Returns the longer terms that begin with a term, in no defined order. Some may occur nowhere. */
  beginning(term: string): readonly number[];
  /** Returns terms that a word is the last part of, or with `mayLead` also the first, in languages that join words. */
  compounds(form: string, mayLead: boolean): readonly number[];
  /**
   * Returns the terms that a word which occurs nowhere may have meant, in no defined order; `letters` is its length as typed.
   */
  near(term: string, letters: number): readonly number[];
  /** Returns the longer terms that begin or end with a character, in no defined order. */
  around(character: string): readonly number[];
  /**
   * Returns true if the second term follows the first one directly in a document, or if both are so frequent that this is
   * likely.
   */
  areAdjacent(first: number, second: number): boolean;
}
