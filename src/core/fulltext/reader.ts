import { finish, type Steps, Tally } from '../base/steps';
import { ShapePacker, type TermShape } from './compounds';
import type { Dictionary } from './dictionary';
import { MANY_TERMS, nextCapacity, widened } from './postings';
import { FIELD_END, TermPacker, type TokenStream } from './streams';
import { WordTerms } from './terms';
import { hashOf, WordWalk } from './words';

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
      const room = Math.max(end, nextCapacity(this.#units.length, MAX_UNITS));
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
    this.#slots = new Int32Array(nextCapacity(old.length, MAX_SLOTS));
    this.#words = 0;
    for (const slot of old) {
      const start = slot & START_MASK;
      // A slot does not tell of all of a hash.
      if (start > 0)
        this.#place(hashOf(this.#units, start, start + (this.#units[start + LENGTH] ?? 0)), start);
    }
  }
}

/** Words of several terms, or none, are remembered until their lists take so many numbers: a bound on memory. */
const MAX_LISTED = 1 << 18;

/** So many words of a document are read in one step. */
const WORDS_PER_STEP = 2048;

/** Room for so many terms is there from the beginning: few, so that the engine has seen room being made before it compiles. */
const FIRST_TERMS = 16;

/** A part of a document. Each occurrence of a term in it counts `weight` times, a whole number of at least 1. */
export interface Field {
  readonly text: string;
  readonly weight: number;
}

/** A document taken apart into the numbers of its terms. */
export interface ReadDocument {
  readonly fields: readonly Field[];
  /** All terms in order, fields ended by FIELD_END; between the last field and those before it stands one more. */
  readonly stream: TokenStream;
  /** Which of them are wholes, and where words stand apart. */
  readonly shape: TermShape;
  /** The distinct terms. */
  readonly terms: readonly number[];
  /** How often each of `terms` occurs, counted by the weights of the fields. */
  readonly frequencies: readonly number[];
  /** Number of terms without stop words. */
  readonly length: number;
}

/**
 * Takes documents apart. A word is looked up by its letters where they stand, and only one that is new is made a string,
 * folded and stemmed, so that reading costs little more than walking over the text.
 */
export class DocumentReader {
  readonly #dictionary: Dictionary;
  /** Of a word of one term what `#entry` says of that; for none or several terms -1 minus the place of their list. */
  readonly #words = new WordTable();
  /** Each list: how many terms, and for each what `#entry` says of it, and of how many parts it is the whole. */
  #lists = new Uint32Array(FIRST_TERMS);
  #listed = 0;
  readonly #walk = new WordWalk();
  readonly #parts = new WordTerms();
  #packer = new TermPacker();
  #shaper = new ShapePacker();
  /** By term number, what was counted of the document that is read; 0 for all but the `#distinct` first of `#terms`. */
  #counts = new Uint32Array(FIRST_TERMS);
  #terms = new Uint32Array(FIRST_TERMS);
  #distinct = 0;
  #length = 0;

  constructor(dictionary: Dictionary) {
    this.#dictionary = dictionary;
  }

  /** Reads a document; terms that are new get a number. */
  read(fields: readonly Field[]): ReadDocument {
    return finish(this.readSteps(fields));
  }

  /** The same, some words a step; until the last one the reader must be asked for nothing else. */
  *readSteps(fields: readonly Field[]): Steps<ReadDocument> {
    this.#begin();
    const tally = new Tally(WORDS_PER_STEP);
    let left = fields.length;
    for (const { text, weight } of fields) {
      left -= 1;
      const begin = this.#packer.size;
      // Only there do two ends stand side by side, so whoever looks for names knows where they are over.
      if (left === 0 && begin > 0) this.#packer.add(FIELD_END);
      this.#walk.begin(text);
      if (tally.isFull()) yield;
      while (this.#walk.next()) {
        this.#countWord(weight);
        if (tally.isFull()) yield;
      }
      // Of the fields between the first and the last, empty ones leave nothing.
      if (begin === 0 || left === 0 || this.#packer.size > begin) this.#packer.add(FIELD_END);
    }
    // The text is not to stay in memory for its last word.
    this.#walk.begin('');
    const terms = new Array<number>(this.#distinct);
    const frequencies = new Array<number>(this.#distinct);
    for (let at = 0; at < terms.length; at += 1) {
      const term = this.#terms[at] ?? 0;
      terms[at] = term;
      frequencies[at] = this.#counts[term] ?? 0;
      this.#counts[term] = 0;
    }
    this.#distinct = 0;
    return {
      fields,
      stream: this.#packer.take(),
      shape: this.#shaper.take(),
      terms,
      frequencies,
      length: this.#length,
    };
  }

  /**
   * Forgets every word, and gives back what only makes reading fast. Call it when numbers were released: words that lead to
   * them are remembered otherwise.
   */
  forget(): void {
    this.#forgetWords();
    this.#packer = new TermPacker();
    this.#shaper = new ShapePacker();
    this.#counts = new Uint32Array(FIRST_TERMS);
    this.#terms = new Uint32Array(FIRST_TERMS);
    this.#distinct = 0;
  }

  /** Leaves alone what was counted: it may be done in the middle of a document. */
  #forgetWords(): void {
    this.#words.clear();
    this.#listed = 0;
    this.#lists = new Uint32Array(FIRST_TERMS);
  }

  #begin(): void {
    // Something is left only of a document that could not be read to its end.
    for (let at = 0; at < this.#distinct; at += 1) this.#counts[this.#terms[at] ?? 0] = 0;
    this.#distinct = 0;
    this.#length = 0;
    this.#packer.clear();
    this.#shaper.clear();
  }

  /** Counts the word at which the walk stands. */
  #countWord(weight: number): void {
    const { units, from, to, hash } = this.#walk;
    const value = this.#words.get(units, from, to, hash) ?? this.#learn(units, from, to, hash);
    if (this.#walk.isApart) this.#shaper.addApart(this.#packer.size);
    if (value < 0) {
      this.#countList(-1 - value, weight);
    } else {
      this.#count(value, weight);
    }
  }

  /** Counts a term by its entry. */
  #count(entry: number, weight: number): void {
    const term = entry >>> 1;
    this.#length += 1 - (entry & 1);
    const before = this.#counts[term] ?? 0;
    if (before === 0) {
      if (this.#distinct === this.#terms.length) this.#terms = widened(this.#terms, this.#distinct * 2);
      this.#terms[this.#distinct++] = term;
    }
    this.#counts[term] = before + weight;
    this.#packer.add(term);
  }

  #learn(units: Uint16Array, from: number, to: number, hash: number): number {
    if (this.#listed >= MAX_LISTED) this.#forgetWords();
    this.#parts.read(units, from, to);
    const value = this.#parts.count === 1 ? this.#entry(0) : -1 - this.#list();
    this.#makeRoom();
    this.#words.add(units, from, to, value, hash);
    return value;
  }

  /**
   * Twice the number of a term of the last word, which gets one when it has none; one more for a stop word, so that nobody has to
   * look that up again.
   */
  #entry(place: number): number {
    const term = this.#dictionary.take(this.#parts.units, this.#parts.from(place), this.#parts.to(place));
    return term * 2 + (this.#dictionary.isStopWord(term) ? 1 : 0);
  }

  #countList(place: number, weight: number): void {
    const end = place + 1 + 2 * (this.#lists[place] ?? 0);
    for (let at = place + 1; at < end; at += 2) {
      this.#count(this.#lists[at] ?? 0, weight);
      const span = this.#lists[at + 1] ?? 0;
      if (span > 0) this.#shaper.addWhole(this.#packer.size - 1, span);
    }
  }

  /** Keeps the terms of the last word as a list; returns its place. */
  #list(): number {
    const { count } = this.#parts;
    const place = this.#listed;
    this.#listed += 1 + 2 * count;
    if (this.#listed > this.#lists.length)
      this.#lists = widened(
        this.#lists,
        Math.max(this.#listed, nextCapacity(this.#lists.length, MAX_LISTED)),
      );
    this.#lists[place] = count;
    for (let at = 0; at < count; at += 1) {
      this.#lists[place + 1 + 2 * at] = this.#entry(at);
      this.#lists[place + 2 + 2 * at] = this.#parts.span(at);
    }
    return place;
  }

  #makeRoom(): void {
    const { limit } = this.#dictionary;
    if (limit > this.#counts.length)
      this.#counts = widened(this.#counts, Math.max(limit, nextCapacity(this.#counts.length, MANY_TERMS)));
  }
}
