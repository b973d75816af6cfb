import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import path from 'node:path';
import { PathQueue } from '../../core/path-queue';
import { notAllowed } from '../../core/store-path';
import { type FileInfo, type FileSystem, hasCode, hasNoLinks, type OpenFile, orNull } from './file-system';
import { type Folder, Folders, parentOf } from './folders';
import { appendAll, patiently, quietly, readAll, writeAll } from './whole-file';

/** Neither follows a link nor waits for the other end of a pipe. Windows has neither flag. */
const SAFELY = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const READ = constants.O_RDONLY | SAFELY;
const APPEND = constants.O_WRONLY | constants.O_APPEND | SAFELY;
const APPEND_NEW = APPEND | constants.O_CREAT | constants.O_EXCL;
/** What a new file may be used for; the user's umask takes away from it. */
const NEW_MODE = 0o666;

/** What stands at a path, with the folder it stands in. */
interface Standing {
  readonly folder: Folder;
  readonly stat: FileInfo;
}

/** How a new file is written. */
interface WriteOptions {
  readonly sync: boolean;
  /** Permission bits; what the umask leaves of NEW_MODE when undefined. */
  readonly mode?: number | undefined;
  /** Work to be done while the sync is under way. */
  readonly meanwhile?: readonly (() => void)[];
}

/**
 * Whole files below one root, written so that a cut anywhere leaves the old or the new one. A text goes into a temporary
 * file first and is synced there; then it is linked or renamed into place, and its folder is synced.
 */
export class Disk {
  readonly folders: Folders;
  readonly #appends = new PathQueue();

  constructor(
    readonly fs: FileSystem,
    root: string,
    /** Absolute path of the folder for temporary files. Closed to other users, so they are too whatever their mode. */
    private readonly temps: string,
  ) {
    this.folders = new Folders(fs, root);
  }

  /** What the system says of a regular file; null when there is none, or when something else stands there. */
  async stat(at: string): Promise<FileInfo | null> {
    const found = await this.#look(at);
    return found?.stat.isFile() === true ? found.stat : null;
  }

  /** The bytes of a regular file; null when there is none. A link, a pipe or a device counts as none and is not read. */
  async read(at: string): Promise<Buffer | null> {
    const found = await this.#look(at);
    // Asking first is cheaper than failing to open, and on Windows, which lacks the flag, a link can only be told beforehand.
    const handle = found?.stat.isFile() === true ? await this.#open(this.#fileIn(found.folder, at)) : null;
    if (handle === null) return null;
    try {
      const stat = await handle.stat();
      return stat.isFile() ? await readAll(handle, stat.size, at) : null;
    } finally {
      await handle.close();
    }
  }

  /**
   * Makes a file with its folders, durably; resolves false, leaving nothing behind, when the name is taken. The last
   * piece of `meanwhile` is called while the system brings the name to the disk, the others while it does so with the bytes.
   */
  async create(at: string, bytes: Uint8Array, meanwhile: readonly (() => void)[] = []): Promise<boolean> {
    const { folder, made } = await this.folders.make(parentOf(at));
    const final = this.#fileIn(folder, at);
    let linked = false;
    try {
      const created = await this.#throughTemp(
        final,
        bytes,
        { sync: true, meanwhile: meanwhile.slice(0, -1) },
        async (temp) => {
          linked = await this.#link(temp, final);
          if (!linked) return false;
          // The temporary name goes while the folder is synced; should it outlast a crash, the next start removes it.
          const gone = quietly(this.fs.unlink(temp));
          const synced = this.folders.sync(folder, made);
          meanwhile.at(-1)?.();
          await Promise.all([gone, synced]);
          return true;
        },
      );
      if (!created) await this.folders.removeEmpty(made);
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
        const linked = await this.#link(temp, final);
        if (linked) await quietly(this.fs.unlink(temp));
        return linked;
      }
      if (expected && (await this.read(at))?.equals(expected) !== true) return false;
      await patiently(() => this.fs.rename(temp, final));
      return true;
    };
    try {
      const replaced = await this.#throughTemp(final, bytes, { sync, mode: standing?.stat.mode }, publish);
      if (replaced && sync) await this.folders.sync(folder, made);
      if (!replaced) await this.folders.removeEmpty(made);
      return replaced;
    } catch (error) {
      await quietly(this.folders.removeEmpty(made));
      throw error;
    }
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
    let isNew = false;
    try {
      const handle = await this.fs.open(final, standing ? APPEND : APPEND_NEW, NEW_MODE);
      isNew = standing === null;
      try {
        await appendAll(handle, bytes, sync);
      } finally {
        // What has been synced stands, whatever the system says when the file is let go of.
        await (sync ? quietly(handle.close()) : handle.close());
      }
      if (isNew && sync) await this.folders.sync(folder, made);
    } catch (error) {
      if (isNew) await quietly(this.#removeBeginning(at, final, bytes));
      await quietly(this.folders.removeEmpty(made));
      throw error;
    }
  }

  /** Removes a file that was made for `bytes`, unless it holds anything but the beginning of them. */
  async #removeBeginning(at: string, final: string, bytes: Uint8Array): Promise<void> {
    const stands = await this.read(at);
    if (stands?.equals(bytes.subarray(0, stands.length)) === true) await this.fs.unlink(final);
  }

  /** Removes a regular file, durably; resolves also when there is none. */
  async remove(at: string): Promise<void> {
    const found = await this.#look(at);
    if (found === null) return;
    if (!found.stat.isFile()) throw notAllowed(at, 'is no regular file');
    await orNull(patiently(() => this.fs.unlink(this.#fileIn(found.folder, at))));
    await this.folders.sync(found.folder);
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

  /**
   * Writes a temporary file and lets `publish` put it in its place; `publish` resolves false when it did not. When the
   * place is on another device than the temporary files, one beside it is used, hidden by its name.
   */
  async #throughTemp(
    final: string,
    bytes: Uint8Array,
    as: WriteOptions,
    publish: (temp: string) => Promise<boolean>,
  ): Promise<boolean> {
    const mode = as.mode === undefined ? undefined : as.mode & 0o777;
    const attempt = async (temp: string): Promise<boolean> => {
      const handle = await this.fs.open(temp, 'wx', mode ?? NEW_MODE);
      // From here on the file is ours, to be removed when anything fails.
      try {
        await this.#fill(handle, bytes, { ...as, mode });
        const published = await publish(temp);
        if (!published) await quietly(this.fs.unlink(temp));
        return published;
      } catch (error) {
        await quietly(this.fs.unlink(temp));
        throw error;
      }
    };
    try {
      // Not a number that counts: what a crash has left must never be in the way of a later process.
      return await attempt(path.join(this.temps, randomUUID()));
    } catch (error) {
      if (!hasCode(error, 'EXDEV')) throw error;
      const beside = path.join(path.dirname(final), `.~${path.basename(final)}`);
      await orNull(this.fs.unlink(beside)); // Left by a crash: the name is the same each time, so there is one at most.
      return attempt(beside);
    }
  }

  /** Writes the whole of a new file and closes it. */
  async #fill(handle: OpenFile, bytes: Uint8Array, { sync, mode, meanwhile }: WriteOptions): Promise<void> {
    try {
      await writeAll(handle, bytes);
      const stat = await handle.stat();
      // A full disk must not pass for a written note, whatever the calls before have said.
      if (stat.size !== bytes.length)
        throw new Error(`Only ${stat.size} of ${bytes.length} bytes were written.`);
      if (mode !== undefined && (stat.mode & 0o777) !== mode) await handle.chmod(mode);
      if (sync) await this.#sync(handle, meanwhile);
    } finally {
      await handle.close();
    }
  }

  async #sync(handle: OpenFile, meanwhile: readonly (() => void)[] = []): Promise<void> {
    const synced = handle.sync();
    for (const piece of meanwhile) piece();
    await synced;
  }

  /** Gives the temporary file its final name as well, unless that is taken. */
  async #link(temp: string, final: string): Promise<boolean> {
    try {
      await this.fs.link(temp, final);
      return true;
    } catch (error) {
      if (hasCode(error, 'EEXIST')) return false;
      if (hasNoLinks(error)) return this.#renameIntoFree(temp, final);
      throw error;
    }
  }

  /** Without hard links: an empty file takes the name, which only one can do, and the whole one replaces it at once. */
  async #renameIntoFree(temp: string, final: string): Promise<boolean> {
    try {
      await (await this.fs.open(final, 'wx', NEW_MODE)).close();
    } catch (error) {
      if (hasCode(error, 'EEXIST')) return false;
      throw error;
    }
    try {
      await patiently(() => this.fs.rename(temp, final));
      return true;
    } catch (error) {
      await quietly(this.fs.unlink(final));
      throw error;
    }
  }
}
