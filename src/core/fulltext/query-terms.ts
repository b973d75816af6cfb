import { isSpellingCandidate, MIN_TWO_TYPOS } from './query';
import { halvesOf } from './query-phrases';
import { type Analyser, onlyTermOf } from './terms';
import { eachWord, isLonePaired } from './words';

/** A term that occurs nowhere, and how similar to it a term has to be that a search takes in its place. */
interface Misspelling {
  readonly term: string;
  /** The most edits; 0 where only terms count that begin with it. */
  readonly edits: number;
}

/** What planning a search asks a vocabulary about a word of the query. */
interface LookedUp {
  /** The terms of the word, of its halves, and of it with the next word. */
  readonly terms: readonly string[];
  /** Terms that are a lone character of a script without spaces: those that begin or end with it count as well. */
  readonly lone: readonly string[];
  /** What is looked for if none of `terms` occurs: similar terms, and the terms of two parts of the word. */
  readonly misspellings: readonly Misspelling[];
  readonly parts: readonly string[];
}

const DIGIT = /\p{N}/u;
/** The longest word that is split. */
const MAX_SPLIT = 40;

/**
 * Returns, for each word of a query, what `planSearch` and `planPhrases` may ask the vocabulary, so that one that is elsewhere
 * can be asked before.
 */
export function queryTerms(query: string, analyser: Analyser): LookedUp[] {
  const words: string[] = [];
  eachWord(query, (from, to) => words.push(query.slice(from, to)));
  return words.map((word, at) => {
    const own = analyser.terms(word);
    const after = words[at + 1];
    const joined = after === undefined ? [] : onlyTerm(word + after);
    const letters = (term: string) => (own.length === 1 ? word.length : term.length);
    return {
      terms: [...own, ...(halvesOf(word) ?? []).flatMap(onlyTerm), ...joined],
      lone: own.filter((term) => isLonePaired(term)),
      misspellings: own
        .filter((term) => isSpellingCandidate(term, letters(term)))
        .map((term) => ({ term, edits: DIGIT.test(term) ? 0 : letters(term) >= MIN_TWO_TYPOS ? 2 : 1 })),
      parts: own.length === 1 && word.length <= MAX_SPLIT ? partsOf(word) : [],
    };
  });
}

function partsOf(word: string): string[] {
  return Array.from(word, (_, at) => [word.slice(0, at), word.slice(at)]).flatMap((two) =>
    two.flatMap(onlyTerm),
  );
}

function onlyTerm(word: string): string[] {
  const term = onlyTermOf(word.toLowerCase());
  return term === null ? [] : [term];
}
