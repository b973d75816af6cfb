import type { Pool, PoolClient } from 'pg';
import type { Log } from '../../core/ports';
import { ConfigError } from '../../core/config';
import { dsnProblem, forDriver, namesFiles, placeOf } from './dsn';
import { codeOf } from './explain';
import { BEGIN, closedError, type Query, type Sql } from './sql';

const CONNECT_MS = 5_000;
/** The server is told to give up after ten seconds; when not even that comes back, the connection is dead. */
const SILENCE_MS = 15_000;
/** The index of a large table that someone else has filled. */
const LONG_MS = 3_600_000;
const IDLE_MS = 60_000;

/**
 * Looks whether the address of a server can be used, files that it names included; whether anything answers there is not.
 * @throws ConfigError that says what is wrong, and nothing of the address.
 */
export async function checkDsn(dsn: string): Promise<void> {
  const problem = dsnProblem(dsn);
  if (problem !== null) throw new ConfigError(problem);
  if (!namesFiles(dsn)) return;
  try {
    // The driver reads them as it takes the address in; it connects later.
    const pg = await import('pg');
    new pg.default.Client({ connectionString: forDriver(dsn) });
  } catch (error) {
    throw new ConfigError(
      `BRAIN_PG_DSN names a file in sslrootcert, sslcert or sslkey that cannot be read${codeOf(error) === '' ? '' : ` (${codeOf(error)})`}. Give the path of a file that this user may read.`,
    );
  }
}

/**
 * A Postgres server by `pg`, which is loaded with the first statement. Connections are made when they are needed and made
 * anew when they were lost; so many at most at a time. No start-up parameters but the name: poolers in front of a server refuse others.
 */
export function postgresSql(dsn: string, log: Log, connections: number): Sql {
  const place = placeOf(dsn);
  let opening: Promise<Pool> | null = null;
  let isClosed = false;
  /** Those that a transaction runs on. Who takes one out gives it back, once. */
  const busy = new Set<PoolClient>();
  const release = (client: PoolClient, destroy: boolean) => {
    if (busy.delete(client)) client.release(destroy);
  };
  const connect = async (): Promise<PoolClient> => {
    if (isClosed) throw closedError();
    const client = await (await (opening ??= open(dsn, log, connections))).connect();
    busy.add(client);
    if (!isClosed) return client;
    release(client, true);
    throw closedError();
  };
  return {
    place,
    writeRows: 64,
    async transaction(work) {
      const client = await connect();
      const query = queryOf(client);
      try {
        await query(BEGIN);
        const result = await work(query);
        await query('COMMIT');
        release(client, false);
        return result;
      } catch (error) {
        // A connection that cannot even undo is of no more use.
        const undone = await query('ROLLBACK').then(
          () => true,
          () => false,
        );
        release(client, !undone);
        throw error;
      }
    },
    async close() {
      isClosed = true;
      const opened = opening;
      opening = null;
      const pool = await opened;
      const ended = pool?.end();
      // The pool waits for its clients, and the building of an index may keep one for an hour.
      for (const client of busy) release(client, true);
      await ended;
    },
  };
}

async function open(dsn: string, log: Log, max: number): Promise<Pool> {
  const pg = await import('pg');
  const pool = new pg.default.Pool({
    connectionString: forDriver(dsn),
    max,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: SILENCE_MS,
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
    application_name: 'brain-server',
  });
  // A connection that is lost while nobody uses it would end the process if nobody listened.
  pool.on('error', (error) => log.warn('postgres.lost', { place: placeOf(dsn), code: codeOf(error) }));
  pool.on('connect', (client) => client.on('error', () => undefined)); // Its query is told already.
  return pool;
}

function queryOf(client: PoolClient): Query {
  return async (text, params = [], isLong = false) => {
    // The driver takes the time of one statement with it, which its types do not know.
    const statement = { text, values: [...params], ...(isLong && { query_timeout: LONG_MS }) };
    const { rows } = await client.query<Record<string, unknown>>(statement);
    return rows;
  };
}
