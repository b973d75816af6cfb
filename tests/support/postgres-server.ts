import { execFile, execFileSync, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from './free-port';

/** A real Postgres of this machine, in a temporary folder. */
export interface PostgresServer {
  readonly port: number;
  /** The folder of its socket. */
  readonly socket: string;
  readonly folder: string;
  /** The address of a database for a user, over TCP. Everybody's password is `secret`. */
  dsn(database: string, user?: string): string;
  /** Runs SQL as its superuser with psql. */
  sql(database: string, text: string): string;
  /** Makes a database, with the stand-in for pgvector unless told otherwise. */
  makeDatabase(name: string, withVectors?: boolean): void;
  /**
   * Removes a database and cuts its connections. This process goes on meanwhile: the server waits for connections that are being
   * made and answers that are being read.
   */
  drop(database: string): Promise<void>;
  /** Ends it at once, as a crash does. */
  stop(): void;
  start(): void;
  /** Makes a primary of a standby. */
  promote(): Promise<void>;
  /** Makes it speak TLS too, with a certificate of its own making in server.crt of its folder, for these names beside CN. */
  useTls(names?: string): void;
  /** Stops it and removes its folder. */
  remove(): void;
}

const FOLDER = '/usr/lib/postgresql';
const bin = existsSync(FOLDER)
  ? readdirSync(FOLDER)
      .sort((a, b) => Number(b) - Number(a))
      .map((version) => path.join(FOLDER, version, 'bin'))
      .find((folder) => existsSync(path.join(folder, 'initdb')))
  : undefined;

/** What a suite on a database does with it. */
type Suite<T> = (server: () => T) => void;

/**
 * A suite that needs a real Postgres, which runs while its tests do. Without one the suite is skipped and says so; in CI (`CI` is
 * set) that is a failure, so that it cannot go unnoticed.
 */
export function describeWithPostgres(name: string, body: Suite<PostgresServer>): void {
  describeOn(name, missingPostgres, postgresServer, body);
}

/** Says what of Postgres is not on this machine and how it comes there, or null. */
export const missingPostgres =
  bin === undefined ? `there is no Postgres in ${FOLDER}. Install the package postgresql` : null;

/** A suite on a database that `make` starts, unless something of it is `missing`; see `describeWithPostgres`. */
export function describeOn<T extends { remove(): void }>(
  name: string,
  missing: string | null,
  make: () => Promise<T>,
  body: Suite<T>,
): void {
  if (missing !== null && (process.env.CI ?? '') === '') {
    console.warn(`Skipped "${name}": ${missing}.`);
    describe.skip(name, () =>
      body(() => {
        throw new Error('There is no database.');
      }),
    );
    return;
  }
  describe(name, () => {
    let running: T | undefined;
    beforeAll(async () => {
      if (missing !== null) throw new Error(`${name}: ${missing}.`);
      running = await make();
    }, 180_000);
    afterAll(() => running?.remove());
    body(() => {
      if (running === undefined) throw new Error('The database has not started yet.');
      return running;
    });
  });
}

/** Makes a cluster and starts it, which syncs nothing to the disk unless it is told to. */
export async function postgresServer(fsync: 'on' | 'off' = 'off'): Promise<PostgresServer> {
  const node = await newNode();
  try {
    const passwordFile = path.join(node.folder, 'password');
    writeFileSync(passwordFile, 'secret\n');
    node.run('initdb', ['-D', node.data, ...INITDB, `--pwfile=${passwordFile}`]);
    configure(node, `fsync = ${fsync}\nmax_connections = 40\nlogging_collector = off\n`);
    const server = serverOn(node);
    server.start();
    return server;
  } catch (error) {
    removeNode(node);
    throw error;
  }
}

const INITDB = ['-U', 'postgres', '-A', 'scram-sha-256', '-N'];

/** The name by which a standby is known to its primary. */
const STANDBY = 'standby';

/**
 * Makes a standby of a running server, which acknowledges a commit from then on only when the standby has it on its disk too.
 * Resolves when the standby follows.
 */
export async function standbyOf(primary: PostgresServer): Promise<PostgresServer> {
  // The copy has the setting too, so that a standby that becomes the primary waits for one of its own.
  primary.sql('postgres', `ALTER SYSTEM SET synchronous_standby_names = 'FIRST 1 (${STANDBY})'`);
  primary.sql('postgres', 'SELECT pg_reload_conf()');
  const node = await newNode();
  try {
    const from = `host=127.0.0.1 port=${primary.port} user=postgres password=secret application_name=${STANDBY}`;
    await node.runLong('pg_basebackup', [
      '-d',
      from,
      '-D',
      node.data,
      '-R',
      '-X',
      'stream',
      '-c',
      'fast',
      '-N',
    ]);
    // Of a setting that is given twice the last one holds.
    configure(node, '');
    const standby = serverOn(node);
    standby.start();
    await untilInSync(primary);
    return standby;
  } catch (error) {
    removeNode(node);
    throw error;
  }
}

/** Resolves when the standby of a server has all that the server has, and every commit waits for it. */
export async function untilInSync(primary: PostgresServer): Promise<void> {
  const following =
    "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = 'sync' AND flush_lsn >= pg_current_wal_flush_lsn()";
  for (let tries = 0; primary.sql('postgres', following) !== '1'; tries += 1) {
    if (tries > 300) throw new Error('The standby did not follow its primary within thirty seconds.');
    await sleep(100);
  }
}

/** The files of a server, and its programs, which do not run as root: root hands them to the user postgres. */
interface Node {
  readonly folder: string;
  readonly data: string;
  readonly port: number;
  readonly owner: Owner;
  run(program: string, args: readonly string[], input?: string): string;
  /** Runs a program that takes long, while this process goes on. */
  runLong(program: string, args: readonly string[]): Promise<void>;
}

interface Owner {
  readonly uid?: number;
  readonly gid?: number;
}

async function newNode(): Promise<Node> {
  if (bin === undefined)
    throw new Error(`There is no Postgres in ${FOLDER}. Install the package postgresql.`);
  const { folder, owner } = folderOfPostgres();
  const env = { PATH: process.env.PATH ?? '', LC_ALL: 'C.UTF-8', PGPASSWORD: 'secret' };
  return {
    ...{ folder, owner, data: path.join(folder, 'data'), port: await freePort() },
    run: (program, args, input = '') => {
      // Its standard error goes to a file: a server that goes on would keep a pipe open for ever.
      const out = program === 'pg_ctl' ? 'ignore' : 'pipe';
      const options = { ...owner, cwd: folder, input, encoding: 'utf8', env } as const;
      const done = spawnSync(path.join(bin, program), args, { ...options, stdio: ['pipe', out, out] });
      if (done.status !== 0) throw new Error(`${program} ${args.join(' ')}: ${done.stderr ?? ''}`);
      return done.stdout ?? '';
    },
    runLong: async (program, args) => {
      await promisify(execFile)(path.join(bin, program), args, { ...owner, cwd: folder, env });
    },
  };
}

/** Makes a temporary folder for programs of Postgres; `owner` is who runs them. */
export function folderOfPostgres(): { readonly folder: string; readonly owner: Owner } {
  const folder = mkdtempSync(path.join(tmpdir(), 'brain-pg-'));
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  const owner = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};
  if (owner.uid !== undefined) chownSync(folder, owner.uid, owner.gid);
  return { folder, owner };
}

function configure({ folder, data, port }: Node, more: string): void {
  const own = `listen_addresses = '127.0.0.1'\nport = ${port}\nunix_socket_directories = '${folder}'\n`;
  appendFileSync(path.join(data, 'postgresql.auto.conf'), own + more);
}

function removeNode({ folder, data, run }: Node): void {
  if (existsSync(path.join(data, 'postmaster.pid')))
    run('pg_ctl', ['-D', data, '-m', 'immediate', '-w', 'stop']);
  rmSync(folder, { recursive: true, force: true });
}

function serverOn(node: Node): PostgresServer {
  const { folder, data, port, owner, run } = node;
  const psql = ['-h', folder, '-p', String(port), '-U', 'postgres', '-qAtX', '-v', 'ON_ERROR_STOP=1'];
  const server: PostgresServer = {
    port,
    socket: folder,
    folder,
    dsn: (database, user = 'postgres') => `postgres://${user}:secret@127.0.0.1:${port}/${database}`,
    sql: (database, text) => run('psql', [...psql, '-d', database], text).trim(),
    makeDatabase: (name, withVectors = true) => {
      server.sql('postgres', `CREATE DATABASE "${name}"`);
      if (withVectors) server.sql(name, STAND_IN);
    },
    drop: (database) => node.runLong('psql', [...psql, '-c', `DROP DATABASE "${database}" WITH (FORCE)`]),
    start: () => void run('pg_ctl', ['-D', data, '-l', path.join(folder, 'log'), '-w', 'start']),
    stop: () => void run('pg_ctl', ['-D', data, '-m', 'immediate', '-w', 'stop']),
    promote: () => node.runLong('pg_ctl', ['-D', data, '-w', 'promote']),
    useTls: (names) => {
      const [key, certificate] = ['server.key', 'server.crt'].map((name) => path.join(folder, name));
      execFileSync(
        'openssl',
        [
          ...`req -new -x509 -days 2 -nodes -subj /CN=127.0.0.1 -keyout ${key ?? ''} -out ${certificate ?? ''}`.split(
            ' ',
          ),
          ...(names === undefined ? [] : ['-addext', `subjectAltName=${names}`]),
        ],
        { ...owner, stdio: 'ignore' },
      );
      server.sql('postgres', `ALTER SYSTEM SET ssl_key_file = '${key ?? ''}'`);
      server.sql('postgres', `ALTER SYSTEM SET ssl_cert_file = '${certificate ?? ''}'`);
      server.sql('postgres', 'ALTER SYSTEM SET ssl = on');
      server.stop();
      server.start();
    },
    remove: () => removeNode(node),
  };
  return server;
}

/**
 * What of pgvector the service uses, in SQL, for servers that have none: a type that keeps its text, the distance of cosine,
 * and an index that no search goes by. It is exact, and slow. `STORAGE PLAIN` bears rows of 8 kB, so vectors have to be short
 * as text.
 */
const STAND_IN = `
SET allow_system_table_mods = on;
CREATE TYPE public.vector;
CREATE FUNCTION public.vector_in(cstring) RETURNS public.vector AS 'textin' LANGUAGE internal IMMUTABLE STRICT;
CREATE FUNCTION public.vector_out(public.vector) RETURNS cstring AS 'textout' LANGUAGE internal IMMUTABLE STRICT;
CREATE TYPE public.vector (INPUT = public.vector_in, OUTPUT = public.vector_out, TYPMOD_IN = varchartypmodin,
  TYPMOD_OUT = varchartypmodout, STORAGE = extended);
CREATE CAST (text AS public.vector) WITHOUT FUNCTION;
CREATE CAST (public.vector AS text) WITHOUT FUNCTION;
CREATE FUNCTION public.cosine_distance(public.vector, public.vector) RETURNS float8 LANGUAGE sql IMMUTABLE STRICT AS $$
  SELECT 1 - sum(a * b) / (sqrt(sum(a * a)) * sqrt(sum(b * b)))
  FROM unnest(translate($1::text, '[]', '{}')::float8[], translate($2::text, '[]', '{}')::float8[]) AS t (a, b) $$;
CREATE OPERATOR public.<=> (FUNCTION = public.cosine_distance, LEFTARG = public.vector, RIGHTARG = public.vector);
CREATE FUNCTION public.vector_eq(public.vector, public.vector) RETURNS bool AS 'byteaeq' LANGUAGE internal IMMUTABLE STRICT;
CREATE FUNCTION public.vector_hash(public.vector) RETURNS int4 AS 'hashvarlena' LANGUAGE internal IMMUTABLE STRICT;
CREATE OPERATOR public.= (FUNCTION = public.vector_eq, LEFTARG = public.vector, RIGHTARG = public.vector, HASHES);
CREATE ACCESS METHOD hnsw TYPE INDEX HANDLER hashhandler;
CREATE OPERATOR CLASS public.vector_cosine_ops FOR TYPE public.vector USING hnsw AS
  OPERATOR 1 public.= (public.vector, public.vector), FUNCTION 1 public.vector_hash(public.vector);
INSERT INTO pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
  VALUES (99999, 'vector', 10, 'public'::regnamespace, true, '0.8.0');
`;
