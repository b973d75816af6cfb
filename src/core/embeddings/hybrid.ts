import { StopController } from '../base/concurrency';
import { BrainError } from '../base/errors';
import type { Clock, Log } from '../base/host';
import type { Pacing } from '../base/steps';
import type { Knowledge } from '../catalog/knowledge';
import type { Config } from '../config/config';
import type { Embedder, Store, VectorFilter } from '../ports/ports';
import type { Check } from '../vocabulary/check';
import type { VaultPath } from '../vocabulary/paths';
import { Coverage } from './coverage';
import { isEmbedderDown, isRefused, retryAfter, safeMessage } from './outcome';
import { DIMENSIONS, embedPieces } from './pieces';
import type { HybridPorts, HybridRetrieval } from './retrieval';
import { EmbeddedNotes } from './roots';
import { indexOwner } from './sync';
import { MakerChanged, type NearRow, type VectorStore } from './store';
import { SyncScheduler } from './schedule';

/**
 * A search waits at most this long for its vectors (ms), then BM25 answers alone. The time suffices to load a model, and a
 * person or an agent tolerates it once.
 */
const TIMEOUT_MS = 4_000;
/**
 * After a failure, vectors are not used for this many times as long as the search waited, so that a dead embedder takes a small
 * part of every caller's time. A fast refusal leads to a short pause, a timeout to a long one.
 */
const PAUSE_FACTOR = 10;
/**
 * The longest pause (ms), so that a recovered embedder is used soon. A refusal takes the whole pause: a wrong password must not
 * be tried at every search.
 */
const MAX_PAUSE_MS = 15_000;
/** The longest pause that an embedder may ask for (ms). */
const MAX_ASKED_MS = 600_000;
/** The number of remembered queries that the embedder could not embed. Clients repeat few. */
const MAX_UNEMBEDDABLE = 16;

const TOO_LATE = `The vectors of a search took longer than ${TIMEOUT_MS / 1000} seconds, which no search waits for.`;

export interface VectorSearchPorts {
  readonly embedder: Embedder;
  readonly vectors: VectorStore;
  /** The id of the vault. */
  readonly vaultId: string;
  readonly coverage: Pick<Coverage, 'count' | 'isThin'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Called when a search has met the vectors of another maker. */
  readonly onForeign: () => void;
  /** Resolves after this many milliseconds without keeping the process alive. */
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** The vector search. It never fails, and delays a search by a limited time. */
export class VectorSearch {
  readonly #parts: VectorSearchPorts;
  readonly #stop = new StopController();
  /** The end and the length of the pause after a failure; null while vectors work. */
  #pauseState: { readonly until: number; readonly length: number } | null = null;
  #failure: string | null = null;
  /** True while one search tries whether vectors work again, with a query that is not known to fail. */
  #trying = false;
  /** True when the last answer came after the timeout of its own search. */
  #wasLate = false;
  /** The last queries that the embedder could not embed, since it last embedded one. */
  readonly #unembeddable = new Set<string>();

  constructor(parts: VectorSearchPorts) {
    this.#parts = parts;
  }

  /** False after a failure, until a search succeeds or a first answer comes late. */
  get isWorking(): boolean {
    return this.#pauseState === null;
  }

  /** True while searches work without vectors. */
  get isPaused(): boolean {
    return this.#pauseState !== null && (this.#trying || this.#left > 0);
  }

  /**
   * The reason why the last search that tried got no vectors, in a sentence that is safe to show; null after a success. A query
   * that cannot be embedded sets it without a pause.
   */
  get failure(): string | null {
    return this.#failure;
  }

  /** Records that a probe has reached embedder and database. A running pause still ends at its time. */
  foundAnswering(): void {
    if (!this.isPaused) this.#recover();
  }

  /** Returns the notes nearest to the query that pass the filter, nearest first; null when vectors cannot be used now. */
  async nearest(query: string, limit: number, filter: VectorFilter): Promise<NearRow[] | null> {
    // No note can pass the filter, but the answer still says whether vectors could have been used.
    if (filter.only?.length === 0 || filter.prefixes?.length === 0) return this.isWorking ? [] : null;
    if (this.#stop.stopped || this.isPaused) return null;
    // A second failure of the same query would prove nothing, so other searches do not wait for it.
    if (!this.#unembeddable.has(query)) this.#trying = true;
    const since = this.#now();
    let isLate = false;
    const asked = this.#ask(query, limit, filter).then(
      (rows) => {
        // A late answer shows that the model is loaded by now. A second one in a row shows that the model is slow.
        if (!isLate || !this.#wasLate) this.#recover();
        this.#wasLate = isLate;
        return rows;
      },
      (error: unknown) => {
        if (!isLate) this.#fail(query, error, since);
        return null;
      },
    );
    const late = Symbol('late');
    const first = await Promise.race([asked, this.#parts.sleep(TIMEOUT_MS).then(() => late)]);
    if (typeof first !== 'symbol') return first;
    isLate = true;
    this.#failure = TOO_LATE;
    this.#pause(`No vectors within ${TIMEOUT_MS / 1000} s.`, this.#now() - since);
    return null;
  }

  /** As `nearest`, for a question that nobody waits for: it may take long, and its failure pauses no search. */
  async aside(query: string, limit: number, filter: VectorFilter): Promise<NearRow[] | null> {
    try {
      return this.#stop.stopped ? null : await this.#ask(query, limit, filter);
    } catch (error) {
      this.#parts.log.info('hybrid.aside', { reason: String(error) });
      return null;
    }
  }

  /** Cancels running calls. Every later search gets no vectors. */
  close(): void {
    this.#stop.stop();
  }

  async #ask(query: string, limit: number, filter: VectorFilter): Promise<NearRow[] | null> {
    const { embedder, vectors, coverage } = this.#parts;
    const maker = indexOwner(this.#parts);
    await coverage.count(vectors, maker);
    if (coverage.isThin) return null;
    const pieces = [{ head: '', body: query.replace(/\s+/g, ' ').trim() }];
    const vector = await embedPieces(embedder, pieces, 'query', this.#stop);
    this.#unembeddable.clear();
    const rows = await vectors.nearest(vector, limit, filter, maker);
    if (rows === null) this.#parts.onForeign();
    return rows;
  }

  /**
   * Handles a failed search. The embedder may fail on one text and embed the next, so the first such text starts no pause; a
   * second, other one does. A query that is known to fail proves nothing.
   */
  #fail(query: string, error: unknown, since: number): void {
    this.#failure = safeMessage(error);
    const isOfText = error instanceof BrainError && !isEmbedderDown(error);
    if (isOfText && this.#unembeddable.has(query)) return;
    const isFirst = isOfText && this.#unembeddable.size === 0;
    if (isOfText) this.#remember(query);
    if (isFirst && this.isWorking) {
      this.#parts.log.warn('hybrid.query', { reason: String(error) });
      this.#trying = false;
    } else this.#pause(String(error), isRefused(error) ? Infinity : this.#now() - since, retryAfter(error));
  }

  #remember(query: string): void {
    const [oldest] = this.#unembeddable;
    if (oldest !== undefined && this.#unembeddable.size >= MAX_UNEMBEDDABLE)
      this.#unembeddable.delete(oldest);
    this.#unembeddable.add(query);
  }

  /**
   * @param took how long the search waited (ms); Infinity for the longest pause
   * @param least the pause that the embedder asks for (ms)
   */
  #pause(reason: string, took: number, least = 0): void {
    this.#trying = false;
    if (this.#pauseState === null && !this.#stop.stopped) this.#parts.log.warn('hybrid.degraded', { reason });
    // A clock that was set back gives a duration of zero or less.
    const own = Math.min(MAX_PAUSE_MS, PAUSE_FACTOR * Math.max(1, took));
    // Of several concurrent searches, the fastest failure may arrive last.
    const length = Math.max(own, Math.min(least, MAX_ASKED_MS), this.#left);
    this.#pauseState = { until: this.#now() + length, length };
  }

  #recover(): void {
    this.#trying = false;
    if (this.#pauseState !== null) this.#parts.log.info('hybrid.recovered');
    this.#pauseState = null;
    this.#failure = null;
  }

  /** The rest of the pause (ms). */
  get #left(): number {
    if (this.#pauseState === null) return 0;
    const left = this.#pauseState.until - this.#now();
    // A clock that was set back must not prolong the pause.
    return left > this.#pauseState.length ? 0 : Math.max(0, left);
  }

  #now(): number {
    return this.#parts.clock.now().getTime();
  }
}

/**
 * Returns the embedder, which nobody asks before the time that it has asked for (`Retry-After`): until then searches, syncs and
 * probes fail as the request did that was told so.
 */
function respecting(embedder: Embedder, now: () => number): Embedder {
  let rest: { readonly from: number; readonly until: number; readonly error: BrainError } | null = null;
  return {
    get maker() {
      return embedder.maker;
    },
    get caveat() {
      return embedder.caveat ?? null;
    },
    async embed(texts, kind, signal) {
      const at = now();
      // A clock that was set back must not prolong the rest.
      if (rest !== null && at >= rest.from && at < rest.until) {
        const { code, message, details } = rest.error;
        throw new BrainError(code, message, { ...details, retry_after: (rest.until - at) / 1000 });
      }
      try {
        return await embedder.embed(texts, kind, signal);
      } catch (error) {
        const from = now();
        const until = from + Math.min(retryAfter(error), MAX_ASKED_MS);
        // Of two calls under way, the one that is sent away later may be told the shorter rest.
        const isLonger = rest === null || until > rest.until || from < rest.from;
        if (until > from && isLonger && error instanceof BrainError) rest = { from, until, error };
        throw error;
      }
    },
  };
}

/** A probe of database and embedder is valid for this long (ms): a screen may ask every second. */
const PROBE_VALID_MS = 60_000;
/** A probe that failed is valid for the longest pause of searches (ms), so that a repair shows soon. */
const FAILED_PROBE_VALID_MS = 15_000;
/** While searches alternately fail and succeed, each probe that they cause is valid for this long (ms). */
const PROBE_INTERVAL_MS = 2_000;
/** A probe that takes longer than this has failed (ms). */
const PROBE_TIMEOUT_MS = 5_000;
/** A cancelled sync has this long to end before the database is closed (ms). */
const SYNC_END_MS = 1_000;

const ANY_VECTOR = new Float32Array(DIMENSIONS).fill(1);
/** A check is the only place where this shows: every search is answered, by BM25. */
const FOREIGN: Omit<Check, 'name'> = {
  state: 'failed',
  message: new MakerChanged().message,
  fix: 'Or set the model back to the one that made them. Until then, search goes by words alone.',
};
const SLOW = {
  state: 'warning',
  message:
    'The database answers, and keeps each vector beside its row, as tables of earlier versions do: every comparison fetches it from there.',
  fix: 'Let the owner of the table run this once, which makes a search that looks at every vector some ten times faster. It rewrites the table, and nobody can use it meanwhile:',
} as const satisfies Omit<Check, 'name'>;
const CAVEAT_FIX =
  'Compare what a search finds by words and by meaning, and choose a model whose vectors have at most 768 numbers where meaning misleads.';
const THIN_FIX =
  'The notes get their vectors by and by. Where that does not go on, the status says what is in its way, and backfill-embeddings tries at once.';

/** A probe of database and embedder. */
interface Probe {
  readonly at: number;
  /** The state of searches and syncs at the start of the probe. */
  readonly stateAtStart: string;
  /** True when that state had changed while the probe before was still valid. */
  readonly isPremature: boolean;
  readonly found: Promise<Check[]>;
  /** The validity (ms); Infinity while the probe runs. */
  validMs: number;
}

/** Vector search for one opened vault: the sync that maintains the vectors, and the search that uses them. */
export class Hybrid implements HybridRetrieval {
  readonly sync: SyncScheduler;
  readonly #embedder: Embedder;
  readonly #vectors: VectorStore;
  readonly #vaultId: string;
  readonly #arm: VectorSearch;
  readonly #coverage: Coverage;
  readonly #sleep: (milliseconds: number) => Promise<void>;
  readonly #now: () => number;
  #last: Probe | null = null;

  /**
   * @param vaultId the id of the vault
   * @param sleep resolves after this many milliseconds without keeping the process alive
   */
  constructor(
    ports: HybridPorts,
    brain: Store & Pick<Knowledge & Pacing, 'catalog' | 'pace'> & { readonly config: Config },
    vaultId: string,
    sleep: (milliseconds: number) => Promise<void>,
  ) {
    this.#now = () => brain.clock.now().getTime();
    const embedder = respecting(ports.embedder, this.#now);
    const vectors = ports.vectors(brain);
    this.#embedder = embedder;
    this.#vectors = vectors;
    this.#vaultId = vaultId;
    this.#sleep = sleep;
    const notes = new EmbeddedNotes(brain.catalog, brain.config.embedRoots);
    const coverage = new Coverage(notes);
    this.#coverage = coverage;
    this.sync = new SyncScheduler(
      { brain, notes, coverage, vaultId, embedder, vectors },
      { interval: brain.config.embedSyncInterval, sleep },
    );
    this.#arm = new VectorSearch({
      embedder,
      vectors,
      vaultId,
      coverage,
      clock: brain.clock,
      log: brain.log,
      onForeign: () => this.sync.suspectMaker(),
      sleep,
    });
  }

  async nearest(
    query: string,
    limit: number,
    filter: () => Promise<VectorFilter>,
    aside = false,
  ): Promise<NearRow[] | null> {
    if (this.sync.state.makerChanged || this.#coverage.isThin || this.#arm.isPaused) return null;
    const passing = await filter();
    if (aside) return this.#arm.aside(query, limit, passing);
    // Another search may have failed meanwhile.
    return this.#arm.isPaused ? null : this.#arm.nearest(query, limit, passing);
  }

  async forget(paths: readonly VaultPath[]): Promise<void> {
    const maker = { model: this.#embedder.maker, vault: this.#vaultId };
    await this.#vectors.open();
    await this.#vectors.remove(paths, maker);
    await this.#vectors.tidy(paths);
  }

  get isAnswering(): boolean {
    return this.#arm.failure === null && !this.#coverage.isThin;
  }

  get failure(): string | null {
    return this.#arm.failure ?? this.#coverage.reason;
  }

  async checks(): Promise<Check[]> {
    const { found } = this.#validProbe() ?? this.#probe();
    const checks = await found;
    // A sync may have changed the counts since.
    return checks.map((check) =>
      check.name === 'vectors' && check.state === 'ok' ? this.#coverageCheck() : check,
    );
  }

  /**
   * Ends the sync and all searches, then closes the database. A statement that still runs delays that by at most one second.
   */
  async close(): Promise<void> {
    this.#arm.close();
    const syncEnded = this.sync.close();
    await Promise.race([syncEnded, this.#sleep(SYNC_END_MS)]);
    await this.#vectors.close();
    await syncEnded;
  }

  /** Returns the last probe while it is valid. */
  #validProbe(): Probe | null {
    const last = this.#last;
    if (last === null) return null;
    const age = this.#now() - last.at;
    if (last.validMs === Infinity) return last;
    // A clock that was set back must not prolong the validity.
    if (age < 0 || age >= last.validMs) return null;
    const isSettled = last.stateAtStart === this.#stateKey() || (last.isPremature && age < PROBE_INTERVAL_MS);
    return isSettled ? last : null;
  }

  #probe(): Probe {
    const last = this.#last;
    const at = this.#now();
    const isPremature = last !== null && at - last.at < last.validMs;
    const probe: Probe = {
      at,
      stateAtStart: this.#stateKey(),
      isPremature,
      found: this.#runChecks(),
      validMs: Infinity,
    };
    this.#last = probe;
    void probe.found.then((checks) => {
      const isFine = checks.every(({ state }) => state === 'ok');
      probe.validMs = isFine ? PROBE_VALID_MS : FAILED_PROBE_VALID_MS;
      if (isFine) this.#arm.foundAnswering();
    });
    return probe;
  }

  #stateKey(): string {
    const { ended, makerChanged } = this.sync.state;
    return JSON.stringify([this.#arm.failure, ended, makerChanged]);
  }

  /** Returns the check of a database that answers. */
  #coverageCheck(): Check {
    const { reason } = this.#coverage;
    if (reason !== null) return { name: 'vectors', state: 'warning', message: reason, fix: THIN_FIX };
    const rows = this.sync.state.vectors ?? 0;
    const message = `${this.#vectors.healthy} and holds ${rows} ${rows === 1 ? 'vector' : 'vectors'}.`;
    return { name: 'vectors', state: 'ok', message };
  }

  #runChecks(): Promise<Check[]> {
    const [embedder, vectors] = [this.#embedder, this.#vectors];
    const maker = indexOwner({ embedder, vaultId: this.#vaultId });
    return Promise.all([
      this.#check('vectors', async () => {
        this.sync.counted(await vectors.count(maker));
        // Only a search tells whose vectors the table holds; a count does not.
        if ((await vectors.nearest(ANY_VECTOR, 1, {}, maker)) === null) {
          this.sync.suspectMaker();
          return FOREIGN;
        }
        await this.#coverage.count(vectors, maker);
        const advice = await vectors.advice();
        if (advice !== null) return { ...SLOW, fix: `${SLOW.fix} ${advice}` };
        return { state: 'ok', message: `${vectors.healthy}.` };
      }),
      this.#check('embedder', async () => {
        await embedder.embed(['A look whether this is answered.'], 'query');
        const message = `The embedder answers with ${embedder.maker}.`;
        const { caveat = null } = embedder;
        return caveat === null
          ? { state: 'ok', message }
          : { state: 'warning', message: `${message} ${caveat}`, fix: CAVEAT_FIX };
      }),
    ]);
  }

  async #check(name: string, probe: () => Promise<Omit<Check, 'name'>>): Promise<Check> {
    const late = this.#sleep(PROBE_TIMEOUT_MS).then((): never => {
      throw new Error('late');
    });
    late.catch(() => undefined);
    const looked = probe();
    looked.catch(() => undefined);
    try {
      return { name, ...(await Promise.race([looked, late])) };
    } catch (error) {
      const isLate = error instanceof Error && error.message === 'late';
      return {
        name,
        state: 'failed',
        message: isLate ? `No answer within ${PROBE_TIMEOUT_MS / 1000} seconds.` : safeMessage(error),
        fix: 'Until it answers, search goes by words alone. It is tried again by itself.',
      };
    }
  }
}
