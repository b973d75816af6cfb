import type { FileStats, Vault } from 'obsidian';
import { nameOf, splitExtension } from '../core/path';

/** A file or folder that the vault knows. The same object stays through renames; it keeps its last path when it is deleted. */
export abstract class TAbstractFile {
  vault: Vault;
  path = '';
  name = '';
  parent: TFolder | null = null;

  constructor(vault: Vault, path: string) {
    this.vault = vault;
    this.setPath(path);
  }

  /** Of the fake alone: the index moves files through this. */
  setPath(path: string): void {
    this.path = path;
    this.name = path === '/' ? '' : nameOf(path);
  }
}

export class TFile extends TAbstractFile {
  stat: FileStats;
  basename = '';
  extension = '';

  constructor(vault: Vault, path: string, stat: FileStats = { ctime: 0, mtime: 0, size: 0 }) {
    super(vault, path);
    this.stat = stat;
    this.#name();
  }

  override setPath(path: string): void {
    super.setPath(path);
    if (this.stat !== undefined) this.#name();
  }

  #name(): void {
    const { basename, extension } = splitExtension(this.name);
    this.basename = basename;
    this.extension = extension.toLowerCase();
  }
}

/** The fake's own object for a file that someone hands in; one that this host never gave out is refused. */
export function ownFile(file: object): TAbstractFile {
  if (file instanceof TAbstractFile) return file;
  throw new TypeError('This file does not come from the vault of the fake host.');
}

export class TFolder extends TAbstractFile {
  children: TAbstractFile[] = [];

  isRoot(): boolean {
    return this.path === '/';
  }
}
