import type { Brain } from '../brain';
import { changesSince, type LoggedChange, type NoteChange } from '../change-log';
import type { Sha } from '../rules/hash';
import type { VaultPath } from '../rules/paths';

/** Where a text stood last, and where the service last left what came of it. */
export interface TextTrail {
  readonly stood: VaultPath;
  readonly left: VaultPath;
}

/** The last change that made a text or took it away. */
interface Mention {
  readonly change: LoggedChange;
  readonly note: NoteChange;
}

/**
 * Follows a text through the log of changes: edited in its place, or moved by a decision about its note. Null when the log
 * does not know the text. A hand's changes are in no log.
 */
export async function trailOf(
  { state, pace }: Pick<Brain, 'state' | 'pace'>,
  text: Sha,
): Promise<TextTrail | null> {
  const mentions = new Map<Sha, Mention>();
  for (const change of await changesSince(state, '', pace)) {
    for (const note of change.notes) if (note.after !== null) mentions.set(note.after, { change, note });
    // A text that is moved as it is was last taken away.
    for (const note of change.notes) if (note.before !== null) mentions.set(note.before, { change, note });
  }
  let mention = mentions.get(text);
  if (mention === undefined) return null;
  const stood = mention.note.path;
  let left = stood;
  let hash = text;
  while (mention !== undefined && mention.note.before === hash) {
    const { change, note }: Mention = mention;
    const successor = successorIn(change, note);
    if (successor === null) break;
    left = successor.path;
    // The same text again was taken away by this very change: what it made of it stands.
    if (successor.after === hash) break;
    hash = successor.after;
    mention = mentions.get(hash);
    if (mention?.change === change) break;
  }
  return { stood, left };
}

/** What took the place of a text that the change took away; null when that was nothing. */
function successorIn(
  { notes }: LoggedChange,
  note: NoteChange,
): { readonly path: VaultPath; readonly after: Sha } | null {
  // A move is planned as a new note, then the removal of the old one.
  const made = note.after === null ? notes[notes.indexOf(note) - 1] : note;
  if (made === undefined || made.after === null || (made !== note && made.before !== null)) return null;
  return { path: made.path, after: made.after };
}
