import type * as Real from 'obsidian';
import type { MetadataCache } from '../metadata/metadata-cache';
import type { FilesPort } from './files-port';
import type { Vault } from './vault';

/** What a person's hand does to files: the trash is the one that the person chose. */
export class FileManager {
  declare getNewFileParent: Real.FileManager['getNewFileParent'];
  declare renameFile: Real.FileManager['renameFile'];
  declare promptForDeletion: Real.FileManager['promptForDeletion'];
  declare processFrontMatter: Real.FileManager['processFrontMatter'];
  declare getAvailablePathForAttachment: Real.FileManager['getAvailablePathForAttachment'];
  readonly #vault: Vault;
  readonly #cache: MetadataCache;
  readonly #port: FilesPort;

  constructor(vault: Vault, cache: MetadataCache, port: FilesPort) {
    this.#vault = vault;
    this.#cache = cache;
    this.#port = port;
  }

  async trashFile(file: Real.TAbstractFile): Promise<void> {
    const { trash } = this.#port.settings;
    if (trash === 'none') await this.#vault.eraseForGood(file);
    else await this.#vault.moveToTrash(file, trash === 'system');
  }

  generateMarkdownLink(file: Real.TFile, sourcePath: string, subpath = '', alias = ''): string {
    const link = this.#cache.fileToLinktext(file, sourcePath) + subpath;
    return alias === '' ? `[[${link}]]` : `[[${link}|${alias}]]`;
  }
}
