import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import path from 'node:path';
import { KeyedMutex } from '../../core/base/concurrency';
import { MAX_STATE_BYTES, notAllowed } from '../../core/ports/ports';
import { fileName, fold } from '../../core/vocabulary/paths';
import {
  type FileInfo,
  type FileSystem,
  hasCode,
  hasNoLinks,
  isSameFile,
  nodeFileSystem,
  type OpenFile,
  orNull,
  syncNames,
  type FoundFile,
} from './file-system';
import { type Folder, Folders, identityOf, parentOf } from './folders';
import { appendAll, copyAll, retryWhileBusy, ignoreErrors, readAll, readPart, writeAll } from './whole-file';

/** The modes of what is made; the user's umask clears bits of them. */
export interface Modes {
  readonly file: number;
  readonly folder: number;
}
/** The notes of a vault have the rights that the umask leaves. */
const SHARED: Modes = { file: 0o666, folder: 0o777 };
/** The state of the service has copies of notes that other users of the machine may not read. */
export const PRIVATE: Modes = { file: 0o600, folder: 0o700 };
/** The state of a vault that the users of a group share. */
export const OF_GROUP: Modes = { file: 0o660, folder: 0o770 };

/** Options for writing a new file. */
interface WriteOptions {
  readonly sync: boolean;
  /** The permission bits; those of a new file when undefined. */
  readonly mode?: number | undefined;
  /** The time of the last change (s since the epoch); that of the writing when undefined. */
  readonly mtime?: number | undefined;
  /** Work, in pieces, that runs while the sync is under way. */
  readonly meanwhile?: readonly (() => void)[];
}

/** What lets this process change the files below a root. */
export interface Keeper {
  /** Rejects once the files are not this process's own any more. Called right before each change. */
  check(): Promise<void>;
  /** Makes the folder of temporary files again when another program has removed it; rejects as `check`; else does nothing. */
  restore(): Promise<void>;
}

/** The folder of temporary files. */
interface TempFiles {
  /**
   * The absolute path; without it, a file is made hidden beside the one that it becomes. Other users cannot enter the folder, so
   * they cannot read a file in it whatever its mode.
   */
  readonly folder?: string;
  readonly keeper?: Keeper | undefined;
  /** The modes of files and folders that are made; by default those of notes. */
  readonly modes?: Modes;
}

/**
 * Writes a temporary file and lets `publish` put it at `final`; `publish` resolves false when it did not. When `final` is
 * on another file system than the temporary files, a hidden temporary file in its own folder is used.
 */
async function throughTemporary(
  fs: FileSystem,
  temps: TempFiles,
  final: string,
  bytes: Uint8Array,
  as: WriteOptions,
  publish: (temp: string) => Promise<boolean>,
): Promise<boolean> {
  const mode = as.mode === undefined ? undefined : as.mode & 0o777;
  const attempt = async (temp: string): Promise<boolean> => {
    const handle = await openNew(fs, temp, mode ?? (temps.modes ?? SHARED).file, temps);
    // From here on this call removes the file when anything fails.
    try {
      await fill(handle, bytes, { ...as, mode });
      await temps.keeper?.check();
      const published = await publish(temp);
      if (!published) await ignoreErrors(fs.unlink(temp));
      return published;
    } catch (error) {
      await ignoreErrors(fs.unlink(temp));
      throw error;
    }
  };
  try {
    // A random name: a file that a crash has left must never conflict with one of a later process.
    if (temps.folder !== undefined) return await attempt(path.join(temps.folder, randomUUID()));
    return await attempt(path.join(path.dirname(final), `.~${randomUUID()}`));
  } catch (error) {
    if (!hasCode(error, 'EXDEV')) throw error;
    const hidden = path.join(path.dirname(final), `.~${path.basename(final)}`);
    await orNull(fs.unlink(hidden)); // Left by a crash. The name depends on `final` alone, so there is at most one.
    return attempt(hidden);
  }
}

/** Makes a new file. Its folder may have been removed, as by a sync program: then the folder is made again first. */
async function openNew(fs: FileSystem, file: string, mode: number, { keeper }: TempFiles): Promise<OpenFile> {
  try {
    return await fs.open(file, 'wx', mode);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
    await keeper?.restore();
    return fs.open(file, 'wx', mode);
  }
}

/** Writes a whole new file and closes it. */
async function fill(
  handle: OpenFile,
  bytes: Uint8Array,
  { sync, mode, mtime, meanwhile }: WriteOptions,
): Promise<void> {
  try {
    await writeAll(handle, bytes);
    const stat = await handle.stat();
    // The size is checked because a full disk must not pass for a written note, whatever the calls before returned.
    if (stat.size !== bytes.length)
      throw new Error(`Only ${stat.size} of ${bytes.length} bytes were written.`);
    if (mode !== undefined && (stat.mode & 0o777) !== mode) await handle.chmod(mode);
    if (mtime !== undefined) await handle.utimes(mtime, mtime);
    if (sync) await syncFile(handle, meanwhile);
  } finally {
    await handle.close();
  }
}

async function syncFile(handle: OpenFile, meanwhile: readonly (() => void)[] = []): Promise<void> {
  const synced = handle.sync();
  for (const piece of meanwhile) piece();
  await synced;
}

/**
 * Gives the file at `from` the name `to`; resolves false when the name is taken. Where the file system has hard links the
 * file keeps the name `from` as well. Without hard links it is renamed, and only after `noted` has resolved.
 */
async function takeName(
  fs: FileSystem,
  from: string,
  to: string,
  noted?: Promise<unknown>,
): Promise<boolean> {
  try {
    await fs.link(from, to);
    return true;
  } catch (error) {
    if (hasNoLinks(error)) {
      await noted;
      return renameIntoFree(fs, from, to);
    }
    // A network drive that lost its answer may report a link that it has made as failed, or its name as taken.
    if (await isSame(fs, from, to)) return true;
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** Gives a temporary file its name, and takes the temporary one away; resolves false when the name is taken. */
async function nameNew(fs: FileSystem, temp: string, final: string): Promise<boolean> {
  const isNamed = await takeName(fs, temp, final);
  if (isNamed) await ignoreErrors(fs.unlink(temp));
  return isNamed;
}

/**
 * Makes or replaces the file at an absolute path, whose folder is there: a cut leaves no file, the old one or the new one. Durable
 * when it resolves. With `isNew` it replaces none, and resolves false, leaving nothing behind, when the name is taken.
 * @param as.check rejects when the file must not be changed any more
 */
export async function writeWhole(
  file: string,
  bytes: Uint8Array,
  as: Pick<WriteOptions, 'mode' | 'mtime'> & {
    readonly isNew?: boolean;
    readonly check?: (() => Promise<void>) | undefined;
  },
): Promise<boolean> {
  const { mode, mtime, isNew = false, check } = as;
  const fs = nodeFileSystem;
  const publish = async (temp: string): Promise<boolean> => {
    await check?.();
    if (isNew) return nameNew(fs, temp, file);
    await retryWhileBusy(() => fs.rename(temp, file));
    return true;
  };
  const isWritten = await throughTemporary(fs, {}, file, bytes, { sync: true, mode, mtime }, publish);
  if (isWritten) await syncNames(fs, path.dirname(file));
  return isWritten;
}

/** Returns true when both names are of one file; false also when that is unknown. */
async function isSame(fs: FileSystem, one: string, other: string): Promise<boolean> {
  const stat = await orNull(fs.lstat(one)).catch(() => null);
  return stat !== null && (await isSameFile(fs, { full: other, stat }).catch(() => false));
}

/**
 * Renames without hard links: an empty file reserves the name, which only one process can make, and the rename replaces it
 * atomically.
 */
async function renameIntoFree(fs: FileSystem, from: string, to: string): Promise<boolean> {
  try {
    await (await fs.open(to, 'wx', PRIVATE.file)).close();
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    await ignoreErrors(removeEmpty(fs, to));
    throw error;
  }
  try {
    await retryWhileBusy(() => fs.rename(from, to));
    return true;
  } catch (error) {
    // The rename may have happened all the same; then the only name of the file must not be removed.
    if ((await orNull(fs.lstat(from))) === null) return true;
    await ignoreErrors(removeEmpty(fs, to));
    throw error;
  }
}

async function removeEmpty(fs: FileSystem, file: string): Promise<void> {
  if ((await fs.lstat(file))?.size === 0) await fs.unlink(file);
}

/** Flags that do not follow a link and do not wait for the other end of a pipe. Windows has neither. */
const SAFELY = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const READ = constants.O_RDONLY | SAFELY;
const APPEND = constants.O_WRONLY | constants.O_APPEND | SAFELY;
const APPEND_NEW = APPEND | constants.O_CREAT | constants.O_EXCL;

/** The fields of a stat that change when a file is saved. */
const STAMP = ['dev', 'ino', 'size', 'mtimeMs', 'ctimeMs'] as const;

/** The stat of a path, with its folder. */
interface Located {
  readonly folder: Folder;
  readonly stat: FileInfo;
}

/**
 * Files below one root, each written as a whole: a crash leaves the old or the new one. A text is written to a temporary
 * file and synced; then the file is linked or renamed into place, and its folder is synced.
 */
export class Disk {
  readonly folders: Folders;
  readonly #newMode: number;
  readonly #appends = new KeyedMutex();
  /** The identities of appended files whose names are on the disk. */
  readonly #named = new Set<string>();

  constructor(
    readonly fs: FileSystem,
    root: string,
    private readonly temps: TempFiles,
  ) {
    this.#newMode = (temps.modes ?? SHARED).file;
    const check = async (): Promise<void> => temps.keeper?.check();
    this.folders = new Folders(fs, root, check, (temps.modes ?? SHARED).folder);
  }

  /** Returns the stat of a regular file; null when there is none, or when the path is anything else. */
  async stat(at: string): Promise<FileInfo | null> {
    const found = await this.#look(at);
    return found?.stat.isFile() === true ? found.stat : null;
  }

  /**
   * Returns the bytes of a regular file; null when there is none. A link, a pipe or a device is not read and counts as
   * none.
   * @throws BrainError `unsupported_type` when the file has more than `maxBytes`.
   */
  read(at: string, maxBytes?: number): Promise<Buffer<ArrayBuffer> | null> {
    return this.#reading(at, (handle, size) => readAll(handle, size, at, maxBytes));
  }

  /** Reads bytes of a file, from one offset to before another: fewer where the file ends before. Null when there is none. */
  readPart(at: string, from: number, to: number): Promise<Uint8Array<ArrayBuffer> | null> {
    return this.#reading(at, (handle) => readPart(handle, from, to));
  }

  /** Opens a file to read it; resolves null when there is none. */
  async #reading<T>(at: string, work: (handle: OpenFile, size: number) => Promise<T>): Promise<T | null> {
    const found = await this.#look(at);
    // A stat is cheaper than an open that fails. On Windows, which lacks the flag, only a stat recognizes a link.
    const handle = found?.stat.isFile() === true ? await this.#open(this.#fileIn(found.folder, at)) : null;
    if (handle === null) return null;
    try {
      const stat = await handle.stat();
      return stat.isFile() ? await work(handle, stat.size) : null;
    } finally {
      await handle.close();
    }
  }

  /**
   * Makes a file with its folders, durably; resolves false, leaving nothing behind, when the name is taken. The taken name
   * is then made durable, as its writer may have been cut off before. The last piece of `meanwhile` runs while the system
   * syncs the name, the others while it syncs the bytes.
   * @param mode the permission bits of the file; those of a new one when undefined
   */
  async create(
    at: string,
    bytes: Uint8Array,
    meanwhile: readonly (() => void)[] = [],
    mode?: number,
  ): Promise<boolean> {
    const { folder, made } = await this.folders.make(parentOf(at));
    const final = this.#fileIn(folder, at);
    let linked = false;
    try {
      const created = await throughTemporary(
        this.fs,
        this.temps,
        final,
        bytes,
        { sync: true, mode, meanwhile: meanwhile.slice(0, -1) },
        async (temp) => {
          linked = await takeName(this.fs, temp, final);
          if (!linked) return false;
          // The temporary name is removed while the folder is synced; the next start removes one that outlasts a crash.
          const gone = ignoreErrors(this.fs.unlink(temp));
          const synced = this.folders.sync(folder, made);
          meanwhile.at(-1)?.();
          await Promise.all([gone, synced]);
          return true;
        },
      );
      if (!created) {
        await this.folders.sync(folder);
        await this.folders.removeEmpty(made);
      }
      return created;
    } catch (error) {
      if (linked) await ignoreErrors(this.fs.unlink(final));
      await ignoreErrors(this.folders.removeEmpty(made));
      throw error;
    }
  }

  /**
   * Replaces or makes a file, atomically, and durably when `sync` is true. With `expected`, only while the file still holds
   * these bytes (null: while there is no file); else resolves false, leaving nothing behind. Of the permission bits of the file
   * it keeps those that `bound` has too. The file gets the time `mtime` (s since the epoch), or that of the writing.
   */
  async replace(
    at: string,
    bytes: Uint8Array,
    {
      sync,
      expected,
      bound = 0o777,
      mtime,
    }: Pick<WriteOptions, 'sync' | 'mtime'> & {
      readonly expected?: Uint8Array | null;
      readonly bound?: number | undefined;
    },
  ): Promise<boolean> {
    const existing = await this.#regularOrNone(at);
    if (expected !== undefined && (existing === null) !== (expected === null)) return false;
    const { folder, made } = existing ? { ...existing, made: [] } : await this.folders.make(parentOf(at));
    const final = this.#fileIn(folder, at);
    const publish = async (temp: string): Promise<boolean> => {
      if (expected === null) return nameNew(this.fs, temp, final);
      if (expected && !(await this.#stillHolds(at, final, expected))) return false;
      await retryWhileBusy(() => this.fs.rename(temp, final));
      return true;
    };
    try {
      const as = { sync, mtime, mode: existing ? existing.stat.mode & bound : undefined };
      const replaced = await throughTemporary(this.fs, this.temps, final, bytes, as, publish);
      if (replaced && sync) await this.folders.sync(folder, made);
      if (!replaced) await this.folders.removeEmpty(made);
      return replaced;
    } catch (error) {
      await ignoreErrors(this.folders.removeEmpty(made));
      throw error;
    }
  }

  /**
   * Returns true when the file holds these bytes and was not saved or replaced during the comparison. It is called right
   * before the file is replaced: no system call compares and replaces in one step.
   */
  async #stillHolds(at: string, final: string, bytes: Uint8Array): Promise<boolean> {
    const before = await orNull(this.fs.lstat(final));
    if (before === null || (await this.read(at))?.equals(bytes) !== true) return false;
    const after = await orNull(this.fs.lstat(final));
    return after !== null && STAMP.every((key) => after[key] === before[key]);
  }

  /**
   * Appends to a file, making it and its folders when absent. When it rejects, the file is as it was; without `sync`, the
   * new bytes may be in it. Bytes that others append meanwhile stay in any case.
   */
  append(at: string, bytes: Uint8Array, sync: boolean): Promise<void> {
    // One append at a time: a failed one truncates the file, which must not cut off the bytes of another.
    return this.#appends.run(at, () => this.#append(at, bytes, sync));
  }

  /** Replaces the bytes of a file, durably, while no append runs; resolves false when `change` keeps them. */
  rewrite(at: string, change: (bytes: Buffer<ArrayBuffer>) => Promise<Uint8Array | null>): Promise<boolean> {
    return this.#appends.run(at, async () => {
      const bytes = await this.read(at, MAX_STATE_BYTES);
      const changed = bytes && (await change(bytes));
      return changed === null ? false : this.replace(at, changed, { sync: true });
    });
  }

  async #append(at: string, bytes: Uint8Array, sync: boolean): Promise<void> {
    const existing = await this.#regularOrNone(at);
    const { folder, made } = existing ? { ...existing, made: [] } : await this.folders.make(parentOf(at));
    const final = this.#fileIn(folder, at);
    const isNew = existing === null;
    try {
      if (!isNew && sync) await this.#settleName(existing);
      await this.temps.keeper?.check();
      const handle = await this.fs.open(final, isNew ? APPEND_NEW : APPEND, this.#newMode);
      try {
        await appendAll(handle, bytes, sync);
      } finally {
        // Synced bytes are on the disk, whatever closing the file reports.
        await (sync ? ignoreErrors(handle.close()) : handle.close());
      }
      if (isNew && sync) await this.folders.sync(folder, made);
    } catch (error) {
      // A call that failed may have made the file; with EEXIST another process made it.
      if (isNew && !hasCode(error, 'EEXIST')) await ignoreErrors(this.#removeBeginning(at, final, bytes));
      await ignoreErrors(this.folders.removeEmpty(made));
      throw error;
    }
  }

  /** Makes the name of a file durable: an earlier append without a sync may have made the file. */
  async #settleName({ folder, stat }: Located): Promise<void> {
    const identity = identityOf(stat);
    if (this.#named.has(identity)) return;
    await this.folders.sync(folder);
    this.#named.add(identity);
  }

  /** Removes a file that a failed append made, unless it holds anything but the beginning of `bytes`. */
  async #removeBeginning(at: string, final: string, bytes: Uint8Array): Promise<void> {
    const found = await this.read(at);
    if (found?.equals(bytes.subarray(0, found.length)) === true) await this.fs.unlink(final);
  }

  /**
   * Removes a regular file, durably, also one whose removal was cut off before; resolves false, leaving the file, when it
   * holds other bytes than `expected`.
   */
  async remove(at: string, expected?: Uint8Array): Promise<boolean> {
    const found = await this.#look(at);
    if (found === null) {
      const folder = await this.folders.find(parentOf(at));
      if (folder !== null) await this.folders.sync(folder);
      return true;
    }
    if (!found.stat.isFile()) throw notAllowed(at, 'is no regular file');
    const final = this.#fileIn(found.folder, at);
    if (expected !== undefined && !(await this.#stillHolds(at, final, expected))) return false;
    await this.temps.keeper?.check();
    await orNull(retryWhileBusy(() => this.fs.unlink(final)));
    await this.folders.sync(found.folder);
    return true;
  }

  /**
   * Moves a regular file, durably; resolves false, leaving nothing behind, when there is no such file or the name is taken.
   * The old path is removed only after `noted` has resolved. A crash leaves the file at least at one path, at worst at
   * both; the same call then removes the old one. When it rejects, the file is at one of the two.
   */
  async move(from: string, to: string, noted?: Promise<unknown>): Promise<boolean> {
    const found = await this.#look(from);
    if (found?.stat.isFile() !== true) return false;
    const { folder, made } = await this.folders.make(parentOf(to));
    const [source, final] = [this.#fileIn(found.folder, from), this.#fileIn(folder, to)];
    const original = { full: source, stat: found.stat };
    let isNamed = false;
    try {
      // On a case-insensitive disk both names may be the same one.
      const isItself =
        folder.identity === found.folder.identity && fold(fileName(from)) === fold(fileName(to));
      await this.temps.keeper?.check();
      isNamed = !isItself && (await this.#nameAs(original, { from, to, final, noted }));
      if (!isNamed) {
        await this.folders.removeEmpty(made);
        return false;
      }
      // The new name must be on the disk before the old one is removed: a loss of power must leave one of them.
      await this.folders.sync(folder, made);
      await noted;
      await this.temps.keeper?.check();
      // A file that another program has put there meanwhile stays.
      if (await isSameFile(this.fs, original)) await orNull(retryWhileBusy(() => this.fs.unlink(source)));
    } catch (error) {
      if (isNamed && (await isSameFile(this.fs, original))) await ignoreErrors(this.fs.unlink(final));
      await ignoreErrors(this.folders.removeEmpty(made));
      throw error;
    }
    await this.folders.sync(found.folder);
    return true;
  }

  /**
   * Gives a synced file that this process has made, at the absolute path `full`, a path below the root, durably. Resolves
   * false, leaving nothing behind, when the name is taken. The file keeps its old name where the file system has hard links.
   */
  async adopt(full: string, at: string): Promise<boolean> {
    const { folder, made } = await this.folders.make(parentOf(at));
    const final = this.#fileIn(folder, at);
    let isNamed = false;
    try {
      await this.temps.keeper?.check();
      isNamed = await takeName(this.fs, full, final).catch((error: unknown) => {
        if (!hasCode(error, 'EXDEV')) throw error;
        return this.#copyTo(full, final);
      });
      await (isNamed ? this.folders.sync(folder, made) : this.folders.removeEmpty(made));
      return isNamed;
    } catch (error) {
      if (isNamed) await ignoreErrors(this.fs.unlink(final));
      await ignoreErrors(this.folders.removeEmpty(made));
      throw error;
    }
  }

  /** Copies a file to another file system, in pieces, and gives the whole copy its name; false when that is taken. */
  async #copyTo(full: string, final: string): Promise<boolean> {
    const hidden = path.join(path.dirname(final), `.~${path.basename(final)}`);
    await orNull(this.fs.unlink(hidden)); // Left by a crash.
    try {
      const from = await this.fs.open(full, READ);
      try {
        const to = await this.fs.open(hidden, 'wx', this.#newMode);
        try {
          await copyAll(from, to);
          await to.sync();
        } finally {
          await to.close();
        }
      } finally {
        await from.close();
      }
      return await takeName(this.fs, hidden, final);
    } finally {
      await ignoreErrors(this.fs.unlink(hidden));
    }
  }

  /**
   * Gives a file a second name, or finds that it has the name already, as after a crash; resolves false when another file
   * has it.
   */
  async #nameAs(
    { full, stat }: FoundFile,
    {
      from,
      to,
      final,
      noted,
    }: Record<'from' | 'to' | 'final', string> & { noted?: Promise<unknown> | undefined },
  ): Promise<boolean> {
    try {
      if (await takeName(this.fs, full, final, noted)) return true;
    } catch (error) {
      if (!hasCode(error, 'EXDEV')) throw error;
      const bytes = await this.read(from);
      return bytes !== null && this.create(to, bytes, [], stat.mode);
    }
    return isSameFile(this.fs, { full: final, stat });
  }

  #fileIn(folder: Folder, at: string): string {
    return folder.full + path.sep + this.folders.spelled(at);
  }

  /** Returns the stat of a path, of any kind, with its folder; null when there is nothing. */
  async #look(at: string): Promise<Located | null> {
    const folder = await this.folders.find(parentOf(at));
    if (folder === null) return null;
    const stat = await orNull(this.fs.lstat(this.#fileIn(folder, at)));
    if (stat !== null) return { folder, stat };
    return (await this.folders.respell(at)) ? this.#look(at) : null;
  }

  async #regularOrNone(at: string): Promise<Located | null> {
    const found = await this.#look(at);
    if (found !== null && !found.stat.isFile()) throw notAllowed(at, 'is no regular file');
    return found;
  }

  /** Opens a file for reading, never through a link; null when there is no file that could be a note. */
  async #open(full: string): Promise<OpenFile | null> {
    try {
      return await this.fs.open(full, READ);
    } catch (error) {
      // ELOOP and EMLINK: a link. ENXIO: a socket.
      if (hasCode(error, 'ENOENT', 'ENOTDIR', 'ELOOP', 'EMLINK', 'ENXIO')) return null;
      throw error;
    }
  }
}
