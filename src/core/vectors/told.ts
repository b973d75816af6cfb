import type { VaultPath } from '../rules/paths';

/**
 * Paths of which an event has said that they changed: an edit may leave size and time of a file as they were, so nothing
 * else may ever tell of it. Each stays until somebody says that what was told up to a moment is dealt with; what has been
 * told of it since then stays all the same.
 */
export class Told {
  readonly #moments = new Map<VaultPath, number>();
  #moment = 0;

  /** Grows with everything that is told. */
  get moment(): number {
    return this.#moment;
  }

  add(path: VaultPath): void {
    this.#moment += 1;
    this.#moments.set(path, this.#moment);
  }

  has(path: VaultPath): boolean {
    return this.#moments.has(path);
  }

  /** Those of which something was told, as they are now. */
  paths(): VaultPath[] {
    return [...this.#moments.keys()];
  }

  /** Forgets what was told of the path up to the moment. */
  settle(path: VaultPath, moment: number): void {
    if ((this.#moments.get(path) ?? Infinity) <= moment) this.#moments.delete(path);
  }
}
