import { compareText } from '../base/text';
import { Accumulator, TopK, type Scored } from './accumulator';
import type { FacetFilter } from './documents';
import type { Evidence } from './evidence';
import type { IndexParts } from './index-file';
import { phraseTest } from './phrase-match';
import { OFFSET, type PostingRange } from './postings';
import type { SearchPlan, TermGroup } from './query';
import { MAX_SEEN, PASSAGE_WEIGHT, Reranker, MAX_RERANKED } from './rerank';
import { idfOf, MAX_GROUPS, SaturationTable, SCORE_SCALE, WeightTable } from './scoring';
import type { SeenDocuments } from './seen';
import { stemOf } from './stems';
import { endOfText, type TokenStream } from './streams';

/** A document found. */
export interface Hit<T> {
  readonly item: T;
  readonly score: number;
  /**
   * The words that the document holds of the query, or in their place, by stem, sorted by code units, each with its inverse
   * document frequency. Read them before the index changes.
   */
  readonly terms: ReadonlyMap<string, number>;
}

/** A limit and filters. A facet costs nothing; `accept` is called only for documents good enough to be found. */
export interface SearchOptions<T> extends FacetFilter {
  readonly limit: number;
  /** A further test of documents. */
  readonly accept?: (item: T) => boolean;
  /** False where a word that occurs nowhere stands for no similar ones, and for longer ones only if it may be unfinished. */
  readonly guesses?: false;
  /** Only documents that hold a rare term of this evidence. */
  readonly evidence?: Evidence;
}

/** A group of the query with its postings. */
interface ScoredGroup extends Scored {
  readonly ids: readonly number[];
  readonly idf: number;
}

/**
 * How much a word counts in addition where it stands as in the query: a share of its own weight, and at most of that of all
 * its forms; and a share of what it is rarer than these. A query of one word has nothing else to go by, so that the whole counts.
 */
const EXACT_SHARE = 0.2;
const MAX_EXACT_SHARE = 0.4;
const RARER_SHARE = 0.5;

/** What scores go by where an index holds a part of a larger one. */
export interface WholeIndex {
  /** The number of documents, and the sum of their lengths. */
  readonly documents: number;
  readonly totalLength: number;
  /** Returns the number of documents that hold the term. */
  holders(term: number): number;
}

/** The most cells of merged postings that are kept: 4 MiB; and what each list counts in addition. */
const MAX_MERGED = 1 << 20;
const MERGED_CELLS = 64;

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
  /** The merged postings of groups of the last searches, after so many changes of the index. */
  #merged = { changes: -1, cells: 0, ranges: new Map<string, PostingRange>() };
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
    this.#seen = seenOnly;
    const { size, limit } = this.#parts.documents;
    const { documents, totalLength } = seenOnly ??
      this.#whole ?? { documents: size, totalLength: this.#parts.documents.totalLength };
    this.#weights.setDocuments(documents);
    const groups = this.#scoredGroups(plan);
    if (groups.length === 0) return [];
    const candidates = this.#candidates.begin(Math.max(options.limit, MAX_RERANKED));
    const saturations = this.#saturations.tableFor(totalLength, documents);
    this.#accumulator.addUp(
      [...groups, ...this.#exact(plan, groups)],
      saturations,
      limit,
      candidates,
      passes,
    );
    candidates.sort();
    const seen = this.#rerank(groups, plan, options.limit);
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
  #rerank(groups: readonly ScoredGroup[], plan: SearchPlan, limit: number): (number | null)[] {
    const [candidates, best] = [this.#candidates, this.#best.begin(limit)];
    const seen: (number | null)[] = [];
    this.#reranker.withQuery(groups, plan, (reranker) => {
      for (let rank = 0; rank < candidates.size; rank += 1) {
        const [doc, score] = [candidates.doc(rank), candidates.score(rank)];
        if (rank >= MAX_RERANKED) {
          best.add(doc, score);
          continue;
        }
        const text = this.#textOf(doc);
        best.add(doc, this.#rerankedScore(reranker, plan.sequence, doc, score, text));
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
    sequence: readonly number[],
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
      const mayHoldAll = () => sequence.every((word) => postings.has(word, doc));
      if (most + reranker.maxWordingBonus < floor || !mayHoldAll()) return titled;
    }
    return titled + reranker.textBonus(units, from, end);
  }

  /** Returns the groups of a plan that any document holds, at most `MAX_GROUPS`. */
  #scoredGroups(plan: SearchPlan): ScoredGroup[] {
    const scored = new Map<TermGroup, ScoredGroup>();
    for (const group of plan.groups) {
      const { ids, share, below } = group;
      const range = this.#rangeOfAny(ids);
      if (range.to === range.from) continue;
      const holders = this.#holdersOf(ids);
      const weight = this.#weights.of(holders);
      const most = below === null ? weight : Math.min(weight, this.#weights.of(this.#holdersOf(below)));
      scored.set(group, weighted(ids, range, most * share, idfOf(weight)));
      if (scored.size === MAX_GROUPS) break;
    }
    // The parts of a compound together count at most as much as it does, in proportion to their weights.
    const full = new Map(scored);
    const counted = new Set<TermGroup>();
    for (const { whole, parts } of plan.compounds) {
      const weightOf = (group: TermGroup): number => full.get(group)?.weight ?? 0;
      const all = parts.reduce((sum, part) => sum + weightOf(part), 0);
      const most = Math.min(all, weightOf(whole));
      for (const part of parts) {
        const known = scored.get(part);
        if (known === undefined) continue;
        const weight = (weightOf(part) * most) / all;
        // Of two compounds with the part, the one counts in which it counts more.
        if (!counted.has(part) || weight > known.weight)
          scored.set(part, weighted(known.ids, known, weight, known.idf));
        counted.add(part);
      }
    }
    return [...scored.values()];
  }

  #holdersOf(ids: readonly number[]): number {
    if (this.#whole !== null) return holdersOfAny(ids, this.#whole);
    const { from, to } = this.#rangeOfAny(ids);
    return to - from;
  }

  /** Returns what words count in addition where they stand as in the query, beside their other forms. */
  #exact(plan: SearchPlan, groups: readonly ScoredGroup[]): ScoredGroup[] {
    const weights = new Map(groups.map(({ ids, weight }) => [ids, weight]));
    const rarerShare = plan.groups.length === 1 ? 1 : RARER_SHARE;
    return plan.groups.flatMap(({ ids, exact }) => {
      const all = weights.get(ids) ?? 0;
      if (ids.length === 1 || all === 0) return [];
      return exact.map((id) => {
        const rare = this.#weights.of(this.#holders(id));
        const own =
          Math.min(EXACT_SHARE * rare, MAX_EXACT_SHARE * all) + rarerShare * Math.max(0, rare - all);
        return weighted([id], this.#range(id), own, 0);
      });
    });
  }

  /** Returns the postings of several terms as those of one, from the last searches if nothing has changed since. */
  #rangeOfAny(ids: readonly number[]): PostingRange {
    const [only = 0] = ids;
    if (ids.length === 1) return this.#range(only);
    const { limit, changes } = this.#parts.documents;
    const isWhole = this.#seen === null;
    if (isWhole && this.#merged.changes !== changes) this.#merged = { changes, cells: 0, ranges: new Map() };
    const key = isWhole ? ids.join() : '';
    const known = isWhole ? this.#merged.ranges.get(key) : undefined;
    if (known !== undefined) return known;
    const range = this.#accumulator.merged(
      ids.map((id) => this.#range(id)),
      limit,
    );
    if (!isWhole) return range;
    const cells = this.#merged.cells + range.to + MERGED_CELLS;
    if (cells > MAX_MERGED) this.#merged = { changes, cells: 0, ranges: new Map() };
    this.#merged.cells = cells > MAX_MERGED ? range.to + MERGED_CELLS : cells;
    this.#merged.ranges.set(key, range);
    return range;
  }

  #range(term: number): PostingRange {
    return this.#seen === null ? this.#parts.postings.range(term) : this.#seen.range(term);
  }

  /** Returns the number of documents, of the larger index if there is one, that hold the term. */
  #holders(term: number): number {
    return (this.#seen ?? this.#whole)?.holders(term) ?? this.#parts.postings.count(term);
  }

  /** Returns the test that documents must pass. */
  #filter({ phrases }: SearchPlan, options: SearchOptions<T>): (doc: number) => boolean {
    const { documents } = this.#parts;
    const { accept, evidence } = options;
    const inFacets = hasFacets(options) ? documents.filter(options) : acceptAll;
    // The documents with evidence are reviewed ones, and few.
    if (evidence !== undefined) return (doc) => evidence.holds(doc) && inFacets(doc);
    if (accept === undefined && phrases.length === 0) return inFacets;
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
      return [...new Set(held.map((id) => stemOf(dictionary.text(id))))].map((term) => ({ term, idf }));
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

function weighted(
  ids: readonly number[],
  { cells, from, to }: PostingRange,
  weight: number,
  idf: number,
): ScoredGroup {
  return { ids, cells, from, to, weight: Math.max(1, Math.round(weight)), idf };
}

/** Returns at most how many documents hold any of the terms: to count them takes the lists of the larger index. */
function holdersOfAny(terms: readonly number[], whole: WholeIndex): number {
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
