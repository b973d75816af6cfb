import type * as Real from 'obsidian';
import { Events } from '../core/events';
import type { TFile } from '../vault/files';
import type { Vault } from '../vault/vault';
import { LinkTargets } from './link-target';

/** Where links lead. What the host reads from notes is not faked. */
export class MetadataCache extends Events {
  declare resolvedLinks: Real.MetadataCache['resolvedLinks'];
  declare unresolvedLinks: Real.MetadataCache['unresolvedLinks'];
  declare getCache: Real.MetadataCache['getCache'];
  declare getFileCache: Real.MetadataCache['getFileCache'];
  readonly #vault: Vault;
  #targets = new LinkTargets<TFile>([]);
  #targetsVersion = -1;

  constructor(vault: Vault) {
    super();
    this.#vault = vault;
  }

  getFirstLinkpathDest(linkpath: string, sourcePath: string): TFile | null {
    if (this.#targetsVersion !== this.#vault.filesVersion) {
      this.#targetsVersion = this.#vault.filesVersion;
      this.#targets = new LinkTargets(this.#vault.getFiles());
    }
    return this.#targets.resolve(linkpath, sourcePath);
  }

  fileToLinktext(file: Real.TFile, _: string, omitMdExtension = true): string {
    const short = (path: string): string =>
      omitMdExtension && file.extension === 'md' ? path.slice(0, -'.md'.length) : path;
    const twins = this.#vault.getFiles().filter((one) => one.name.toLowerCase() === file.name.toLowerCase());
    return short(twins.length > 1 ? file.path : file.name);
  }
}
