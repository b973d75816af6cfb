import { partitionPoint } from '../base/steps';
import { compareText } from '../base/text';

/** The length from which a list takes additions in any order, and sorts them when it is read: inserting moves all behind it. */
const LONG = 1000;
/** The number of additions up to which inserting is faster than merging. */
const FEW = 16;

/** Compares two paths as `Array.sort` does. */
type Compare<P> = (one: P, other: P) => number;

/**
 * A multimap from keys to paths. The paths of a key are sorted, so that no answer depends on the order of changes. Most keys
 * have one path, which is stored without a list.
 */
export class PathTable<P extends string> {
  /** @param compare the order of the paths of a key */
  constructor(private readonly compare: Compare<P> = compareText) {}

  readonly #paths = new Map<string, P | P[]>();
  /** Additions to long lists that are not yet in them. */
  readonly #late = new Map<string, P[]>();

  /** Returns the paths of a key, sorted: a view that is valid until the next change. */
  get(key: string): readonly P[] {
    this.#settle(key);
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
      this.#paths.set(key, this.compare(found, path) < 0 ? [found, path] : [path, found]);
      return;
    }
    if (found.length < LONG) return insert(found, path, this.compare);
    const late = this.#late.get(key);
    if (late === undefined) this.#late.set(key, [path]);
    else late.push(path);
  }

  /** Removes a path from a key, if it is there. */
  delete(key: string, path: P): void {
    this.#settle(key);
    const found = this.#paths.get(key);
    if (found === path) this.#paths.delete(key);
    if (found === undefined || typeof found === 'string') return;
    const at = partitionPoint(found, (each) => this.compare(each, path) < 0);
    if (found[at] === path) found.splice(at, 1);
    const [only] = found;
    if (only !== undefined && found.length === 1) this.#paths.set(key, only);
  }

  /** Returns every key with a path, in no defined order. */
  keys(): Iterable<string> {
    return this.#paths.keys();
  }

  /** Puts the late additions of a key into its list. */
  #settle(key: string): void {
    const late = this.#late.get(key);
    const found = this.#paths.get(key);
    if (late === undefined || typeof found !== 'object') return;
    this.#late.delete(key);
    if (late.length <= FEW) for (const path of late) insert(found, path, this.compare);
    else this.#paths.set(key, merged(found, late.sort(this.compare), this.compare));
  }
}

/** Adds a path to a sorted list, unless it is there. */
function insert<P extends string>(paths: P[], path: P, compare: Compare<P>): void {
  const at = partitionPoint(paths, (each) => compare(each, path) < 0);
  if (paths[at] !== path) paths.splice(at, 0, path);
}

/** Returns the sorted paths of two sorted lists, each once. */
function merged<P extends string>(one: readonly P[], other: readonly P[], compare: Compare<P>): P[] {
  const all: P[] = [];
  let at = 0;
  for (const path of other) {
    for (let next = one[at]; next !== undefined && compare(next, path) < 0; next = one[at]) {
      all.push(next);
      at += 1;
    }
    if (one[at] !== path && all.at(-1) !== path) all.push(path);
  }
  return all.concat(one.slice(at));
}
