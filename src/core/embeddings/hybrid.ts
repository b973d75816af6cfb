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
import { isEmbedderDown, isRefused, wordsOf } from './outcome';
import { DIMENSIONS, embedPieces } from './pieces';
import type { HybridPorts, HybridRetrieval } from './retrieval';
import { indexOwner } from './sync';
import { MakerChanged, type VectorStore } from './store';
import { SyncScheduler } from './schedule';

/**
 * A search waits so long for its vectors, in milliseconds: enough for a model that has to be loaded first, and about what a
 * person or an agent bears once. After it BM25 answers alone.
 */
const LIMIT_MS = 4_000;
/**
 * After a failure nobody asks for so many times as long as it kept a search waiting, so that a dead embedder takes a small
 * part of anybody's time: who is refused at once may ask again soon, who was met with silence may not.
 */
const REST_FACTOR = 10;
/**
 * The longest rest, in milliseconds: one that is back is not to be left out for longer. Who is told to go away takes it
 * whole, however fast that was: a wrong password is not to be tried at every search.
 */
const MAX_REST_MS = 15_000;
/** So many queries are remembered that the embedder could make nothing of: clients repeat few. */
const MAX_ODD = 16;

const TOO_LATE = `The vectors of a search took longer than ${LIMIT_MS / 1000} seconds, which no search waits for.`;

export interface VectorSearchPorts {
  readonly embedder: Embedder;
  readonly vectors: VectorStore;
  /** The id of the vault. */
  readonly vaultId: string;
  readonly coverage: Pick<Coverage, 'look' | 'isThin'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Told when a search has met the vectors of another maker. */
  readonly onForeign: () => void;
  /** Resolves after so many milliseconds without keeping the process alive. */
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** The side of a search that goes by meaning. It never fails and never keeps a search waiting for long. */
export class VectorSearch {
  readonly #parts: VectorSearchPorts;
  readonly #stop = new StopController();
  /** When it may be asked again after a failure, and how long it rests until then; null while it works. */
  #rest: { readonly until: number; readonly length: number } | null = null;
  #failure: string | null = null;
  /** True while one search tries whether it works again, with a query that is not known to be odd. */
  #trying = false;
  /** True when the last answer came too late for its own search. */
  #wasLate = false;
  /** The last queries that the embedder could make nothing of since it answered one. */
  readonly #odd = new Set<string>();

  constructor(parts: VectorSearchPorts) {
    this.#parts = parts;
  }

  /** False after a failure, until a search, or the first of several late answers, has shown otherwise. */
  get isWorking(): boolean {
    return this.#rest === null;
  }

  /** True while no search asks, whatever it looks for. */
  get isResting(): boolean {
    return this.#rest !== null && (this.#trying || this.#left > 0);
  }

  /**
   * Why the last search that asked went without vectors, in a sentence that is safe to show; null once one was answered. After
   * an odd text there is one without a rest.
   */
  get failure(): string | null {
    return this.#failure;
  }

  /** Says that a look has found embedder and database answering. A rest is taken to its end all the same. */
  foundAnswering(): void {
    if (!this.isResting) this.#heal();
  }

  /** The notes nearest to the query that pass the filter, nearest first; null when vectors cannot be used now. */
  async nearest(query: string, limit: number, filter: VectorFilter): Promise<VaultPath[] | null> {
    // Nothing can pass; but an answer is to say all the same whether vectors could have been used.
    if (filter.only?.length === 0 || filter.prefixes?.length === 0) return this.isWorking ? [] : null;
    if (this.#stop.stopped || this.isResting) return null;
    // That it can make nothing of an odd one again would show nothing, so no other search is to wait for that.
    if (!this.#odd.has(query)) this.#trying = true;
    const since = this.#now();
    let isLate = false;
    const asked = this.#ask(query, limit, filter).then(
      (paths) => {
        // An answer that came too late still tells of a model that is loaded now; a second one, of a model that is slow.
        if (!isLate || !this.#wasLate) this.#heal();
        this.#wasLate = isLate;
        return paths;
      },
      (error: unknown) => {
        if (!isLate) this.#fail(query, error, since);
        return null;
      },
    );
    const late = Symbol('late');
    const first = await Promise.race([asked, this.#parts.sleep(LIMIT_MS).then(() => late)]);
    if (typeof first !== 'symbol') return first;
    isLate = true;
    this.#failure = TOO_LATE;
    this.#lieDown(`No vectors within ${LIMIT_MS / 1000} s.`, this.#now() - since);
    return null;
  }

  /** Calls off what is under way; every later search goes without. */
  close(): void {
    this.#stop.stop();
  }

  async #ask(query: string, limit: number, filter: VectorFilter): Promise<VaultPath[] | null> {
    const { embedder, vectors, coverage } = this.#parts;
    const maker = indexOwner(this.#parts);
    await coverage.look(vectors, maker);
    if (coverage.isThin) return null;
    const pieces = [{ head: '', body: query.replace(/\s+/g, ' ').trim() }];
    const vector = await embedPieces(embedder, pieces, 'query', this.#stop);
    this.#odd.clear();
    const paths = await vectors.nearest(vector, limit, filter, maker);
    if (paths === null) this.#parts.onForeign();
    return paths;
  }

  /**
   * An embedder that cannot make anything of one text may well answer the next one; but not when that fails as well. A text
   * that it is known to make nothing of shows neither.
   */
  #fail(query: string, error: unknown, since: number): void {
    this.#failure = wordsOf(error);
    const isOfText = error instanceof BrainError && !isEmbedderDown(error);
    if (isOfText && this.#odd.has(query)) return;
    const isFirst = isOfText && this.#odd.size === 0;
    if (isOfText) this.#remember(query);
    if (isFirst && this.isWorking) {
      this.#parts.log.warn('hybrid.query', { reason: String(error) });
      this.#trying = false;
    } else this.#lieDown(String(error), isRefused(error) ? Infinity : this.#now() - since);
  }

  #remember(query: string): void {
    const [oldest] = this.#odd;
    if (oldest !== undefined && this.#odd.size >= MAX_ODD) this.#odd.delete(oldest);
    this.#odd.add(query);
  }

  /** @param took how long a search asked in vain, in milliseconds; Infinity for the longest rest */
  #lieDown(reason: string, took: number): void {
    this.#trying = false;
    if (this.#rest === null && !this.#stop.stopped) this.#parts.log.warn('hybrid.degraded', { reason });
    // What took no time by the clock, or less than none because that was set back, took a moment.
    const own = Math.min(MAX_REST_MS, REST_FACTOR * Math.max(1, took));
    // Of searches that ask at the same time the cheapest may fail last.
    const length = Math.max(own, this.#left);
    this.#rest = { until: this.#now() + length, length };
  }

  #heal(): void {
    this.#trying = false;
    if (this.#rest !== null) this.#parts.log.info('hybrid.recovered');
    this.#rest = null;
    this.#failure = null;
  }

  /** How much of the rest is left, in milliseconds. */
  get #left(): number {
    if (this.#rest === null) return 0;
    const left = this.#rest.until - this.#now();
    // A clock that was set back must not make an endless rest.
    return left > this.#rest.length ? 0 : Math.max(0, left);
  }

  #now(): number {
    return this.#parts.clock.now().getTime();
  }
}

/** A look at database and embedder holds for so long, in milliseconds: a screen may ask every second. */
const LOOK_HOLDS_MS = 60_000;
/** One that found something wrong, so that it is not told of for long after it is put right: the longest rest of searches. */
const FAILED_HOLDS_MS = 15_000;
/** Where searches fail and are answered by turns, each look they bring on holds for so long, in milliseconds. */
const LOOK_APART_MS = 2_000;
/** A look that takes longer has failed, in milliseconds. */
const LOOK_LIMIT_MS = 5_000;
/** A sync that is stopped has so long to end by itself before the database is taken from it, in milliseconds. */
const SYNC_END_MS = 1_000;

const ANY_VECTOR = new Float32Array(DIMENSIONS).fill(1);
/** Nobody who searches hears of it otherwise: every search is answered, by words. */
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
const THIN_FIX =
  'The notes get their vectors by and by. Where that does not go on, the status says what is in its way, and backfill-embeddings tries at once.';

/** A look at database and embedder. */
interface Look {
  readonly at: number;
  /** How searches and syncs stood when it began. */
  readonly stood: string;
  /** True when it came before its time because they stood otherwise. */
  readonly isEarly: boolean;
  readonly found: Promise<Check[]>;
  /** So long it holds; Infinity while it is under way. */
  holds: number;
}

/** Search by meaning, for one opened vault: the sync that keeps the vectors, and the arm that asks them. */
export class Hybrid implements HybridRetrieval {
  readonly sync: SyncScheduler;
  readonly #ports: HybridPorts;
  readonly #vaultId: string;
  readonly #arm: VectorSearch;
  readonly #coverage: Coverage;
  readonly #sleep: (milliseconds: number) => Promise<void>;
  readonly #now: () => number;
  #last: Look | null = null;

  /**
   * @param vaultId tells this vault from every other one
   * @param sleep resolves after so many milliseconds without keeping the process alive
   */
  constructor(
    ports: HybridPorts,
    brain: Store & Pick<Knowledge & Pacing, 'catalog' | 'pace'> & { readonly config: Config },
    vaultId: string,
    sleep: (milliseconds: number) => Promise<void>,
  ) {
    this.#ports = ports;
    this.#vaultId = vaultId;
    this.#sleep = sleep;
    this.#now = () => brain.clock.now().getTime();
    const coverage = new Coverage(brain.catalog);
    this.#coverage = coverage;
    this.sync = new SyncScheduler(
      { brain, coverage, vaultId, ...ports },
      { interval: brain.config.embedSyncInterval, sleep },
    );
    this.#arm = new VectorSearch({
      ...ports,
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
  ): Promise<VaultPath[] | null> {
    if (this.sync.state.makerChanged || this.#coverage.isThin || this.#arm.isResting) return null;
    const passing = await filter();
    // Meanwhile another search may have failed.
    return this.#arm.isResting ? null : this.#arm.nearest(query, limit, passing);
  }

  get isAnswering(): boolean {
    return this.#arm.failure === null && !this.#coverage.isThin;
  }

  get failure(): string | null {
    return this.#arm.failure ?? this.#coverage.reason;
  }

  async checks(): Promise<Check[]> {
    const { found } = this.#held() ?? this.#lookAnew();
    const checks = await found;
    // A sync may have counted since.
    return checks.map((check) =>
      check.name === 'vectors' && check.state === 'ok' ? this.#filling() : check,
    );
  }

  /**
   * Ends sync and searches, then lets the database go; after a second also when a statement still runs there, which an
   * embedded database ends first.
   */
  async close(): Promise<void> {
    this.#arm.close();
    const syncEnded = this.sync.close();
    await Promise.race([syncEnded, this.#sleep(SYNC_END_MS)]);
    await this.#ports.vectors.close();
    await syncEnded;
  }

  /** The last look, while what it found still holds. */
  #held(): Look | null {
    const last = this.#last;
    if (last === null) return null;
    const age = this.#now() - last.at;
    if (last.holds === Infinity) return last;
    // A clock that was set back must not hold it for longer.
    if (age < 0 || age >= last.holds) return null;
    const isSettled = last.stood === this.#stands() || (last.isEarly && age < LOOK_APART_MS);
    return isSettled ? last : null;
  }

  #lookAnew(): Look {
    const last = this.#last;
    const at = this.#now();
    const isEarly = last !== null && at - last.at < last.holds;
    const look: Look = { at, stood: this.#stands(), isEarly, found: this.#look(), holds: Infinity };
    this.#last = look;
    void look.found.then((checks) => {
      const isFine = checks.every(({ state }) => state === 'ok');
      look.holds = isFine ? LOOK_HOLDS_MS : FAILED_HOLDS_MS;
      if (isFine) this.#arm.foundAnswering();
    });
    return look;
  }

  #stands(): string {
    const { ended, makerChanged } = this.sync.state;
    return JSON.stringify([this.#arm.failure, ended, makerChanged]);
  }

  /** What is said of a database that answers. */
  #filling(): Check {
    const { reason } = this.#coverage;
    if (reason !== null) return { name: 'vectors', state: 'warning', message: reason, fix: THIN_FIX };
    const rows = this.sync.state.vectors ?? 0;
    const message = `The database answers and holds ${rows} ${rows === 1 ? 'vector' : 'vectors'}.`;
    return { name: 'vectors', state: 'ok', message };
  }

  #look(): Promise<Check[]> {
    const { embedder, vectors } = this.#ports;
    const maker = indexOwner({ embedder, vaultId: this.#vaultId });
    return Promise.all([
      this.#check('vectors', async () => {
        this.sync.counted(await vectors.count(maker));
        // Asked by a search, because counting would not tell whose they are.
        if ((await vectors.nearest(ANY_VECTOR, 1, {}, maker)) === null) {
          this.sync.suspectMaker();
          return FOREIGN;
        }
        await this.#coverage.look(vectors, maker);
        const advice = await vectors.advice();
        if (advice !== null) return { ...SLOW, fix: `${SLOW.fix} ${advice}` };
        return { state: 'ok', message: 'The database answers.' };
      }),
      this.#check('embedder', async () => {
        await embedder.embed(['A look whether this is answered.'], 'query');
        return { state: 'ok', message: `The embedder answers with ${embedder.maker}.` };
      }),
    ]);
  }

  async #check(name: string, look: () => Promise<Omit<Check, 'name'>>): Promise<Check> {
    const late = this.#sleep(LOOK_LIMIT_MS).then((): never => {
      throw new Error('late');
    });
    late.catch(() => undefined);
    const looked = look();
    looked.catch(() => undefined);
    try {
      return { name, ...(await Promise.race([looked, late])) };
    } catch (error) {
      const isLate = error instanceof Error && error.message === 'late';
      return {
        name,
        state: 'failed',
        message: isLate ? `No answer within ${LOOK_LIMIT_MS / 1000} seconds.` : wordsOf(error),
        fix: 'Until it answers, search goes by words alone. It is tried again by itself.',
      };
    }
  }
}
