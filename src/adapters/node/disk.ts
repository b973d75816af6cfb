import { constants } from 'node:fs';
import path from 'node:path';
import { PathQueue } from '../../core/path-queue';
import { fileName, fold } from '../../core/rules/paths';
import { notAllowed } from '../../core/store-path';
import { type FileInfo, type FileSystem, hasCode, type OpenFile, orNull } from './file-system';
import { type Folder, Folders, identityOf, parentOf } from './folders';
import { isStill, type StandingFile } from './standing-file';
import { NEW_MODE, takeName, type Temps, throughTemporary } from './temporary';
import { appendAll, patiently, quietly, readAll } from './whole-file';

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
  readonly #appends = new PathQueue();
  /** Files that are added to and whose names are on the disk, by identity. */
  readonly #named = new Set<string>();

  constructor(
    readonly fs: FileSystem,
    root: string,
    private readonly temps: Temps,
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
      if (await isStill(this.fs, stands)) await orNull(patiently(() => this.fs.unlink(source)));
    } catch (error) {
      if (isNamed && (await isStill(this.fs, stands))) await quietly(this.fs.unlink(final));
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
    return isStill(this.fs, { full: final, stat });
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
