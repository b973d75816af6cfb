import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';

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
  /** Ends it at once, as a crash does. */
  stop(): void;
  start(): void;
  /** Makes it speak TLS too, with a certificate of its own making in server.crt of its folder. */
  useTls(): void;
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

/**
 * A suite that needs a real Postgres, which runs while its tests do. Without one the suite is skipped and says so; in CI (`CI` is
 * set) that is a failure, so that it cannot go unnoticed.
 */
export function describeWithPostgres(name: string, body: (server: () => PostgresServer) => void): void {
  if (bin === undefined && (process.env.CI ?? '') === '') {
    console.warn(`Skipped "${name}": there is no Postgres in ${FOLDER}. Install the package postgresql.`);
    describe.skip(name, () =>
      body(() => {
        throw new Error('There is no Postgres.');
      }),
    );
    return;
  }
  describe(name, () => {
    let running: PostgresServer | undefined;
    beforeAll(async () => {
      running = await postgresServer();
    }, 60_000);
    afterAll(() => running?.remove());
    body(() => {
      if (running === undefined) throw new Error('The database has not started yet.');
      return running;
    });
  });
}

/** Makes a cluster and starts it, which syncs nothing to the disk unless it is told to; Postgres does not run as root, so root hands it to the user postgres. */
export async function postgresServer(fsync: 'on' | 'off' = 'off'): Promise<PostgresServer> {
  if (bin === undefined)
    throw new Error(`There is no Postgres in ${FOLDER}. Install the package postgresql.`);
  const folder = mkdtempSync(path.join(tmpdir(), 'brain-pg-'));
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  const owner = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {};
  if (owner.uid !== undefined) chownSync(folder, owner.uid, owner.gid);
  const data = path.join(folder, 'data');
  const port = await freePort();
  const run = (program: string, args: readonly string[], input = ''): string => {
    // Its standard error goes to a file: a server that goes on would keep a pipe open for ever.
    const done = spawnSync(path.join(bin, program), args, {
      ...owner,
      cwd: folder,
      input,
      encoding: 'utf8',
      env: { PATH: process.env.PATH ?? '', LC_ALL: 'C.UTF-8', PGPASSWORD: 'secret' },
      stdio: ['pipe', program === 'pg_ctl' ? 'ignore' : 'pipe', program === 'pg_ctl' ? 'ignore' : 'pipe'],
    });
    if (done.status !== 0) throw new Error(`${program} ${args.join(' ')}: ${done.stderr ?? ''}`);
    return done.stdout ?? '';
  };
  const passwordFile = path.join(folder, 'password');
  writeFileSync(passwordFile, 'secret\n');
  run('initdb', ['-D', data, '-U', 'postgres', '-A', 'scram-sha-256', `--pwfile=${passwordFile}`, '-N']);
  writeFileSync(
    path.join(data, 'postgresql.auto.conf'),
    `listen_addresses = '127.0.0.1'\nport = ${port}\nunix_socket_directories = '${folder}'\nfsync = ${fsync}\nmax_connections = 40\nlogging_collector = off\n`,
  );
  const server: PostgresServer = {
    port,
    socket: folder,
    folder,
    dsn: (database, user = 'postgres') => `postgres://${user}:secret@127.0.0.1:${port}/${database}`,
    sql: (database, text) =>
      run(
        'psql',
        [
          '-h',
          folder,
          '-p',
          String(port),
          '-U',
          'postgres',
          '-d',
          database,
          '-qAtX',
          '-v',
          'ON_ERROR_STOP=1',
        ],
        text,
      ).trim(),
    makeDatabase: (name, withVectors = true) => {
      server.sql('postgres', `CREATE DATABASE "${name}"`);
      if (withVectors) server.sql(name, STAND_IN);
    },
    start: () => void run('pg_ctl', ['-D', data, '-l', path.join(folder, 'log'), '-w', 'start']),
    stop: () => void run('pg_ctl', ['-D', data, '-m', 'immediate', '-w', 'stop']),
    useTls: () => {
      const [key, certificate] = ['server.key', 'server.crt'].map((name) => path.join(folder, name));
      execFileSync(
        'openssl',
        `req -new -x509 -days 2 -nodes -subj /CN=127.0.0.1 -keyout ${key ?? ''} -out ${certificate ?? ''}`.split(
          ' ',
        ),
        { ...owner, stdio: 'ignore' },
      );
      server.sql('postgres', `ALTER SYSTEM SET ssl_key_file = '${key ?? ''}'`);
      server.sql('postgres', `ALTER SYSTEM SET ssl_cert_file = '${certificate ?? ''}'`);
      server.sql('postgres', 'ALTER SYSTEM SET ssl = on');
      server.stop();
      server.start();
    },
    remove: () => {
      if (existsSync(path.join(data, 'postmaster.pid'))) server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  server.start();
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

/** A port of this machine on which nobody listens. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const listener = createServer();
    listener.listen(0, '127.0.0.1', () => {
      const address = listener.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      listener.close(() => resolve(port));
    });
  });
}
