import { finish, type Steps, Tally } from '../base/steps';
import { FIELD_END, ShapePacker, TermPacker, type TermShape, type TokenStream } from './streams';
import type { Dictionary } from './dictionary';
import { FIELD_WEIGHTS, type FieldKind, FREQUENCY_STEP } from './scoring';
import { MANY_TERMS, nextCapacity, widened } from './postings';
import { WordTerms } from './terms';
import { textIn, WordWalk } from './words';

/** The maximum number of distinct words whose terms are remembered; rare words gain nothing from more. */
const MAX_REMEMBERED = 50_000;

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

/** A term of a word: its number, and the number of its parts; 0 for a part. */
interface WordTerm {
  readonly term: number;
  readonly span: number;
}

/** Reads documents. A word that only folds is looked up by its units, without a string; the terms of any other are remembered. */
export class DocumentReader {
  readonly #dictionary: Dictionary;
  /** By word that does more than fold, its terms. */
  readonly #words = new Map<string, readonly WordTerm[]>();
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
        this.#countWord(text);
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
    this.#words.clear();
    this.#packer = new TermPacker();
    this.#shaper = new ShapePacker();
    this.#counts = new Uint32Array(FIRST_TERMS);
    this.#terms = new Uint32Array(FIRST_TERMS);
    this.#distinct = 0;
  }

  #begin(): void {
    // Counts are left only from a document that could not be read to its end.
    for (let at = 0; at < this.#distinct; at += 1) this.#counts[this.#terms[at] ?? 0] = 0;
    this.#distinct = 0;
    this.#length = 0;
    this.#packer.clear();
    this.#shaper.clear();
  }

  /** Counts the current word of the walk over a text. */
  #countWord(text: string): void {
    const { units, from, to } = this.#walk;
    if (this.#walk.isAfterGap) this.#shaper.addGap(this.#packer.size);
    if (this.#parts.readPlain(units, from, to)) {
      this.#count(this.#intern(0));
      return;
    }
    for (const { term, span } of this.#words.get(text.slice(from, to)) ?? this.#learn(units, from, to)) {
      this.#count(term);
      if (span > 0) this.#shaper.addCompound(this.#packer.size - 1, span);
    }
  }

  #count(term: number): void {
    if (!this.#dictionary.isStopWord(term)) this.#length += 1;
    const before = this.#counts[term] ?? 0;
    if (before === 0) {
      if (this.#distinct === this.#terms.length) this.#terms = widened(this.#terms, this.#distinct * 2);
      this.#terms[this.#distinct++] = term;
    }
    if (before === 0 || this.#steps > 1) this.#counts[term] = before + this.#steps;
    this.#packer.add(term);
  }

  #learn(units: Uint16Array, from: number, to: number): readonly WordTerm[] {
    const { count } = this.#parts.read(units, from, to);
    const terms = Array.from({ length: count }, (_, at) => ({
      term: this.#intern(at),
      span: this.#parts.span(at),
    }));
    if (this.#words.size >= MAX_REMEMBERED) this.#words.clear();
    // A slice of the text would keep all of it in memory.
    this.#words.set(textIn(units, from, to - from), terms);
    return terms;
  }

  /** Returns the number of a term of the last word; a new one gets a number. */
  #intern(place: number): number {
    const term = this.#dictionary.intern(this.#parts.units, this.#parts.from(place), this.#parts.to(place));
    this.#makeRoom();
    return term;
  }

  #makeRoom(): void {
    const { limit } = this.#dictionary;
    if (limit > this.#counts.length)
      this.#counts = widened(this.#counts, Math.max(limit, nextCapacity(this.#counts.length, MANY_TERMS)));
  }
}
