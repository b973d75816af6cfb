import type { Brain } from '../brain';
import { comparePlaces, type NoteChange, type PlacedChange, searchableLog } from '../change-log';
import type { Sha } from '../rules/hash';
import type { VaultPath } from '../rules/paths';

/** What the log of changes tells of a text and of the note that had it. */
export interface TextTrail {
  /** Where the text stood last. */
  readonly stood: VaultPath;
  /** Where the service last left the note. */
  readonly left: VaultPath;
  /** The text, and all that the note had after it. */
  readonly texts: ReadonlySet<Sha>;
}

/** A change and what it made of one note. */
interface Step {
  readonly change: PlacedChange;
  readonly note: NoteChange;
}

type Naming = (name: string) => Promise<PlacedChange[]>;

/**
 * Follows the note that had a text through the log of changes, from place to place: what a hand has written into it meanwhile
 * does not end the trail. One that a hand has moved is found again where the service next took the same text; until then it is
 * where the service left it. Null when the log does not know the text.
 */
export async function trailOf(
  { state, pace }: Pick<Brain, 'state' | 'pace'>,
  text: Sha,
): Promise<TextTrail | null> {
  const naming = await searchableLog(state, pace);
  const last = (await naming(text)).flatMap((change) => stepWith(change, text)).at(-1);
  if (last === undefined) return null;
  const texts = new Set([text]);
  let left = last.note.path;
  for (let step: Step | null = last; step !== null;) {
    const { path, after } = madeBy(step);
    if (after === null) break;
    texts.add(after);
    left = path;
    step = await nextStep(naming, { change: step.change, note: { path, before: null, after } }, texts);
  }
  return { stood: last.note.path, left, texts };
}

/** What the change did with the text; of one that is moved as it is, that it was made there. */
function stepWith(change: PlacedChange, text: Sha): Step[] {
  const { notes } = change;
  const note = notes.find(({ after }) => after === text) ?? notes.find(({ before }) => before === text);
  return note === undefined ? [] : [{ change, note }];
}

/** What the step made: of a note that it moved, that of the new place; with `after` null when the note was to be gone. */
function madeBy({ change: { notes }, note }: Step): NoteChange {
  if (note.after !== null) return note;
  // A move is planned as a new note, then the removal of the old one.
  const made = notes[notes.indexOf(note) - 1];
  return made?.before === null ? made : note;
}

/** The step that next took the note away from where this one has left it; null when there is none. Collects its texts there. */
async function nextStep(naming: Naming, from: Step, texts: Set<Sha>): Promise<Step | null> {
  let here = from;
  for (const change of await naming(from.note.path)) {
    const note = change.notes.find(({ path }) => path === from.note.path);
    if (note === undefined || comparePlaces(change, from.change) <= 0) continue;
    // A new note could be made there, so a hand was before the service.
    if (note.before === null) break;
    texts.add(note.before);
    here = { change, note };
    if (note.after === null) return here;
    texts.add(note.after);
  }
  const { after } = here.note;
  const later = after === null ? [] : await naming(after);
  for (const change of later) {
    const note = change.notes.find(({ before }) => before === after);
    if (note !== undefined && comparePlaces(change, here.change) > 0) return { change, note };
  }
  return null;
}
