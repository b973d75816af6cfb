import type { Caller } from '../access/tokens';
import { StopController } from '../base/concurrency';
import { BrainError } from '../base/errors';
import { type Sha, sha256 } from '../base/hash';
import type { StopSignal } from '../base/host';
import { refreshCatalog } from '../catalog/load';
import { inboxFolder } from '../documents/paths';
import {
  type DocumentText,
  type InboxState,
  type LeftFile,
  MAX_FILE_BYTES,
  type RetriedFile,
} from '../documents/ports';
import { FolderPlan } from '../ingest/folder-plan';
import { isAttachmentPath, readPromises } from '../ingest/folder-store';
import { type Attachment, freeProcessed, hashAt, keepAttachment, keptBefore } from '../ingest/original';
import type { IngestRequest } from '../ingest/request';
import { ingestSource } from '../ingest/source';
import { standingName } from '../ingest/standing-name';
import type { Brain } from '../operation/context';
import { type FileStat, sameStat } from '../ports/ports';
import { sourceReference } from '../sources/source-references';
import { fileName, type VaultPath } from '../vocabulary/paths';
import type { Quarantine } from './quarantine';

/** The writer of pages from dropped files, because a file does not name the person who dropped it. */
const WATCHER: Caller = {
  origin: 'watcher',
  name: 'watcher',
  human: false,
  scopes: new Set(['read', 'write']),
};

/** The failure of a file. */
interface IngestFailure {
  readonly code: string;
  readonly message: string;
  /**
   * The cause: the file itself, so that a retry is useless; something outside, which may pass; or a busy service, which passes.
   */
  readonly fault: 'file' | 'outside' | 'busy';
  readonly sourceHash: Sha | null;
  /** For the log only. */
  readonly cause: string;
}

/** What is known of a file that comes with others, from their reading. */
interface PlannedFile extends Partial<Pick<IngestRequest, 'siblings' | 'prepared' | 'translate'>> {
  /** Rejects as the reading did: a file that cannot be read is not read twice. */
  readonly read?: () => Promise<never>;
}

/**
 * Ingests one file of the inbox and moves it to the processed originals. Resolves with null when that is done or the file is
 * gone, otherwise with the failure; nothing has changed then.
 * @param planOf returns what is planned for the file, which comes with others, when it has this hash
 */
export async function ingestInboxFile(
  brain: Brain,
  from: VaultPath,
  signal: StopSignal,
  planOf?: (hash: Sha) => PlannedFile,
): Promise<IngestFailure | null> {
  let hash: Sha | null = null;
  try {
    const bytes = await brain.vault.readBytes(from, MAX_FILE_BYTES);
    if (bytes === null) return null;
    const known = await brain.pace.run(() => sha256(bytes));
    hash = known;
    const planned = planOf?.(known);
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
        read: () => planned?.read?.() ?? brain.documents.read({ name, bytes }, signal),
        destination: brain.config.ingestDestination,
        force: false,
        dryRun: false,
        unread: true,
        signal,
        siblings: planned?.siblings,
        prepared: planned?.prepared,
        translate: planned?.translate,
      },
      WATCHER,
    );
    brain.log.info('inbox.taken', { path: from });
    // No caller waits for an answer with the warnings.
    for (const message of new Set([...warnings, ...pages.flatMap((page) => page.warnings)])) {
      brain.log.warn('inbox.warning', { path: from, message });
    }
    return null;
  } catch (error) {
    return failureOf(error, hash);
  }
}

function failureOf(error: unknown, sourceHash: Sha | null): IngestFailure {
  if (error instanceof BrainError) {
    const { code, message } = error;
    return { code, message, fault: faultOf(error), sourceHash, cause: message };
  }
  // The disk may be full, or another program may hold a file: the file itself is not the cause. The log gets the details, the
  // error note does not.
  const message = 'The service failed while it took this file in. Its log says why.';
  return { code: 'internal', message, fault: 'outside', sourceHash, cause: String(error) };
}

/**
 * Returns the fault of an error: a busy vault or language model, or a converter that is unreachable, overloaded or temporarily
 * broken, may pass.
 */
function faultOf({ code, details }: BrainError): IngestFailure['fault'] {
  if (code === 'busy' || code === 'starting') return 'busy';
  if (code !== 'converter_error' || details?.lasting === true) return 'file';
  const status = details?.status;
  const mayPass = typeof status !== 'number' || status >= 500 || status === 408 || status === 429;
  return mayPass ? 'outside' : 'file';
}

/** A file is complete when its mtime and size are unchanged for this long (ms). */
const STILL_MS = 2000;
/**
 * The waits before retries (ms): for a converter that starts, one that is restarted, a network outage. After the last one the
 * failure is final; while the service is busy the last wait repeats.
 */
const RETRY_WAITS = [10_000, 60_000, 300_000];

/** The files of a folder wait for one another for at most this long (ms): links between them are kept when all are there. */
const GATHER_MS = 60_000;
/** The interval at which held files are looked at (ms). */
const HELD_MS = 500;
/** The files that were ingested lately, to which files that come later may link. */
const MAX_TAKEN = 2_000;

/** The least wait after a new file (ms): mostly others come with it. */
const MIN_WAIT_MS = 50;

/** The state of a queued file. */
interface InboxFile {
  readonly stat: FileStat | null;
  /** The start of its current state, in milliseconds since the epoch. */
  readonly since: number;
  readonly attempts: number;
  /** The number of attempts that count: a busy service is no failure of the file. */
  readonly failures: number;
  /** The time of the next attempt. */
  readonly due: number;
  readonly failure: Pick<IngestFailure, 'code' | 'message'> | null;
}

const UNSEEN: InboxFile = { stat: null, since: 0, attempts: 0, failures: 0, due: 0, failure: null };

/** The files to ingest, until each is complete and due. Times are those of the host's clock. */
export class InboxQueue {
  readonly #files = new Map<VaultPath, InboxFile>();

  get size(): number {
    return this.#files.size;
  }

  has(path: VaultPath): boolean {
    return this.#files.has(path);
  }

  /** All paths, sorted. */
  paths(): VaultPath[] {
    return [...this.#files.keys()].sort();
  }

  /** Queues a file; a queued one keeps its state. */
  add(path: VaultPath): void {
    if (!this.#files.has(path)) this.#files.set(path, UNSEEN);
  }

  delete(path: VaultPath): void {
    this.#files.delete(path);
  }

  /** Records the current state of a file; returns true when it is complete and due. */
  look(path: VaultPath, stat: FileStat, now: number): boolean {
    const file = this.#files.get(path) ?? UNSEEN;
    if (file.stat === null || file.stat.mtime !== stat.mtime || file.stat.size !== stat.size) {
      this.#files.set(path, { ...UNSEEN, stat, since: now });
      return false;
    }
    // A clock that was set back must not prolong the wait.
    if (now < file.since) this.#files.set(path, { ...file, since: now, due: 0 });
    return now - file.since >= STILL_MS && now >= file.due;
  }

  /** Returns true for a file that has not been complete yet. */
  isArriving(path: VaultPath, now: number): boolean {
    const { stat, since, attempts } = this.#files.get(path) ?? UNSEEN;
    return attempts === 0 && (stat === null || now - since < STILL_MS);
  }

  /** Returns the time since a file was last seen to change (ms). */
  age(path: VaultPath, now: number): number {
    return now - (this.#files.get(path) ?? UNSEEN).since;
  }

  /** Returns the number of attempts, including the current one. */
  attempt(path: VaultPath): number {
    return (this.#files.get(path)?.attempts ?? 0) + 1;
  }

  /** Records a failure that may pass; returns false when there are no retries left. For a busy service there always are. */
  failed(
    path: VaultPath,
    {
      code,
      message,
      fault,
    }: Pick<IngestFailure, 'code' | 'message'> & { readonly fault: 'outside' | 'busy' },
    now: number,
  ): boolean {
    const file = this.#files.get(path) ?? UNSEEN;
    const { attempts, failures } = file;
    const wait = fault === 'busy' ? (RETRY_WAITS[attempts] ?? RETRY_WAITS.at(-1)) : RETRY_WAITS[failures];
    if (wait === undefined) return false;
    this.#files.set(path, {
      ...file,
      attempts: attempts + 1,
      failures: failures + (fault === 'busy' ? 0 : 1),
      due: now + wait,
      failure: { code, message },
    });
    return true;
  }

  /** Returns the failed files that are retried, by path. */
  retries(): RetriedFile[] {
    return this.paths().flatMap((path) => {
      const file = this.#files.get(path);
      if (file === undefined || file.failure === null) return [];
      return [{ path, attempts: file.attempts, at: new Date(file.due), ...file.failure }];
    });
  }

  /** Returns the milliseconds until the next check. */
  patience(now: number): number {
    let patience = Infinity;
    for (const { stat, since, due } of this.#files.values()) {
      const still = stat === null ? 0 : since + STILL_MS - now;
      patience = Math.min(patience, Math.max(still, due - now));
    }
    // Files may change meanwhile, and clocks may be set.
    return Math.min(STILL_MS, Math.max(MIN_WAIT_MS, patience));
  }
}

const NOT_PLANNED = 'The files that came together could not be read. The log says why.';

/** Returns the error for a file that is not read again, because it has pages. */
function takenBefore(place: string): BrainError {
  return new BrainError('source_missing', `${place} was taken in before.`);
}

/** Closing waits at most this long for the running ingest (ms), which stops at its next step. */
const CLOSE_MS = 3_000;

/** What a person can do about a file that stays in the inbox. */
const WHAT_TO_DO: Readonly<Record<Exclude<LeftFile['reason'], 'failed'>, string>> = {
  no_converter:
    'Only a converter reads this kind of file. Set CONVERTER_URL (local: is the built-in one, for Office files), or save the file as text or PDF.',
  unknown_type: 'This kind of file is not read. Save it as text or PDF, or take it away.',
  empty: 'The file is empty. Fill it, or take it away.',
};

/** Resolves after this many milliseconds without keeping the process alive. */
export type Sleep = (milliseconds: number) => Promise<void>;

/**
 * Ingests queued files, one at a time, each as soon as it is complete. A failed one goes into quarantine, possibly after
 * retries; one that meets a busy service is retried until it succeeds; one of an unsupported kind stays where it is. After a
 * crash at any point each file has one place, and ingesting it again continues from there.
 */
export class InboxDrain {
  readonly #brain: Brain;
  readonly #sleep: Sleep;
  readonly #quarantine: Quarantine;
  readonly #queue = new InboxQueue();
  readonly #left = new Map<VaultPath, LeftFile['reason']>();
  /** The hashes of left files, which may be large: each is read again only after it has changed. */
  readonly #hashes = new Map<VaultPath, { readonly stat: FileStat; readonly hash: Sha }>();
  /** The reasons that were logged. */
  readonly #told = new Map<VaultPath, LeftFile['reason']>();
  readonly #stop = new StopController();
  /** The hashes of the files that were ingested lately, by their places in the inbox. */
  readonly #taken = new Map<string, Sha>();
  #takenAt = -Infinity;
  /** The errors of files that could not be read for the plan of this round, by their places. */
  readonly #unread = new Map<string, { readonly hash: Sha; readonly error: unknown }>();
  /** True when attachments of an earlier run have been looked for. */
  #isResumed = false;
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
    return { left, retrying: this.#queue.retries(), running: this.#running };
  }

  /** Returns true for a file that is queued, running, or left in the inbox. */
  knows(path: VaultPath): boolean {
    return this.#left.has(path) || this.#queue.has(path);
  }

  /** Starts to ingest queued files. */
  open(): void {
    this.#isOpen = true;
    this.#wake();
  }

  /** Queues files, except those that were left before. */
  add(paths: Iterable<VaultPath>): void {
    for (const path of paths) {
      // A program may have filled an empty file since.
      if (this.#left.get(path) === 'empty') this.#left.delete(path);
      if (!this.#left.has(path)) this.#queue.add(path);
    }
    this.#wake();
  }

  /** Drops a file that is gone or must not be ingested. */
  forget(path: VaultPath): void {
    this.#told.delete(path);
    this.#left.delete(path);
    this.#queue.delete(path);
    this.#hashes.delete(path);
  }

  /** Queues the left files that can be read now. */
  lookAgain(): void {
    for (const [path, reason] of this.#left) {
      // An empty file is looked at again when it changes.
      if (reason === 'failed' || reason === 'empty' || this.#unreadable(path) !== null) continue;
      this.#left.delete(path);
      this.#queue.add(path);
    }
    this.#wake();
  }

  /** Resolves after this many milliseconds, or on close. */
  pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const forget = this.#stop.onStop(resolve);
      void this.#sleep(milliseconds).then(() => {
        forget();
        resolve();
      });
    });
  }

  /** Resolves with the result of the work; undefined when it failed, which is logged. */
  async orLog<T>(event: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      if (!this.#stop.stopped) this.#brain.log.error(event, { message: String(error) });
      return undefined;
    }
  }

  /** Returns time and size of a file; null when it is gone or cannot be read, which is logged. */
  async statOf(path: VaultPath): Promise<FileStat | null> {
    return (await this.orLog('inbox.stat', () => this.#brain.vault.stat(path))) ?? null;
  }

  /** Starts no further file; resolves when the running one has ended, or after 3 s. */
  async close(): Promise<void> {
    this.#stop.stop();
    if (this.#draining !== null) await Promise.race([this.#draining, this.#sleep(CLOSE_MS)]);
  }

  #wake(): void {
    if (!this.#isOpen || this.#stop.stopped || this.#queue.size === 0) return;
    this.#draining ??= this.orLog('inbox.drain', () => this.#drain()).then(() => {
      this.#draining = null;
      this.#wake(); // A file may have arrived during the end of the run.
    });
  }

  async #drain(): Promise<void> {
    for (let done = 0; this.#queue.size > 0 && !this.#stop.stopped;) {
      const { ready, isHeld } = await this.#readyOnes();
      const [first] = ready;
      if (first !== undefined) this.#running = { file: first, done, total: done + this.#queue.size };
      const planned = await this.orLog('inbox.plan', () => this.#planOf(ready));
      // Without a plan the links between the files would be lost, so the disk gets time.
      if (planned === undefined && !this.#stop.stopped && this.#waits(ready)) continue;
      const plan = planned ?? null;
      for (const message of plan?.told ?? []) this.#brain.log.info('inbox.folder', { message });
      for (const path of ready) {
        // The files before it may have taken long.
        if (this.#stop.stopped || !(await this.#isReady(path))) continue;
        this.#running = { file: path, done, total: done + this.#queue.size };
        await this.#take(path, plan);
        done += 1;
      }
      // A file that is tried again later keeps its address, and so do the attachments that it embeds.
      this.#unread.clear();
      const isTried = !this.#stop.stopped && ready.every((path) => !this.#queue.has(path));
      const isWhole =
        isTried && (await this.orLog('inbox.attached', () => this.#keepAttached(ready))) === true;
      if (plan !== null) await this.orLog('inbox.plan', () => plan.close(isWhole));
      this.#running = null;
      if (ready.length === 0) await this.pause(isHeld ? HELD_MS : this.#queue.patience(this.#now()));
    }
  }

  /** Puts files off that could not be planned; returns false when each has waited often enough. */
  #waits(paths: readonly VaultPath[]): boolean {
    const failure = { code: 'internal', message: NOT_PLANNED, fault: 'outside' } as const;
    return paths.filter((path) => this.#queue.failed(path, failure, this.#now())).length > 0;
  }

  /**
   * Returns the files to ingest now. Those of a folder are held until all that have come are complete, for at most a minute; any
   * file is held for a moment while others arrive.
   */
  async #readyOnes(): Promise<{ ready: VaultPath[]; isHeld: boolean }> {
    const complete: VaultPath[] = [];
    const arriving = new Set<string>();
    for (const path of this.#queue.paths()) {
      if (this.#stop.stopped) break;
      // Thousands of files may arrive at once.
      await this.#brain.pace.run(() => undefined);
      if (await this.#isReady(path)) complete.push(path);
      else if (this.#queue.has(path) && this.#queue.isArriving(path, this.#now())) {
        arriving.add(this.#groupOf(path));
      }
    }
    const ready = complete.filter((path) => {
      const group = this.#groupOf(path);
      const wait = group !== '' && arriving.has(group) ? GATHER_MS : arriving.size > 0 ? 2 * STILL_MS : 0;
      return this.#queue.age(path, this.#now()) >= wait;
    });
    return { ready, isHeld: ready.length < complete.length };
  }

  /** Returns the path of a file below the inbox. */
  #placeOf(path: VaultPath): string {
    const folder = inboxFolder(this.#brain.config.watchDir);
    return folder !== null && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
  }

  /** Returns the folder of the inbox with which a file has come; '' for a file by itself. */
  #groupOf(path: VaultPath): string {
    const place = this.#placeOf(path);
    return place.includes('/') ? place.slice(0, place.indexOf('/')) : '';
  }

  /**
   * Plans files that come together, so that links between them are kept; null for one that comes alone. A plan reads all of its
   * files before the first page is made. A model takes long for each, and writes the links itself: then each file is by itself.
   */
  async #planOf(ready: readonly VaultPath[]): Promise<FolderPlan | null> {
    if (this.#brain.model !== undefined) return null;
    const now = this.#now();
    if (now - this.#takenAt > GATHER_MS) this.#taken.clear();
    const attachments = this.#leftUnread().map((path) => ({
      place: this.#placeOf(path),
      load: async () => {
        const found = await this.#complete(path);
        return found && { ...found, read: (max: number) => this.#brain.vault.readBytes(path, max) };
      },
    }));
    if (ready.length === 0 || ready.length + this.#taken.size + attachments.length < 2) return null;
    const brain = this.#brain;
    const stop = this.#stop;
    await brain.ready();
    await refreshCatalog(brain);
    const unread = this.#unread;
    const files = ready
      .map((path) => [path, this.#placeOf(path)] as const)
      .map(([path, place]) => ({
        place,
        async load() {
          const bytes = await brain.vault.readBytes(path, MAX_FILE_BYTES);
          if (bytes === null) return null;
          const name = fileName(path);
          const hash = await brain.pace.run(() => sha256(bytes));
          const read = async (): Promise<DocumentText> => {
            try {
              return await brain.documents.read({ name, bytes }, stop);
            } catch (error) {
              if (!stop.stopped) unread.set(place, { hash, error });
              throw error;
            }
          };
          return { hash, name, read };
        },
      }));
    // Files that came a little earlier have pages already.
    const earlier = [...this.#taken].map(([place, hash]) => ({
      place,
      load: async () => ({ hash, name: fileName(place), read: () => Promise.reject(takenBefore(place)) }),
    }));
    const destination = brain.config.ingestDestination;
    const folder = brain.config.watchDir;
    const terms = {
      label: '',
      folder,
      readsAtOnce: 1,
      destination,
      force: false,
      dryRun: false,
      attachments,
    };
    return FolderPlan.make(brain, [...files, ...earlier], terms, WATCHER, {
      signal: this.#stop,
      progress: ({ done }) => {
        const file = ready[Math.min(done, ready.length - 1)];
        if (file !== undefined && this.#running !== null) this.#running = { ...this.#running, file };
      },
    });
  }

  /** Returns the files that stay in the inbox because nobody reads their kind. */
  #leftUnread(): VaultPath[] {
    return [...this.#left].flatMap(([path, reason]) =>
      reason === 'unknown_type' || reason === 'no_converter' ? [path] : [],
    );
  }

  /** Returns hash and size of a file that is complete; null for one that may still change. */
  async #complete(path: VaultPath): Promise<{ readonly hash: Sha; readonly size: number } | null> {
    const before = await this.statOf(path);
    if (before === null || before.size === 0 || Math.abs(this.#now() - before.mtime) < STILL_MS) return null;
    const known = this.#hashes.get(path);
    if (known !== undefined && sameStat(before, known.stat)) return { hash: known.hash, size: before.size };
    const hash = await hashAt(this.#brain, path);
    const after = await this.statOf(path);
    if (hash === null || after === null || !sameStat(before, after)) return null;
    this.#hashes.set(path, { stat: after, hash });
    return { hash, size: before.size };
  }

  /**
   * Moves the left files that pages embed or link to the paths that were promised for them, also those of an earlier run that
   * was cut. One that came with a folder and whose bytes are kept already moves beside them. Resolves true when none is missing.
   */
  async #keepAttached(ready: readonly VaultPath[]): Promise<true> {
    const left = this.#leftUnread();
    // Promises come with files that are ingested, or from before the start.
    if (left.length === 0 || (ready.length === 0 && this.#isResumed)) return true;
    this.#isResumed = true;
    const brain = this.#brain;
    const promised = await readPromises(brain);
    const free = new Map<Sha, VaultPath[]>();
    for (const [hash, paths] of promised.pages) {
      const own = [...paths.values()].filter(isAttachmentPath);
      if (own.length > 0) free.set(hash, own);
    }
    const folders = new Set(ready.map((path) => this.#groupOf(path)));
    for (const from of left) {
      const group = this.#groupOf(from);
      const isWithOthers = group !== '' && folders.has(group);
      if (free.size === 0 && !isWithOthers) continue;
      const found = await this.#complete(from);
      if (found === null) continue;
      const attachment = { ...found, name: await this.#standingName(from), from };
      let isKept = false;
      for (const to of free.get(found.hash) ?? []) isKept ||= await this.#keep(attachment, to);
      if (isKept || !isWithOthers || (await keptBefore(brain, attachment.name, found)) === null) continue;
      const owner = `attached:${from}`;
      await this.#keep(attachment, await freeProcessed(brain, attachment.name, owner));
      brain.whole.catalog.reserved.release(owner);
    }
    return true;
  }

  /** Keeps a file among the originals that is no note. */
  async #setAside(path: VaultPath): Promise<void> {
    const found = await this.#complete(path);
    if (found === null) return;
    const owner = `attached:${path}`;
    const name = await this.#standingName(path);
    await this.#keep({ ...found, name, from: path }, await freeProcessed(this.#brain, name, owner));
    this.#brain.whole.catalog.reserved.release(owner);
  }

  #standingName(path: VaultPath): Promise<string> {
    return standingName(this.#brain, fileName(path), (max) => this.#brain.vault.readBytes(path, max));
  }

  async #keep(attachment: Attachment & { readonly from: VaultPath }, to: VaultPath): Promise<boolean> {
    const { from } = attachment;
    if (!(await keepAttachment(this.#brain, attachment, to))) return false;
    this.forget(from);
    this.#brain.log.info('inbox.attached', { path: from, to });
    return true;
  }

  /** Returns true when the file is complete and due. Drops a file that is gone; leaves an empty one, and an unsupported kind. */
  async #isReady(path: VaultPath): Promise<boolean> {
    const stat = await this.statOf(path);
    if (stat === null) {
      this.#queue.delete(path);
      return false;
    }
    const reason = this.#unreadable(path);
    if (reason === null) {
      const isReady = this.#queue.look(path, stat, this.#now());
      if (stat.size > 0) return isReady;
      if (isReady) this.#leave(path, 'empty');
    } else this.#leave(path, reason);
    return false;
  }

  /** Leaves a file where it is, and logs once what can be done about it. */
  #leave(path: VaultPath, reason: Exclude<LeftFile['reason'], 'failed'>): void {
    this.#queue.delete(path);
    this.#left.set(path, reason);
    if (this.#told.get(path) === reason) return;
    this.#told.set(path, reason);
    this.#brain.log.warn('inbox.left', { path, reason, message: WHAT_TO_DO[reason] });
  }

  /** Returns why a file with this name cannot be read now; null when it can. */
  #unreadable(path: VaultPath): 'unknown_type' | 'no_converter' | null {
    const readability = this.#brain.documents.readability(fileName(path));
    if (readability === 'unknown') return 'unknown_type';
    return readability === 'no_converter' ? 'no_converter' : null;
  }

  async #take(path: VaultPath, plan: FolderPlan | null): Promise<void> {
    const place = this.#placeOf(path);
    if (plan?.isLeftOut(place) === true) {
      await this.orLog('inbox.left_out', () => this.#setAside(path));
      this.#queue.delete(path);
      return;
    }
    let hash: Sha | null = null;
    const failed = await ingestInboxFile(this.#brain, path, this.#stop, (now) => {
      hash = now;
      const unread = this.#unread.get(place);
      if (unread?.hash === now) {
        const read = async (): Promise<never> => {
          throw unread.error;
        };
        return { read };
      }
      return plan?.of(place, now) ?? {};
    });
    // A cancelled file is found again at the next start.
    if (this.#stop.stopped) return;
    if (failed === null) {
      await plan?.done(place);
      this.#queue.delete(path);
      if (this.#taken.size >= MAX_TAKEN) this.#taken.clear();
      if (hash !== null) this.#taken.set(place, hash);
      this.#takenAt = this.#now();
      return;
    }
    const { code, message, fault, sourceHash, cause } = failed;
    const unreadable = this.#unreadable(path);
    // The converter was removed meanwhile.
    if (code === 'unsupported_type' && unreadable !== null) {
      this.#leave(path, unreadable);
      return;
    }
    const attempts = this.#queue.attempt(path);
    this.#brain.log.warn('inbox.failed', { path, code, attempts, message: cause });
    if (fault !== 'file' && this.#queue.failed(path, { code, message, fault }, this.#now())) return;
    this.#queue.delete(path);
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
