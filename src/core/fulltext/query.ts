import { compareText } from '../base/text';
import type { PairTable, Vocabulary } from './dictionary';
import { halvesOf, type PhrasePlan, planQuoted } from './query-phrases';
import { isStopWord } from './stop-words';
import { type Analyser, hasCompound, onlyTermOf } from './terms';
import { eachWord, isLonePaired, isPaired, lettersIn, unitsOf } from './words';

/** The minimum length of a word that may be misspelled: a shorter one is a single edit away from other words. */
const MIN_TYPO = 4;
/** The minimum length of a word that may have two errors. */
export const MIN_TWO_TYPOS = 9;
/** The minimum length of a word that may be the start of a longer one. */
const MIN_PREFIX = 5;

/** Words with their letters in one array, numbered from 1. A number with length 0 is not in use. */
interface WordList {
  /** An upper bound (exclusive) of the numbers. */
  readonly limit: number;
  readonly units: Uint16Array;
  start(number: number): number;
  length(number: number): number;
  /** Returns the set of letters of a word, as `lettersIn` does. */
  letters(number: number): number;
  /** The index of words of scripts without spaces with more than one unit. */
  readonly pairs: PairTable;
}

const LETTERS = /^[\p{L}\p{M}]+$/u;
/** People type the start of hashes, models and part numbers; a number alone would start far too many. */
const LETTERS_AND_DIGITS = /^(?=.*\p{L})[\p{L}\p{M}\p{N}]+$/u;

/** Returns true if a term may stand for others: it is not too short, not a number, and has no signs. */
export function isSpellingCandidate(term: string, letters: number): boolean {
  return letters >= (LETTERS.test(term) ? MIN_TYPO : MIN_PREFIX) && LETTERS_AND_DIGITS.test(term);
}

/**
 * Returns the words that a term which occurs nowhere may have meant: those at the smallest edit distance, of at most 1, or 2
 * from nine letters on; else, from five letters on, those that begin with it. A term with digits only has the latter, since
 * another digit means another thing.
 * @param term a term (stemmed) for which `isSpellingCandidate` holds
 * @param letters the length of the word as typed
 * @param occurs returns true for the words that count
 */
export function nearestTerms(
  term: string,
  letters: number,
  words: WordList,
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
    // One edit changes at most two letters of the set.
    if (bits(differing) > 2 * best) continue;
    const start = words.start(number);
    const other: Slice = { units, from: start, to: start + length };
    if (!within(wanted, other, best) || !occurs(number)) continue;
    // Restarts the list at a smaller distance.
    if (best === 2 && within(wanted, other, 1)) {
      best = 1;
      near = [];
    }
    near.push(number);
  }
  return near.length > 0 ? near : beginning;
}

/** Returns the words of scripts without spaces, other than `part`, that begin or end with it. */
export function wordsAround(part: string, words: WordList, occurs: (number: number) => boolean): number[] {
  const wanted = unitsOf(part);
  const [first = 0, last = first] = [wanted[0], wanted.at(-1)];
  const beginning = words.pairs.beginning(first);
  const ending = words.pairs.ending(last);
  // All of these are longer than one unit and begin or end with it. Comparing the letters of hundreds of words would take
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
  // The first unit of another character may be the last one of this: NFKC puts a mark of Thai SARA AM first.
  for (const number of last === first ? ending : [...ending, ...words.pairs.beginning(last)]) {
    const [start, more] = [words.start(number), words.length(number) - wanted.length];
    if (more <= 0 || !begins(words.units, start + more, wanted) || begins(words.units, start, wanted))
      continue;
    if (occurs(number)) found.push(number);
  }
  return found;
}

/**
 * Returns true if at most `edits` insertions, deletions, substitutions or swaps of neighbours turn `a` into `b` (optimal
 * string alignment). Linear in the length for a fixed number of edits.
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

/** A word of a query. */
interface QueryWord {
  readonly word: string;
  readonly terms: readonly string[];
  /** The numbers of the terms; 0 for one that occurs nowhere. */
  readonly numbers: readonly number[];
  /** The compound of a word of several parts, if it occurs; else 0. */
  readonly whole: number;
  /** The terms that the word and a neighbour are when joined, if they occur: `homelab` for `home` and `lab` of `home lab`. */
  readonly joined: readonly number[];
  /** The name and the number that the word consists of, if they occur one after the other: `rfc` and `2616` for `RFC2616`. */
  readonly halves: readonly number[];
}

/** The maximum number of words of a query in which neighbours are joined; with more, the other words find what one misses. */
const MAX_JOINED_WORDS = 6;
/** The minimum length of each half of a split word (UTF-16 units). */
const MIN_PART = 2;
/** The maximum number of splits of a word that are tried, the most frequent ones first. */
const MAX_SPLITS = 4;

const NONE: readonly number[] = [];
const ASCII_LETTERS = /^[a-z]+$/i;

/**
 * Returns the words of a query in order. Some people write `home lab` and `front matter`, others `homelab` and `frontmatter`,
 * so neighbours are also joined.
 */
function queryWords(query: string, analyser: Analyser, vocabulary: Vocabulary): QueryWord[] {
  const words: QueryWord[] = [];
  const begins: number[] = [];
  const ends: number[] = [];
  const split = limited(MAX_SPLIT_WORDS);
  eachWord(query, (from, to) => {
    const word = query.slice(from, to);
    const terms = analyser.terms(word);
    const numbers = terms.map((term) => vocabulary.number(term));
    const whole = terms.length > 1 && hasCompound(word) ? (numbers.at(-1) ?? 0) : 0;
    const parts = terms.length === 1 ? halvesOf(word) : null;
    const halves = parts === null ? NONE : split(() => adjacentHalves(parts, vocabulary));
    words.push({ word, terms, numbers, whole, joined: NONE, halves });
    begins.push(from);
    ends.push(to);
  });
  if (words.length > MAX_JOINED_WORDS) return words;
  for (let at = 1; at < words.length; at += 1) {
    const [first, second] = [words[at - 1], words[at]];
    if (first === undefined || second === undefined) break;
    const isNamed = halvesOf(first.word + second.word) !== null && isNameAndNumber(first, second);
    if (!isNamed && (!isPlain(first, vocabulary) || !isPlain(second, vocabulary))) continue;
    if (!isSpace(query.slice(ends[at - 1], begins[at]))) continue;
    const whole = numberOf(first.word + second.word, vocabulary);
    if (whole === 0 || vocabulary.isStopWord(whole)) continue;
    words[at - 1] = { ...first, joined: [...first.joined, whole] };
    words[at] = { ...second, joined: [whole] };
  }
  return words;
}

function adjacentHalves(halves: readonly string[], vocabulary: Vocabulary): readonly number[] {
  const [first = 0, second = 0] = halves.map((half) => numberOf(half, vocabulary));
  return first !== 0 && second !== 0 && vocabulary.areAdjacent(first, second) ? [first, second] : NONE;
}

/** Returns true for a word of letters and one of digits, in any order. */
function isNameAndNumber(first: QueryWord, second: QueryWord): boolean {
  return [first, second].every(({ word, terms }) => terms.length === 1 && halvesOf(word) === null);
}

/** A term of a query, and the terms that also match it. */
export interface Meaning {
  readonly term: string;
  readonly others: readonly string[];
}

/** Returns every term of a query in order. The compound of a word also matches each of its parts. */
export function meaningsOf(query: string, analyser: Analyser, vocabulary: Vocabulary): Meaning[] {
  return queryWords(query, analyser, vocabulary).flatMap(({ terms, whole, joined, halves }) => {
    // A passage with both halves of a word has its rarer one.
    const rare = [...halves].sort((a, b) => vocabulary.documents(a) - vocabulary.documents(b)).slice(0, 1);
    const others = [...joined, ...rare, ...(whole === 0 ? [] : [whole])].map((number) =>
      vocabulary.text(number),
    );
    return terms.map((term) => ({ term, others }));
  });
}

/**
 * Returns the numbers of the two words into which a word that occurs nowhere splits, so that they are adjacent in some
 * document; null if there is no such split. Of several it prefers the one whose rarer word is the most frequent.
 */
export function splitWord(word: string, vocabulary: Vocabulary): readonly [number, number] | null {
  if (!isLetters(word)) return null;
  const splits: { readonly pair: readonly [number, number]; readonly documents: number }[] = [];
  for (let at = MIN_PART; at <= word.length - MIN_PART; at += 1) {
    if (isWithinCharacter(word, at)) continue;
    const first = numberOf(word.slice(0, at), vocabulary);
    const second = first === 0 ? 0 : numberOf(word.slice(at), vocabulary);
    if (second === 0 || vocabulary.isStopWord(first) || vocabulary.isStopWord(second)) continue;
    const documents = Math.min(vocabulary.documents(first), vocabulary.documents(second));
    splits.push({ pair: [first, second], documents });
  }
  splits.sort((a, b) => b.documents - a.documents);
  return splits.slice(0, MAX_SPLITS).find(({ pair }) => vocabulary.areAdjacent(...pair))?.pair ?? null;
}

/** Returns true between the two units of a surrogate pair. */
function isWithinCharacter(word: string, at: number): boolean {
  return /^[\udc00-\udfff]/.test(word.charAt(at));
}

/** Returns true for a word of one term, all letters, that is no stop word. */
function isPlain({ word, terms, numbers }: QueryWord, vocabulary: Vocabulary): boolean {
  const [term = ''] = terms;
  const [number = 0] = numbers;
  if (terms.length !== 1 || word.length < MIN_PART || !isLetters(word)) return false;
  return number === 0 ? !isStopWord(term) : !vocabulary.isStopWord(number);
}

/** Returns true for letters of scripts with spaces between words. */
function isLetters(word: string): boolean {
  return ASCII_LETTERS.test(word) || (LETTERS.test(word) && !isPaired(word));
}

function isSpace(gap: string): boolean {
  return gap === ' ' || (gap !== '' && gap.trim() === '');
}

/** Returns the number of the term of a word in any case; 0 if it has several terms or occurs nowhere. */
function numberOf(word: string, vocabulary: Vocabulary): number {
  // Capitals within the word would split it.
  const term = onlyTermOf(word.toLowerCase());
  return term === null ? 0 : vocabulary.number(term);
}

/** Terms that count as one: usually one; several if a word stands for others; none if nothing matches. */
export type TermGroup = readonly number[];

/** A word of a query with terms for its parts and one for all of it: `PostgreSQL`, `high-level`, `BRAIN_PG_DSN`. */
export interface Compound {
  readonly whole: number;
  /** The parts that are neither stop words nor words of the query by themselves. */
  readonly parts: readonly number[];
}

/** A word of a query that occurs nowhere, as typed, and the terms searched in its place. */
export interface Guess {
  readonly word: string;
  readonly terms: readonly string[];
}

/** A query prepared for one index, valid until the index changes. */
export interface SearchPlan {
  /** The groups to score, each once. Their order depends on that of the words only where the result does not depend on it. */
  readonly groups: readonly TermGroup[];
  /** The parts of a compound together weigh at most as much as the compound, so that no word counts twice. */
  readonly compounds: readonly Compound[];
  /** The phrases, all of which a document must hold. */
  readonly phrases: readonly PhrasePlan[];
  /** All terms of the query in order; empty if one of them occurs nowhere, or if there are very many. */
  readonly sequence: readonly number[];
  /** The guesses behind the groups, in the order of the query. */
  readonly guesses: readonly Guess[];
}

/** The maximum number of scans of the vocabulary for one query. */
const MAX_SCANS = 8;
/** The maximum number of words of one query that are split, since each split reads documents. */
const MAX_SPLIT_WORDS = 4;
/** The maximum number of terms that a word stands for, the most frequent ones. */
const MAX_ALTERNATIVES = 16;
/** The maximum number of pairs that a lone character of a script without spaces stands for. */
const MAX_PAIRS = 1000;

/** The maximum length of a query (terms) that is also matched word for word. */
const MAX_SEQUENCE = 64;
/** The maximum number of groups whose order does not matter: of more, not all may be used everywhere. */
const MAX_UNSORTED = 128;

/** A group with the term that it is for, by which groups are sorted. */
interface NamedGroup {
  readonly name: string;
  readonly group: TermGroup;
  /** True if the word has letters that English has not: folded, it may equal a stop word, but is none. */
  readonly isForeign?: boolean;
}

/** A letter or mark that no English word has. */
const FOREIGN = /[^\P{L}A-Za-z]|\p{M}/u;

/** Plans a search: any word may occur, quoted phrases must, and a word that occurs nowhere stands for similar ones. */
export function planSearch(query: string, analyser: Analyser, vocabulary: Vocabulary): SearchPlan {
  const scan = limited(MAX_SCANS);
  const split = limited(MAX_SPLIT_WORDS);
  const groups: NamedGroup[] = [];
  const sequence: number[] = [];
  const guesses: Guess[] = [];
  const compounds: Compound[] = [];
  // Terms that are words of the query, which count in full even if they are parts of others.
  const ownTerms = new Set<number>();
  for (const { word, terms, numbers, whole, joined, halves } of queryWords(query, analyser, vocabulary)) {
    if (halves.length > 0) {
      const [own = 0] = numbers;
      if (own !== 0) compounds.push({ whole: own, parts: halves });
      ownTerms.add(own);
      for (const half of halves) groups.push({ name: vocabulary.text(half), group: [half] });
    } else if (whole !== 0) {
      compounds.push({ whole, parts: numbers.slice(0, -1) });
      ownTerms.add(whole);
    } else {
      for (const number of numbers) ownTerms.add(number);
    }
    const isForeign = FOREIGN.test(word);
    let isKnown = joined.length > 0 || halves.length > 0;
    for (const [place, term] of terms.entries()) {
      const number = numbers[place] ?? 0;
      sequence.push(number);
      const group = [...matchingTerms(term, number, vocabulary, scan), ...joined];
      if (group.length === 0) continue;
      groups.push({ name: term, group, isForeign });
      isKnown = true;
    }
    if (isKnown) continue;
    for (const { name, alternatives } of guessGroups(word, terms, vocabulary, { scan, split })) {
      for (const group of alternatives) groups.push({ name, group });
      guesses.push({ word, terms: alternatives.flat().map((number) => vocabulary.text(number)) });
    }
  }
  const phrases = planPhrases(query, analyser, vocabulary);
  const isKnown = sequence.length <= MAX_SEQUENCE && !sequence.includes(0);
  return {
    groups: distinctGroups(groups, vocabulary),
    compounds: compounds.map(({ whole, parts }) => ({
      whole,
      parts: [...new Set(parts)].filter(
        (part) => part !== 0 && !ownTerms.has(part) && !vocabulary.isStopWord(part),
      ),
    })),
    phrases,
    sequence: isKnown ? sequence : [],
    guesses,
  };
}

/** Plans only the phrases of a query. */
export function planPhrases(query: string, analyser: Analyser, vocabulary: Vocabulary): PhrasePlan[] {
  const scan = limited(MAX_SCANS);
  return planQuoted(
    query,
    analyser,
    (term) => matchingTerms(term, vocabulary.number(term), vocabulary, scan),
    (term) => vocabulary.text(term),
  );
}

/**
 * Returns, for each term of a word that occurs nowhere, the groups to search in its place: similar words, or the two words
 * that it consists of.
 */
function guessGroups(
  word: string,
  terms: readonly string[],
  vocabulary: Vocabulary,
  { scan, split }: { readonly scan: Limited; readonly split: Limited },
): { readonly name: string; readonly alternatives: readonly TermGroup[] }[] {
  return terms.flatMap((name) => {
    const isPlain = terms.length === 1;
    // A plain word has the length as typed, which stemming may hide.
    const letters = isPlain ? word.length : name.length;
    if (!isSpellingCandidate(name, letters)) return [];
    const near = mostFrequent(
      scan(() => vocabulary.near(name, letters)),
      MAX_ALTERNATIVES,
      vocabulary,
    );
    if (near.length > 0) return [{ name, alternatives: [near] }];
    const parts = isPlain ? split(() => splitWord(word, vocabulary) ?? []) : [];
    return parts.length > 0 ? [{ name, alternatives: parts.map((part) => [part]) }] : [];
  });
}

/** Plans a search for terms of an analyser. */
export function planTerms(terms: readonly string[], vocabulary: Vocabulary): SearchPlan {
  const groups = terms
    .map((name) => ({ name, group: [vocabulary.number(name)] }))
    .filter(({ group }) => !group.includes(0));
  return {
    groups: distinctGroups(groups, vocabulary),
    compounds: [],
    phrases: [],
    sequence: [],
    guesses: [],
  };
}

/** Runs a costly search for terms, or returns none once the limit is reached. */
type Limited = (find: () => readonly number[]) => readonly number[];

function limited(most: number): Limited {
  let runs = 0;
  return (find) => ((runs += 1) > most ? [] : find());
}

/** Returns the term, if it occurs; for a lone character of a script without spaces also its pairs. */
function matchingTerms(term: string, number: number, vocabulary: Vocabulary, scan: Limited): TermGroup {
  const group = number === 0 ? [] : [number];
  if (!isLonePaired(term)) return group;
  const pairs = scan(() => vocabulary.around(term));
  // There are seldom too many, and sorting them all would take longer than the search.
  return [...group, ...(pairs.length <= MAX_PAIRS ? pairs : mostFrequent(pairs, MAX_PAIRS, vocabulary))];
}

/** Returns the most frequent of the terms. */
function mostFrequent(numbers: readonly number[], limit: number, vocabulary: Vocabulary): TermGroup {
  return numbers
    .map((number) => ({ number, documents: vocabulary.documents(number), text: vocabulary.text(number) }))
    .sort((a, b) => b.documents - a.documents || compareText(a.text, b.text))
    .slice(0, limit)
    .map(({ number }) => number);
}

/** Returns the distinct groups, without stop words unless there is nothing else. */
function distinctGroups(groups: NamedGroup[], vocabulary: Vocabulary): TermGroup[] {
  // The order matters if a term is in several groups, or if not all groups are used.
  if (groups.length > MAX_UNSORTED || groups.some(isGuessed))
    groups.sort((a, b) => Number(isGuessed(b)) - Number(isGuessed(a)) || compareText(a.name, b.name));
  const foreign = new Set(groups.filter(({ isForeign }) => isForeign).map(({ group: [first] }) => first));
  const distinct: TermGroup[] = [];
  const singles = new Set<number>();
  for (const { group } of groups) {
    const [first = 0] = group;
    const isNew =
      group.length > 1
        ? !distinct.some((other) => isSame(other, group))
        : singles.size < singles.add(first).size;
    if (isNew) distinct.push(group);
  }
  const significant = distinct.filter(
    (group) => foreign.has(group[0]) || !group.every((number) => vocabulary.isStopWord(number)),
  );
  return significant.length > 0 ? significant : distinct;
}

/** Guessed groups sort first and words as typed last, so that a term that also stands for another counts as itself. */
function isGuessed({ group }: NamedGroup): boolean {
  return group.length > 1;
}

function isSame(a: TermGroup, b: TermGroup): boolean {
  return a.length === b.length && a.every((number, at) => number === b[at]);
}

/** The number of terms of a text, apart from its title, that a search for similar notes uses. */
const MAX_TEXT_TERMS = 12;

/** The terms of an index, by number. */
interface ExpansionTerms {
  /** Returns the distinct terms of a text in order. */
  read(text: string): readonly number[];
  text(number: number): string;
  isStopWord(number: number): boolean;
  /** Returns the number of other notes that hold the term. */
  documents(number: number): number;
}

/**
 * Returns the terms to search for notes similar to a text: those of its title, and the rarest of its own that others hold.
 */
export function similarTerms(title: string, text: string, terms: ExpansionTerms): string[] {
  const named = new Set(terms.read(title));
  const held = terms
    .read(text)
    .map((number) => ({ number, documents: terms.documents(number) }))
    .filter(({ number, documents }) => documents > 0 && !named.has(number) && !terms.isStopWord(number))
    .sort((a, b) => a.documents - b.documents);
  // Only the terms that may be taken are made into strings.
  const most = held[MAX_TEXT_TERMS - 1]?.documents ?? Infinity;
  const significant = held
    .filter(({ documents }) => documents <= most)
    .map(({ number, documents }) => ({ term: terms.text(number), documents }))
    .sort((a, b) => a.documents - b.documents || compareText(a.term, b.term))
    .slice(0, MAX_TEXT_TERMS);
  return [...Array.from(named, (number) => terms.text(number)), ...significant.map(({ term }) => term)];
}
