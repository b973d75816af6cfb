import { compareText } from '../rules/text';
import type { Analyser } from './analyse';
import { mayBeTypo } from './nearest';
import { isStopWord } from './stop-words';
import { eachWord, isLonePaired } from './words';

/** What an index tells about its terms. */
export interface Vocabulary {
  /** In how many documents the term occurs. */
  frequency(term: string): number;
  /** Terms that a word which occurs nowhere may have meant, in no promised order; `letters` is its length as typed. */
  near(term: string, letters: number): readonly string[];
  /** Terms that begin or end with a character and are longer, in no promised order. */
  around(character: string): readonly string[];
}

/** Terms that count as one: mostly a single one, several when a word stands for others, none for nothing. */
export type TermGroup = readonly string[];

/** A word of a query that occurs nowhere, as it was typed, and the terms that are looked for in its place. */
export interface Guess {
  readonly word: string;
  readonly terms: TermGroup;
}

/** A query made ready for one index. */
export interface SearchPlan {
  /** What is scored, in an order that does not depend on the order of the words. */
  readonly groups: readonly TermGroup[];
  /** Sequences of which every one must occur in a document, each place filled by one term of its group. */
  readonly phrases: readonly (readonly TermGroup[])[];
  /** All terms as they stand in the query; none when one of them occurs nowhere, or when there are very many. */
  readonly sequence: readonly string[];
  /** What was guessed to get the groups, in the order of the query. */
  readonly guesses: readonly Guess[];
}

/** Guessing what a word may stand for walks the whole vocabulary, so one query may do it only so often. */
const MAX_WALKS = 8;
/** How many terms a word may stand for, the most frequent ones. */
const MAX_ALTERNATIVES = 16;
/** The same for a single character of a script without spaces, which stands for its pairs. */
const MAX_PAIRS = 1000;

/** A longer query is not looked for word for word. */
const MAX_SEQUENCE = 64;

/** How many phrases a query may want; each is looked for in every document that holds its words. */
const MAX_PHRASES = 16;

const QUOTED = /"([^"]*)"|“([^“”]*)”|„([^„“”]*)[“”]|«([^«»]*)»|「([^「」]*)」/g;

/**
 * Plans a search: any word may occur, quoted phrases must, and a word that occurs nowhere stands for those
 * like it.
 */
export function planSearch(query: string, analyser: Analyser, vocabulary: Vocabulary): SearchPlan {
  let walks = 0;
  const walk: Walk = (find) => ((walks += 1) > MAX_WALKS ? [] : find());
  const groups: TermGroup[] = [];
  const sequence: string[] = [];
  const guesses: Guess[] = [];
  eachWord(query, (from, to) => {
    const terms = analyser.terms(query.slice(from, to));
    sequence.push(...terms);
    const known = terms.map((term) => occurring(term, vocabulary, walk)).filter((group) => group.length > 0);
    if (known.length > 0) {
      groups.push(...known);
      return;
    }
    for (const term of terms) {
      // A plain word is as long as it was typed, which stemming may hide.
      const letters = terms.length === 1 ? to - from : term.length;
      if (!mayBeTypo(term, letters)) continue;
      const near = walk(() => vocabulary.near(term, letters));
      const meant = frequent(near, MAX_ALTERNATIVES, vocabulary);
      groups.push(meant);
      if (meant.length > 0) guesses.push({ word: query.slice(from, to), terms: meant });
    }
  });
  const phrases = quoted(query, analyser).map((terms) =>
    terms.map((term) => occurring(term, vocabulary, walk)),
  );
  const isKnown = sequence.length <= MAX_SEQUENCE && sequence.every((term) => vocabulary.frequency(term) > 0);
  return { groups: scored(groups), phrases, sequence: isKnown ? sequence : [], guesses };
}

/** The terms of the first distinct quoted phrases. */
function quoted(query: string, analyser: Analyser): string[][] {
  const phrases = new Map<string, string[]>();
  for (const match of query.matchAll(QUOTED)) {
    const terms = analyser.all(match.slice(1).join(''));
    if (terms.length > 0) phrases.set(terms.join('\n'), terms);
    if (phrases.size === MAX_PHRASES) break;
  }
  return [...phrases.values()];
}

/** Plans a search for given terms, as they come from an analyser. */
export function planTerms(terms: readonly string[]): SearchPlan {
  return { groups: scored(terms.map((term) => [term])), phrases: [], sequence: [], guesses: [] };
}

/** Finds terms by a walk over the vocabulary, or none when it was walked often enough. */
type Walk = (find: () => readonly string[]) => readonly string[];

/** The term when it occurs; a single character of a script without spaces also stands for its pairs. */
function occurring(term: string, vocabulary: Vocabulary, walk: Walk): TermGroup {
  const group = vocabulary.frequency(term) > 0 ? [term] : [];
  if (!isLonePaired(term)) return group;
  const pairs = walk(() => vocabulary.around(term));
  // Seldom are there too many, and to sort them all would take longer than the search.
  return [...group, ...(pairs.length <= MAX_PAIRS ? pairs : frequent(pairs, MAX_PAIRS, vocabulary))];
}

/** The most frequent of the terms. */
function frequent(terms: readonly string[], limit: number, vocabulary: Vocabulary): TermGroup {
  return terms
    .map((term) => ({ term, documents: vocabulary.frequency(term) }))
    .sort((a, b) => b.documents - a.documents || compareText(a.term, b.term))
    .slice(0, limit)
    .map(({ term }) => term);
}

/** Distinct groups in a fixed order, without stop words unless there is nothing else. */
function scored(groups: readonly TermGroup[]): TermGroup[] {
  const distinct = new Map<string, TermGroup>();
  for (const group of groups) {
    // Their plain order is that of code units.
    const sorted = group.length < 2 ? group : [...group].sort();
    if (sorted.length > 0) distinct.set(sorted.join('\n'), sorted);
  }
  const all = [...distinct].sort(([a], [b]) => compareText(a, b)).map(([, group]) => group);
  const telling = all.filter((group) => !group.every(isStopWord));
  return telling.length > 0 ? telling : all;
}
