import { termsOf } from './analyse';
import type { TermNumbers } from './term-numbers';
import { FIELD_END, TermPacker, type TermStream } from './term-stream';
import { WordTable } from './word-table';
import { eachWord } from './words';

/** So many words of several terms, or none, are remembered: a bound on memory. */
const MAX_LISTS = 1 << 16;

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
  readonly #numbers: TermNumbers;
  /** The number of a word's term; of a word with none or several, -1 minus its place in `#lists`. */
  readonly #words = new WordTable();
  #lists: number[][] = [];
  readonly #packer = new TermPacker();
  /** By term number, what was counted of the last document; 0 for all but those in `#terms`. */
  #counts = new Uint32Array(1024);
  #terms: number[] = [];
  #length = 0;

  constructor(numbers: TermNumbers) {
    this.#numbers = numbers;
  }

  /** Reads a document; terms that are new get a number. */
  read(fields: readonly Field[]): ReadDocument {
    this.#begin();
    for (const { text, weight } of fields) {
      eachWord(text, (from, to) => {
        const value = this.#words.get(text, from, to) ?? this.#learn(text, from, to);
        if (value >= 0) this.#count(value, weight);
        else for (const term of this.#lists[-1 - value] ?? []) this.#count(term, weight);
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
    this.#lists = [];
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
    if (!this.#numbers.isStopWord(term)) this.#length += 1;
  }

  #learn(text: string, from: number, to: number): number {
    if (this.#lists.length >= MAX_LISTS) this.forget();
    const terms = termsOf(text.slice(from, to)).map((term) => this.#numbers.take(term));
    this.#makeRoom();
    const [only] = terms;
    const value = terms.length === 1 && only !== undefined ? only : -this.#lists.push(terms);
    this.#words.set(text, from, to, value);
    return value;
  }

  #makeRoom(): void {
    if (this.#numbers.limit <= this.#counts.length) return;
    const larger = new Uint32Array(this.#numbers.limit * 2);
    larger.set(this.#counts);
    this.#counts = larger;
  }
}
