import type { Hall, Wing } from '../vocabulary/address';
import type { VaultPath } from '../vocabulary/paths';
import type { Steps } from '../base/steps';
import type { Analyser } from '../fulltext/terms';
import {
  type Hit,
  type IndexView,
  type Prepared,
  SearchIndex,
  type SearchOptions,
} from '../fulltext/search-index';
import type { Field } from '../fulltext/reader';
import type { FacetFilter, Facets } from '../fulltext/documents';
import { type Guess, type Meaning, meaningsOf, planTerms, similarTerms } from '../fulltext/query';
import { wingOf } from './link-keys';
import type { NoteRecord, NoteStatus } from './record';
import { wingKey } from './wings';

/** A note that a search may find: any but a rejected one. */
export type SearchableNote = NoteRecord & { readonly status: Exclude<NoteStatus, 'rejected'> };

/** A filter of notes by their place. It lets raw notes pass only on request. */
export interface PlaceFilter {
  /** Any spelling: "home-lab" finds notes in `wiki/Home Lab/`, and notes elsewhere that name this wing. */
  readonly wing?: Wing | undefined;
  readonly hall?: Hall | undefined;
  readonly includeRaw?: boolean | undefined;
}

/** Returns the filter as a search for notes takes it. */
export function facetFilter({ wing, hall, includeRaw = false }: PlaceFilter): FacetFilter {
  return {
    reviewed: !includeRaw,
    ...(wing !== undefined && { wing: wingKey(wing) ?? wing }),
    ...(hall !== undefined && { hall }),
  };
}

interface TitledPath {
  readonly path: VaultPath;
  readonly title: string;
}

/** The length of text whose terms decide which notes are similar to it (UTF-16 units). */
export const SIMILAR_TEXT = 20_000;

/** A note similar to a text, and the stems of the rare words that both have in some form or part, rarest first. */
export interface SimilarNote extends TitledPath {
  readonly terms: readonly string[];
}

export interface SimilarOptions {
  readonly exclude?: VaultPath;
  readonly limit: number;
  /** True for the notes of the queue, false for the reviewed ones. */
  readonly isQueued?: boolean;
}

type NoteIndex = SearchIndex<SearchableNote>;

/** What is asked of the search index over notes: of all notes, or of those that one reader may see. */
export class NoteWords {
  /** The view of the index at hand; null until it is asked for. */
  #seen: { readonly index: NoteIndex; readonly view: IndexView<SearchableNote> } | null = null;

  /**
   * @param index returns the index, which may be replaced
   * @param sees returns true for the paths that the reader may see; null when that is all
   */
  constructor(
    private readonly index: () => NoteIndex,
    private readonly sees: ((path: string) => boolean) | null = null,
  ) {}

  get #view(): IndexView<SearchableNote> {
    const index = this.index();
    if (this.sees === null) return index;
    if (this.#seen?.index !== index) this.#seen = { index, view: index.seenBy(this.sees) };
    return this.#seen.view;
  }

  get analyser(): Analyser {
    return this.#view.analyser;
  }

  /** Returns the number of notes that a search looks through. */
  count({ includeRaw = false }: Pick<PlaceFilter, 'includeRaw'>): number {
    return includeRaw ? this.#view.size : this.#view.reviewed;
  }

  /**
   * Returns the number of searchable notes with the term, and its inverse document frequency. A term that occurs in none gets
   * that of one that occurs once, because in a small vault the formula would make it outweigh all others.
   */
  weigh(term: string): { readonly documents: number; readonly idf: number } {
    const documents = this.#view.frequency(term);
    return { documents, idf: this.#view.idf(Math.max(documents, 1)) };
  }

  /** Returns what a search for the query uses in place of words that occur nowhere. */
  guesses(query: string): readonly Guess[] {
    return this.#view.plan(query).guesses;
  }

  /** Returns the terms of a query, each with the other terms that match it. */
  meanings(query: string): readonly Meaning[] {
    return meaningsOf(this.#view.plan(query), this.#view);
  }

  /** Does what `IndexView.phraseTest` does. */
  phraseTest(query: string): ((path: string) => boolean) | null {
    return this.#view.phraseTest(query);
  }

  /** Does what `IndexView.phraseHolders` does. */
  phraseHolders(query: string, inAnyForm = false): Steps<ReadonlySet<string> | null> {
    return this.#view.phraseHolders(query, inAnyForm);
  }

  /** Does what `IndexView.search` does; `facetFilter` makes the filter. */
  search(query: string, options: SearchOptions<SearchableNote>): Hit<SearchableNote>[] {
    return this.#view.search(query, options);
  }

  /**
   * Returns the reviewed notes most similar to a text, or with `isQueued` the queued ones, by its title and the rarest terms of
   * its first `SIMILAR_TEXT` units, without the note at `exclude`. Each shares at least one rare word with the text (`mostHoldersOfRare` says which words are
   * rare); a note that shares only frequent words is about something else.
   */
  similar(title: string, text: string, { exclude, limit, isQueued = false }: SimilarOptions): SimilarNote[] {
    const view = this.#view;
    const opening = text.slice(0, SIMILAR_TEXT);
    const terms = similarTerms(title, opening, {
      read: (part) => [...new Set(view.analyser.all(part))],
      // The note itself, if it is indexed, does not count as another holder of a word.
      documents: view.documentsWithout(exclude),
    });
    const evidence = view.evidence(terms, exclude, isQueued);
    if (evidence.isEmpty) return [];
    const options = { limit, reviewed: !isQueued, evidence };
    return view.run(planTerms(terms, view), options).map(({ item }) => ({
      path: item.path,
      title: item.title,
      terms: view.rareTermsIn(item.path, evidence),
    }));
  }
}

/** The search index over notes. */
export class NoteSearch {
  #index: NoteIndex = new SearchIndex<SearchableNote>(facetsOf);
  /** What is asked of it, of all notes. */
  readonly words = new NoteWords(() => this.#index);

  /** Returns what a reader is told who may see the notes whose paths pass. */
  seenBy(sees: (path: string) => boolean): NoteWords {
    return new NoteWords(() => this.#index, sees);
  }

  /** Reads a note's fields for `put`, in steps; returns null for a rejected note, which is never searched. */
  *prepareSteps({ status }: Pick<NoteRecord, 'status'>, fields: readonly Field[]): Steps<Prepared | null> {
    return status === 'rejected' ? null : yield* this.#index.prepareSteps(fields);
  }

  /** Adds or replaces a note, unless it is rejected. */
  put(note: NoteRecord, document: Prepared): void {
    if (isSearchable(note)) this.#index.put(note, document);
  }

  drop(path: VaultPath): void {
    this.#index.drop(path);
  }

  /** Releases the memory that only makes reading many notes fast. */
  releaseBuffers(): void {
    this.#index.releaseBuffers();
  }

  /** Yields the index in pieces, for `restore`; they are valid only if no note was put or dropped meanwhile. */
  pack(): Generator<Uint8Array> {
    return this.#index.pack();
  }

  /**
   * Restores the index of these notes from the joined pieces of `pack`, whose bytes belong to it from then on. Returns false
   * and changes nothing if the index is damaged, of another version, or lacks one of the notes. It leaves out other notes.
   */
  *restore(notes: readonly NoteRecord[], bytes: Uint8Array): Steps<boolean> {
    const searchable = new Map(notes.filter(isSearchable).map((note) => [note.path, note]));
    const byPath: ReadonlyMap<string, SearchableNote> = searchable;
    const index = yield* SearchIndex.unpackSteps<SearchableNote>(bytes, (path) => byPath.get(path), facetsOf);
    if (index === null || index.size !== searchable.size) return false;
    this.#index = index;
    return true;
  }
}

function facetsOf(note: SearchableNote): Facets {
  return { wing: wingOf(note), hall: note.hall, raw: note.status === 'raw' };
}

/** Returns false for a rejected note. */
export function isSearchable(note: NoteRecord): note is SearchableNote {
  return note.status !== 'rejected';
}
