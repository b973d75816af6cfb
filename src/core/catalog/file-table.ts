import { compareShortest, foldLink } from '../links/resolve';
import { fileName, fold, linkPath, type VaultPath } from '../vocabulary/paths';
import { PathTable } from './path-table';

/** All files of a vault by their paths and by their names, in any spelling. */
export class FileTable {
  readonly #paths = new PathTable<VaultPath>();
  /** The files of a name, the one with the shortest path first. */
  readonly #names = new PathTable<VaultPath>(compareShortest);

  add(path: VaultPath): void {
    this.#paths.add(fold(path), path);
    this.#names.add(nameKey(path), path);
  }

  delete(path: VaultPath): void {
    this.#paths.delete(fold(path), path);
    this.#names.delete(nameKey(path), path);
  }

  /** Returns the files that have this path on a file system that folds names, sorted. */
  at(path: string): readonly VaultPath[] {
    return this.#paths.get(fold(path));
  }

  /**
   * Returns the files with this name, with or without `.md`, and with names that fold to the same; the one with the shortest path first.
   */
  named(name: string): readonly VaultPath[] {
    return this.#names.get(nameKey(name));
  }
}

/** Returns a key that is equal for all spellings of a file name: those that links know, and those of file systems. */
function nameKey(path: string): string {
  return foldLink(fold(linkPath(fileName(path))));
}
