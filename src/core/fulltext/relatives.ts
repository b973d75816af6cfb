import type { Dictionary } from './dictionary';
import { type Language, LANGUAGES, TELLING } from './languages';
import { docOf, type PostingRange, type Postings } from './postings';
import { isStopWord } from './stop-words';

/** What is asked of an index to find the forms of a word. */
interface Asked {
  readonly dictionary: Dictionary;
  readonly postings: Postings;
  /** Returns the number of changes of the index so far. */
  readonly changes: () => number;
  /** Returns true for a term that a document holds which counts. */
  readonly occurs: (term: number) => boolean;
  /** Returns the postings of a term in the documents that count. */
  readonly range: (term: number) => PostingRange;
}

/** A language with the numbers of its telling words, and whether the documents that were looked at are in it. */
interface Spoken extends Language {
  readonly telling: readonly number[];
  readonly looked: Map<number, boolean>;
}

/** The minimum length of a word that is stemmed, and of the letters that its forms share (UTF-16 units). */
const MIN_WORD = 4;
const MIN_START = 3;
/** If more documents hold a word, one of them is assumed to be in the language. */
const MAX_LOOKED = 64;
/** The most terms that are stemmed for one word and language. */
const MAX_STEMMED = 64;
/** The most words whose forms are remembered until the next change. */
const MAX_REMEMBERED = 1024;
const NONE: readonly number[] = [];
const LETTERS = /^\p{L}+$/u;

/**
 * Finds the forms of words in other languages than English: terms with one stem that stand in texts of the language, which its
 * function words tell.
 */
export class Relatives {
  readonly #asked: Asked;
  /** After so many changes of the index: the languages that some document may have, and the forms that were looked for. */
  #at = -1;
  #spoken: readonly Spoken[] = [];
  readonly #known = new Map<string, readonly number[]>();

  constructor(asked: Asked) {
    this.#asked = asked;
  }

  /** Returns the terms that share a stem with a term in a language that both are used in, in no defined order. */
  of(form: string): readonly number[] {
    const { dictionary } = this.#asked;
    const changes = this.#asked.changes();
    if (changes !== this.#at) {
      this.#at = changes;
      this.#known.clear();
      this.#spoken = LANGUAGES.map((language) => ({
        ...language,
        telling: language.words.map((word) => dictionary.get(word) ?? 0).filter(this.#asked.occurs),
        looked: new Map<number, boolean>(),
      })).filter(({ telling }) => telling.length >= TELLING);
    }
    if (this.#spoken.length === 0 || form.length < MIN_WORD) return NONE;
    const known = this.#known.get(form);
    if (known !== undefined) return known;
    const found = LETTERS.test(form) && !isStopWord(form) ? this.#find(form) : NONE;
    if (this.#known.size >= MAX_REMEMBERED) this.#known.clear();
    this.#known.set(form, found);
    return found;
  }

  #find(form: string): readonly number[] {
    const { dictionary, occurs } = this.#asked;
    const own = dictionary.get(form) ?? 0;
    const found = new Set<number>();
    for (const language of this.#spoken) {
      if (occurs(own) && !this.#isUsed(own, language)) continue;
      const stem = language.stem(form);
      const start = form.slice(0, Math.max(MIN_START, Math.min(stem.length, form.length) - 1));
      const same = dictionary.get(start);
      const near = [...dictionary.beginningWith(start), ...(same === undefined ? [] : [same])].filter(occurs);
      // So short a beginning tells no forms.
      if (near.length > MAX_STEMMED) continue;
      for (const number of near)
        if (language.stem(dictionary.text(number)) === stem && this.#isUsed(number, language))
          found.add(number);
    }
    return [...found];
  }

  /** Returns true if a document with the term is in the language. */
  #isUsed(term: number, language: Spoken): boolean {
    const { cells, from, to } = this.#asked.range(term);
    if (to - from > MAX_LOOKED) return true;
    for (let at = from; at < to; at += 1) if (this.#isIn(docOf(cells[at] ?? 0), language)) return true;
    return false;
  }

  #isIn(doc: number, { telling, looked }: Spoken): boolean {
    const known = looked.get(doc);
    if (known !== undefined) return known;
    let told = 0;
    const isIn = telling.some((word) => this.#asked.postings.has(word, doc) && (told += 1) === TELLING);
    looked.set(doc, isIn);
    return isIn;
  }
}
