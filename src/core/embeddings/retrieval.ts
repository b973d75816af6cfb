import type { Pacing } from '../base/steps';
import type { Embedder, Store, VectorFilter } from '../ports/ports';
import type { Check } from '../vocabulary/check';
import type { VaultPath } from '../vocabulary/paths';
import type { SyncOutcome, SyncState } from './outcome';
import type { NearRow, VectorStore } from './store';

/** The ports of hybrid retrieval; both or neither are configured. */
export interface HybridPorts {
  readonly embedder: Embedder;
  /** Returns the store of the vectors of a vault, which may keep them in the vault's state. Called once for each opened vault. */
  readonly vectors: (vault: Pick<Store & Pacing, 'state' | 'device' | 'log' | 'pace'>) => VectorStore;
}

/** Vector search, as the operations use it. */
export interface HybridRetrieval {
  /**
   * Returns the notes nearest to a query, nearest first; null when vectors cannot be used now. `filter` may be expensive and
   * runs only when they can. Rejects only with the error of `filter`.
   * @param aside true for a question that nobody waits for: it may take long, and its failure pauses no search
   */
  nearest(
    query: string,
    limit: number,
    filter: () => Promise<VectorFilter>,
    aside?: boolean,
  ): Promise<NearRow[] | null>;
  /** Removes the vectors of notes for good. Rejects when the store cannot be changed now. */
  forget(paths: readonly VaultPath[]): Promise<void>;
  /** False while searches work without vectors, after a failure or because too few notes have one. */
  readonly isAnswering: boolean;
  /** The reason why searches work without vectors, in a sentence that is safe to show; null while they use them. */
  readonly failure: string | null;
  readonly sync: {
    readonly state: SyncState;
    /**
     * Syncs now, whatever model made the existing vectors. During a sync, all callers share one sync after it, whose outcome
     * includes the work of the running one. Never rejects: errors are in the outcome.
     */
    backfill(): Promise<SyncOutcome>;
    /** Returns the work that `backfill` would do now; changes nothing. Never rejects: errors are in the outcome. */
    preview(): Promise<SyncOutcome>;
    /**
     * Cancels the running sync and the queued one; written rows are kept. None begins by itself until the next `backfill` or
     * start. Returns false when there is neither.
     */
    cancel(): boolean;
  };
  /**
   * Checks whether database and embedder answer. Never rejects. A result is valid for a minute, a failure for 15 s, and neither
   * after a search fails or recovers, or a sync ends.
   */
  checks(): Promise<Check[]>;
}

/** Hybrid retrieval, if it is configured. */
export interface Vectors {
  /** Absent when hybrid retrieval is not configured. */
  readonly hybridPorts?: HybridPorts;
  /** Null when hybrid retrieval is not configured. */
  readonly hybrid: HybridRetrieval | null;
}
