import { noteTime } from '../base/time';
import type { NoteRecord } from '../catalog/record';

/** Times by record: a record never changes, and a list is sorted by them. */
const changeTimes = new WeakMap<NoteRecord, number>();

/** Returns the time (ms) of the last write that a note's front matter names, else that of its file. */
export function changeTime(note: NoteRecord): number {
  const known = changeTimes.get(note);
  if (known !== undefined) return known;
  const time = noteTime(note.updated_at)?.getTime() ?? note.mtime;
  changeTimes.set(note, time);
  return time;
}
