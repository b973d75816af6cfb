import { finish, type Steps, Tally } from '../base/steps';
import { FIELD_END, ShapePacker, TermPacker, type TermShape, type TokenStream } from './streams';
import type { Dictionary } from './dictionary';
import { FIELD_WEIGHTS, type FieldKind, FREQUENCY_STEP } from './scoring';
import { MANY_TERMS, nextCapacity, widened } from './postings';
import { WordTerms } from './terms';
import { hashOf, WordWalk } from './words';

/** The maximum number of slots probed for a word. Words made to collide evict each other, and cost no more than this. */
const PROBES = 12;
/** The initial number of slots, a power of two. The table grows when more than five of eight are used. */
const FIRST_SLOTS = 1 << 4;
const FIRST_UNITS = 1 << 4;

/**
 * A slot is one number, so that as many as possible stay in the cache: the start of a word (0 if empty), and above it the
 * highest bits of its hash, so that hardly any other word is compared with it.
 */
const START_BITS = 22;
const START_MASK = (1 << START_BITS) - 1;
/** A record of the table before the letters of a word: the two halves of its value, and its length. */
const VALUE = -3;
const LENGTH = -1;
const HEAD = 3;
/** The maximum length of a remembered word, since its length is one unit. */
const MAX_LETTERS = 0xffff;

/**
 * The maximum numbers of words, slots and units (UTF-16): 1 MiB for the slots and at most 5 MiB for the words. Rare words
 * gain nothing from more. All starts fit into START_BITS.
 */
const MAX_WORDS = 5 << 15;
const MAX_SLOTS = 1 << 18;
const MAX_UNITS = (1 << 21) + HEAD * MAX_WORDS;

/**
 * A cache from words to integers, which finds a word by its units and makes no string of it. It may forget any word at any
 * time, so the caller must be able to compute the value again.
 */
export class WordTable {
  #slots = new Int32Array(FIRST_SLOTS);
  /** The records of the words, one after the other. */
  #units = new Uint16Array(FIRST_UNITS);
  #unitsUsed = 0;
  #words = 0;

  /**
   * Returns the value of the word between two offsets, or undefined if it is not in the cache. `hash` is that of `hashOf`.
   */
  get(units: Uint16Array, from: number, to: number, hash = hashOf(units, from, to)): number | undefined {
    const start = this.#find(units, from, to, hash);
    if (start === 0) return undefined;
    return (this.#units[start + VALUE] ?? 0) | ((this.#units[start + VALUE + 1] ?? 0) << 16);
  }

  /** Adds a signed 32-bit value for the word between two offsets, which must not be empty or in the cache. */
  add(units: Uint16Array, from: number, to: number, value: number, hash = hashOf(units, from, to)): void {
    if (to - from > MAX_LETTERS) return;
    if (this.#words >= MAX_WORDS || this.#unitsUsed + to - from + HEAD > MAX_UNITS) this.clear();
    if (this.#words * 8 >= this.#slots.length * 5) this.#grow();
    const start = this.#keep(units, from, to);
    this.#units[start + VALUE] = value;
    this.#units[start + VALUE + 1] = value >>> 16;
    this.#place(hash, start);
  }

  /** Forgets all words and releases their memory. */
  clear(): void {
    this.#slots = new Int32Array(FIRST_SLOTS);
    this.#units = new Uint16Array(FIRST_UNITS);
    this.#unitsUsed = 0;
    this.#words = 0;
  }

  /** Returns the start of the letters of a word; 0 if it is not in the cache. */
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

  /** Puts a new word into its first empty slot, or in place of another word. */
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

  /** Copies the word; returns the start of its letters. */
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
      // A slot holds only a part of the hash.
      if (start > 0)
        this.#place(hashOf(this.#units, start, start + (this.#units[start + LENGTH] ?? 0)), start);
    }
  }
}

/** The maximum size of the lists of words with several terms or none (numbers). */
const MAX_LISTED = 1 << 18;

/** The number of words that one step reads. */
const WORDS_PER_STEP = 2048;

/** The initial room (terms). It is small, so that the engine has seen the arrays grow before it compiles. */
const FIRST_TERMS = 16;

/** A part of a document. The parts come in the order of `FIELD_KINDS`, one of them the text; the first one is the title. */
export interface Field {
  readonly kind: FieldKind;
  readonly text: string;
}

/** A document as term numbers. */
export interface ReadDocument {
  readonly fields: readonly Field[];
  /** All terms in order, as `TokenStream` says. */
  readonly stream: TokenStream;
  /** The compounds and gaps of the stream. */
  readonly shape: TermShape;
  /** The distinct terms. */
  readonly terms: readonly number[];
  /** The frequency of each of `terms`, weighted by field; properties count only for a term that stands nowhere else. */
  readonly frequencies: readonly number[];
  /** The number of terms without stop words, those in properties left out. */
  readonly length: number;
  /** The number of terms in properties without stop words. */
  readonly propertyLength: number;
}

/**
 * Reads documents. It looks up each word by its units, and folds and stems only new ones, so that reading costs little more
 * than a scan of the text.
 */
export class DocumentReader {
  readonly #dictionary: Dictionary;
  /** By word, the entry of its only term; or -1 minus the index of its list, if it has no term or several. */
  readonly #words = new WordTable();
  /** Lists: the number of terms, then for each its entry and its span. */
  #lists = new Uint32Array(FIRST_TERMS);
  #listed = 0;
  readonly #walk = new WordWalk();
  readonly #parts = new WordTerms();
  #packer = new TermPacker();
  #shaper = new ShapePacker();
  /** By term number, the weighted frequency in the current document, in steps; 0 for all but the first `#distinct` of `#terms`. */
  #counts = new Uint32Array(FIRST_TERMS);
  #terms = new Uint32Array(FIRST_TERMS);
  #distinct = 0;
  #length = 0;
  /** What an occurrence in the current field counts, in steps; a single step counts once. */
  #steps = 0;

  constructor(dictionary: Dictionary) {
    this.#dictionary = dictionary;
  }

  /** Reads a document; new terms get a number. */
  read(fields: readonly Field[]): ReadDocument {
    return finish(this.readSteps(fields));
  }

  /** Does the same as `read`, some words a step; nothing else may use the reader until the last step. */
  *readSteps(fields: readonly Field[]): Steps<ReadDocument> {
    this.#begin();
    const tally = new Tally(WORDS_PER_STEP);
    let length: number | null = null;
    for (const [at, { kind, text }] of fields.entries()) {
      // Two adjacent ends mark where the text begins, and two where it is over.
      if (kind === 'text' && at > 0) this.#packer.add(FIELD_END);
      if (kind === 'property' && length === null) {
        this.#packer.add(FIELD_END);
        length = this.#length;
      }
      const begin = this.#packer.size;
      this.#steps = FIELD_WEIGHTS[kind] / FREQUENCY_STEP;
      this.#walk.begin(text);
      if (tally.isFull()) yield;
      while (this.#walk.next()) {
        this.#countWord();
        if (tally.isFull()) yield;
      }
      // Of empty fields only the first one and the text leave an end.
      if (at === 0 || kind === 'text' || this.#packer.size > begin) this.#packer.add(FIELD_END);
    }
    // This releases the text.
    this.#walk.begin('');
    if (length === null) this.#packer.add(FIELD_END);
    length ??= this.#length;
    const terms = new Array<number>(this.#distinct);
    const frequencies = new Array<number>(this.#distinct);
    for (let at = 0; at < terms.length; at += 1) {
      const term = this.#terms[at] ?? 0;
      terms[at] = term;
      frequencies[at] = (this.#counts[term] ?? 0) * FREQUENCY_STEP;
      this.#counts[term] = 0;
    }
    this.#distinct = 0;
    return {
      fields,
      stream: this.#packer.take(),
      shape: this.#shaper.take(),
      terms,
      frequencies,
      length,
      propertyLength: this.#length - length,
    };
  }

  /**
   * Forgets every word and releases the memory that only makes reading fast. Call it when term numbers were released, because
   * the cache refers to them.
   */
  forget(): void {
    this.#forgetWords();
    this.#packer = new TermPacker();
    this.#shaper = new ShapePacker();
    this.#counts = new Uint32Array(FIRST_TERMS);
    this.#terms = new Uint32Array(FIRST_TERMS);
    this.#distinct = 0;
  }

  /** Keeps the counts, so that it may run in the middle of a document. */
  #forgetWords(): void {
    this.#words.clear();
    this.#listed = 0;
    this.#lists = new Uint32Array(FIRST_TERMS);
  }

  #begin(): void {
    // Counts are left only from a document that could not be read to its end.
    for (let at = 0; at < this.#distinct; at += 1) this.#counts[this.#terms[at] ?? 0] = 0;
    this.#distinct = 0;
    this.#length = 0;
    this.#packer.clear();
    this.#shaper.clear();
  }

  /** Counts the current word of the walk. */
  #countWord(): void {
    const { units, from, to, hash } = this.#walk;
    const value = this.#words.get(units, from, to, hash) ?? this.#learn(units, from, to, hash);
    if (this.#walk.isAfterGap) this.#shaper.addGap(this.#packer.size);
    if (value < 0) {
      this.#countList(-1 - value);
    } else {
      this.#count(value);
    }
  }

  /** Counts a term by its entry. */
  #count(entry: number): void {
    const term = entry >>> 1;
    this.#length += 1 - (entry & 1);
    const before = this.#counts[term] ?? 0;
    if (before === 0) {
      if (this.#distinct === this.#terms.length) this.#terms = widened(this.#terms, this.#distinct * 2);
      this.#terms[this.#distinct++] = term;
    }
    if (before === 0 || this.#steps > 1) this.#counts[term] = before + this.#steps;
    this.#packer.add(term);
  }

  #learn(units: Uint16Array, from: number, to: number, hash: number): number {
    if (this.#listed >= MAX_LISTED) this.#forgetWords();
    this.#parts.read(units, from, to);
    const value = this.#parts.count === 1 ? this.#entry(0) : -1 - this.#addList();
    this.#makeRoom();
    this.#words.add(units, from, to, value, hash);
    return value;
  }

  /**
   * Returns the entry of a term of the last word: twice its number, plus one for a stop word, which saves a look-up. A new
   * term gets a number.
   */
  #entry(place: number): number {
    const term = this.#dictionary.intern(this.#parts.units, this.#parts.from(place), this.#parts.to(place));
    return term * 2 + (this.#dictionary.isStopWord(term) ? 1 : 0);
  }

  #countList(place: number): void {
    const end = place + 1 + 2 * (this.#lists[place] ?? 0);
    for (let at = place + 1; at < end; at += 2) {
      this.#count(this.#lists[at] ?? 0);
      const span = this.#lists[at + 1] ?? 0;
      if (span > 0) this.#shaper.addCompound(this.#packer.size - 1, span);
    }
  }

  /** Stores the terms of the last word as a list; returns its index. */
  #addList(): number {
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
