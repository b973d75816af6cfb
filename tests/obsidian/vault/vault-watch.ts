import type { Stat } from 'obsidian';
import { isHidden, parentOf } from '../core/path';
import type { Storage } from '../storage/storage';
import { type TAbstractFile, TFile, TFolder } from './files';
import { subtree, type VaultIndex } from './vault-index';

type Teller = (kind: 'create' | 'modify' | 'delete', file: TAbstractFile) => void;

/**
 * Brings the index in line with the files, and tells what that showed. A file moved by another program is one gone and one
 * new.
 */
export class VaultWatch {
  readonly #storage: Storage;
  readonly #index: VaultIndex;
  readonly #tell: Teller;

  constructor(storage: Storage, index: VaultIndex, tell: Teller) {
    this.#storage = storage;
    this.#index = index;
    this.#tell = tell;
  }

  /**
   * Looks at a path and, for a folder, at all below it. A file at the path itself counts as changed if its time or size is
   * new.
   */
  async look(path: string): Promise<void> {
    const stat = await this.#spelt(path);
    const known = this.#index.get(path);
    if (known !== null && (stat === null || (stat.type === 'folder') !== known instanceof TFolder)) {
      this.#drop(known);
    }
    if (stat === null) return;
    if (stat.type === 'file') return this.#lookAtFile(path, stat);
    await this.#folder(path);
    const { files, folders } = await this.#storage.list(path);
    const found = [...files, ...folders].filter((one) => !isHidden(one));
    const folder = this.#index.get(path);
    const before = folder instanceof TFolder ? folder.children.map((child) => child.path) : [];
    for (const one of new Set([...found, ...before])) await this.look(one);
  }

  /** The vault itself has written here: there is a new file or folder, or the file has changed. */
  async arrived(path: string): Promise<void> {
    if (isHidden(path)) return;
    const stat = await this.#storage.stat(path);
    if (stat === null) return;
    if (stat.type === 'folder') await this.#folder(path);
    else await this.#lookAtFile(path, stat, true);
  }

  /** Makes the folders of a path known that are not yet. */
  async foldersOf(path: string): Promise<void> {
    const parent = parentOf(path);
    if (parent !== '' && this.#index.get(parent) === null) await this.#folder(parent);
  }

  async #folder(path: string): Promise<void> {
    if (this.#index.get(path) !== null) return;
    await this.foldersOf(path);
    this.#tell('create', this.#index.addFolder(path));
  }

  async #lookAtFile(path: string, { ctime, mtime, size }: Stat, changed = false): Promise<void> {
    const known = this.#index.get(path);
    if (!(known instanceof TFile)) {
      await this.foldersOf(path);
      this.#tell('create', this.#index.addFile(path, { ctime, mtime, size }));
      return;
    }
    const same = known.stat.mtime === mtime && known.stat.size === size;
    known.stat = { ctime, mtime, size };
    if (!same || changed) this.#tell('modify', known);
  }

  #drop(known: TAbstractFile): void {
    for (const file of subtree(known).reverse()) {
      this.#index.drop(file);
      this.#tell('delete', file);
    }
  }

  /** Where case does not count, a file answers to names that are not its own. */
  async #spelt(path: string): Promise<Stat | null> {
    const stat = await this.#storage.stat(path);
    if (stat === null || path === '' || !this.#storage.caseInsensitive) return stat;
    const { files, folders } = await this.#storage.list(parentOf(path));
    return [...files, ...folders].includes(path) ? stat : null;
  }
}
