import { compareText } from '../base/text';
import { Accumulator, TopK, type Scored } from './accumulator';
import type { FacetFilter } from './documents';
import type { Evidence } from './evidence';
import type { IndexParts } from './index-file';
import { phraseTest } from './phrase-match';
import { OFFSET, type PostingRange } from './postings';
import type { Compound, SearchPlan, TermGroup } from './query';
import { MAX_SEEN, PASSAGE_WEIGHT, Reranker, MAX_RERANKED } from './rerank';
import { idfOf, MAX_GROUPS, SaturationTable, SCORE_SCALE, WeightTable } from './scoring';
import type { SeenDocuments } from './seen';
import { endOfText, type TokenStream } from './streams';

/** A document found. */
export interface Hit<T> {
  readonly item: T;
  readonly score: number;
  /**
   * The terms of the query that the document holds, sorted by code units, each with its inverse document frequency. Read them
   * before the index changes.
   */
  readonly terms: ReadonlyMap<string, number>;
}

/** A limit and filters. A facet costs nothing; `accept` is called only for documents good enough to be found. */
export interface SearchOptions<T> extends FacetFilter {
  readonly limit: number;
  /** A further test of documents. */
  readonly accept?: (item: T) => boolean;
  /** False where a word that occurs nowhere stands for no similar one. */
  readonly guesses?: false;
  /** Only documents that hold a rare term of this evidence. */
  readonly evidence?: Evidence;
}

/** A group of the query with its postings, and its inverse document frequency. */
interface ScoredGroup extends Scored {
  readonly ids: TermGroup;
  readonly idf: number;
}

/** What scores go by where an index holds a part of a larger one. */
export interface WholeIndex {
  /** The number of documents, and the sum of their lengths. */
  readonly documents: number;
  readonly totalLength: number;
  /** Returns the number of documents that hold the term. */
  holders(term: number): number;
}

const acceptAll = () => true;

/** Returns true if a search filters by facets. */
function hasFacets({ wing, hall, reviewed }: FacetFilter): boolean {
  return wing !== undefined || hall !== undefined || reviewed === true;
}

/** Finds the best documents of an index: scores all, and reranks the best by their terms in order. */
export class Searcher<T extends { readonly path: string }> {
  readonly #parts: IndexParts<T>;
  readonly #whole: WholeIndex | null;
  readonly #accumulator = new Accumulator();
  readonly #saturations = new SaturationTable();
  readonly #weights = new WeightTable();
  readonly #reranker: Reranker;
  readonly #candidates: TopK;
  readonly #best: TopK;
  /** The documents that the search at hand may find; null for all. */
  #seen: SeenDocuments | null = null;

  /** @param whole the larger index, if this is a part of one */
  constructor(parts: IndexParts<T>, whole: WholeIndex | null) {
    this.#parts = parts;
    this.#whole = whole;
    const { dictionary, documents } = parts;
    this.#reranker = new Reranker((term) =>
      dictionary.isStopWord(term) ? 0 : this.#weights.of(this.#holders(term)),
    );
    const compare = (a: number, b: number) => documents.compare(a, b);
    this.#candidates = new TopK(compare);
    this.#best = new TopK(compare);
  }

  /**
   * Returns the best documents for a plan, best first.
   * @param seenOnly the documents that it finds and scores by, if not all
   */
  run(plan: SearchPlan, options: SearchOptions<T>, seenOnly: SeenDocuments | null): Hit<T>[] {
    const passes = this.#filter(plan, options);
    if (passes === null) return [];
    this.#seen = seenOnly;
    const { size, limit } = this.#parts.documents;
    const { documents, totalLength } = seenOnly ??
      this.#whole ?? { documents: size, totalLength: this.#parts.documents.totalLength };
    this.#weights.setDocuments(documents);
    const partWeights = this.#partWeights(plan.compounds);
    const groups: ScoredGroup[] = [];
    for (const group of plan.groups) {
      const scored = this.#scoredGroup(group, partWeights);
      if (scored.to > scored.from) groups.push(scored);
      if (groups.length === MAX_GROUPS) break;
    }
    if (groups.length === 0) return [];
    const candidates = this.#candidates.begin(Math.max(options.limit, MAX_RERANKED));
    const saturations = this.#saturations.tableFor(totalLength, documents);
    this.#accumulator.addUp(groups, saturations, limit, candidates, passes);
    candidates.sort();
    const seen = this.#rerank(groups, plan.sequence, options.limit);
    const best = this.#best;
    const hits: Hit<T>[] = [];
    for (let rank = 0; rank < best.size; rank += 1) {
      const doc = best.doc(rank);
      const item = this.#parts.documents.item(doc);
      if (item === undefined) continue;
      const held = seen[candidates.rank(doc)] ?? null;
      const termsOf = () => this.#matched(doc, groups, held);
      hits.push(new LazyHit(item, best.score(rank) / SCORE_SCALE, termsOf));
    }
    return hits;
  }

  /**
   * Puts the best of the candidates into `#best`. Returns, by rank, the set of groups of each reranked candidate, null where
   * unknown.
   */
  #rerank(groups: readonly ScoredGroup[], sequence: readonly number[], limit: number): (number | null)[] {
    const [candidates, best] = [this.#candidates, this.#best.begin(limit)];
    const seen: (number | null)[] = [];
    this.#reranker.withQuery(groups, sequence, (reranker) => {
      for (let rank = 0; rank < candidates.size; rank += 1) {
        const [doc, score] = [candidates.doc(rank), candidates.score(rank)];
        if (rank >= MAX_RERANKED) {
          best.add(doc, score);
          continue;
        }
        const text = this.#textOf(doc);
        best.add(doc, this.#rerankedScore(reranker, groups, doc, score, text));
        // Nobody has looked at the properties.
        seen.push(text.hasProperties ? null : reranker.seen);
      }
    });
    best.sort();
    return seen;
  }

  /** Returns where the stream of a document is, up to its properties. */
  #textOf(doc: number): TextRange {
    const { streams } = this.#parts;
    const start = streams.start(doc);
    const units = streams.block(start);
    const from = start & OFFSET;
    const stop = from + streams.size(doc);
    const end = endOfText(units, from, stop);
    return { units, from, end, hasProperties: end + 1 < stop };
  }

  /** Returns the score of a document with its bonuses; if it cannot be among the best any more, only a part of them. */
  #rerankedScore(
    reranker: Reranker,
    groups: readonly ScoredGroup[],
    doc: number,
    score: number,
    { units, from, end }: TextRange,
  ): number {
    const { documents, postings } = this.#parts;
    const titled = score + reranker.titleBonus(units, from, end);
    if (reranker.isOneTerm) return titled + reranker.textBonus(units, from, end);
    const passage = PASSAGE_WEIGHT * score * this.#saturations.passageBound(documents.length(doc));
    const most = titled + passage + 1;
    const { floor } = this.#best;
    if (most < floor) {
      // If there is a wording, each of its words occurs and is the first of its group; the others of a group are not the
      // word.
      const mayHoldAll = () => groups.every(({ ids: [word = 0] }) => postings.has(word, doc));
      if (most + reranker.maxWordingBonus < floor || !mayHoldAll()) return titled;
    }
    return titled + reranker.textBonus(units, from, end);
  }

  /** Returns the weights of the parts of compounds: in proportion to their own, together at most that of the compound. */
  #partWeights(compounds: readonly Compound[]): ReadonlyMap<number, number> {
    const found = new Map<number, number>();
    const weightOf = (id: number) => this.#weights.of(this.#holders(id));
    for (const { whole, parts } of compounds) {
      const all = parts.reduce((sum, id) => sum + weightOf(id), 0);
      const most = Math.min(all, weightOf(whole));
      for (const id of parts) {
        const weight = Math.max(1, Math.round((weightOf(id) * most) / all));
        found.set(id, Math.max(weight, found.get(id) ?? 0));
      }
    }
    return found;
  }

  #scoredGroup(ids: TermGroup, partWeights: ReadonlyMap<number, number>): ScoredGroup {
    const [only] = ids;
    const isOne = ids.length === 1 && only !== undefined;
    const range = isOne
      ? this.#range(only)
      : this.#accumulator.merged(
          ids.map((id) => this.#range(id)),
          this.#parts.documents.limit,
        );
    const holders = this.#whole === null ? range.to - range.from : holdersOfAny(ids, this.#whole);
    const weight = this.#weights.of(holders);
    return {
      ids,
      ...range,
      weight: (isOne ? partWeights.get(only) : undefined) ?? weight,
      idf: idfOf(weight),
    };
  }

  #range(term: number): PostingRange {
    return this.#seen === null ? this.#parts.postings.range(term) : this.#seen.range(term);
  }

  /** Returns the number of documents, of the larger index if there is one, that hold the term. */
  #holders(term: number): number {
    return (this.#seen ?? this.#whole)?.holders(term) ?? this.#parts.postings.count(term);
  }

  /** Returns the test that documents must pass; null if none can. */
  #filter({ phrases }: SearchPlan, options: SearchOptions<T>): ((doc: number) => boolean) | null {
    const { documents } = this.#parts;
    const { accept, evidence } = options;
    const inFacets = hasFacets(options) ? documents.filter(options) : acceptAll;
    // The documents with evidence are reviewed ones, and few.
    if (evidence !== undefined && inFacets !== null) return (doc) => evidence.holds(doc) && inFacets(doc);
    if (inFacets === null || (accept === undefined && phrases.length === 0)) return inFacets;
    const holdsAll = phrases.length === 0 ? acceptAll : phraseTest(phrases, this.#parts);
    return (doc) => {
      const item = inFacets(doc) ? documents.item(doc) : undefined;
      return item !== undefined && (accept === undefined || accept(item)) && holdsAll(doc);
    };
  }

  /** @param seen the groups that the document holds, as bits, if known */
  #matched(doc: number, groups: readonly ScoredGroup[], seen: number | null): Map<string, number> {
    const { postings, dictionary } = this.#parts;
    const isKnown = seen !== null && groups.length <= MAX_SEEN;
    const found = groups.flatMap(({ ids, idf }, place) => {
      if (isKnown && ((seen >>> place) & 1) === 0) return [];
      const held = isKnown && ids.length === 1 ? ids : ids.filter((id) => postings.has(id, doc));
      return held.map((id) => ({ term: dictionary.text(id), idf }));
    });
    found.sort((a, b) => compareText(a.term, b.term));
    return new Map(found.map(({ term, idf }) => [term, idf]));
  }
}

/** The names and the text of a document: a part of the units of a block. */
interface TextRange {
  readonly units: TokenStream;
  readonly from: number;
  readonly end: number;
  /** True if properties follow. */
  readonly hasProperties: boolean;
}

/** Returns at most how many documents hold any of the terms: to count them takes the lists of the larger index. */
function holdersOfAny(terms: TermGroup, whole: WholeIndex): number {
  return Math.min(
    whole.documents,
    terms.reduce((sum, term) => sum + whole.holders(term), 0),
  );
}

/** A hit that looks up its terms on demand: not every caller reads them, and it takes as long as planning the query. */
class LazyHit<T> implements Hit<T> {
  readonly #termsOf: () => ReadonlyMap<string, number>;

  constructor(
    readonly item: T,
    readonly score: number,
    termsOf: () => ReadonlyMap<string, number>,
  ) {
    this.#termsOf = termsOf;
  }

  get terms(): ReadonlyMap<string, number> {
    return this.#termsOf();
  }
}
