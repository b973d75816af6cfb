import { compareText } from '../rules/text';
import type { Analyser } from './analyse';
import { mayBeMeant } from './nearest';
import { type PhrasePlan, planQuoted } from './quoted-phrases';
import { queryWords, takenApart } from './query-words';
import type { Vocabulary } from './vocabulary';
import { isLonePaired } from './words';

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
    if (!mayBeMeant(name, letters)) return [];
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
