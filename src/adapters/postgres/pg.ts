import { setTimeout as wait } from 'node:timers/promises';
import type { Client, ClientBase, Pool, PoolClient } from 'pg';
import type { Log } from '../../core/base/host';
import { ConfigError } from '../../core/config/config';
import { cancel, isGivenUp, settled } from './cancel';
import { BEGIN, closedError, type Ear, GivenUp, identifier, type Query, type Row, type Sql } from './sql';
import { codeOf } from './vector-store';

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
 * Returns why the address of a server cannot be used and what to do, or null when it can. The text is safe to show, as it
 * quotes nothing of the address. No connection is made.
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

/** Hosts of this machine, and those that only a network of containers knows: no name with a dot that others could own. */
const NEAR =
  /^(?:\/.*|127(?:\.\d{1,3}){3}|\[?::1\]?|[^.:[\]/]*|.+\.localhost|host\.(?:docker|containers)\.internal|.+\.svc(?:\.cluster\.local)?)$/i;

/**
 * Returns true when the way to the server of an address leads over no network of others, or the address says itself how
 * connections are protected.
 */
export function isSettledAddress(dsn: string): boolean {
  const url = urlOf(dsn);
  if (url === null) return true;
  const { searchParams, hostname } = url;
  if (['sslmode', 'ssl', 'sslrootcert', 'sslnegotiation'].some((name) => searchParams.has(name))) return true;
  return NEAR.test(searchParams.get('host') ?? decodeURIComponent(hostname));
}

/** Returns an address whose connections are made over TLS with a certificate that is checked. */
export function verified(dsn: string): string {
  return `${dsn}${dsn.includes('?') ? '&' : '?'}sslmode=verify-full`;
}

/** Returns host, port and database of an address, for messages; never user or password. */
export function placeOf(dsn: string): string {
  const url = /^postgres(?:ql)?:\/\//i.test(dsn) ? urlOf(dsn) : null;
  if (url === null) return 'the address in BRAIN_PG_DSN';
  const host = url.searchParams.get('host') ?? url.hostname;
  const port = (url.searchParams.get('port') ?? url.port) || '5432';
  const name = url.pathname === '/' ? '' : url.pathname;
  return `${host === '' ? 'localhost' : decodes(host) ? decodeURIComponent(host) : host}:${port}${name}`;
}

/** Returns true when the address names certificate files, which the driver reads. */
function namesFiles(dsn: string): boolean {
  const { searchParams } = urlOf(dsn) ?? {};
  return ['sslrootcert', 'sslcert', 'sslkey'].some((name) => searchParams?.has(name));
}

/**
 * Returns the address for the driver. The driver warns of SSL modes that check less in its next version; `verify-full` says
 * what these modes do in this one.
 */
function forDriver(dsn: string): string {
  const isOwn = /[?&]uselibpqcompat=/.test(dsn);
  return isOwn ? dsn : dsn.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/g, '$1verify-full');
}

/** Parses an address. Postgres allows a user without a host (for a socket), which is no valid URL: a host is added. */
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
/** The timeout of a statement (ms). After it the statement is cancelled on the server. */
const QUERY_TIMEOUT_MS = 15_000;
/** The timeout of a long statement (ms), such as the index of a large table that another client has filled. */
const LONG_QUERY_TIMEOUT_MS = 3_600_000;
const IDLE_MS = 60_000;
/** An idle connection is looked after in this interval (ms). */
const KEEP_ALIVE_MS = 30_000;
/** Closing waits at most this long for the cancelling of what runs (ms). */
const CANCEL_MS = 1_000;

/**
 * Checks that the address of a server can be used, including the files that it names. No connection is made. `variable` is the
 * setting that holds the address.
 * @throws ConfigError that says what is wrong and quotes nothing of the address.
 */
export async function checkDsn(dsn: string, variable = 'BRAIN_PG_DSN'): Promise<void> {
  const problem = dsnProblem(dsn)?.replaceAll('BRAIN_PG_DSN', variable);
  if (problem !== undefined) throw new ConfigError(problem);
  if (!namesFiles(dsn)) return;
  try {
    // The constructor reads the files; it does not connect.
    const pg = await import('pg');
    new pg.default.Client({ connectionString: forDriver(dsn) });
  } catch (error) {
    throw new ConfigError(
      `${variable} names a file in sslrootcert, sslcert or sslkey that cannot be read${codeOf(error) === '' ? '' : ` (${codeOf(error)})`}. Give the path of a file that this user may read.`,
    );
  }
}

/**
 * Returns a Postgres server. Its driver, `pg`, is loaded with the first statement. Connections are opened when they are needed
 * and reopened when they are lost, at most `connections` at a time, and one more that listens or holds a lock. A statement that
 * has no answer after `timeoutMs` rejects; its connection keeps its place until the statement has ended on the server too. The
 * application name is the only start-up parameter, as poolers in front of a server refuse others.
 */
export function postgresSql(dsn: string, log: Log, connections: number, timeoutMs = QUERY_TIMEOUT_MS): Sql {
  return new PostgresSql(dsn, log, connections, timeoutMs);
}

class PostgresSql implements Sql {
  readonly place: string;
  readonly #dsn: string;
  readonly #log: Log;
  readonly #connections: number;
  readonly #timeoutMs: number;
  #pool: Promise<Pool> | null = null;
  #isClosed = false;
  /** The connection whose session holds the lock. */
  #lockHolder: Client | null = null;
  /** The connections that run a transaction. Each is released once. */
  readonly #busy = new Set<PoolClient>();

  constructor(dsn: string, log: Log, connections: number, timeoutMs: number) {
    this.#dsn = dsn;
    this.#log = log;
    this.#connections = connections;
    this.#timeoutMs = timeoutMs;
    this.place = placeOf(dsn);
  }

  async transaction<T>(work: (query: Query) => Promise<T>): Promise<T> {
    const client = await this.#connect();
    let isLate = false;
    const query = queryOf(client, () => (isLate = true));
    try {
      await query(BEGIN);
      const result = await work(query);
      await query('COMMIT');
      this.#release(client, false);
      return result;
    } catch (error) {
      // A connection whose rollback fails is of no more use.
      const isRolledBack =
        !isLate &&
        (await query('ROLLBACK').then(
          () => true,
          () => false,
        ));
      if (!isLate) {
        this.#release(client, !isRolledBack);
        throw error;
      }
      const ended = this.#settle(client);
      // The work may have made an error of its own of it.
      throw isGivenUp(error) ? new GivenUp(ended) : error;
    }
  }

  async statement(...statement: Parameters<Query>): Promise<readonly Row[]> {
    const client = await this.#connect();
    try {
      const rows = await queryOf(client)(...statement);
      this.#release(client, false);
      return rows;
    } catch (error) {
      if (isGivenUp(error)) throw new GivenUp(this.#settle(client));
      // An error of the database itself leaves the connection as it was; its classes 08 and 57 are lost ones.
      this.#release(client, !/^(?!08|57)[0-9A-Z]{5}$/.test(codeOf(error)));
      throw error;
    }
  }

  async hold(key: string, name: string): Promise<string | null> {
    if (this.#isClosed) throw closedError();
    // A connection that was cut has lost the lock.
    if (this.#lockHolder !== null && (await answers(this.#lockHolder))) return null;
    const lost = this.#lockHolder;
    this.#lockHolder = null;
    if (lost !== null) await letGo(lost);
    const client = await openClient(this.#dsn, name, this.#timeoutMs);
    try {
      if (this.#isClosed) throw closedError();
      if (await isPooled(client)) {
        this.#log.info('postgres.pooled', { place: this.place });
        end(client);
        return null;
      }
      if (await tryLock(client, key)) {
        this.#lockHolder = client;
        return null;
      }
      const holder = await lockHolderName(client, key);
      end(client);
      return holder ?? 'another one';
    } catch (error) {
      await letGo(client, error);
      throw error;
    }
  }

  async listen(channel: string, heard: () => void): Promise<Ear | null> {
    if (this.#isClosed) throw closedError();
    const client = await openClient(this.#dsn, 'listens', this.#timeoutMs);
    try {
      // A pooler takes LISTEN, and leaves it to another client's session.
      if (await isPooled(client)) {
        end(client);
        return null;
      }
      const [own] = (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows;
      client.on('notification', ({ processId }) => {
        if (processId !== own?.pid) heard();
      });
      let lost: () => void = () => undefined;
      const ended = new Promise<void>((resolve) => (lost = resolve));
      client.once('end', () => lost());
      // A call carries nothing that has to last, so it waits for no disk and no standby.
      await client.query('SET synchronous_commit TO off');
      await client.query(`LISTEN ${identifier(channel)}`);
      if (this.#isClosed) throw closedError();
      const close = (): void => {
        end(client);
        lost();
      };
      const call = async (): Promise<void> => {
        try {
          await client.query(`NOTIFY ${identifier(channel)}`);
        } catch (error) {
          await letGo(client, error);
          close();
          throw error;
        }
      };
      return { ended, call, close };
    } catch (error) {
      await letGo(client, error);
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const lockHolder = this.#lockHolder;
    this.#lockHolder = null;
    await lockHolder?.end().catch(() => undefined);
    const opening = this.#pool;
    this.#pool = null;
    const pool = await opening;
    const ended = pool?.end();
    // The pool waits for its clients, and the build of an index may keep one for an hour.
    const cancelled = Promise.all([...this.#busy].map(cancel));
    if (this.#busy.size > 0) await Promise.race([cancelled, wait(CANCEL_MS, undefined, { ref: false })]);
    for (const client of this.#busy) this.#release(client, true);
    await ended;
  }

  async #connect(): Promise<PoolClient> {
    if (this.#isClosed) throw closedError();
    const pool = await (this.#pool ??= open(this.#dsn, this.#log, this.#connections, this.#timeoutMs));
    const client = await pool.connect();
    this.#busy.add(client);
    if (!this.#isClosed) return client;
    this.#release(client, true);
    throw closedError();
  }

  /** Releases a connection once the statement that was given up on it has ended, or the connection is lost. */
  async #settle(client: PoolClient): Promise<void> {
    const isFree = await settled(client);
    this.#release(client, !isFree);
  }

  #release(client: PoolClient, destroy: boolean): void {
    if (this.#busy.delete(client)) client.release(destroy);
  }
}

const LOCK_KEY = 'hashtextextended($1, 0)';

/**
 * Returns true behind a pooler, which gives its clients process ids of its own. The next transaction may run in another
 * session there, and the lock would stay with the client that gets this one.
 */
async function isPooled(client: Client): Promise<boolean> {
  const [own] = (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows;
  return 'processID' in client && client.processID !== own?.pid;
}

/** Takes the advisory lock of a key for the session of a client, if it is free; resolves false when it is not. */
async function tryLock(client: Client, key: string): Promise<boolean> {
  const [row] = (
    await client.query<{ held: boolean }>(`SELECT pg_try_advisory_lock(${LOCK_KEY}) AS held`, [key])
  ).rows;
  return row?.held === true;
}

/**
 * Lets the server end the session of a machine that sleeps or is gone, which it would keep for two hours else, and a transaction
 * that its client has left open. Behind a pooler the session is not this client's, and nothing is set.
 */
async function limitSession(client: ClientBase): Promise<void> {
  const backend = 'processID' in client ? Number(client.processID) : 0;
  // One message without parameters: where sessions share one backend, others come between the messages of a statement.
  await client.query(
    `SELECT set_config(name, value, false) FROM (VALUES
         ('tcp_keepalives_idle', '60'), ('tcp_keepalives_interval', '20'), ('tcp_keepalives_count', '3'),
         ('tcp_user_timeout', '60s'), ('idle_in_transaction_session_timeout', '60s')) AS settings (name, value)
       WHERE pg_backend_pid() = ${backend}`,
  );
}

/** Returns the name of the device whose session holds the advisory lock of a key; undefined when it is not known. */
async function lockHolderName(client: Client, key: string): Promise<string | undefined> {
  const [row] = (
    await client.query<{ name: string | null }>(
      `SELECT a.application_name AS name FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
             WHERE l.locktype = 'advisory' AND l.granted AND ((l.classid::bigint << 32) | l.objid::bigint) = ${LOCK_KEY}`,
      [key],
    )
  ).rows;
  return row?.name?.replace(`${APPLICATION} `, '');
}

const APPLICATION = 'brain-server';

/** Opens a connection outside the pool, which lends its connections only for a while. */
async function openClient(dsn: string, name: string, timeoutMs: number): Promise<Client> {
  const pg = await import('pg');
  const client = new pg.default.Client({
    connectionString: forDriver(dsn),
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: timeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    application_name: `${APPLICATION} ${name}`,
  });
  client.on('error', () => undefined); // The next statement on it fails.
  try {
    await client.connect();
    await limitSession(client);
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

/** Closes a connection after an error, once the statement that was given up on it has ended. */
async function letGo(client: Client, error: unknown = null): Promise<void> {
  if (error === null || isGivenUp(error)) await settled(client);
  end(client);
}

/** Closes a connection without waiting, as it may be dead. */
function end(client: Client): void {
  client.end().catch(() => undefined);
}

async function open(dsn: string, log: Log, max: number, timeoutMs: number): Promise<Pool> {
  const pg = await import('pg');
  const options = {
    connectionString: forDriver(dsn),
    max,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: timeoutMs,
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    application_name: APPLICATION,
    onConnect: limitSession,
  };
  const pool = new pg.default.Pool(options);
  // Without a listener, the loss of an idle connection would end the process.
  pool.on('error', (error) => log.warn('postgres.lost', { place: placeOf(dsn), code: codeOf(error) }));
  pool.on('connect', (client) => client.on('error', () => undefined)); // The statement that runs on it rejects with the error.
  return pool;
}

/** Returns the way to run statements on a connection; `late` is called when one of them is given up. */
function queryOf(client: PoolClient, late: () => void = () => undefined): Query {
  return async (text, params = [], isLong = false) => {
    // The driver takes a timeout for one statement, which its types lack.
    const statement = { text, values: [...params], ...(isLong && { query_timeout: LONG_QUERY_TIMEOUT_MS }) };
    try {
      const { rows } = await client.query<Record<string, unknown>>(statement);
      return rows;
    } catch (error) {
      if (isGivenUp(error)) late();
      throw error;
    }
  };
}
