import type { VectorFilter } from '../ports/ports';
import type { VaultPath } from '../vocabulary/paths';

export interface VectorRow {
  readonly path: VaultPath;
  readonly vector: Float32Array;
  /** The time when the file was read. */
  readonly updatedAt: Date;
}

/** The owner of a table: all its vectors are of one model and one vault. */
export interface Maker {
  /** The model, with the prefix of its texts. */
  readonly model: string;
  /** The id of the vault: paths of two vaults may be equal. */
  readonly vault: string;
}

/** A row that a search has found, and the cosine of its vector and that of the query, from -1 to 1. */
export interface NearRow {
  readonly path: VaultPath;
  readonly cosine: number;
}

/**
 * The vectors of one vault, at most one for a path; several devices may share them. The table stores its maker, because vectors
 * of different models cannot be compared and a search would not notice. An empty table without a maker is free; one that stores
 * only the model belongs to the vault that writes first. Calls with a maker reject with StoreDown on the table of another
 * vault. All calls reject with StoreDown when the database cannot be used; the next call tries again, so the store recovers by
 * itself.
 */
export interface VectorStore {
  /** The words of a health check while the store works, such as "The database answers". */
  readonly healthy: string;
  /** Creates what is missing of table and index. Idempotent, also from several servers at once. */
  open(): Promise<void>;
  /** Returns all paths with the times of their rows; null when the table has another maker. */
  known(maker: Maker): Promise<Map<VaultPath, Date> | null>;
  /** Returns all paths that have a row, of any maker. */
  paths(): Promise<VaultPath[]>;
  /**
   * Adds or replaces rows, all or none, and stores the maker when there is none. Like every call that writes for a maker it
   * rejects with MakerChanged, writing nothing, when the table has another maker; the check and the write are atomic.
   */
  put(rows: readonly VectorRow[], maker: Maker): Promise<void>;
  /** Updates the times of existing rows. Rejects with MakerChanged. A failure may leave it done in part; it can be repeated. */
  touch(rows: readonly Pick<VectorRow, 'path' | 'updatedAt'>[], maker: Maker): Promise<void>;
  /**
   * Removes rows; paths without a row are ignored. Rejects with MakerChanged. A failure may leave it done in part; it can be
   * repeated.
   */
  remove(paths: readonly VaultPath[], maker: Maker): Promise<void>;
  /** Removes every row, of any model, and stores the maker of the following ones, atomically. */
  clear(maker: Maker): Promise<void>;
  /**
   * Returns the rows nearest to the vector by cosine, nearest first, at most `limit`; null when the table has another maker at
   * that moment. Exact up to rounding for at most 20,000 candidates with a filter, otherwise approximate.
   */
  nearest(vector: Float32Array, limit: number, filter: VectorFilter, maker: Maker): Promise<NearRow[] | null>;
  /** Returns the number of rows, of any model. */
  count(maker: Maker): Promise<number>;
  /** Returns statements with which the owner of the database makes searches faster; null when there are none. */
  advice(): Promise<string | null>;
  /**
   * Removes dead rows, where nothing else does so and they slow searches down, and in any case those of the paths. May take long;
   * changes no live row.
   */
  tidy(paths?: readonly VaultPath[]): Promise<void>;
  /**
   * Takes or keeps the lease to change the vectors of this vault, until `close` or the end of the process or its connection.
   * One device holds it at a time. Returns null when this device holds it, and behind a pooler, where leases are impossible;
   * otherwise the name of the holder.
   */
  lease(maker: Maker, device: string): Promise<string | null>;
  /** Closes the connection. No call is allowed afterwards. */
  close(): Promise<void>;
}

/** The error of a database that cannot be used now. The message is safe to show: it names the place, never a password. */
export class StoreDown extends Error {
  override readonly name = 'StoreDown';

  /** @param isRefusal true when the database answers, but refuses this user or holds the table of another vault */
  constructor(
    message: string,
    readonly isRefusal = false,
  ) {
    super(message);
  }
}

/** The error of a table whose maker differs or is unknown. The message is safe to show. */
export class MakerChanged extends Error {
  override readonly name = 'MakerChanged';

  constructor() {
    super('The vectors were made by another model. Run backfill-embeddings to make them anew.');
  }
}
