import type { NoteRecord } from '../catalog/note-record';
import { addressOf } from '../rules/address';
import { type Hall, HALLS } from '../rules/hall';
import { linkWords } from '../rules/link-words';
import { fold, linkPath } from '../rules/paths';
import { firstPoints } from '../rules/text';
import { type SortedLine, SortedLines } from './sorted-lines';

/** A line of the map shows this much of a note, in code points. */
const LINE_EXCERPT = 120;

/** What the map of a wing shows of a note. */
export interface MapEntry extends SortedLine {
  /** Null for a note that lies in the wing's folder but not at an address; the map leaves it out. */
  readonly hall: Hall | null;
}

/** A record never changes, so its line is made once however often the wing is indexed. */
const entries = new WeakMap<NoteRecord, MapEntry>();

/** What the map shows of a note. Made when it is asked for the first time, which may be done ahead. */
export function entryOf(note: NoteRecord): MapEntry {
  const known = entries.get(note);
  if (known !== undefined) return known;
  const excerpt = inertText(firstPoints(note.excerpt, LINE_EXCERPT));
  const parts = ['- [[', linkPath(note.path), '|', linkWords(note.title), ']]'];
  if (excerpt !== '') parts.push(' — ', excerpt);
  // Joined, the line is one piece of memory; a sum of texts would be put together anew each time the map is made.
  const line = parts.join('');
  const hall = addressOf(note.path)?.hall ?? null;
  const entry = { hall, key: fold(note.title), path: note.path, line };
  entries.set(note, entry);
  return entry;
}

/**
 * Plain text for a line of Markdown: what a note shows as text must not become a tag, a link, an image, code or a marker of
 * ours when it is shown again here.
 */
function inertText(text: string): string {
  return text
    .replace(/[\\`[\]]/g, '\\$&')
    .replace(/</g, '&lt;')
    .replace(/%%/g, '%\\%');
}

/** The lines of the notes of one hall, at least one, by folded title and then by path. */
export interface HallLines {
  readonly hall: Hall;
  readonly count: number;
  readonly text: string;
}

/**
 * The lines of one wing's map, in order. It is told all notes of the wing each time and looks only at those that are others
 * than before, so a write costs no new sorting of the wing.
 */
export class WingShelf {
  #notes: readonly NoteRecord[] = [];
  readonly #halls = new Map<Hall, SortedLines>();

  /** The halls that hold a note, in their order. */
  get halls(): HallLines[] {
    return HALLS.flatMap((hall) => {
      const lines = this.#halls.get(hall);
      return lines !== undefined && lines.count > 0 ? [{ hall, count: lines.count, text: lines.text }] : [];
    });
  }

  /** Brings the lines up to date with the notes of the wing, which are sorted by path. */
  update(notes: readonly NoteRecord[]): void {
    const before = this.#notes;
    this.#notes = notes;
    let at = 0;
    const added: MapEntry[] = [];
    for (const note of notes) {
      let old = before[at];
      while (old !== undefined && old !== note && old.path <= note.path) {
        this.#remove(entryOf(old));
        old = before[(at += 1)];
      }
      if (old === note) at += 1;
      else added.push(entryOf(note));
    }
    for (const old of before.slice(at)) this.#remove(entryOf(old));
    for (const entry of added) this.#add(entry);
  }

  #add(entry: MapEntry): void {
    if (entry.hall === null) return;
    const lines = this.#halls.get(entry.hall) ?? new SortedLines();
    this.#halls.set(entry.hall, lines);
    lines.add(entry);
  }

  #remove(entry: MapEntry): void {
    if (entry.hall !== null) this.#halls.get(entry.hall)?.remove(entry);
  }
}
