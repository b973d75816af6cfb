import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { postgresSql } from '../../src/adapters/postgres/pg';
import type { Sql } from '../../src/adapters/postgres/sql';
import { freePort } from './free-port';
import { silentLog } from './silent-log';

/** A Postgres on a port of this machine, empty and in memory. */
export interface SocketDatabase {
  readonly dsn: string;
  /** Cuts every connection and listens no more. */
  stop(): Promise<void>;
  /** Listens again on the same port, with what was stored. */
  start(): Promise<void>;
  close(): Promise<void>;
}

/** Starts one in a process of its own, with an extension that can be made in it. */
export async function socketDatabase(
  extension: 'vector' | 'pg_textsearch' = 'vector',
): Promise<SocketDatabase> {
  const port = await freePort();
  const child = spawn(process.execPath, ['tests/support/pglite-server.mjs', String(port), extension], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = async (): Promise<string> => {
    const next = await lines.next();
    if (next.done === true) throw new Error('The database of the tests has ended.');
    return next.value;
  };
  await line();
  const tell = async (what: 'start' | 'stop') => {
    child.stdin.write(`${what}\n`);
    if ((await line()) !== what) throw new Error(`The database of the tests did not ${what}.`);
  };
  return {
    dsn: `postgres://postgres:secret@127.0.0.1:${port}/postgres`,
    start: () => tell('start'),
    stop: () => tell('stop'),
    async close() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.stdin.end();
      await ended;
    },
  };
}

/** A connection as the service makes it. */
export function connect(dsn: string): Sql {
  return postgresSql(dsn, silentLog(), 3);
}
