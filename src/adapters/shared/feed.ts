import type { Log, Unsubscribe } from '../../core/base/host';
import type { VaultChange } from '../../core/ports/ports';
import { vaultPath } from '../../core/vocabulary/paths';
import type { Sql } from '../postgres/sql';
import { textOf } from './rows';

interface FeedOptions {
  /** The name of this opening, whose own changes are not told. */
  readonly own: string;
  readonly log: Pick<Log, 'warn' | 'info'>;
  /** The wait between two looks (ms). */
  readonly everyMs: number;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/**
 * The changes that other servers make to a shared vault. A transaction is told once it has ended and every one that began
 * before it has too: ids of transactions are given at their first change, so none with a lower id can follow. The feed is
 * at a position, the lowest id that it has not read; nothing between two looks is lost, however long they are apart.
 */
export class SharedFeed {
  readonly own: string;
  readonly #sql: Sql;
  readonly #options: FeedOptions;
  readonly #listeners = new Set<(change: VaultChange) => void>();
  #position = '0';
  #isClosed = false;
  #running: Promise<void> = Promise.resolve();
  #wake: () => void = () => undefined;
  #isDown = false;

  private constructor(sql: Sql, options: FeedOptions) {
    this.#sql = sql;
    this.#options = options;
    this.own = options.own;
  }

  /** Opens the feed: from here on every change is told, at the latest with the look after it. */
  static async open(sql: Sql, options: FeedOptions): Promise<SharedFeed> {
    const feed = new SharedFeed(sql, options);
    feed.#position = await positionOf(sql);
    feed.#running = feed.#follow();
    return feed;
  }

  /** The lowest id of a transaction that has not been read. */
  get position(): string {
    return this.#position;
  }

  subscribe(listener: (change: VaultChange) => void): Unsubscribe {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Looks at once. */
  wake(): void {
    this.#wake();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wake();
    await this.#running;
  }

  async #follow(): Promise<void> {
    const { sleep, everyMs, log } = this.#options;
    while (!this.#isClosed) {
      const woken = new Promise<void>((resolve) => (this.#wake = resolve));
      await Promise.race([sleep(everyMs), woken]);
      if (this.#isClosed) return;
      try {
        await this.#look();
        if (this.#isDown) log.info('feed.back', { place: this.#sql.place });
        this.#isDown = false;
      } catch (error) {
        if (!this.#isDown) log.warn('feed.down', { place: this.#sql.place, message: String(error) });
        this.#isDown = true;
      }
    }
  }

  async #look(): Promise<void> {
    const rows = await this.#sql.transaction((query) =>
      query(
        `SELECT upto::text AS upto, path, removed, by
           FROM (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS upto) AS now
           LEFT JOIN brain.changes ON xid >= $1::xid8 AND xid < upto
           ORDER BY xid`,
        [this.#position],
      ),
    );
    for (const { path, removed, by } of rows) {
      if (path === null || by === this.own) continue;
      const change: VaultChange = {
        kind: removed === true ? 'removed' : 'changed',
        path: vaultPath(textOf(path)),
      };
      for (const listener of this.#listeners) listener(change);
    }
    this.#position = textOf(rows[0]?.upto);
  }
}

async function positionOf(sql: Sql): Promise<string> {
  const [row] = await sql.transaction((query) =>
    query('SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS upto'),
  );
  return textOf(row?.upto);
}
