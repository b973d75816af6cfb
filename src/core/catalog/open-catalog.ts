import type { Pacing } from '../pace';
import type { Store } from '../ports';
import type { Knowledge } from './knowledge';
import type { Progress } from '../progress';
import { inSlices } from '../steps';
import type { Catalog } from './catalog';
import {
  keepSnapshot,
  type SnapshotKeeper,
  type SnapshotOptions,
  type SnapshotPorts,
  snapshotPath,
} from './keep-snapshot';
import { loadCatalog } from './load';
import { type Snapshot, unpackSnapshot } from './snapshot';

export type CatalogOptions = Omit<SnapshotOptions, 'isSaved'>;

/** A catalog that is being filled. */
export interface OpeningCatalog {
  /** Resolves when it holds the whole vault; rejects when a folder cannot be listed. */
  readonly read: Promise<void>;
  /** Resolves when every file is known, though not every note has been read; never when a folder cannot be listed. */
  readonly listed: Promise<void>;
  /** Resolves when every note has been read, so that a search finds it, though not every link; never when that fails. */
  readonly searchable: Promise<void>;
  /**
   * How many notes have been read, of how many that are known; null when all have, and each is listed under all it is looked
   * up by.
   */
  progress(): Progress | null;
  /** Takes a last snapshot; to be called when nothing changes any more. */
  close(): Promise<void>;
}

/**
 * Fills an empty catalog from the snapshot of an earlier run and from whatever files differ from it, and keeps a snapshot
 * from then on. One that cannot be used is logged, and every note is read.
 */
export function openCatalog(
  brain: SnapshotPorts & Pick<Store & Knowledge & Pacing, 'vault'>,
  options: CatalogOptions,
): OpeningCatalog {
  const { catalog } = brain;
  let total = 0;
  const listed = milestone();
  const searchable = milestone();
  const onListed = (notes: number): void => {
    total = notes;
    listed.reach();
  };
  let isFilled = false;
  let keeper: SnapshotKeeper | null = null;
  const fill = async (): Promise<void> => {
    const snapshot = await restored(brain, options.place);
    const isSaved = await loadCatalog(brain, { snapshot, onListed, onRead: searchable.reach });
    isFilled = true;
    keeper = keepSnapshot(brain, { ...options, isSaved });
  };
  return {
    read: fill(),
    listed: listed.reached,
    searchable: searchable.reached,
    progress: () => {
      if (isFilled) return null;
      // What changes after the reading is no part of it.
      const waiting = searchable.isReached() ? 0 : catalog.dirtyCount;
      return { done: Math.max(0, total - waiting), total };
    },
    close: async () => keeper?.close(),
  };
}

/** Something that happens once. */
function milestone(): { readonly reached: Promise<void>; isReached(): boolean; readonly reach: () => void } {
  let isReached = false;
  let resolve: () => void = () => undefined;
  const reached = new Promise<void>((done) => (resolve = done));
  return {
    reached,
    isReached: () => isReached,
    reach: () => {
      isReached = true;
      resolve();
    },
  };
}

/** The snapshot, when there is one that can be used; the catalog holds it then. */
async function restored(
  { catalog, state, pace, log, device }: SnapshotPorts,
  place: string,
): Promise<Snapshot | null> {
  try {
    const bytes = await state.readBytes(snapshotPath(device));
    if (bytes === null) return null;
    const snapshot = await unpackSnapshot(bytes, place, pace);
    const problem = 'problem' in snapshot ? snapshot.problem : await adopt(catalog, snapshot, pace);
    if (problem === null && !('problem' in snapshot)) return snapshot;
    log.warn('catalog.snapshot_unusable', { message: `The snapshot is made anew: ${problem}.` });
  } catch (error) {
    // Whatever it is: the files are there, and everything can be made from them.
    log.warn('catalog.snapshot_unusable', { message: `The snapshot is made anew: ${String(error)}` });
  }
  return null;
}

/** Fills the catalog; or what is wrong with the snapshot, and then the catalog is as it was. */
async function adopt(catalog: Catalog, snapshot: Snapshot, pace: Pacing['pace']): Promise<string | null> {
  if (!(await inSlices(catalog.restoreIndex(snapshot), pace))) return 'its index is damaged';
  for (const record of snapshot.records) await pace.run(() => catalog.restore(record));
  return null;
}
