import type { Brain } from '../brain';
import type { Check } from '../notes/check';
import type { VectorFilter } from '../ports';
import type { VaultPath } from '../rules/paths';
import { MakerChanged } from '../vector-store';
import { Coverage } from './coverage';
import { EmbeddingSync } from './embedding-sync';
import type { HybridPorts, HybridRetrieval } from './hybrid-retrieval';
import { DIMENSIONS } from './pool';
import { wordsOf } from './sync-outcome';
import { VectorArm } from './vector-arm';

/** A look at database and embedder holds for so long, in milliseconds: a screen may ask every second. */
const LOOK_HOLDS_MS = 60_000;
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
const THIN_FIX =
  'The notes get their vectors by and by. Where that does not go on, the status says what is in its way, and backfill-embeddings tries at once.';

/** Search by meaning, for one opened vault: the sync that keeps the vectors, and the arm that asks them. */
export class Hybrid implements HybridRetrieval {
  readonly sync: EmbeddingSync;
  readonly #ports: HybridPorts;
  readonly #arm: VectorArm;
  readonly #coverage: Coverage;
  readonly #sleep: (milliseconds: number) => Promise<void>;
  readonly #now: () => number;
  #looked: { readonly at: number; readonly checks: Promise<Check[]> } | null = null;

  /** @param sleep resolves after so many milliseconds without keeping the process alive */
  constructor(
    ports: HybridPorts,
    brain: Pick<Brain, 'vault' | 'catalog' | 'state' | 'clock' | 'pace' | 'device' | 'log' | 'config'>,
    sleep: (milliseconds: number) => Promise<void>,
  ) {
    this.#ports = ports;
    this.#sleep = sleep;
    this.#now = () => brain.clock.now().getTime();
    const coverage = new Coverage(brain.catalog);
    this.#coverage = coverage;
    this.sync = new EmbeddingSync(
      { brain, coverage, ...ports },
      { interval: brain.config.embedSyncInterval, sleep },
    );
    this.#arm = new VectorArm({
      ...ports,
      coverage,
      clock: brain.clock,
      log: brain.log,
      onForeign: () => this.sync.suspectMaker(),
      sleep,
    });
  }

  async nearest(query: string, limit: number, filter: () => VectorFilter): Promise<VaultPath[] | null> {
    if (this.sync.state.makerChanged || this.#coverage.isThin || this.#arm.isResting) return null;
    return this.#arm.nearest(query, limit, filter());
  }

  get isAnswering(): boolean {
    return this.#arm.isWorking && !this.#coverage.isThin;
  }

  get failure(): string | null {
    return this.#arm.failure ?? this.#coverage.reason;
  }

  checks(): Promise<Check[]> {
    const age = this.#looked === null ? Infinity : this.#now() - this.#looked.at;
    if (this.#looked === null || age < 0 || age >= LOOK_HOLDS_MS) {
      this.#looked = { at: this.#now(), checks: this.#look() };
    }
    return this.#looked.checks;
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

  #look(): Promise<Check[]> {
    const { embedder, vectors } = this.#ports;
    return Promise.all([
      this.#check('vectors', async () => {
        const rows = await vectors.count();
        const message = `The database answers and holds ${rows} ${rows === 1 ? 'vector' : 'vectors'}.`;
        // Asked by a search, because counting would not tell whose they are.
        if ((await vectors.nearest(ANY_VECTOR, 1, {}, embedder.maker)) === null) return FOREIGN;
        await this.#coverage.look(vectors);
        const { reason } = this.#coverage;
        return reason === null
          ? { state: 'ok', message }
          : { state: 'warning', message: reason, fix: THIN_FIX };
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
