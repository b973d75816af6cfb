import type { Store } from '../ports/ports';
import type { VaultPath } from '../vocabulary/paths';
import type { Progress } from '../base/steps';
import type { Catalog } from './catalog';
import type { OutsideChanges } from './outside-changes';
import type { ProseCache } from './prose';

/** What is known of a vault without reading it. */
export interface Knowledge {
  /** Everything known about the notes without reading the disk. Derived; files win. */
  readonly catalog: Catalog;
  /** The prose of notes that were shown lately; `proseOf` knows that of every note. */
  readonly prose: ProseCache;
  /** Tells what others changed in the vault, as soon as the catalog has read it. */
  readonly outside: OutsideChanges;
  /** True once the catalog is built. */
  isReady(): boolean;
  /** How many notes have been read, of how many, while the catalog does not answer for all of them yet; else null. */
  reading(): Progress | null;
  /**
   * Resolves when a search finds every note, or, when that takes long, soon after every file is known; rejects with
   * `starting` like `ready`.
   */
  searchable(): Promise<void>;
  /** Resolves when the catalog is built; rejects with `starting` when that takes longer than ten seconds. */
  ready(): Promise<void>;
}

/** The first of the numbered paths at which nothing stands, in memory and on the disk. */
export async function freePath(
  brain: Pick<Store & Knowledge, 'catalog' | 'vault'>,
  pathOf: (n: number) => VaultPath,
): Promise<VaultPath> {
  for (let n = 1; ; n += 1) {
    const path = pathOf(n);
    if (brain.catalog.taken(path) === null && (await brain.vault.stat(path)) === null) return path;
  }
}
