import type { Sha } from '../base/hash';
import type { VaultPath } from '../vocabulary/paths';
import type { PastReader } from './past';

/** The most notes of which something is remembered. */
const MAX_NOTES = 4_096;

/** What was found of notes in the past, until the past goes on about them. */
export class Remembered<Found> {
  readonly #found = new Map<string, { readonly lines: number; readonly found: Promise<Found> }>();
  #edition = 0;

  /** Resolves with what `find` finds of a note with a text, or found when the past had the same changes of them. */
  of(reader: PastReader, path: VaultPath, hash: Sha, find: () => Promise<Found>): Promise<Found> {
    if (this.#edition !== reader.edition || this.#found.size >= MAX_NOTES) this.#found.clear();
    this.#edition = reader.edition;
    const key = keyOf(path, hash);
    // A change of this process that names neither leaves what was found as it is.
    const lines = reader.countOf(path) + reader.countOf(hash);
    const known = this.#found.get(key);
    if (known?.lines === lines) return known.found;
    const found = find();
    this.#found.set(key, { lines, found });
    found.catch(() => this.#found.delete(key));
    return found;
  }

  /** Forgets what was found of a note, which may be another thing the next time. */
  forget(path: VaultPath, hash: Sha): void {
    this.#found.delete(keyOf(path, hash));
  }
}

function keyOf(path: VaultPath, hash: Sha): string {
  return `${path}\n${hash}`;
}
