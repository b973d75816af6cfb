import { compareText } from '../base/text';
import type { PairTable, Vocabulary } from './dictionary';
import { type PhrasePlan, planQuoted } from './query-phrases';
import { isStopWord } from './stop-words';
import { type Analyser, hasWhole, onlyTermOf } from './terms';
import { eachWord, isLonePaired, isPaired, lettersIn, unitsOf } from './words';

/** A word shorter than this is not taken for a typing error: one letter further on stands another word. */
const MIN_TYPO = 4;
/** From this length on a word may hold two errors. */
const MIN_TWO_TYPOS = 9;
/** From this length on the beginning of a word may stand for the word. */
const MIN_PREFIX = 5;

/** Words with their letters in one array, numbered from 1; a length of 0 means that there is no such word. */
interface Words {
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
export function isSpellingCandidate(term: string, letters: number): boolean {
  return letters >= (LETTERS.test(term) ? MIN_TYPO : MIN_PREFIX) && LETTERS_AND_DIGITS.test(term);
}

/**
 * The words that a term which occurs nowhere may have meant: those at the smallest edit distance, at most 1,
 * or 2 from nine letters; else, from five letters, those that begin with it. With digits in it nothing else: one digit on,
 * another thing begins.
 * @param term a term (stemmed) for which `isSpellingCandidate` holds
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

/** A word of a query. */
interface QueryWord {
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
const ASCII_LETTERS = /^[a-z]+$/i;

/** The words of a query in order. Some write `home lab` and `front matter`, others `homelab` and `frontmatter`. */
function queryWords(query: string, analyser: Analyser, vocabulary: Vocabulary): QueryWord[] {
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

/** Terms that count as one: mostly a single one, several when a word stands for others, none for nothing. */
export type TermGroup = readonly number[];

/** A word of a query that has terms for its parts and one for all of it: `PostgreSQL`, `high-level`, `BRAIN_PG_DSN`. */
export interface Compound {
  readonly whole: number;
  /** The parts that tell something and are no words of the query by themselves. */
  readonly parts: readonly number[];
}

/** A word of a query that occurs nowhere, as it was typed, and the terms that are looked for in its place. */
export interface Guess {
  readonly word: string;
  readonly terms: readonly string[];
}

/** A query made ready for one index. It holds until the index changes. */
export interface SearchPlan {
  /** What is scored, each group once, in an order that depends on that of the words only where none depends on it. */
  readonly groups: readonly TermGroup[];
  /** Of these the parts together count no more than the whole, so that a word does not count twice for the way it is written. */
  readonly compounds: readonly Compound[];
  /** Of which every one must stand in a document. */
  readonly phrases: readonly PhrasePlan[];
  /** All terms as they stand in the query; none when one of them occurs nowhere, or when there are very many. */
  readonly sequence: readonly number[];
  /** What was guessed to get the groups, in the order of the query. */
  readonly guesses: readonly Guess[];
}

/** Guessing what a word may stand for walks the whole vocabulary, so one query may do it only so often … */
const MAX_WALKS = 8;
/** … and take so many words apart, for which documents are looked at. */
const MAX_TAKEN_APART = 4;
/** How many terms a word may stand for, the most frequent ones. */
const MAX_ALTERNATIVES = 16;
/** The same for a single character of a script without spaces, which stands for its pairs. */
const MAX_PAIRS = 1000;

/** A longer query is not looked for word for word. */
const MAX_SEQUENCE = 64;
/** Of more groups than these not all may be looked for everywhere, so that it matters which ones come first. */
const MAX_UNORDERED = 128;

/** A group, and what it is for, by which groups are put in order. */
interface NamedGroup {
  readonly name: string;
  readonly group: TermGroup;
  /** True for a term of a word with letters that English has not: it may be folded to a stop word, but is none. */
  readonly isForeign?: boolean;
}

/** What no English word has. */
const FOREIGN = /[^\P{L}A-Za-z]|\p{M}/u;

/**
 * Plans a search: any word may occur, quoted phrases must, and a word that occurs nowhere stands for those
 * like it.
 */
export function planSearch(query: string, analyser: Analyser, vocabulary: Vocabulary): SearchPlan {
  const walk = walker(MAX_WALKS);
  const takeApart = walker(MAX_TAKEN_APART);
  const groups: NamedGroup[] = [];
  const sequence: number[] = [];
  const guesses: Guess[] = [];
  const compounds: Compound[] = [];
  // Terms that are words of the query, and count in full although they may be parts of others.
  const full = new Set<number>();
  for (const { word, terms, numbers, whole, joined } of queryWords(query, analyser, vocabulary)) {
    if (whole !== 0) {
      compounds.push({ whole, parts: numbers.slice(0, -1) });
      full.add(whole);
    } else {
      for (const number of numbers) full.add(number);
    }
    const isForeign = FOREIGN.test(word);
    let isKnown = joined.length > 0;
    for (const [place, term] of terms.entries()) {
      const number = numbers[place] ?? 0;
      sequence.push(number);
      const group = [...occurring(term, number, vocabulary, walk), ...joined];
      if (group.length === 0) continue;
      groups.push({ name: term, group, isForeign });
      isKnown = true;
    }
    if (isKnown) continue;
    for (const { name, meant } of guessed(word, terms, vocabulary, { walk, takeApart })) {
      for (const group of meant) groups.push({ name, group });
      guesses.push({ word, terms: meant.flat().map((number) => vocabulary.text(number)) });
    }
  }
  const phrases = planPhrases(query, analyser, vocabulary);
  const isKnown = sequence.length <= MAX_SEQUENCE && !sequence.includes(0);
  return {
    groups: scored(groups, vocabulary),
    compounds: compounds.map(({ whole, parts }) => ({
      whole,
      parts: [...new Set(parts)].filter(
        (part) => part !== 0 && !full.has(part) && !vocabulary.isStopWord(part),
      ),
    })),
    phrases,
    sequence: isKnown ? sequence : [],
    guesses,
  };
}

/** What a query wants word for word and nothing else: the `phrases` of its plan. */
export function planPhrases(query: string, analyser: Analyser, vocabulary: Vocabulary): PhrasePlan[] {
  const walk = walker(MAX_WALKS);
  return planQuoted(
    query,
    analyser,
    (term) => occurring(term, vocabulary.number(term), vocabulary, walk),
    (term) => vocabulary.text(term),
  );
}

/** What is looked for in the place of a word that occurs nowhere, for each of its terms: words like it, or the two in it. */
function guessed(
  word: string,
  terms: readonly string[],
  vocabulary: Vocabulary,
  { walk, takeApart }: { readonly walk: Walk; readonly takeApart: Walk },
): { readonly name: string; readonly meant: readonly TermGroup[] }[] {
  return terms.flatMap((name) => {
    const isPlain = terms.length === 1;
    // A plain word is as long as it was typed, which stemming may hide.
    const letters = isPlain ? word.length : name.length;
    if (!isSpellingCandidate(name, letters)) return [];
    const near = frequent(
      walk(() => vocabulary.near(name, letters)),
      MAX_ALTERNATIVES,
      vocabulary,
    );
    if (near.length > 0) return [{ name, meant: [near] }];
    const parts = isPlain ? takeApart(() => takenApart(word, vocabulary) ?? []) : [];
    return parts.length > 0 ? [{ name, meant: parts.map((part) => [part]) }] : [];
  });
}

/** Plans a search for given terms, as they come from an analyser. */
export function planTerms(terms: readonly string[], vocabulary: Vocabulary): SearchPlan {
  const groups = terms
    .map((name) => ({ name, group: [vocabulary.number(name)] }))
    .filter(({ group }) => !group.includes(0));
  return { groups: scored(groups, vocabulary), compounds: [], phrases: [], sequence: [], guesses: [] };
}

/** Finds terms by some work, such as a walk over the vocabulary, or none when that was done often enough. */
type Walk = (find: () => readonly number[]) => readonly number[];

function walker(most: number): Walk {
  let walks = 0;
  return (find) => ((walks += 1) > most ? [] : find());
}

/** The term when it occurs; a single character of a script without spaces also stands for its pairs. */
function occurring(term: string, number: number, vocabulary: Vocabulary, walk: Walk): TermGroup {
  const group = number === 0 ? [] : [number];
  if (!isLonePaired(term)) return group;
  const pairs = walk(() => vocabulary.around(term));
  // Seldom are there too many, and to sort them all would take longer than the search.
  return [...group, ...(pairs.length <= MAX_PAIRS ? pairs : frequent(pairs, MAX_PAIRS, vocabulary))];
}

/** The most frequent of the terms. */
function frequent(numbers: readonly number[], limit: number, vocabulary: Vocabulary): TermGroup {
  return numbers
    .map((number) => ({ number, documents: vocabulary.documents(number), text: vocabulary.text(number) }))
    .sort((a, b) => b.documents - a.documents || compareText(a.text, b.text))
    .slice(0, limit)
    .map(({ number }) => number);
}

/** Distinct groups, without stop words unless there is nothing else. */
function scored(groups: NamedGroup[], vocabulary: Vocabulary): TermGroup[] {
  // Where a term is in several groups, or not all groups are used, it matters which comes last or first.
  if (groups.length > MAX_UNORDERED || groups.some(isGuessed))
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
  const telling = distinct.filter(
    (group) => foreign.has(group[0]) || !group.every((number) => vocabulary.isStopWord(number)),
  );
  return telling.length > 0 ? telling : distinct;
}

/** Words that are as they were typed come last, so that a term that also stands for another counts as itself. */
function isGuessed({ group }: NamedGroup): boolean {
  return group.length > 1;
}

function isSame(a: TermGroup, b: TermGroup): boolean {
  return a.length === b.length && a.every((number, at) => number === b[at]);
}

/** How many terms of a text, beside its title, say what it is about. */
const TELLING_TERMS = 12;
/** Only the beginning of a long text is asked what it is about, in UTF-16 units. */
const MAX_TEXT = 20_000;

/** What other notes tell about terms. */
interface ExpansionTerms {
  /** In how many of them the term occurs. */
  frequency(term: string): number;
}

/**
 * The terms to look for when one wants notes like a text: those of its title and the rarest of its own that
 * others hold.
 */
export function similarTerms(
  title: string,
  text: string,
  analyser: Analyser,
  others: ExpansionTerms,
): string[] {
  const named = new Set(analyser.all(title));
  const telling = [...new Set(analyser.all(text.slice(0, MAX_TEXT)))]
    .map((term) => ({ term, documents: others.frequency(term) }))
    .filter(({ term, documents }) => documents > 0 && !named.has(term) && !isStopWord(term))
    .sort((a, b) => a.documents - b.documents || compareText(a.term, b.term))
    .slice(0, TELLING_TERMS);
  return [...named, ...telling.map(({ term }) => term)];
}
