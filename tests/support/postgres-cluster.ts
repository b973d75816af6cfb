import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'yaml';
import { freePort } from './free-port';
import {
  describeOn,
  folderOfPostgres,
  missingPostgres,
  type PostgresServer,
  postgresServer,
  standbyOf,
  untilInSync,
} from './postgres-server';

/** A primary, its synchronous standby, and pgbouncer in transaction mode, which leads to whichever is the primary. */
export interface PostgresCluster extends Pick<PostgresServer, 'sql' | 'drop' | 'stop' | 'remove'> {
  /** Starts the primary, and resolves when the standby follows it again. */
  start(): Promise<void>;
  /** The address of a database through pgbouncer. */
  dsn(database: string): string;
  /** The server that is the primary now. */
  primary(): PostgresServer;
  standby(): PostgresServer;
  /**
   * Ends the primary as a crash does, makes a primary of the standby, and leads pgbouncer there. Resolves once the old primary
   * is a standby of the new one; until then no commit is acknowledged.
   */
  failOver(): Promise<void>;
}

const PGBOUNCER = '/usr/sbin/pgbouncer';
const missing =
  missingPostgres ??
  (existsSync(PGBOUNCER) ? null : `there is no ${PGBOUNCER}. Install the package pgbouncer`);

/** A suite on a cluster, which is skipped or fails as one of `describeWithPostgres`. */
export function describeWithCluster(name: string, body: (cluster: () => PostgresCluster) => void): void {
  describeOn(name, missing, postgresCluster, body);
}

/** Starts a cluster on ports of this machine alone. Nothing of it stays when that fails. */
export async function postgresCluster(): Promise<PostgresCluster> {
  if (missing !== null) throw new Error(`A cluster cannot be started: ${missing}.`);
  const running = new Set<{ remove(): void }>();
  const kept = <T extends { remove(): void }>(part: T): T => {
    running.add(part);
    return part;
  };
  const remove = (): void => {
    const errors: unknown[] = [];
    for (const part of running) {
      try {
        part.remove();
      } catch (error) {
        errors.push(error);
      }
    }
    running.clear();
    if (errors.length > 0) throw errors[0];
  };
  try {
    let primary = kept(await postgresServer());
    let standby = kept(await standbyOf(primary));
    const pooler = kept(await startPgbouncer(primary.port));
    return {
      dsn: (database) => `postgres://postgres:secret@127.0.0.1:${pooler.port}/${database}`,
      sql: (database, text) => primary.sql(database, text),
      drop: (database) => primary.drop(database),
      primary: () => primary,
      standby: () => standby,
      stop: () => primary.stop(),
      start: async () => {
        primary.start();
        await untilInSync(primary);
      },
      failOver: async () => {
        const old = primary;
        old.stop();
        await standby.promote();
        primary = standby;
        pooler.leadTo(primary.port);
        old.remove();
        running.delete(old);
        standby = kept(await standbyOf(primary));
      },
      remove,
    };
  } catch (error) {
    remove();
    throw error;
  }
}

interface Pooler {
  readonly port: number;
  /** Leads every database to the server at this port. Connections to another are closed. */
  leadTo(port: number): void;
  remove(): void;
}

/** Starts pgbouncer with the settings that docs/compose.team.yaml gives it. */
async function startPgbouncer(server: number): Promise<Pooler> {
  const { folder, owner } = folderOfPostgres();
  const port = await freePort();
  const settings = path.join(folder, 'pgbouncer.ini');
  const { configs }: { configs: { pgbouncer: { content: string } } } = parse(
    readFileSync('docs/compose.team.yaml', 'utf8'),
  );
  const documented = configs.pgbouncer.content;
  const configure = (to: number): void => {
    const here: Record<string, string> = {
      '*': `host=127.0.0.1 port=${to}`,
      listen_addr: '127.0.0.1',
      listen_port: String(port),
      auth_file: path.join(folder, 'users'),
    };
    const lines = documented.split('\n').map((line) => {
      const [name = ''] = line.split(' = ');
      const own = here[name];
      return own === undefined ? line : `${name} = ${own}`;
    });
    writeFileSync(settings, lines.join('\n'));
  };
  writeFileSync(path.join(folder, 'users'), '"postgres" "secret"\n');
  configure(server);
  const child = spawn(PGBOUNCER, [settings], { ...owner, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = `${said}${text}`.slice(-4_000)));
  const remove = (): void => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  for (let tries = 0; !(await answers(port)); tries += 1) {
    if (child.exitCode === null && tries < 100) {
      await sleep(50);
      continue;
    }
    remove();
    throw new Error(`pgbouncer did not start: ${said}`);
  }
  const leadTo = (to: number): void => {
    configure(to);
    child.kill('SIGHUP');
  };
  return { port, leadTo, remove };
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true));
    socket.once('error', () => resolve(false)).once('connect', () => socket.destroy());
  });
}
