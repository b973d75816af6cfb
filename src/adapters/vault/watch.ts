import { type Dirent, type FSWatcher, readFileSync, watch } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { clearTimeout, setImmediate, setTimeout } from 'node:timers';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Log } from '../../core/base/host';
import type { VaultChange } from '../../core/ports/ports';
import { isIgnoredName, vaultPath } from '../../core/vocabulary/paths';
import { type FileInfo, hasCode, nodeFileSystem } from '../files/file-system';
import { identityOf, joined } from '../files/folders';

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

/** How many folders or files are read at a time. */
const BATCH = 32;
/** The time for which events are collected, so that a file that is written in many pieces is looked at seldom (ms). */
const COLLECT_MS = 10;
/** The time between two looks at the root of the vault, which may be moved away and come back (ms). */
const ROOT_MS = 1_000;
/**
 * The time between two looks at the folders for which the system has no watch left (ms). A look takes at most a tenth of the
 * time.
 */
const POLL_MS = 5_000;
const POLL_SHARE = 10;

/** A running watch. */
export interface Watch {
  /** Resolves when changes from now on are seen, or when the watch is stopped before. Takes long in a large vault. */
  readonly ready: Promise<void>;
  /** Stops the watch; nothing is reported afterwards. */
  close(): Promise<void>;
}

export interface WatchOptions {
  /**
   * Returns true for a file or folder that is not watched, and for everything below such a folder, which is never read. It
   * is not called for names that the service ignores everywhere, as those of hidden folders. Without it, all are watched.
   */
  readonly unwatched?: (path: string) => boolean;
  /** Node's `fs.watch`. */
  readonly watchFolder?: typeof watch;
  /** Whether one watch of the root covers the folders below it, which the kernel of Linux cannot do. */
  readonly recursive?: boolean;
  readonly pollMs?: number;
}

/**
 * Calls `onChange` for every change of a file of the vault, also in folders that are made later, but for what is `unwatched`. A
 * change before `ready` may be reported or not. A change may be reported more than once, and own writes are reported as
 * well: the caller reads the file again. Where the system has no watch left, folders are read every few seconds instead,
 * which the log says once.
 */
export function watchVault(
  root: string,
  onChange: (change: VaultChange) => void,
  log: Pick<Log, 'warn'>,
  options: WatchOptions = {},
): Watch {
  return new VaultWatch(root, onChange, log, options);
}

/** A folder that is watched. */
interface Folder {
  /** Null when the watch of the root covers the folder, or when it is polled. */
  watcher: FSWatcher | null;
  /** Tells this folder from another one that has taken its place. */
  readonly identity: string;
  readonly files: Set<string>;
  readonly folders: Set<string>;
  /** Time and size of every file when the folder is polled, else null. */
  stamps: Map<string, string> | null;
}

/** What is reported of a folder that is read: nothing, or what is new in it. */
type Report = 'none' | 'new';

/** A file may be older than the change that put it in its place by one tick of the file system's clock, at most this long (ms). */
const TICK_MS = 2_000;

/** A moment that is compared with the times of files. */
class Moment {
  readonly #time = Date.now();
  readonly #elapsed = performance.now();

  /** Returns whether the file was changed since, or may have been. A clock that was set back meanwhile hides no change. */
  isBefore({ mtimeMs, ctimeMs }: FileInfo): boolean {
    const time = Math.min(this.#time, Date.now() - (performance.now() - this.#elapsed));
    return Math.max(mtimeMs, ctimeMs) >= time - TICK_MS;
  }
}

/**
 * A watch of each folder, and the names in it. An event only names a file or folder to look at, so that events may come
 * twice, late or in another order. Paths are relative to the root and spelled as on the disk; the root is the empty path.
 */
class VaultWatch implements Watch {
  readonly ready: Promise<void>;
  readonly #folders = new Map<string, Folder>();
  readonly #unwatched: (path: string) => boolean;
  readonly #watch: typeof watch;
  readonly #isRecursive: boolean;
  readonly #pollMs: number;
  /** The paths that events have named. */
  readonly #pending = new Set<string>();
  /** The folders that are read every few seconds: without a watch, or unreadable at the last look. */
  readonly #polled = new Set<string>();
  /** The folders whose failure is in the log. */
  readonly #logged = new Set<string>();
  /** The events since the last turn of the event loop. */
  #burst = 0;
  /** The size of a burst that may have overflowed the system's queue, which Node does not report. */
  readonly #maxBurst = queuedEvents() / 2;
  #hasLostEvents = false;
  /** Every change before it was reported, or was made before the start. */
  #complete = new Moment();
  #drainTimer: NodeJS.Timeout | undefined;
  #rootTimer: NodeJS.Timeout | undefined;
  #pollTimer: NodeJS.Timeout | undefined;
  #isClosed = false;
  #markClosed: () => void = () => undefined;

  constructor(
    private readonly root: string,
    private readonly onChange: (change: VaultChange) => void,
    private readonly log: Pick<Log, 'warn'>,
    options: WatchOptions,
  ) {
    this.#unwatched = options.unwatched ?? (() => false);
    this.#watch = options.watchFolder ?? watch;
    this.#isRecursive = options.recursive ?? ['darwin', 'win32'].includes(process.platform);
    this.#pollMs = options.pollMs ?? POLL_MS;
    const closed = new Promise<void>((resolve) => (this.#markClosed = resolve));
    this.ready = Promise.race([this.#start(), closed]);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#markClosed();
    clearTimeout(this.#rootTimer);
    clearTimeout(this.#pollTimer);
    clearTimeout(this.#drainTimer);
    this.#pending.clear();
    for (const { watcher } of this.#folders.values()) watcher?.close();
    this.#folders.clear();
  }

  async #start(): Promise<void> {
    await this.#add('', 'none');
    this.#checkRootLater();
  }

  // --- Events ---

  // The type of an event is of no use: on Linux every event of a folder is of type "rename".
  #onEvent(folder: string, name: string | null): void {
    if (this.#burst === 0) setImmediate(() => (this.#burst = 0));
    this.#burst += 1;
    if (name === null || this.#burst > this.#maxBurst) this.#hasLostEvents = true;
    const at = name === null ? '' : joined(folder, name.replaceAll(path.sep, '/'));
    if (at !== '' && !this.#isIgnored(at.slice(folder.length), at)) this.#pending.add(at);
    this.#drainLater();
  }

  /** Has a path compared with the disk soon. */
  #checkLater(at: string): void {
    this.#pending.add(at);
    this.#drainLater();
  }

  #drainLater(): void {
    if (this.#isClosed || (this.#pending.size === 0 && !this.#hasLostEvents)) return;
    this.#drainTimer ??= setTimeout(() => void this.#drain(), COLLECT_MS).unref();
  }

  /** Looks at every path that events have named, until there is none. Never rejects. */
  async #drain(): Promise<void> {
    try {
      while (!this.#isClosed && (this.#pending.size > 0 || this.#hasLostEvents)) {
        const batch: Promise<void>[] = [];
        for (const at of this.#pending) {
          if (batch.length === BATCH) break;
          this.#pending.delete(at);
          batch.push(this.#check(at));
        }
        await Promise.all(batch);
        if (this.#pending.size > 0) await nextTurn();
        if (this.#pending.size === 0 && this.#hasLostEvents) {
          this.#hasLostEvents = false;
          await this.#rescan();
        }
      }
    } catch (error) {
      this.log.warn('watch.error', { message: String(error) });
    } finally {
      this.#drainTimer = undefined;
    }
  }

  /** Compares a path with the disk. */
  async #check(at: string): Promise<void> {
    const stat = await this.#stat(at);
    if (this.#isClosed) return;
    const [parentPath, name] = parted(at);
    const parent = this.#folders.get(parentPath);
    // The folder around it is read first, or is gone.
    if (parent === undefined) return void (parentPath !== '' && this.#pending.add(parentPath));
    if (stat === 'unreachable') return this.#report('changed', at);
    if (stat === null || !stat.isDirectory()) this.#removeFolder(at);
    if (stat === null || stat.isDirectory()) this.#removeFile(parentPath, name);
    if (stat === null) return;
    if (!stat.isDirectory()) {
      parent.files.add(name);
      this.#report('changed', at);
      return;
    }
    const known = this.#folders.get(at);
    // A folder that was only touched is as it was; another one in its place needs a watch of its own.
    if (known?.identity === identityOf(stat)) return;
    this.#removeFolder(at);
    await this.#add(at, 'new');
  }

  // --- Folders ---

  /** Watches a folder and all below it. */
  async #add(top: string, report: Report): Promise<void> {
    const waiting = [top];
    while (waiting.length > 0 && !this.#isClosed) {
      const batch = waiting.splice(-BATCH);
      waiting.push(...(await Promise.all(batch.map((at) => this.#enter(at, report)))).flat());
    }
  }

  /** Watches one folder, then reads it, so that no change falls between. Returns the folders in it. */
  async #enter(at: string, report: Report): Promise<string[]> {
    // Before the watch begins, so that a folder that is replaced in between differs when its event comes.
    const stat = await this.#stat(at);
    const [parentPath, name] = parted(at);
    const parent = this.#folders.get(parentPath);
    const isGone = stat === null || (at !== '' && parent === undefined);
    if (this.#isClosed || isGone || this.#folders.has(at)) return [];
    if (stat === 'unreachable') {
      this.#pollLater(parentPath);
      return [];
    }
    const folder: Folder = {
      ...{ watcher: null, identity: identityOf(stat), stamps: null },
      ...{ files: new Set(), folders: new Set() },
    };
    this.#folders.set(at, folder);
    if (at !== '') parent?.folders.add(name);
    this.#open(at, folder);
    return this.#read(at, folder, report);
  }

  /** Gives a folder its watch, or has it polled where the system refuses one. */
  #open(at: string, folder: Folder): void {
    if (folder.watcher !== null || (at !== '' && this.#isRecursive)) return;
    try {
      const watcher = this.#watch(this.#full(at), { persistent: false, recursive: this.#isRecursive });
      watcher.on('change', (_, name) => this.#onEvent(at, name === null ? null : String(name)));
      watcher.on('error', (error) => {
        watcher.close();
        if (this.#folders.get(at) === folder) this.#pollInstead(at, folder, error);
      });
      folder.watcher = watcher;
      folder.stamps = null;
    } catch (error) {
      // The reading of the folder finds these as well.
      if (!hasCode(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM')) this.#pollInstead(at, folder, error);
    }
  }

  #pollInstead(at: string, folder: Folder, error: unknown): void {
    folder.watcher = null;
    folder.stamps ??= new Map();
    this.#pollLater(at);
    if (this.#logged.has('limit')) return;
    this.#logged.add('limit');
    const fix = hasCode(error, 'ENOSPC')
      ? 'Allow more watches: sudo sysctl fs.inotify.max_user_watches=1048576. To keep it, put that line into /etc/sysctl.d/.'
      : hasCode(error, 'EMFILE')
        ? 'Allow more: sudo sysctl fs.inotify.max_user_instances=1024. To keep it, put that line into /etc/sysctl.d/.'
        : 'Look at the drive of the vault.';
    const message = `The system refuses to watch a folder of the vault, so changes in it are found by reading it every few seconds. ${fix}`;
    this.log.warn('watch.limit', { path: at, message, error: String(error) });
  }

  /**
   * Compares a folder with the disk, reports what is new, and returns the folders in it that are not watched yet. What seems to
   * be gone or replaced is looked at once more, because it may have been made since the folder was read.
   */
  async #read(at: string, folder: Folder, report: Report): Promise<string[]> {
    const entries = await this.#entries(at);
    if (this.#isClosed || this.#folders.get(at) !== folder) return [];
    if (entries === null) {
      this.#removeFolder(at);
      return [];
    }
    if (entries === 'unreadable') {
      if (folder.watcher === null) folder.stamps ??= new Map();
      this.#pollLater(at);
      return [];
    }
    const shown = entries.filter(({ name }) => !this.#isIgnored(name, joined(at, name)));
    const isFolder = new Map(shown.map((entry) => [entry.name, entry.isDirectory()]));
    for (const name of folder.files) if (isFolder.get(name) !== false) this.#checkLater(joined(at, name));
    for (const name of folder.folders) if (isFolder.get(name) !== true) this.#checkLater(joined(at, name));
    const added: string[] = [];
    const known: string[] = [];
    for (const [name, isDirectory] of isFolder) {
      const here = joined(at, name);
      if (isDirectory) {
        if (!this.#folders.has(here)) added.push(here);
        else known.push(name);
        continue;
      }
      const isNew = !folder.files.has(name);
      folder.files.add(name);
      if (report === 'new' && isNew) this.#report('changed', here);
    }
    for (const name of known) folder.folders.add(name);
    // Another folder may have taken the place of a known one, whose event was lost or never came.
    await this.#eachStat(at, known, (name, stat) => {
      const here = joined(at, name);
      const before = this.#folders.get(here)?.identity;
      const isHere = stat === 'unreachable' || (stat !== null && before === identityOf(stat));
      if (!isHere) this.#checkLater(here);
    });
    if (folder.stamps !== null) await this.#compareStamps(at, folder, folder.stamps);
    return added;
  }

  /** Reports the files of a polled folder whose time or size differs from the last look. */
  async #compareStamps(at: string, folder: Folder, stamps: Map<string, string>): Promise<void> {
    await this.#eachStat(at, [...folder.files], (name, stat) => {
      const before = stamps.get(name);
      const now =
        typeof stat === 'object' && stat ? `${stat.mtimeMs} ${stat.ctimeMs} ${stat.size}` : String(stat);
      stamps.set(name, now);
      if (before !== undefined && before !== now) this.#report('changed', joined(at, name));
    });
    for (const name of stamps.keys()) if (!folder.files.has(name)) stamps.delete(name);
  }

  async #eachStat(
    at: string,
    names: readonly string[],
    use: (name: string, stat: FileInfo | 'unreachable' | null) => void,
  ): Promise<void> {
    for (let start = 0; start < names.length && !this.#isClosed; start += BATCH) {
      const some = names.slice(start, start + BATCH);
      const stats = await Promise.all(some.map((name) => this.#stat(joined(at, name))));
      some.forEach((name, index) => use(name, stats[index] ?? null));
      await nextTurn();
    }
  }

  /**
   * Reads every folder again, as events may have been lost. Reports new files, and files that may have changed since all
   * changes were known, but no others: a vault has many.
   */
  async #rescan(): Promise<void> {
    const complete = this.#complete;
    const begin = new Moment();
    for (const [at, folder] of [...this.#folders]) {
      const before = [...folder.files];
      for (const added of await this.#read(at, folder, 'new')) await this.#add(added, 'new');
      await this.#eachStat(at, before, (name, stat) => {
        if (stat === null) this.#checkLater(joined(at, name));
        else if (stat === 'unreachable' || complete.isBefore(stat)) this.#report('changed', joined(at, name));
      });
    }
    this.#complete = begin;
  }

  #removeFolder(at: string): void {
    const folder = this.#folders.get(at);
    if (folder === undefined) return;
    folder.watcher?.close();
    this.#folders.delete(at);
    this.#polled.delete(at);
    const [parentPath, name] = parted(at);
    if (at !== '') this.#folders.get(parentPath)?.folders.delete(name);
    for (const file of folder.files) this.#report('removed', joined(at, file));
    for (const inner of folder.folders) this.#removeFolder(joined(at, inner));
  }

  #removeFile(folder: string, name: string): void {
    if (this.#folders.get(folder)?.files.delete(name) === true) this.#report('removed', joined(folder, name));
  }

  // --- Timers ---

  #checkRootLater(): void {
    if (this.#isClosed) return;
    this.#rootTimer = setTimeout(() => void this.#checkRoot(), ROOT_MS).unref();
  }

  /** Looks whether the root is still the folder that is watched: no event tells that it has come back. */
  async #checkRoot(): Promise<void> {
    try {
      const stat = await this.#stat('');
      const known = this.#folders.get('');
      if (stat === 'unreachable') return;
      if (stat?.isDirectory() !== true) return this.#removeFolder('');
      if (known?.identity === identityOf(stat)) return;
      this.#removeFolder('');
      await this.#add('', 'new');
    } finally {
      this.#checkRootLater();
    }
  }

  #pollLater(at: string): void {
    this.#polled.add(at);
    this.#pollTimer ??= setTimeout(() => void this.#poll(), this.#pollMs).unref();
  }

  /** Reads the polled folders, and gives each a watch if the system has one again. */
  async #poll(): Promise<void> {
    const begin = performance.now();
    try {
      for (const at of [...this.#polled]) {
        const folder = this.#folders.get(at);
        if (folder === undefined || this.#isClosed) continue;
        const { stamps } = folder;
        this.#polled.delete(at);
        this.#open(at, folder);
        const added = await this.#read(at, folder, 'new');
        // What changed since the last look, before the watch was there.
        if (folder.stamps === null && stamps !== null) await this.#compareStamps(at, folder, stamps);
        for (const one of added) await this.#add(one, 'new');
      }
    } finally {
      const pause = Math.max(this.#pollMs, POLL_SHARE * (performance.now() - begin));
      const isNeeded = this.#polled.size > 0 && !this.#isClosed;
      this.#pollTimer = isNeeded ? setTimeout(() => void this.#poll(), pause).unref() : undefined;
    }
  }

  // --- The disk ---

  #full(at: string): string {
    return path.join(this.root, at);
  }

  /** Returns null for what is gone. */
  async #stat(at: string): Promise<FileInfo | 'unreachable' | null> {
    try {
      return await nodeFileSystem.lstat(this.#full(at));
    } catch (error) {
      return hasCode(error, 'ENOENT', 'ENOTDIR') ? null : 'unreachable';
    }
  }

  /** Returns null for a folder that is gone. One that cannot be read is logged once. */
  async #entries(at: string): Promise<Dirent[] | 'unreadable' | null> {
    try {
      return await readdir(this.#full(at), { withFileTypes: true });
    } catch (error) {
      if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null;
      if (!this.#isClosed && !this.#logged.has(`/${at}`)) {
        this.#logged.add(`/${at}`);
        this.log.warn('watch.error', { path: at, message: String(error) });
      }
      return 'unreadable';
    }
  }

  /** Returns true for what is not reported: `names` are the last names of the path `at`. */
  #isIgnored(names: string, at: string): boolean {
    return names.split('/').some(isIgnoredName) || this.#unwatched(vaultPath(at));
  }

  #report(kind: VaultChange['kind'], at: string): void {
    if (!this.#isClosed) this.onChange({ kind, path: vaultPath(at) });
  }
}

/** Returns the folder of a path, and its name in it. */
function parted(at: string): [folder: string, name: string] {
  const slash = at.lastIndexOf('/');
  return slash < 0 ? ['', at] : [at.slice(0, slash), at.slice(slash + 1)];
}

/** Returns how many events the kernel of Linux keeps before it drops them; infinite elsewhere. */
function queuedEvents(): number {
  if (process.platform !== 'linux') return Infinity;
  try {
    return Number(readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8')) || 16_384;
  } catch {
    return 16_384;
  }
}
