import type { Caller } from '../access/caller';
import { StopController } from '../base/concurrency';
import { BrainError } from '../base/errors';
import { type Sha, sha256 } from '../base/hash';
import type { StopSignal } from '../base/host';
import { refreshCatalog } from '../catalog/load';
import { type InboxState, type LeftFile, MAX_FILE_BYTES, type RetriedFile } from '../documents/ports';
import { ingestSource } from '../ingest/source';
import type { Brain } from '../operation/context';
import type { FileStat } from '../ports/ports';
import { sourceReference } from '../sources/source-references';
import { fileName, type VaultPath } from '../vocabulary/paths';
import type { Quarantine } from './quarantine';

/** Who puts the pages of dropped files into the queue. A file does not say who dropped it. */
const WATCHER: Caller = {
  origin: 'watcher',
  name: 'watcher',
  human: false,
  scopes: new Set(['read', 'write']),
};

/** A file could not be taken in. */
interface IngestFailure {
  readonly code: string;
  readonly message: string;
  /**
   * What failed: the file, which will not be another when it is tried again; something outside it, which may pass; or nothing,
   * because the service is busy, which passes.
   */
  readonly fault: 'file' | 'outside' | 'busy';
  readonly sourceHash: Sha | null;
  /** For the log alone. */
  readonly cause: string;
}

/**
 * Makes pages of one file of the inbox, which then lies among the handled originals. Resolves with null when that is done or
 * the file is gone, else with what was in the way; then nothing has changed.
 */
export async function ingestInboxFile(
  brain: Brain,
  from: VaultPath,
  signal: StopSignal,
): Promise<IngestFailure | null> {
  let hash: Sha | null = null;
  try {
    const bytes = await brain.vault.readBytes(from, MAX_FILE_BYTES);
    if (bytes === null) return null;
    const known = await brain.pace.run(() => sha256(bytes));
    hash = known;
    const name = fileName(from);
    await brain.ready();
    await refreshCatalog(brain);
    const { warnings, pages } = await ingestSource(
      brain,
      {
        hash: known,
        name,
        label: null,
        reference: (original) => original && sourceReference(original, name),
        original: { kind: 'move', from },
        read: () => brain.documents.read({ name, bytes }, signal),
        destination: brain.config.ingestDestination,
        force: false,
        dryRun: false,
        unread: true,
        signal,
      },
      WATCHER,
    );
    brain.log.info('inbox.taken', { path: from });
    // Nobody waits for an answer here that could tell of them.
    for (const message of new Set([...warnings, ...pages.flatMap((page) => page.warnings)])) {
      brain.log.warn('inbox.warning', { path: from, message });
    }
    return null;
  } catch (error) {
    return troubleOf(error, hash);
  }
}

function troubleOf(error: unknown, sourceHash: Sha | null): IngestFailure {
  if (error instanceof BrainError) {
    const { code, message } = error;
    return { code, message, fault: faultOf(error), sourceHash, cause: message };
  }
  // The disk is full, or another program holds a file: no fault of this one. The log gets the words, the note does not.
  const message = 'The service failed while it took this file in. Its log says why.';
  return { code: 'internal', message, fault: 'outside', sourceHash, cause: String(error) };
}

/** A vault or a language model that is busy; a converter that cannot be reached, is overloaded or broken for now. */
function faultOf({ code, details }: BrainError): IngestFailure['fault'] {
  if (code === 'busy' || code === 'starting') return 'busy';
  if (code !== 'converter_error' || details?.lasting === true) return 'file';
  const status = details?.status;
  const mayPass = typeof status !== 'number' || status >= 500 || status === 408 || status === 429;
  return mayPass ? 'outside' : 'file';
}

/** A file is whole when its time and size have stood still for so long, in milliseconds. */
const STILL_MS = 2000;
/**
 * Waits before a file is tried again, in milliseconds: a converter that starts, one that is restarted, a network that is
 * gone. After the last one a file has failed for good; one that the service had no time for waits as long as that again.
 */
const RETRY_WAITS = [10_000, 60_000, 300_000];

/** A file that was heard of just now is looked at a little later: mostly others come with it. */
const MIN_WAIT_MS = 50;

/** What is known of a file that is to be taken. */
interface InboxFile {
  readonly stat: FileStat | null;
  /** Since when it has looked like that, in milliseconds since the epoch. */
  readonly since: number;
  readonly attempts: number;
  /** How many of the attempts count: whether the service has time says nothing of the file. */
  readonly failures: number;
  /** Not to be tried before. */
  readonly due: number;
  readonly trouble: Pick<IngestFailure, 'code' | 'message'> | null;
}

const UNSEEN: InboxFile = { stat: null, since: 0, attempts: 0, failures: 0, due: 0, trouble: null };

/** The files that are to be taken, until each stands still and its time has come. Times are those of the host's clock. */
export class InboxQueue {
  readonly #drops = new Map<VaultPath, InboxFile>();

  get size(): number {
    return this.#drops.size;
  }

  has(path: VaultPath): boolean {
    return this.#drops.has(path);
  }

  /** Every path, sorted. */
  paths(): VaultPath[] {
    return [...this.#drops.keys()].sort();
  }

  /** Takes a file up; one that is here already keeps what is known of it. */
  add(path: VaultPath): void {
    if (!this.#drops.has(path)) this.#drops.set(path, UNSEEN);
  }

  delete(path: VaultPath): void {
    this.#drops.delete(path);
  }

  /** Says how a file looks now; true when it has looked so for long enough, and is not to be waited for otherwise. */
  look(path: VaultPath, stat: FileStat, now: number): boolean {
    const drop = this.#drops.get(path) ?? UNSEEN;
    if (drop.stat === null || drop.stat.mtime !== stat.mtime || drop.stat.size !== stat.size) {
      this.#drops.set(path, { ...UNSEEN, stat, since: now });
      return false;
    }
    // A clock that was set back must not make an endless wait.
    if (now < drop.since) this.#drops.set(path, { ...drop, since: now, due: 0 });
    return now - drop.since >= STILL_MS && now >= drop.due;
  }

  /** How often a file has been tried, this time included. */
  attempt(path: VaultPath): number {
    return (this.#drops.get(path)?.attempts ?? 0) + 1;
  }

  /**
   * Notes that a file has failed for a reason that may pass; false when it has been tried often enough. Because the service was
   * busy it never has.
   */
  failed(
    path: VaultPath,
    {
      code,
      message,
      fault,
    }: Pick<IngestFailure, 'code' | 'message'> & { readonly fault: 'outside' | 'busy' },
    now: number,
  ): boolean {
    const drop = this.#drops.get(path) ?? UNSEEN;
    const { attempts, failures } = drop;
    const wait = fault === 'busy' ? (RETRY_WAITS[attempts] ?? RETRY_WAITS.at(-1)) : RETRY_WAITS[failures];
    if (wait === undefined) return false;
    this.#drops.set(path, {
      ...drop,
      attempts: attempts + 1,
      failures: failures + (fault === 'busy' ? 0 : 1),
      due: now + wait,
      trouble: { code, message },
    });
    return true;
  }

  /** The files that have failed and are tried again, by path. */
  retries(): RetriedFile[] {
    return this.paths().flatMap((path) => {
      const drop = this.#drops.get(path);
      if (drop === undefined || drop.trouble === null) return [];
      return [{ path, attempts: drop.attempts, at: new Date(drop.due), ...drop.trouble }];
    });
  }

  /** Milliseconds until it is worth to look again. */
  patience(now: number): number {
    let patience = Infinity;
    for (const { stat, since, due } of this.#drops.values()) {
      const still = stat === null ? 0 : since + STILL_MS - now;
      patience = Math.min(patience, Math.max(still, due - now));
    }
    // Files may change while they are waited for, and clocks be set.
    return Math.min(STILL_MS, Math.max(MIN_WAIT_MS, patience));
  }
}

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
  readonly #drops = new InboxQueue();
  readonly #left = new Map<VaultPath, LeftFile['reason']>();
  readonly #stop = new StopController();
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
    const trouble = await ingestInboxFile(this.#brain, path, this.#stop);
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
