import type { Log } from '../../core/base/host';
import { ConfigError } from '../../core/config/config';
import { checkDsn, isSettledAddress, placeOf, postgresSql, verified } from '../postgres/pg';
import type { Sql } from '../postgres/sql';
import { explain, isUnverified } from '../postgres/vector-store';
import { isOlder } from './schema';

interface StoreOptions {
  readonly log: Log;
  readonly connections: number;
  /** Returns true for an address that needs no look. */
  readonly isSettled?: (dsn: string) => boolean;
}

/** The database of a store, and what its owner has to be told of the connections to it. */
interface Store {
  readonly sql: Sql;
  readonly warning: string | null;
}

/**
 * Returns the database of a store. Where the address leads beyond this machine and its containers and says nothing of TLS, the
 * connections are verified; a store of before that rule goes on without where they cannot be, and is warned of. Nothing is
 * connected in the other cases.
 * @throws ConfigError for an address that cannot be used, and for a new store whose server cannot be verified; else the error of
 * the driver
 */
export async function storeSql(
  dsn: string,
  { log, connections, isSettled = isSettledAddress }: StoreOptions,
): Promise<Store> {
  await checkDsn(dsn, 'BRAIN_STORE');
  const open = (address: string): Sql => postgresSql(address, log, connections);
  if (isSettled(dsn)) return { sql: open(dsn), warning: null };
  const safe = open(verified(dsn));
  try {
    await safe.statement('SELECT 1');
    return { sql: safe, warning: null };
  } catch (error) {
    await safe.close();
    if (!isUnverified(error)) throw error;
    const sql = open(dsn);
    const why = explain(error, placeOf(dsn), 'BRAIN_STORE');
    if (await sql.transaction(isOlder).catch(closing(sql))) {
      return {
        sql,
        warning: `Notes and the password of the database cross the network unprotected. ${why} Write sslmode=verify-full into BRAIN_STORE once that holds, or sslmode=disable where the way there is safe.`,
      };
    }
    await sql.close();
    throw new ConfigError(
      `The connection to the database cannot be verified, and a new vault is not set up without. ${why} Where the way there is safe, write sslmode=no-verify or sslmode=disable into BRAIN_STORE.`,
    );
  }
}

/** Returns a handler that closes a database and passes the error on. */
function closing(sql: Sql): (error: unknown) => Promise<never> {
  return async (error) => {
    await sql.close();
    throw error;
  };
}
