import { BrainError, vaultClosed } from '../base/errors';
import { sha256 } from '../base/hash';
import { inSlices, ITEMS_PER_STEP, type Pacing, type Progress, type Steps, Tally } from '../base/steps';
import {
  Away,
  type FileEntry,
  type FileStat,
  lastChanged,
  sameStat,
  type Store,
  type VaultStore,
} from '../ports/ports';
import { checkTextSize, MAX_NOTE_BYTES, maxTextBytes } from '../vocabulary/limits';
import type { VaultPath } from '../vocabulary/paths';
import { holdsPrograms, type ReadScope } from '../vocabulary/read-scope';
import { type Catalog, HELD_BACK } from './catalog';
import type { Knowledge } from './knowledge';
import type { OutsideChange, OutsideChanges } from './outside-changes';
import type { NoteRecord } from './record';
import {
  keepSnapshot,
  type Snapshot,
  type SnapshotKeeper,
  type SnapshotOptions,
  snapshotPath,
  type SnapshotPorts,
  TICK_MS,
  unpackSnapshot,
} from './snapshot';

/** The ports that reading notes needs. */
type Reading = Pick<Store & Knowledge & Pacing, 'catalog' | 'vault' | 'pace' | 'clock'>;

/** The folders of the service that the catalog covers. A start fails when one of them cannot be listed. */
const FOLDERS = ['wiki', 'knowledge', 'raw', 'inbox'];
/** The number of listed files that are checked without a pause. */
const BATCH = 64;
/** The number of files that are read at the same time: enough to keep a disk busy, far below the limit of open files. */
const READERS = 16;
/** The maximum number of times that a file is read if it changes meanwhile; then it waits for the next refresh. */
const MAX_ROUNDS = 3;

interface LoadOptions {
  /** The snapshot that the catalog was restored from. */
  readonly snapshot?: Pick<Snapshot, 'records' | 'doubtful'> | null;
  /** Called with the number of notes when all of them are known and reading begins. */
  readonly onListed?: (notes: number) => void;
  /** Called when every note has been read, so that a search finds it. */
  readonly onRead?: () => void;
  /** The notes at the last run. */
  readonly former?: readonly NoteRecord[];
  /** Gets those of them that are gone and have one new note with their text each, and these notes. */
  readonly onMissed?: ((changes: readonly OutsideChange[]) => void) | undefined;
}

/**
 * Fills the catalog from the vault, and lists each folder once. A note of the snapshot stays as long as the times and the
 * size of its file are exactly the same; every other file is read. A file that cannot be read, or that is too large for a
 * note, is logged and known by its path only. It holds the thread for at most one slice of the pace and one note. Resolves
 * with true if the snapshot was complete. Rejects if a folder cannot be listed, or if the store of the vault goes away meanwhile.
 */
export async function loadCatalog(
  brain: Reading & Pick<Store & Knowledge & Pacing, 'log'>,
  {
    snapshot = null,
    former = [],
    onListed = () => undefined,
    onRead = () => undefined,
    onMissed,
  }: LoadOptions = {},
): Promise<boolean> {
  const { catalog, pace, log } = brain;
  const settled = nowOf(brain) - TICK_MS;
  const { notes, differs, stats } = await scanFolders(brain, snapshot);
  onListed(notes);
  // While the watcher starts, it may report changes of files that nobody has touched for long.
  const isUntouched = (path: VaultPath, stat: FileStat): boolean => {
    const looksSame = sameStat(catalog.record(path), stat);
    return looksSame && lastChanged(stat) < settled && snapshot !== null && !snapshot.doubtful.has(path);
  };
  // A stat of the listing serves one reading: when the file is read again, it has changed since.
  const listed = (path: VaultPath): FileStat | undefined => {
    const stat = stats.get(path);
    stats.delete(path);
    return stat;
  };
  const failed = await readDirty(brain, { outside: null, isUntouched, listed, isFirst: true });
  // A disk that is gone gives each file an error of its own, as a file does that only its reader cannot have.
  if (failed > 0) await brain.vault.subfolders('wiki');
  onMissed?.(await inSlices(missedSince(catalog, former), pace));
  await pace.run(() => catalog.releaseBuffers());
  onRead();
  for (const { path } of snapshot?.records ?? []) await inSlices(catalog.list(path), pace);
  for (const [path, { reason }] of catalog.unreadable)
    log.warn('catalog.unreadable', { path, message: reason });
  return snapshot !== null && !differs;
}

/**
 * Scans the folders: marks the files to read, and drops files of the snapshot that are gone. `stats` are those of the files to
 * read.
 */
async function scanFolders(
  { catalog, vault, pace }: Reading,
  snapshot: LoadOptions['snapshot'],
): Promise<{ notes: number; differs: boolean; stats: Map<VaultPath, FileStat> }> {
  const gone = new Set(snapshot?.records.map(({ path }) => path));
  const stats = new Map<VaultPath, FileStat>();
  let notes = 0;
  let differs = false;
  const check = (entry: FileEntry): void => {
    const { path } = entry;
    if (!catalog.covers(path)) {
      catalog.addName(path);
      return;
    }
    catalog.addPath(path);
    gone.delete(path);
    if (catalog.statusOf(path) === null) return;
    notes += 1;
    const isSettled = sameStat(catalog.record(path), entry) && snapshot?.doubtful.has(path) === false;
    if (isSettled && entry.size <= MAX_NOTE_BYTES) return;
    differs = true;
    stats.set(path, entry);
    catalog.markDirty({ kind: 'changed', path });
  };
  const checkAll = async (files: AsyncIterable<FileEntry>): Promise<void> => {
    let batch: FileEntry[] = [];
    const checkBatch = (): void => batch.forEach(check);
    for await (const entry of files) {
      batch.push(entry);
      if (batch.length < BATCH) continue;
      await pace.run(checkBatch);
      batch = [];
    }
    await pace.run(checkBatch);
  };
  for (const folder of FOLDERS) await checkAll(vault.list(folder));
  // The names of all files count for links; those that are left out are not read.
  await checkAll(vault.list('', (path) => FOLDERS.includes(path) || holdsPrograms(path)));
  for (const path of gone) await pace.run(() => catalog.drop(path));
  return { notes, differs: differs || gone.size > 0, stats };
}

/**
 * Returns the notes that were there at the last run and are gone, each with the new note that has its text: where no other note has
 * this text or had it then, so that a template that was removed here and filled there is no pair.
 * @param former the notes at the last run
 */
function* missedSince(catalog: Catalog, former: readonly NoteRecord[]): Steps<OutsideChange[]> {
  const [had, has] = [new Map<string, NoteRecord | null>(), new Map<string, NoteRecord | null>()];
  const known = new Set<VaultPath>();
  const hold = (texts: typeof had, note: NoteRecord): void => {
    texts.set(note.content_hash, texts.has(note.content_hash) ? null : note);
  };
  const tally = new Tally(ITEMS_PER_STEP);
  let isAnyGone = false;
  for (const note of former) {
    known.add(note.path);
    hold(had, note);
    isAnyGone ||= catalog.taken(note.path) === null;
    if (tally.isFull()) yield;
  }
  if (!isAnyGone) return [];
  for (const note of catalog.records()) {
    hold(has, note);
    if (tally.isFull()) yield;
  }
  const missed: OutsideChange[] = [];
  for (const [hash, before] of had) {
    if (tally.isFull()) yield;
    const after = has.get(hash) ?? null;
    if (before === null || after === null || known.has(after.path)) continue;
    if (catalog.taken(before.path) !== null) continue;
    missed.push({ path: before.path, appeared: false, before }, { path: after.path, appeared: true, after });
  }
  return missed;
}

/** Lists the files of the vault outside `wiki/`, `knowledge/`, `raw/` and `inbox/`, without those that the scope leaves out. */
export function listOutside(
  vault: Pick<VaultStore, 'list'>,
  scope: Pick<ReadScope, 'leavesOut'>,
): AsyncIterable<FileEntry> {
  return vault.list('', (path) => FOLDERS.includes(path) || scope.leavesOut(path));
}

/**
 * Brings the catalog up to date with the files that were marked as changed, and reads no others. Readers call it first, so
 * that they see changes by others; it also reports these to `outside`. Concurrent callers share one refresh. Files that
 * cannot be read are recorded in `catalog.unreadable`, and retried some seconds later or when they change; it never rejects
 * for them.
 */
export async function refreshCatalog(
  brain: Reading & Pick<Store & Knowledge & Pacing, 'outside'>,
): Promise<void> {
  const { catalog } = brain;
  // A refresh that already runs may have missed what was marked before this call; a later one does not.
  await catalog.refreshing;
  if (catalog.dirty.due(nowOf(brain)).size === 0) return;
  const options = {
    outside: brain.outside,
    isUntouched: () => false,
    listed: () => undefined,
    isFirst: false,
  };
  await (catalog.refreshing ??= readDirty(brain, options).finally(() => (catalog.refreshing = null)));
}

interface ReadOptions {
  readonly outside: OutsideChanges | null;
  /** Returns true if a file with these times and this size is known to be unchanged. */
  readonly isUntouched: (path: VaultPath, stat: FileStat) => boolean;
  /** Returns the stat of a file from a listing that was just made, which saves another one. */
  readonly listed: (path: VaultPath) => FileStat | undefined;
  /** True while no note may be missing: the reading ends when the store of the vault goes away. */
  readonly isFirst: boolean;
}

/**
 * Reads the files that are marked as changed. Resolves with the number of those that could not be read, which are tried again
 * later.
 * @throws Away as the options say
 */
async function readDirty(brain: Reading, options: ReadOptions): Promise<number> {
  const { catalog, pace } = brain;
  const runSerially = serialQueue();
  const failed = new Map<VaultPath, number>();
  const gone: Away[] = [];
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const due = [...catalog.dirty.due(nowOf(brain))].filter(([path, stamp]) => failed.get(path) !== stamp);
    const waiting = due.values();
    const read = readerOf(
      brain.vault,
      due.map(([path]) => path),
    );
    // All readers take from one iterator, so that none waits for the slowest.
    const reader = async () => {
      for (const [path, stamp] of waiting) {
        if (pace.isStopped) throw vaultClosed();
        if (gone.length > 0) return;
        const fault = await readFile(brain, path, stamp, { ...options, runSerially, read });
        if (fault instanceof Away && options.isFirst) gone.push(fault);
        if (fault !== null) failed.set(path, stamp);
      }
    };
    await Promise.all(Array.from({ length: Math.min(READERS, due.length) }, reader));
    const [away] = gone;
    if (away !== undefined) throw away;
  }
  // The rest begins only after all files are read: reading may take longer than a rest, and the next caller would wait for
  // all of them again.
  const now = nowOf(brain);
  for (const [path, stamp] of failed) catalog.dirty.rest(path, stamp, now);
  return failed.size;
}

/** The number of files that are read at a time where the vault reads many. */
const MANY = 256;

/**
 * Returns a function that reads files of a list, mostly in its order. Where the vault reads many files at a time, the next ones
 * are on their way while these are prepared. Once many could not be read together, as when they take longer than the store
 * waits, each is read by itself: its own error then tells whether the store is away.
 */
function readerOf(vault: VaultStore, paths: readonly VaultPath[]): VaultStore['read'] {
  const { readMany } = vault;
  if (readMany === undefined) return (path) => vault.read(path);
  const places = new Map(paths.map((path, index) => [path, Math.floor(index / MANY)]));
  const parts = new Map<number, Promise<ReadonlyMap<VaultPath, string>>>();
  let isOneByOne = false;
  const partAt = (index: number): Promise<ReadonlyMap<VaultPath, string>> => {
    const known = parts.get(index);
    if (known !== undefined) return known;
    const part = readMany.call(vault, paths.slice(index * MANY, (index + 1) * MANY)).catch(() => {
      isOneByOne = true;
      return new Map<VaultPath, string>();
    });
    parts.set(index, part);
    // Readers are at most a few files apart.
    parts.delete(index - 3);
    return part;
  };
  return async (path) => {
    if (isOneByOne) return vault.read(path);
    const index = places.get(path) ?? 0;
    const part = partAt(index);
    if ((index + 1) * MANY < paths.length) void partAt(index + 1);
    return (await part).get(path) ?? vault.read(path);
  };
}

function nowOf({ clock }: Pick<Store & Knowledge & Pacing, 'clock'>): number {
  return clock.now().getTime();
}

type RunSerially = (work: () => Promise<void>) => Promise<void>;

/**
 * Returns a function that runs work one after the other. Files are read concurrently, but the catalog prepares one note at a
 * time.
 */
function serialQueue(): RunSerially {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => undefined); // The caller gets the error; the next work still runs.
    return done;
  };
}

/**
 * Reads a changed file into the catalog. It always reads the contents, since an edit within one tick of the file system's
 * clock changes neither time nor size. A file that changes meanwhile stays marked. Resolves with the error if the file could not
 * be read this time, else with null.
 */
async function readFile(
  { catalog, vault, pace }: Reading,
  path: VaultPath,
  stamp: number,
  {
    runSerially,
    outside,
    isUntouched,
    listed,
    read,
  }: ReadOptions & { readonly runSerially: RunSerially; readonly read: VaultStore['read'] },
): Promise<unknown> {
  const settle = (take: () => void) =>
    pace.run(() => {
      const before = catalog.record(path);
      const appeared = catalog.taken(path) !== path;
      if (!catalog.dirty.settle(path, stamp)) return;
      take();
      const after = catalog.record(path);
      if (outside === null || before?.content_hash === after?.content_hash) return;
      outside.tell({ path, appeared, ...(before && { before }), ...(after && { after }) });
    });
  let size = 0;
  try {
    const stat = listed(path) ?? (await vault.stat(path));
    const isNote = catalog.statusOf(path) !== null;
    size = stat?.size ?? 0;
    if (isNote) checkTextSize(path, size);
    if (stat !== null && isUntouched(path, stat)) {
      await settle(() => undefined);
      return null;
    }
    const text = stat !== null && isNote ? await read(path) : null;
    await runSerially(async () => {
      // A known text needs no work.
      const isNew = text !== null && sha256(text) !== catalog.record(path)?.content_hash;
      for (const piece of isNew ? catalog.prepare(path, text) : []) await inSlices(piece, pace);
      await settle(() => {
        // The note may also disappear between stat and read.
        if (stat === null || (isNote && text === null)) catalog.drop(path);
        else if (text === null) catalog.addPath(path);
        else if (catalog.isHeldBack(sha256(text)))
          catalog.addUnreadable(path, HELD_BACK, { forgotten: true });
        else catalog.put(path, text, stat);
      });
    });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // A lock or a lost connection may pass: earlier knowledge stays, and the file is retried.
    const code = error instanceof BrainError ? error.code : null;
    const entangled = code === 'too_entangled';
    if (!entangled && code !== 'unsupported_type') {
      catalog.failed(path, message);
      return error;
    }
    const tooLarge = size > maxTextBytes(path) ? size : null;
    await settle(() => catalog.addUnreadable(path, message, { tooLarge, entangled }));
  }
  return null;
}

/** A catalog that is being filled. What fails is tried again, with growing pauses, until the catalog is closed. */
export interface OpeningCatalog {
  /** Resolves when it holds the whole vault; rejects only when the vault is closed. */
  readonly read: Promise<void>;
  /** Resolves as `read`; rejects when the first try fails, as when a folder cannot be listed. */
  readonly firstTry: Promise<void>;
  /** Returns why the last try failed, in the words of its error; null once it has succeeded, and during the first. */
  fault(): string | null;
  /** Resolves when every file is known, though not every note has been read. */
  readonly listed: Promise<void>;
  /** Resolves when every note has been read, so that a search finds it, though not every link. */
  readonly searchable: Promise<void>;
  /** Returns how many of the known notes have been read; null once all are in all look-up tables. */
  progress(): Progress | null;
  /** Takes a last snapshot. Call it when nothing changes any more. */
  close(): Promise<void>;
}

/**
 * Fills an empty catalog from the snapshot of an earlier run and from the files that differ from it, and keeps a snapshot
 * from then on. If the snapshot is unusable, this is logged and every note is read.
 */
export function openCatalog(
  brain: SnapshotPorts & Pick<Store & Knowledge & Pacing, 'vault'>,
  options: Omit<SnapshotOptions, 'isSaved'> & Pick<LoadOptions, 'onMissed'>,
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
  const settled = nowOf(brain) - TICK_MS;
  let isBegun = false;
  // A try that fails has dropped the notes that are gone already.
  let former: readonly NoteRecord[] = [];
  const fill = async (): Promise<void> => {
    const isAgain = isBegun;
    const snapshot = isAgain ? readSoFar(catalog, settled) : await restoreSnapshot(brain, options.place);
    if (!isAgain) former = snapshot?.records ?? [];
    isBegun = true;
    const isSaved = await loadCatalog(brain, {
      snapshot,
      former,
      onListed,
      onRead: searchable.reach,
      onMissed: options.onMissed,
    });
    isFilled = true;
    former = [];
    keeper = keepSnapshot(brain, { ...options, isSaved: isSaved && !isAgain });
  };
  let fault: string | null = null;
  const untilFilled = async (first: Promise<void>): Promise<void> => {
    for (let [filling, pause] = [first, FIRST_PAUSE_MS]; ; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
      try {
        await filling;
        fault = null;
        return;
      } catch (error) {
        if (brain.pace.isStopped) throw error;
        const message = error instanceof Error ? error.message : String(error);
        if (message !== fault) brain.log.error('catalog.load', { message });
        fault = message;
        await options.sleep(pause);
        if (brain.pace.isStopped) throw vaultClosed();
        filling = fill();
      }
    }
  };
  const firstTry = fill();
  return {
    read: untilFilled(firstTry),
    firstTry,
    fault: () => fault,
    listed: listed.reached,
    searchable: searchable.reached,
    progress: () => {
      if (isFilled) return null;
      // Later changes do not count.
      const waiting = searchable.isReached() ? 0 : catalog.dirtyCount;
      return { done: Math.max(0, total - waiting), total };
    },
    close: async () => keeper?.close(),
  };
}

/** The pauses between two tries to read a vault that cannot be read: the first and the longest (ms). */
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 10_000;

/** Returns what a try that failed has read, for the next one. A file that may have changed since is doubtful. */
function readSoFar(catalog: Catalog, settled: number): Pick<Snapshot, 'records' | 'doubtful'> {
  const records = catalog.records();
  const changing = records.filter((record) => lastChanged(record) >= settled);
  return { records, doubtful: new Set(changing.map(({ path }) => path)) };
}

/** An event that happens once. */
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

/** Restores the catalog from its snapshot. Returns null, and leaves the catalog empty, if there is no usable one. */
async function restoreSnapshot(
  { catalog, state, pace, log, device }: SnapshotPorts,
  place: string,
): Promise<Snapshot | null> {
  try {
    const bytes = await state.readBytes(snapshotPath(device));
    if (bytes === null) return null;
    const snapshot = await unpackSnapshot(bytes, place, pace);
    const problem = 'problem' in snapshot ? snapshot.problem : await restoreCatalog(catalog, snapshot, pace);
    if (problem === null && !('problem' in snapshot)) return snapshot;
    log.warn('catalog.snapshot_unusable', { message: `The snapshot is made anew: ${problem}.` });
  } catch (error) {
    if (error instanceof Away) throw error;
    // No other error matters here: everything can be rebuilt from the files.
    log.warn('catalog.snapshot_unusable', { message: `The snapshot is made anew: ${String(error)}` });
  }
  return null;
}

/**
 * Restores the catalog from a snapshot. Returns null, or the problem with the snapshot, which leaves the catalog as it was.
 */
async function restoreCatalog(
  catalog: Catalog,
  snapshot: Snapshot,
  pace: Pacing['pace'],
): Promise<string | null> {
  if (!(await inSlices(catalog.restoreIndex(snapshot), pace))) return 'its index is damaged';
  for (const record of snapshot.records) await pace.run(() => catalog.restore(record));
  return null;
}
