import path from 'node:path';
import { clearTimeout, setTimeout } from 'node:timers';
import { watch } from 'chokidar';
import { isIgnoredName } from '../../core/ignored-names';
import type { Log, VaultChange } from '../../core/ports';
import { vaultPath } from '../../core/rules/paths';

/** The folders whose notes the service keeps in memory. The rest of a vault is none of its business. */
const WATCHED: ReadonlySet<string> = new Set(['wiki', 'knowledge', 'raw', 'inbox']);
/**
 * Milliseconds after which a change is told once more. The library drops what follows a change of the same file within
 * 50 ms, so without this the last state of a file that was written in two goes would never be seen.
 */
const ECHO_MS = 250;

/** A running watch. */
export interface Watch {
  /** Stops it; nothing is told afterwards. */
  close(): Promise<void>;
}

/**
 * Tells `onChange` of every change below the watched folders, also of those that are made later. Resolves when the
 * changes from now on are being seen. A change may be told twice, and our own writes are told as well: whoever listens
 * compares times and sizes.
 */
export async function watchVault(
  root: string,
  onChange: (change: VaultChange) => void,
  log: Pick<Log, 'warn'>,
): Promise<Watch> {
  const relative = (full: string): string => full.slice(root.length + 1).replaceAll(path.sep, '/');
  const ignored = (full: string): boolean => {
    const at = relative(full);
    if (at === '') return false; // The root is watched for folders that appear in it.
    const segments = at.split('/');
    return !WATCHED.has(segments[0] ?? '') || segments.some(isIgnoredName);
  };
  const echoes = new Map<string, NodeJS.Timeout>();
  const changed = (full: string): void => {
    const change: VaultChange = { kind: 'changed', path: vaultPath(relative(full)) };
    onChange(change);
    clearTimeout(echoes.get(full));
    const echo = (): void => {
      echoes.delete(full);
      onChange(change);
    };
    echoes.set(full, setTimeout(echo, ECHO_MS).unref());
  };
  const removed = (full: string): void => {
    clearTimeout(echoes.get(full));
    echoes.delete(full);
    onChange({ kind: 'removed', path: vaultPath(relative(full)) });
  };
  const watcher = watch(root, { ignored, ignoreInitial: true, followSymlinks: false });
  watcher
    .on('add', changed)
    .on('change', changed)
    .on('unlink', removed)
    .on('error', (error) => log.warn('watch.error', { message: String(error) }));
  await new Promise<void>((resolve) => watcher.once('ready', resolve));
  return {
    async close() {
      for (const timer of echoes.values()) clearTimeout(timer);
      echoes.clear();
      await watcher.close();
    },
  };
}
