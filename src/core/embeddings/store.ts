import type { VectorFilter } from '../ports/ports';
import type { VaultPath } from '../vocabulary/paths';

export interface VectorRow {
  readonly path: VaultPath;
  readonly vector: Float32Array;
  /** When the file was read. */
  readonly updatedAt: Date;
}

/** What the vectors of a table have in common. */
export interface Maker {
  /** The model, with what is put before the texts. */
  readonly model: string;
  /** The id of the vault: paths of two vaults may be the same. */
  readonly vault: string;
}

/**
 * The vectors of one vault, one a path, which several devices may share. All are of one maker, who is noted beside them: the
 * vectors of different models cannot be compared, and a search would not show it. A table that is empty and of which nobody
 * is noted is every maker's; one of which only the model is noted belongs to the vault that writes first. The table of another
 * vault is left alone: whatever is asked of it for a maker rejects with StoreDown. Rejects with StoreDown when the database cannot be used; the next call tries again, so that an
 * outage heals by itself.
 */
export interface VectorStore {
  /** Makes what is missing of table and index. Safe to call at any time, by several servers at once. */
  open(): Promise<void>;
  /** All paths with the times of their rows; null when they are not this maker's. */
  known(maker: Maker): Promise<Map<VaultPath, Date> | null>;
  /** All paths that have a row, whoever made it. */
  paths(): Promise<VaultPath[]>;
  /**
   * Adds or replaces rows, all or none of them, and notes the maker when nobody is. Like all that writes for a maker it
   * rejects with MakerChanged, writing nothing, when the table is not this maker's, and nobody takes it over meanwhile.
   */
  put(rows: readonly VectorRow[], maker: Maker): Promise<void>;
  /** Moves the times of rows that are there. Rejects with MakerChanged. */
  touch(rows: readonly Pick<VectorRow, 'path' | 'updatedAt'>[], maker: Maker): Promise<void>;
  /** Removes rows; resolves also for paths that have none. Rejects with MakerChanged. */
  remove(paths: readonly VaultPath[], maker: Maker): Promise<void>;
  /** Removes every row, whichever model made it, and notes who makes those that come: both or neither. */
  clear(maker: Maker): Promise<void>;
  /**
   * The paths nearest to the vector by cosine, nearest first, `limit` at most; null when the rows are not those of its maker,
   * as they are at that moment. Exact among 20,000 candidates and fewer when there is a filter, else nearly so.
   */
  nearest(
    vector: Float32Array,
    limit: number,
    filter: VectorFilter,
    maker: Maker,
  ): Promise<VaultPath[] | null>;
  /** How many rows there are, whichever model made them. */
  count(maker: Maker): Promise<number>;
  /** Statements with which the owner of the database makes searches faster; null when there is nothing to do. */
  advice(): Promise<string | null>;
  /**
   * Clears away what replaced and removed rows have left behind, where the database does not do so by itself and there is
   * enough of it to slow searches down. May take long; changes no row.
   */
  tidy(): Promise<void>;
  /**
   * Takes the lease to change the vectors of this vault, or keeps it, until `close` or the end of the process or its connection:
   * one device at a time has it. Null when this one has it, and where a pooler stands before the database, behind which nobody
   * can; else the name of who has.
   */
  lease(maker: Maker, device: string): Promise<string | null>;
  /** Lets the database go; nothing may be called afterwards. */
  close(): Promise<void>;
}

/** The database cannot be used now. The message is safe to show: it names the place, never a password. */
export class StoreDown extends Error {
  override readonly name = 'StoreDown';

  /** @param isRefusal true when it answers, and does not let this user in or holds the table of another vault */
  constructor(
    message: string,
    readonly isRefusal = false,
  ) {
    super(message);
  }
}

/** The vectors are those of another maker, or of nobody knows whom. The message is safe to show. */
export class MakerChanged extends Error {
  override readonly name = 'MakerChanged';

  constructor() {
    super('The vectors were made by another model. Run backfill-embeddings to make them anew.');
  }
}
