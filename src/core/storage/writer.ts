import { KeyedMutex, Semaphore } from '../base/concurrency';
import { BrainError, vaultClosed } from '../base/errors';

/** The number of callers that may wait for the lock before the service answers that it is busy. */
export const WRITE_QUEUE_LIMIT = 256;

/**
 * The number of changes that run at the same time. A disk that syncs several files in one go gains from more; readers, whose
 * calls to the file system wait behind those of the changes, gain from fewer.
 */
export const MAX_IN_FLIGHT = 16;

/** The callers that may prepare a change at the same time, as intermediate values of more long texts would not fit into memory. */
const MAX_PREPARING = 4;

/** The changes that run at one moment. */
interface RunningChanges {
  readonly size: number;
  /** Returns true when one of them holds one of these keys. */
  has(keys: readonly string[]): boolean;
}

/** The changes still running when a writer gets the lock. */
export interface Concurrent {
  /** Returns those that run now. None is added while the lock is held. */
  running(): RunningChanges;
  /** Resolves when all of them have ended, whatever their outcomes. */
  ended(): Promise<void>;
}

/** A planned change that runs after its writer has given up the lock: the keys that it holds, and its work. */
export interface ConcurrentChange<T> {
  readonly keys: readonly string[];
  readonly run: () => Promise<T>;
}

/**
 * The lock of the vault: one writer plans at a time, and sees everything that was done before. A writer may give up the lock
 * once its change is planned; the disk work of such changes overlaps. Readers never wait for the lock.
 */
export class WriterLock {
  #tail: Promise<unknown> = Promise.resolve();
  readonly #preparing = new KeyedMutex();
  readonly #places = new Semaphore(MAX_PREPARING);
  #waiting = 0;
  #isClosed = false;
  /** By each running change's end, the keys that it holds. */
  readonly #running = new Map<Promise<unknown>, readonly string[]>();

  /**
   * Runs `work` with the lock held, when all earlier work has ended, whatever its outcome.
   * @throws BrainError `busy` at once when too many callers wait already, `starting` when the lock was closed.
   */
  run<T>(work: () => Promise<T>): Promise<T> {
    return this.#counted(() =>
      this.#locked(async () => {
        await this.#allEnded();
        return work();
      }),
    );
  }

  /**
   * Runs `plan` with the lock held, gives up the lock, and runs the change that `plan` resolved with. Earlier changes may
   * still run meanwhile: `plan` must return a change that holds none of their keys.
   * @throws as `run`.
   */
  overlap<T>(plan: (concurrent: Concurrent) => Promise<ConcurrentChange<T>>): Promise<T> {
    const concurrent = { running: () => this.#runningNow(), ended: () => this.#allEnded() };
    return this.#counted(async () => {
      const { result } = await this.#locked(async () => {
        while (this.#running.size >= MAX_IN_FLIGHT) await Promise.race(this.#running.keys());
        return this.#begin(await plan(concurrent));
      });
      return result;
    });
  }

  /**
   * Runs long work that a change does before it takes the lock, one change of a caller at a time. Other changes take the lock
   * meanwhile.
   * @throws as `run`.
   */
  prepare<T>(caller: string, work: () => Promise<T>): Promise<T> {
    return this.#counted(() => this.#preparing.run(caller, () => this.#places.run(work)));
  }

  /** The number of callers whose work waits or runs. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Refuses new work and resolves when all queued work has ended. Nothing writes to the vault after that. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.idle();
  }

  /** Resolves when all work queued so far has ended. */
  async idle(): Promise<void> {
    await this.#tail;
    await this.#allEnded();
  }

  #counted<T>(work: () => Promise<T>): Promise<T> {
    if (this.#isClosed) throw vaultClosed();
    if (this.#waiting >= WRITE_QUEUE_LIMIT) {
      throw new BrainError('busy', 'Too many writes are waiting. Try again in a few seconds.', {
        retry_after: 2,
      });
    }
    this.#waiting += 1;
    return work().finally(() => (this.#waiting -= 1));
  }

  #locked<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(work);
    this.#tail = result.catch(() => undefined);
    return result;
  }

  /** Starts a change. The object around its promise keeps the lock from waiting for it. */
  #begin<T>({ keys, run }: ConcurrentChange<T>): { readonly result: Promise<T> } {
    const result = run();
    const end = result.then(
      () => undefined,
      () => undefined, // The caller of the change gets the error.
    );
    this.#running.set(end, keys);
    void end.then(() => this.#running.delete(end));
    return { result };
  }

  async #allEnded(): Promise<void> {
    await Promise.all(this.#running.keys());
  }

  #runningNow(): RunningChanges {
    const held = [...this.#running.values()];
    return {
      size: held.length,
      has: (keys) => held.some((each) => keys.some((key) => each.includes(key))),
    };
  }
}
