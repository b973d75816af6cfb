/** Lets so many work at once and the others wait, in the order in which they came. */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(count: number) {
    this.#free = count;
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
