import type { Brain } from '../brain';
import { BrainError } from '../errors';
import { parseNote } from '../rules/frontmatter/parse-note';
import { sha256 } from '../rules/hash';
import { factSteps } from '../rules/markdown';
import { inSlices, type Steps } from '../steps';
import type { NoteRecord } from './note-record';

/** The prose of a note is kept and shown up to here, in UTF-16 units: no note that came in by a door is longer. */
const MAX_PROSE = 1 << 20;

/**
 * The prose of a note as it stands now, from which excerpts are cut: the beginning of it when it is very long. Remembered,
 * or made from the file. Null when the file is gone or cannot be read; never rejects.
 */
export async function proseOf(
  { vault, prose, pace, log }: Pick<Brain, 'vault' | 'prose' | 'pace' | 'log'>,
  note: Pick<NoteRecord, 'path' | 'content_hash'>,
): Promise<string | null> {
  const kept = prose.get(note);
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
  const made = await inSlices(proseSteps(text), pace);
  // Someone may have changed the file since its record was made; the catalog will say so, and this is not to outlast it.
  if (sha256(text) === note.content_hash) prose.put(note, made);
  return made;
}

function* proseSteps(text: string): Steps<string> {
  const { plain } = yield* factSteps(parseNote(text).body.slice(0, 2 * MAX_PROSE));
  return plain.slice(0, MAX_PROSE);
}
