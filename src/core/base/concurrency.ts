import { BrainError } from './errors';
import type { StopSignal, Unsubscribe } from './host';

/** What was opened and must be closed again, last opened first. */
export class Disposables {
  readonly #closers: (() => Promise<void>)[] = [];

  add(close: () => Promise<void>): void {
    this.#closers.push(close);
  }

  /**
   * Closes everything, once. One that fails keeps none of the others open.
   * @throws the first failure, after all were closed.
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
 * Lets so many work at once and the others wait, in the order in which they came. A turn is never refused: whoever works
 * through a folder or in the background has been let in. Whether one more call is let in is asked once, where it begins.
 */
export class Semaphore {
  readonly #waiting: (() => void)[] = [];
  readonly #atOnce: number;
  readonly #mostWaiting: number;
  #free: number;
  #calls = 0;

  constructor(atOnce: number, mostWaiting = Infinity) {
    this.#atOnce = atOnce;
    this.#mostWaiting = mostWaiting;
    this.#free = atOnce;
  }

  /**
   * Does all of what one call asks for. It counts from its beginning to its end, also while it has no turn, needs none, or
   * is between two.
   * @throws BrainError `busy`, with nothing begun, when as many others wait as may.
   */
  async admit<T>(call: () => Promise<T>): Promise<T> {
    if (Math.max(this.#waiting.length, this.#calls - this.#atOnce) >= this.#mostWaiting) {
      throw new BrainError('busy', FULL, { retry_after: 10 });
    }
    this.#calls += 1;
    try {
      return await call();
    } finally {
      this.#calls -= 1;
    }
  }

  /** Does the work when its turn has come; the turn ends with it, whatever becomes of it. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // A turn is handed on, so that nobody who comes just now takes it from who waits.
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}

/** One piece of work at a time for each path; pieces on different paths do not wait for each other. */
export class KeyedMutex {
  readonly #tails = new Map<string, Promise<unknown>>();

  /** Runs `work` when all earlier work on the path has ended, whatever its outcome. */
  run<T>(path: string, work: () => Promise<T>): Promise<T> {
    const result = (this.#tails.get(path) ?? Promise.resolve()).then(work);
    const tail = result
      .catch(() => undefined)
      .then(() => {
        if (this.#tails.get(path) === tail) this.#tails.delete(path);
      });
    this.#tails.set(path, tail);
    return result;
  }
}

/** A signal that can be given once. */
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
