import { wingOfPath, type Wing } from '../rules/address';
import type { NoteRecord } from './note-record';

/** The notes below each folder of `wiki/`, by path. */
export class WingNotes {
  readonly #wings = new Map<Wing, NoteRecord[]>();

  /** The notes of a wing, sorted by path; a view that is valid until the next change. */
  of(wing: Wing): readonly NoteRecord[] {
    return this.#wings.get(wing) ?? [];
  }

  /** Adds a note, or replaces the one with the same path; nothing for a note outside `wiki/<wing>/`. */
  put(note: NoteRecord): void {
    const wing = wingOfPath(note.path);
    if (wing === null) return;
    const notes = this.#wings.get(wing);
    if (notes === undefined) {
      this.#wings.set(wing, [note]);
      return;
    }
    const at = positionOf(note.path, notes);
    notes.splice(at, notes[at]?.path === note.path ? 1 : 0, note);
  }

  /** Removes the note with this path; nothing when there is none. */
  delete(path: string): void {
    const wing = wingOfPath(path);
    const notes = wing === null ? undefined : this.#wings.get(wing);
    if (wing === null || notes === undefined) return;
    const at = positionOf(path, notes);
    if (notes[at]?.path === path) notes.splice(at, 1);
    if (notes.length === 0) this.#wings.delete(wing);
  }
}

/** How many of the sorted notes stand before `path`. */
function positionOf(path: string, notes: readonly NoteRecord[]): number {
  let low = 0;
  let high = notes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = notes[middle];
    if (other !== undefined && other.path < path) low = middle + 1;
    else high = middle;
  }
  return low;
}
