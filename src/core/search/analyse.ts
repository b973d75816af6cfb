import lunr from 'lunr';
import { foldLatin } from '../rules/slug';
import { eachWord, isPaired } from './words';

/** How many distinct words are remembered: a bound on memory, and rare words gain nothing from it. */
const MAX_REMEMBERED = 50_000;

/**
 * Turns text into search terms: NFKC, case and Latin and Greek accents folded, Latin words stemmed,
 * identifiers whole and in their parts, scripts without spaces as pairs of characters. Each distinct word is
 * analysed once and remembered, so an analyser is meant to live as long as its index.
 */
export class Analyser {
  readonly #remembered = new Map<string, readonly string[]>();

  /** The same as `termsOf`, which may be remembered. */
  terms(word: string): readonly string[] {
    const known = this.#remembered.get(word);
    if (known !== undefined) return known;
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
    // A slice keeps the whole note it was cut from in memory; a joined copy does not.
    const copy = Array.from(word).join('');
    const terms = termsOf(copy);
    this.#remembered.set(copy, terms);
    return terms;
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

/** True for lunr's list of very frequent English words, which count only in a query that has no others. */
export function isStopWord(term: string): boolean {
  return lunr.stopWordFilter(new lunr.Token(term, {})) === undefined;
}

/** The terms of one word, as `eachWord` bounds it: its parts first, then the parts held together. */
export function termsOf(word: string): string[] {
  // Most words are plain; what follows would say the same of them.
  if (/^[A-Z]?[a-z]+$/.test(word)) return [stem(word)];
  const visibleWord = visible(word);
  return isPaired(word) ? [foldTerm(visibleWord)] : wordTerms(visibleWord).filter(Boolean);
}

function visible(word: string): string {
  return word.replace(/\p{Default_Ignorable_Code_Point}/gu, '').normalize('NFKC');
}

function wordTerms(word: string): string[] {
  if (/^\p{L}(?:\+\+|#)$/u.test(word)) return [foldTerm(word)];
  const plain = word.replace(/['’](?:s|d|m|t|ll|re|ve)$/i, '');
  const parts = plain.split(/[^\p{L}\p{M}\p{N}]+/u).filter(Boolean);
  const terms = parts.flatMap(partTerms);
  if (parts.length < 2) return terms;
  // Written with an ordinary hyphen or apostrophe whatever the keyboard made of it.
  const whole = foldTerm(plain)
    .replace(/[\u2010\u2011]/g, '-')
    .replace(/’/g, "'");
  // Whoever asks for 1.2 means v1.2 as well.
  return /^v\d/.test(whole) ? [...terms, whole, whole.slice(1)] : [...terms, whole];
}

/** `trashFile` gives trash, file, trashfile; `HTTPServer` http, server, httpserver; `plain` only itself. */
function partTerms(part: string): string[] {
  const humps = part
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .split(' ');
  return humps.length > 1 ? [...humps, part].map(stem) : [stem(part)];
}

function stem(word: string): string {
  const folded = foldTerm(word);
  if (!/^[a-z]+$/.test(folded) || isStopWord(folded)) return folded;
  return lunr.stemmer(new lunr.Token(folded, {})).toString();
}

/**
 * Points that writers of Hebrew and Arabic may leave out, and the stroke that only stretches an Arabic word.
 */
const OPTIONAL_POINTS =
  /\u0640|[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed]/g;

function foldTerm(word: string): string {
  const lower = word.toLowerCase();
  if (!/[^ -~]/.test(lower)) return lower;
  return foldLatin(lower).replace(OPTIONAL_POINTS, '').replace(/ς/g, 'σ');
}
