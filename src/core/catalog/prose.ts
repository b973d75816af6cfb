import { BrainError } from '../base/errors';
import { type Sha, sha256Steps } from '../base/hash';
import { apart, inSlices, type Pacing, type Steps } from '../base/steps';
import { parseNote } from '../frontmatter/parse';
import { FACTS } from '../markdown/facts';
import type { Store } from '../ports/ports';
import type { VaultPath } from '../vocabulary/paths';
import { commentsOf } from './beside';
import type { NoteRecord } from './record';

/** The maximum size of the cache (UTF-16 units): at most 40 MB, half of that for Latin text. */
const MAX_CACHED = 20 * 1024 * 1024;

/** The text of a note without its marks. */
export interface NoteTexts {
  /** The prose alone: without headings, code and HTML. */
  readonly prose: string;
  /** Everything that is shown, in order. */
  readonly shown: string;
  /** What comments say, which are not shown. */
  readonly comments: string;
}

interface CacheEntry extends NoteTexts {
  readonly hash: Sha;
  /** The texts are complete up to this offset. */
  readonly reach: number;
}

/** A size-bounded LRU cache of the texts of notes. It is derived from the files. */
export class ProseCache {
  /** By path, the least recently used first. */
  readonly #entries = new Map<VaultPath, CacheEntry>();
  #size = 0;

  constructor(private readonly limit = MAX_CACHED) {}

  /** Returns the texts of this version of the note up to `reach`, or null if less is cached. */
  get(
    { path, content_hash: hash }: Pick<NoteRecord, 'path' | 'content_hash'>,
    reach: number,
  ): NoteTexts | null {
    const cached = this.#entries.get(path);
    if (cached === undefined) return null;
    this.#drop(path);
    if (cached.hash !== hash) return null;
    this.#add(path, cached);
    if (cached.reach < reach) return null;
    return upTo(reach, cached);
  }

  /** Caches the texts of a note up to `reach`, unless more of the same version is cached. */
  put(
    { path, content_hash: hash }: Pick<NoteRecord, 'path' | 'content_hash'>,
    texts: NoteTexts,
    reach: number,
  ): void {
    const cached = this.#entries.get(path);
    if (cached?.hash === hash && cached.reach > reach) return;
    this.#drop(path);
    this.#add(path, { ...texts, hash, reach });
    for (const oldest of this.#entries.keys()) {
      if (this.#size <= this.limit) break;
      this.#drop(oldest);
    }
  }

  /** The length of all cached texts (UTF-16 units); one that is both counts once. */
  get size(): number {
    return this.#size;
  }

  #add(path: VaultPath, cached: CacheEntry): void {
    this.#entries.set(path, cached);
    this.#size += sizeOf(cached);
  }

  #drop(path: VaultPath): void {
    const cached = this.#entries.get(path);
    if (cached !== undefined) this.#size -= sizeOf(cached);
    this.#entries.delete(path);
  }
}

function sizeOf({ prose, shown, comments }: NoteTexts): number {
  return prose.length + (shown === prose ? 0 : shown.length) + comments.length;
}

function upTo(reach: number, { prose, shown, comments }: NoteTexts): NoteTexts {
  return {
    prose: prose.slice(0, reach),
    shown: shown.slice(0, reach),
    comments: comments.slice(0, reach),
  };
}

/** The maximum length of prose that is cached and shown (UTF-16 units): no note that the service wrote is longer. */
export const MAX_PROSE = 1 << 20;

/**
 * Returns the current texts of a note for excerpts, from the cache or the file; only the start of a very long one. Returns
 * null if the file is gone or cannot be read; rejects with `starting` only.
 * @param reach the maximum length of each (UTF-16 units)
 */
export async function textsOf(
  {
    vault,
    prose,
    pace,
    log,
  }: Pick<Store & Pacing, 'vault' | 'pace' | 'log'> & { readonly prose: ProseCache },
  note: Pick<NoteRecord, 'path' | 'content_hash'>,
  reach: number,
): Promise<NoteTexts | null> {
  const cached = prose.get(note, reach);
  if (cached !== null) return cached;
  let read: Read;
  try {
    const text = await vault.read(note.path);
    if (text === null) return null;
    read = await inSlices(textSteps(text, reach), pace);
  } catch (error) {
    if (error instanceof BrainError && error.code === 'starting') throw error;
    // The catalog soon learns of a file that is no text any more; any other error concerns the owner of the disk.
    if (!(error instanceof BrainError)) log.warn('prose.read', { path: note.path, message: String(error) });
    return null;
  }
  const { texts, isWhole, hash } = read;
  // The file may have changed since its record was made, until the catalog notices; such texts must not be cached.
  if (hash === note.content_hash) prose.put(note, texts, isWhole ? MAX_PROSE : reach);
  return texts;
}

interface Read {
  readonly texts: NoteTexts;
  /** True if the note has no more text. */
  readonly isWhole: boolean;
  /** The hash of the file. */
  readonly hash: Sha;
}

function* textSteps(text: string, reach: number): Steps<Read> {
  const { body, comments } = parseNote(text);
  yield;
  const facts = yield* apart(FACTS, body.slice(0, 2 * reach));
  const { plain, searchText } = facts;
  const isWhole = body.length <= 2 * reach && searchText.length <= reach;
  const texts = upTo(reach, { prose: plain, shown: searchText, comments: commentsOf(comments, facts) });
  return { texts, isWhole, hash: yield* sha256Steps(text) };
}
