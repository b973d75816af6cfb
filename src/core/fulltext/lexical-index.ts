import { inSlices, type Pace } from '../base/steps';
import type { Field } from './reader';
import type { SearchIndex } from './search-index';
import type { Hit, SearchOptions } from './searcher';

/** The limit and the filters of a search by words. All of them apply before the limit. */
interface LexicalOptions<T> extends Omit<SearchOptions<T>, 'evidence' | 'guesses'> {
  /** Only documents below this folder. */
  readonly under?: string;
}

/**
 * Finds documents by their words. It may be in memory or in a database, so it may take a while, and may reject. Words are
 * analysed alike everywhere (`terms.ts`).
 */
export interface LexicalSearch<T> {
  /** Resolves with the best documents for a query as typed, best first. */
  best(query: string, options: LexicalOptions<T>): Promise<readonly Hit<T>[]>;
  /** Resolves with the paths, of those `among` or of all, of the documents with every quoted phrase; null if it has none. */
  holders(query: string, among?: readonly string[]): Promise<ReadonlySet<string> | null>;
}

/** A document to index: its item has the path and the facets. */
export interface LexicalRow<T> {
  readonly item: T;
  readonly fields: readonly Field[];
}

/** An index of words outside of this process. A search finds what was put before it began. */
export interface LexicalIndex<T> extends LexicalSearch<T> {
  /** Adds documents, or replaces those with the same paths: all of them or, when it rejects, none. */
  put(rows: readonly LexicalRow<T>[]): Promise<void>;
  /** Removes the documents with these paths, as far as there are any. */
  drop(paths: readonly string[]): Promise<void>;
}

/** Searches an index in memory: at once for the best documents, in slices where every document is looked at. */
export function inMemory<T extends { readonly path: string }>(
  index: Pick<SearchIndex<T>, 'search' | 'phraseTest' | 'phraseHolders'>,
  pace: Pace,
): LexicalSearch<T> {
  return {
    async best(query, { under, accept, ...options }) {
      const isBelow = (item: T) => item.path.startsWith(`${under}/`) && (accept?.(item) ?? true);
      const test = under === undefined ? accept : isBelow;
      const hits = index.search(query, { ...options, ...(test && { accept: test }) });
      // Terms are looked up on demand, and the index may change before the caller goes on.
      return hits.map(({ item, score, terms }) => ({ item, score, terms }));
    },
    async holders(query, among) {
      if (among === undefined) return inSlices(index.phraseHolders(query), pace);
      const holdsAll = index.phraseTest(query);
      return holdsAll && new Set(among.filter((path) => holdsAll(path)));
    },
  };
}
