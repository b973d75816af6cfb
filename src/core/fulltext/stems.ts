import { hasEnding, stem } from './porter';
import { isStopWordIn } from './stop-words';
import { areSmall, codeUnitAt, copyUnits, textIn } from './words';

/** Room for the stem at hand. A stem is never longer than its word, but for units that the stemmer needs meanwhile. */
let room = new Uint16Array(128);
const SPARE = 4;

/**
 * Writes the English stem of the term between two offsets to the start of `stemUnits()`, and returns its length; 0 for a term
 * that is no word of letters a to z, which has no other forms. A stop word is its own stem.
 */
export function readStem(units: Uint16Array, from: number, to: number): number {
  if (to === from || !areSmall(units, from, to)) return 0;
  const length = to - from;
  if (length + SPARE > room.length) room = new Uint16Array(2 * length + SPARE);
  for (let at = 0; at < length; at += 1) room[at] = units[from + at] ?? 0;
  return hasEnding(room, 0, length) && !isStopWordIn(room, 0, length) ? stem(room, 0, length) : length;
}

/** Returns the units that `readStem` writes to; valid until its next call. */
export function stemUnits(): Uint16Array {
  return room;
}

/** Returns the stem of a term: that of an English word, and any other term as it is. */
export function stemOf(term: string): string {
  const first = codeUnitAt(term, 0);
  if (!(first >= 0x61 && first <= 0x7a)) return term;
  if (term.length > scratch.length) scratch = new Uint16Array(2 * term.length);
  copyUnits(term, scratch);
  const length = readStem(scratch, 0, term.length);
  return length === 0 ? term : textIn(room, 0, length);
}

/** Returns letters with which all words of a stem begin. */
export function startOf(stem: string): string {
  // The stemmer puts at most two letters in place of others: `ble` for `biliti`, `e` for `ing`, `i` for `y`.
  return stem.length <= CHANGED ? stem.slice(0, 1) : stem.slice(0, -CHANGED);
}

const CHANGED = 2;

let scratch = new Uint16Array(128);
