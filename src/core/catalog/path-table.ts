import { partitionPoint } from '../base/steps';

/**
 * A multimap from keys to paths. The paths of a key are sorted, so that no answer depends on the order of changes. Most keys
 * have one path, which is stored without a list.
 */
export class PathTable<P extends string> {
  readonly #paths = new Map<string, P | P[]>();

  /** Returns the paths of a key, sorted: a view that is valid until the next change. */
  get(key: string): readonly P[] {
    const found = this.#paths.get(key);
    return found === undefined ? [] : typeof found === 'string' ? [found] : found;
  }

  /** Adds a path to a key, unless it is there. */
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
    const at = partitionPoint(found, (each) => each < path);
    if (found[at] !== path) found.splice(at, 0, path);
  }

  /** Removes a path from a key, if it is there. */
  delete(key: string, path: P): void {
    const found = this.#paths.get(key);
    if (found === path) this.#paths.delete(key);
    if (found === undefined || typeof found === 'string') return;
    const at = partitionPoint(found, (each) => each < path);
    if (found[at] === path) found.splice(at, 1);
    const [only] = found;
    if (only !== undefined && found.length === 1) this.#paths.set(key, only);
  }

  /** Returns every key with a path, in no defined order. */
  keys(): Iterable<string> {
    return this.#paths.keys();
  }
}
