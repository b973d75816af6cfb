import { BrainError } from './errors';
import type { StopSignal, Unsubscribe } from './host';

/** Resources that are closed together, the last opened first. */
export class Disposables {
  readonly #closers: (() => Promise<void>)[] = [];

  add(close: () => Promise<void>): void {
    this.#closers.push(close);
  }

  /**
   * Closes every resource once, also when closing another one fails.
   * @throws the first failure, after all are closed.
   */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (let close = this.#closers.pop(); close !== undefined; close = this.#closers.pop()) {
      await close().catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }
}

const FULL = 'Too many files and texts wait to be ingested. Try again in ten seconds.';

/**
 * A FIFO semaphore with a limit on waiting calls. `run` never refuses, so background work and the files of a folder always get
 * their turn; `admit` checks the limit once, where a call begins.
 */
export class Semaphore {
  readonly #waiting: (() => void)[] = [];
  readonly #capacity: number;
  readonly #maxWaiting: number;
  #free: number;
  #calls = 0;

  constructor(capacity: number, maxWaiting = Infinity) {
    this.#capacity = capacity;
    this.#maxWaiting = maxWaiting;
    this.#free = capacity;
  }

  /**
   * Runs a whole call, which may `run` any number of pieces of work. The call counts until it ends, also while none of its
   * pieces runs or waits.
   * @throws BrainError `busy`, before the call begins, when `maxWaiting` others wait.
   */
  async admit<T>(call: () => Promise<T>): Promise<T> {
    if (Math.max(this.#waiting.length, this.#calls - this.#capacity) >= this.#maxWaiting) {
      throw new BrainError('busy', FULL, { retry_after: 10 });
    }
    this.#calls += 1;
    try {
      return await call();
    } finally {
      this.#calls -= 1;
    }
  }

  /** Runs `work` when a place is free, and frees the place when it settles. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // The place goes straight to the next in line: a new caller cannot take it first.
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}

/** A mutex for each key. Work on different keys does not wait for each other. */
export class KeyedMutex {
  readonly #tails = new Map<string, Promise<unknown>>();

  /** Runs `work` when all earlier work on the key has ended, whatever its outcome. */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const result = (this.#tails.get(key) ?? Promise.resolve()).then(work);
    const tail = result
      .catch(() => undefined)
      .then(() => {
        if (this.#tails.get(key) === tail) this.#tails.delete(key);
      });
    this.#tails.set(key, tail);
    return result;
  }
}

/** The controller of a stop signal, which stops once. */
export class StopController implements StopSignal {
  readonly #listeners = new Set<() => void>();
  #stopped = false;

  get stopped(): boolean {
    return this.#stopped;
  }

  onStop(listener: () => void): Unsubscribe {
    if (this.#stopped) listener();
    else this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  stop(): void {
    this.#stopped = true;
    for (const listener of [...this.#listeners]) listener();
    this.#listeners.clear();
  }
}

/** Runs `work` for every item, for at most `atOnce` at a time, and resolves with the results in order. */
export function inTurns<Item, T>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<T>,
): Promise<T[]> {
  const turns = new Semaphore(atOnce);
  return Promise.all(items.map((item) => turns.run(() => work(item))));
}
