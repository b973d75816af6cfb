const settled = (): void => undefined;

/**
 * Operations on one path run one after another, in the order in which they were asked for; those on other paths beside them.
 */
export class PathQueue {
  readonly #tails = new Map<string, Promise<void>>();
  readonly #key: (path: string) => string;

  constructor(key: (path: string) => string) {
    this.#key = key;
  }

  run<T>(paths: readonly string[], work: () => Promise<T>): Promise<T> {
    const keys = [...new Set(paths.map(this.#key))];
    const before = keys.map((key) => this.#tails.get(key) ?? Promise.resolve());
    const result = Promise.all(before).then(work);
    const tail = result.then(settled, settled);
    for (const key of keys) this.#tails.set(key, tail);
    void tail.then(() => {
      for (const key of keys) if (this.#tails.get(key) === tail) this.#tails.delete(key);
    });
    return result;
  }

  get busy(): boolean {
    return this.#tails.size > 0;
  }

  /** Resolves when nothing is under way any more. */
  async idle(): Promise<void> {
    while (this.busy) await Promise.all(this.#tails.values());
  }
}
