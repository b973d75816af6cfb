import type { ProseCache } from './prose-cache';
import type { Pacing } from '../pace';
import type { Store } from '../ports';
import { BrainError } from '../errors';
import { parseNote } from '../rules/frontmatter/parse-note';
import { type Sha, sha256Steps } from '../rules/hash';
import { factSteps } from '../rules/markdown';
import { inSlices, type Steps } from '../steps';
import type { NoteRecord } from './note-record';

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
