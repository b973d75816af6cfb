import type { Brain } from '../brain';
import { BrainError } from '../errors';
import type { VaultPath } from '../rules/paths';
import { noteStatus } from './note-record';
import type { OutsideChanges } from './outside-changes';

/** What reading notes needs: where they go, where they are, and how long it may take at a time. */
type Reading = Pick<Brain, 'catalog' | 'vault' | 'pace'>;

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
 * by its path alone. Never holds the thread for longer than one slice of the pace and one note. Rejects only when a folder
 * cannot be listed.
 */
export async function loadCatalog(brain: Reading & Pick<Brain, 'log'>): Promise<void> {
  const { catalog, vault, pace, log } = brain;
  for (const folder of FOLDERS) {
    for await (const { path } of vault.list(folder)) {
      await pace.run(() => {
        catalog.known(path);
        if (noteStatus(path) !== null) catalog.markDirty({ kind: 'changed', path });
      });
    }
  }
  await readDirty(brain, null);
  for (const [path, message] of catalog.unreadable) log.warn('catalog.unreadable', { path, message });
}

/**
 * Brings the catalog up to date with the files that were marked as changed, and with no others: a reader
 * calls it first, so that it sees what others did, and tells `outside` of it. Files that cannot be read are noted in
 * `catalog.unreadable`; never rejects for one.
 */
export async function refreshCatalog(brain: Reading & Pick<Brain, 'outside'>): Promise<void> {
  if (brain.catalog.dirtyCount > 0) await readDirty(brain, brain.outside);
}

async function readDirty(brain: Reading, outside: OutsideChanges | null): Promise<void> {
  const inTurn = oneByOne();
  for (let round = 0; round < MAX_ROUNDS && brain.catalog.dirtyCount > 0; round += 1) {
    const waiting = brain.catalog.dirty().values();
    // All readers take from one iterator, so that none waits for the slowest.
    const reader = async () => {
      for (const [path, stamp] of waiting) await readFile(brain, path, stamp, { inTurn, outside });
    };
    await Promise.all(Array.from({ length: READERS }, reader));
  }
}

type InTurn = (work: () => Promise<void>) => Promise<void>;

/** Files are read ahead, but taken apart one after the other: the catalog prepares one note at a time. */
function oneByOne(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => undefined); // Told to the reader of that file; the next one goes on.
    return done;
  };
}

/**
 * Time and size are not asked whether the file changed: an edit within one tick of the file system's clock
 * leaves both as they were. A file that changed again while it was read stays marked.
 */
async function readFile(
  { catalog, vault, pace }: Reading,
  path: VaultPath,
  stamp: number,
  { inTurn, outside }: { readonly inTurn: InTurn; readonly outside: OutsideChanges | null },
): Promise<void> {
  const settle = (take: () => void) =>
    pace.run(() => {
      const before = catalog.record(path);
      const appeared = catalog.taken(path) !== path;
      if (!catalog.settle(path, stamp)) return;
      take();
      const after = catalog.record(path);
      if (outside === null || before?.content_hash === after?.content_hash) return;
      outside.tell({ path, appeared, ...(before && { before }), ...(after && { after }) });
    });
  try {
    const stat = await vault.stat(path);
    const text = stat === null || noteStatus(path) === null ? null : await vault.read(path);
    await inTurn(async () => {
      for (const piece of text === null ? [] : catalog.expect(path, text)) await pace.run(piece);
      await settle(() => {
        if (stat === null) catalog.drop(path);
        else if (text === null) catalog.known(path);
        else catalog.put(path, text, stat);
      });
    });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // A lock or a lost connection may pass: what was known stays, and the file is tried again.
    if (!(error instanceof BrainError && error.code === 'unsupported_type')) catalog.failed(path, message);
    else await settle(() => catalog.unread(path, message));
  }
}
