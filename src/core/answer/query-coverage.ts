import { withinEdits } from '../fulltext/query';
import { isStopWord } from '../fulltext/stop-words';
import { termsOf } from '../fulltext/terms';
import { isPaired } from '../fulltext/words';
import type { Brain } from '../operation/context';
import type { RetrievedHit } from '../search/retrieve';

/** A word of the query: every term that may stand for it, and how much it tells (its inverse document frequency). */
interface Wanted {
  readonly terms: ReadonlySet<string>;
  readonly worth: number;
}

/** What a query asks for, so that passages can be weighed against it. */
export class QueryCoverage {
  readonly #wanted: readonly Wanted[];
  readonly #total: number;
  readonly #byTerm = new Map<string, Wanted[]>();

  /**
   * @param hits what the query found: where a word of it occurs nowhere, the terms that the search took for it are in them
   */
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

  /** What of the query a text holds. */
  in(text: string): CoveredTerms {
    const found = new Set<Wanted>();
    this.catalog.words.analyser.eachTerm(text, (term) => {
      for (const wanted of this.#byTerm.get(term) ?? []) found.add(wanted);
    });
    return found;
  }

  /** The share of the query, by what its words tell, that is in any of the parts: from 0 to 1. */
  share(...parts: readonly CoveredTerms[]): number {
    if (this.#total === 0) return 0;
    const found = new Set(parts.flatMap((part) => [...part]));
    // Summed in the order of the query, so that the same words always give the same share.
    const sum = this.#wanted.reduce((so, wanted) => so + (found.has(wanted) ? wanted.worth : 0), 0);
    return sum / this.#total;
  }
}

/** Words of a query that a text holds; only to be handed back to `share`. */
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
    // To plan the search again is only worth it for a word that occurs nowhere.
    const parts = (halves ??= halvesOf(words, query)).get(term);
    if (parts !== undefined)
      return parts.map((part) => ({ terms: new Set([part]), worth: words.weigh(part).idf }));
    const known = [...terms].map((each) => words.weigh(each)).filter((each) => each.documents > 0);
    const meant = [...found].filter(([other]) => mayStandFor(term, other));
    // What stands for it tells what it tells itself; the least of several is the same in any order.
    const worths = [...known.map((each) => each.idf), ...meant.map(([, each]) => each)];
    const worth = worths.length === 0 ? idf : Math.min(...worths);
    return [{ terms: new Set([...terms, ...meant.map(([other]) => other)]), worth }];
  });
}

/** By term of a word that occurs nowhere, the two words that the search takes it for: who has both of them has the word. */
function halvesOf(words: Brain['catalog']['words'], query: string): Map<string, readonly string[]> {
  const halves = new Map<string, readonly string[]>();
  for (const { word, terms } of words.guesses(query)) {
    const [term = '', ...more] = words.analyser.terms(word);
    if (more.length === 0 && !terms.some((other) => mayStandFor(term, other))) halves.set(term, terms);
  }
  return halves;
}

/** As the search takes a word that occurs nowhere for others: one or two letters changed, or its beginning. */
function mayStandFor(term: string, other: string): boolean {
  if (isPaired(term)) return other.startsWith(term) || other.endsWith(term);
  return other.startsWith(term) || withinEdits(term, other, 2);
}

/** Words of questions that their answers need not have: "How much memory does it use?", "Can you tell me …". */
const OF_QUESTIONS: ReadonlySet<string> = new Set(
  ['many', 'much', 'tell', 'explain', 'know', 'happen'].flatMap((word) => termsOf(word)),
);

/** True for a word that tells nothing of what is asked. Of some verbs the list of stop words has one form alone: "wants". */
function isFiller(term: string): boolean {
  return isStopWord(term) || isStopWord(`${term}s`) || OF_QUESTIONS.has(term);
}

/** Pairs that hold Hiragana are mostly particles and endings, which a question has and its answer has not. */
function isGrammar(term: string): boolean {
  return isPaired(term) && /\p{sc=Hiragana}/u.test(term);
}
