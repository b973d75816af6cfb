import type { Client, Pool, PoolClient } from 'pg';
import type { Log } from '../../core/base/host';
import { ConfigError } from '../../core/config/config';
import { BEGIN, closedError, type Query, type Sql } from './sql';
import { codeOf } from './vector-store';

const EMBEDDED = 'pglite:';

/** The folder of an embedded database (`pglite:./vectors`), or null for the address of a server. */
export function embeddedFolder(dsn: string): string | null {
  return dsn.startsWith(EMBEDDED) ? dsn.slice(EMBEDDED.length).replace(/^\/\/(?=.)/, '') : null;
}

const LOOKS = 'Write it as postgres://user:password@host:5432/database';
const ENCODE = 'In user, password and database write @ : / ? # % and spaces as %40 %3A %2F %3F %23 %25 %20.';
const SSL_MODES: readonly (string | null)[] = [
  null,
  'disable',
  'no-verify',
  'prefer',
  'require',
  'verify-ca',
  'verify-full',
];

/**
 * Why the address of a server cannot be used, and what would do, in sentences that are safe to show: nothing of the address
 * is in them. Null when it can. Whether anything answers there is not looked at.
 */
export function dsnProblem(dsn: string): string | null {
  if (!/^postgres(?:ql)?:\/\//i.test(dsn)) {
    return `BRAIN_PG_DSN is no address of a Postgres server. ${LOOKS}, over a socket as postgres://user@/database?host=/var/run/postgresql.`;
  }
  if (/%(?![0-9a-f]{2})|[\s\p{Cc}]/iu.test(dsn)) {
    return `BRAIN_PG_DSN holds a space or a % that is no percent-encoding. ${ENCODE}`;
  }
  const authority = /^\w+:\/\/([^/?#]*)/.exec(dsn)?.[1] ?? '';
  const url = urlOf(dsn);
  const hosts = `${authority.slice(authority.lastIndexOf('@') + 1)}${url?.searchParams.get('host') ?? ''}`;
  if (/,|%2c/i.test(hosts)) {
    return 'BRAIN_PG_DSN names several hosts, which cannot be used. Give the one address that leads to the primary: a virtual address, a proxy, or the endpoint of the managed service.';
  }
  if (url === null) {
    return `BRAIN_PG_DSN cannot be read as an address. ${LOOKS}, with a port from 1 to 65535. ${ENCODE}`;
  }
  const odd = [url.pathname, url.hash, ...url.searchParams.keys()].some((part) => /[@#]/.test(part));
  if (odd || url.pathname.lastIndexOf('/') > 0) {
    return `BRAIN_PG_DSN has a sign in its user, password or database that has to be encoded. ${ENCODE}`;
  }
  if (![url.username, url.password, url.hostname, url.pathname, url.search].every(decodes)) {
    return `BRAIN_PG_DSN holds a percent-encoding that is no UTF-8. ${ENCODE}`;
  }
  const port = url.searchParams.get('port') ?? url.port;
  if (port !== '' && !(/^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65535)) {
    return 'BRAIN_PG_DSN has a port that cannot be used. Use a whole number from 1 to 65535.';
  }
  if (!['any', null].includes(url.searchParams.get('target_session_attrs'))) {
    return 'BRAIN_PG_DSN asks for target_session_attrs, which cannot be done. Leave it out, and give the one address that leads to the primary.';
  }
  if (!SSL_MODES.includes(url.searchParams.get('sslmode'))) {
    return 'BRAIN_PG_DSN has an sslmode that cannot be used. Use verify-full, no-verify or disable; require, verify-ca and prefer check the certificate as verify-full does.';
  }
  return null;
}

/** Where an address leads, for messages: host, port and database, never user or password. */
export function placeOf(dsn: string): string {
  const url = /^postgres(?:ql)?:\/\//i.test(dsn) ? urlOf(dsn) : null;
  if (url === null) return 'the address in BRAIN_PG_DSN';
  const host = url.searchParams.get('host') ?? url.hostname;
  const port = (url.searchParams.get('port') ?? url.port) || '5432';
  const name = url.pathname === '/' ? '' : url.pathname;
  return `${host === '' ? 'localhost' : decodes(host) ? decodeURIComponent(host) : host}:${port}${name}`;
}

/** What of the address names files, whose reading is the driver's. */
function namesFiles(dsn: string): boolean {
  const { searchParams } = urlOf(dsn) ?? {};
  return ['sslrootcert', 'sslcert', 'sslkey'].some((name) => searchParams?.has(name));
}

/** The address as the driver is to get it: it warns of modes that check less in its next version, which are not meant. */
function forDriver(dsn: string): string {
  const isOwn = /[?&]uselibpqcompat=/.test(dsn);
  return isOwn ? dsn : dsn.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/g, '$1verify-full');
}

/** A user without a host, as for a socket, is fine for Postgres but no URL. */
function urlOf(dsn: string): URL | null {
  const whole = dsn.replace(/^(\w+:\/\/[^/?#]*@)(?=[/?]|$)/, '$1localhost');
  return URL.canParse(whole) ? new URL(whole) : null;
}

function decodes(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

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
  /** The connection whose session has the lock. */
  let keeper: Client | null = null;
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
    async hold(key, name) {
      if (isClosed) throw closedError();
      // A connection that was cut has lost the lock.
      if (keeper !== null && (await answers(keeper))) return null;
      const before = keeper;
      keeper = null;
      if (before !== null) end(before);
      const client = await openClient(dsn, name);
      try {
        if (isClosed) throw closedError();
        const [own] = (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows;
        // A pooler gives its clients numbers of its own. The next transaction may run in another session there, and the lock
        // would stay with whoever gets this one.
        if ('processID' in client && client.processID !== own?.pid) {
          log.info('postgres.pooled', { place });
          end(client);
          return null;
        }
        const lock = 'hashtextextended($1, 0)';
        const [got] = (
          await client.query<{ held: boolean }>(`SELECT pg_try_advisory_lock(${lock}) AS held`, [key])
        ).rows;
        if (got?.held === true) {
          // A machine that sleeps or is gone is not to keep it for the two hours that are usual.
          await client.query(
            'SET tcp_keepalives_idle = 60; SET tcp_keepalives_interval = 20; SET tcp_keepalives_count = 3',
          );
          keeper = client;
          return null;
        }
        const [other] = (
          await client.query<{ name: string | null }>(
            `SELECT a.application_name AS name FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
             WHERE l.locktype = 'advisory' AND l.granted AND ((l.classid::bigint << 32) | l.objid::bigint) = ${lock}`,
            [key],
          )
        ).rows;
        end(client);
        return other?.name?.replace(`${APPLICATION} `, '') ?? 'another one';
      } catch (error) {
        end(client);
        throw error;
      }
    },
    async close() {
      isClosed = true;
      const last = keeper;
      keeper = null;
      await last?.end().catch(() => undefined);
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

const APPLICATION = 'brain-server';

/** A connection beside the pool, which gives none away for good. */
async function openClient(dsn: string, name: string): Promise<Client> {
  const pg = await import('pg');
  const client = new pg.default.Client({
    connectionString: forDriver(dsn),
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: SILENCE_MS,
    keepAlive: true,
    application_name: `${APPLICATION} ${name}`,
  });
  client.on('error', () => undefined); // The next who asks it for something finds out.
  try {
    await client.connect();
  } catch (error) {
    end(client);
    throw error;
  }
  return client;
}

async function answers(client: Client): Promise<boolean> {
  return client.query('SELECT 1').then(
    () => true,
    () => false,
  );
}

/** Nobody waits for the end of a connection that may be dead. */
function end(client: Client): void {
  client.end().catch(() => undefined);
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
    application_name: APPLICATION,
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
