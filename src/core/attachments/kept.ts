import { isSha, type Sha } from '../base/hash';
import { isRecord, parsedJson } from '../base/json';
import type { FileStat, StateStore } from '../ports/ports';
import { type VaultPath, vaultPath } from '../vocabulary/paths';
import { type AttachmentText, keptText } from './parts';

/** The form of what is kept, and how words are taken from files. Another one is read as nothing. */
const FORM = 1;

/** A file as it was when its words were last taken. */
export interface KeptFile {
  readonly stat: FileStat;
  /** Absent for a file that is too large to be looked into. */
  readonly hash?: Sha;
  /** Says why there are no words. */
  readonly fault?: string;
}

/**
 * What this device keeps of the attachments: for each file its hash and why it could not be read, and for each hash the words.
 * A text that is damaged or gone counts as none, and is made again from its file.
 */
export class KeptTexts {
  readonly #folder: string;

  /** @param local the folder of this device below `.brain/` */
  constructor(
    private readonly state: StateStore,
    private readonly version: string,
    local: string,
  ) {
    this.#folder = `${local}/attachments`;
  }

  /** Resolves with the files as they were kept. What another version could not read, this one tries again. */
  async files(): Promise<Map<VaultPath, KeptFile>> {
    const list = parsedJson((await this.state.read(this.#list)) ?? '');
    const files = new Map<VaultPath, KeptFile>();
    if (!isRecord(list) || list.form !== FORM || !isRecord(list.files)) return files;
    for (const [path, file] of Object.entries(list.files)) {
      if (!isRecord(file)) continue;
      const { mtime, size, ctime, hash, fault } = file;
      if (!isSha(hash) && fault === undefined) continue;
      if (typeof mtime !== 'number' || typeof size !== 'number') continue;
      if (fault !== undefined && (typeof fault !== 'string' || list.version !== this.version)) continue;
      const stat = { mtime, size, ...(typeof ctime === 'number' && { ctime }) };
      files.set(vaultPath(path), {
        stat,
        ...(isSha(hash) && { hash }),
        ...(fault !== undefined && { fault }),
      });
    }
    return files;
  }

  /** Keeps the list of files, and removes the texts of all others. */
  async keep(files: ReadonlyMap<VaultPath, KeptFile>): Promise<void> {
    const entries = [...files].map(([path, { stat, hash, fault }]) => {
      const { mtime, size, ctime } = stat;
      return [path, { mtime, size, ctime, hash, fault }] as const;
    });
    const list = { form: FORM, version: this.version, files: Object.fromEntries(entries) };
    await this.state.write(this.#list, `${JSON.stringify(list)}\n`);
    const texts = [...files.values()].flatMap(({ hash }) => (hash === undefined ? [] : this.#at(hash)));
    const known = new Set([this.#list, this.#begun, ...texts]);
    for (const path of await this.state.list(this.#folder))
      if (!known.has(path)) await this.state.remove(path);
  }

  /** Resolves with the words of a file with this hash; null when they are not kept. */
  async text(hash: Sha): Promise<AttachmentText | null> {
    const text = await this.state.read(this.#at(hash));
    return text === null ? null : keptText(parsedJson(text));
  }

  async keepText(hash: Sha, { markdown, pages }: AttachmentText): Promise<void> {
    await this.state.write(this.#at(hash), `${JSON.stringify({ markdown, pages })}\n`);
  }

  /** Resolves with how often the process ended while it read the file with this hash, if that was the last file that it read. */
  async ends(hash: Sha): Promise<number> {
    const begun = parsedJson((await this.state.read(this.#begun)) ?? '');
    return isRecord(begun) && begun.hash === hash && typeof begun.times === 'number' ? begun.times : 0;
  }

  /** Notes that a file is about to be read, until `ended`. */
  async begin(hash: Sha, times: number): Promise<void> {
    await this.state.write(this.#begun, `${JSON.stringify({ hash, times })}\n`);
  }

  async ended(): Promise<void> {
    await this.state.remove(this.#begun, false);
  }

  /** Removes all of it. */
  async clear(): Promise<void> {
    for (const path of await this.state.list(this.#folder)) await this.state.remove(path);
  }

  get #list(): string {
    return `${this.#folder}/files.json`;
  }

  get #begun(): string {
    return `${this.#folder}/begun.json`;
  }

  #at(hash: Sha): string {
    return `${this.#folder}/${hash}.json`;
  }
}
