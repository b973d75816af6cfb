import type { Steps } from '../base/steps';
import { withinEdits } from '../fulltext/query';
import type { Analyser } from '../fulltext/terms';
import { isPaired } from '../fulltext/words';
import type { Brain } from '../operation/context';
import type { RetrievedHit } from '../search/retrieve';
import { asksForNumber, type QueryWord, queryWords } from '../search/question-words';

/** A word of the query: the terms that match it, those that may stand for it, and its weight. */
interface Wanted {
  readonly terms: ReadonlySet<string>;
  readonly substitutes?: readonly string[];
  readonly worth: number;
}

/** A word that begins as one of the query does counts less than the word itself: it may be a form of it in any language. */
const FORM = 0.8;
/** A word of the query in a name of the note counts less than in the passage: the rest of the note may be about something else. */
const IN_NAME = 0.7;
/** What the search looks for in place of a word that occurs nowhere. */
const GUESS = 0.6;
/** The least letters that a word and a form of it share at the beginning, which is what an index by beginnings goes by. */
const STEM = 4;
/** The least share of the shorter and of the longer of two forms that is the same. */
const LEAST_OF_SHORTER = 0.7;
const LEAST_OF_LONGER = 0.4;
/** The weight of a word that occurs in no note: the notes may use another one, unless it is a name. */
const UNKNOWN = 0.8;
/** The same for two characters, which may be of two words. */
const UNKNOWN_PAIR = 0.5;
/** A name or a number weighs more: what is about another one is no answer. */
const NAMED = 1.5;
/** The weight of a number or a date, where the question asks for one, in that of a word. */
const NUMBER = 0.5;

/** The words of a query, weighted, to measure how much of them a passage contains. */
export class QueryCoverage {
  readonly #wanted: readonly Wanted[];
  readonly #total: number;
  /** The words that a term matches, each with how much of the word it is. */
  readonly #byTerm = new Map<string, { readonly wanted: Wanted; readonly part: number }[]>();
  readonly #byStem = new Map<string, { readonly term: string; readonly wanted: Wanted }[]>();
  /** Stands for a number or a date in the passage; null if the query asks for none. */
  readonly #number: Wanted | null;

  private constructor(
    private readonly analyser: Analyser,
    wanted: readonly Wanted[],
    asksNumber: boolean,
  ) {
    const sum = wanted.reduce((all, { worth }) => all + worth, 0);
    this.#number =
      asksNumber && wanted.length > 0 ? { terms: new Set(), worth: (NUMBER * sum) / wanted.length } : null;
    this.#wanted = this.#number === null ? wanted : [...wanted, this.#number];
    this.#total = sum + (this.#number?.worth ?? 0);
    const add = (term: string, match: { wanted: Wanted; part: number }): void => {
      this.#byTerm.set(term, [...(this.#byTerm.get(term) ?? []), match]);
    };
    for (const each of wanted) {
      for (const term of each.substitutes ?? []) add(term, { wanted: each, part: GUESS });
      for (const term of each.terms) {
        add(term, { wanted: each, part: 1 });
        if (term.length < STEM || isPaired(term)) continue;
        const stem = term.slice(0, STEM);
        this.#byStem.set(stem, [...(this.#byStem.get(stem) ?? []), { term, wanted: each }]);
      }
    }
  }

  /**
   * Weighs the words of a query.
   * @param hits the results of the query: they have the terms that the search substituted for an unknown word
   */
  static *of(
    catalog: Pick<Brain['catalog'], 'words'>,
    query: string,
    hits: readonly Pick<RetrievedHit, 'terms'>[],
  ): Steps<QueryCoverage> {
    const { analyser } = catalog.words;
    const wanted = yield* wantedOf(catalog, query, queryWords(query, analyser), hits);
    return new QueryCoverage(analyser, wanted, asksForNumber(query));
  }

  /** Returns the words of the query in a text. */
  in(text: string): CoveredTerms {
    const found = new Map<Wanted, number>();
    this.analyser.eachTerm(text, (term) => {
      for (const { wanted, part } of this.#byTerm.get(term) ?? [])
        found.set(wanted, Math.max(part, found.get(wanted) ?? 0));
      for (const { term: asked, wanted } of this.#byStem.get(term.slice(0, STEM)) ?? [])
        if (!found.has(wanted) && areForms(asked, term)) found.set(wanted, FORM);
    });
    // A number alone says nothing of the question.
    if (this.#number !== null && found.size > 0 && /\p{N}/u.test(text)) found.set(this.#number, 1);
    return found;
  }

  /** Returns the weighted share of the query that is in a text, or in the names of its note, which count less: from 0 to 1. */
  share(text: CoveredTerms, names: CoveredTerms = new Map()): number {
    if (this.#total === 0) return 0;
    // The sum runs in query order, so that equal words give exactly equal shares.
    const sum = this.#wanted.reduce(
      (all, wanted) =>
        all + wanted.worth * Math.max(text.get(wanted) ?? 0, IN_NAME * (names.get(wanted) ?? 0)),
      0,
    );
    return sum / this.#total;
  }
}

/** The words of a query in a text, opaque; for `share` only. */
export type CoveredTerms = ReadonlyMap<unknown, number>;

/** Returns true when two terms begin so alike that they may be forms of one word. */
function areForms(one: string, other: string): boolean {
  const shorter = Math.min(one.length, other.length);
  let same = 0;
  while (same < shorter && one[same] === other[same]) same += 1;
  const longer = Math.max(one.length, other.length);
  return same >= STEM && same >= LEAST_OF_SHORTER * shorter && same >= LEAST_OF_LONGER * longer;
}

/** Weighs one word in each step: that of a frequent one is counted over its notes. */
function* wantedOf(
  { words }: Pick<Brain['catalog'], 'words'>,
  query: string,
  asked: readonly QueryWord[],
  hits: readonly Pick<RetrievedHit, 'terms'>[],
): Steps<Wanted[]> {
  const own = new Map<string, Set<string>>();
  for (const { term, others } of words.meanings(query))
    own.set(term, new Set([...(own.get(term) ?? [term]), ...others]));
  // An ending may be so long that the stems differ much.
  const taken = new Map(
    words
      .guesses(query)
      .map(({ word, terms }) => [
        words.analyser.terms(word)[0],
        new Set(words.analyser.all(terms.join(' '))),
      ]),
  );
  const named = new Set(asked.flatMap(({ terms, isNamed }) => (isNamed ? terms : [])));
  const telling = new Set(asked.flatMap(({ terms, isGrammar }) => (isGrammar ? [] : terms)));
  const found = new Set(hits.flatMap(({ terms }) => [...terms.keys()].filter((term) => !own.has(term))));
  let halves: ReadonlyMap<string, readonly string[]> | null = null;
  const wanted: Wanted[] = [];
  for (const term of telling.size > 0 ? telling : own.keys()) {
    yield;
    const terms = own.get(term) ?? new Set([term]);
    const { documents, idf } = words.weigh(term);
    const isNamed = named.has(term);
    const weighed = (worth: number): number => (isNamed ? NAMED * worth : worth);
    if (documents > 0) {
      wanted.push({ terms, worth: weighed(idf) });
      continue;
    }
    yield;
    // Planning the search again is worth it only for an unknown word.
    const parts = (halves ??= halvesOf(words, query)).get(term);
    if (parts !== undefined) {
      for (const part of parts) {
        yield;
        wanted.push({ terms: new Set([part]), worth: weighed(words.weigh(part).idf) });
      }
      continue;
    }
    // A word that is only joined otherwise has its own weight. The minimum of several does not depend on their order.
    let known = Infinity;
    for (const each of terms) {
      yield;
      const other = words.weigh(each);
      if (other.documents > 0) known = Math.min(known, other.idf);
    }
    const unknown = isNamed ? 1 : isPaired(term) ? UNKNOWN_PAIR : UNKNOWN;
    const worth = weighed(known === Infinity ? unknown * idf : known);
    wanted.push({
      terms,
      substitutes: [...found].filter((other) => mayStandFor(term, other) || taken.get(term)?.has(other)),
      worth,
    });
  }
  return wanted;
}

/** For each unknown word that the search splits into two words, maps its term to the stems of both: a text needs both of them. */
function halvesOf(words: Brain['catalog']['words'], query: string): Map<string, readonly string[]> {
  const halves = new Map<string, readonly string[]>();
  const stemOf = (form: string): string => words.analyser.terms(form)[0] ?? '';
  for (const { word, terms } of words.guesses(query)) {
    const { forms, terms: own } = words.analyser.analysed(word);
    const [form = '', ...more] = forms;
    if (more.length > 0) continue;
    // The halves are guessed in all forms that the notes have.
    const stems = new Set(terms.map(stemOf));
    for (let at = 1; at < form.length; at += 1) {
      const both = [stemOf(form.slice(0, at)), stemOf(form.slice(at))];
      if (both.every((half) => stems.has(half))) halves.set(own[0] ?? '', both);
    }
  }
  return halves;
}

/** Returns true when the search may substitute a term for an unknown one: at most two edits, or a prefix. */
function mayStandFor(term: string, other: string): boolean {
  if (isPaired(term)) return other.startsWith(term) || other.endsWith(term);
  return other.startsWith(term) || withinEdits(term, other, 2);
}
