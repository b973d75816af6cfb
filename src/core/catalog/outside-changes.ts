import type { Unsubscribe } from '../base/host';
import type { VaultPath } from '../vocabulary/paths';
import type { NoteRecord } from './record';

/** A note that someone else created, changed or removed, with its record before and after. */
export interface OutsideChange {
  readonly path: VaultPath;
  /** True if no file was known at the path before. */
  readonly appeared: boolean;
  readonly before?: NoteRecord;
  readonly after?: NoteRecord;
}

/**
 * Sends events for changes on disk that this service did not make. The catalog knows the service's own writes before it reads
 * them, so they give no event; only during a write may its change look like another's.
 */
export class OutsideChanges {
  readonly #listeners = new Set<(change: OutsideChange) => void>();
  /** Notes that are gone since the last run, and the new ones with their texts, until they are followed: no listener is told of them. */
  readonly missed: OutsideChange[] = [];
  readonly miss = (changes: readonly OutsideChange[]): void => {
    for (const change of changes) this.missed.push(change);
  };

  /** Calls `listener` for every later change until unsubscribed. */
  on(listener: (change: OutsideChange) => void): Unsubscribe {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(change: OutsideChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}
