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
import { patiently } from '../files/whole-file';

/** What the app's own adapter has no call for: bringing to the disk what it wrote. Paths are the adapter's. */
export interface Durable {
  /**
   * Resolves when what was written to the file has reached the disk, and its name and the folders it lies in have as well,
   * whoever made them: the app syncs nothing, so that what stands may never have been on the disk.
   */
  file(path: string): Promise<void>;
  /** The same for the bytes alone, of a file that is about to get another name. */
  bytes(path: string): Promise<void>;
  /**
   * Resolves when the names in the folder have: what was made, renamed or removed there. So has the folder itself then, also
   * one that an earlier run or a person has made. '' is the root of the vault.
   */
  folder(path: string): Promise<void>;
  /** Gives the file at `from` the name `to`, in the place of whatever file stands there. Atomic. */
  replace(from: string, to: string): Promise<void>;
  /**
   * True for a regular file that lies in the vault. The app follows links, so that a file it shows may lie anywhere on this
   * machine, or be a pipe that nobody ever closes.
   */
  isOwn(path: string): Promise<boolean>;
  /** The same for a folder. */
  isOwnFolder(path: string): Promise<boolean>;
}

/**
 * The calls for an adapter. One that is not backed by files of this machine has nothing that could be synced: what its own
 * calls promise is all that can be had, and replacing is not atomic there.
 */
export function durableOf(adapter: DataAdapter, fs: FileSystem = nodeFileSystem): Durable {
  return adapter instanceof FileSystemAdapter ? new OnDisk(adapter, fs) : elsewhere(adapter);
}

/** True for the failure of a call whose file was not there at that moment; it may be there again. */
export function isAbsence(error: unknown): boolean {
  return hasCode(error, 'ENOENT');
}

/** Brings a file that was written to the disk; resolves false when somebody has removed it meanwhile. */
export async function settled(durable: Durable, adapter: DataAdapter, path: string): Promise<boolean> {
  try {
    await durable.file(path);
    return true;
  } catch (error) {
    if ((await adapter.stat(path)) === null) return false;
    throw error;
  }
}

class OnDisk implements Durable {
  readonly #adapter: FileSystemAdapter;
  readonly #fs: FileSystem;
  /** Files and folders whose own names are on the disk, as this process has synced what they stand in: path and identity. */
  readonly #named = new Map<string, string>();

  constructor(adapter: FileSystemAdapter, fs: FileSystem) {
    this.#adapter = adapter;
    this.#fs = fs;
  }

  async file(path: string): Promise<void> {
    const stat = await this.#syncFile(path);
    await this.#name(path, stat);
  }

  async bytes(path: string): Promise<void> {
    await this.#syncFile(path);
  }

  async folder(path: string): Promise<void> {
    // Windows neither needs this nor allows it.
    if (Platform.isWin) return;
    // A folder that is gone was removed by someone else, with all that had happened in it.
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
    await patiently(() => this.#fs.rename(this.#full(from), this.#full(to)));
  }

  isOwn(path: string): Promise<boolean> {
    return this.#isInVault(path, (stat) => stat.isFile());
  }

  isOwnFolder(path: string): Promise<boolean> {
    return this.#isInVault(path, (stat) => stat.isDirectory());
  }

  /** True for something of this kind, no link, that really stands below the vault's own folder. */
  async #isInVault(path: string, isKind: (stat: FileInfo) => boolean): Promise<boolean> {
    const full = this.#full(path);
    const stat = await orNull(this.#fs.lstat(full));
    if (stat === null || !isKind(stat)) return false;
    const root = await this.#fs.realpath(this.#adapter.getBasePath());
    const real = await orNull(this.#fs.realpath(full));
    return real?.startsWith(root + (Platform.isWin ? '\\' : '/')) === true;
  }

  async #syncFile(path: string): Promise<FileInfo> {
    // Windows syncs only what may be written to.
    const handle = await this.#fs.open(this.#full(path), 'r+');
    try {
      await handle.sync();
      return await handle.stat();
    } finally {
      await handle.close();
    }
  }

  /** Brings the name of what stands at the path to the disk, unless this process has done so. */
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

function elsewhere(adapter: DataAdapter): Durable {
  return {
    file: () => Promise.resolve(),
    bytes: () => Promise.resolve(),
    folder: () => Promise.resolve(),
    async replace(from, to) {
      if (await adapter.exists(to)) await adapter.remove(to);
      await adapter.rename(from, to);
    },
    isOwn: () => Promise.resolve(true),
    isOwnFolder: () => Promise.resolve(true),
  };
}

type Files = Pick<DataAdapter, 'stat' | 'readBinary' | 'remove'>;

/**
 * Looks at a file that was written just now. @throws Error when it holds only the beginning of `ours`: a full disk must not
 * pass for a written file, whatever the calls before have said. Anything else that stands there is someone's since.
 */
export async function expectWhole(adapter: Files, at: string, ours: Uint8Array): Promise<void> {
  if ((await adapter.stat(at))?.size === ours.length) return;
  const stands = await beginningOf(adapter, at, ours);
  if (stands !== null && stands < ours.length) throw cut(at, stands, ours.length);
}

/** The same for a file to which `added` bytes were added when it had `before`; someone may have added more meanwhile. */
export async function expectLonger(
  adapter: Files,
  at: string,
  { before, added }: { readonly before: number; readonly added: number },
): Promise<void> {
  const size = (await adapter.stat(at))?.size ?? 0;
  if (size < before + added) throw cut(at, Math.max(0, size - before), added);
}

/**
 * Takes away what stands of a file that could not be made, all of it or its beginning. Nothing stood there before; the app
 * itself may not know of it yet. Resolves false, changing nothing, when somebody else has made a file there meanwhile.
 */
export async function takeAway(adapter: Files, at: string, ours: Uint8Array): Promise<boolean> {
  if ((await beginningOf(adapter, at, ours)) === null) return (await adapter.stat(at)) === null;
  await adapter.remove(at);
  return true;
}

/** So many bytes stand in the file, all of them or the first ones of `ours`; null when it is absent or holds anything else. */
async function beginningOf(adapter: Files, at: string, ours: Uint8Array): Promise<number | null> {
  if ((await adapter.stat(at))?.type !== 'file') return null;
  const stands = new Uint8Array(await adapter.readBinary(at));
  return stands.every((byte, index) => byte === ours[index]) ? stands.length : null;
}

function cut(at: string, written: number, wanted: number): Error {
  return new Error(`Only ${written} of ${wanted} bytes of ${at} were written.`);
}
