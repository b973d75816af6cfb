import { type Analyser, onlyTermOf } from './analyse';
import { isStopWord } from './stop-words';
import type { Vocabulary } from './vocabulary';
import { hasWhole } from './word-terms';
import { eachWord, isPaired } from './words';

/** A word of a query. */
export interface QueryWord {
  readonly word: string;
  readonly terms: readonly string[];
  /** Their numbers, 0 for one that occurs nowhere. */
  readonly numbers: readonly number[];
  /** Of a word of several parts the term that is all of it, where that occurs; 0 for any other. */
  readonly whole: number;
  /** What it is with a neighbour, where that is written as one word too: of `home` and `lab` in `home lab`, `homelab`. */
  readonly joined: readonly number[];
}

/** A query of more words finds by the others what one of them misses. */
const MOST_WORDS = 6;
/** A part of a word has so many letters, in UTF-16 units. */
const MIN_PART = 2;
/** So many of the ways to take a word apart are looked for, the most frequent ones. */
const MAX_WAYS = 4;

const NONE: readonly number[] = [];
const LETTERS = /^[\p{L}\p{M}]+$/u;
const ASCII_LETTERS = /^[a-z]+$/i;

/** The words of a query in order. Some write `home lab` and `front matter`, others `homelab` and `frontmatter`. */
export function queryWords(query: string, analyser: Analyser, vocabulary: Vocabulary): QueryWord[] {
  const words: QueryWord[] = [];
  const begins: number[] = [];
  const ends: number[] = [];
  eachWord(query, (from, to) => {
    const word = query.slice(from, to);
    const terms = analyser.terms(word);
    const numbers = terms.map((term) => vocabulary.number(term));
    const whole = terms.length > 1 && hasWhole(word) ? (numbers.at(-1) ?? 0) : 0;
    words.push({ word, terms, numbers, whole, joined: NONE });
    begins.push(from);
    ends.push(to);
  });
  if (words.length > MOST_WORDS) return words;
  for (let at = 1; at < words.length; at += 1) {
    const [first, second] = [words[at - 1], words[at]];
    if (first === undefined || second === undefined) break;
    if (!isPlain(first, vocabulary) || !isPlain(second, vocabulary)) continue;
    if (!isSpace(query.slice(ends[at - 1], begins[at]))) continue;
    const whole = numberOf(first.word + second.word, vocabulary);
    if (whole === 0 || vocabulary.isStopWord(whole)) continue;
    words[at - 1] = { ...first, joined: [...first.joined, whole] };
    words[at] = { ...second, joined: [whole] };
  }
  return words;
}

/** A term of a query, and the terms by which it is found as well. */
export interface Meaning {
  readonly term: string;
  readonly others: readonly string[];
}

/** Every term of a query in order. What holds the whole of a word of several parts says each of them. */
export function meaningsOf(query: string, analyser: Analyser, vocabulary: Vocabulary): Meaning[] {
  return queryWords(query, analyser, vocabulary).flatMap(({ terms, whole, joined }) => {
    const others = (whole === 0 ? joined : [...joined, whole]).map((number) => vocabulary.text(number));
    return terms.map((term) => ({ term, others }));
  });
}

/**
 * The two words that a word which occurs nowhere is written as, by their numbers: they stand one after the other in a document,
 * and of the pairs whose rarer words are the most frequent it is the first such one. Null for none.
 */
export function takenApart(word: string, vocabulary: Vocabulary): readonly [number, number] | null {
  if (!isLetters(word)) return null;
  const ways: { readonly pair: readonly [number, number]; readonly documents: number }[] = [];
  for (let at = MIN_PART; at <= word.length - MIN_PART; at += 1) {
    if (isInside(word, at)) continue;
    const first = numberOf(word.slice(0, at), vocabulary);
    const second = first === 0 ? 0 : numberOf(word.slice(at), vocabulary);
    if (second === 0 || vocabulary.isStopWord(first) || vocabulary.isStopWord(second)) continue;
    const documents = Math.min(vocabulary.documents(first), vocabulary.documents(second));
    ways.push({ pair: [first, second], documents });
  }
  ways.sort((a, b) => b.documents - a.documents);
  return ways.slice(0, MAX_WAYS).find(({ pair }) => vocabulary.adjoin(...pair))?.pair ?? null;
}

/** True between the two units of a character. */
function isInside(word: string, at: number): boolean {
  return /^[\udc00-\udfff]/.test(word.charAt(at));
}

/** True for a word of one term, all letters, that is no stop word. */
function isPlain({ word, terms, numbers }: QueryWord, vocabulary: Vocabulary): boolean {
  const [term = ''] = terms;
  const [number = 0] = numbers;
  if (terms.length !== 1 || word.length < MIN_PART || !isLetters(word)) return false;
  return number === 0 ? !isStopWord(term) : !vocabulary.isStopWord(number);
}

/** True for letters of a script with spaces between its words. */
function isLetters(word: string): boolean {
  return ASCII_LETTERS.test(word) || (LETTERS.test(word) && !isPaired(word));
}

function isSpace(gap: string): boolean {
  return gap === ' ' || (gap !== '' && gap.trim() === '');
}

/** The number of a word of one term, in whatever case; 0 when it occurs nowhere. */
function numberOf(word: string, vocabulary: Vocabulary): number {
  // Capitals inside would take it apart.
  const term = onlyTermOf(word.toLowerCase());
  return term === null ? 0 : vocabulary.number(term);
}
