import type { VaultPath } from '../rules/paths';

/** A file that could not be read is left alone for so long, in milliseconds: every reader would have to wait for it. */
const REST_MS = 5_000;

/** Paths that changed since they were read, each with a stamp that tells one change from the next. */
export class DirtyPaths {
  readonly #due = new Map<VaultPath, number>();
  /** Those that could not be read, in the order in which that was; none of them is due as well. */
  readonly #resting = new Map<VaultPath, { readonly stamp: number; readonly since: number }>();
  #stamps = 0;

  get size(): number {
    return this.#due.size + this.#resting.size;
  }

  mark(path: VaultPath): void {
    this.#resting.delete(path);
    this.#due.set(path, (this.#stamps += 1));
  }

  /** Takes note that more has become known of a path: what is being read of it now is older. */
  touch(path: VaultPath): void {
    if (this.#due.has(path) || this.#resting.has(path)) this.mark(path);
  }

  /** All of them. */
  paths(): VaultPath[] {
    return [...this.#due.keys(), ...this.#resting.keys()];
  }

  /** Those that are to be read now (a time, in milliseconds), with the stamps of their last changes. Takes no longer for more. */
  due(now: number): ReadonlyMap<VaultPath, number> {
    for (const [path, { stamp, since }] of this.#resting) {
      // A clock that was set back must not make an endless rest.
      if (now >= since && now < since + REST_MS) break;
      this.#resting.delete(path);
      this.#due.set(path, stamp);
    }
    return this.#due;
  }

  /** Says that a path has been read; false, when it changed again since the stamp, and then it stays marked. */
  settle(path: VaultPath, stamp: number): boolean {
    return this.#due.get(path) === stamp && this.#due.delete(path);
  }

  /** Says that a path could not be read: from now on it rests for a while, unless it has changed since the stamp, or does. */
  rest(path: VaultPath, stamp: number, now: number): void {
    if (this.settle(path, stamp)) this.#resting.set(path, { stamp, since: now });
  }
}
