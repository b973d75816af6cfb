import { randomBytes } from 'node:crypto';
import { sha256 } from '../../core/base/hash';
import type { Log } from '../../core/base/host';
import type { StateStore, VaultStore } from '../../core/ports/ports';
import type { Query, Sql } from '../postgres/sql';
import { BrainError } from '../../core/base/errors';
import { codeOf, explain } from '../postgres/vector-store';
import { SharedFeed } from './feed';
import { takePlace } from './lease';
import { migrate } from './schema';
import { sharedState } from './state';
import { SharedVault } from './vault';

interface SharedOptions {
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Called when this server was away so long that another took its place: nothing more can be written. */
  readonly onLost: () => void;
}

/** A vault in a database, open for one of the servers that share it. */
export interface SharedStore {
  readonly vault: VaultStore;
  readonly state: StateStore;
  /** Eight hex digits for the place of this server among them: its logs go on where those of the last one there ended. */
  readonly device: string;
  readonly feed: SharedFeed;
  close(): Promise<void>;
}

/** The wait between two looks at the changes of other servers (ms). */
const LOOK_MS = 200;
/** A transaction that met another one is tried again so often. */
const MAX_TRIES = 5;

/**
 * Opens the vault in the tables of `sql`, which are made when they are missing. It is closed with `close`, and `sql` with it.
 * @throws the error of the driver, or Error for tables of a later version
 */
export async function openShared(sql: Sql, { log, sleep, onLost }: SharedOptions): Promise<SharedStore> {
  await explained(sql, () => migrate(sql));
  const own = randomBytes(8).toString('hex');
  const place = await takePlace(sql, { holder: own, log, sleep, onLost });
  const feed = await SharedFeed.open(sql, { own, log, sleep, everyMs: LOOK_MS });
  const run = <T>(work: (query: Query) => Promise<T>): Promise<T> =>
    retried(sql, () => sql.transaction(work));
  const together: VaultStore['together'] = (work) =>
    run((query) => {
      const within = <T>(part: (query: Query) => Promise<T>): Promise<T> => part(query);
      return work({
        vault: new SharedVault(within, feed),
        state: sharedState(within, { place, isWithin: true }),
      });
    });
  return {
    vault: new SharedVault(run, feed, together),
    state: sharedState(run, { place }),
    device: sha256(place.name).slice(0, 8),
    feed,
    async close() {
      await feed.close();
      await place.release().catch((error: unknown) => log.warn('place.release', { message: String(error) }));
      await sql.close();
    },
  };
}

/** Runs a transaction, and again when the database ended it because of another one: a deadlock, or a conflict in its order. */
async function retried<T>(sql: Sql, work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await explained(sql, work);
    } catch (error) {
      if (tries === MAX_TRIES || !(error instanceof Refused) || !error.isConflict) throw error;
    }
  }
}

const RIGHTS =
  'does not let this user do that. The first start needs CREATE on the database, every later one SELECT, INSERT, UPDATE and DELETE on the tables of the schema brain.';

/** The error of a database that cannot be used now. */
class Refused extends BrainError {
  readonly isConflict: boolean;

  constructor(sql: Sql, error: unknown) {
    const code = codeOf(error);
    const why =
      code === '42501' ? `The database at ${sql.place} ${RIGHTS}` : explain(error, sql.place, 'BRAIN_STORE');
    super('busy', `${why} Read what stands there before you repeat a change: it may have been made.`, {
      retry_after: 2,
    });
    this.isConflict = ['40P01', '40001'].includes(code);
  }
}

/** Runs work with the database. Errors of the driver become a BrainError that says what is wrong with the database. */
async function explained<T>(sql: Sql, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (codeOf(error) === '' && !/timeout|terminated|connection/i.test(String(error))) throw error;
    throw error instanceof BrainError ? error : new Refused(sql, error);
  }
}
