import { BrainError } from '../base/errors';
import { type Sha, sha256Steps } from '../base/hash';
import { inSlices, type Pacing, type Steps } from '../base/steps';
import { parseNote } from '../frontmatter/parse';
import { factSteps } from '../markdown/facts';
import type { Store } from '../ports/ports';
import type { VaultPath } from '../vocabulary/paths';
import type { NoteRecord } from './record';

/** The maximum size of the cache (UTF-16 units): at most 32 MB, half of that for Latin text. */
const MAX_CACHED = 16 * 1024 * 1024;

interface CacheEntry {
  readonly hash: Sha;
  readonly prose: string;
  /** The prose is complete up to this offset. */
  readonly reach: number;
}

/** A size-bounded LRU cache of the prose of notes. It is derived from the files. */
export class ProseCache {
  /** By path, the least recently used first. */
  readonly #entries = new Map<VaultPath, CacheEntry>();
  #size = 0;

  constructor(private readonly limit = MAX_CACHED) {}

  /** Returns the prose of this version of the note up to `reach`, or null if less is cached. */
  get({ path, content_hash: hash }: Pick<NoteRecord, 'path' | 'content_hash'>, reach: number): string | null {
    const cached = this.#entries.get(path);
    if (cached === undefined) return null;
    this.#drop(path);
    if (cached.hash !== hash) return null;
    this.#add(path, cached);
    return cached.reach < reach ? null : cached.prose.slice(0, reach);
  }

  /** Caches the prose of a note up to `reach`, unless more of the same version is cached. */
  put(
    { path, content_hash: hash }: Pick<NoteRecord, 'path' | 'content_hash'>,
    prose: string,
    reach: number,
  ): void {
    const cached = this.#entries.get(path);
    if (cached?.hash === hash && cached.reach > reach) return;
    this.#drop(path);
    this.#add(path, { hash, prose, reach });
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= this.limit) break;
      this.#drop(oldest);
    }
  }

  /** The length of all cached prose (UTF-16 units). */
  get size(): number {
    return this.#size;
  }

  #add(path: VaultPath, cached: CacheEntry): void {
    this.#entries.set(path, cached);
    this.#size += cached.prose.length;
  }

  #drop(path: VaultPath): void {
    this.#size -= this.#entries.get(path)?.prose.length ?? 0;
    this.#entries.delete(path);
  }
}

/** The maximum length of prose that is cached and shown (UTF-16 units): no note that the service wrote is longer. */
export const MAX_PROSE = 1 << 20;

/**
 * Returns the current prose of a note for excerpts, from the cache or the file; only the start of a very long one. Returns
 * null if the file is gone or cannot be read; never rejects.
 * @param reach the maximum length (UTF-16 units)
 */
export async function proseOf(
  {
    vault,
    prose,
    pace,
    log,
  }: Pick<Store & Pacing, 'vault' | 'pace' | 'log'> & { readonly prose: ProseCache },
  note: Pick<NoteRecord, 'path' | 'content_hash'>,
  reach = MAX_PROSE,
): Promise<string | null> {
  const cached = prose.get(note, reach);
  if (cached !== null) return cached;
  let text: string | null;
  try {
    text = await vault.read(note.path);
  } catch (error) {
    // The catalog soon learns of a file that is no text any more; any other error concerns the owner of the disk.
    if (!(error instanceof BrainError)) log.warn('prose.read', { path: note.path, message: String(error) });
    return null;
  }
  if (text === null) return null;
  const { plain, isWhole, hash } = await inSlices(proseSteps(text, reach), pace);
  // The file may have changed since its record was made, until the catalog notices; such prose must not be cached.
  if (hash === note.content_hash) prose.put(note, plain, isWhole ? MAX_PROSE : reach);
  return plain;
}

interface Prose {
  readonly plain: string;
  /** True if the note has no more prose. */
  readonly isWhole: boolean;
  /** The hash of the text. */
  readonly hash: Sha;
}

function* proseSteps(text: string, reach: number): Steps<Prose> {
  const { body } = parseNote(text);
  yield;
  const { plain } = yield* factSteps(body.slice(0, 2 * reach));
  const isWhole = body.length <= 2 * reach && plain.length <= reach;
  return { plain: plain.slice(0, reach), isWhole, hash: yield* sha256Steps(text) };
}
