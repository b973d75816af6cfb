import { termsOf } from './analyse';
import type { Dictionary } from './dictionary';
import { FIELD_END, TermPacker, type TermStream } from './term-stream';
import { WordTable } from './word-table';
import { eachWord } from './words';

/** Words of several terms, or none, are remembered until their lists take so many numbers: a bound on memory. */
const MAX_LISTED = 1 << 18;

/** A part of a document. Each occurrence of a term in it counts `weight` times, a whole number. */
export interface Field {
  readonly text: string;
  readonly weight: number;
}

/** A document taken apart into the numbers of its terms. */
export interface ReadDocument {
  readonly fields: readonly Field[];
  /** All terms in order, fields ended by FIELD_END. */
  readonly stream: TermStream;
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
  /** Twice the number of a word's term, one more for a stop word; for none or several terms -1 minus the place of their list. */
  readonly #words = new WordTable();
  /** Each list: how many terms, and their numbers. */
  #lists = new Uint32Array(1024);
  #listed = 0;
  readonly #packer = new TermPacker();
  /** By term number, what was counted of the last document; 0 for all but those in `#terms`. */
  #counts = new Uint32Array(1024);
  #terms: number[] = [];
  #length = 0;

  constructor(dictionary: Dictionary) {
    this.#dictionary = dictionary;
  }

  /** Reads a document; terms that are new get a number. */
  read(fields: readonly Field[]): ReadDocument {
    this.#begin();
    for (const { text, weight } of fields) {
      eachWord(text, (from, to, hash) => {
        const value = this.#words.get(text, from, to, hash) ?? this.#learn(text, from, to);
        if (value < 0) {
          this.#countList(-1 - value, weight);
          return;
        }
        this.#count(value >>> 1, weight);
        this.#length += 1 - (value & 1);
      });
      this.#packer.add(FIELD_END);
    }
    const terms = this.#terms;
    const frequencies = terms.map((term) => this.#counts[term] ?? 0);
    return { fields, stream: this.#packer.take(), terms, frequencies, length: this.#length };
  }

  /** Forgets every word. Call it when numbers were released: words that lead to them are remembered otherwise. */
  forget(): void {
    this.#words.clear();
    this.#listed = 0;
    this.#lists = new Uint32Array(1024);
  }

  #begin(): void {
    for (const term of this.#terms) this.#counts[term] = 0;
    this.#terms = [];
    this.#length = 0;
    this.#packer.take();
  }

  #count(term: number, weight: number): void {
    const before = this.#counts[term] ?? 0;
    if (before === 0) this.#terms.push(term);
    this.#counts[term] = before + weight;
    this.#packer.add(term);
  }

  #learn(text: string, from: number, to: number): number {
    if (this.#listed >= MAX_LISTED) this.forget();
    const terms = termsOf(text.slice(from, to)).map((term) => this.#dictionary.take(term));
    this.#makeRoom();
    const [only] = terms;
    const value =
      terms.length === 1 && only !== undefined
        ? only * 2 + (this.#dictionary.isStopWord(only) ? 1 : 0)
        : -1 - this.#list(terms);
    this.#words.set(text, from, to, value);
    return value;
  }

  #countList(place: number, weight: number): void {
    const end = place + 1 + (this.#lists[place] ?? 0);
    for (let at = place + 1; at < end; at += 1) {
      const term = this.#lists[at] ?? 0;
      this.#count(term, weight);
      if (!this.#dictionary.isStopWord(term)) this.#length += 1;
    }
  }

  /** Keeps a list; returns its place. */
  #list(terms: readonly number[]): number {
    const place = this.#listed;
    this.#listed += 1 + terms.length;
    if (this.#listed > this.#lists.length) {
      const larger = new Uint32Array(this.#listed * 2);
      larger.set(this.#lists);
      this.#lists = larger;
    }
    this.#lists[place] = terms.length;
    this.#lists.set(terms, place + 1);
    return place;
  }

  #makeRoom(): void {
    if (this.#dictionary.limit <= this.#counts.length) return;
    const larger = new Uint32Array(this.#dictionary.limit * 2);
    larger.set(this.#counts);
    this.#counts = larger;
  }
}
