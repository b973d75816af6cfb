import type { Log } from '../../core/base/host';
import { type Sql, UNREPLICATED, untilEnded } from '../postgres/sql';
import type { Holder } from './state';

/** A place that was not renewed for this long may be taken by another server (s). */
const HELD_S = 30;
const RENEW_MS = 5_000;
/** The longest pause after renewals that failed (ms), well below the time for which a place is held. */
const MAX_PAUSE_MS = 10_000;
/** A server that could not renew its place for this long (ms) starts anew: the changes that it has not read may be forgotten. */
const AWAY_MS = 3_600_000;

/** What every server has read long ago is forgotten in this interval (ms). */
const PRUNE_MS = 600_000;

/** A place among the servers of a vault. */
export interface Place extends Holder {
  /** Takes or keeps a duty that one of the servers has; resolves true when this one has it. */
  readonly duty: (name: string) => Promise<boolean>;
  /** Returns for how long the database has acknowledged no change (ms); 0 when it did the last one. One is tried now and then. */
  readonly unconfirmedMs: () => number;
  release(): Promise<void>;
}

interface PlaceOptions {
  readonly holder: string;
  readonly log: Pick<Log, 'warn' | 'error'>;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Called once when another server has taken the place, which was not renewed in time. */
  readonly onLost: () => void;
  /** The time between two renewals (ms). */
  readonly renewMs?: number;
}

/**
 * Takes the first free place among the servers that share a vault, and renews it every five seconds until it is released. A
 * server that dies leaves its place free after thirty seconds by the clock of the database.
 *
 * What a place is renewed or taken by waits for no standby. A standby that becomes the primary may therefore know less of places,
 * and two servers may each take the same for theirs. Each change in the name of a place looks for its row in its own transaction,
 * so only the one that stands there can make one; the other finds with its next renewal that it has none, and starts anew.
 */
export async function takePlace(sql: Sql, options: PlaceOptions): Promise<Place> {
  const { holder: own, log, sleep, onLost, renewMs = RENEW_MS } = options;
  let number = 1;
  let holder = own;
  /** The names that the place may be held by: the answer to a change of the name may be lost. */
  const names = [own];
  /** Holds the row of the proof: a change that waits for the standby keeps its row locked, which the place must not wait for. */
  const prover = `proof ${own}`;
  while (!(await take(sql, nameOf(number), names, holder))) number += 1;
  const name = nameOf(number);
  const duty = (of: string): Promise<boolean> => take(sql, `duty ${of}`, names, holder);
  let isReleased = false;
  let renewed = Date.now();
  let pruned = 0;
  let renaming: Promise<void> | null = null;
  const renew = async (): Promise<void> => {
    for (let pause = renewMs; ;) {
      await sleep(pause);
      if (isReleased) return;
      try {
        pause = Math.min(2 * pause, Math.max(renewMs, MAX_PAUSE_MS));
        const wasAway = Date.now() - renewed > AWAY_MS;
        if (!wasAway && (await keepAll(sql, names)).includes(name)) {
          renewed = Date.now();
          pause = renewMs;
          if (Date.now() - pruned > PRUNE_MS && (await duty('prune'))) {
            await prune(sql);
            pruned = Date.now();
          }
          continue;
        }
        if (isReleased) return;
        log.error('place.lost', { place: name });
        return onLost();
      } catch (error) {
        // Until another server takes the place, it is ours however late it is renewed.
        log.warn('place.renew', { place: name, message: String(error) });
      }
    }
  };
  void renew();
  let unconfirmed: number | null = null;
  const confirm = async (): Promise<void> => {
    for (; !isReleased; await sleep(renewMs)) {
      unconfirmed ??= performance.now();
      await prove(sql, `proof of ${name}`, prover).then(
        () => (unconfirmed = null),
        () => undefined,
      );
    }
  };
  void confirm();
  return {
    name,
    unconfirmedMs: () => (unconfirmed === null ? 0 : performance.now() - unconfirmed),
    get holder() {
      return holder;
    },
    duty,
    rename(query) {
      const change = async (): Promise<void> => {
        // A name that could not be given is given the next time.
        const next = `${own} ${names.indexOf(holder) + 1}`;
        if (!names.includes(next)) names.push(next);
        await query('UPDATE brain.leases SET holder = $2 WHERE holder = ANY($1::text[])', [names, next]);
        holder = next;
      };
      return (renaming ??= change().finally(() => (renaming = null)));
    },
    async afterRename() {
      await renaming?.catch(() => undefined);
    },
    async release() {
      isReleased = true;
      await sql.statement(`DELETE FROM brain.leases USING ${UNREPLICATED} WHERE holder = ANY($1::text[])`, [
        [...names, prover],
      ]);
    },
  };
}

/** Forgets changes that every server has read long ago. */
async function prune(sql: Sql): Promise<void> {
  await untilEnded(
    sql.statement(`DELETE FROM brain.changes USING ${UNREPLICATED} WHERE at < now() - interval '1 day'`),
  );
}

function nameOf(number: number): string {
  return `server ${number}`;
}

/** Keeps all that a server holds, its place and its duties; resolves with their names. */
async function keepAll(sql: Sql, names: readonly string[]): Promise<unknown[]> {
  const rows = await untilEnded(
    sql.statement(
      `UPDATE brain.leases SET until = ${UNTIL} FROM ${UNREPLICATED} WHERE holder = ANY($1::text[]) RETURNING name`,
      [names],
    ),
  );
  return rows.map(({ name }) => name);
}

/** Takes a lease that is free, or keeps one that is held by one of `names`; resolves false when another holds it. */
async function take(sql: Sql, name: string, names: readonly string[], holder: string): Promise<boolean> {
  const rows = await untilEnded(
    sql.statement(
      `INSERT INTO brain.leases AS held SELECT $1::text, $2::text, ${UNTIL} FROM ${UNREPLICATED}
         ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until
         WHERE held.holder = ANY($3::text[]) OR held.until < now()
         RETURNING 1`,
      [name, holder, names],
    ),
  );
  return rows.length > 0;
}

/** Makes a change that has to be as durable as any; resolves when the database has acknowledged it. */
async function prove(sql: Sql, name: string, holder: string): Promise<void> {
  await untilEnded(
    sql.statement(
      `INSERT INTO brain.leases VALUES ($1, $2, ${UNTIL})
         ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, until = excluded.until`,
      [name, holder],
    ),
  );
}

/** The end of what is taken or kept now. */
const UNTIL = `now() + make_interval(secs => ${HELD_S})`;
