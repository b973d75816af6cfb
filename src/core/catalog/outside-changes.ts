import type { Unsubscribe } from '../base/host';
import type { VaultPath } from '../vocabulary/paths';
import type { NoteRecord } from './record';

/** A note that someone else made, changed or removed; what the catalog knew of it before and knows now. */
export interface OutsideChange {
  readonly path: VaultPath;
  /** True when no file was known at the path before. */
  readonly appeared: boolean;
  readonly before?: NoteRecord;
  readonly after?: NoteRecord;
}

/**
 * Tells of changes of notes that were found on disk and not made here. What the service has written itself is known to the
 * catalog before it is read, so it is not told; only while a write of ours is under way may it be taken for another's.
 */
export class OutsideChanges {
  readonly #listeners = new Set<(change: OutsideChange) => void>();

  /** Calls `listener` for every later change until unsubscribed. */
  on(listener: (change: OutsideChange) => void): Unsubscribe {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(change: OutsideChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}
