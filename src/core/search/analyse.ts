import { copyUnits, unitsOf } from './unit-text';
import { WordTerms } from './word-terms';
import { eachWord, MAX_WORD } from './words';

/**
 * Raise this whenever any text comes apart into other terms than before, stands otherwise in a stream, or counts with other
 * weights: indexes that were kept are then made anew.
 */
const ANALYSIS_VERSION = 5;

/** Letters that came with Unicode 15.1, 16 and 17: a machine that does not know them takes some texts apart otherwise. */
const RECENT_LETTERS = ['\u{2ebf0}', '\u{1c89}', '\u{323b0}'];

/** A number that is the same wherever every text comes apart into the same terms. */
export function analysisEdition(): number {
  const known = RECENT_LETTERS.map((letter): number => (/\p{L}/u.test(letter) ? 1 : 0));
  return known.reduce((bits, bit) => bits * 2 + bit, ANALYSIS_VERSION);
}

/** How many distinct words are remembered: a bound on memory, and rare words gain nothing from it. */
const MAX_REMEMBERED = 50_000;

const ONE_PART: readonly number[] = [0];

/** A word taken apart. */
interface Analysed {
  readonly terms: readonly string[];
  readonly spans: readonly number[];
}

/**
 * Turns text into search terms: NFKC, case and Latin and Greek accents folded, Latin words stemmed,
 * identifiers whole and in their parts, scripts without spaces as pairs of characters. Each distinct word is
 * analysed once and remembered, so an analyser is meant to live as long as its index.
 */
export class Analyser {
  readonly #remembered = new Map<string, Analysed>();

  /** The same as `termsOf`, which may be remembered. */
  terms(word: string): readonly string[] {
    return this.#analysed(word).terms;
  }

  /** By place of its terms, of how many parts each of a word is the whole; 0 for a part. */
  spans(word: string): readonly number[] {
    return this.#analysed(word).spans;
  }

  #analysed(word: string): Analysed {
    const known = this.#remembered.get(word);
    if (known !== undefined) return known;
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
    // A slice keeps the whole note it was cut from in memory; a joined copy does not.
    const copy = Array.from(word).join('');
    const terms = termsOf(copy);
    // The reader still holds the word that was taken apart.
    const spans = terms.length < 2 ? ONE_PART : terms.map((_, place) => reader.span(place));
    const analysed = { terms, spans };
    this.#remembered.set(copy, analysed);
    return analysed;
  }

  /** Calls `visit` with every term of a text in order, and with the bounds of the word that it comes from. */
  eachTerm(text: string, visit: (term: string, from: number, to: number) => void): void {
    eachWord(text, (from, to) => {
      for (const term of this.terms(text.slice(from, to))) visit(term, from, to);
    });
  }

  /** All terms of a text in order. */
  all(text: string): string[] {
    const terms: string[] = [];
    this.eachTerm(text, (term) => terms.push(term));
    return terms;
  }
}

const reader = new WordTerms();

/** Two words may be asked for as one. */
const scratch = new Uint16Array(2 * MAX_WORD);

/** The term of a word that is one term, as most are; null for any other. It takes a quarter of the time. */
export function onlyTermOf(word: string): string | null {
  if (word.length > scratch.length) return null;
  copyUnits(word, scratch);
  reader.read(scratch, 0, word.length);
  return reader.count === 1 ? reader.text(0) : null;
}

/** The terms of one word, as `eachWord` bounds it: its parts first, then the parts held together. */
export function termsOf(word: string): string[] {
  reader.read(unitsOf(word), 0, word.length);
  return Array.from({ length: reader.count }, (_, place) => reader.text(place));
}
