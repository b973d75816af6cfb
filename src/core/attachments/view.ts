import type { Sha } from '../base/hash';
import { apart, inSlices } from '../base/steps';
import { excerptSteps, type Wanted } from '../fulltext/best-window';
import type { IndexView, SearchIndex } from '../fulltext/search-index';
import { FACTS } from '../markdown/facts';
import type { VaultPath } from '../vocabulary/paths';
import { type Attachments, type AttachmentsState, fileOfPart, type IndexedPart } from './attachments';
import { type AttachmentText, partsOf } from './parts';

/** An attachment that was found: the best of its parts. */
export interface AttachmentHit {
  readonly path: VaultPath;
  /** The page where the words stand; absent where there are no pages. */
  readonly page?: number;
  /** The number of the part. */
  readonly at: number;
  /** A BM25 score among the parts of attachments. */
  readonly score: number;
  /** The terms of the query that it holds, each with its inverse document frequency among the parts. */
  readonly terms: ReadonlyMap<string, number>;
}

interface SearchWishes {
  readonly limit: number;
  /** A test of the paths of files. */
  readonly accept: (path: VaultPath) => boolean;
}

/** The parts that one look into the index returns. */
const PARTS_AT_ONCE = 200;
/** The looks for one query. */
const MAX_LOOKS = 3;

/** What is asked of the attachments of a vault: of all, or of those that one reader may see. */
export class AttachmentView {
  #seen: { readonly index: SearchIndex<IndexedPart>; readonly view: IndexView<IndexedPart> } | null = null;

  /** @param sees returns true for the paths of files that the reader may see; null when that is all */
  constructor(
    private readonly all: Attachments,
    private readonly sees: ((path: string) => boolean) | null = null,
  ) {}

  /** Returns what a reader is told who may see the files whose paths pass. */
  seenBy(sees: (path: string) => boolean): AttachmentView {
    return new AttachmentView(this.all, sees);
  }

  get state(): AttachmentsState {
    const { sees } = this;
    return this.all.stateOf((path) => sees === null || sees(path));
  }

  /**
   * Resolves with the best attachments for a query, best first, each once. A word that stands in none of them is not guessed, as it may
   * stand in a note; the last one, unless something follows it, still stands for those that begin with it.
   */
  async best(query: string, { limit, accept }: SearchWishes): Promise<AttachmentHit[]> {
    const found = new Map<VaultPath, AttachmentHit>();
    const look = (): boolean => {
      const hits = this.#index.search(query, {
        guesses: false,
        limit: PARTS_AT_ONCE,
        accept: ({ file }) => !found.has(file) && accept(file),
      });
      for (const { item, score, terms } of hits) {
        const { file, page, at } = item;
        if (found.has(file)) continue;
        found.set(file, { path: file, ...(page !== undefined && { page }), at, score, terms });
      }
      return hits.length === PARTS_AT_ONCE && found.size < limit;
    };
    if (this.#index.size === 0) return [];
    // A long file may fill a whole list with its parts, so the others are asked for again, in another slice.
    for (let looks = 1; (await this.all.ports.pace.run(look)) && looks < MAX_LOOKS;) looks += 1;
    return [...found.values()].slice(0, limit);
  }

  /** Resolves with the excerpt of a hit, made as that of a note is; empty when the file has changed since. */
  async excerpt({ path, at }: Pick<AttachmentHit, 'path' | 'at'>, wanted: Wanted): Promise<string> {
    const text = await this.read(path);
    const part = text === null ? undefined : partsOf(text)[at];
    if (text === null || part === undefined) return '';
    const { pace } = this.all.ports;
    const { searchText } = await inSlices(apart(FACTS, text.markdown.slice(part.from, part.to)), pace);
    const window = await inSlices(excerptSteps(searchText, wanted, this.#index.analyser), pace);
    return window ?? '';
  }

  /** Resolves with the words of an attachment; null when they have not been read, or may not be seen. */
  async read(path: VaultPath): Promise<(AttachmentText & { readonly hash: Sha }) | null> {
    const { hash, fault } = (this.sees?.(path) === false ? undefined : this.all.file(path)) ?? {};
    if (hash === undefined || fault !== undefined) return null;
    const text = await this.all.kept.text(hash);
    return text && { ...text, hash };
  }

  get #index(): IndexView<IndexedPart> {
    const { sees } = this;
    const { index } = this.all;
    if (sees === null) return index;
    if (this.#seen?.index !== index)
      this.#seen = { index, view: index.seenBy((path) => sees(fileOfPart(path))) };
    return this.#seen.view;
  }
}
