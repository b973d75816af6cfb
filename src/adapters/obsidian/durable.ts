import { type DataAdapter, FileSystemAdapter, Platform } from 'obsidian';
import { folderOf } from '../../core/vocabulary/paths';
import {
  type FileInfo,
  type FileSystem,
  hasCode,
  nodeFileSystem,
  orNull,
  syncFolder,
} from '../files/file-system';
import { identityOf } from '../files/folders';
import { readPart, retryWhileBusy } from '../files/whole-file';

/** The durable calls that the app's adapter lacks. Paths are the adapter's. */
export interface Durable {
  /**
   * Resolves when the bytes of the file, its name and its folders are on the disk, whoever made them: the app syncs
   * nothing, so an existing folder may not be on the disk yet.
   */
  file(path: string): Promise<void>;
  /**
   * Gives the file at `path` the rights of the file `like`; with `bounds`, it keeps those of its own that `like` has too. A
   * disk without rights, or without that file, changes nothing.
   */
  rights(path: string, like: string, bounds: boolean): Promise<void>;
  /** Syncs the bytes alone, of a file that is about to be renamed. */
  bytes(path: string): Promise<void>;
  /**
   * Resolves when the changes of names in the folder are on the disk, and the folder itself, also one that an earlier run
   * or a person has made. '' is the root of the vault.
   */
  folder(path: string): Promise<void>;
  /** Renames the file at `from` to `to` and replaces the file there, atomically. */
  replace(from: string, to: string): Promise<void>;
  /**
   * Returns true for a regular file in the vault. The app follows links, so a file that it shows may be anywhere on this
   * machine, or a pipe that never ends.
   */
  isOwn(path: string): Promise<boolean>;
  /** Returns true for a folder in the vault. */
  isOwnFolder(path: string): Promise<boolean>;
  /** Reads the bytes of a file that is there from one offset to before another; fewer where it ends before. */
  part(path: string, from: number, to: number): Promise<Uint8Array<ArrayBuffer>>;
}

/**
 * Returns the calls for an adapter. An adapter without files on this machine has nothing to sync: its own promises are all
 * there is, and replacing is not atomic.
 */
export function durableOf(adapter: DataAdapter, fs: FileSystem = nodeFileSystem): Durable {
  return adapter instanceof FileSystemAdapter ? new DiskDurable(adapter, fs) : withoutDisk(adapter);
}

/** Returns true for the error of a call whose file was missing at that moment; it may be back by now. */
export function isAbsence(error: unknown): boolean {
  return hasCode(error, 'ENOENT');
}

/** Syncs a written file; resolves false when it has been removed meanwhile. */
export async function syncIfPresent(durable: Durable, adapter: DataAdapter, path: string): Promise<boolean> {
  try {
    await durable.file(path);
    return true;
  } catch (error) {
    if ((await adapter.stat(path)) === null) return false;
    throw error;
  }
}

class DiskDurable implements Durable {
  readonly #adapter: FileSystemAdapter;
  readonly #fs: FileSystem;
  /** The files and folders whose own names are on the disk, as this process has synced their parents: path and identity. */
  readonly #named = new Map<string, string>();

  constructor(adapter: FileSystemAdapter, fs: FileSystem) {
    this.#adapter = adapter;
    this.#fs = fs;
  }

  async file(path: string): Promise<void> {
    const stat = await this.#syncFile(path);
    await this.#name(path, stat);
  }

  async rights(path: string, like: string, bounds: boolean): Promise<void> {
    const model = await orNull(this.#fs.lstat(this.#full(like)));
    if (model === null) return;
    const handle = await this.#fs.open(this.#full(path), 'r+');
    try {
      const { mode } = await handle.stat();
      const wanted = model.mode & (bounds ? mode : 0o777);
      if ((mode & 0o777) !== (wanted & 0o777)) await handle.chmod(wanted & 0o777);
    } finally {
      await handle.close();
    }
  }

  async bytes(path: string): Promise<void> {
    await this.#syncFile(path);
  }

  async folder(path: string): Promise<void> {
    // Windows neither needs nor allows it.
    if (Platform.isWin) return;
    // Another program has removed a folder that is gone, with all changes in it.
    const handle = await orNull(this.#fs.open(this.#full(path), 'r'));
    if (handle === null) return;
    let stat: FileInfo;
    try {
      stat = await handle.stat();
      if (!(await syncFolder(handle))) return;
    } finally {
      await handle.close();
    }
    await this.#name(path, stat);
  }

  async replace(from: string, to: string): Promise<void> {
    this.#named.delete(to);
    await retryWhileBusy(() => this.#fs.rename(this.#full(from), this.#full(to)));
  }

  isOwn(path: string): Promise<boolean> {
    return this.#isInVault(path, (stat) => stat.isFile());
  }

  isOwnFolder(path: string): Promise<boolean> {
    return this.#isInVault(path, (stat) => stat.isDirectory());
  }

  /** Returns true for an entry of this kind, not a link, that really is below the vault's folder. */
  async #isInVault(path: string, isKind: (stat: FileInfo) => boolean): Promise<boolean> {
    const full = this.#full(path);
    const stat = await orNull(this.#fs.lstat(full));
    if (stat === null || !isKind(stat)) return false;
    const root = await this.#fs.realpath(this.#adapter.getBasePath());
    const real = await orNull(this.#fs.realpath(full));
    return real?.startsWith(root + (Platform.isWin ? '\\' : '/')) === true;
  }

  async part(path: string, from: number, to: number): Promise<Uint8Array<ArrayBuffer>> {
    const handle = await this.#fs.open(this.#full(path), 'r');
    try {
      return await readPart(handle, from, to);
    } finally {
      await handle.close();
    }
  }

  async #syncFile(path: string): Promise<FileInfo> {
    // Windows syncs only files that are open for writing.
    const handle = await this.#fs.open(this.#full(path), 'r+');
    try {
      await handle.sync();
      return await handle.stat();
    } finally {
      await handle.close();
    }
  }

  /** Syncs the name of a file or folder, unless this process has done so. */
  async #name(path: string, stat: FileInfo): Promise<void> {
    const identity = identityOf(stat);
    if (path === '' || this.#named.get(path) === identity) return;
    await this.folder(folderOf(path));
    this.#named.set(path, identity);
  }

  #full(path: string): string {
    return this.#adapter.getFullPath(path);
  }
}

function withoutDisk(adapter: DataAdapter): Durable {
  return {
    file: () => Promise.resolve(),
    rights: () => Promise.resolve(),
    bytes: () => Promise.resolve(),
    folder: () => Promise.resolve(),
    async replace(from, to) {
      if (await adapter.exists(to)) await adapter.remove(to);
      await adapter.rename(from, to);
    },
    isOwn: () => Promise.resolve(true),
    isOwnFolder: () => Promise.resolve(true),
    // The app reads whole files only.
    part: async (path, from, to) => new Uint8Array(await adapter.readBinary(path)).slice(from, to),
  };
}

type Files = Pick<DataAdapter, 'stat' | 'readBinary' | 'remove'>;

/**
 * Checks a file that was just written, because a full disk must not pass for a written file, whatever the calls before
 * returned. Other contents are another program's, written since.
 * @throws Error when the file holds only the beginning of `ours`.
 */
export async function expectWhole(adapter: Files, at: string, ours: Uint8Array): Promise<void> {
  if ((await adapter.stat(at))?.size === ours.length) return;
  const written = await beginningOf(adapter, at, ours);
  if (written !== null && written < ours.length) throw cut(at, written, ours.length);
}

/**
 * Checks a file of `before` bytes to which `added` bytes were appended; others may have appended more meanwhile.
 * @throws Error when the file is shorter than that.
 */
export async function expectLonger(
  adapter: Files,
  at: string,
  { before, added }: { readonly before: number; readonly added: number },
): Promise<void> {
  const size = (await adapter.stat(at))?.size ?? 0;
  if (size < before + added) throw cut(at, Math.max(0, size - before), added);
}

/**
 * Removes a file that could not be made, whole or only begun. There was no file before; the app may not know of it yet.
 * Resolves false, changing nothing, when another program has made a file there meanwhile.
 */
export async function removePartial(adapter: Files, at: string, ours: Uint8Array): Promise<boolean> {
  if ((await beginningOf(adapter, at, ours)) === null) return (await adapter.stat(at)) === null;
  await adapter.remove(at);
  return true;
}

/**
 * Returns the number of bytes in the file when they are the beginning of `ours` or all of it; null when the file is absent
 * or holds anything else.
 */
async function beginningOf(adapter: Files, at: string, ours: Uint8Array): Promise<number | null> {
  if ((await adapter.stat(at))?.type !== 'file') return null;
  const bytes = new Uint8Array(await adapter.readBinary(at));
  return bytes.every((byte, index) => byte === ours[index]) ? bytes.length : null;
}

function cut(at: string, written: number, wanted: number): Error {
  return new Error(`Only ${written} of ${wanted} bytes of ${at} were written.`);
}
