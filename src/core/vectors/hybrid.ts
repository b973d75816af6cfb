import type { Knowledge } from '../catalog/knowledge';
import type { Config } from '../config';
import type { Pacing } from '../pace';
import type { Store, VectorFilter } from '../ports';
import type { Check } from '../notes/check';
import type { VaultPath } from '../rules/paths';
import { MakerChanged } from '../vector-store';
import { Coverage } from './coverage';
import { EmbeddingSync } from './embedding-sync';
import type { HybridPorts, HybridRetrieval } from './hybrid-retrieval';
import { DIMENSIONS } from './pool';
import { wordsOf } from './sync-outcome';
import { makerOf } from './sync-parts';
import { VectorArm } from './vector-arm';

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
  readonly sync: EmbeddingSync;
  readonly #ports: HybridPorts;
  readonly #vaultId: string;
  readonly #arm: VectorArm;
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
    this.sync = new EmbeddingSync(
      { brain, coverage, vaultId, ...ports },
      { interval: brain.config.embedSyncInterval, sleep },
    );
    this.#arm = new VectorArm({
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
    const maker = makerOf({ embedder, vaultId: this.#vaultId });
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
