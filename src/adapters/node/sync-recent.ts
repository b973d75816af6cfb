import path from 'node:path';
import { LAYOUT } from '../../core/notes/first-guidance';
import type { Log } from '../../core/ports';
import { type FileSystem, hasCode, orNull } from './file-system';
import { stateFolder } from './node-state';

/**
 * Milliseconds after which a system has written back what a program left in its memory. Linux does so after half a minute
 * (`vm.dirty_expire_centisecs`, and the journals' own commits); this is four times as long.
 */
const WRITTEN_BACK_MS = 120_000;
/** So many are looked at, and those of them that are recent synced at once, before others get their turn. */
const BATCH = 64;

export interface SyncRecentOptions {
  readonly fs: FileSystem;
  /** Milliseconds since the epoch, by the clock that the files' times are told in. */
  readonly now: number;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** Resolves in a later turn of the event loop. */
  readonly breathe: () => Promise<void>;
}

/**
 * Brings to the disk what was changed in the vault within the last two minutes: notes, maps, what lies in the inbox, and the
 * service's state. For a start after a run that was cut: it may have done a change and not synced it, and whoever asks for the
 * same change again is told that it is done. What cannot be brought to the disk is logged and passed over, as it may be anybody's
 * file and must not keep the vault closed. Resolves with how many files and folders were synced.
 */
export async function syncRecent(root: string, options: SyncRecentOptions): Promise<number> {
  const { fs, now, log, breathe } = options;
  let synced = 0;
  const settle = async (full: string): Promise<void> => {
    try {
      const stat = await orNull(fs.lstat(full));
      if (stat === null || Math.max(stat.mtimeMs, stat.ctimeMs) < now - WRITTEN_BACK_MS) return;
      if (await syncOne(fs, full, stat.isDirectory())) synced += 1;
    } catch (error) {
      log.warn('sync.recent', { path: path.relative(root, full), message: String(error) });
    }
  };
  let batch: string[] = [];
  const flush = async (): Promise<void> => {
    await Promise.all(batch.map(settle));
    batch = [];
    await breathe();
  };
  for await (const full of everything(root, options)) {
    if (batch.push(full) === BATCH) await flush();
  }
  await flush();
  log.info('sync.recent', { synced });
  return synced;
}

/** Files and folders of the service in the vault, each folder after what it holds is known. Links are not followed. */
async function* everything(root: string, { fs, log }: SyncRecentOptions): AsyncGenerator<string> {
  const waiting = [root];
  const ours = new Set([...LAYOUT.map((name) => path.join(root, name)), stateFolder(root)]);
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    yield folder;
    const entries = await orNull(fs.readdir(folder)).catch((error: unknown) => {
      log.warn('sync.recent', { path: path.relative(root, folder ?? ''), message: String(error) });
      return null;
    });
    for (const entry of entries ?? []) {
      const full = path.join(folder, entry.name);
      if (entry.isFile()) yield full;
      else if (entry.isDirectory() && (folder !== root || ours.has(full))) waiting.push(full);
    }
  }
}

/** Resolves false for what is gone, and for a folder on Windows, which neither needs this nor allows it. */
async function syncOne(fs: FileSystem, full: string, isFolder: boolean): Promise<boolean> {
  const isWindows = process.platform === 'win32';
  if (isFolder && isWindows) return false;
  // Windows syncs only what may be written to.
  const handle = await orNull(fs.open(full, isWindows ? 'r+' : 'r'));
  if (handle === null) return false;
  try {
    await handle.sync();
    return true;
  } catch (error) {
    // Some network drives know no such call for a folder.
    if (isFolder && hasCode(error, 'EINVAL', 'ENOTSUP')) return false;
    throw error;
  } finally {
    await handle.close();
  }
}
