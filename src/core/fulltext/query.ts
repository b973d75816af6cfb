import { compareText } from '../base/text';
import type { Vocabulary } from './dictionary';
import { halvesOf, type PhrasePlan, planQuoted } from './query-phrases';
import { stemOf } from './stems';
import { isStopWord } from './stop-words';
import { type Analyser, hasCompound, onlyTermOf, spellsOut } from './terms';
import { eachWord, isLonePaired, isPaired, lettersIn, unitsOf } from './words';

/** The minimum length of a word that may be misspelled: a shorter one is a single edit away from other words. */
const MIN_TYPO = 4;
/** The minimum length of a word that may have two errors. */
export const MIN_TWO_TYPOS = 9;
/** The minimum length of a word, and of one with digits, that stands for longer ones though more of the query follows. */
const MIN_PREFIX = 3;
const MIN_PREFIX_WITH_DIGITS = 5;

/** Words with their letters in one array, numbered from 1. A number with length 0 is not in use. */
interface WordList {
  /** An upper bound (exclusive) of the numbers. */
  readonly limit: number;
  readonly units: Uint16Array;
  start(number: number): number;
  length(number: number): number;
  /** Returns the set of letters of a word, as `lettersIn` does. */
  letters(number: number): number;
}

const LETTERS = /^[\p{L}\p{M}]+$/u;
/** People type the start of hashes, models and part numbers; a number alone would start far too many. */
const LETTERS_AND_DIGITS = /^(?=.*\p{L})[\p{L}\p{M}\p{N}]+$/u;

/** Returns true if a term may be misspelled: it is not too short, and of letters only, as another digit means another thing. */
export function isSpellingCandidate(term: string, letters: number): boolean {
  return letters >= MIN_TYPO && LETTERS.test(term);
}

/** Returns true if a term that occurs nowhere may stand for the words that begin with it. */
export function mayBegin(term: string): boolean {
  return (
    term.length >= (LETTERS.test(term) ? MIN_PREFIX : MIN_PREFIX_WITH_DIGITS) && LETTERS_AND_DIGITS.test(term)
  );
}

/**
 * Returns the words that a term which occurs nowhere, or its stem, may have meant: those at the smallest edit distance, of at
 * most 1, or 2 from nine letters on.
 * @param term a term for which `isSpellingCandidate` holds
 * @param letters the length of the word as typed
 * @param occurs returns true for the words that count
 */
export function nearestTerms(
  term: string,
  letters: number,
  words: WordList,
  occurs: (number: number) => boolean,
): number[] {
  const wanted = [...new Set([term, stemOf(term)])].map((each) => {
    const units = unitsOf(each);
    return { units, letters: lettersIn(units, 0, units.length) };
  });
  const { units, limit } = words;
  let best = letters >= MIN_TWO_TYPOS ? 2 : 1;
  let near: number[] = [];
  for (let number = 1; number < limit; number += 1) {
    const length = words.length(number);
    if (length === 0) continue;
    for (const { units: own, letters: ownLetters } of wanted) {
      // One edit changes at most two letters of the set.
      if (Math.abs(length - own.length) > best || bits(ownLetters ^ words.letters(number)) > 2 * best)
        continue;
      const start = words.start(number);
      const other: Slice = { units, from: start, to: start + length };
      if (!within(own, other, best) || !occurs(number)) continue;
      // Restarts the list at a smaller distance.
      if (best === 2 && within(own, other, 1)) {
        best = 1;
        near = [];
      }
      near.push(number);
      break;
    }
  }
  return near;
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

function bits(word: number): number {
  let rest = word - ((word >>> 1) & 0x55555555);
  rest = (rest & 0x33333333) + ((rest >>> 2) & 0x33333333);
  return Math.imul((rest + (rest >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** A word of a query. */
interface QueryWord {
  readonly word: string;
  /** True for the last word, unless a blank or a sign follows: more letters may come. */
  readonly isOpen: boolean;
  /** The numbers of its terms in order, as a text has them; 0 for one that occurs nowhere. */
  readonly sequence: readonly number[];
  /** Its terms, by form and by stem; not those of a word with its umlauts spelled out. */
  readonly forms: readonly string[];
  readonly terms: readonly string[];
  /** The numbers of all forms of each term, its umlauts spelled out or not; none of one that occurs nowhere. */
  readonly numbers: readonly (readonly number[])[];
  /** True for a word of several parts of which the compound, the last of its terms, occurs. */
  readonly isCompound: boolean;
  /** The terms that the word and a neighbour are when joined, if they occur: `homelab` for `home` and `lab` of `home lab`. */
  readonly joined: readonly number[];
  /** The name and the number that the word consists of, if they occur one after the other: `rfc` and `2616` for `RFC2616`. */
  readonly halves: readonly number[];
}

/** The maximum number of words of a query in which neighbours are joined; with more, the other words find what one misses. */
export const MAX_JOINED_WORDS = 6;
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
    const { sequence, forms, terms, numbers } = readForms(word, analyser, vocabulary);
    const isCompound = terms.length > 1 && hasCompound(word) && numbers.at(-1)?.length !== 0;
    const parts = terms.length === 1 ? halvesOf(word) : null;
    const halves = parts === null ? NONE : split(() => adjacentHalves(parts, vocabulary));
    const isOpen = to === query.length;
    words.push({ word, isOpen, sequence, forms, terms, numbers, isCompound, joined: NONE, halves });
    begins.push(from);
    ends.push(to);
  });
  if (words.length > MAX_JOINED_WORDS) return words;
  for (let at = 1; at < words.length; at += 1) {
    const [first, second] = [words[at - 1], words[at]];
    if (first === undefined || second === undefined) break;
    const isNamed = halvesOf(first.word + second.word) !== null && isNameAndNumber(first, second);
    if (!isNamed && (!isPlain(first) || !isPlain(second))) continue;
    if (!isSpace(query.slice(ends[at - 1], begins[at]))) continue;
    const whole = formsOf(first.word + second.word, vocabulary);
    if (whole.length === 0 || areStopWords(whole, vocabulary)) continue;
    words[at - 1] = { ...first, joined: [...first.joined, ...whole] };
    words[at] = { ...second, joined: whole };
  }
  return words;
}

/** Reads the terms of a word. A word with its umlauts spelled out is the same word, and both together count once. */
function readForms(
  word: string,
  analyser: Analyser,
  vocabulary: Vocabulary,
): Pick<QueryWord, 'sequence' | 'forms' | 'terms' | 'numbers'> {
  const all = analyser.analysed(word);
  const forms: string[] = [];
  const terms: string[] = [];
  const numbers: (readonly number[])[] = [];
  for (const [at, form] of all.forms.entries()) {
    const term = all.terms[at] ?? '';
    const own = allForms(form, term, vocabulary);
    const before = forms.at(-1);
    if (before !== undefined && spellsOut(form, before, word)) {
      numbers.push([...new Set([...(numbers.pop() ?? NONE), ...own])]);
      continue;
    }
    forms.push(form);
    terms.push(term);
    numbers.push(own);
  }
  return { sequence: all.forms.map((form) => vocabulary.number(form)), forms, terms, numbers };
}

/** Returns the numbers of all forms of a term with this stem, in any language. */
function allForms(term: string, stem: string, vocabulary: Vocabulary): readonly number[] {
  const own = vocabulary.forms(stem);
  const others = vocabulary.relatives(term);
  return others.length === 0 ? own : [...new Set([...own, ...others])];
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

/** Returns every term of a planned query in order. The compound of a word also matches each of its parts. */
export function meaningsOf({ words }: SearchPlan, vocabulary: Vocabulary): Meaning[] {
  return words.flatMap(({ terms, numbers, isCompound, joined, halves }) => {
    // A passage with both halves of a word has its rarer one.
    const rare = [...halves].sort((a, b) => vocabulary.documents(a) - vocabulary.documents(b)).slice(0, 1);
    const others = new Set([...joined, ...rare].map((number) => stemOf(vocabulary.text(number))));
    if (isCompound) others.add(terms.at(-1) ?? '');
    return terms.map((term, at) => {
      const forms = (numbers[at] ?? NONE).map((number) => stemOf(vocabulary.text(number)));
      return { term, others: [...new Set([...others, ...forms.filter((form) => form !== term)])] };
    });
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
function isPlain({ word, terms }: QueryWord): boolean {
  const [term = ''] = terms;
  return terms.length === 1 && word.length >= MIN_PART && isLetters(word) && !isStopWord(term);
}

/** Returns true for letters of scripts with spaces between words. */
function isLetters(word: string): boolean {
  return ASCII_LETTERS.test(word) || (LETTERS.test(word) && !isPaired(word));
}

function isSpace(gap: string): boolean {
  return gap === ' ' || (gap !== '' && gap.trim() === '');
}

/** Returns the number of the most frequent form of a word of one term, in any case; 0 if it has several or occurs nowhere. */
function numberOf(word: string, vocabulary: Vocabulary): number {
  return mostFrequent(formsOf(word, vocabulary), 1, vocabulary)[0] ?? 0;
}

/** Returns the numbers of all forms of a word of one term, in any case; none if it has several terms or occurs nowhere. */
function formsOf(word: string, vocabulary: Vocabulary): readonly number[] {
  // Capitals within the word would split it.
  const term = onlyTermOf(word.toLowerCase());
  return term === null ? [] : vocabulary.forms(stemOf(term));
}

function areStopWords(numbers: readonly number[], vocabulary: Vocabulary): boolean {
  return numbers.every((number) => vocabulary.isStopWord(number));
}

/** Terms that count as one: the forms of a word, and others that it stands for. */
export interface TermGroup {
  /** The numbers of the terms, ascending. */
  readonly ids: readonly number[];
  /** Those that stand in the query as they are; they count a little more. */
  readonly exact: readonly number[];
  /** How much the group counts: 1, or less where the word only may mean these terms. */
  readonly share: number;
  /** The terms of the word itself, where the group is of longer words: they never count more than these, however rare. */
  readonly below: readonly number[] | null;
}

/** How much words count that a word of the query is a part of, words that begin with it, and words that it may misspell. */
const COMPOUND_SHARE = 0.5;
const PREFIX_SHARE = 0.5;
const KNOWN_PREFIX_SHARE = 0.2;
const GUESS_SHARE = 0.4;

/** A word of a query with terms for its parts and one for all of it: `PostgreSQL`, `high-level`, `BRAIN_PG_DSN`. */
interface Compound {
  readonly whole: TermGroup;
  /** The parts that are neither stop words nor words of the query by themselves. */
  readonly parts: readonly TermGroup[];
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
  /** True for a query of one term that occurs. */
  readonly isOneTerm: boolean;
  /** All terms of the query in order; empty if one of them occurs nowhere, or if there are very many. */
  readonly sequence: readonly number[];
  /** The guesses behind the groups, in the order of the query. */
  readonly guesses: readonly Guess[];
  /** The words of the query. */
  readonly words: readonly QueryWord[];
}

/** The maximum number of scans of the vocabulary for one query. */
const MAX_SCANS = 8;
/** The maximum number of words of one query that stand for longer ones, and of those and their forms whose compounds are looked for. */
const MAX_BEGINNINGS = 32;
/** The maximum number of words of one query that are split, since each split reads documents. */
const MAX_SPLIT_WORDS = 4;
/** The maximum numbers of terms that a misspelled word stands for, and the beginning of a word: the most frequent ones. */
const MAX_ALTERNATIVES = 16;
const MAX_COMPLETIONS = 32;
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
  /** True where the terms are not those of the word: longer ones, similar ones, parts of it. */
  readonly isGuessed: boolean;
  /** True if the word has letters that English has not: folded, it may equal a stop word, but is none. */
  readonly isForeign: boolean;
}

/** A letter or mark that no English word has. */
const FOREIGN = /[^\P{L}A-Za-z]|\p{M}/u;

/** Gives equal groups one object, which holds all that are exact. */
class Groups {
  readonly #known = new Map<
    string,
    { ids: readonly number[]; exact: number[]; share: number; below: readonly number[] | null }
  >();

  of(
    numbers: readonly number[],
    exact: readonly number[] = [],
    share = 1,
    below: readonly number[] | null = null,
  ): TermGroup {
    const ids = numbers.length === 1 ? numbers : [...new Set(numbers)].sort((a, b) => a - b);
    const key = ids.length === 1 ? String(ids[0]) : ids.join();
    const known = this.#known.get(key);
    if (known === undefined) {
      const group = { ids, exact: [...exact], share, below };
      this.#known.set(key, group);
      return group;
    }
    for (const number of exact) if (!known.exact.includes(number)) known.exact.push(number);
    known.share = Math.max(known.share, share);
    if (below === null) known.below = null;
    return known;
  }
}

/**
 * Plans a search: any word may occur in any of its forms, quoted phrases must as they stand. The last word also stands for
 * those that begin with it, unless something follows it; a word that occurs nowhere for those, or else for similar ones.
 * @param guesses false where a word that occurs nowhere stands for others only if it is the last, which may be unfinished
 */
export function planSearch(
  query: string,
  analyser: Analyser,
  vocabulary: Vocabulary,
  guesses = true,
): SearchPlan {
  const planning: Planning = {
    vocabulary,
    known: new Groups(),
    scan: limited(MAX_SCANS),
    split: limited(MAX_SPLIT_WORDS),
    begin: limited(MAX_BEGINNINGS),
    join: limited(MAX_BEGINNINGS),
    guesses,
  };
  const typed = queryWords(query, analyser, vocabulary);
  const words = typed.map((word) => planWord(word, planning));
  const sequence = words.flatMap((word) => word.sequence);
  const guessed = words.flatMap(({ guess }) => guess ?? []);
  // Groups that are words of the query count in full even if they are parts of others.
  const own = new Set(words.flatMap((word) => word.own));
  const isKnown = sequence.length <= MAX_SEQUENCE && !sequence.includes(0);
  return {
    groups: distinctGroups(
      words.flatMap((word) => word.groups),
      vocabulary,
    ),
    compounds: words
      .flatMap((word) => word.compounds)
      .map(({ whole, parts }) => ({
        whole,
        parts: [...new Set(parts)].filter((part) => !own.has(part) && !areStopWords(part.ids, vocabulary)),
      })),
    phrases: planPhrases(query, analyser, vocabulary),
    isOneTerm: isOneTerm(words, isKnown ? sequence : NONE),
    sequence: isKnown ? sequence : [],
    guesses: guessed,
    words: typed,
  };
}

/** Returns true if only one word is looked for, a word of one term that occurs. */
function isOneTerm(words: readonly PlannedWord[], sequence: readonly number[]): boolean {
  const [first, ...more] = words.filter(({ groups }) => groups.length > 0);
  if (first === undefined || more.length > 0 || sequence.length > 1) return false;
  return first.sequence.length === 1 && first.compounds.length === 0 && first.guess === null;
}

/** What the words of one query share while they are planned. */
interface Planning {
  readonly vocabulary: Vocabulary;
  readonly known: Groups;
  readonly scan: Limited;
  readonly split: Limited;
  readonly begin: Limited;
  readonly join: Limited;
  readonly guesses: boolean;
}

/** What one word adds to a plan. */
interface PlannedWord {
  readonly groups: NamedGroup[];
  readonly compounds: Compound[];
  /** The groups that the word as a whole stands for. */
  readonly own: readonly TermGroup[];
  /** Its terms in order; 0 for one that occurs nowhere. */
  readonly sequence: readonly number[];
  readonly guess: Guess | null;
}

function planWord(each: QueryWord, planning: Planning): PlannedWord {
  const { word, sequence, forms, terms, numbers, isCompound, joined, halves } = each;
  const { vocabulary, known, scan } = planning;
  const isForeign = FOREIGN.test(word);
  const groups: NamedGroup[] = [];
  const compounds: Compound[] = [];
  const found: TermGroup[] = [];
  for (const [place, form] of forms.entries()) {
    const own = numbers[place] ?? NONE;
    const number = vocabulary.number(form);
    const matching = [...matchingTerms(form, own, vocabulary, scan), ...joined];
    if (matching.length === 0) continue;
    const group = known.of(matching, number === 0 ? NONE : [number]);
    groups.push({ name: terms[place] ?? '', group, isGuessed: matching.length > own.length, isForeign });
    found.push(group);
  }
  if (halves.length > 0) {
    const parts = halves.map((half) => known.of([half]));
    for (const whole of found) compounds.push({ whole, parts });
    for (const [at, group] of parts.entries())
      groups.push({ name: vocabulary.text(halves[at] ?? 0), group, isGuessed: false, isForeign });
  }
  const whole = isCompound ? found.at(-1) : undefined;
  if (whole !== undefined) compounds.push({ whole, parts: found.slice(0, -1) });
  const own = whole === undefined ? found : [whole];
  const isKnown = found.length > 0 || halves.length > 0;
  const below = isKnown ? own.flatMap(({ ids }) => ids) : null;
  const wider = widerTerms(each, isKnown, planning);
  for (const { ids, share } of wider) {
    const group = known.of(ids, NONE, share, below);
    groups.push({ name: terms.at(-1) ?? '', group, isGuessed: true, isForeign });
  }
  const guess = isKnown
    ? null
    : guessWord(
        each,
        wider.flatMap(({ ids }) => ids),
        planning,
        groups,
      );
  return { groups, compounds, own, sequence, guess };
}

/** Adds the groups of a word that occurs nowhere, unless longer ones begin with it; returns what was taken in its place. */
function guessWord(
  { word, forms }: QueryWord,
  longer: readonly number[],
  planning: Planning,
  groups: NamedGroup[],
): Guess | null {
  const { vocabulary, known, guesses } = planning;
  const others = longer.length > 0 || !guesses ? [] : guessGroups(word, forms, planning);
  const isForeign = FOREIGN.test(word);
  for (const { name, alternatives } of others)
    for (const ids of alternatives)
      groups.push({ name, group: known.of(ids, NONE, GUESS_SHARE), isGuessed: ids.length > 1, isForeign });
  const meant = [longer, ...others.flatMap(({ alternatives }) => alternatives)].flatMap((group) =>
    group.map((number) => vocabulary.text(number)).sort(compareText),
  );
  return meant.length > 0 ? { word, terms: meant } : null;
}

/** Returns the longer terms that a word stands for, and how much they count: its compounds, and others that begin with it. */
function widerTerms(
  word: QueryWord,
  isKnown: boolean,
  planning: Planning,
): { readonly ids: readonly number[]; readonly share: number }[] {
  const compounds = compoundsOf(word, planning);
  const others = longerTerms(word, isKnown || !planning.guesses, planning);
  return [
    { ids: compounds, share: COMPOUND_SHARE },
    {
      ids: others.filter((id) => !compounds.includes(id)),
      share: isKnown ? KNOWN_PREFIX_SHARE : PREFIX_SHARE,
    },
  ].filter(({ ids }) => ids.length > 0);
}

/** Returns the compounds that a word of one term, or a form of it, is a part of. */
function compoundsOf({ forms, numbers }: QueryWord, { vocabulary, join }: Planning): readonly number[] {
  const [form = '', ...more] = forms;
  const [own = NONE] = numbers;
  if (more.length > 0) return NONE;
  const all = new Set([form, ...own.slice(0, MAX_ALTERNATIVES).map((number) => vocabulary.text(number))]);
  const found = new Set([...all].flatMap((each) => join(() => vocabulary.compounds(each, each === form))));
  return mostFrequent(
    [...found].filter((number) => !own.includes(number)),
    MAX_COMPLETIONS,
    vocabulary,
  );
}

/**
 * Returns the most frequent terms that begin with a word: with the last one of a query, or with one that occurs nowhere, apart from
 * its own forms.
 */
function longerTerms(
  { word, isOpen, forms, numbers }: QueryWord,
  isKnown: boolean,
  { vocabulary, begin }: Planning,
): readonly number[] {
  const form = forms.at(-1) ?? '';
  const isMeant = isOpen ? !isKnown || form.length >= MIN_PREFIX : !isKnown && mayBegin(form);
  if (form === '' || !isMeant || isPaired(word)) return NONE;
  const own = new Set(numbers.at(-1));
  return mostFrequent(
    begin(() => vocabulary.beginning(form)).filter((number) => !own.has(number)),
    MAX_COMPLETIONS,
    vocabulary,
  );
}

/**
 * Plans only the phrases of a query.
 * @param inAnyForm true where each word of a phrase may stand in any of its forms
 */
export function planPhrases(
  query: string,
  analyser: Analyser,
  vocabulary: Vocabulary,
  inAnyForm = false,
): PhrasePlan[] {
  const scan = limited(MAX_SCANS);
  return planQuoted(
    query,
    analyser,
    (form) => {
      const number = vocabulary.number(form);
      const own = number === 0 ? NONE : [number];
      return matchingTerms(
        form,
        inAnyForm ? allForms(form, stemOf(form), vocabulary) : own,
        vocabulary,
        scan,
      );
    },
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
  { vocabulary, scan, split }: Planning,
): { readonly name: string; readonly alternatives: readonly (readonly number[])[] }[] {
  return terms.flatMap((name) => {
    const isPlain = terms.length === 1;
    const letters = isPlain ? word.length : name.length;
    if (!isSpellingCandidate(name, letters)) return [];
    const near = mostFrequent(
      scan(() => vocabulary.near(name, letters)),
      MAX_ALTERNATIVES,
      vocabulary,
    );
    // What a word is taken for has forms of its own.
    const all = near.flatMap((number) => [number, ...vocabulary.forms(stemOf(vocabulary.text(number)))]);
    if (near.length > 0) return [{ name, alternatives: [[...new Set(all)]] }];
    const parts = isPlain ? split(() => splitWord(word, vocabulary) ?? []) : [];
    return parts.length > 0
      ? [{ name, alternatives: parts.map((part) => vocabulary.forms(stemOf(vocabulary.text(part)))) }]
      : [];
  });
}

/** Plans a search for the forms of words, given by stem. */
export function planTerms(stems: readonly string[], vocabulary: Vocabulary): SearchPlan {
  const known = new Groups();
  const groups = stems
    .map((name) => ({ name, ids: vocabulary.forms(name) }))
    .filter(({ ids }) => ids.length > 0)
    .map(({ name, ids }) => ({ name, group: known.of(ids), isGuessed: false, isForeign: false }));
  return {
    groups: distinctGroups(groups, vocabulary),
    compounds: [],
    phrases: [],
    isOneTerm: false,
    sequence: [],
    guesses: [],
    words: [],
  };
}

/** Runs a costly search for terms, or returns none once the limit is reached. */
type Limited = (find: () => readonly number[]) => readonly number[];

function limited(most: number): Limited {
  let runs = 0;
  return (find) => ((runs += 1) > most ? [] : find());
}

/** Returns the numbers of a term; for a lone character of a script without spaces also its pairs. */
function matchingTerms(
  form: string,
  numbers: readonly number[],
  vocabulary: Vocabulary,
  scan: Limited,
): readonly number[] {
  if (!isLonePaired(form)) return numbers;
  const pairs = scan(() => vocabulary.around(form));
  // There are seldom too many, and sorting them all would take longer than the search.
  return [...numbers, ...(pairs.length <= MAX_PAIRS ? pairs : mostFrequent(pairs, MAX_PAIRS, vocabulary))];
}

/** Returns the most frequent of the terms that occur; of equally frequent ones those whose text comes first. */
function mostFrequent(numbers: readonly number[], limit: number, vocabulary: Vocabulary): readonly number[] {
  const counts = Float64Array.from(numbers, (number) => vocabulary.documents(number));
  if (numbers.length <= limit) return numbers.filter((_, at) => (counts[at] ?? 0) > 0);
  const least = Math.max(1, Float64Array.from(counts).sort().at(-limit) ?? 0);
  // Only the terms that may be taken are made into strings.
  return numbers
    .map((number, at) => ({ number, documents: counts[at] ?? 0 }))
    .filter(({ documents }) => documents >= least)
    .map((each) => ({ ...each, text: vocabulary.text(each.number) }))
    .sort((a, b) => b.documents - a.documents || compareText(a.text, b.text))
    .slice(0, limit)
    .map(({ number }) => number);
}

/** Returns the distinct groups, without stop words unless there is nothing else. */
function distinctGroups(groups: NamedGroup[], vocabulary: Vocabulary): TermGroup[] {
  // The order matters if a term is in several groups, or if not all groups are used: guessed groups sort first and words as
  // typed last, so that a term that also stands for another counts as itself.
  if (groups.length > MAX_UNSORTED || groups.some(({ isGuessed }) => isGuessed))
    groups.sort((a, b) => Number(b.isGuessed) - Number(a.isGuessed) || compareText(a.name, b.name));
  const foreign = new Set(groups.filter(({ isForeign }) => isForeign).map(({ group }) => group));
  const distinct = [...new Set(groups.map(({ group }) => group))];
  const significant = distinct.filter((group) => foreign.has(group) || !areStopWords(group.ids, vocabulary));
  return significant.length > 0 ? significant : distinct;
}

/** The number of terms of a text, apart from its title, that a search for similar notes uses. */
const MAX_TEXT_TERMS = 12;

/** What `similarTerms` asks an index. */
interface ExpansionTerms {
  /** Returns the distinct stems of a text in order. */
  read(text: string): readonly string[];
  /** Returns the number of other notes that hold a form of the stem, or more. */
  documents(stem: string): number;
}

/**
 * Returns the stems to search for notes similar to a text: those of its title, and the rarest of its own that others hold.
 */
export function similarTerms(title: string, text: string, terms: ExpansionTerms): string[] {
  const named = new Set(terms.read(title));
  const significant = terms
    .read(text)
    .filter((stem) => !named.has(stem) && !isStopWord(stem))
    .map((term) => ({ term, documents: terms.documents(term) }))
    .filter(({ documents }) => documents > 0)
    .sort((a, b) => a.documents - b.documents || compareText(a.term, b.term))
    .slice(0, MAX_TEXT_TERMS);
  return [...named, ...significant.map(({ term }) => term)];
}
