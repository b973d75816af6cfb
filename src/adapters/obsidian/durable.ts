import { lstat, open, realpath, rename } from 'node:fs/promises';
import { type DataAdapter, FileSystemAdapter, Platform } from 'obsidian';
import { hasCode, orNull } from '../node/file-system';
import { patiently } from '../node/whole-file';

/** What the app's own adapter has no call for: bringing to the disk what it wrote. Paths are the adapter's. */
export interface Durable {
  /** Resolves when what was written to the file has reached the disk. */
  file(path: string): Promise<void>;
  /** Resolves when the names in the folder have: what was made, renamed or removed there. '' is the root of the vault. */
  folder(path: string): Promise<void>;
  /** Gives the file at `from` the name `to`, in the place of whatever file stands there. Atomic. */
  replace(from: string, to: string): Promise<void>;
  /**
   * True for a regular file that lies in the vault. The app follows links, so that a file it shows may lie anywhere on this
   * machine, or be a pipe that nobody ever closes.
   */
  isOwn(path: string): Promise<boolean>;
}

/**
 * The calls for an adapter. One that is not backed by files of this machine has nothing that could be synced: what its own
 * calls promise is all that can be had, and replacing is not atomic there.
 */
export function durableOf(adapter: DataAdapter): Durable {
  return adapter instanceof FileSystemAdapter ? onDisk(adapter) : elsewhere(adapter);
}

function onDisk(adapter: FileSystemAdapter): Durable {
  return {
    async file(path) {
      // Windows syncs only what may be written to.
      const handle = await open(adapter.getFullPath(path), 'r+');
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
    },
    async folder(path) {
      // Windows neither needs this nor allows it.
      if (Platform.isWin) return;
      // A folder that is gone was removed by someone else, with all that had happened in it.
      const handle = await orNull(open(adapter.getFullPath(path), 'r'));
      if (handle === null) return;
      try {
        await handle.sync();
      } catch (error) {
        // Some network drives know no such call. Their files are synced all the same.
        if (!hasCode(error, 'EINVAL', 'ENOTSUP')) throw error;
      } finally {
        await handle.close();
      }
    },
    replace: (from, to) => patiently(() => rename(adapter.getFullPath(from), adapter.getFullPath(to))),
    async isOwn(path) {
      const full = adapter.getFullPath(path);
      const stat = await orNull(lstat(full));
      if (stat?.isFile() !== true) return false;
      const [root, real] = await Promise.all([realpath(adapter.getBasePath()), orNull(realpath(full))]);
      return real?.startsWith(root + (Platform.isWin ? '\\' : '/')) === true;
    },
  };
}

function elsewhere(adapter: DataAdapter): Durable {
  return {
    file: () => Promise.resolve(),
    folder: () => Promise.resolve(),
    async replace(from, to) {
      if (await adapter.exists(to)) await adapter.remove(to);
      await adapter.rename(from, to);
    },
    isOwn: () => Promise.resolve(true),
  };
}
