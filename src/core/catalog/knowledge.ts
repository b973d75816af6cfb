import type { Store } from '../ports/ports';
import type { VaultPath } from '../vocabulary/paths';
import type { Progress } from '../base/steps';
import type { LexicalSearch } from '../fulltext/lexical-index';
import type { AlikeNotes } from './alike';
import type { Catalog } from './catalog';
import type { SearchableNote } from './note-search';
import type { OutsideChanges } from './outside-changes';
import type { ProseCache } from './prose';

/** The knowledge of a vault that needs no disk access. */
export interface Knowledge {
  /** Everything known about the notes without reading the disk. It is derived from the files, which win. */
  readonly catalog: Catalog;
  /** Finds notes by their words. */
  readonly index: LexicalSearch<SearchableNote>;
  /** The prose of notes that were shown lately; `proseOf` returns that of every note. */
  readonly prose: ProseCache;
  /** The near-equal notes of the queue, as far as they have been looked for. */
  readonly alike: AlikeNotes;
  /** Events for changes by others, sent as soon as the catalog has read them. */
  readonly outside: OutsideChanges;
  /** Returns true once the catalog is built. */
  isReady(): boolean;
  /** Returns why notes or maps are not whole yet, in a sentence for a person; null once they have been since the start. */
  unready(): string | null;
  /** Returns how many notes of how many have been read; null once the catalog answers for all of them. */
  reading(): Progress | null;
  /**
   * Resolves when a search finds every note, or, if that takes long, soon after every file is known; rejects with `starting`
   * like `ready`.
   */
  searchable(): Promise<void>;
  /** Resolves when the catalog is built; rejects with `starting` if that takes longer than ten seconds. */
  ready(): Promise<void>;
}

/** Returns the first of the numbered paths, from `first`, that is free in the catalog and on disk and is not reserved. */
export async function firstFreePath(
  brain: Pick<Store & Knowledge, 'catalog' | 'vault'>,
  pathOf: (n: number) => VaultPath,
  first = 1,
): Promise<VaultPath> {
  for (let n = first; ; n += 1) {
    const path = pathOf(n);
    if (brain.catalog.reserved.isForOther(path)) continue;
    if (brain.catalog.taken(path) === null && (await brain.vault.stat(path)) === null) return path;
  }
}
