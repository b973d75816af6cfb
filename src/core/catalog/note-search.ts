import type { Hall, Wing } from '../vocabulary/address';
import type { VaultPath } from '../vocabulary/paths';
import type { Steps } from '../base/steps';
import type { Analyser } from '../fulltext/terms';
import { type Prepared, SearchIndex } from '../fulltext/search-index';
import type { Field } from '../fulltext/reader';
import type { Facets } from '../fulltext/documents';
import { type Guess, type Meaning, meaningsOf, planSearch, planTerms, similarTerms } from '../fulltext/query';
import { wingOf } from './link-keys';
import type { NoteRecord, NoteStatus } from './record';
import { wingKey } from './wings';

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
  /** A further test that every note found has to pass. */
  readonly accept?: (note: SearchableNote) => boolean;
  readonly limit: number;
}

export interface TitledPath {
  readonly path: VaultPath;
  readonly title: string;
}

/** The search index over notes, and what may be found of it. */
export class NoteSearch {
  #index = new SearchIndex<SearchableNote>(facetsOf);

  get analyser(): Analyser {
    return this.#index.analyser;
  }

  /**
   * In how many searchable notes the term occurs, and its inverse document frequency: for one that occurs in none, that of
   * one that occurs once, because in a small vault the formula would make it outweigh all others.
   */
  weigh(term: string): { readonly documents: number; readonly idf: number } {
    const documents = this.#index.frequency(term);
    return { documents, idf: this.#index.idf(Math.max(documents, 1)) };
  }

  /** What a search for the query looks for in the place of words that occur nowhere. */
  guesses(query: string): readonly Guess[] {
    return planSearch(query, this.analyser, this.#index).guesses;
  }

  /** The terms of a query, and those by which each of them is found as well. */
  meanings(query: string): readonly Meaning[] {
    return meaningsOf(query, this.analyser, this.#index);
  }

  /** As `SearchIndex.phraseTest`. */
  phraseTest(query: string): ((path: VaultPath) => boolean) | null {
    return this.#index.phraseTest(query);
  }

  /** As `SearchIndex.phraseHolders`. */
  phraseHolders(query: string): Steps<ReadonlySet<string> | null> {
    return this.#index.phraseHolders(query);
  }

  /** Reads a note's fields for `put`, in steps; null for a rejected note, which is never searched. */
  *prepareSteps({ status }: Pick<NoteRecord, 'status'>, fields: readonly Field[]): Steps<Prepared | null> {
    return status === 'rejected' ? null : yield* this.#index.prepareSteps(fields);
  }

  /** Adds or replaces a note, unless it is a rejected one. */
  put(note: NoteRecord, document: Prepared): void {
    if (isSearchable(note)) this.#index.put(note, document);
  }

  drop(path: VaultPath): void {
    this.#index.drop(path);
  }

  /** Gives back what only makes the reading of many notes fast. */
  rest(): void {
    this.#index.rest();
  }

  /** The index in pieces, for `restore`; they belong together only when no note was put or dropped meanwhile. */
  pack(): Generator<Uint8Array> {
    return this.#index.pack();
  }

  /**
   * Takes over the index of these notes from what `pack` gave, put together; the bytes belong to it from then on. False, with
   * nothing changed, when it is damaged, of another version, or lacks one of the notes. Others in it are left out.
   */
  *restore(notes: readonly NoteRecord[], bytes: Uint8Array): Steps<boolean> {
    const searchable = new Map(notes.filter(isSearchable).map((note) => [note.path, note]));
    const byPath: ReadonlyMap<string, SearchableNote> = searchable;
    const index = yield* SearchIndex.unpackSteps<SearchableNote>(bytes, (path) => byPath.get(path), facetsOf);
    if (index === null || index.size !== searchable.size) return false;
    this.#index = index;
    return true;
  }

  /** The best notes for a query among those that pass the filter, best first, ties by path. */
  search(query: string, { wing, hall, includeRaw = false, accept, limit }: SearchFilter): SearchHit[] {
    const hits = this.#index.search(query, {
      limit,
      reviewed: !includeRaw,
      ...(wing !== undefined && { wing: wingKey(wing) ?? wing }),
      ...(hall !== undefined && { hall }),
      ...(accept !== undefined && { accept }),
    });
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
    const accept = (note: SearchableNote) => note.path !== exclude;
    return this.#index
      .run(planTerms(terms, this.#index), { limit, reviewed: true, accept })
      .map(({ item: { path, title: found } }) => ({ path, title: found }));
  }
}

/** False for a rejected note. */
function facetsOf(note: SearchableNote): Facets {
  return { wing: wingOf(note), hall: note.hall, raw: note.status === 'raw' };
}

function isSearchable(note: NoteRecord): note is SearchableNote {
  return note.status !== 'rejected';
}
