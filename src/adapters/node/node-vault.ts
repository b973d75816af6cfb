import { BrainError } from '../../core/errors';
import { isIgnoredName } from '../../core/ignored-names';
import type { FileEntry, FileStat, Log, VaultChange, VaultStore } from '../../core/ports';
import { vaultPath } from '../../core/rules/paths';
import { Disk } from './disk';
import { type FileInfo, type FileSystem, hasCode, nodeFileSystem, orNull } from './file-system';
import { parentOf } from './folders';
import { tempFolder } from './node-state';
import { checkPath } from './store-path';
import { type FolderFiles, type OnUnreadable, walk } from './walk';
import { watchVault } from './watch';
import { decode } from './whole-file';

/** Files looked at together in a listing: enough to keep the threads of the file system busy. */
const LOOK_AHEAD = 64;
/** A note that changes between reading and replacing is read again this often. */
const MAX_TRIES = 5;

export interface NodeVaultOptions {
  readonly device: string;
  /** Given: changes from outside are watched for, and trouble with that is logged here. Absent: `changes` stays silent. */
  readonly watch?: Pick<Log, 'warn'>;
  /** Given: a listing passes over folders that this user may not look into, and says so here. Absent: it rejects. */
  readonly log?: Pick<Log, 'warn'>;
  readonly fs?: FileSystem;
}

export interface NodeVault extends VaultStore {
  /** Stops watching and lets go of the folders. */
  close(): Promise<void>;
}

/**
 * Opens the vault in the folder `root`, whose state has been opened before. Resolves when changes from outside are
 * being seen.
 */
export async function openNodeVault(root: string, options: NodeVaultOptions): Promise<NodeVault> {
  const { device, watch, log, fs = nodeFileSystem } = options;
  const base = await fs.realpath(root);
  const disk = new Disk(fs, base, tempFolder(base, device));
  const listeners = new Set<(change: VaultChange) => void>();
  const tell = (change: VaultChange): void => {
    for (const listener of listeners) listener(change);
  };
  const watcher = watch && (await watchVault(base, tell, watch));

  return {
    atomicWrites: true,
    async *list(folder): AsyncGenerator<FileEntry> {
      if (folder !== '') checkPath(folder);
      // The folder itself must be readable: without it the answer would be that there are no notes at all.
      const onUnreadable = (at: string, error: unknown): void => {
        if (log === undefined || at === folder || !hasCode(error, 'EACCES', 'EPERM')) throw error;
        log.warn('vault.folder_unreadable', { path: at, message: String(error) });
      };
      for await (const files of walk(disk.folders, folder, isIgnoredName, onUnreadable)) {
        yield* regularFiles(fs, files, onUnreadable);
      }
    },
    async stat(at) {
      checkPath(at);
      const stat = await disk.stat(at);
      return stat && toStat(stat);
    },
    async read(at) {
      checkPath(at);
      const contents = await disk.read(at);
      return contents && decode(contents.bytes, at);
    },
    async create(at, text, meanwhile) {
      checkPath(at);
      return disk.create(at, Buffer.from(text), meanwhile);
    },
    async edit(at, change) {
      checkPath(at);
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const expected = await disk.read(at);
        if (expected === null) return false;
        const text = change(decode(expected.bytes, at));
        if (text === null) return false;
        if (await disk.replace(at, Buffer.from(text), { sync: true, expected })) return true;
      }
      throw new BrainError('busy', `${at} is being changed by someone else. Try again in a few seconds.`, {
        path: at,
        retry_after: 2,
      });
    },
    async remove(at) {
      checkPath(at);
      await disk.remove(at);
    },
    async putDerived(at, text, durable) {
      checkPath(at);
      await disk.replace(at, Buffer.from(text), { sync: durable });
    },
    async append(at, text) {
      checkPath(at);
      await disk.append(at, Buffer.from(text), true);
    },
    async missingFolders(at) {
      checkPath(at);
      return disk.folders.missing(parentOf(at));
    },
    removeEmptyFolders: (folders) => disk.folders.removeEmpty(folders),
    changes(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    async close() {
      await watcher?.close();
      await disk.folders.close();
    },
  };
}

/** The files of one folder with what the system says of them. */
async function* regularFiles(
  fs: FileSystem,
  files: FolderFiles,
  onUnreadable: OnUnreadable,
): AsyncGenerator<FileEntry> {
  for (let at = 0; at < files.length; at += LOOK_AHEAD) {
    const some = files.slice(at, at + LOOK_AHEAD);
    let stats: (FileInfo | null)[];
    try {
      stats = await Promise.all(some.map((file) => orNull(fs.lstat(file.full))));
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

function toStat({ mtimeMs, size }: { mtimeMs: number; size: number }): FileStat {
  return { mtime: mtimeMs, size };
}
