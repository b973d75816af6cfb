import type { Log, Unsubscribe } from '../../core/base/host';
import { type ChangeFeed, Uncertain, type VaultChange } from '../../core/ports/ports';
import { vaultPath } from '../../core/vocabulary/paths';
import { type Ear, type Sql, textOf } from '../postgres/sql';

/** The channel on which servers wake one another. */
const CHANNEL = 'brain_changes';
/** Closing waits for a running look at most this long (ms). */
const CLOSE_MS = 3_000;
/** A lost connection to the channel is opened again after this long (ms). */
const LISTEN_AGAIN_MS = 5_000;
/** The connection to the channel is tried in this interval (ms). */
const TRY_EAR_MS = 30_000;
/** The shortest time between two looks (ms): one look reads what many have written. */
const LEAST_MS = 10;
/** How far before the last look a new life of the database is read (ms): the clocks of two databases may differ. */
const RECENT_MS = 600_000;

interface FeedOptions {
  /** The name of this opening of the vault, whose own changes are not told. */
  readonly own: string;
  readonly log: Pick<Log, 'warn' | 'info'>;
  /** The wait between two looks (ms). */
  readonly everyMs: number;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/**
 * The changes that other servers make to a shared vault. A transaction is told once it has ended and every one that began
 * before it has too: ids of transactions are given at their first change, so none with a lower id can follow. The feed is
 * at a position, the lowest id that it has not read; nothing between two looks is lost, however long they are apart. Servers
 * call one another after a change, which only brings the next look forward.
 *
 * A database that has crashed, and a standby that has become the primary, may give ids again whose transactions were lost. Such
 * a start begins another life of the database, which a pooler may hide: no connection need have failed. In a new life the feed
 * tells once more what is recent.
 */
export class SharedFeed implements ChangeFeed {
  readonly #sql: Sql;
  readonly #options: FeedOptions;
  readonly #listeners = new Set<(change: VaultChange) => void>();
  #own: string;
  /** Counts the changes of this server of which it is not known whether they were made. */
  #doubts = 0;
  #position = '0';
  /** The life of the database that the position belongs to. */
  #life = '';
  /** The position after the last transaction in which this server told of a change. */
  #written = 0;
  /** Counts the changes that this server has told of. */
  #told = 0;
  #ear: Ear | null = null;
  /** The connection that is being opened. */
  #opening: Promise<Ear | null> | undefined;
  #call: 'none' | 'running' | 'asked' = 'none';
  /** The time of the last look that succeeded, and the end of the last one. */
  #readAt = performance.now();
  #lookedAt = -Infinity;
  #isClosed = false;
  #running: Promise<void> = Promise.resolve();
  #wake: () => void = () => undefined;
  /** True when somebody asked for a look that has not begun. */
  #isAsked = false;
  /** Those who wait for the end of the next look. */
  #waiting: (() => void)[] = [];
  #isDown = false;
  #isLate = false;

  private constructor(sql: Sql, options: FeedOptions) {
    this.#sql = sql;
    this.#options = options;
    this.#own = options.own;
  }

  /** Opens the feed: from here on every change is told, at the latest with the look after it. */
  static async open(sql: Sql, options: FeedOptions): Promise<SharedFeed> {
    const feed = new SharedFeed(sql, options);
    await feed.#beginLife(0);
    feed.#running = feed.#follow();
    void feed.#listen();
    return feed;
  }

  subscribe(listener: (change: VaultChange) => void): Unsubscribe {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The name under which this server tells of a change now. */
  get own(): string {
    return this.#own;
  }

  get silentMs(): number {
    return performance.now() - this.#readAt;
  }

  get isLate(): boolean {
    return this.#isLate;
  }

  get position(): number {
    return Math.max(Number(this.#position), this.#written);
  }

  async reach(position: number, ms: number): Promise<number> {
    const until = performance.now() + ms;
    if (Number(this.#position) < position) this.#ask();
    while (Number(this.#position) < position && !this.#isClosed) {
      const left = until - performance.now();
      if (left <= 0) break;
      const looked = new Promise<void>((resolve) => this.#waiting.push(resolve));
      await Promise.race([looked, this.#options.sleep(left)]);
    }
    return Number(this.#position);
  }

  /** Takes note of a transaction of this server that tells of a change, by its id. It need not have ended. */
  wrote(xid: unknown): void {
    this.#written = Math.max(this.#written, Number(textOf(xid)) + 1);
    this.#told += 1;
  }

  /**
   * Runs work, then calls the other servers if it told of changes. Never within a transaction: Postgres lets only one at a time
   * commit that calls.
   */
  async calling<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#told;
    try {
      return await work();
    } catch (error) {
      if (error instanceof Uncertain) {
        // If it was made after all, this server has to be told of it too, as of a change of another.
        this.#doubts += 1;
        this.#own = `${this.#options.own} ${this.#doubts}`;
      }
      throw error;
    } finally {
      if (this.#told !== before) this.#callOthers();
    }
  }

  /** Calls the others; calls that are asked for while one runs are one call after it. */
  #callOthers(): void {
    const ear = this.#ear;
    if (ear === null) return;
    if (this.#call !== 'none') {
      this.#call = 'asked';
      return;
    }
    this.#call = 'running';
    const done = (): void => {
      const isAsked = this.#call === 'asked';
      this.#call = 'none';
      if (isAsked) this.#callOthers();
    };
    ear.call().then(done, done);
  }

  /** Keeps listening. Without it, and until a lost connection is noticed, the looks alone find what others have written. */
  async #listen(): Promise<void> {
    const { sleep, log } = this.#options;
    while (!this.#isClosed) {
      try {
        const opening = this.#sql.listen?.(CHANNEL, () => this.#ask());
        this.#opening = opening;
        const ear = (await opening) ?? null;
        if (ear === null) return log.info('feed.polls', { place: this.#sql.place });
        if (this.#isClosed) return ear.close();
        this.#ear = ear;
        // What was written before this had nobody to call.
        this.#ask();
        let isHeard = true;
        void ear.ended.then(() => (isHeard = false));
        while (isHeard) {
          await Promise.race([ear.ended, sleep(TRY_EAR_MS)]);
          await ear.call();
        }
      } catch (error) {
        if (!this.#isClosed) log.info('feed.deaf', { place: this.#sql.place, message: String(error) });
      }
      this.#ear = null;
      await sleep(LISTEN_AGAIN_MS);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#ear?.close();
    this.#ask();
    // A database that is gone may keep a look waiting; the end of its connections ends that.
    await Promise.race([this.#running, this.#options.sleep(CLOSE_MS)]);
    await this.#opening?.catch(() => undefined);
  }

  /** Looks now; if it looks just now, once more. */
  #ask(): void {
    this.#isAsked = true;
    this.#wake();
  }

  async #follow(): Promise<void> {
    const { sleep, everyMs, log } = this.#options;
    while (!this.#isClosed) {
      const woken = new Promise<void>((resolve) => (this.#wake = resolve));
      if (!this.#isAsked) await Promise.race([sleep(everyMs), woken]);
      const rest = this.#lookedAt + LEAST_MS - performance.now();
      if (rest > 0 && !this.#isClosed) await sleep(rest);
      this.#isAsked = false;
      if (this.#isClosed) break;
      try {
        await this.#look();
        this.#readAt = performance.now();
        if (this.#isDown) log.info('feed.back', { place: this.#sql.place });
        this.#isDown = false;
      } catch (error) {
        if (!this.#isDown) log.warn('feed.down', { place: this.#sql.place, message: String(error) });
        this.#isDown = true;
      }
      this.#lookedAt = performance.now();
      this.#tellWaiting();
    }
    this.#tellWaiting();
  }

  #tellWaiting(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  async #look(): Promise<void> {
    const rows = await this.#sql.statement(
      `SELECT upto::text AS upto, (SELECT id::text FROM brain.life) AS life, path, removed, by,
             EXISTS (SELECT 1 FROM brain.changes
               WHERE xid >= upto AND xid < pg_snapshot_xmax(pg_current_snapshot()) AND at < now() - interval '10 s') AS late
           FROM (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS upto) AS now
           LEFT JOIN brain.changes ON xid >= $1::xid8 AND xid < upto
           ORDER BY xid`,
      [this.#position],
    );
    if (rows[0]?.life !== this.#life) {
      // What was written between the last look and the new life is not older than that look, whichever clock tells the time.
      await this.#beginLife(this.silentMs + RECENT_MS);
      return this.#look();
    }
    const isLate = rows[0]?.late === true;
    if (isLate && !this.#isLate) {
      this.#options.log.warn('feed.late', {
        place: this.#sql.place,
        message:
          'A transaction that has run for long keeps the changes of other servers back. See pg_stat_activity.',
      });
    }
    this.#isLate = isLate;
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

  /** Goes to the first of the changes of the last `ms` milliseconds in the present life of the database, else to its present end. */
  async #beginLife(ms: number): Promise<void> {
    await this.#sql.statement('INSERT INTO brain.life DEFAULT VALUES ON CONFLICT DO NOTHING');
    // Rows of transactions that have yet to begin are those of another cluster, whose dump was restored here.
    await this.#sql.statement(
      'DELETE FROM brain.changes WHERE xid >= pg_snapshot_xmax(pg_current_snapshot())',
    );
    const [row] = await this.#sql.statement(
      `SELECT (SELECT id::text FROM brain.life) AS life,
           least(min(xid::text::numeric), pg_snapshot_xmin(pg_current_snapshot())::text::numeric)::text AS since
         FROM brain.changes WHERE at > now() - make_interval(secs => $1)`,
      [ms / 1_000],
    );
    this.#life = textOf(row?.life);
    this.#position = textOf(row?.since);
    this.#written = 0;
  }
}
