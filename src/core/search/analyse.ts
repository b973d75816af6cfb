import lunr from 'lunr';
import { foldPlain, foldTerm } from './fold-term';
import { isStopWord } from './stop-words';
import { unitAt } from './unit-at';
import { eachWord, isPaired } from './words';

/**
 * Raise this whenever any text comes apart into other terms than before, or counts with other weights: indexes that were kept
 * are then made anew.
 */
const ANALYSIS_VERSION = 2;

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

/** The terms of one word, as `eachWord` bounds it: its parts first, then the parts held together. */
export function termsOf(word: string): string[] {
  // Most words are plain; what follows would say the same of them, at length.
  const plain = foldPlain(word);
  if (plain !== null) return plain === '' ? [] : [stem(plain)];
  if (/^[!-~]+$/.test(word)) return asciiTerms(word);
  const visibleWord = visible(word);
  if (isPaired(word)) return [foldTerm(visibleWord)].filter(Boolean);
  return wordTerms(visibleWord).filter(Boolean);
}

function visible(word: string): string {
  return word.replace(/\p{Default_Ignorable_Code_Point}/gu, '').normalize('NFKC');
}

/** `C++`, `c#`. */
const ONE_LETTER_NAME = /^\p{L}(?:\+\+|#)$/u;
/** What English cuts off at the end: `user's`, `don't`. */
const ENDING = /['’](?:s|d|m|t|ll|re|ve)$/i;

function wordTerms(word: string): string[] {
  if (ONE_LETTER_NAME.test(word)) return [foldTerm(word)];
  const plain = word.replace(ENDING, '');
  const parts = plain.split(/[^\p{L}\p{M}\p{N}]+/u).filter(Boolean);
  // Written with an ordinary hyphen or apostrophe whatever the keyboard made of it.
  return joined(parts.flatMap(partTerms), parts.length, () =>
    foldTerm(plain)
      .replace(/[\u2010\u2011]/g, '-')
      .replace(/’/g, "'"),
  );
}

/** The same for ASCII, without the dear parts. */
function asciiTerms(word: string): string[] {
  if (ONE_LETTER_NAME.test(word)) return [foldTerm(word)];
  const plain = word.includes("'") ? word.replace(ENDING, '') : word;
  const terms: string[] = [];
  let parts = 0;
  let begin = -1;
  for (let at = 0; at <= plain.length; at += 1) {
    const kind = at < plain.length ? kindOf(unitAt(plain, at)) : SIGN;
    if (kind !== SIGN) {
      if (begin < 0) begin = at;
      continue;
    }
    if (begin < 0) continue;
    parts += 1;
    asciiPartTerms(plain.slice(begin, at), terms);
    begin = -1;
  }
  return joined(terms, parts, () => plain.toLowerCase());
}

/** The terms of the parts, and behind them that of the whole, when there is more than one part. */
function joined(terms: string[], parts: number, wholeOf: () => string): string[] {
  if (parts < 2) return terms;
  const whole = wholeOf();
  // Whoever asks for 1.2 means v1.2 as well.
  return /^v\d/.test(whole) ? [...terms, whole, whole.slice(1)] : [...terms, whole];
}

/** `trashFile` gives trash, file, trashfile; `HTTPServer` http, server, httpserver; `plain` only itself. */
function partTerms(part: string): string[] {
  const humps = part
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .split(' ');
  return (humps.length > 1 ? [...humps, part] : [part]).map((each) => stem(foldTerm(each)));
}

const SIGN = 0;
const DIGIT = 1;
const SMALL = 2;
const CAPITAL = 3;

function kindOf(unit: number): number {
  if (unit >= 0x61 && unit <= 0x7a) return SMALL;
  if (unit >= 0x41 && unit <= 0x5a) return CAPITAL;
  return unit >= 0x30 && unit <= 0x39 ? DIGIT : SIGN;
}

function asciiPartTerms(part: string, terms: string[]): void {
  const lower = part.toLowerCase();
  let begin = 0;
  for (let at = 1; at < part.length; at += 1) {
    if (kindOf(unitAt(part, at)) !== CAPITAL) continue;
    const before = kindOf(unitAt(part, at - 1));
    const isLast = at + 1 < part.length && kindOf(unitAt(part, at + 1)) === SMALL;
    if (before !== SMALL && !(before === CAPITAL && isLast)) continue;
    terms.push(stem(lower.slice(begin, at)));
    begin = at;
  }
  if (begin > 0) terms.push(stem(lower.slice(begin)));
  terms.push(stem(lower));
}

/** The stem of a folded word, where that is English as far as its letters tell. */
function stem(word: string): string {
  if (!hasEnding(word) || !/^[a-z]+$/.test(word) || isStopWord(word)) return word;
  return lunr.stemmer(new lunr.Token(word, {})).toString();
}

/** By letter a to z, those before it with which it may end a word that the stemmer shortens: `.` for any. */
const ENDINGS = [
  ['s', '.'],
  ['e', '.'],
  ['y', '.'],
  ['d', 'e'],
  ['g', 'n'],
  ['l', 'aul'],
  ['i', 'clgt'],
  ['r', 'eo'],
  ['n', 'o'],
  ['m', 's'],
  ['c', 'i'],
  ['t', 'n'],
  ['u', 'o'],
] as const;

/** By unit below 128, one bit for each letter that may stand before it. */
const before = new Uint32Array(0x80);
for (const [last, letters] of ENDINGS) {
  const bits = Array.from(letters, (letter) => (letter === '.' ? ~0 : bitOf(unitAt(letter, 0))));
  before[unitAt(last, 0)] = bits.reduce((all, bit) => all | bit);
}

function bitOf(unit: number): number {
  return 1 << (unit & 31);
}

/** False when the stemmer leaves a word of small letters as it is, which it is asked in vain for at some length. */
function hasEnding(word: string): boolean {
  const size = word.length;
  if (size < 3) return false;
  const letters = before[unitAt(word, size - 1)] ?? 0;
  return (letters & bitOf(unitAt(word, size - 2))) !== 0;
}
