import { lstatSync } from 'node:fs';
import path from 'node:path';
import { BrainError } from '../../core/base/errors';
import type { Log, Unsubscribe } from '../../core/base/host';
import {
  type FileEntry,
  type FileStat,
  lastChanged,
  notAllowed,
  sameStat,
  tooLarge,
  type VaultChange,
  type VaultStore,
} from '../../core/ports/ports';
import { maxTextBytes } from '../../core/vocabulary/limits';
import { isIgnoredName, type VaultPath, vaultPath } from '../../core/vocabulary/paths';
import { Disk, type Keeper } from '../files/disk';
import { type FileInfo, type FileSystem, hasCode, nodeFileSystem, orGone } from '../files/file-system';
import { type FolderFiles, type OnUnreadable, parentOf, subfolders, walk } from '../files/folders';
import { checkPath, tempFolder } from '../files/state-folder';
import { decode, ownMemory } from '../files/whole-file';
import { DelayedRecheck, type Watch, watchVault } from './watch';

/**
 * A file whose stat is taken within this time of its last change (ms) may change again with the same time and size: within
 * one tick of the file system's clock, which is two seconds on the coarsest ones.
 */
const RACY_MS = 2_000;

/**
 * The stats that were returned before the watcher was ready, from which the changes made meanwhile are found afterwards. The
 * first stat of a file counts: the caller may have read the file right after it, and never before.
 */
export class StatCache {
  readonly #opened = Date.now();
  readonly #seen = new Map<VaultPath, FileStat>();

  add(path: VaultPath, stat: FileStat): void {
    if (!this.#seen.has(path)) this.#seen.set(path, stat);
  }

  /**
   * Yields the changes below a folder, '' for the whole vault, since the opening, given its files `now`: files that have another
   * stat, are new, or are so recent that their stat may hide a change, and files that are gone. A file without a stat here
   * counts as new.
   */
  async *changes(folder: string, now: AsyncIterable<FileEntry>): AsyncGenerator<VaultChange> {
    const below = folder === '' ? '' : `${folder}/`;
    const gone = new Set([...this.#seen.keys()].filter((path) => path.startsWith(below)));
    for await (const entry of now) {
      const { path } = entry;
      gone.delete(path);
      const before = this.#seen.get(path);
      const isSame = sameStat(before, entry) && lastChanged(entry) < this.#opened - RACY_MS;
      if (!isSame) yield { kind: 'changed', path };
    }
    for (const path of gone) yield { kind: 'removed', path };
  }
}

/** A file that this process has written: its stat right afterwards, and its bytes. */
interface OwnWrite {
  /** Null during the write. */
  stat: FileStat | null;
  readonly bytes: Uint8Array;
}

/** The file access that `OwnWrites` needs. */
interface FileAccess<Path> {
  /** Returns the stat of a file, synchronously; null when there is none. */
  readonly stat: (path: Path) => FileStat | null;
  readonly read: (path: Path) => Promise<Uint8Array | null>;
  /** Called with a file that another program has changed since it was written. */
  readonly onChange: (path: Path) => void;
}

/**
 * Tells the echoes of own writes, which the watcher reports like any other change, from the changes of others, so that a file is
 * not read again after it was written here. An echo is recognized by the stat of the file, which does not show a change within
 * one tick of the file system's clock; so the bytes of each file are compared as well, `afterMs` milliseconds later. By then
 * the watcher has had the time that it needs to see a new folder.
 */
export class OwnWrites<Path extends string> {
  readonly #writes = new Map<Path, OwnWrite>();
  readonly #files: FileAccess<Path>;
  readonly #rechecks: DelayedRecheck<Path>;

  constructor(files: FileAccess<Path>, afterMs: number) {
    this.#files = files;
    this.#rechecks = new DelayedRecheck<Path>(afterMs, (path) => void this.#compare(path));
  }

  /** Runs `work`, which writes `bytes` to a file, or resolves false when it has written nothing. */
  async during(path: Path, bytes: Uint8Array, work: () => Promise<boolean>): Promise<boolean> {
    const write: OwnWrite = { stat: null, bytes };
    this.#writes.set(path, write);
    let isWritten = false;
    try {
      isWritten = await work();
      return isWritten;
    } finally {
      if (this.#writes.get(path) === write) this.#settle(path, write, isWritten);
    }
  }

  /** Returns true for a change of this process: the file is being written here, or has the stat of the last write. */
  isEcho(path: Path): boolean {
    const write = this.#writes.get(path);
    return write !== undefined && (write.stat === null || sameStat(write.stat, this.#files.stat(path)));
  }

  close(): void {
    this.#rechecks.close();
    this.#writes.clear();
  }

  #settle(path: Path, write: OwnWrite, isWritten: boolean): void {
    write.stat = isWritten ? this.#files.stat(path) : null;
    if (write.stat !== null) return this.#rechecks.add(path);
    // Nothing was written, or the file is gone: the events that were dropped meanwhile were another program's.
    this.#writes.delete(path);
    this.#files.onChange(path);
  }

  async #compare(path: Path): Promise<void> {
    const write = this.#writes.get(path);
    // A file that is being written again is compared after that write.
    if (write === undefined || write.stat === null) return;
    const bytes = await this.#files.read(path).catch(() => null);
    if (this.#writes.get(path) !== write) return;
    this.#writes.delete(path);
    if (bytes === null || Buffer.compare(bytes, write.bytes) !== 0) this.#files.onChange(path);
  }
}

/** The number of files that a listing stats at the same time: enough to keep the threads of the file system busy. */
const STAT_BATCH = 64;
/**
 * The delay after which an own write is checked again (ms). The watcher needs a moment to see a new file or folder, a long one
 * on slow drives, and reports nothing of a file that another program removes before that.
 */
const RECHECK_MS = 2000;
/** The folders whose files are changed by plans only: the core knows of such a change before the watcher reports it. */
const PLANNED = /^(?:wiki|knowledge|raw)\//;
/** The number of times that a note is read again when it changes between reading and replacing. */
const MAX_TRIES = 5;

interface NodeVaultOptions {
  readonly device: string;
  /** The log of the watcher. Without it nothing is watched, and `changes` reports nothing. */
  readonly watch?: Pick<Log, 'warn'>;
  /** The watcher starts when this settles, which leaves the machine to other work until then; without it, at once. */
  readonly watchAfter?: Promise<unknown> | undefined;
  /**
   * The log of listings. With it, a listing skips folders that this user may not read and paths that are too long for the
   * system, and logs them. Without it, the listing rejects.
   */
  readonly log?: Pick<Log, 'warn'>;
  readonly fs?: FileSystem;
  /** Returns true for a file or folder that is not watched, and a folder's contents neither. Without it, all are watched. */
  readonly unwatched?: ((path: string) => boolean) | undefined;
  readonly keeper?: Keeper | undefined;
}

export interface NodeVault extends VaultStore {
  /**
   * Resolves when changes from outside are reported as they happen. Those made between the opening and then, also to a file
   * that was read meanwhile, have been reported by then. Resolves at once when nothing is watched.
   */
  readonly watching: Promise<void>;
  /** Stops watching and closes the open folders. */
  close(): Promise<void>;
}

/**
 * Opens the vault in the folder `root`, whose state has been opened before. It does not wait for the watcher, which takes long
 * to start in a large vault.
 */
export async function openNodeVault(root: string, options: NodeVaultOptions): Promise<NodeVault> {
  const { device, log, fs = nodeFileSystem, keeper } = options;
  const base = await fs.realpath(root);
  const disk = new Disk(fs, base, { folder: tempFolder(base, device), keeper });
  const listing = new Listing(disk, log);
  return new DiskVault(disk, listing, new ChangeFeed(base, disk, listing, options));
}

/** Lists the files of the vault, without hidden, temporary and conflict files. */
class Listing {
  readonly #disk: Disk;
  readonly #log: Pick<Log, 'warn'> | undefined;
  /** The paths that are too long for the system in the vault's present location. */
  readonly #tooLong = new Set<string>();

  constructor(disk: Disk, log: Pick<Log, 'warn'> | undefined) {
    this.#disk = disk;
    this.#log = log;
  }

  /** Yields every file below a folder, without what `skip` names. */
  async *files(folder: string, skip?: (path: string) => boolean): AsyncGenerator<FileEntry> {
    const { folders, fs } = this.#disk;
    const onUnreadable: OnUnreadable = (at, error) => this.#skip(folder, at, error);
    const leftOut = (name: string, at: string): boolean => isIgnoredName(name) || skip?.(at) === true;
    for await (const files of walk(folders, folder, leftOut, { onUnreadable })) {
      yield* regularFiles(fs, files, onUnreadable);
    }
  }

  /** Returns true when a listing has skipped the path, or a folder above it, because it is too long. */
  isTooLong(at: VaultPath): boolean {
    return isBelow(this.#tooLong, at);
  }

  /** Logs a folder or file that a listing of `folder` skips. @throws `error` when it must not be skipped. */
  #skip(folder: string, at: string, error: unknown): void {
    const isTooLong = hasCode(error, 'ENAMETOOLONG');
    // The folder itself must be readable: without it the listing would say that there are no notes at all.
    if (this.#log === undefined || at === folder || !(isTooLong || hasCode(error, 'EACCES', 'EPERM')))
      throw error;
    if (!isTooLong) return this.#log.warn('vault.folder_unreadable', { path: at, message: String(error) });
    if (this.#tooLong.has(at)) return;
    this.#tooLong.add(at);
    const message =
      'Left out: together with the place of the vault, its path is longer than this system allows.';
    this.#log.warn('vault.path_too_long', { path: at, message });
  }
}

type FeedOptions = Pick<NodeVaultOptions, 'watch' | 'watchAfter' | 'unwatched'>;

/** Reports the changes that the watcher sees to listeners, without the echoes of this process's own writes. */
class ChangeFeed {
  /** Resolves as `NodeVault.watching`. */
  readonly watching: Promise<void>;
  readonly #base: string;
  readonly #disk: Disk;
  readonly #listing: Listing;
  readonly #unwatched: (path: string) => boolean;
  readonly #listeners = new Set<(change: VaultChange) => void>();
  readonly #rechecks: DelayedRecheck<VaultPath> | null = null;
  readonly #own: OwnWrites<VaultPath> | null = null;
  /** The stats that were returned while the watcher was not ready; null once it is. */
  #stats: StatCache | null = null;
  #watcher: Watch | null = null;
  #isClosed = false;
  #markClosed: () => void = () => undefined;

  constructor(
    base: string,
    disk: Disk,
    listing: Listing,
    { watch, watchAfter, unwatched = () => false }: FeedOptions,
  ) {
    this.#base = base;
    this.#disk = disk;
    this.#listing = listing;
    this.#unwatched = unwatched;
    if (watch === undefined) {
      this.watching = Promise.resolve();
      return;
    }
    const onChange = (path: VaultPath): void => this.#report({ kind: 'changed', path });
    const stat = (at: VaultPath): FileStat | null => statNow(path.join(base, at));
    this.#rechecks = new DelayedRecheck<VaultPath>(RECHECK_MS, onChange);
    this.#own = new OwnWrites<VaultPath>({ stat, read: (at) => disk.read(at), onChange }, RECHECK_MS);
    this.#stats = new StatCache();
    this.watching = this.#watch(watch, watchAfter, this.#stats);
  }

  subscribe(listener: (change: VaultChange) => void): Unsubscribe {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Remembers a stat that the vault returns to a caller. */
  addStat(at: VaultPath, stat: FileStat): void {
    this.#stats?.add(at, stat);
  }

  /** Has a file reported once more later, whatever the watcher says of it. */
  recheck(at: VaultPath): void {
    this.#rechecks?.add(at);
  }

  /** Runs `write`, which writes `bytes` to a file, or resolves false; the echo of a planned write is not reported. */
  duringWrite(at: VaultPath, bytes: Uint8Array, write: () => Promise<boolean>): Promise<boolean> {
    return this.#own !== null && PLANNED.test(at) ? this.#own.during(at, bytes, write) : write();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#markClosed();
    this.#rechecks?.close();
    this.#own?.close();
    await this.#watcher?.close();
    await this.watching;
  }

  #report(change: VaultChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  /** Starts the watcher, then reports the changes made since `stats` was opened. */
  async #watch(log: Pick<Log, 'warn'>, after: Promise<unknown> | undefined, stats: StatCache): Promise<void> {
    const closed = new Promise<void>((resolve) => (this.#markClosed = resolve));
    // A failure of that work is its own caller's.
    await Promise.race([after?.catch(() => undefined), closed]);
    if (this.#isClosed) return;
    const onChange = (change: VaultChange): void => {
      // The name on the disk is in another form than the path, or the file is gone again.
      if (change.kind === 'changed' && statNow(path.join(this.#base, change.path)) === null)
        this.#disk.folders.forgetMisses();
      if (change.kind === 'removed' || this.#own?.isEcho(change.path) !== true) this.#report(change);
    };
    this.#watcher = watchVault(this.#base, onChange, log, { unwatched: this.#unwatched });
    await this.#watcher.ready;
    this.#stats = null;
    try {
      for await (const change of stats.changes('', this.#listing.files('', this.#unwatched))) {
        if (this.#isClosed) return;
        this.#report(change);
      }
    } catch (error) {
      if (!this.#isClosed) log.warn('watch.catch_up', { message: String(error) });
    }
  }
}

class DiskVault implements NodeVault {
  readonly atomicWrites = true;
  readonly watching: Promise<void>;
  readonly #disk: Disk;
  readonly #listing: Listing;
  readonly #feed: ChangeFeed;

  constructor(disk: Disk, listing: Listing, feed: ChangeFeed) {
    this.#disk = disk;
    this.#listing = listing;
    this.#feed = feed;
    this.watching = feed.watching;
  }

  async *list(folder: string, skip?: (path: string) => boolean): AsyncGenerator<FileEntry> {
    if (folder !== '') checkPath(folder);
    for await (const entry of this.#listing.files(folder, skip)) {
      this.#feed.addStat(entry.path, entry);
      yield entry;
    }
  }

  async stat(at: VaultPath): Promise<FileStat | null> {
    checkPath(at);
    const stat = await this.#disk.stat(at);
    const found = stat && toStat(stat);
    if (found !== null) this.#feed.addStat(at, found);
    // A note that cannot be reached is not gone: the service must keep what it knows of it.
    else if (this.#listing.isTooLong(at)) throw tooLong(at);
    return found;
  }

  async read(at: VaultPath): Promise<string | null> {
    checkPath(at);
    const bytes = await this.#disk.read(at, maxTextBytes(at));
    return bytes && decode(bytes, at);
  }

  async readBytes(at: VaultPath, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | null> {
    checkPath(at);
    const stat = await this.#disk.stat(at);
    const bytes = stat && stat.size <= maxBytes ? await this.#disk.read(at) : null;
    if ((bytes?.length ?? stat?.size ?? 0) > maxBytes) throw tooLarge(at, maxBytes);
    return bytes && ownMemory(bytes);
  }

  async createBytes(at: VaultPath, bytes: Uint8Array<ArrayBuffer>): Promise<boolean> {
    checkPath(at);
    const created = await refuseTooLong(at, this.#disk.create(at, bytes));
    this.#feed.recheck(at);
    return created;
  }

  async move(from: VaultPath, to: VaultPath, noted?: Promise<unknown>): Promise<boolean> {
    checkPath(from);
    checkPath(to);
    const moved = await refuseTooLong(to, this.#disk.move(from, to, noted));
    this.#feed.recheck(to);
    return moved;
  }

  async create(
    at: VaultPath,
    text: string,
    meanwhile?: readonly (() => void)[],
    like?: VaultPath,
  ): Promise<boolean> {
    checkPath(at);
    const bytes = Buffer.from(text);
    const mode = await this.#modeOf(like);
    const created = await this.#feed.duringWrite(at, bytes, () =>
      refuseTooLong(at, this.#disk.create(at, bytes, meanwhile, mode)),
    );
    if (!PLANNED.test(at)) this.#feed.recheck(at);
    return created;
  }

  async edit(at: VaultPath, change: (old: string) => string | null, like?: VaultPath): Promise<boolean> {
    checkPath(at);
    const bound = await this.#modeOf(like);
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const expected = await this.#disk.read(at, maxTextBytes(at));
      if (expected === null) return false;
      const text = change(decode(expected, at));
      if (text === null) return false;
      if (await this.#replace(at, text, { sync: true, expected, bound })) return true;
    }
    throw new BrainError('busy', `${at} is being changed by someone else. Try again in a few seconds.`, {
      path: at,
      retry_after: 2,
    });
  }

  async remove(at: VaultPath, expected?: string): Promise<boolean> {
    checkPath(at);
    return this.#disk.remove(at, expected === undefined ? undefined : Buffer.from(expected));
  }

  async putDerived(
    at: VaultPath,
    text: string,
    { was, durable }: Parameters<VaultStore['putDerived']>[2],
  ): Promise<boolean> {
    checkPath(at);
    return this.#replace(at, text, { sync: durable, expected: was === null ? null : Buffer.from(was) });
  }

  async append(at: VaultPath, text: string): Promise<void> {
    checkPath(at);
    await this.#disk.append(at, Buffer.from(text), true);
  }

  async missingFolders(at: VaultPath): Promise<string[]> {
    checkPath(at);
    return this.#disk.folders.missing(parentOf(at));
  }

  async subfolders(folder: string): Promise<string[]> {
    checkPath(folder);
    return subfolders(this.#disk.folders, folder);
  }

  removeEmptyFolders(folders: readonly string[]): Promise<void> {
    return this.#disk.folders.removeEmpty(folders);
  }

  changes(listener: (change: VaultChange) => void): Unsubscribe {
    return this.#feed.subscribe(listener);
  }

  async close(): Promise<void> {
    await this.#feed.close();
    await this.#disk.folders.close();
  }

  async #modeOf(at: VaultPath | undefined): Promise<number | undefined> {
    return at === undefined ? undefined : (await this.#disk.stat(at))?.mode;
  }

  #replace(at: VaultPath, text: string, options: Parameters<Disk['replace']>[2]): Promise<boolean> {
    const bytes = Buffer.from(text);
    return this.#feed.duringWrite(at, bytes, () => this.#disk.replace(at, bytes, options));
  }
}

/** Returns the stat of a file at an absolute path, synchronously; null when there is none. */
function statNow(full: string): FileStat | null {
  const stat = lstatSync(full, { throwIfNoEntry: false });
  return stat === undefined ? null : toStat(stat);
}

/** Returns true when a path, or a folder above it, is one of these. */
function isBelow(paths: ReadonlySet<string>, at: string): boolean {
  for (let part = at; part !== '' && paths.size > 0; part = parentOf(part)) if (paths.has(part)) return true;
  return false;
}

/** Yields the regular files of one folder with their stats. */
async function* regularFiles(
  fs: FileSystem,
  files: FolderFiles,
  onUnreadable: OnUnreadable,
): AsyncGenerator<FileEntry> {
  const statOf = async ({ path, full }: FolderFiles[number]): Promise<FileInfo | null> => {
    try {
      return await orGone(fs.lstat(full));
    } catch (error) {
      // Another file of the folder may have a name that is short enough.
      if (!hasCode(error, 'ENAMETOOLONG')) throw error;
      onUnreadable(path, error);
      return null;
    }
  };
  for (let at = 0; at < files.length; at += STAT_BATCH) {
    const batch = files.slice(at, at + STAT_BATCH);
    let stats: (FileInfo | null)[];
    try {
      stats = await Promise.all(batch.map((file) => statOf(file)));
    } catch (error) {
      // The rights of the folder decide whether a file may be read, so the rest of its files would be refused as well.
      onUnreadable(parentOf(batch[0]?.path ?? ''), error);
      return;
    }
    for (const [index, file] of batch.entries()) {
      const stat = stats[index];
      if (stat?.isFile() === true) yield { path: vaultPath(file.path), ...toStat(stat) };
    }
  }
}

/** Resolves with the outcome of `made`. @throws BrainError `path_not_allowed` when name or path are too long for the system. */
async function refuseTooLong<T>(at: VaultPath, made: Promise<T>): Promise<T> {
  try {
    return await made;
  } catch (error) {
    if (hasCode(error, 'ENAMETOOLONG')) throw tooLong(at);
    throw error;
  }
}

function tooLong(at: string): BrainError {
  return notAllowed(at, 'is longer than this disk allows');
}

function toStat({ mtimeMs, ctimeMs, birthtimeMs, size }: FileInfo): FileStat {
  // The time of creation is zero where the file system does not keep it.
  return { mtime: mtimeMs, size, ctime: ctimeMs, ...(birthtimeMs > 0 && { born: birthtimeMs }) };
}
