import type { FileStats, Vault } from 'obsidian';
import { inner, parentOf } from '../core/path';
import { type TAbstractFile, TFile, TFolder } from './files';

/** The files and folders that the vault has been told of. Paths tell case, whatever the file system does. */
export class VaultIndex {
  readonly root: TFolder;
  readonly #vault: Vault;
  readonly #known = new Map<string, TAbstractFile>();
  /** Counts up whenever something appears, goes or moves. */
  version = 0;

  constructor(vault: Vault) {
    this.#vault = vault;
    this.root = new TFolder(vault, '/');
    this.#known.set('/', this.root);
  }

  get(path: string): TAbstractFile | null {
    return this.#known.get(path === '' ? '/' : path) ?? null;
  }

  all(): TAbstractFile[] {
    return [...this.#known.values()];
  }

  addFile(path: string, stat: FileStats): TFile {
    return this.#add(new TFile(this.#vault, path, stat));
  }

  addFolder(path: string): TFolder {
    return this.#add(new TFolder(this.#vault, path));
  }

  drop(file: TAbstractFile): void {
    this.version += 1;
    this.#known.delete(file.path);
    this.#unlink(file);
  }

  /** Moves a file, or a folder with all below it; returns what moved with its old path, the outermost first. */
  move(file: TAbstractFile, to: string): { file: TAbstractFile; oldPath: string }[] {
    this.version += 1;
    const from = file.path;
    const moved = subtree(file).map((one) => ({ file: one, oldPath: one.path }));
    this.#unlink(file);
    for (const { oldPath } of moved) this.#known.delete(oldPath);
    for (const { file: one, oldPath } of moved) {
      one.setPath(to + oldPath.slice(from.length));
      this.#known.set(one.path, one);
    }
    this.#link(file);
    return moved;
  }

  #add<T extends TAbstractFile>(file: T): T {
    this.version += 1;
    this.#known.set(file.path, file);
    this.#link(file);
    return file;
  }

  #link(file: TAbstractFile): void {
    const parent = this.get(parentOf(inner(file.path)));
    if (!(parent instanceof TFolder)) throw new Error(`The folder of ${file.path} is not known.`);
    file.parent = parent;
    parent.children.push(file);
  }

  #unlink(file: TAbstractFile): void {
    if (file.parent !== null) file.parent.children = file.parent.children.filter((one) => one !== file);
    file.parent = null;
  }
}

/** A file, or a folder and all below it, the outermost first. */
export function subtree(file: TAbstractFile): TAbstractFile[] {
  return file instanceof TFolder ? [file, ...file.children.flatMap(subtree)] : [file];
}
