import { type DataAdapter, Platform, TFolder, type Vault } from 'obsidian';
import { BrainError } from '../../core/base/errors';
import { checkStorePath, notAllowed } from '../../core/ports/ports';
import { fileName, fold, folderOf, isIgnoredName } from '../../core/vocabulary/paths';
import type { Durable } from './durable';

/** Checks a path before it is used in the vault of the app. @throws BrainError `path_not_allowed`. */
export function checkPath(at: string): void {
  checkStorePath(at, Platform.isWin);
}

/** Returns the parent folders of a path, outermost first: `a`, `a/b` for `a/b/c.md`. */
export function foldersOf(at: string): string[] {
  const segments = at.split('/').slice(0, -1);
  return segments.map((_, index) => segments.slice(0, index + 1).join('/'));
}

/** The folders of the app's tree, made durably. */
export class Folders {
  readonly #vault: Vault;
  readonly #durable: Durable;

  constructor(vault: Vault, durable: Durable) {
    this.#vault = vault;
    this.#durable = durable;
  }

  get #adapter(): DataAdapter {
    return this.#vault.adapter;
  }

  /**
   * Returns the missing parent folders of a path, outermost first. The app may show a folder that is gone for a moment, so
   * the disk is checked as well.
   * @throws BrainError `path_not_allowed` when the path leads through a file.
   */
  async missing(at: string): Promise<string[]> {
    const missing: string[] = [];
    for (const folder of foldersOf(at)) {
      const found = this.#vault.getAbstractFileByPath(folder);
      if (found !== null && !(found instanceof TFolder)) throw notAllowed(folder, 'is a file, not a folder');
      if (found === null || missing.length > 0 || !(await this.#adapter.exists(folder))) missing.push(folder);
    }
    return missing;
  }

  /**
   * Returns the names of the folders directly below a folder, empty ones too, without ignored ones and links out of the
   * vault.
   */
  async below(folder: string): Promise<string[]> {
    checkPath(folder);
    const names: string[] = [];
    for (const child of [...(this.#vault.getFolderByPath(folder)?.children ?? [])]) {
      if (!(child instanceof TFolder) || isIgnoredName(child.name)) continue;
      if (await this.#durable.isOwnFolder(child.path)) names.push(child.name.normalize('NFC'));
    }
    return names;
  }

  /**
   * Makes the parent folders of a path; resolves with the new ones, outermost first.
   * @throws BrainError `path_not_allowed` when a folder of another spelling takes the place of one on the disk.
   */
  async make(at: string): Promise<string[]> {
    const made: string[] = [];
    try {
      for (const folder of await this.missing(at)) {
        await this.#makeOne(folder);
        made.push(folder);
      }
    } catch (error) {
      await this.giveBack(made);
      throw error;
    }
    return made;
  }

  async #makeOne(folder: string): Promise<void> {
    if (this.#vault.getFolderByPath(folder) !== null) return this.#adapter.mkdir(folder);
    const existed = await this.#adapter.exists(folder, false);
    try {
      await this.#vault.createFolder(folder);
    } catch (error) {
      if (this.#vault.getFolderByPath(folder) !== null) return; // Another call has made it meanwhile.
      // The app's message for a folder that another program has made meanwhile, which must not be removed.
      if (existed || (error instanceof Error && /already exists/i.test(error.message)))
        throw this.#inTheWay(folder);
      // The folder may have been made before the failure: one that the app does not know would fail the next try.
      if (await this.#adapter.exists(folder, false)) await this.giveBack([folder]);
      throw error;
    }
  }

  /** Returns the error for a folder that exists on the disk and that the app does not show. */
  #inTheWay(folder: string): BrainError {
    const siblings = this.#vault.getFolderByPath(folderOf(folder) || '/')?.children ?? [];
    const other = siblings.find(({ name }) => fold(name) === fold(fileName(folder)));
    if (other !== undefined) {
      const mayBeOwners =
        folderOf(folder) === '' ? `, or to "My ${other.name}" when it holds notes of yours` : '';
      return new BrainError(
        'path_not_allowed',
        `The folder "${folder}" cannot be made, because "${other.path}" takes its place on this disk. Rename that one to "${folder}"${mayBeOwners}.`,
        { path: other.path },
      );
    }
    return new BrainError(
      'busy',
      `"${folder}" has appeared on disk just now and the app has not taken it up yet. Try again in a few seconds.`,
      { path: folder, retry_after: 2 },
    );
  }

  /** Removes the folders that are empty, innermost first, durably. */
  async removeEmpty(folders: readonly string[]): Promise<void> {
    for (const folder of [...folders].reverse()) {
      // The disk decides: the app's tree may be outdated, and leaves out hidden files.
      if ((await this.#adapter.stat(folder))?.type !== 'folder') continue;
      if (!(await this.#isEmpty(folder))) continue;
      try {
        await this.#adapter.rmdir(folder, false);
      } catch (error) {
        if (await this.#isEmpty(folder)) throw error;
      }
      await this.#durable.folder(folderOf(folder));
    }
  }

  /** Removes empty folders after a failure and ignores errors, which must not hide the first one; what is left is empty. */
  async giveBack(made: readonly string[]): Promise<void> {
    await this.removeEmpty(made).catch(() => undefined);
  }

  async #isEmpty(folder: string): Promise<boolean> {
    const { files, folders } = await this.#adapter.list(folder);
    return files.length + folders.length === 0;
  }

  /** Syncs the folder of a path, and its parents. */
  async sync(at: string): Promise<void> {
    await this.#durable.folder(folderOf(at));
  }
}
