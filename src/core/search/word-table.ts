import { roomAfter } from './room';
import { hashOf } from './words';

/** So many slots are looked at for a word. Words made to meet in one place push each other out, and cost no more than this. */
const PROBES = 12;
/** The table begins with so many slots, a power of two; at most five of eight are in use, or it is made larger. */
const FIRST_SLOTS = 1 << 4;
const FIRST_UNITS = 1 << 4;

/**
 * A slot holds where a word stands, 0 when it is empty, and the highest bits of the word's hash above that, so that hardly any
 * other word is compared with it. One number, so that as many slots as can be stay in the cache.
 */
const START_BITS = 22;
const START_MASK = (1 << START_BITS) - 1;
/** Before its letters a word has the two halves of its number, and its length. */
const VALUE = -3;
const LENGTH = -1;
const HEAD = 3;
/** A longer word is not remembered: its length is one unit. */
const MAX_LETTERS = 0xffff;

/**
 * How many words are remembered, and of how many UTF-16 units: a bound on memory, 1 MiB for the slots and up to 5 for the
 * words, and rare words gain nothing from it. All of them stand below what START_BITS can tell.
 */
const MAX_WORDS = 5 << 15;
const MAX_SLOTS = 1 << 18;
const MAX_UNITS = (1 << 21) + HEAD * MAX_WORDS;

/**
 * Remembers a whole number for each word, found by its units wherever they stand, without making a string of it. It may
 * forget any word at any time, so whoever asks must be able to work the number out again.
 */
export class WordTable {
  #slots = new Int32Array(FIRST_SLOTS);
  /** The words, one after the other. */
  #units = new Uint16Array(FIRST_UNITS);
  #unitsUsed = 0;
  #words = 0;

  /** The number of the word that stands between the places, or undefined when it is not remembered. The hash is that of `hashOf`. */
  get(units: Uint16Array, from: number, to: number, hash = hashOf(units, from, to)): number | undefined {
    const start = this.#find(units, from, to, hash);
    if (start === 0) return undefined;
    return (this.#units[start + VALUE] ?? 0) | ((this.#units[start + VALUE + 1] ?? 0) << 16);
  }

  /** Remembers a number of at most 32 bits, signed, for a word between the places that `get` does not know, and that is not empty. */
  add(units: Uint16Array, from: number, to: number, value: number, hash = hashOf(units, from, to)): void {
    if (to - from > MAX_LETTERS) return;
    if (this.#words >= MAX_WORDS || this.#unitsUsed + to - from + HEAD > MAX_UNITS) this.clear();
    if (this.#words * 8 >= this.#slots.length * 5) this.#grow();
    const start = this.#keep(units, from, to);
    this.#units[start + VALUE] = value;
    this.#units[start + VALUE + 1] = value >>> 16;
    this.#place(hash, start);
  }

  /** Forgets all words, and gives back the memory that they took. */
  clear(): void {
    this.#slots = new Int32Array(FIRST_SLOTS);
    this.#units = new Uint16Array(FIRST_UNITS);
    this.#unitsUsed = 0;
    this.#words = 0;
  }

  /** Where the letters of the word stand; 0 when it is not remembered. */
  #find(units: Uint16Array, from: number, to: number, hash: number): number {
    const slots = this.#slots;
    const last = slots.length - 1;
    let at = hash & last;
    for (let probe = 0; probe < PROBES; probe += 1) {
      const slot = slots[at] ?? 0;
      if (slot === 0) return 0;
      if ((slot ^ hash) >>> START_BITS === 0 && this.#isWord(slot & START_MASK, units, from, to))
        return slot & START_MASK;
      at = (at + 1) & last;
    }
    return 0;
  }

  #isWord(start: number, word: Uint16Array, from: number, to: number): boolean {
    const units = this.#units;
    if (units[start + LENGTH] !== to - from) return false;
    for (let at = from, unit = start; at < to; at += 1, unit += 1) {
      if (units[unit] !== word[at]) return false;
    }
    return true;
  }

  /** Puts a word that is not there into the first empty slot of its own, else in the place of another word. */
  #place(hash: number, start: number): void {
    const slots = this.#slots;
    const at = this.#slotFor(hash);
    if (slots[at] === 0) this.#words += 1;
    slots[at] = (hash & ~START_MASK) | start;
  }

  #slotFor(hash: number): number {
    const slots = this.#slots;
    const last = slots.length - 1;
    const first = hash & last;
    let at = first;
    for (let probe = 0; probe < PROBES; probe += 1) {
      if (slots[at] === 0) return at;
      at = (at + 1) & last;
    }
    return first;
  }

  /** Copies the word; returns where its letters stand. */
  #keep(word: Uint16Array, from: number, to: number): number {
    const start = this.#unitsUsed + HEAD;
    const end = start + to - from;
    if (end > this.#units.length) {
      const room = Math.max(end, roomAfter(this.#units.length, MAX_UNITS));
      const larger = new Uint16Array(Math.min(room, MAX_UNITS));
      larger.set(this.#units);
      this.#units = larger;
    }
    this.#units[start + LENGTH] = to - from;
    for (let at = from; at < to; at += 1) this.#units[start + at - from] = word[at] ?? 0;
    this.#unitsUsed = end;
    return start;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = new Int32Array(roomAfter(old.length, MAX_SLOTS));
    this.#words = 0;
    for (const slot of old) {
      const start = slot & START_MASK;
      // A slot does not tell of all of a hash.
      if (start > 0)
        this.#place(hashOf(this.#units, start, start + (this.#units[start + LENGTH] ?? 0)), start);
    }
  }
}
