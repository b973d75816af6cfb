import { BrainError } from '../base/errors';
import { type Sha, sha256Steps } from '../base/hash';
import { inSlices, type Pacing, type Steps } from '../base/steps';
import { parseNote } from '../frontmatter/parse';
import { factSteps } from '../markdown/facts';
import type { Store } from '../ports/ports';
import type { VaultPath } from '../vocabulary/paths';
import type { NoteRecord } from './record';

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

/** The prose of a note is kept and shown up to here, in UTF-16 units: no note that came in by a door is longer. */
export const MAX_PROSE = 1 << 20;

/**
 * The prose of a note as it stands now, from which excerpts are cut: the beginning of it when it is very long. Remembered,
 * or made from the file. Null when the file is gone or cannot be read; never rejects.
 * @param reach so much of it at most
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
  const kept = prose.get(note, reach);
  if (kept !== null) return kept;
  let text: string | null;
  try {
    text = await vault.read(note.path);
  } catch (error) {
    // A file that has become no text is known as such soon; anything else the owner of the disk should hear of.
    if (!(error instanceof BrainError)) log.warn('prose.read', { path: note.path, message: String(error) });
    return null;
  }
  if (text === null) return null;
  const { plain, isWhole, hash } = await inSlices(proseSteps(text, reach), pace);
  // Someone may have changed the file since its record was made; the catalog will say so, and this is not to outlast it.
  if (hash === note.content_hash) prose.put(note, plain, isWhole ? MAX_PROSE : reach);
  return plain;
}

interface Prose {
  readonly plain: string;
  /** True when the note has no more than this. */
  readonly isWhole: boolean;
  /** Of the text that it was made from. */
  readonly hash: Sha;
}

function* proseSteps(text: string, reach: number): Steps<Prose> {
  const { body } = parseNote(text);
  yield;
  const { plain } = yield* factSteps(body.slice(0, 2 * reach));
  const isWhole = body.length <= 2 * reach && plain.length <= reach;
  return { plain: plain.slice(0, reach), isWhole, hash: yield* sha256Steps(text) };
}
