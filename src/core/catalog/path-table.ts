/**
 * Which paths share a key. The paths of a key are sorted, so no answer depends on the order of the changes.
 */
export class PathTable<P extends string> {
  readonly #lists = new Map<string, P[]>();

  /** The paths of a key, sorted; a view that is valid until the next change. */
  get(key: string): readonly P[] {
    return this.#lists.get(key) ?? [];
  }

  /** Adds a path to a key; nothing when it is there. */
  add(key: string, path: P): void {
    const list = this.#lists.get(key);
    if (list === undefined) {
      this.#lists.set(key, [path]);
      return;
    }
    const at = positionOf(path, list);
    if (list[at] !== path) list.splice(at, 0, path);
  }

  /** Removes a path from a key; nothing when it is not there. */
  delete(key: string, path: P): void {
    const list = this.#lists.get(key);
    if (list === undefined) return;
    const at = positionOf(path, list);
    if (list[at] === path) list.splice(at, 1);
    if (list.length === 0) this.#lists.delete(key);
  }

  /** Every key that has a path, in no promised order. */
  keys(): Iterable<string> {
    return this.#lists.keys();
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
