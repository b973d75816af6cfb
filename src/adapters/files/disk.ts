import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import path from 'node:path';
import { KeyedMutex } from '../../core/base/concurrency';
import { notAllowed } from '../../core/ports/ports';
import { fileName, fold } from '../../core/vocabulary/paths';
import {
  type FileInfo,
  type FileSystem,
  hasCode,
  hasNoLinks,
  isSameFile,
  type OpenFile,
  orNull,
  type StandingFile,
} from './file-system';
import { type Folder, Folders, identityOf, parentOf } from './folders';
import { appendAll, patiently, quietly, readAll, writeAll } from './whole-file';

/** What a new file may be used for; the user's umask takes away from it. */
const NEW_MODE = 0o666;

/** How a new file is written. */
interface WriteOptions {
  readonly sync: boolean;
  /** Permission bits; what the umask leaves of NEW_MODE when undefined. */
  readonly mode?: number | undefined;
  /** Work to be done while the sync is under way. */
  readonly meanwhile?: readonly (() => void)[];
}

/** Where temporary files are made. */
interface TempFiles {
  /** Absolute path of the folder. Closed to other users, so that the files are too whatever their mode. */
  readonly folder: string;
  /** Makes the folder again when another program has taken it away, or rejects where that may not be; else does nothing. */
  readonly restore?: (() => Promise<void>) | undefined;
}

/**
 * Writes a file in the folder of `temps` and lets `publish` put it at `final`; `publish` resolves false when it did not. When
 * that place is on another device than the temporary files, one beside it is used, hidden by its name.
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
    const handle = await openNew(fs, temp, mode ?? NEW_MODE, temps);
    // From here on the file is ours, to be removed when anything fails.
    try {
      await fill(handle, bytes, { ...as, mode });
      const published = await publish(temp);
      if (!published) await quietly(fs.unlink(temp));
      return published;
    } catch (error) {
      await quietly(fs.unlink(temp));
      throw error;
    }
  };
  try {
    // Not a number that counts: what a crash has left must never be in the way of a later process.
    return await attempt(path.join(temps.folder, randomUUID()));
  } catch (error) {
    if (!hasCode(error, 'EXDEV')) throw error;
    const beside = path.join(path.dirname(final), `.~${path.basename(final)}`);
    await orNull(fs.unlink(beside)); // Left by a crash: the name is the same each time, so there is one at most.
    return attempt(beside);
  }
}

/** Makes a new file. Its folder may have been taken away, as by a sync program: then it is made again first. */
async function openNew(
  fs: FileSystem,
  file: string,
  mode: number,
  { restore }: TempFiles,
): Promise<OpenFile> {
  try {
    return await fs.open(file, 'wx', mode);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
    await restore?.();
    return fs.open(file, 'wx', mode);
  }
}

/** Writes the whole of a new file and closes it. */
async function fill(
  handle: OpenFile,
  bytes: Uint8Array,
  { sync, mode, meanwhile }: WriteOptions,
): Promise<void> {
  try {
    await writeAll(handle, bytes);
    const stat = await handle.stat();
    // A full disk must not pass for a written note, whatever the calls before have said.
    if (stat.size !== bytes.length)
      throw new Error(`Only ${stat.size} of ${bytes.length} bytes were written.`);
    if (mode !== undefined && (stat.mode & 0o777) !== mode) await handle.chmod(mode);
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
 * Gives the file at `from` the name `to`, unless that is taken: then false. Where the file system has hard links it has the
 * name `from` as well afterwards; where it has none, it has `to` alone, and that not before `noted` has resolved.
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
    // A network drive that lost the answer says of a link that it has made that it failed, or that the name is taken.
    if (await isSame(fs, from, to)) return true;
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** True when both names are of one file; false also when that cannot be told. */
async function isSame(fs: FileSystem, one: string, other: string): Promise<boolean> {
  const stat = await orNull(fs.lstat(one)).catch(() => null);
  return stat !== null && (await isSameFile(fs, { full: other, stat }).catch(() => false));
}

/** Without hard links: an empty file takes the name, which only one can do, and the whole one replaces it at once. */
async function renameIntoFree(fs: FileSystem, from: string, to: string): Promise<boolean> {
  try {
    await (await fs.open(to, 'wx', NEW_MODE)).close();
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    await quietly(removeEmpty(fs, to));
    throw error;
  }
  try {
    await patiently(() => fs.rename(from, to));
    return true;
  } catch (error) {
    // It may have been done all the same, and then the only name of the file must not go.
    if ((await orNull(fs.lstat(from))) === null) return true;
    await quietly(removeEmpty(fs, to));
    throw error;
  }
}

async function removeEmpty(fs: FileSystem, file: string): Promise<void> {
  if ((await fs.lstat(file))?.size === 0) await fs.unlink(file);
}

/** Neither follows a link nor waits for the other end of a pipe. Windows has neither flag. */
const SAFELY = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const READ = constants.O_RDONLY | SAFELY;
const APPEND = constants.O_WRONLY | constants.O_APPEND | SAFELY;
const APPEND_NEW = APPEND | constants.O_CREAT | constants.O_EXCL;

/** What tells a file that has been saved meanwhile. */
const STAMP = ['dev', 'ino', 'size', 'mtimeMs', 'ctimeMs'] as const;

/** What stands at a path, with the folder it stands in. */
interface Standing {
  readonly folder: Folder;
  readonly stat: FileInfo;
}

/**
 * Whole files below one root, written so that a cut anywhere leaves the old or the new one. A text goes into a temporary
 * file first and is synced there; then it is linked or renamed into place, and its folder is synced.
 */
export class Disk {
  readonly folders: Folders;
  readonly #appends = new KeyedMutex();
  /** Files that are added to and whose names are on the disk, by identity. */
  readonly #named = new Set<string>();

  constructor(
    readonly fs: FileSystem,
    root: string,
    private readonly temps: TempFiles,
  ) {
    this.folders = new Folders(fs, root, temps.restore);
  }

  /** What the system says of a regular file; null when there is none, or when something else stands there. */
  async stat(at: string): Promise<FileInfo | null> {
    const found = await this.#look(at);
    return found?.stat.isFile() === true ? found.stat : null;
  }

  /** The bytes of a regular file; null when there is none. A link, a pipe or a device counts as none and is not read. */
  async read(at: string, maxBytes?: number): Promise<Buffer<ArrayBuffer> | null> {
    const found = await this.#look(at);
    // Asking first is cheaper than failing to open, and on Windows, which lacks the flag, a link can only be told beforehand.
    const handle = found?.stat.isFile() === true ? await this.#open(this.#fileIn(found.folder, at)) : null;
    if (handle === null) return null;
    try {
      const stat = await handle.stat();
      return stat.isFile() ? await readAll(handle, stat.size, at, maxBytes) : null;
    } finally {
      await handle.close();
    }
  }

  /**
   * Makes a file with its folders, durably; resolves false, leaving nothing behind, when the name is taken: then that name is
   * durable, as whoever took it may have been cut before the disk had it. The last
   * piece of `meanwhile` is called while the system brings the name to the disk, the others while it does so with the bytes.
   */
  async create(at: string, bytes: Uint8Array, meanwhile: readonly (() => void)[] = []): Promise<boolean> {
    const { folder, made } = await this.folders.make(parentOf(at));
    const final = this.#fileIn(folder, at);
    let linked = false;
    try {
      const created = await throughTemporary(
        this.fs,
        this.temps,
        final,
        bytes,
        { sync: true, meanwhile: meanwhile.slice(0, -1) },
        async (temp) => {
          linked = await takeName(this.fs, temp, final);
          if (!linked) return false;
          // The temporary name goes while the folder is synced; should it outlast a crash, the next start removes it.
          const gone = quietly(this.fs.unlink(temp));
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
      if (linked) await quietly(this.fs.unlink(final));
      await quietly(this.folders.removeEmpty(made));
      throw error;
    }
  }

  /**
   * Replaces or makes a file, atomically, and durably when `sync` is true. With `expected` only while it still holds these
   * bytes, or while nothing stands there when they are null; resolves false, leaving nothing behind, when that is not so.
   */
  async replace(
    at: string,
    bytes: Uint8Array,
    { sync, expected }: { readonly sync: boolean; readonly expected?: Uint8Array | null },
  ): Promise<boolean> {
    const standing = await this.#regularOrNone(at);
    if (expected !== undefined && (standing === null) !== (expected === null)) return false;
    const { folder, made } = standing ? { ...standing, made: [] } : await this.folders.make(parentOf(at));
    const final = this.#fileIn(folder, at);
    const publish = async (temp: string): Promise<boolean> => {
      if (expected === null) {
        const linked = await takeName(this.fs, temp, final);
        if (linked) await quietly(this.fs.unlink(temp));
        return linked;
      }
      if (expected && !(await this.#stillHolds(at, final, expected))) return false;
      await patiently(() => this.fs.rename(temp, final));
      return true;
    };
    try {
      const as = { sync, mode: standing?.stat.mode };
      const replaced = await throughTemporary(this.fs, this.temps, final, bytes, as, publish);
      if (replaced && sync) await this.folders.sync(folder, made);
      if (!replaced) await this.folders.removeEmpty(made);
      return replaced;
    } catch (error) {
      await quietly(this.folders.removeEmpty(made));
      throw error;
    }
  }

  /**
   * True when the file holds these bytes and nobody has saved it while they were compared, not even by putting another file in
   * its place. Asked right before it is replaced: no call of any system compares and replaces in one.
   */
  async #stillHolds(at: string, final: string, bytes: Uint8Array): Promise<boolean> {
    const before = await orNull(this.fs.lstat(final));
    if (before === null || (await this.read(at))?.equals(bytes) !== true) return false;
    const after = await orNull(this.fs.lstat(final));
    return after !== null && STAMP.every((key) => after[key] === before[key]);
  }

  /**
   * Adds to the end of a file, making it and its folders when absent. When it rejects, the file is as it was, but for bytes
   * that were not to be synced: those may stand. Whatever was added by anyone else stands in any case.
   */
  append(at: string, bytes: Uint8Array, sync: boolean): Promise<void> {
    // One at a time: what one takes back when it fails must not be what another has added behind it.
    return this.#appends.run(at, () => this.#append(at, bytes, sync));
  }

  async #append(at: string, bytes: Uint8Array, sync: boolean): Promise<void> {
    const standing = await this.#regularOrNone(at);
    const { folder, made } = standing ? { ...standing, made: [] } : await this.folders.make(parentOf(at));
    const final = this.#fileIn(folder, at);
    const isNew = standing === null;
    try {
      if (!isNew && sync) await this.#settleName(standing);
      const handle = await this.fs.open(final, isNew ? APPEND_NEW : APPEND, NEW_MODE);
      try {
        await appendAll(handle, bytes, sync);
      } finally {
        // What has been synced stands, whatever the system says when the file is let go of.
        await (sync ? quietly(handle.close()) : handle.close());
      }
      if (isNew && sync) await this.folders.sync(folder, made);
    } catch (error) {
      // It may have been made by a call that failed; only where it was taken it is somebody else's.
      if (isNew && !hasCode(error, 'EEXIST')) await quietly(this.#removeBeginning(at, final, bytes));
      await quietly(this.folders.removeEmpty(made));
      throw error;
    }
  }

  /** Brings the name of a file to the disk: what was added before without a sync may have made it. */
  async #settleName({ folder, stat }: Standing): Promise<void> {
    const identity = identityOf(stat);
    if (this.#named.has(identity)) return;
    await this.folders.sync(folder);
    this.#named.add(identity);
  }

  /** Removes a file that was made for `bytes`, unless it holds anything but the beginning of them. */
  async #removeBeginning(at: string, final: string, bytes: Uint8Array): Promise<void> {
    const stands = await this.read(at);
    if (stands?.equals(bytes.subarray(0, stands.length)) === true) await this.fs.unlink(final);
  }

  /**
   * Removes a regular file, durably, also one that a cut took before; false, leaving it, when it holds other bytes than
   * `expected`.
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
    await orNull(patiently(() => this.fs.unlink(final)));
    await this.folders.sync(found.folder);
    return true;
  }

  /**
   * Gives a regular file another path, durably; resolves false, leaving nothing behind, when there is no such file or the
   * name is taken. The first path is not given up before `noted` has resolved. A cut leaves the file under both at worst, and
   * the same call then takes the first one away. When it rejects, the file stands under one of the two.
   */
  async move(from: string, to: string, noted?: Promise<unknown>): Promise<boolean> {
    const found = await this.#look(from);
    if (found?.stat.isFile() !== true) return false;
    const { folder, made } = await this.folders.make(parentOf(to));
    const [source, final] = [this.#fileIn(found.folder, from), this.#fileIn(folder, to)];
    const stands = { full: source, stat: found.stat };
    let isNamed = false;
    try {
      // Where the disk knows no case, both names may be one and the same.
      const isItself =
        folder.identity === found.folder.identity && fold(fileName(from)) === fold(fileName(to));
      isNamed = !isItself && (await this.#nameAs(stands, { from, to, final, noted }));
      if (!isNamed) {
        await this.folders.removeEmpty(made);
        return false;
      }
      // The new name has to be on the disk before the old one goes: a loss of power must leave one of them.
      await this.folders.sync(folder, made);
      await noted;
      // What another program has put there meanwhile is not ours to take away.
      if (await isSameFile(this.fs, stands)) await orNull(patiently(() => this.fs.unlink(source)));
    } catch (error) {
      if (isNamed && (await isSameFile(this.fs, stands))) await quietly(this.fs.unlink(final));
      await quietly(this.folders.removeEmpty(made));
      throw error;
    }
    await this.folders.sync(found.folder);
    return true;
  }

  /** Gives a file a second name, or finds that it has it already, as a cut leaves it; false when another file has it. */
  async #nameAs(
    { full, stat }: StandingFile,
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
      return bytes !== null && this.create(to, bytes);
    }
    return isSameFile(this.fs, { full: final, stat });
  }

  #fileIn(folder: Folder, at: string): string {
    return folder.full + path.sep + this.folders.spelled(at);
  }

  /** Whatever stands at the path, with the folder it stands in; null when nothing does. */
  async #look(at: string): Promise<Standing | null> {
    const folder = await this.folders.find(parentOf(at));
    if (folder === null) return null;
    const stat = await orNull(this.fs.lstat(this.#fileIn(folder, at)));
    if (stat !== null) return { folder, stat };
    return (await this.folders.respell(at)) ? this.#look(at) : null;
  }

  async #regularOrNone(at: string): Promise<Standing | null> {
    const found = await this.#look(at);
    if (found !== null && !found.stat.isFile()) throw notAllowed(at, 'is no regular file');
    return found;
  }

  /** Opens for reading, never through a link; null when nothing stands there that could be a note. */
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
