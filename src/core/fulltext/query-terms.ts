import { isSpellingCandidate, MAX_JOINED_WORDS, mayBegin, MIN_TWO_TYPOS } from './query';
import { halvesOf } from './query-phrases';
import { stemOf } from './stems';
import { type Analyser, onlyTermOf } from './terms';
import { eachWord, isLonePaired, isPaired } from './words';

/** A term that occurs nowhere, and how similar to it a term has to be that a search takes in its place. */
interface Misspelling {
  readonly term: string;
  /** The most edits. */
  readonly edits: number;
}

/** What planning a search asks a vocabulary about a word of the query. */
interface LookedUp {
  /** The terms of the word, of its halves, and of it with the next word. */
  readonly terms: readonly string[];
  /** The stems of the word, and in a short query of it with the next word: all forms count. */
  readonly stems: readonly string[];
  /** Terms that stand for those that begin with them: of the last word, or, if none of `terms` occurs, of any. */
  readonly beginnings: readonly string[];
  /** Terms that are a lone character of a script without spaces: those that begin or end with it count as well. */
  readonly lone: readonly string[];
  /** What is looked for if none of `terms` occurs: similar terms, and the stems of two parts of the word. */
  readonly misspellings: readonly Misspelling[];
  readonly parts: readonly string[];
}

/** The longest word that is split. */
const MAX_SPLIT = 40;

/**
 * Returns, for each word of a query, what `planSearch` and `planPhrases` may ask the vocabulary, so that one that is elsewhere
 * can be asked before.
 */
export function queryTerms(query: string, analyser: Analyser): LookedUp[] {
  const words: string[] = [];
  let end = 0;
  eachWord(query, (from, to) => {
    words.push(query.slice(from, to));
    end = to;
  });
  return words.map((word, at) => {
    const own = analyser.analysed(word).forms;
    const after = words[at + 1];
    const joined = after === undefined ? [] : onlyTerm(word + after);
    const letters = (term: string) => (own.length === 1 ? word.length : term.length);
    const isOpen = after === undefined && end === query.length;
    return {
      terms: [...own, ...(halvesOf(word) ?? []).flatMap(onlyTerm), ...joined],
      stems: [...own, ...(words.length > MAX_JOINED_WORDS ? [] : joined)].map(stemOf),
      beginnings: own.slice(-1).filter((term) => !isPaired(word) && (isOpen || mayBegin(term))),
      lone: own.filter((term) => isLonePaired(term)),
      misspellings: own
        .filter((term) => isSpellingCandidate(term, letters(term)))
        .map((term) => ({ term, edits: letters(term) >= MIN_TWO_TYPOS ? 2 : 1 })),
      parts: own.length === 1 && word.length <= MAX_SPLIT ? partsOf(word) : [],
    };
  });
}

function partsOf(word: string): string[] {
  return Array.from(word, (_, at) => [word.slice(0, at), word.slice(at)]).flatMap((two) =>
    two.flatMap(onlyTerm).map(stemOf),
  );
}

function onlyTerm(word: string): string[] {
  const term = onlyTermOf(word.toLowerCase());
  return term === null ? [] : [term];
}
