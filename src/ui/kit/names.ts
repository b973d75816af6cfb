import { count } from './words';

/** A sentence has at most this many names. */
const MAX_NAMES = 10;

/** Joins names into a phrase: `Alpha`, `Alpha and Beta`, `Alpha, Beta and 40 more`. */
export function joinNames(names: readonly string[]): string {
  const shown = names.length > MAX_NAMES ? [...names.slice(0, MAX_NAMES - 1), restOf(names)] : names;
  const last = shown.at(-1) ?? '';
  return shown.length < 2 ? last : `${shown.slice(0, -1).join(', ')} and ${last}`;
}

function restOf(names: readonly string[]): string {
  return `${count(names.length - MAX_NAMES + 1)} more`;
}

/** Returns the name of a note: the last part of its path, without the extension of notes. */
export function noteName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/, '');
}
