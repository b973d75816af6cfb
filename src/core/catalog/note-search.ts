import type { Wing } from '../rules/address';
import type { Hall } from '../rules/hall';
import type { VaultPath } from '../rules/paths';
import type { Analyser } from '../search/analyse';
import { Bm25Index, type Prepared } from '../search/bm25';
import type { Field } from '../search/document-reader';
import { planTerms } from '../search/query-terms';
import { similarTerms } from '../search/similar-terms';
import type { NoteRecord, NoteStatus } from './note-record';

/** A note that a search may find: any but a rejected one. */
export type SearchableNote = NoteRecord & { readonly status: Exclude<NoteStatus, 'rejected'> };

/**
 * A note found. `rank` counts from 1; `terms` are those that the note holds, each with its inverse document
 * frequency.
 */
export interface SearchHit {
  readonly record: SearchableNote;
  readonly score: number;
  readonly rank: number;
  readonly terms: ReadonlyMap<string, number>;
}

/** What a search is limited to. Raw notes are found only when asked for. */
export interface SearchFilter {
  /**
   * In any spelling: "home-lab" finds what stands in `wiki/Home Lab/`, and notes elsewhere that say they
   * belong to it.
   */
  readonly wing?: Wing;
  readonly hall?: Hall;
  readonly includeRaw?: boolean;
  readonly limit: number;
}

export interface TitledPath {
  readonly path: VaultPath;
  readonly title: string;
}

/** The search index over notes, and what may be found of it. */
export class NoteSearch {
  readonly #index = new Bm25Index<SearchableNote>();

  get analyser(): Analyser {
    return this.#index.analyser;
  }

  /** Reads a note's fields for `put`; null for a rejected note, which is never searched. */
  prepare({ status }: Pick<NoteRecord, 'status'>, fields: readonly Field[]): Prepared | null {
    return status === 'rejected' ? null : this.#index.prepare(fields);
  }

  /** Adds or replaces a note, unless it is a rejected one. */
  put(note: NoteRecord, document: Prepared): void {
    if (isSearchable(note)) this.#index.put(note, document);
  }

  drop(path: VaultPath): void {
    this.#index.drop(path);
  }

  /** The best notes for a query among those that pass the filter and `accept`, best first, ties by path. */
  search(
    query: string,
    { hall, includeRaw = false, limit }: Omit<SearchFilter, 'wing'>,
    accept: (note: NoteRecord) => boolean,
  ): SearchHit[] {
    const passes = (note: SearchableNote) =>
      (includeRaw || note.status !== 'raw') && (hall === undefined || note.hall === hall) && accept(note);
    const hits = this.#index.search(query, { limit, accept: passes });
    return hits.map(({ item, score, terms }, index) => ({ record: item, score, rank: index + 1, terms }));
  }

  /** The reviewed notes most like a text, by its title and its rarest terms; never the note at `exclude`. */
  similar(
    title: string,
    text: string,
    { exclude, limit }: { exclude?: VaultPath; limit: number },
  ): TitledPath[] {
    // The note itself, if it is indexed, is none of the others that hold a term.
    const others = (term: string) =>
      this.#index.frequency(term) - (exclude !== undefined && this.#index.holds(exclude, term) ? 1 : 0);
    const terms = similarTerms(title, text, this.analyser, { frequency: others });
    const accept = (note: SearchableNote) => note.status !== 'raw' && note.path !== exclude;
    return this.#index
      .run(planTerms(terms), { limit, accept })
      .map(({ item: { path, title: found } }) => ({ path, title: found }));
  }
}

function isSearchable(note: NoteRecord): note is SearchableNote {
  return note.status !== 'rejected';
}
