import { COMPOUND_PART, type Dictionary } from './dictionary';
import { type Language, LANGUAGES, LINKS, TELLING } from './languages';
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
/** The minimum length of the other words of a compound (UTF-16 units). */
const MIN_OTHER = 3;
/** The most terms with one beginning or ending that are looked at as compounds: of more, it is a syllable. */
const MAX_JOINED = 512;
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
    return this.#remembered(form, form, MIN_WORD, () => this.#find(form));
  }

  /**
   * Returns compounds that a word is the last part of, or with `mayLead` also the first, in languages that join words: its
   * other part, but for a sound between them, is a term as well. In no defined order.
   */
  compounds(form: string, mayLead: boolean): readonly number[] {
    const key = `${mayLead ? '+' : '-'}${form}`;
    return this.#remembered(key, form, COMPOUND_PART, () => this.#findCompounds(form, mayLead));
  }

  #remembered(key: string, form: string, least: number, find: () => readonly number[]): readonly number[] {
    const { dictionary } = this.#asked;
    const changes = this.#asked.changes();
    if (changes !== this.#at) {
      this.#at = changes;
      this.#known.clear();
      this.#spoken = LANGUAGES.map((language) => ({
        ...language,
        telling: language.words.map((word) => dictionary.get(word) ?? 0).filter(this.#asked.occurs),
        looked: new Map<number, boolean>(),
      })).filter(({ telling }) => this.#areTold(telling));
    }
    if (this.#spoken.length === 0 || form.length < least) return NONE;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const found = LETTERS.test(form) && !isStopWord(form) ? find() : NONE;
    if (this.#known.size >= MAX_REMEMBERED) this.#known.clear();
    this.#known.set(key, found);
    return found;
  }

  #findCompounds(form: string, mayLead: boolean): readonly number[] {
    const { dictionary, occurs } = this.#asked;
    const own = dictionary.get(form) ?? 0;
    const languages = this.#spoken.filter(
      (language) => language.hasCompounds && (!occurs(own) || this.#isUsed(own, language)),
    );
    if (languages.length === 0) return NONE;
    const isOther = (rest: string): boolean =>
      rest.length >= MIN_OTHER &&
      occurs(dictionary.get(rest) ?? 0) &&
      !languages.some(({ words }) => words.includes(rest));
    const few = (terms: number[]): number[] => (terms.length > MAX_JOINED ? [] : terms);
    const ending = few(dictionary.endingWith(form)).filter((number) => {
      const rest = dictionary.text(number).slice(0, -form.length);
      return LINKS.some((link) => rest.endsWith(link) && isOther(rest.slice(0, rest.length - link.length)));
    });
    const beginning = few(mayLead ? dictionary.beginningWith(form) : []).filter((number) => {
      const rest = dictionary.text(number).slice(form.length);
      return LINKS.some((link) => rest.startsWith(link) && isOther(rest.slice(link.length)));
    });
    return [...new Set([...ending, ...beginning])].filter(
      (number) => occurs(number) && languages.some((language) => this.#isUsed(number, language)),
    );
  }

  #find(form: string): readonly number[] {
    const { dictionary, occurs } = this.#asked;
    const own = dictionary.get(form) ?? 0;
    const found = new Set<number>();
    for (const language of this.#spoken) {
      const { stem: stemmed } = language;
      if (stemmed === null || (occurs(own) && !this.#isUsed(own, language))) continue;
      const stem = stemmed(form);
      const start = form.slice(0, Math.max(MIN_START, Math.min(stem.length, form.length) - 1));
      const same = dictionary.get(start);
      const near = [...dictionary.beginningWith(start), ...(same === undefined ? [] : [same])].filter(occurs);
      // So short a beginning tells no forms.
      if (near.length > MAX_STEMMED) continue;
      for (const number of near)
        if (stemmed(dictionary.text(number)) === stem && this.#isUsed(number, language)) found.add(number);
    }
    return [...found];
  }

  /** Returns true if some document has enough of the words to be in their language. */
  #areTold(telling: readonly number[]): boolean {
    const told = new Map<number, number>();
    const lists = telling.map(this.#asked.range).sort((a, b) => a.to - a.from - (b.to - b.from));
    for (const { cells, from, to } of lists)
      for (let at = from; at < to; at += 1) {
        const doc = docOf(cells[at] ?? 0);
        const count = (told.get(doc) ?? 0) + 1;
        if (count === TELLING) return true;
        told.set(doc, count);
      }
    return false;
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
