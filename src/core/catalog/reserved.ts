import { fold, type VaultPath } from '../vocabulary/paths';

/**
 * The paths that are promised to pages which do not exist yet, because other pages link to them already. A page is named by an
 * owner, any text that is its own; it has one path. All methods are synchronous, so that no two callers get one path.
 */
export class ReservedPaths {
  readonly #owners = new Map<string, string>();
  readonly #paths = new Map<string, VaultPath>();

  /** Reserves a path. Returns false, changing nothing, when another page has it. */
  take(path: VaultPath, owner: string): boolean {
    if (this.isForOther(path, owner)) return false;
    this.release(owner);
    this.#owners.set(fold(path), owner);
    this.#paths.set(owner, path);
    return true;
  }

  /** Returns true when the path is reserved for another page. */
  isForOther(path: VaultPath, owner?: string): boolean {
    const holder = this.#owners.get(fold(path));
    return holder !== undefined && holder !== owner;
  }

  /** Returns the path of a page; null without one. */
  of(owner: string): VaultPath | null {
    return this.#paths.get(owner) ?? null;
  }

  release(owner: string): void {
    const path = this.#paths.get(owner);
    if (path === undefined) return;
    this.#paths.delete(owner);
    this.#owners.delete(fold(path));
  }
}
