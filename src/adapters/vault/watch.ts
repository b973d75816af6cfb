import { watch } from 'chokidar';
import type { Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { clearTimeout, setTimeout } from 'node:timers';
import type { Log } from '../../core/base/host';
import type { VaultChange } from '../../core/ports/ports';
import { isIgnoredName, type VaultPath, vaultPath } from '../../core/vocabulary/paths';

/** Tells of every file once more, so many milliseconds after it was last told of. */
export class DelayedRecheck<Path extends string> {
  readonly #due = new Map<Path, number>();
  readonly #afterMs: number;
  readonly #tell: (path: Path) => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(afterMs: number, tell: (path: Path) => void) {
    this.#afterMs = afterMs;
    this.#tell = tell;
  }

  /** Something happened to a file just now. */
  add(path: Path): void {
    // The map is in the order of the times.
    this.#due.delete(path);
    this.#due.set(path, Date.now() + this.#afterMs);
    this.#timer ??= this.#wait(this.#afterMs);
  }

  /** Nothing more needs to be told of a file. */
  drop(path: Path): void {
    this.#due.delete(path);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#due.clear();
  }

  #wait(time: number): NodeJS.Timeout {
    return setTimeout(() => this.#look(), time).unref();
  }

  #look(): void {
    const now = Date.now();
    this.#timer = undefined;
    for (const [path, due] of this.#due) {
      if (due > now) {
        this.#timer = this.#wait(due - now);
        return;
      }
      this.#due.delete(path);
      this.#tell(path);
    }
  }
}

/** The folders whose notes the service keeps in memory. The rest of a vault is none of its business. */
export const WATCHED: ReadonlySet<string> = new Set(['wiki', 'knowledge', 'raw', 'inbox']);
/**
 * Milliseconds after which a change is told once more. The library passes over a change that leaves time and size of a file as
 * they were, so without this the last state of one that was written in two goes within a tick might never be seen.
 */
const ECHO_MS = 250;
/**
 * Milliseconds after which a new folder is looked into: where very much happens at once, as by unpacking an archive, the system
 * may drop events, and the library with them. The second look is for slow drives.
 */
const LOOKS_MS = [250, 2000];

/** A running watch. */
export interface Watch {
  /** Resolves when changes from now on are being seen, also when the watch is stopped before. Takes long in a large vault. */
  readonly ready: Promise<void>;
  /** Stops it; nothing is told afterwards. */
  close(): Promise<void>;
}

/**
 * Tells `onChange` of every change below the `folders` in the root of the vault, also of those that are made later; of one
 * made before `ready` it may or may not tell. A change may be told twice, and our own writes are told as well: whoever
 * listens compares times and sizes.
 */
export function watchVault(
  root: string,
  onChange: (change: VaultChange) => void,
  log: Pick<Log, 'warn'>,
  folders: ReadonlySet<string> = WATCHED,
): Watch {
  const relative = (full: string): string => full.slice(root.length + 1).replaceAll(path.sep, '/');
  const ignored = (full: string): boolean => {
    const at = relative(full);
    if (at === '') return false; // The root is watched for folders that appear in it.
    const segments = at.split('/');
    return !folders.has(segments[0] ?? '') || segments.some(isIgnoredName);
  };
  const placeOf = (full: string): VaultPath => vaultPath(relative(full));
  const tellChanged = (file: VaultPath): void => onChange({ kind: 'changed', path: file });
  const echoes = new DelayedRecheck(ECHO_MS, tellChanged);
  const changed = (full: string): void => {
    const file = placeOf(full);
    known.delete(file);
    tellChanged(file);
    echoes.add(file);
  };
  const removed = (full: string): void => {
    const file = placeOf(full);
    echoes.drop(file);
    onChange({ kind: 'removed', path: file });
  };
  // Every folder that the library watches; of files there may be too many to remember.
  const known = new Set<VaultPath>();
  // Of a folder that stands where a file was a moment ago the library says nothing at all, though it has looked at it.
  const unsaid = new DelayedRecheck<string>(ECHO_MS, (full) => void lookForFolder(full));
  let isReady = false;
  const passesOver = (full: string, stats?: Stats): boolean => {
    if (ignored(full)) return true;
    const place = stats?.isDirectory() === true ? placeOf(full) : '';
    // The root, and what it lies in while it is gone, are not ours to look into.
    if (place === '' || known.has(place)) return false;
    // The folders that stood at the start are not told of, and are shown only here.
    if (!isReady) known.add(place);
    // Windows has other separators everywhere else.
    else unsaid.add(path.normalize(full));
    return false;
  };
  const watcher = watch(root, { ignored: passesOver, ignoreInitial: true, followSymlinks: false });
  // Folders that the library would not have watched by itself: very few.
  const added = new Set<VaultPath>();
  const looks = new Set<NodeJS.Timeout>();
  const lookSoon = (folder: string): void => {
    for (const wait of LOOKS_MS) {
      const timer = setTimeout(() => {
        looks.delete(timer);
        void lookInto(folder);
      }, wait);
      looks.add(timer.unref());
    }
  };
  const lookInto = async (folder: string): Promise<void> => {
    // It may have gone again.
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const full = path.join(folder, entry.name);
      if (watcher.closed || ignored(full)) continue;
      if (entry.isFile()) tellChanged(placeOf(full));
      else if (entry.isDirectory() && !known.has(placeOf(full))) await follow(full);
    }
  };
  const appeared = (full: string): void => {
    unsaid.drop(full);
    known.add(placeOf(full));
    lookSoon(full);
  };
  // Looks into a folder that the library has not told of, and has it watched from now on.
  const follow = async (full: string): Promise<void> => {
    appeared(full);
    // One watch of the root hears everything below it, and on Windows nobody could rename a folder with a watch of its own.
    if (watcher.options.backendStrategy !== 'native-recursive-preferred') {
      // What was added and is gone is waited for, as whatever it was, and would not be added again.
      if (added.has(placeOf(full))) watcher.unwatch(full);
      added.add(placeOf(full));
      watcher.add(full);
    }
    await lookInto(full);
  };
  const lookForFolder = async (full: string): Promise<void> => {
    const stat = await lstat(full).catch(() => null);
    if (watcher.closed || known.has(placeOf(full))) return;
    // It would have been told of by now, had the library not taken it for the file that it knew. Of another file there it tells.
    if (stat === null || stat.isDirectory()) removed(full);
    if (stat?.isDirectory() === true) await follow(full);
  };
  watcher
    .on('add', changed)
    .on('change', changed)
    .on('unlink', removed)
    .on('addDir', appeared)
    .on('unlinkDir', (full) => known.delete(placeOf(full)))
    .on('error', (error) => log.warn('watch.error', { message: String(error) }));
  let end: () => void = () => undefined;
  const ready = new Promise<void>((resolve) => {
    end = resolve;
    watcher.once('ready', () => {
      isReady = true;
      resolve();
    });
  });
  return {
    ready,
    async close() {
      end();
      for (const timer of looks) clearTimeout(timer);
      echoes.close();
      unsaid.close();
      looks.clear();
      await watcher.close();
    },
  };
}
