import { StopController } from '../base/concurrency';
import type { Unsubscribe } from '../base/host';
import { noteStatus } from '../catalog/record';
import type { VaultPath } from '../vocabulary/paths';
import {
  errorsToReport,
  mergeTallies,
  type SyncOutcome,
  type SyncProgress,
  type SyncState,
  type SyncTally,
  wordsOf,
} from './outcome';
import { MakerChanged, StoreDown } from './store';
import { ChangedPaths, indexOwner, previewSync, type SyncContext, syncVectors } from './sync';

/** So long the vault has to be quiet after a change, or after the start, before a sync begins, in milliseconds. */
const QUIET_MS = 30_000;
/** Timers stand still while the machine sleeps, so the clock is looked at this often, in milliseconds. */
const LOOK_EVERY_MS = 10_000;

/**
 * After a sync that database or embedder has cut it is asked whether they answer: so soon for the first time, in milliseconds,
 * then after twice as long each time, and never more seldom than this.
 */
const FIRST_PROBE_MS = 2_000;
const LAST_PROBE_MS = 60_000;

const NOT_BEGUN = 'The sync was stopped before it began.';

interface SyncTimes {
  /** Seconds from the end of one sync to the next. */
  readonly interval: number;
  /** Resolves after so many milliseconds without keeping the process alive. */
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** Keeps the vectors in step with the notes, for as long as the vault is open. One sync at a time. */
export class SyncScheduler {
  readonly #parts: SyncContext;
  readonly #times: SyncTimes;
  readonly #failed = new Set<VaultPath>();
  readonly #told = new ChangedPaths();
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
  #syncedBy: string | null = null;
  /** True while the last sync was cut by a database or an embedder that did not answer. */
  #outage = false;
  /** When the last change was seen that no sync has looked at yet; null when there is none. The start counts as one. */
  #changedAt: number | null;
  #seenRevision = 0;

  constructor(parts: SyncContext, times: SyncTimes) {
    this.#parts = parts;
    this.#times = times;
    this.#changedAt = this.#now();
    this.#forget = parts.brain.vault.changes(({ path }) => {
      if (noteStatus(path) !== 'wiki') return;
      this.#told.add(path);
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
      syncedBy: this.#syncedBy,
    };
  }

  /**
   * Syncs now, whatever the model of the vectors that are there; while a sync runs, once after it, for all who asked
   * meanwhile, whose outcome counts what that one has done too. Never rejects: what fails is in the outcome.
   */
  backfill(): Promise<SyncOutcome> {
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
        // Nobody has looked at its failed notes again.
        const failed = first.errors.filter(({ path }) => path !== undefined);
        return { ...first, errors: [...failed, { error: NOT_BEGUN }] };
      }
      this.#next = null;
      return mergeTallies(first, await this.#start(true));
    });
    return { stop, ended };
  }

  /** What `backfill` would do now; changes nothing. Never rejects: what fails is in the outcome. */
  async preview(): Promise<SyncOutcome> {
    try {
      const { read, remove, errors } = await previewSync(this.#parts, this.#told);
      return { added: read.length, deleted: remove.length, errors };
    } catch (error) {
      this.#parts.brain.log.warn('embed.preview', { reason: String(error) });
      return { added: 0, deleted: 0, errors: [{ error: wordsOf(error) }] };
    }
  }

  /** Stops the sync that runs, and one that waits for its end; what was written stands. False when there is neither. */
  cancel(): boolean {
    const stopped = [this.#running, this.#next].filter((sync) => sync !== null);
    for (const { stop } of stopped) stop.stop();
    // Whoever asks from now on is not to be told that it was stopped.
    this.#next = null;
    return stopped.length > 0;
  }

  /** Says how many rows the table holds, as somebody has just counted. */
  counted(rows: number): void {
    this.#vectors = rows;
  }

  /** Says that the vectors are another maker's, as a search has found; the next sync knows better. */
  suspectMaker(): void {
    this.#makerChanged = true;
  }

  /**
   * Syncs after every interval and whenever changed notes have come to rest, for the first time when the vault has been quiet
   * since the start unless somebody asks before, until it is closed. One that an outage has cut goes on soon after that has
   * ended. The database is opened at once.
   */
  async keepInStep(): Promise<void> {
    this.#opening = this.#open();
    const interval = this.#times.interval * 1000;
    let left = interval;
    let [pause, untilProbe] = [FIRST_PROBE_MS, Infinity];
    while (!this.#closed) {
      if (!this.#outage) [pause, untilProbe] = [FIRST_PROBE_MS, Infinity];
      else if (untilProbe === Infinity) untilProbe = pause;
      let isBack = false;
      if (untilProbe <= 0) {
        isBack = await this.#answers();
        untilProbe = pause = Math.min(2 * pause, LAST_PROBE_MS);
      }
      if (left <= 0 || isBack || this.#hasComeToRest()) {
        if (this.#running === null && this.#next === null) await this.#start(false);
        left = interval;
        if (this.#outage && untilProbe === Infinity) untilProbe = pause;
      }
      const passed = await this.#pass(Math.max(0, Math.min(LOOK_EVERY_MS, left, untilProbe)));
      left -= passed;
      untilProbe -= passed;
    }
  }

  /** Whether database and embedder answer. */
  async #answers(): Promise<boolean> {
    try {
      await this.#parts.vectors.open();
      await this.#parts.embedder.embed(['Is this answered again?'], 'query');
      return true;
    } catch {
      return false;
    }
  }

  /** Stops what runs and resolves when it has ended. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#forget();
    this.cancel();
    await Promise.all([this.#running?.ended, this.#opening]);
  }

  /**
   * So that the first search need not wait for the database, and whoever looks before the first sync hears how many notes
   * have a vector, or why that cannot be said.
   */
  async #open(): Promise<void> {
    // A sync that somebody has asked for meanwhile knows better.
    const isFirst = () => this.#ended === 0 && this.#running === null && !this.#closed;
    try {
      await this.#parts.vectors.open();
      await this.#lookAt(isFirst);
    } catch (error) {
      if (isFirst()) this.#brokeOff(error);
    }
  }

  /** Looks how many notes have a vector, as long as that `counts` when it is known. @throws MakerChanged, StoreDown */
  async #lookAt(counts: () => boolean): Promise<void> {
    const { brain, coverage, vectors } = this.#parts;
    const known = await vectors.known(indexOwner(this.#parts));
    if (!counts()) return;
    if (known === null) throw new MakerChanged();
    const notes = brain.catalog.notes('wiki');
    this.#pending = notes.filter(({ path }) => !known.has(path)).length;
    coverage.set(notes.length - this.#pending);
    this.counted(known.size);
  }

  /** The sync of a device whose vectors another one makes: it only looks how far they are. @throws MakerChanged, StoreDown */
  async #follow(holder: string, isAsked: boolean): Promise<SyncOutcome> {
    await this.#lookAt(() => true);
    this.#makerChanged = false;
    this.#outage = false;
    this.#lastSync = this.#parts.brain.clock.now();
    this.#lastError = null;
    const error = `Another device (${holder}) makes the vectors of this vault as long as its server runs. Run this there, or stop that server first.`;
    return { added: 0, deleted: 0, errors: isAsked ? [{ error }] : [] };
  }

  /** What the service itself has written is known to the catalog, and need not come as an event. */
  #hasComeToRest(): boolean {
    const { revision } = this.#parts.brain.catalog;
    const now = this.#now();
    if (revision !== this.#seenRevision) this.#changedAt = now;
    this.#seenRevision = revision;
    // A clock that was set back must not make an endless wait.
    return this.#changedAt !== null && Math.abs(now - this.#changedAt) >= QUIET_MS;
  }

  #now(): number {
    return this.#parts.brain.clock.now().getTime();
  }

  /** Waits, and answers how long that took by the clock; at least what was asked, also when the clock was set back. */
  async #pass(milliseconds: number): Promise<number> {
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

  /** Searches go on without it, so its failure is no failure of the sync. */
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
        told: this.#told,
      });
      this.counted(await vectors.count(indexOwner(this.#parts)));
      if (tally.added + tally.deleted > 0) await this.#tidy();
      this.#makerChanged = false;
      this.#outage = outage.met;
      this.#lastSync = brain.clock.now();
      this.#lastError = errors[0]?.error ?? null;
      // One that could not be looked at was not to be embedded.
      const failed = errors.filter(({ path }) => path !== undefined && this.#failed.has(path));
      this.#pending = progress.total - progress.done + failed.length;
      if (tally.added + tally.deleted + errors.length > 0) {
        brain.log.info('embed.sync', { ...tally, errors: errors.length });
      }
      return { ...tally, errors: errorsToReport(errors) };
    } catch (error) {
      return { ...tally, errors: [{ error: this.#brokeOff(error) }] };
    }
  }

  /** Remembers what may be said of the error, and says it. */
  #brokeOff(error: unknown): string {
    // A database that cannot be asked says nothing of whose vectors it holds.
    this.#makerChanged ||= error instanceof MakerChanged;
    // Who is sent away is not to knock again before the next interval.
    this.#outage = error instanceof StoreDown && !error.isRefusal;
    const words = wordsOf(error);
    // An outage is told once, not at every interval.
    if (words !== this.#lastError)
      this.#parts.brain.log.warn('embed.sync', { message: words, reason: String(error) });
    this.#lastError = words;
    return words;
  }
}
