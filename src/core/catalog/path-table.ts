/**
 * Which paths share a key. The paths of a key are sorted, so no answer depends on the order of the changes. Most keys have
 * one path only, which is kept without a list around it.
 */
export class PathTable<P extends string> {
  readonly #paths = new Map<string, P | P[]>();

  /** The paths of a key, sorted; a view that is valid until the next change. */
  get(key: string): readonly P[] {
    const found = this.#paths.get(key);
    return found === undefined ? [] : typeof found === 'string' ? [found] : found;
  }

  /** Adds a path to a key; nothing when it is there. */
  add(key: string, path: P): void {
    const found = this.#paths.get(key);
    if (found === undefined || found === path) {
      this.#paths.set(key, path);
      return;
    }
    if (typeof found === 'string') {
      this.#paths.set(key, found < path ? [found, path] : [path, found]);
      return;
    }
    const at = positionOf(path, found);
    if (found[at] !== path) found.splice(at, 0, path);
  }

  /** Removes a path from a key; nothing when it is not there. */
  delete(key: string, path: P): void {
    const found = this.#paths.get(key);
    if (found === path) this.#paths.delete(key);
    if (found === undefined || typeof found === 'string') return;
    const at = positionOf(path, found);
    if (found[at] === path) found.splice(at, 1);
    const [only] = found;
    if (only !== undefined && found.length === 1) this.#paths.set(key, only);
  }

  /** Every key that has a path, in no promised order. */
  keys(): Iterable<string> {
    return this.#paths.keys();
  }
}

/** How many of the sorted paths stand before `path`. */
function positionOf(path: string, list: readonly string[]): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = list[middle];
    if (other !== undefined && other < path) low = middle + 1;
    else high = middle;
  }
  return low;
}
