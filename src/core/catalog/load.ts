import { BrainError } from '../errors';
import type { Log, VaultStore } from '../ports';
import type { VaultPath } from '../rules/paths';
import type { Catalog } from './catalog';
import { noteStatus } from './note-record';

/** The folders that the catalog knows. */
const FOLDERS = ['wiki', 'knowledge', 'raw', 'inbox'];
/** Files read at the same time: enough to keep a disk busy, far below the limit of open files. */
const READERS = 16;
/**
 * A file that changes while it is read is read again, so often at most; then the next reader takes its turn.
 */
const MAX_ROUNDS = 3;

/**
 * Fills the catalog from the vault, each folder listed once. A file that cannot be read is logged and known
 * by its path alone. Rejects only when a folder cannot be listed.
 */
export async function loadCatalog(catalog: Catalog, vault: VaultStore, log: Log): Promise<void> {
  for (const folder of FOLDERS) {
    for await (const { path } of vault.list(folder)) {
      if (noteStatus(path) === null) catalog.known(path);
      else catalog.markDirty({ kind: 'changed', path });
    }
  }
  await refreshCatalog(catalog, vault);
  for (const [path, message] of catalog.unreadable) log.warn('catalog.unreadable', { path, message });
}

/**
 * Brings the catalog up to date with the files that were marked as changed, and with no others: a reader
 * calls it first, so that it sees what others did. Files that cannot be read are noted in
 * `catalog.unreadable`; never rejects for one.
 */
export async function refreshCatalog(catalog: Catalog, vault: VaultStore): Promise<void> {
  for (let round = 0; round < MAX_ROUNDS && catalog.dirtyCount > 0; round += 1) {
    const waiting = catalog.dirty().values();
    // All readers take from one iterator, so that none waits for the slowest.
    const reader = async () => {
      for (const [path, stamp] of waiting) await refreshFile(catalog, vault, path, stamp);
    };
    await Promise.all(Array.from({ length: READERS }, reader));
  }
}

/**
 * Time and size are not asked whether the file changed: an edit within one tick of the file system's clock
 * leaves both as they were. A file that changed again while it was read stays marked.
 */
async function refreshFile(
  catalog: Catalog,
  vault: VaultStore,
  path: VaultPath,
  stamp: number,
): Promise<void> {
  try {
    const stat = await vault.stat(path);
    const text = stat === null || noteStatus(path) === null ? null : await vault.read(path);
    if (!catalog.settle(path, stamp)) return;
    if (stat === null) catalog.drop(path);
    else if (text === null) catalog.known(path);
    else catalog.put(path, text, stat);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (!(error instanceof BrainError && error.code === 'unsupported_type')) {
      // A lock or a lost connection may pass: what was known stays, and the file is tried again.
      catalog.failed(path, message);
    } else if (catalog.settle(path, stamp)) {
      catalog.unread(path, message);
    }
  }
}
