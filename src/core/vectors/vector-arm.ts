import { BrainError } from '../errors';
import type { Embedder, VectorFilter } from '../ports';
import type { Clock, Log } from '../host';
import type { VaultPath } from '../rules/paths';
import type { VectorStore } from '../vector-store';
import type { Coverage } from './coverage';
import { embedPieces } from './embed-pieces';
import { Stop } from './stop';
import { isEmbedderDown, isSentAway, wordsOf } from './sync-outcome';
import { makerOf } from './sync-parts';

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

export interface ArmParts {
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
export class VectorArm {
  readonly #parts: ArmParts;
  readonly #stop = new Stop();
  /** When it may be asked again after a failure, and how long it rests until then; null while it works. */
  #rest: { readonly until: number; readonly length: number } | null = null;
  #failure: string | null = null;
  /** True while one search tries whether it works again, with a query that is not known to be odd. */
  #trying = false;
  /** True when the last answer came too late for its own search. */
  #wasLate = false;
  /** The last queries that the embedder could make nothing of since it answered one. */
  readonly #odd = new Set<string>();

  constructor(parts: ArmParts) {
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
    const maker = makerOf(this.#parts);
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
    } else this.#lieDown(String(error), isSentAway(error) ? Infinity : this.#now() - since);
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
