import lunr from 'lunr';
import { foldLatin } from '../rules/slug';
import { eachWord, isPaired } from './words';

/**
 * Raise this whenever any text comes apart into other terms than before, or counts with other weights: indexes that were kept
 * are then made anew.
 */
const ANALYSIS_VERSION = 1;

/** Letters that came with Unicode 15.1, 16 and 17: a machine that does not know them takes some texts apart otherwise. */
const RECENT_LETTERS = ['\u{2ebf0}', '\u{1c89}', '\u{323b0}'];

/** A number that is the same wherever every text comes apart into the same terms. */
export function analysisEdition(): number {
  const known = RECENT_LETTERS.map((letter): number => (/\p{L}/u.test(letter) ? 1 : 0));
  return known.reduce((bits, bit) => bits * 2 + bit, ANALYSIS_VERSION);
}

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

/** No word of lunr's list is longer. */
const LONGEST_STOP_WORD = 7;

/** True for lunr's list of very frequent English words, which count only in a query that has no others. */
export function isStopWord(term: string): boolean {
  // The look-up costs ten times as much.
  if (term.length > LONGEST_STOP_WORD || term > '{') return false;
  return lunr.stopWordFilter(new lunr.Token(term, {})) === undefined;
}

/** Kana, Han and Hangul that are the same in every normal form and case: nearly all there is of these scripts. */
const PLAIN_PAIR = /^[\u3041-\u3096\u30a1-\u30fa\u30fc-\u30fe\u4e00-\u9fff\uac00-\ud7a3]+$/;

/** The terms of one word, as `eachWord` bounds it: its parts first, then the parts held together. */
export function termsOf(word: string): string[] {
  // Most words are plain; what follows would say the same of them, at length.
  if (/^[A-Z]?[a-z]+$/.test(word)) return [stem(word)];
  if (/^(?:[a-z]*\d[a-z\d]*)$/.test(word) || PLAIN_PAIR.test(word)) return [word];
  if (/^[!-~]+$/.test(word)) return wordTerms(word, /[^A-Za-z0-9]+/);
  const visibleWord = visible(word);
  if (isPaired(word)) return [foldTerm(visibleWord)].filter(Boolean);
  return wordTerms(visibleWord, /[^\p{L}\p{M}\p{N}]+/u).filter(Boolean);
}

function visible(word: string): string {
  return word.replace(/\p{Default_Ignorable_Code_Point}/gu, '').normalize('NFKC');
}

/** @param between what stands between two parts of a word */
function wordTerms(word: string, between: RegExp): string[] {
  if (/^\p{L}(?:\+\+|#)$/u.test(word)) return [foldTerm(word)];
  const plain = word.replace(/['’](?:s|d|m|t|ll|re|ve)$/i, '');
  const parts = plain.split(between).filter(Boolean);
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
  if (/^(?:[a-z0-9]+|[A-Z0-9]+)$/.test(part)) return [stem(part)];
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
