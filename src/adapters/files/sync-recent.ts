import path from 'node:path';
import type { Log } from '../../core/base/host';
import { LAYOUT } from '../../core/vocabulary/paths';
import { type FileSystem, orNull, syncFolder, SYNCS_FOLDERS } from './file-system';
import { stateFolder } from './state-folder';

/**
 * The time after which a system has written its cache to the disk (ms). Linux does so after half a minute
 * (`vm.dirty_expire_centisecs`, and the journals' own commits); this is four times as long.
 */
const WRITTEN_BACK_MS = 120_000;
/** The number of files that are synced at the same time. */
const AT_ONCE = 16;
/** The time after which the scan yields to other work (ms), as its stats are synchronous. */
const BREATH_MS = 4;

interface SyncRecentOptions {
  readonly fs: FileSystem;
  /** The time (ms since the epoch) by the clock of the files' times. */
  readonly now: number;
  /** A further folder of the service, besides those that every vault has. */
  readonly also?: string | undefined;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** Resolves in a later turn of the event loop. */
  readonly breathe: () => Promise<void>;
}

/**
 * Syncs the files that were changed in the vault within the last two minutes: notes, maps, the inbox and the service's
 * state. For a start after a run that was cut off: it may have made a change without syncing it, and a caller that repeats
 * the change is told that it is done. A file that cannot be synced is logged and skipped, as it may be anybody's and must
 * not keep the vault closed. Resolves with the number of synced files and folders.
 */
export async function syncRecent(root: string, options: SyncRecentOptions): Promise<number> {
  const { fs, now, log, breathe } = options;
  const since = now - WRITTEN_BACK_MS;
  const failed = (full: string, error: unknown): void =>
    log.warn('sync.recent', { path: path.relative(root, full), message: String(error) });
  let synced = 0;
  const settle = async ({ full, isFolder }: Recent): Promise<void> => {
    try {
      if (await syncOne(fs, full, isFolder)) synced += 1;
    } catch (error) {
      failed(full, error);
    }
  };
  let batch: Recent[] = [];
  const flush = async (): Promise<void> => {
    await Promise.all(batch.map(settle));
    batch = [];
  };
  let lastYield = performance.now();
  for await (const full of everything(root, options, failed)) {
    try {
      const stat = await orNull(fs.lstat(full));
      if (stat !== null && Math.max(stat.mtimeMs, stat.ctimeMs) >= since)
        batch.push({ full, isFolder: stat.isDirectory() });
    } catch (error) {
      failed(full, error);
    }
    if (batch.length === AT_ONCE) await flush();
    if (performance.now() - lastYield < BREATH_MS) continue;
    await breathe();
    lastYield = performance.now();
  }
  await flush();
  log.info('sync.recent', { synced });
  return synced;
}

/** A recently changed file or folder. */
interface Recent {
  readonly full: string;
  readonly isFolder: boolean;
}

/** Yields the files and folders of the service in the vault. Links are not followed. */
async function* everything(
  root: string,
  { fs, also }: SyncRecentOptions,
  failed: (full: string, error: unknown) => void,
): AsyncGenerator<string> {
  const waiting = [root];
  const names = also === undefined ? LAYOUT : [...LAYOUT, also.split('/')[0] ?? ''];
  const ours = new Set([...names.map((name) => path.join(root, name)), stateFolder(root)]);
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    yield folder;
    for (const entry of await entriesOf(fs, folder, failed)) {
      const full = path.join(folder, entry.name);
      if (entry.isFile()) yield full;
      else if (entry.isDirectory() && (folder !== root || ours.has(full))) waiting.push(full);
    }
  }
}

async function entriesOf(
  fs: FileSystem,
  folder: string,
  failed: (full: string, error: unknown) => void,
): ReturnType<FileSystem['readdir']> {
  try {
    return (await orNull(fs.readdir(folder))) ?? [];
  } catch (error) {
    failed(folder, error);
    return [];
  }
}

/** Syncs a file or folder; resolves false when it is gone, and for a folder where folders cannot be synced. */
async function syncOne(fs: FileSystem, full: string, isFolder: boolean): Promise<boolean> {
  if (isFolder && !SYNCS_FOLDERS) return false;
  // Windows syncs only files that are open for writing.
  const handle = await orNull(fs.open(full, process.platform === 'win32' ? 'r+' : 'r'));
  if (handle === null) return false;
  try {
    if (isFolder) return await syncFolder(handle);
    await handle.sync();
    return true;
  } finally {
    await handle.close();
  }
}
