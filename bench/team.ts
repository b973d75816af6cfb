import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { postgresSql } from '../src/adapters/postgres/pg';
import { importFolder } from '../src/adapters/shared/transfer';
import { type PostgresServer, postgresServer } from '../tests/support/postgres-server';
import { silentLog } from '../tests/support/silent-log';
import { call, ms, randomFrom, serve, type Served, table, textOf, Timings, withFolder } from './support';

const TOKEN = 'token-of-the-bench-which-is-long-enough-000';
const CLIENTS = 16;
const WRITE_MS = 10_000;
const QUERIES = 400;
const SEEN = 40;

/**
 * Servers that share a vault of so many notes in a Postgres of this machine, which syncs its log to the disk: acknowledged writes
 * of 16 clients beside the floor (16 clients that insert one row and commit), queries, the time until a note is found at another
 * server, and opening. All of it runs on one machine, so more servers share its processors.
 */
export async function benchTeam(notes: number): Promise<void> {
  const postgres = await postgresServer('on');
  try {
    await withFolder(async (folder) => {
      const database = `bench${randomBytes(4).toString('hex')}`;
      postgres.sql('postgres', `CREATE DATABASE ${database}`);
      const dsn = postgres.dsn(database);
      await fill(dsn, join(folder, 'vault'), notes);
      report('The notes are imported.');
      const floor = await floorOf(postgres, database);
      console.log(`## A team: ${notes} notes in Postgres, ${CLIENTS} clients\n`);
      console.log(`The floor, one insert and commit: ${floor.toFixed(0)} a second.\n`);
      const rows: string[][] = [];
      const config = join(folder, 'config');
      for (const count of [1, 2, 3]) rows.push([String(count), ...(await teamOf(count, dsn, config, floor))]);
      // The peer: the same server on the folder from which the database was filled.
      rows.push(['1, on a folder', ...(await teamOf(1, join(folder, 'vault'), config, floor))]);
      table(
        [
          'servers',
          'first start',
          'again',
          'writes a second',
          'floor / writes',
          'processor time a write',
          'query p50',
          'p95',
          'p99',
          'seen elsewhere p50',
          'p99',
          'memory a server',
        ],
        rows,
      );
    });
  } finally {
    postgres.remove();
  }
}

async function fill(dsn: string, vault: string, notes: number): Promise<void> {
  const random = randomFrom(5);
  for (let n = 0; n < notes; n += 1) {
    const hall = join(vault, 'wiki', `wing-${n % 20}`, 'facts');
    if (n < 20) await mkdir(hall, { recursive: true });
    const head = `---\nwing: wing-${n % 20}\nhall: facts\n---\n`;
    await writeFile(join(hall, `note-${n}.md`), `${head}# Note ${n}\n\n${textOf(300, random)}\n`);
  }
  const sql = postgresSql(dsn, silentLog(), 2);
  await importFolder(sql, vault, () => undefined);
  await sql.close();
}

/** How many rows a second 16 clients insert and commit one by one, over the same driver. */
async function floorOf(postgres: PostgresServer, database: string): Promise<number> {
  postgres.sql(database, 'CREATE TABLE floor (id bigint GENERATED ALWAYS AS IDENTITY, text text)');
  const sql = postgresSql(postgres.dsn(database), silentLog(), CLIENTS);
  const done = await repeat(async () => {
    await sql.transaction((query) =>
      query('INSERT INTO floor (text) VALUES ($1)', ['A text of a note. '.repeat(100)]),
    );
    return true;
  });
  await sql.close();
  return done;
}

/** Has all clients repeat work for a while; resolves with how often it succeeded a second. */
async function repeat(work: (client: number) => Promise<boolean>): Promise<number> {
  const end = performance.now() + WRITE_MS;
  let done = 0;
  const client = async (_: unknown, number: number): Promise<void> => {
    while (performance.now() < end) if (await work(number)) done += 1;
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return (done * 1000) / WRITE_MS;
}

/** Says how far a long run is, beside the table that follows. */
function report(progress: string): void {
  console.error(`${new Date().toISOString().slice(11, 19)} ${progress}`);
}

async function teamOf(count: number, dsn: string, config: string, floor: number): Promise<string[]> {
  const open = async (): Promise<{ server: Served; took: number }> => {
    const start = performance.now();
    const server = await serve(dsn, config, TOKEN);
    while ((await fetch(`${server.url}/ready`)).status !== 200) await wait(20);
    return { server, took: performance.now() - start };
  };
  const opened = [await open()];
  while (opened.length < count) opened.push(await open());
  const servers = opened.map(({ server }) => server);
  const at = (number: number): Served => {
    const server = servers[number % servers.length];
    if (server === undefined) throw new Error('There is no server.');
    return server;
  };
  report(`${count} servers are ready after ${opened.map(({ took }) => ms(took)).join(', ')}.`);
  const run = randomBytes(4).toString('hex');
  let slugs = 0;
  const write = async (server: Served, text: string): Promise<boolean> => {
    const input = {
      wing: 'bench',
      hall: 'facts',
      slug: `w-${run}-${(slugs += 1)}`,
      content: `# W ${slugs}\n\n${text}\n`,
    };
    return (await call(server, TOKEN, 'POST', '/write', input)).status === 200;
  };
  const random = randomFrom(6);
  const texts = Array.from({ length: 50 }, () => textOf(100, random));
  const spent = async (): Promise<number> => {
    const times = await Promise.all(servers.map(({ process: { pid } }) => processorTimeOf(pid ?? 0)));
    return times.reduce((sum, time) => sum + time, 0);
  };
  const before = await spent();
  const writes = await repeat((client) => write(at(client), texts[client % texts.length] ?? ''));
  const perWrite = ((await spent()) - before) / ((writes * WRITE_MS) / 1000);
  report(`${writes.toFixed(0)} writes a second.`);
  const queries = new Timings();
  for (let n = 0; n < QUERIES; n += 1) {
    const query = textOf(3, random);
    await queries.time(() => call(at(n), TOKEN, 'POST', '/query', { query }));
  }
  report(`${QUERIES} queries are answered.`);
  const seen = new Timings();
  for (let n = 0; n < SEEN && count > 1; n += 1) {
    const word = `seen${run}${n}`;
    await write(at(n), `The word ${word}.`);
    await seen.time(async () => {
      const isThere = async (): Promise<boolean> => {
        const { body } = await call(at(n + 1), TOKEN, 'POST', '/query', { query: word });
        return Array.isArray(body.results) && body.results.length > 0;
      };
      while (!(await isThere())) await wait(5);
    });
  }
  if (count > 1) report(`${SEEN} writes are seen elsewhere.`);
  const memory = await Promise.all(servers.map(({ process: { pid } }) => residentOf(pid ?? 0)));
  for (const server of servers) await server.stop();
  const again = await open();
  await again.server.stop();
  return [
    ms(opened[0]?.took ?? Number.NaN),
    ms(again.took),
    writes.toFixed(0),
    (floor / writes).toFixed(1),
    ms(perWrite),
    ...[0.5, 0.95, 0.99].map((q) => ms(queries.quantile(q))),
    ...[0.5, 0.99].map((q) => (count > 1 ? ms(seen.quantile(q)) : '')),
    `${Math.max(...memory).toFixed(0)} MiB`,
  ];
}

/** The processor time of a process so far (ms), where the system tells. */
async function processorTimeOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const [user, system] = status
    .slice(status.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  // The kernel counts hundredths of a second.
  return (Number(user) + Number(system)) * 10;
}

/** The resident memory of a process (MiB), where the system tells. */
async function residentOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? Number.NaN) / 1024;
}
