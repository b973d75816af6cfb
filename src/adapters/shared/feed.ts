import type { Log, Unsubscribe } from '../../core/base/host';
import { type ChangeFeed, Uncertain, type VaultChange } from '../../core/ports/ports';
import { vaultPath } from '../../core/vocabulary/paths';
import { type Ear, type Row, type Sql, textOf, untilEnded } from '../postgres/sql';
import { codeOf } from '../postgres/vector-store';

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
/** The longest wait between two looks at a database that does not answer (ms). */
const MAX_PAUSE_MS = 2_000;

interface FeedOptions {
  /** The name of this opening of the vault, whose own changes are not told. */
  readonly own: string;
  readonly log: Pick<Log, 'warn' | 'info'>;
  /** Returns for how long no change has been acknowledged (ms). Absent for a reader. */
  readonly unconfirmedMs?: () => number;
  /** The wait between two looks (ms). */
  readonly everyMs: number;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/**
 * The changes that other servers make to a shared vault. Each is told with the first look that sees it: a look asks for the rows
 * that the snapshot of the one before it did not show, whatever their transactions began before or after. Nothing between two
 * looks is lost, however long they are apart. Only the position, below which no change can follow, waits for older
 * transactions. Servers call one another after a change, which only brings the next look forward.
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
  /** What the last look saw: a snapshot of the database as `pg_current_snapshot` gives it. */
  #seen = '';
  /** The lowest id of a transaction that the last look may not have seen the end of, and the first id after it. */
  #position = 0;
  #upTo = 0;
  /** The position after the last change that was told. */
  #heard = 0;
  /** The life of the database that the snapshot belongs to. */
  #life: unknown = null;
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
  /** The number of looks that have begun, and of the last one that succeeded. */
  #begun = 0;
  #done = 0;
  #failures = 0;

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

  get unconfirmedMs(): number {
    return this.#options.unconfirmedMs?.() ?? 0;
  }

  get position(): number {
    return Math.max(this.#position, this.#heard, this.#written);
  }

  async reach(position: number, ms: number): Promise<number> {
    if (this.#position >= position) return this.#position;
    const until = performance.now() + ms;
    // Whoever names a position has seen what lies before it, so a look that begins from now on sees it too.
    const fresh = this.#begun + 1;
    this.#ask();
    while (this.#done < fresh || this.#upTo < position) {
      const left = until - performance.now();
      if (left <= 0 || this.#isClosed) return Math.min(this.#position, position - 1);
      const looked = new Promise<void>((resolve) => this.#waiting.push(resolve));
      await Promise.race([looked, this.#options.sleep(left)]);
    }
    return position;
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
        const opening = this.#sql.listen(CHANNEL, () => this.#ask());
        this.#opening = opening;
        const ear = await opening;
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
      const pause = Math.min(everyMs * 2 ** this.#failures, Math.max(everyMs, MAX_PAUSE_MS));
      // A look that somebody asks for would fail as soon as the last one.
      if (this.#failures > 0) await sleep(pause);
      else if (!this.#isAsked) await Promise.race([sleep(pause), woken]);
      const rest = this.#lookedAt + LEAST_MS - performance.now();
      if (rest > 0 && !this.#isClosed) await sleep(rest);
      this.#isAsked = false;
      if (this.#isClosed) break;
      try {
        this.#begun += 1;
        await this.#look();
        this.#done = this.#begun;
        this.#readAt = performance.now();
        if (this.#failures > 0) log.info('feed.back', { place: this.#sql.place });
        this.#failures = 0;
      } catch (error) {
        if (this.#failures === 0) log.warn('feed.down', { place: this.#sql.place, message: String(error) });
        this.#failures += 1;
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
    // The snapshot is that of the statement itself. A snapshot does not show the transactions that it lists as open, and those
    // from its end on. Rows of a restored dump may be those of transactions that this cluster has yet to begin.
    const looked = this.#sql.statement(
      `WITH now AS (SELECT pg_current_snapshot() AS snapshot), unseen AS (
           SELECT xid, path, removed, by FROM brain.changes, now
             WHERE xid >= pg_snapshot_xmax($1::pg_snapshot) AND xid < pg_snapshot_xmax(now.snapshot)
           UNION ALL
           SELECT xid, path, removed, by FROM pg_snapshot_xip($1::pg_snapshot) AS open (xid) JOIN brain.changes USING (xid)
         )
         SELECT ${SEEN}, (SELECT id::text FROM brain.life) AS life, xid::text AS xid, path, removed, by
           FROM now LEFT JOIN unseen ON true ORDER BY unseen.xid`,
      [this.#seen],
    );
    const rows = await untilEnded(looked);
    if (rows[0]?.life !== this.#life) {
      // What was written between the last look and the new life is not older than that look, whichever clock tells the time.
      return this.#beginLife(this.silentMs + RECENT_MS);
    }
    this.#take(rows);
  }

  /** Begins to read in the present life of the database, and tells once more what was written in its last `ms` milliseconds. */
  async #beginLife(ms: number): Promise<void> {
    await this.#unlessReader('INSERT INTO brain.life DEFAULT VALUES ON CONFLICT DO NOTHING');
    // Rows of transactions that have yet to begin are those of another cluster, whose dump was restored here.
    await this.#unlessReader(
      'DELETE FROM brain.changes WHERE xid >= pg_snapshot_xmax(pg_current_snapshot())',
    );
    const rows = await this.#sql.statement(
      `SELECT ${SEEN}, (SELECT id::text FROM brain.life) AS life, xid::text AS xid, path, removed, by
         FROM (SELECT pg_current_snapshot() AS snapshot) AS now
         LEFT JOIN brain.changes ON at > now() - make_interval(secs => $1)
         ORDER BY xid`,
      [ms / 1_000],
    );
    // A reader of a database that no server has opened in this life finds none.
    this.#life = rows[0]?.life ?? null;
    this.#written = 0;
    this.#heard = 0;
    this.#take(rows);
  }

  /** Runs a statement that a server runs before it reads, and that who may only read leaves to the servers. */
  async #unlessReader(statement: string): Promise<void> {
    await this.#sql.statement(statement).catch((error: unknown) => {
      if (codeOf(error) !== '42501') throw error;
    });
  }

  /** Tells the changes of a look, and goes on from what it saw. */
  #take(rows: readonly Row[]): void {
    for (const { xid, path, removed, by } of rows) {
      if (path === null || by === this.own) continue;
      this.#heard = Math.max(this.#heard, Number(xid) + 1);
      const change: VaultChange = {
        kind: removed === true ? 'removed' : 'changed',
        path: vaultPath(textOf(path)),
      };
      for (const listener of this.#listeners) listener(change);
    }
    const [first] = rows;
    this.#seen = textOf(first?.seen);
    this.#position = Number(first?.since);
    this.#upTo = Number(first?.upto);
  }
}

/** What a statement saw: its snapshot, the first id that it does not show all up to, and the first id after its end. */
const SEEN =
  'snapshot::text AS seen, pg_snapshot_xmin(snapshot)::text AS since, pg_snapshot_xmax(snapshot)::text AS upto';
