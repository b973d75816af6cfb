import { type FSWatcher, watch } from 'chokidar';
import type { Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { clearTimeout, setTimeout } from 'node:timers';
import type { Log } from '../../core/base/host';
import type { VaultChange } from '../../core/ports/ports';
import { isIgnoredName, type VaultPath, vaultPath } from '../../core/vocabulary/paths';

/** Calls back once for every added file, `afterMs` milliseconds after it was last added. */
export class DelayedRecheck<Path extends string> {
  readonly #due = new Map<Path, number>();
  readonly #afterMs: number;
  readonly #onDue: (path: Path) => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(afterMs: number, onDue: (path: Path) => void) {
    this.#afterMs = afterMs;
    this.#onDue = onDue;
  }

  /** Adds a file, or delays one that was added before. */
  add(path: Path): void {
    // Deleted first, so that the map is in the order of the due times.
    this.#due.delete(path);
    this.#due.set(path, Date.now() + this.#afterMs);
    this.#timer ??= this.#wait(this.#afterMs);
  }

  /** Takes a file back. */
  drop(path: Path): void {
    this.#due.delete(path);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#due.clear();
  }

  #wait(time: number): NodeJS.Timeout {
    return setTimeout(() => this.#runDue(), time).unref();
  }

  #runDue(): void {
    const now = Date.now();
    this.#timer = undefined;
    for (const [path, due] of this.#due) {
      if (due > now) {
        this.#timer = this.#wait(due - now);
        return;
      }
      this.#due.delete(path);
      this.#onDue(path);
    }
  }
}

/**
 * The delay after which a change is reported once more (ms). chokidar ignores a change that leaves time and size of a file as
 * they were, so it might never report the last state of a file that was written twice within a clock tick.
 */
const REPEAT_MS = 250;
/**
 * The delays after which a new folder is read (ms). When very much happens at once, as when an archive is unpacked, the system
 * may drop events, and chokidar with it. The second one is for slow drives.
 */
const SCAN_DELAYS_MS = [250, 2000];

/** A running watch. */
export interface Watch {
  /** Resolves when changes from now on are seen, or when the watch is stopped before. Takes long in a large vault. */
  readonly ready: Promise<void>;
  /** Stops the watch; nothing is reported afterwards. */
  close(): Promise<void>;
}

/**
 * Calls `onChange` for every change of a file of the vault, also in folders that are made later, except where `unwatched` returns
 * true: nothing below such a folder is visited. A change before `ready` may be reported or not. A change may be reported twice,
 * and own writes are reported as well: the caller compares times and sizes.
 */
export function watchVault(
  root: string,
  onChange: (change: VaultChange) => void,
  log: Pick<Log, 'warn'>,
  unwatched: (path: string) => boolean = () => false,
): Watch {
  return new VaultWatch(root, onChange, log, unwatched);
}

/** chokidar, completed where it reports nothing. Paths named `full` are absolute. */
class VaultWatch implements Watch {
  readonly ready: Promise<void>;
  readonly #root: string;
  readonly #onChange: (change: VaultChange) => void;
  readonly #unwatched: (path: string) => boolean;
  readonly #watcher: FSWatcher;
  /** Every folder that chokidar watches. There may be too many files to remember. */
  readonly #known = new Set<VaultPath>();
  /** Folders that chokidar would not have watched by itself: very few. */
  readonly #added = new Set<VaultPath>();
  readonly #repeats = new DelayedRecheck<VaultPath>(REPEAT_MS, (file) => this.#reportChanged(file));
  /** New folders that chokidar has not reported yet: it never reports one that takes the place of a file. */
  readonly #unreported = new DelayedRecheck<string>(REPEAT_MS, (full) => void this.#checkUnreported(full));
  readonly #timers = new Set<NodeJS.Timeout>();
  #isReady = false;
  #markReady: () => void = () => undefined;

  constructor(
    root: string,
    onChange: (change: VaultChange) => void,
    log: Pick<Log, 'warn'>,
    unwatched: (path: string) => boolean,
  ) {
    this.#root = root;
    this.#onChange = onChange;
    this.#unwatched = unwatched;
    const ignored = (full: string, stats?: Stats): boolean => this.#filter(full, stats);
    this.#watcher = watch(root, { ignored, ignoreInitial: true, followSymlinks: false });
    const onWrite = (full: string): void => this.#onWrite(full);
    this.#watcher
      .on('add', onWrite)
      .on('change', onWrite)
      .on('unlink', (full) => this.#reportRemoved(full))
      .on('addDir', (full) => this.#onFolder(full))
      .on('unlinkDir', (full) => this.#known.delete(this.#pathOf(full)))
      .on('error', (error) => log.warn('watch.error', { message: String(error) }));
    this.ready = new Promise<void>((resolve) => {
      this.#markReady = resolve;
      this.#watcher.once('ready', () => {
        this.#isReady = true;
        resolve();
      });
    });
  }

  async close(): Promise<void> {
    this.#markReady();
    for (const timer of this.#timers) clearTimeout(timer);
    this.#repeats.close();
    this.#unreported.close();
    this.#timers.clear();
    await this.#watcher.close();
  }

  #relative(full: string): string {
    return full.slice(this.#root.length + 1).replaceAll(path.sep, '/');
  }

  #pathOf(full: string): VaultPath {
    return vaultPath(this.#relative(full));
  }

  #isIgnored(full: string): boolean {
    const at = this.#relative(full);
    if (at === '') return false; // The root is watched for folders that appear in it.
    return at.split('/').some(isIgnoredName) || this.#unwatched(at.normalize('NFC'));
  }

  /** chokidar's filter: returns true for what it must ignore. Every folder that it finds passes here. */
  #filter(full: string, stats?: Stats): boolean {
    if (this.#isIgnored(full)) return true;
    const folder = stats?.isDirectory() === true ? this.#pathOf(full) : '';
    // Empty also for the root and its parents, which chokidar asks about while the root is gone.
    if (folder === '' || this.#known.has(folder)) return false;
    // chokidar does not report the folders that exist at the start.
    if (!this.#isReady) this.#known.add(folder);
    // On Windows the other callbacks get other separators.
    else this.#unreported.add(path.normalize(full));
    return false;
  }

  #reportChanged(file: VaultPath): void {
    this.#onChange({ kind: 'changed', path: file });
  }

  #reportRemoved(full: string): void {
    const file = this.#pathOf(full);
    this.#repeats.drop(file);
    this.#onChange({ kind: 'removed', path: file });
  }

  #onWrite(full: string): void {
    const file = this.#pathOf(full);
    this.#known.delete(file);
    this.#reportChanged(file);
    this.#repeats.add(file);
  }

  /** Records a new folder, and schedules the scans of its contents. */
  #onFolder(full: string): void {
    this.#unreported.drop(full);
    this.#known.add(this.#pathOf(full));
    for (const wait of SCAN_DELAYS_MS) {
      const timer = setTimeout(() => {
        this.#timers.delete(timer);
        void this.#scan(full);
      }, wait);
      this.#timers.add(timer.unref());
    }
  }

  /** Reports every file of a folder, and watches its folders that are not known yet. */
  async #scan(folder: string): Promise<void> {
    // The folder may be gone again.
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const full = path.join(folder, entry.name);
      if (this.#watcher.closed || this.#isIgnored(full)) continue;
      if (entry.isFile()) this.#reportChanged(this.#pathOf(full));
      else if (entry.isDirectory() && !this.#known.has(this.#pathOf(full))) await this.#addFolder(full);
    }
  }

  /** Scans a folder that chokidar has not reported, and adds it to the watched ones. */
  async #addFolder(full: string): Promise<void> {
    this.#onFolder(full);
    // A recursive watch of the root covers it; on Windows a watch of its own would keep others from renaming the folder.
    if (this.#watcher.options.backendStrategy !== 'native-recursive-preferred') {
      const folder = this.#pathOf(full);
      // chokidar waits for a path that was added and is gone, and would not add it again.
      if (this.#added.has(folder)) this.#watcher.unwatch(full);
      this.#added.add(folder);
      this.#watcher.add(full);
    }
    await this.#scan(full);
  }

  /** Handles a new folder that chokidar has not reported within the delay. */
  async #checkUnreported(full: string): Promise<void> {
    const stat = await lstat(full).catch(() => null);
    if (this.#watcher.closed || this.#known.has(this.#pathOf(full))) return;
    // chokidar takes the folder for the file that it knew there, which is gone. It reports another file there by itself.
    if (stat === null || stat.isDirectory()) this.#reportRemoved(full);
    if (stat?.isDirectory() === true) await this.#addFolder(full);
  }
}
