import type { DataWriteOptions, TAbstractFile as RealAbstractFile, TFile as RealFile } from 'obsidian';
import { inner, splitExtension } from '../core/path';
import { getFrontMatterInfo, parseYaml, stringifyYaml } from '../core/yaml';
import { getLinkpath } from '../metadata/link-target';
import type { MetadataCache } from '../metadata/metadata-cache';
import { ownFile, type TAbstractFile, TFile, type TFolder } from './files';
import type { FilesPort } from './files-port';
import type { Vault } from './vault';
import { subtree } from './vault-index';

/** What a person's hand does to files: links follow a rename, and the trash is the one that the person chose. */
export class FileManager {
  readonly #vault: Vault;
  readonly #cache: MetadataCache;
  readonly #port: FilesPort;

  constructor(vault: Vault, cache: MetadataCache, port: FilesPort) {
    this.#vault = vault;
    this.#cache = cache;
    this.#port = port;
  }

  getNewFileParent(_: string): TFolder {
    return this.#vault.getRoot();
  }

  async renameFile(file: RealAbstractFile, newPath: string): Promise<void> {
    const moving = new Set(subtree(ownFile(file)).filter((one) => one instanceof TFile));
    const links = this.#linksTo(moving);
    await this.#vault.rename(file, inner(newPath));
    for (const [note, found] of links) {
      await this.#vault.process(note, (text) => {
        let changed = text;
        for (const { original, link, target } of found) {
          changed = changed.replaceAll(original, this.#relinked(original, link, target, note));
        }
        return changed;
      });
    }
  }

  promptForDeletion(file: RealAbstractFile): Promise<boolean> {
    return this.trashFile(file).then(() => true);
  }

  async trashFile(file: RealAbstractFile): Promise<void> {
    const { trash } = this.#port.settings;
    if (trash === 'none') await this.#vault.eraseForGood(file);
    else await this.#vault.moveToTrash(file, trash === 'system');
  }

  generateMarkdownLink(file: RealFile, sourcePath: string, subpath = '', alias = ''): string {
    const link = this.#cache.fileToLinktext(file, sourcePath) + subpath;
    return alias === '' ? `[[${link}]]` : `[[${link}|${alias}]]`;
  }

  /** Writes all of the front matter anew: comments, quotes and the shape of lists do not survive. */
  async processFrontMatter(
    file: RealFile,
    fn: (frontmatter: Record<string, unknown>) => void,
    options?: DataWriteOptions,
  ): Promise<void> {
    await this.#vault.process(
      file,
      (text) => {
        const info = getFrontMatterInfo(text);
        const parsed = parseYaml(info.frontmatter);
        const matter: Record<string, unknown> = typeof parsed === 'object' ? { ...parsed } : {};
        fn(matter);
        const body = text.slice(info.contentStart);
        return Object.keys(matter).length === 0 ? body : `---\n${stringifyYaml(matter)}---\n${body}`;
      },
      options,
    );
  }

  async getAvailablePathForAttachment(filename: string): Promise<string> {
    const { basename, extension } = splitExtension(filename);
    const ending = extension === '' ? '' : `.${extension}`;
    let path = filename;
    for (let count = 1; await this.#vault.adapter.exists(path); count += 1)
      path = `${basename} ${count}${ending}`;
    return path;
  }

  #linksTo(
    targets: ReadonlySet<TAbstractFile>,
  ): Map<TFile, { original: string; link: string; target: TFile }[]> {
    const found = new Map<TFile, { original: string; link: string; target: TFile }[]>();
    for (const note of this.#vault.getMarkdownFiles()) {
      const cache = this.#cache.getFileCache(note);
      for (const { link, original } of [...(cache?.links ?? []), ...(cache?.embeds ?? [])]) {
        const target = this.#cache.getFirstLinkpathDest(getLinkpath(link), note.path);
        if (target === null || !targets.has(target) || getLinkpath(link) === '') continue;
        found.set(note, [...(found.get(note) ?? []), { original, link, target }]);
      }
    }
    return found;
  }

  #relinked(original: string, link: string, target: TFile, note: TFile): string {
    const path = getLinkpath(link);
    const written = /\]\(/.test(original) ? encodeURI(path) : path;
    const spelt = path.includes('/') ? target.path : this.#cache.fileToLinktext(target, note.path);
    const named = path.endsWith(`.${target.extension}`) ? spelt : spelt.replace(/\.md$/, '');
    const full = path.endsWith('.md') && !named.endsWith('.md') ? `${named}.md` : named;
    const now = /\]\(/.test(original) ? encodeURI(full) : full;
    return original.replace(written, () => now);
  }
}
