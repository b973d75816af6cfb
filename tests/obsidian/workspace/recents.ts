import { TFile } from '../vault/files';
import type { WorkspaceParent } from './items';
import type { WorkspaceLeaf } from './leaf';

/** Which leaves and files had the focus, the last one first. */
export class Recents {
  #leaves: WorkspaceLeaf[] = [];
  #files: TFile[] = [];

  /** Notes that a leaf has the focus; returns its file when that is another than before. */
  visit(leaf: WorkspaceLeaf): TFile | null {
    this.#leaves = [leaf, ...this.#leaves.filter((one) => one !== leaf)];
    const file = fileOf(leaf);
    if (file === null || file === this.#files[0]) return null;
    this.#files = [file, ...this.#files.filter((one) => one !== file)].slice(0, 10);
    return file;
  }

  forget(leaf: WorkspaceLeaf): void {
    this.#leaves = this.#leaves.filter((one) => one !== leaf);
  }

  /** The leaf of a part of the layout that had the focus last, or else its last one. */
  leafIn(...roots: readonly WorkspaceParent[]): WorkspaceLeaf | null {
    const leaves = roots.flatMap((root) => root.leaves());
    return this.#leaves.find((leaf) => leaves.includes(leaf)) ?? leaves.at(-1) ?? null;
  }

  /** The file of the leaf with the focus, or else the last one that had it and still stands. */
  file(active: WorkspaceLeaf | null): TFile | null {
    const standing = this.#files.find((file) => file.vault.getFileByPath(file.path) === file);
    return (active === null ? null : fileOf(active)) ?? standing ?? null;
  }

  paths(): string[] {
    return this.#files.map((file) => file.path);
  }
}

function fileOf({ view }: WorkspaceLeaf): TFile | null {
  const file = 'file' in view ? view.file : null;
  return file instanceof TFile ? file : null;
}
