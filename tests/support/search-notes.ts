import type { Catalog } from '../../src/core/catalog/catalog';
import { facetFilter, type PlaceFilter, type SearchableNote } from '../../src/core/catalog/note-search';

interface Found {
  readonly record: SearchableNote;
  readonly score: number;
  readonly rank: number;
  readonly terms: ReadonlyMap<string, number>;
}

/** Searches the index of a catalog as the operations do. */
export function searchNotes(
  catalog: Pick<Catalog, 'words'>,
  query: string,
  { limit, ...place }: PlaceFilter & { readonly limit: number },
): Found[] {
  return catalog.words
    .search(query, { ...facetFilter(place), limit })
    .map(({ item, score, terms }, at) => ({ record: item, score, rank: at + 1, terms }));
}
