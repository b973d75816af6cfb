import { randomBytes } from 'node:crypto';
import { sha256 } from '../../core/base/hash';
import type { Log } from '../../core/base/host';
import {
  Away,
  type ChangeFeed,
  type JobRecords,
  type Servers,
  type StateStore,
  Uncertain,
  type VaultStore,
} from '../../core/ports/ports';
import type { Query, Row, Sql } from '../postgres/sql';
import { BrainError } from '../../core/base/errors';
import { codeOf, explain, isAway } from '../postgres/vector-store';
import { SharedFeed } from './feed';
import { sharedJobs } from './jobs';
import { takePlace } from './lease';
import { checkVersion, migrate } from './schema';
import { type Access, sharedState } from './state';
import { SharedTokens, TokenTable } from './tokens';
import { SharedVault } from './vault';

interface SharedOptions {
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Called when this server was away so long that another took its place: nothing more can be written. */
  readonly onLost: () => void;
  /** The time between two renewals of this server's place (ms). */
  readonly renewMs?: number;
}

/** A vault in a database, open for one of the servers that share it. */
export interface SharedStore {
  readonly vault: VaultStore;
  readonly state: StateStore;
  readonly servers: Servers & { readonly feed: ChangeFeed; readonly jobs: JobRecords };
  readonly tokens: SharedTokens;
  /** Eight hex digits for the place of this server among them: its logs go on where those of the last one there ended. */
  readonly device: string;
  close(): Promise<void>;
}

/** The wait between two looks at the changes of other servers (ms). */
const LOOK_MS = 200;
/** A transaction that met another one is tried again so often. */
const MAX_TRIES = 5;

/**
 * Opens the vault in the tables of `sql`, which are made when they are missing. It is closed with `close`, and `sql` with it.
 * @throws Away for a database that cannot be reached now, the error of the driver, or Error for tables of a later version
 */
export async function openShared(sql: Sql, options: SharedOptions): Promise<SharedStore> {
  try {
    return await openTables(sql, options);
  } catch (error) {
    // Each change of the start may be made again, also one whose answer was lost.
    if (error instanceof Uncertain) throw new Away('busy', error.message);
    throw isAway(error) ? new Away('busy', explain(error, sql.place, 'BRAIN_STORE')) : error;
  }
}

async function openTables(sql: Sql, options: SharedOptions): Promise<SharedStore> {
  const { log, sleep } = options;
  await migrate({ place: sql.place, transaction: (work) => run(sql, work) });
  const own = randomBytes(8).toString('hex');
  const place = await takePlace(sql, { ...options, holder: own });
  const { unconfirmedMs } = place;
  let opening: SharedFeed | null = null;
  const openRest = async (): Promise<[SharedFeed, SharedTokens]> => [
    (opening = await SharedFeed.open(sql, { own, log, sleep, unconfirmedMs, everyMs: LOOK_MS })),
    await SharedTokens.open(sql, { log, sleep }),
  ];
  const [feed, tokens] = await openRest().catch(async (error: unknown) => {
    // The place would be renewed for ever beside that of the next try.
    await opening?.close();
    await place.release().catch(() => undefined);
    throw error;
  });
  const access: Access = {
    run: (work) => feed.calling(() => run(sql, work)),
    one: (...statement) => feed.calling(() => one(sql, statement)),
  };
  const together: VaultStore['together'] = (work) =>
    access.run((query) => {
      const within: Access = { run: (part) => part(query), one: query };
      return work({
        vault: new SharedVault(within, feed),
        state: sharedState(within, { place, isWithin: true }),
      });
    });
  return {
    vault: new SharedVault(access, feed, together),
    state: sharedState(access, { place }),
    servers: {
      store: 'database',
      // A new server reads what another one kept.
      localOf: () => 'team',
      duty: place.duty,
      maps: 'after',
      feed,
      jobs: sharedJobs(access, own),
    },
    tokens,
    device: sha256(place.name).slice(0, 8),
    async close() {
      await feed.close();
      await tokens.close().catch((error: unknown) => log.warn('tokens.used', { message: String(error) }));
      await place.release().catch((error: unknown) => log.warn('place.release', { message: String(error) }));
      await sql.close();
    },
  };
}

/**
 * Opens the tokens of the vault in the tables of `sql`. With `makes` the tables are made or brought up to date when they are not;
 * without it nothing is changed.
 * @throws the error of the driver, or Error for tables that are missing or of another version
 */
export async function openTokenTable(sql: Sql, { makes }: { readonly makes: boolean }): Promise<TokenTable> {
  await (makes ? migrate(sql) : checkVersion(sql));
  return new TokenTable(sql);
}

/** The error of a transaction that another one was in the way of, so that the same one may succeed now. */
class Conflict extends BrainError {}

/** Returns the error of a database that cannot be used now. Nothing was changed. */
function refused(sql: Sql, error: unknown): BrainError {
  const text = `${explain(error, sql.place, 'BRAIN_STORE')} Nothing was changed; try again in a few seconds.`;
  const details = { retry_after: 2 };
  if (['40P01', '40001', '23505'].includes(codeOf(error))) return new Conflict('busy', text, details);
  return isAway(error) ? new Away('busy', text, details) : new BrainError('busy', text, details);
}

/** Runs work, and again when another transaction was in its way: a deadlock, a conflict in their order, a name that both took. */
async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === MAX_TRIES || !(error instanceof Conflict)) throw error;
    }
  }
}

/** Runs one statement as `run` does. A lost answer may be that to its commit. */
function one(sql: Sql, statement: Parameters<Query>): Promise<readonly Row[]> {
  return retried(async () => {
    try {
      return await sql.statement(...statement);
    } catch (error) {
      throw /^\s*SELECT/.test(statement[0]) ? refused(sql, error) : failureOf(sql, error);
    }
  });
}

/**
 * Runs a transaction. Errors of `work` itself are passed on.
 * @throws BrainError `busy` when the database cannot be used, Uncertain when its answer to the commit was lost
 */
function run<T>(sql: Sql, work: (query: Query) => Promise<T>): Promise<T> {
  return retried(async () => {
    const phase: { at: 'before' | 'within' | 'committing' } = { at: 'before' };
    try {
      return await sql.transaction(async (query) => {
        phase.at = 'within';
        const result = await work(async (...statement) => {
          try {
            return await query(...statement);
          } catch (error) {
            throw refused(sql, error);
          }
        });
        phase.at = 'committing';
        return result;
      });
    } catch (error) {
      if (phase.at === 'within') throw error;
      // A driver that lost its connection before the work began gives no code.
      throw phase.at === 'before' ? refused(sql, error) : failureOf(sql, error);
    }
  });
}

/** The errors of a connection that was never made: nothing has been sent. */
const UNSENT = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOENT', 'EACCES'];

/** Returns what an error of the driver means for a change: it was not made where the database refused or was not reached. */
function failureOf(sql: Sql, error: unknown): BrainError {
  const code = codeOf(error);
  // Classes 08 and 57P are lost connections.
  if (UNSENT.includes(code) || /^(?!08|57P)[0-9A-Z]{5}$/.test(code)) return refused(sql, error);
  return new Uncertain(
    'busy',
    `${explain(error, sql.place, 'BRAIN_STORE')} The change may have been made: read what stands there before you repeat it.`,
  );
}
