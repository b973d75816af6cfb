import { BrainError, vaultClosed } from '../base/errors';

/** Callers that may wait for the vault's one writer before the service says that it is busy. */
export const WRITE_QUEUE_LIMIT = 256;

/**
 * Changes that are carried out at the same time: enough that a disk which brings many files to rest at once does so, few
 * enough that the calls to the file system that readers wait for are not far behind theirs.
 */
export const MAX_IN_FLIGHT = 16;

/** Changes that were being carried out at one moment. */
interface InFlight {
  readonly size: number;
  /** True when one of them is about one of these keys. */
  has(keys: readonly string[]): boolean;
}

/** What whoever has its turn sees of the changes before it. */
export interface Others {
  /** Those that are being carried out now. No further one begins as long as the turn lasts. */
  inFlight(): InFlight;
  /** Resolves when all of them have ended, whatever their outcomes. */
  ended(): Promise<void>;
}

/** A change that is carried out while others have their turns: what it is about, by any keys, and how. */
export interface Flight<T> {
  readonly keys: readonly string[];
  readonly run: () => Promise<T>;
}

/**
 * One writer at a time for the whole vault, so that each sees all that was done before it: that is easy to reason about.
 * Only what takes long, to bring a planned change to the disk, goes on while others have their turns. Readers never wait here.
 */
export class WriteQueue {
  #tail: Promise<unknown> = Promise.resolve();
  #prepared: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #isClosed = false;
  readonly #flights = new Map<Promise<unknown>, readonly string[]>();

  /**
   * Runs `work` when all earlier work has ended, whatever its outcome; later work begins when it has ended.
   * @throws BrainError `busy` at once when too many callers wait already, `starting` when the queue was closed.
   */
  run<T>(work: () => Promise<T>): Promise<T> {
    return this.#counted(() =>
      this.#inTurn(async () => {
        await this.#landed();
        return work();
      }),
    );
  }

  /**
   * Runs `plan` in its turn, when all earlier work has ended or is in flight, and then the flight that it resolves with, while
   * others have their turns. `plan` has to see to it that its flight is about nothing that another one is about.
   * @throws as `run`.
   */
  share<T>(plan: (others: Others) => Promise<Flight<T>>): Promise<T> {
    const others = { inFlight: () => this.#inFlight(), ended: () => this.#landed() };
    return this.#counted(async () => {
      const { flown } = await this.#inTurn(async () => {
        while (this.#flights.size >= MAX_IN_FLIGHT) await Promise.race(this.#flights.keys());
        return this.#take(await plan(others));
      });
      return flown;
    });
  }

  /**
   * Runs long work that a change does before its turn, when all earlier work of this kind has ended: what several long texts
   * need at once would not fit into memory. Other changes have their turns meanwhile.
   * @throws as `run`.
   */
  prepare<T>(work: () => Promise<T>): Promise<T> {
    return this.#counted(() => {
      const result = this.#prepared.then(work);
      this.#prepared = result.catch(() => undefined);
      return result;
    });
  }

  /** Takes no more work; resolves when everything queued so far has ended. After it nothing writes to the vault any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.idle();
  }

  /** Resolves when everything queued so far has ended. */
  async idle(): Promise<void> {
    await this.#tail;
    await this.#landed();
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

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#tail.then(work);
    this.#tail = result.catch(() => undefined);
    return result;
  }

  /** Begins a flight. Wrapped, or whoever has the turn would wait for it. */
  #take<T>({ keys, run }: Flight<T>): { readonly flown: Promise<T> } {
    const flown = run();
    const landed = flown.then(
      () => undefined,
      () => undefined, // Told to whoever asked for the change.
    );
    this.#flights.set(landed, keys);
    void landed.then(() => this.#flights.delete(landed));
    return { flown };
  }

  async #landed(): Promise<void> {
    await Promise.all(this.#flights.keys());
  }

  #inFlight(): InFlight {
    const taken = [...this.#flights.values()];
    return {
      size: taken.length,
      has: (keys) => taken.some((each) => keys.some((key) => each.includes(key))),
    };
  }
}
