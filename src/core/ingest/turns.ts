import { BrainError } from '../errors';

const FULL = 'Too many files and texts wait to be ingested. Try again in ten seconds.';

/**
 * Lets so many work at once and the others wait, in the order in which they came. A turn is never refused: whoever works
 * through a folder or in the background has been let in. Whether one more call is let in is asked once, where it begins.
 */
export class Turns {
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
