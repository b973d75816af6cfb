/** How far a sync is; changed as it goes on. */
export interface SyncProgress {
  phase: 'comparing' | 'removing' | 'embedding';
  done: number;
  total: number;
}

/** What is known of the sync without asking the database. */
export interface SyncState {
  readonly progress: Readonly<SyncProgress> | null;
  /** When the last sync ended that found database and vault. */
  readonly lastSync: Date | null;
  /** What was wrong with the last one; null when nothing was. */
  readonly lastError: string | null;
  /** How many syncs have ended, however they did. */
  readonly ended: number;
  /** Rows in the table when they were last counted; null before that. */
  readonly vectors: number | null;
  /** Notes that had no current vector when the last sync ended; before the first one, those that had none at the start. */
  readonly pending: number | null;
  /** The device that makes the vectors of this vault, when it is another one. */
  readonly syncedBy: string | null;
  /** True when the table holds the vectors of another model. */
  readonly makerChanged: boolean;
}
