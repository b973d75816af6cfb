import { isDeviceName, prefixWithin } from '../../core/vocabulary/address';

/** Characters that a link to the file or some file system cannot hold. */
const UNUSABLE = /[[\]|#^\\:*?"<>\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Cs}\ufeff]+/gu;
/** The longest name (bytes): with a number and further extensions it stays below the 255 of file systems. */
const MAX_NAME = 200;
/** The most names in a place, and the longest place (UTF-16 units). */
const MAX_DEPTH = 24;
const MAX_PLACE = 700;

/**
 * Gives files places that every system takes: relative, without names that lead elsewhere, that hide a file, or that a link cannot
 * hold; each once, in any case.
 */
export class Places {
  readonly #taken = new Set<string>();
  /** The number for the next file that wants a place: many may want one, and each of them would try all numbers. */
  readonly #next = new Map<string, number>();

  /** Returns the place for a file that is wanted at another, and takes it. */
  of(wanted: string): string {
    const safe = safePlace(wanted);
    const dot = safe.lastIndexOf('.') > safe.lastIndexOf('/') + 1 ? safe.lastIndexOf('.') : safe.length;
    const wish = keyOf(safe);
    for (let n = this.#next.get(wish) ?? 1; ; n += 1) {
      const place = n === 1 ? safe : `${safe.slice(0, dot)} ${n}${safe.slice(dot)}`;
      const key = keyOf(place);
      if (this.#taken.has(key)) continue;
      this.#taken.add(key);
      this.#next.set(wish, n + 1);
      return place;
    }
  }
}

function keyOf(place: string): string {
  return place.normalize('NFC').toLowerCase();
}

/** Returns a place with names that every system takes. */
export function safePlace(wanted: string): string {
  const names = wanted
    .replace(/\\/g, '/')
    .split('/')
    .map(safeName)
    .filter((name) => name !== '');
  const kept = names.length > MAX_DEPTH ? [...names.slice(0, MAX_DEPTH - 1), names.at(-1) ?? ''] : names;
  while (kept.join('/').length > MAX_PLACE && kept.length > 1) kept.shift();
  return kept.join('/') || 'file';
}

function safeName(name: string): string {
  const plain = name.normalize('NFC').replace(UNUSABLE, '-').trim();
  if (/^\.{1,2}$/.test(plain)) return '';
  const dot = plain.lastIndexOf('.');
  const ending = dot > 0 && plain.length - dot <= 16 ? plain.slice(dot) : '';
  const stem = prefixWithin(plain.slice(0, plain.length - ending.length), Infinity, MAX_NAME);
  // A leading dot or tilde hides a file, and a dot or blank at the end is lost on some systems.
  const shown = `${stem}${ending}`.replace(/^(?:\.|~\$?)+/, '').replace(/[.\s]+$/, '');
  return isDeviceName(shown) ? `_${shown}` : shown;
}
