import { withinEdits } from '../fulltext/query';
import { isStopWord } from '../fulltext/stop-words';
import { termsOf } from '../fulltext/terms';
import { isPaired } from '../fulltext/words';
import type { Brain } from '../operation/context';
import type { RetrievedHit } from '../search/retrieve';

/** A word of the query: the terms that match it, and its weight (inverse document frequency). */
interface Wanted {
  readonly terms: ReadonlySet<string>;
  readonly worth: number;
}

/** The words of a query, weighted, to measure how much of them a passage contains. */
export class QueryCoverage {
  readonly #wanted: readonly Wanted[];
  readonly #total: number;
  readonly #byTerm = new Map<string, Wanted[]>();

  /** @param hits the results of the query: they have the terms that the search substituted for an unknown word */
  constructor(
    private readonly catalog: Brain['catalog'],
    query: string,
    hits: readonly RetrievedHit[],
  ) {
    this.#wanted = wantedOf(catalog, query, hits);
    this.#total = this.#wanted.reduce((sum, { worth }) => sum + worth, 0);
    for (const wanted of this.#wanted) {
      for (const term of wanted.terms) this.#byTerm.set(term, [...(this.#byTerm.get(term) ?? []), wanted]);
    }
  }

  /** Returns the words of the query in a text. */
  in(text: string): CoveredTerms {
    const found = new Set<Wanted>();
    this.catalog.words.analyser.eachTerm(text, (term) => {
      for (const wanted of this.#byTerm.get(term) ?? []) found.add(wanted);
    });
    return found;
  }

  /** Returns the weighted share of the query that is in any of the parts: from 0 to 1. */
  share(...parts: readonly CoveredTerms[]): number {
    if (this.#total === 0) return 0;
    const found = new Set(parts.flatMap((part) => [...part]));
    // The sum runs in query order, so that equal words give exactly equal shares.
    const sum = this.#wanted.reduce((so, wanted) => so + (found.has(wanted) ? wanted.worth : 0), 0);
    return sum / this.#total;
  }
}

/** The words of a query in a text, opaque; for `share` only. */
export type CoveredTerms = ReadonlySet<unknown>;

function wantedOf({ words }: Brain['catalog'], query: string, hits: readonly RetrievedHit[]): Wanted[] {
  const own = new Map<string, Set<string>>();
  for (const { term, others } of words.meanings(query))
    own.set(term, new Set([...(own.get(term) ?? [term]), ...others]));
  const found = new Map<string, number>();
  for (const { terms } of hits) for (const [term, idf] of terms) if (!own.has(term)) found.set(term, idf);
  const telling = [...own.keys()].filter((term) => !isFiller(term) && !isGrammar(term));
  let halves: ReadonlyMap<string, readonly string[]> | null = null;
  return (telling.length > 0 ? telling : [...own.keys()]).flatMap((term) => {
    const terms = own.get(term) ?? new Set([term]);
    const { documents, idf } = words.weigh(term);
    if (documents > 0) return [{ terms, worth: idf }];
    // Planning the search again is worth it only for an unknown word.
    const parts = (halves ??= halvesOf(words, query)).get(term);
    if (parts !== undefined)
      return parts.map((part) => ({ terms: new Set([part]), worth: words.weigh(part).idf }));
    const known = [...terms].map((each) => words.weigh(each)).filter((each) => each.documents > 0);
    const meant = [...found].filter(([other]) => mayStandFor(term, other));
    // A substitute has its own weight. The minimum of several does not depend on their order.
    const worths = [...known.map((each) => each.idf), ...meant.map(([, each]) => each)];
    const worth = worths.length === 0 ? idf : Math.min(...worths);
    return [{ terms: new Set([...terms, ...meant.map(([other]) => other)]), worth }];
  });
}

/** For each unknown word that the search splits into two words, maps its term to both: a text needs both of them. */
function halvesOf(words: Brain['catalog']['words'], query: string): Map<string, readonly string[]> {
  const halves = new Map<string, readonly string[]>();
  for (const { word, terms } of words.guesses(query)) {
    const [term = '', ...more] = words.analyser.terms(word);
    if (more.length === 0 && !terms.some((other) => mayStandFor(term, other))) halves.set(term, terms);
  }
  return halves;
}

/** Returns true when the search may substitute a term for an unknown one: at most two edits, or a prefix. */
function mayStandFor(term: string, other: string): boolean {
  if (isPaired(term)) return other.startsWith(term) || other.endsWith(term);
  return other.startsWith(term) || withinEdits(term, other, 2);
}

/** Words of questions that their answers need not contain: "How much memory does it use?", "Can you tell me …". */
const OF_QUESTIONS: ReadonlySet<string> = new Set(
  ['many', 'much', 'tell', 'explain', 'know', 'happen'].flatMap((word) => termsOf(word)),
);

/**
 * Returns true for a word without information about the question. The list of stop words has only one form of some verbs:
 * "wants".
 */
function isFiller(term: string): boolean {
  return isStopWord(term) || isStopWord(`${term}s`) || OF_QUESTIONS.has(term);
}

/**
 * Returns true for pairs with Hiragana, which are mostly particles and endings: a question has them and its answer does not.
 */
function isGrammar(term: string): boolean {
  return isPaired(term) && /\p{sc=Hiragana}/u.test(term);
}
