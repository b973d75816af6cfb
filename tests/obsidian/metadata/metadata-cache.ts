import type { CachedMetadata, TFile as RealFile } from 'obsidian';
import { Events } from '../core/events';
import { type TAbstractFile, TFile } from '../vault/files';
import type { FilesPort } from '../vault/files-port';
import type { Vault } from '../vault/vault';
import { getLinkpath, LinkTargets } from './link-target';
import { parseNote } from './parse-note';

/** What the host has read from the notes. It lags: a note that was just written still shows what it held before. */
export class MetadataCache extends Events {
  resolvedLinks: Record<string, Record<string, number>> = {};
  unresolvedLinks: Record<string, Record<string, number>> = {};
  readonly #vault: Vault;
  readonly #port: FilesPort;
  readonly #caches = new Map<string, CachedMetadata>();
  #waiting = 0;
  #targets = new LinkTargets<TFile>([]);
  #targetsVersion = -1;

  constructor(vault: Vault, port: FilesPort) {
    super();
    this.#vault = vault;
    this.#port = port;
    port.vaultHooks.add((kind, file, oldPath) => {
      if (!(file instanceof TFile) || file.extension !== 'md') return;
      if (kind === 'delete') this.#forget(file);
      else if (kind === 'rename') this.#move(file, oldPath);
      else this.#readLater(file);
    });
  }

  getFileCache(file: RealFile): CachedMetadata | null {
    return this.getCache(file.path);
  }

  getCache(path: string): CachedMetadata | null {
    return this.#caches.get(path) ?? null;
  }

  getFirstLinkpathDest(linkpath: string, sourcePath: string): TFile | null {
    if (this.#targetsVersion !== this.#vault.filesVersion) {
      this.#targetsVersion = this.#vault.filesVersion;
      this.#targets = new LinkTargets(this.#vault.getFiles());
    }
    return this.#targets.resolve(linkpath, sourcePath);
  }

  fileToLinktext(file: RealFile, _: string, omitMdExtension = true): string {
    const short = (path: string): string =>
      omitMdExtension && file.extension === 'md' ? path.slice(0, -'.md'.length) : path;
    const twins = this.#vault.getFiles().filter((one) => one.name.toLowerCase() === file.name.toLowerCase());
    return short(twins.length > 1 ? file.path : file.name);
  }

  #readLater(file: TFile): void {
    this.#waiting += 1;
    this.#port.scheduler.later(this.#port.settings.metadataDelay, async () => {
      this.#waiting -= 1;
      // Gone, or replaced by another of that name, while this waited.
      if (this.#vault.getFileByPath(file.path) === file) await this.#read(file);
      if (this.#waiting === 0) this.#resolveAll();
    });
  }

  async #read(file: TFile): Promise<void> {
    const text = await this.#vault.read(file).catch(() => null);
    // The file can vanish between the event and the reading; its end is told by the vault.
    if (text === null) return;
    const cache = parseNote(text);
    this.#caches.set(file.path, cache);
    this.trigger('changed', file, text, cache);
  }

  #forget(file: TAbstractFile): void {
    const before = this.#caches.get(file.path) ?? null;
    this.#caches.delete(file.path);
    this.trigger('deleted', file, before);
  }

  #move(file: TFile, oldPath: string): void {
    const cache = this.#caches.get(oldPath);
    this.#caches.delete(oldPath);
    if (cache !== undefined) this.#caches.set(file.path, cache);
    else this.#readLater(file);
  }

  #resolveAll(): void {
    this.resolvedLinks = {};
    this.unresolvedLinks = {};
    for (const [path, cache] of this.#caches) {
      const resolved: Record<string, number> = {};
      const unresolved: Record<string, number> = {};
      for (const { link } of [...(cache.links ?? []), ...(cache.embeds ?? [])]) {
        const target = this.getFirstLinkpathDest(getLinkpath(link), path);
        const counts = target === null ? unresolved : resolved;
        const key = target?.path ?? getLinkpath(link);
        counts[key] = (counts[key] ?? 0) + 1;
      }
      this.resolvedLinks[path] = resolved;
      this.unresolvedLinks[path] = unresolved;
      const file = this.#vault.getFileByPath(path);
      if (file !== null) this.trigger('resolve', file);
    }
    this.trigger('resolved');
  }
}
