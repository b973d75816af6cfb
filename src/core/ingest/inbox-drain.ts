import type { Brain } from '../brain';
import type { FileStat } from '../ports';
import { fileName, type VaultPath } from '../rules/paths';
import { Stop } from '../vectors/stop';
import { Drops } from './drops';
import type { InboxState, LeftFile } from './inbox-port';
import type { Quarantine } from './quarantine';
import { takeFile } from './take-file';

/** The end of the service waits so long for the file that is being taken, in milliseconds: it stops at its next step. */
const CLOSE_MS = 3_000;

/** Resolves after so many milliseconds without keeping the process alive. */
export type Sleep = (milliseconds: number) => Promise<void>;

/**
 * Takes in the files it is given, one at a time, each as soon as it stands still. One that fails goes into quarantine, at
 * once or after some more tries; one that the service has no time for stays and is tried until it has; one of a kind that
 * cannot be read is left where it is. Wherever this is cut, each file has one place, and taking it again goes on from there.
 */
export class InboxDrain {
  readonly #brain: Brain;
  readonly #sleep: Sleep;
  readonly #quarantine: Quarantine;
  readonly #drops = new Drops();
  readonly #left = new Map<VaultPath, LeftFile['reason']>();
  readonly #stop = new Stop();
  #isOpen = false;
  #running: InboxState['running'] = null;
  #draining: Promise<void> | null = null;

  constructor(brain: Brain, quarantine: Quarantine, sleep: Sleep) {
    this.#brain = brain;
    this.#quarantine = quarantine;
    this.#sleep = sleep;
  }

  get isStopped(): boolean {
    return this.#stop.stopped;
  }

  get state(): Pick<InboxState, 'left' | 'retrying' | 'running'> {
    const left = [...this.#left].map(([path, reason]) => ({ path, reason }));
    left.sort((a, b) => (a.path < b.path ? -1 : 1));
    return { left, retrying: this.#drops.retries(), running: this.#running };
  }

  /** True for a file that is to be taken, is being taken, or was left. */
  knows(path: VaultPath): boolean {
    return this.#left.has(path) || this.#drops.has(path);
  }

  /** Begins to take what it was given and will be given. */
  open(): void {
    this.#isOpen = true;
    this.#wake();
  }

  /** Gives it files to take, but those that it has left before. */
  add(paths: Iterable<VaultPath>): void {
    for (const path of paths) if (!this.#left.has(path)) this.#drops.add(path);
    this.#wake();
  }

  /** The file is not to be taken after all, or is gone. */
  forget(path: VaultPath): void {
    this.#left.delete(path);
    this.#drops.delete(path);
  }

  /** Takes those of the files it has left that can be read by now. */
  lookAgain(): void {
    for (const [path, reason] of this.#left) {
      if (reason === 'failed' || this.#unreadable(path) !== null) continue;
      this.#left.delete(path);
      this.#drops.add(path);
    }
    this.#wake();
  }

  /** Resolves after so many milliseconds, or when it is closed. */
  pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const forget = this.#stop.onStop(resolve);
      void this.#sleep(milliseconds).then(() => {
        forget();
        resolve();
      });
    });
  }

  /** What the work resolves with; undefined, and why is logged, when it failed. */
  async orLog<T>(event: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!this.#stop.stopped) this.#brain.log.error(event, { message: String(error) });
      return undefined;
    }
  }

  /** Time and size of a file; null when it is gone or cannot be looked at, which is logged. */
  async statOf(path: VaultPath): Promise<FileStat | null> {
    return (await this.orLog('inbox.stat', () => this.#brain.vault.stat(path))) ?? null;
  }

  /** Takes no further file; resolves when the one that is being taken is done with or has stopped, or after 3 s. */
  async close(): Promise<void> {
    this.#stop.stop();
    if (this.#draining !== null) await Promise.race([this.#draining, this.#sleep(CLOSE_MS)]);
  }

  #wake(): void {
    if (!this.#isOpen || this.#stop.stopped || this.#drops.size === 0) return;
    this.#draining ??= this.orLog('inbox.drain', () => this.#drain()).then(() => {
      this.#draining = null;
      this.#wake(); // For one that came while it was ending.
    });
  }

  async #drain(): Promise<void> {
    for (let done = 0; this.#drops.size > 0 && !this.#stop.stopped;) {
      const ready = await this.#readyOnes();
      for (const path of ready) {
        // Others were taken before it, which may have lasted.
        if (this.#stop.stopped || !(await this.#isReady(path))) continue;
        this.#running = { file: path, done, total: done + this.#drops.size };
        await this.#take(path);
        done += 1;
      }
      this.#running = null;
      if (ready.length === 0) await this.pause(this.#drops.patience(this.#now()));
    }
  }

  async #readyOnes(): Promise<VaultPath[]> {
    const ready: VaultPath[] = [];
    for (const path of this.#drops.paths()) {
      if (this.#stop.stopped) break;
      // Thousands may have been put there at once.
      await this.#brain.pace.run(() => undefined);
      if (await this.#isReady(path)) ready.push(path);
    }
    return ready;
  }

  /** True when its time has come. A file that is gone, empty, or of a kind that cannot be read now is let go of. */
  async #isReady(path: VaultPath): Promise<boolean> {
    const stat = await this.statOf(path);
    if (stat === null || stat.size === 0) {
      this.#drops.delete(path);
      return false;
    }
    const reason = this.#unreadable(path);
    if (reason === null) return this.#drops.look(path, stat, this.#now());
    this.#drops.delete(path);
    this.#left.set(path, reason);
    return false;
  }

  /** Why a file of this name cannot be read now; null when it can. */
  #unreadable(path: VaultPath): 'unknown_type' | 'no_converter' | null {
    const readability = this.#brain.documents.readability(fileName(path));
    if (readability === 'unknown') return 'unknown_type';
    return readability === 'no_converter' ? 'no_converter' : null;
  }

  async #take(path: VaultPath): Promise<void> {
    const trouble = await takeFile(this.#brain, path, this.#stop);
    // What was called off is found again at the next start.
    if (this.#stop.stopped) return;
    if (trouble === null) {
      this.#drops.delete(path);
      return;
    }
    const { code, message, fault, sourceHash, cause } = trouble;
    const unreadable = this.#unreadable(path);
    // The converter has been taken away meanwhile.
    if (code === 'unsupported_type' && unreadable !== null) {
      this.#drops.delete(path);
      this.#left.set(path, unreadable);
      return;
    }
    const attempts = this.#drops.attempt(path);
    this.#brain.log.warn('inbox.failed', { path, code, attempts, message: cause });
    if (fault !== 'file' && this.#drops.failed(path, { code, message, fault }, this.#now())) return;
    this.#drops.delete(path);
    this.#left.set(path, 'failed');
    const failure = { code, message, attempts, sourceHash };
    const put = await this.orLog('inbox.quarantine', () => this.#quarantine.put(path, failure));
    if (put !== undefined) this.#left.delete(path);
    if (put) this.#brain.quarantined?.({ path: put, from: path, code });
  }

  #now(): number {
    return this.#brain.clock.now().getTime();
  }
}
