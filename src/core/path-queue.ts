/** One piece of work at a time for each path; pieces on different paths do not wait for each other. */
export class PathQueue {
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
