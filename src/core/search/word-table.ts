import { hashOf } from './words';

/** So many slots are looked at for a word. Words made to meet in one place push each other out, and cost no more than this. */
const PROBES = 12;
/** The table begins with so many slots, a power of two; at most five of eight are in use, or it is made larger. */
const FIRST_SLOTS = 1 << 4;
const FIRST_UNITS = 1 << 4;
/** How many words are remembered, and of how many UTF-16 units: a bound on memory, and rare words gain nothing from it. */
const MAX_WORDS = 5 << 15;
const MAX_UNITS = 1 << 21;

/** A slot holds four numbers, so that a look-up touches one line of the processor's cache. */
const SLOT_BITS = 2;
const SLOT = 1 << SLOT_BITS;
const HASH = 0;
const START = 1;
const LENGTH = 2;
const VALUE = 3;

/**
 * Remembers a whole number for each word, found by its units wherever they stand, without making a string of it. It may
 * forget any word at any time, so whoever asks must be able to work the number out again.
 */
export class WordTable {
  /** A slot whose length is 0 is empty. */
  #slots = new Int32Array(FIRST_SLOTS * SLOT);
  /** The words' own UTF-16 units, one word after the other. */
  #units = new Uint16Array(FIRST_UNITS);
  #unitsUsed = 0;
  #words = 0;

  /** The number of the word that stands between the places and has this hash, or undefined when it is not remembered. */
  get(units: Uint16Array, from: number, to: number, hash = hashOf(units, from, to)): number | undefined {
    const at = this.#find(units, from, to, hash);
    return at < 0 ? undefined : this.#slots[at + VALUE];
  }

  /** Remembers a number of at most 32 bits, signed, for the word between the places, which is not empty. */
  set(units: Uint16Array, from: number, to: number, value: number, hash = hashOf(units, from, to)): void {
    if (this.#words >= MAX_WORDS || this.#unitsUsed + to - from > MAX_UNITS) this.clear();
    if (this.#words * 8 * SLOT >= this.#slots.length * 5) this.#grow();
    const known = this.#find(units, from, to, hash);
    if (known >= 0) this.#slots[known + VALUE] = value;
    else this.#place(hash, this.#keep(units, from, to), to - from, value);
  }

  /** Forgets all words, and gives back the memory that they took. */
  clear(): void {
    this.#slots = new Int32Array(FIRST_SLOTS * SLOT);
    this.#units = new Uint16Array(FIRST_UNITS);
    this.#unitsUsed = 0;
    this.#words = 0;
  }

  /** Where the word stands, or -1. */
  #find(units: Uint16Array, from: number, to: number, hash: number): number {
    const slots = this.#slots;
    const last = slots.length - 1;
    let at = (hash << SLOT_BITS) & last;
    for (let probe = 0; probe < PROBES; probe += 1) {
      const length = slots[at + LENGTH] ?? 0;
      if (length === 0) return -1;
      if (
        slots[at + HASH] === hash &&
        length === to - from &&
        this.#isWord(slots[at + START] ?? 0, units, from, to)
      )
        return at;
      at = (at + SLOT) & last;
    }
    return -1;
  }

  #isWord(start: number, word: Uint16Array, from: number, to: number): boolean {
    const units = this.#units;
    for (let at = from, unit = start; at < to; at += 1, unit += 1) {
      if (units[unit] !== word[at]) return false;
    }
    return true;
  }

  /** Puts a word that is not there into the first empty slot of its own, else in the place of another word. */
  #place(hash: number, start: number, length: number, value: number): void {
    const slots = this.#slots;
    const at = this.#slotFor(hash);
    if (slots[at + LENGTH] === 0) this.#words += 1;
    slots[at + HASH] = hash;
    slots[at + START] = start;
    slots[at + LENGTH] = length;
    slots[at + VALUE] = value;
  }

  #slotFor(hash: number): number {
    const slots = this.#slots;
    const last = slots.length - 1;
    const first = (hash << SLOT_BITS) & last;
    let at = first;
    for (let probe = 0; probe < PROBES; probe += 1) {
      if (slots[at + LENGTH] === 0) return at;
      at = (at + SLOT) & last;
    }
    return first;
  }

  /** Copies the word; returns where it stands. */
  #keep(word: Uint16Array, from: number, to: number): number {
    const start = this.#unitsUsed;
    if (start + to - from > this.#units.length) {
      const larger = new Uint16Array(this.#units.length * 2 + to - from);
      larger.set(this.#units);
      this.#units = larger;
    }
    for (let at = from; at < to; at += 1) this.#units[this.#unitsUsed++] = word[at] ?? 0;
    return start;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Int32Array(old.length * 2);
    this.#words = 0;
    for (let at = 0; at < old.length; at += SLOT) {
      const length = old[at + LENGTH] ?? 0;
      if (length > 0) this.#place(old[at + HASH] ?? 0, old[at + START] ?? 0, length, old[at + VALUE] ?? 0);
    }
  }
}
