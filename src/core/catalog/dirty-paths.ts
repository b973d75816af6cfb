import type { VaultPath } from '../rules/paths';

/** Paths that changed since they were read, each with a stamp that tells one change from the next. */
export class DirtyPaths {
  readonly #dirty = new Map<VaultPath, number>();
  #stamps = 0;

  get size(): number {
    return this.#dirty.size;
  }

  has(path: VaultPath): boolean {
    return this.#dirty.has(path);
  }

  mark(path: VaultPath): void {
    this.#dirty.set(path, (this.#stamps += 1));
  }

  /** Takes note that more has become known of a path: what is being read of it now is older. */
  touch(path: VaultPath): void {
    if (this.#dirty.has(path)) this.mark(path);
  }

  /** All of them with the stamps of their last changes. */
  entries(): [VaultPath, number][] {
    return [...this.#dirty];
  }

  /** Says that a path has been read; false, when it changed again since the stamp, and then it stays marked. */
  settle(path: VaultPath, stamp: number): boolean {
    return this.#dirty.get(path) === stamp && this.#dirty.delete(path);
  }
}
