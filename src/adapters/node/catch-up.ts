import type { FileEntry, FileStat, VaultChange } from '../../core/ports';
import type { VaultPath } from '../../core/rules/paths';
import { lastChanged, sameStat } from '../../core/same-stat';

/**
 * A file that was changed so shortly before it was looked at may be changed again without its time and size telling: within
 * one tick of the file system's clock, which is two seconds on the coarsest ones. In milliseconds.
 */
const RACY_MS = 2_000;

/**
 * What was told of files while nobody watched over them yet, so that a change made meanwhile is found afterwards. The first
 * answer about a file counts: whoever asked may have read the file right after it, and at no time before.
 */
export class FirstLooks {
  readonly #opened = Date.now();
  readonly #seen = new Map<VaultPath, FileStat>();

  add(path: VaultPath, stat: FileStat): void {
    if (!this.#seen.has(path)) this.#seen.set(path, stat);
  }

  /**
   * The changes below a folder since, with its files as they stand now: those that look different, are new or may have changed
   * without looking so, and those that are gone. A file that nobody has asked for is told as well.
   */
  async *changes(folder: string, now: AsyncIterable<FileEntry>): AsyncGenerator<VaultChange> {
    const gone = new Set([...this.#seen.keys()].filter((path) => path.startsWith(`${folder}/`)));
    for await (const entry of now) {
      const { path } = entry;
      gone.delete(path);
      const before = this.#seen.get(path);
      const isSame = sameStat(before, entry) && lastChanged(entry) < this.#opened - RACY_MS;
      if (!isSame) yield { kind: 'changed', path };
    }
    for (const path of gone) yield { kind: 'removed', path };
  }
}
