import { lstatSync } from 'node:fs';
import path from 'node:path';
import { BrainError } from '../../core/base/errors';
import type { Log } from '../../core/base/host';
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
import { Disk } from '../files/disk';
import { type FileInfo, type FileSystem, hasCode, nodeFileSystem, orGone } from '../files/file-system';
import { type FolderFiles, type OnUnreadable, parentOf, subfolders, walk } from '../files/folders';
import { checkPath, tempFolder } from '../files/state-folder';
import { decode, ownMemory } from '../files/whole-file';
import { DelayedRecheck, type Watch, WATCHED, watchVault } from './watch';

/**
 * A file that was changed so shortly before it was looked at may be changed again without its time and size telling: within
 * one tick of the file system's clock, which is two seconds on the coarsest ones. In milliseconds.
 */
const RACY_MS = 2_000;

/**
 * What was told of files while nobody watched over them yet, so that a change made meanwhile is found afterwards. The first
 * answer about a file counts: whoever asked may have read the file right after it, and at no time before.
 */
export class StatCache {
  readonly #opened = Date.now();
  readonly #seen = new Map<VaultPath, FileStat>();

  add(path: VaultPath, stat: FileStat): void {
    if (!this.#seen.has(path)) this.#seen.set(path, stat);
  }

  /**
   * The changes below a folder since, with its files as they stand now: those that look different, are new or may have changed
   * without looking so, and those that are gone. A file that nobody has asked for is told as well.
   */
  async *changes(folder: string, now: AsyncIterable<FileEntry>): AsyncGenerator<VaultChange> {
    const gone = new Set([...this.#seen.keys()].filter((path) => path.startsWith(`${folder}/`)));
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

/** A file that was written by this process: how it looked right afterwards, and what was written. */
interface OwnWrite {
  /** Null while it is being written. */
  stat: FileStat | null;
  readonly bytes: Uint8Array;
}

/** What is needed to look at a file. */
interface Looks<Path> {
  /** Time and size of what stands there, at once; null when nothing does. */
  readonly stat: (path: Path) => FileStat | null;
  readonly read: (path: Path) => Promise<Uint8Array | null>;
  /** Called with a file that is not as it was written. */
  readonly tell: (path: Path) => void;
}

/**
 * Tells the echo of our own writes, which the watch reports like any other change, from the changes of others, so that nobody
 * reads again what was just written. An echo is known by the time and size of the file, which say nothing of a change within
 * one tick of the file system's clock; so each file is compared by its bytes once more, `afterMs` milliseconds later. By then
 * the watch has had the moment it needs to see a new folder, too.
 */
export class OwnWrites<Path extends string> {
  readonly #writes = new Map<Path, OwnWrite>();
  readonly #looks: Looks<Path>;
  readonly #second: DelayedRecheck<Path>;

  constructor(looks: Looks<Path>, afterMs: number) {
    this.#looks = looks;
    this.#second = new DelayedRecheck<Path>(afterMs, (path) => void this.#compare(path));
  }

  /** Writes a file; `work` resolves false when it has written nothing. */
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

  /** True for a change that is no news: the file is being written here, or is as it was left. */
  isEcho(path: Path): boolean {
    const write = this.#writes.get(path);
    return write !== undefined && (write.stat === null || sameStat(write.stat, this.#looks.stat(path)));
  }

  close(): void {
    this.#second.close();
    this.#writes.clear();
  }

  #settle(path: Path, write: OwnWrite, isWritten: boolean): void {
    write.stat = isWritten ? this.#looks.stat(path) : null;
    if (write.stat !== null) return this.#second.add(path);
    // Nothing was written, or it is gone: what was heard meanwhile was of somebody else.
    this.#writes.delete(path);
    this.#looks.tell(path);
  }

  async #compare(path: Path): Promise<void> {
    const write = this.#writes.get(path);
    // One that is being written anew is compared when that is done.
    if (write === undefined || write.stat === null) return;
    const stands = await this.#looks.read(path).catch(() => null);
    if (this.#writes.get(path) !== write) return;
    this.#writes.delete(path);
    if (stands === null || Buffer.compare(stands, write.bytes) !== 0) this.#looks.tell(path);
  }
}

/** Files looked at together in a listing: enough to keep the threads of the file system busy. */
const LOOK_AHEAD = 64;
/**
 * Milliseconds after which what we wrote is looked at once more. The watch needs a moment until it sees a new file or folder,
 * on slow drives a long one, and says nothing of one that another program took away again before.
 */
const LOOK_AGAIN_MS = 2000;
/** Folders whose files are all made and changed by plans, of which the core knows before the watch tells of them. */
const PLANNED = /^(?:wiki|knowledge|raw)\//;
/** A note that changes between reading and replacing is read again this often. */
const MAX_TRIES = 5;

interface NodeVaultOptions {
  readonly device: string;
  /** Given: changes from outside are watched for, and trouble with that is logged here. Absent: `changes` stays silent. */
  readonly watch?: Pick<Log, 'warn'>;
  /** The watch begins when this settles, which leaves the machine to others until then; at once when absent. */
  readonly watchAfter?: Promise<unknown> | undefined;
  /**
   * Given: a listing passes over folders that this user may not look into, and over whatever has a longer path than the system
   * takes, and says so here. Absent: it rejects.
   */
  readonly log?: Pick<Log, 'warn'>;
  readonly fs?: FileSystem;
  /** A folder that is watched besides those of the notes; what it lies in is watched as well. */
  readonly alsoWatch?: string | undefined;
  /** Makes the folders of the service's own state again when another program has taken them away. */
  readonly restore?: (() => Promise<void>) | undefined;
}

export interface NodeVault extends VaultStore {
  /**
   * Resolves when changes from outside are told as they happen. Those made between the opening and then, also to a file that
   * was read meanwhile, have been told by then. At once where nothing is watched.
   */
  readonly watching: Promise<void>;
  /** Stops watching and lets go of the folders. */
  close(): Promise<void>;
}

/**
 * Opens the vault in the folder `root`, whose state has been opened before. That changes from outside are seen takes longer
 * in a large vault, and is not waited for.
 */
export async function openNodeVault(root: string, options: NodeVaultOptions): Promise<NodeVault> {
  const { device, watch, watchAfter, log, fs = nodeFileSystem, alsoWatch, restore } = options;
  const base = await fs.realpath(root);
  const disk = new Disk(fs, base, { folder: tempFolder(base, device), restore });
  const listeners = new Set<(change: VaultChange) => void>();
  const tell = (change: VaultChange): void => {
    for (const listener of listeners) listener(change);
  };
  const tellChanged = (path: VaultPath): void => tell({ kind: 'changed', path });
  const again = watch === undefined ? null : new DelayedRecheck<VaultPath>(LOOK_AGAIN_MS, tellChanged);
  const statNow = (at: VaultPath): FileStat | null => {
    const stat = lstatSync(path.join(base, at), { throwIfNoEntry: false });
    return stat === undefined ? null : toStat(stat);
  };
  const looksAt = { stat: statNow, read: (at: VaultPath) => disk.read(at), tell: tellChanged };
  const own = watch === undefined ? null : new OwnWrites<VaultPath>(looksAt, LOOK_AGAIN_MS);
  const heard = (change: VaultChange): void => {
    if (change.kind === 'removed' || own?.isEcho(change.path) !== true) tell(change);
  };
  /** What listings have found at paths that are too long for the system where the vault is now. */
  const outOfReach = new Set<string>();
  const list = async function* (folder: string): AsyncGenerator<FileEntry> {
    // The folder itself must be readable: without it the answer would be that there are no notes at all.
    const onUnreadable = (at: string, error: unknown): void => {
      const isTooLong = hasCode(error, 'ENAMETOOLONG');
      if (log === undefined || at === folder || !(isTooLong || hasCode(error, 'EACCES', 'EPERM')))
        throw error;
      if (!isTooLong) return log.warn('vault.folder_unreadable', { path: at, message: String(error) });
      if (outOfReach.has(at)) return;
      outOfReach.add(at);
      const message =
        'Left out: together with the place of the vault, its path is longer than this system allows.';
      log.warn('vault.path_too_long', { path: at, message });
    };
    for await (const files of walk(disk.folders, folder, isIgnoredName, { onUnreadable })) {
      yield* regularFiles(fs, files, onUnreadable);
    }
  };

  let isClosed = false;
  let markClosed: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => (markClosed = resolve));
  let looks = watch === undefined ? null : new StatCache();
  let watcher: Watch | null = null;
  const watched = new Set([...WATCHED, ...(alsoWatch === undefined ? [] : [alsoWatch.split('/')[0] ?? ''])]);
  const watching = (async (): Promise<void> => {
    const first = looks;
    if (watch === undefined || first === null) return;
    // Why others came to an end is told to those who asked them.
    await Promise.race([watchAfter?.catch(() => undefined), closed]);
    if (isClosed) return;
    watcher = watchVault(base, heard, watch, watched);
    await watcher.ready;
    looks = null;
    try {
      for (const folder of watched) {
        for await (const change of first.changes(folder, list(folder))) {
          if (isClosed) return;
          tell(change);
        }
      }
    } catch (error) {
      if (!isClosed) watch.warn('watch.catch_up', { message: String(error) });
    }
  })();

  const wrote = <T>(at: VaultPath, done: T): T => {
    again?.add(at);
    return done;
  };
  const writing = (
    at: VaultPath,
    text: string,
    work: (bytes: Buffer) => Promise<boolean>,
  ): Promise<boolean> => {
    const bytes = Buffer.from(text);
    return own !== null && PLANNED.test(at) ? own.during(at, bytes, () => work(bytes)) : work(bytes);
  };

  return {
    atomicWrites: true,
    watching,
    async *list(folder): AsyncGenerator<FileEntry> {
      if (folder !== '') checkPath(folder);
      for await (const entry of list(folder)) {
        looks?.add(entry.path, entry);
        yield entry;
      }
    },
    async stat(at) {
      checkPath(at);
      const stat = await disk.stat(at);
      const found = stat && toStat(stat);
      if (found !== null) looks?.add(at, found);
      // A note that nobody can reach is not gone, and must not lose what is kept of it.
      else if (isBelow(outOfReach, at)) throw tooLong(at);
      return found;
    },
    async read(at) {
      checkPath(at);
      const bytes = await disk.read(at, maxTextBytes(at));
      return bytes && decode(bytes, at);
    },
    async readBytes(at, maxBytes) {
      checkPath(at);
      const stat = await disk.stat(at);
      const bytes = stat && stat.size <= maxBytes ? await disk.read(at) : null;
      if ((bytes?.length ?? stat?.size ?? 0) > maxBytes) throw tooLarge(at, maxBytes);
      return bytes && ownMemory(bytes);
    },
    async createBytes(at, bytes) {
      checkPath(at);
      return wrote(at, await named(at, disk.create(at, bytes)));
    },
    async move(from, to, noted) {
      checkPath(from);
      checkPath(to);
      return wrote(to, await named(to, disk.move(from, to, noted)));
    },
    async create(at, text, meanwhile) {
      checkPath(at);
      const created = await writing(at, text, (bytes) => named(at, disk.create(at, bytes, meanwhile)));
      return PLANNED.test(at) ? created : wrote(at, created);
    },
    async edit(at, change) {
      checkPath(at);
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const expected = await disk.read(at, maxTextBytes(at));
        if (expected === null) return false;
        const text = change(decode(expected, at));
        if (text === null) return false;
        if (await writing(at, text, (bytes) => disk.replace(at, bytes, { sync: true, expected })))
          return true;
      }
      throw new BrainError('busy', `${at} is being changed by someone else. Try again in a few seconds.`, {
        path: at,
        retry_after: 2,
      });
    },
    async remove(at, expected) {
      checkPath(at);
      return disk.remove(at, expected === undefined ? undefined : Buffer.from(expected));
    },
    async putDerived(at, text, { was, durable }) {
      checkPath(at);
      const expected = was === null ? null : Buffer.from(was);
      return writing(at, text, (bytes) => disk.replace(at, bytes, { sync: durable, expected }));
    },
    async append(at, text) {
      checkPath(at);
      await disk.append(at, Buffer.from(text), true);
    },
    async missingFolders(at) {
      checkPath(at);
      return disk.folders.missing(parentOf(at));
    },
    async subfolders(folder) {
      checkPath(folder);
      return subfolders(disk.folders, folder);
    },
    removeEmptyFolders: (folders) => disk.folders.removeEmpty(folders),
    changes(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      isClosed = true;
      markClosed();
      again?.close();
      own?.close();
      await watcher?.close();
      await watching;
      await disk.folders.close();
    },
  };
}

/** True when a path, or a folder that it lies in, is one of these. */
function isBelow(paths: ReadonlySet<string>, at: string): boolean {
  for (let part = at; part !== '' && paths.size > 0; part = parentOf(part)) if (paths.has(part)) return true;
  return false;
}

/** The files of one folder with what the system says of them. */
async function* regularFiles(
  fs: FileSystem,
  files: FolderFiles,
  onUnreadable: OnUnreadable,
): AsyncGenerator<FileEntry> {
  const look = async ({ path, full }: FolderFiles[number]): Promise<FileInfo | null> => {
    try {
      return await orGone(fs.lstat(full));
    } catch (error) {
      // Another one in its folder has a shorter name, perhaps.
      if (!hasCode(error, 'ENAMETOOLONG')) throw error;
      onUnreadable(path, error);
      return null;
    }
  };
  for (let at = 0; at < files.length; at += LOOK_AHEAD) {
    const some = files.slice(at, at + LOOK_AHEAD);
    let stats: (FileInfo | null)[];
    try {
      stats = await Promise.all(some.map((file) => look(file)));
    } catch (error) {
      // Whether a file may be looked at is up to its folder, so the rest of it would be refused as well.
      onUnreadable(parentOf(some[0]?.path ?? ''), error);
      return;
    }
    for (const [index, file] of some.entries()) {
      const stat = stats[index];
      if (stat?.isFile() === true) yield { path: vaultPath(file.path), ...toStat(stat) };
    }
  }
}

/** What making a file resolves with. @throws BrainError `path_not_allowed` when the system has no names or paths that long. */
async function named<T>(at: VaultPath, made: Promise<T>): Promise<T> {
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
  // Zero where the file system does not keep it.
  return { mtime: mtimeMs, size, ctime: ctimeMs, ...(birthtimeMs > 0 && { born: birthtimeMs }) };
}
