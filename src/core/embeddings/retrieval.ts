import type { Embedder, VectorFilter } from '../ports/ports';
import type { Check } from '../vocabulary/check';
import type { VaultPath } from '../vocabulary/paths';
import type { SyncOutcome, SyncState } from './outcome';
import type { VectorStore } from './store';

/** The two that hybrid retrieval needs; there is never one alone. */
export interface HybridPorts {
  readonly embedder: Embedder;
  readonly vectors: VectorStore;
}

/** Search by meaning, as the operations see it. */
export interface HybridRetrieval {
  /**
   * The notes nearest to a query, nearest first; null when vectors cannot be used now. Rejects only with what `filter` does,
   * which may be dear and is asked only when they can.
   */
  nearest(query: string, limit: number, filter: () => Promise<VectorFilter>): Promise<VaultPath[] | null>;
  /** False while searches do without vectors because one failed, or because too few notes have one. */
  readonly isAnswering: boolean;
  /** Why searches do without vectors, in a sentence that is safe to show; null while they are answered. */
  readonly failure: string | null;
  readonly sync: {
    readonly state: SyncState;
    /**
     * Syncs now, whatever the model of the vectors that are there; while a sync runs, once after it, for all who asked
     * meanwhile, whose outcome counts what that one has done too. Never rejects: what fails is in the outcome.
     */
    backfill(): Promise<SyncOutcome>;
    /** What `backfill` would do now; changes nothing. Never rejects: what fails is in the outcome. */
    preview(): Promise<SyncOutcome>;
    /** Stops the sync that runs, and one that waits for its end; what was written stands. False when there is neither. */
    cancel(): boolean;
  };
  /**
   * Looks whether database and embedder answer. Never rejects. What was found holds for a minute, a failure for a quarter of
   * that, and neither once a search has failed or is answered again, or a sync has ended.
   */
  checks(): Promise<Check[]>;
}

/** Search by meaning, where it is configured. */
export interface Vectors {
  /** Absent when the owner has not configured hybrid retrieval. */
  readonly hybridPorts?: HybridPorts;
  /** Null when it is not configured. */
  readonly hybrid: HybridRetrieval | null;
}
