import type { Sha } from '../rules/hash';
import type { VaultPath } from '../rules/paths';
import type { NoteRecord } from './note-record';

/** So much prose is remembered, in UTF-16 units: at most 32 MB, half of that where the text is Latin. */
const MAX_KEPT = 16 * 1024 * 1024;

interface Kept {
  readonly hash: Sha;
  readonly prose: string;
  /** It is all of the note's prose up to here. */
  readonly reach: number;
}

/** The prose of the notes that were shown last, within a bound on memory. Derived: whatever is not in it is in the file. */
export class ProseCache {
  /** The one that was asked for longest ago comes first. */
  readonly #kept = new Map<VaultPath, Kept>();
  #size = 0;

  constructor(private readonly limit = MAX_KEPT) {}

  /** The prose of this very version of the note up to `reach`, or null when not so much of it is remembered. */
  get({ path, content_hash: hash }: Pick<NoteRecord, 'path' | 'content_hash'>, reach: number): string | null {
    const kept = this.#kept.get(path);
    if (kept === undefined) return null;
    this.#drop(path);
    if (kept.hash !== hash) return null;
    this.#add(path, kept);
    return kept.reach < reach ? null : kept.prose.slice(0, reach);
  }

  /** Remembers the prose of a note up to `reach`, unless more of the same is remembered. */
  put(
    { path, content_hash: hash }: Pick<NoteRecord, 'path' | 'content_hash'>,
    prose: string,
    reach: number,
  ): void {
    const kept = this.#kept.get(path);
    if (kept?.hash === hash && kept.reach > reach) return;
    this.#drop(path);
    this.#add(path, { hash, prose, reach });
    for (const oldest of this.#kept.keys()) {
      if (this.#size <= this.limit) break;
      this.#drop(oldest);
    }
  }

  /** Length of all that is remembered, in UTF-16 units. */
  get size(): number {
    return this.#size;
  }

  #add(path: VaultPath, kept: Kept): void {
    this.#kept.set(path, kept);
    this.#size += kept.prose.length;
  }

  #drop(path: VaultPath): void {
    this.#size -= this.#kept.get(path)?.prose.length ?? 0;
    this.#kept.delete(path);
  }
}
