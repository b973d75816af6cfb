import { StopController } from '../base/concurrency';
import type { Unsubscribe } from '../base/host';
import type { VaultPath } from '../vocabulary/paths';
import {
  errorsToReport,
  mergeTallies,
  type SyncOutcome,
  type SyncProgress,
  type SyncState,
  type SyncTally,
  safeMessage,
} from './outcome';
import { MakerChanged, StoreDown } from './store';
import {
  ChangedPaths,
  indexOwner,
  previewSync,
  type RowToWrite,
  type SyncContext,
  syncVectors,
} from './sync';

/** A sync begins when the vault has not changed for this long (ms), also after the start. */
const QUIET_MS = 30_000;
/** The clock is read this often (ms), because timers stop while the machine sleeps. */
const CHECK_EVERY_MS = 10_000;

/**
 * The pause before the first probe after an outage of database or embedder (ms). It doubles with each probe up to the longest
 * one.
 */
const FIRST_PROBE_MS = 2_000;
const LAST_PROBE_MS = 60_000;

const NOT_BEGUN = 'The sync was stopped before it began.';

interface SyncTimes {
  /** The time from the end of one sync to the next, in seconds. */
  readonly interval: number;
  /** Resolves after this many milliseconds without keeping the process alive. */
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** Keeps the vectors in step with the notes while the vault is open. Runs one sync at a time. */
export class SyncScheduler {
  readonly #parts: SyncContext;
  readonly #times: SyncTimes;
  readonly #failed = new Set<VaultPath>();
  /** The rows that could not be written. */
  readonly #kept: RowToWrite[] = [];
  readonly #changed = new ChangedPaths();
  readonly #forget: Unsubscribe;
  #running: {
    readonly stop: StopController;
    readonly ended: Promise<SyncOutcome>;
    readonly progress: SyncProgress;
  } | null = null;
  #next: { readonly stop: StopController; readonly ended: Promise<SyncOutcome> } | null = null;
  #opening: Promise<void> | null = null;
  #closed = false;
  #lastSync: Date | null = null;
  #lastError: string | null = null;
  #ended = 0;
  #vectors: number | null = null;
  #pending: number | null = null;
  #makerChanged = false;
  #paused = false;
  #syncedBy: string | null = null;
  /** True when the last sync ended because a database or an embedder did not answer. */
  #outage = false;
  /** The time of the last change that no sync has included yet; null when there is none. The start counts as a change. */
  #changedAt: number | null;
  #seenRevision = 0;

  constructor(parts: SyncContext, times: SyncTimes) {
    this.#parts = parts;
    this.#times = times;
    this.#changedAt = this.#now();
    this.#forget = parts.brain.vault.changes(({ path }) => {
      if (!parts.notes.has(path)) return;
      this.#changed.add(path);
      this.#changedAt = this.#now();
    });
  }

  get state(): SyncState {
    return {
      progress: this.#running?.progress ?? null,
      lastSync: this.#lastSync,
      lastError: this.#lastError,
      ended: this.#ended,
      vectors: this.#vectors,
      pending: this.#pending,
      makerChanged: this.#makerChanged,
      paused: this.#paused,
      syncedBy: this.#syncedBy,
    };
  }

  /**
   * Syncs now, whatever model made the existing vectors. During a sync, all callers share one sync after it, whose outcome
   * includes the work of the running one. Never rejects: errors are in the outcome.
   */
  backfill(): Promise<SyncOutcome> {
    this.#paused = false;
    if (this.#next === null) {
      if (this.#running === null) return this.#start(true);
      this.#next = this.#queue(this.#running.ended, new StopController());
    }
    return this.#next.ended;
  }

  #queue(
    running: Promise<SyncOutcome>,
    stop: StopController,
  ): { readonly stop: StopController; readonly ended: Promise<SyncOutcome> } {
    const ended = running.then(async (first) => {
      if (stop.stopped) {
        // No sync has retried the notes that failed.
        const failed = first.errors.filter(({ path }) => path !== undefined);
        return { ...first, errors: [...failed, { error: NOT_BEGUN }] };
      }
      this.#next = null;
      return mergeTallies(first, await this.#start(true));
    });
    return { stop, ended };
  }

  /** Returns the work that `backfill` would do now; changes nothing. Never rejects: errors are in the outcome. */
  async preview(): Promise<SyncOutcome> {
    try {
      const { read, remove, errors } = await previewSync(this.#parts, this.#changed);
      return { added: read.length, deleted: remove.length, errors };
    } catch (error) {
      this.#parts.brain.log.warn('embed.preview', { reason: String(error) });
      return { added: 0, deleted: 0, errors: [{ error: safeMessage(error) }] };
    }
  }

  /**
   * Cancels the running sync and the queued one; written rows are kept. No sync begins by itself until the next `backfill` or
   * start. Returns false when there is neither, and pauses nothing then.
   */
  cancel(): boolean {
    const stopped = [this.#running, this.#next].filter((sync) => sync !== null);
    for (const { stop } of stopped) stop.stop();
    // A later caller gets a new sync, not the cancelled one.
    this.#next = null;
    this.#paused ||= stopped.length > 0;
    return stopped.length > 0;
  }

  /** Records the number of rows in the table. */
  counted(rows: number): void {
    this.#vectors = rows;
  }

  /** Records that a search met the vectors of another maker. The next sync corrects it. */
  suspectMaker(): void {
    this.#makerChanged = true;
  }

  /**
   * Runs syncs until the scheduler is closed, except while they are paused: after every interval, and when the vault has been
   * quiet after a change. The first one runs when the vault has been quiet since the start. After an outage the next sync runs
   * as soon as database and embedder answer. Opens the database at once.
   */
  async keepInStep(): Promise<void> {
    this.#opening = this.#open();
    const interval = this.#times.interval * 1000;
    let left = interval;
    let [pause, untilProbe] = [FIRST_PROBE_MS, Infinity];
    while (!this.#closed) {
      if (!this.#outage || this.#paused) [pause, untilProbe] = [FIRST_PROBE_MS, Infinity];
      else if (untilProbe === Infinity) untilProbe = pause;
      let isBack = false;
      if (untilProbe <= 0) {
        isBack = await this.#probe();
        untilProbe = pause = Math.min(2 * pause, LAST_PROBE_MS);
      }
      if (left <= 0 || isBack || this.#isQuiet()) {
        if (this.#running === null && this.#next === null && !this.#paused) await this.#start(false);
        left = interval;
        if (this.#outage && untilProbe === Infinity) untilProbe = pause;
      }
      const passed = await this.#sleep(Math.max(0, Math.min(CHECK_EVERY_MS, left, untilProbe)));
      left -= passed;
      untilProbe -= passed;
    }
  }

  /** Returns whether database and embedder answer. With rows to write, a sync is the better probe: it begins with them. */
  async #probe(): Promise<boolean> {
    try {
      await this.#parts.vectors.open();
      if (this.#kept.length > 0) return true;
      await this.#parts.embedder.embed(['Is this answered again?'], 'query');
      return true;
    } catch {
      return false;
    }
  }

  /** Cancels the syncs and resolves when they have ended. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#forget();
    this.cancel();
    await Promise.all([this.#running?.ended, this.#opening]);
  }

  /**
   * Opens the database early, so that the first search need not wait for it, and counts the notes with a vector for callers
   * before the first sync.
   */
  async #open(): Promise<void> {
    // A sync that was requested meanwhile has newer results.
    const isFirst = () => this.#ended === 0 && this.#running === null && !this.#closed;
    try {
      await this.#parts.vectors.open();
      await this.#countPending(isFirst);
    } catch (error) {
      if (isFirst()) this.#recordFailure(error);
    }
  }

  /**
   * Counts the notes that have a vector, if `counts` is still true when the rows are known.
   * @throws MakerChanged, StoreDown
   */
  async #countPending(counts: () => boolean): Promise<void> {
    const { coverage, vectors } = this.#parts;
    const known = await vectors.known(indexOwner(this.#parts));
    if (!counts()) return;
    if (known === null) throw new MakerChanged();
    const notes = this.#parts.notes.records();
    this.#pending = notes.filter(({ path }) => !known.has(path)).length;
    coverage.set(notes.length - this.#pending);
    this.counted(known.size);
  }

  /**
   * Replaces the sync while another device maintains the vectors: it only counts them.
   * @throws MakerChanged, StoreDown
   */
  async #follow(holder: string, isAsked: boolean): Promise<SyncOutcome> {
    await this.#countPending(() => true);
    this.#makerChanged = false;
    this.#outage = false;
    this.#lastSync = this.#parts.brain.clock.now();
    this.#lastError = null;
    const error = `Another device (${holder}) makes the vectors of this vault as long as its server runs. Run this there, or stop that server first.`;
    return { added: 0, deleted: 0, errors: isAsked ? [{ error }] : [] };
  }

  /** Returns whether the vault has been quiet. Changes by the service show in the catalog and may come without an event. */
  #isQuiet(): boolean {
    const { revision } = this.#parts.brain.catalog;
    const now = this.#now();
    if (revision !== this.#seenRevision) this.#changedAt = now;
    this.#seenRevision = revision;
    // A clock that was set back must not prolong the wait.
    return this.#changedAt !== null && Math.abs(now - this.#changedAt) >= QUIET_MS;
  }

  #now(): number {
    return this.#parts.brain.clock.now().getTime();
  }

  /** Sleeps, and returns the elapsed time by the clock; at least `milliseconds`, also when the clock was set back. */
  async #sleep(milliseconds: number): Promise<number> {
    const since = this.#now();
    await this.#times.sleep(milliseconds);
    return Math.max(milliseconds, this.#now() - since);
  }

  #start(isAsked: boolean): Promise<SyncOutcome> {
    const stop = new StopController();
    if (this.#closed) stop.stop();
    const progress: SyncProgress = { phase: 'comparing', done: 0, total: 0 };
    this.#changedAt = null;
    this.#seenRevision = this.#parts.brain.catalog.revision;
    const ended = this.#run(isAsked, stop, progress).finally(() => {
      this.#ended += 1;
      this.#running = null;
    });
    this.#running = { stop, ended, progress };
    return ended;
  }

  /** Tidies the table. Searches work without it, so a failure does not fail the sync. */
  async #tidy(): Promise<void> {
    try {
      await this.#parts.vectors.tidy();
    } catch (error) {
      this.#parts.brain.log.warn('embed.tidy', { reason: String(error) });
    }
  }

  async #run(isAsked: boolean, signal: StopController, progress: SyncProgress): Promise<SyncOutcome> {
    const { brain, vectors } = this.#parts;
    const tally: SyncTally = { added: 0, deleted: 0 };
    const outage = { met: false };
    try {
      this.#syncedBy = await vectors.lease(indexOwner(this.#parts), brain.device);
      if (this.#syncedBy !== null) return await this.#follow(this.#syncedBy, isAsked);
      const errors = await syncVectors(this.#parts, {
        outage,
        isAsked,
        signal,
        progress,
        tally,
        failed: this.#failed,
        changed: this.#changed,
        sleep: this.#times.sleep,
        kept: this.#kept,
      });
      this.counted(await vectors.count(indexOwner(this.#parts)));
      if (tally.added + tally.deleted > 0) await this.#tidy();
      this.#makerChanged = false;
      this.#outage = outage.met;
      this.#lastSync = brain.clock.now();
      this.#lastError = errors[0]?.error ?? null;
      // A note that could not be read was never to be embedded.
      const failed = errors.filter(({ path }) => path !== undefined && this.#failed.has(path));
      this.#pending = progress.total - progress.done + failed.length;
      if (tally.added + tally.deleted + errors.length > 0) {
        brain.log.info('embed.sync', { ...tally, errors: errors.length });
      }
      return { ...tally, errors: errorsToReport(errors) };
    } catch (error) {
      return { ...tally, errors: [{ error: this.#recordFailure(error) }] };
    }
  }

  /** Records a failed sync and returns the message that is safe to show. */
  #recordFailure(error: unknown): string {
    // A database that does not answer says nothing about the owner of its vectors.
    this.#makerChanged ||= error instanceof MakerChanged;
    // A refused caller must not try again before the next interval.
    this.#outage = error instanceof StoreDown && !error.isRefusal;
    const words = safeMessage(error);
    // An outage is logged once, not at every interval.
    if (words !== this.#lastError)
      this.#parts.brain.log.warn('embed.sync', { message: words, reason: String(error) });
    this.#lastError = words;
    return words;
  }
}
