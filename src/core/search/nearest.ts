import type { PairTable } from './pair-table';
import { lettersIn, unitsOf } from './unit-text';

/** A word shorter than this is not taken for a typing error: one letter further on stands another word. */
const MIN_TYPO = 4;
/** From this length on a word may hold two errors. */
const MIN_TWO_TYPOS = 9;
/** From this length on the beginning of a word may stand for the word. */
const MIN_PREFIX = 5;

/** Words with their letters in one array, numbered from 1; a length of 0 means that there is no such word. */
export interface Words {
  /** Numbers are below this. */
  readonly limit: number;
  readonly units: Uint16Array;
  start(number: number): number;
  length(number: number): number;
  /** Which letters a word has, as `lettersIn` tells it. */
  letters(number: number): number;
  /** Words of scripts without spaces, of more than one unit, by the units that they begin and end with. */
  readonly pairs: PairTable;
}

const LETTERS = /^[\p{L}\p{M}]+$/u;
/** Of hashes, models and part numbers people type the beginning; a number alone is the beginning of far too many. */
const LETTERS_AND_DIGITS = /^(?=.*\p{L})[\p{L}\p{M}\p{N}]+$/u;

/** True when a term may mean others at all: not when it is short, a number, or has signs. */
export function mayBeMeant(term: string, letters: number): boolean {
  return letters >= (LETTERS.test(term) ? MIN_TYPO : MIN_PREFIX) && LETTERS_AND_DIGITS.test(term);
}

/**
 * The words that a term which occurs nowhere may have meant: those at the smallest edit distance, at most 1,
 * or 2 from nine letters; else, from five letters, those that begin with it. With digits in it nothing else: one digit on,
 * another thing begins.
 * @param term a term (stemmed) for which `mayBeMeant` holds
 * @param letters length of the word as it was typed
 * @param occurs says which words count
 */
export function nearestTerms(
  term: string,
  letters: number,
  words: Words,
  occurs: (number: number) => boolean,
): number[] {
  const wanted = unitsOf(term);
  const wantedLetters = lettersIn(wanted, 0, wanted.length);
  const { units, limit } = words;
  let best = !LETTERS.test(term) ? 0 : letters >= MIN_TWO_TYPOS ? 2 : 1;
  let near: number[] = [];
  const beginning: number[] = [];
  for (let number = 1; number < limit; number += 1) {
    const length = words.length(number);
    const longer = length - wanted.length;
    if (longer < -best || length === 0) continue;
    const differing = wantedLetters ^ words.letters(number);
    if (longer > best) {
      if (letters < MIN_PREFIX || (differing & wantedLetters) !== 0) continue;
      const start = words.start(number);
      if (begins(units, start, wanted) && occurs(number)) beginning.push(number);
      continue;
    }
    // An edit changes at most two of the letters that occur at all.
    if (bits(differing) > 2 * best) continue;
    const start = words.start(number);
    const other: Slice = { units, from: start, to: start + length };
    if (!within(wanted, other, best) || !occurs(number)) continue;
    // Is it nearer than what was near enough so far?
    if (best === 2 && within(wanted, other, 1)) {
      best = 1;
      near = [];
    }
    near.push(number);
  }
  return near.length > 0 ? near : beginning;
}

/** The words of scripts without spaces, other than `part`, that begin or end with it. */
export function wordsAround(part: string, words: Words, occurs: (number: number) => boolean): number[] {
  const wanted = unitsOf(part);
  const [first = 0, last = first] = [wanted[0], wanted.at(-1)];
  const beginning = words.pairs.beginning(first);
  const ending = words.pairs.ending(last);
  // All of them are longer than one unit and begin or end with this one. To look at the letters of hundreds of words would take
  // longer than the rest of the search.
  if (wanted.length === 1) return [...beginning.filter(occurs), ...ending.filter(occurs)];
  const found: number[] = [];
  for (const number of beginning) {
    if (
      words.length(number) > wanted.length &&
      begins(words.units, words.start(number), wanted) &&
      occurs(number)
    )
      found.push(number);
  }
  // What another character's first unit is may be the last one of this: of Thai SARA AM, a mark comes first in NFKC.
  for (const number of last === first ? ending : [...ending, ...words.pairs.beginning(last)]) {
    const [start, more] = [words.start(number), words.length(number) - wanted.length];
    if (more <= 0 || !begins(words.units, start + more, wanted) || begins(words.units, start, wanted))
      continue;
    if (occurs(number)) found.push(number);
  }
  return found;
}

/**
 * True when at most `edits` letters inserted, deleted, changed, or swapped with their neighbour make `b` of
 * `a` (optimal string alignment). Linear in the length for a fixed number of edits.
 */
export function withinEdits(a: string, b: string, edits: number): boolean {
  const other = unitsOf(b);
  return within(unitsOf(a), { units: other, from: 0, to: other.length }, edits);
}

interface Slice {
  readonly units: Uint16Array;
  readonly from: number;
  readonly to: number;
}

function within(a: Uint16Array, b: Slice, edits: number, i = 0, j = b.from): boolean {
  const { units, to } = b;
  while (i < a.length && j < to && a[i] === units[j]) {
    i += 1;
    j += 1;
  }
  if (i === a.length || j === to) return a.length - i + (to - j) <= edits;
  if (edits === 0) return false;
  return (
    within(a, b, edits - 1, i + 1, j + 1) ||
    within(a, b, edits - 1, i + 1, j) ||
    within(a, b, edits - 1, i, j + 1) ||
    (i + 1 < a.length &&
      j + 1 < to &&
      a[i] === units[j + 1] &&
      a[i + 1] === units[j] &&
      within(a, b, edits - 1, i + 2, j + 2))
  );
}

function begins(units: Uint16Array, start: number, wanted: Uint16Array): boolean {
  for (let at = 0; at < wanted.length; at += 1) if (units[start + at] !== wanted[at]) return false;
  return true;
}

function bits(word: number): number {
  let rest = word - ((word >>> 1) & 0x55555555);
  rest = (rest & 0x33333333) + ((rest >>> 2) & 0x33333333);
  return Math.imul((rest + (rest >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
