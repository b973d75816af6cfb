import { randomBytes } from 'node:crypto';
import { Agent } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { randomFrom, serve, type Served } from '../../bench/support';
import type { PostgresCluster } from '../support/postgres-cluster';
import { ask, send, TOKEN } from './kill-client';

/**
 * Several servers share a vault in a database, under writes of many clients over both doors, while servers are killed and
 * frozen, the database is stopped as in a crash, and its standby takes its place. Every acknowledged note and line must be there, whole; no address may
 * have been given twice; every server must show the same notes; every audit chain must be whole, with a line for each
 * acknowledged tool call.
 */
export interface TeamKillOptions {
  readonly cluster: PostgresCluster;
  readonly servers: number;
  readonly clients: number;
  /** How often a server or the database is hit. */
  readonly hits: number;
  readonly seed: number;
  readonly report?: (line: string) => void;
}

export interface TeamKillResult {
  readonly acknowledged: number;
  readonly tools: number;
  readonly hits: Readonly<Record<Hit, number>>;
  readonly problems: readonly string[];
}

type Hit = 'kill' | 'freeze' | 'database' | 'failover';

/** Of so many hits one is a failover. */
const FAILOVER_EACH = 8;

/** A server that has just started, or whose database was away, sees everything after so long (ms). */
const SEES_WITHIN_MS = 20_000;

/** What is acknowledged of a note: the lines that it must hold. */
type Notes = Map<string, Set<string>>;

/** A refusal that a client has to expect where others write too. */
const EXPECTED = /hash_mismatch|note_exists|destination_exists|busy|note_not_found/;

export async function runTeamKill(options: TeamKillOptions): Promise<TeamKillResult> {
  const { cluster, clients, seed, report = () => undefined } = options;
  const root = await mkdtemp(join(tmpdir(), 'brain-team-'));
  const database = `team${randomBytes(4).toString('hex')}`;
  cluster.sql('postgres', `CREATE DATABASE ${database}`);
  const random = randomFrom(seed);
  const agent = new Agent({ keepAlive: true });
  const notes: Notes = new Map();
  const problems: string[] = [];
  const hits: Record<Hit, number> = { kill: 0, freeze: 0, database: 0, failover: 0 };
  const sums = { acknowledged: 0, tools: 0 };
  const all: Served[] = [];
  const start = async (): Promise<Served> => {
    const server = await serve(cluster.dsn(database), join(root, 'config'), TOKEN);
    all.push(server);
    return server;
  };
  const team: Served[] = [];
  let isOver = false;
  let slugs = 0;

  /** One change by one client, over either door; nothing is noted of one that was refused or not answered. */
  const change = async (client: number): Promise<void> => {
    const server = team[Math.floor(random() * team.length)];
    if (server === undefined) return;
    const overMcp = random() < 0.3;
    const known = [...notes.keys()];
    const old = random() < 0.5 ? known[Math.floor(random() * known.length)] : undefined;
    const line = `Line ${client} ${slugs} ${randomBytes(6).toString('hex')}.`;
    try {
      if (old === undefined) {
        // Now and then two clients want one address.
        if (random() < 0.8) slugs += 1;
        const input = { wing: 'team', hall: 'facts', slug: `note-${slugs}`, content: `# Note\n\n${line}` };
        const made = await ask(agent, server.url, { kind: 'write', input }, overMcp, () => undefined);
        if (made === null) return;
        if (notes.has(made.path)) problems.push(`${made.path} was given twice`);
        notes.set(made.path, new Set([line]));
      } else {
        const read = await send(agent, `${server.url}/note?path=${encodeURIComponent(old)}`, 'GET');
        if (read?.status !== 200) return;
        const { body, content_hash: hash }: { body: string; content_hash: string } = JSON.parse(read.text);
        const input = {
          path: old,
          content: `${body.trimEnd()}\n\n${line}`,
          reason: 'more',
          expected_hash: hash,
        };
        const made = await ask(agent, server.url, { kind: 'update', input }, overMcp, () => undefined);
        if (made === null) return;
        notes.get(old)?.add(line);
      }
      sums.acknowledged += 1;
      if (overMcp) sums.tools += 1;
    } catch (error) {
      if (!EXPECTED.test(String(error))) problems.push(String(error));
    }
  };
  const work = async (client: number): Promise<void> => {
    while (!isOver) {
      await change(client);
      await wait(1);
    }
  };

  const hit = async (number: number): Promise<void> => {
    const drawn: Hit = random() < 0.2 ? 'database' : random() < 0.25 ? 'freeze' : 'kill';
    const kind: Hit = number % FAILOVER_EACH === FAILOVER_EACH / 2 ? 'failover' : drawn;
    hits[kind] += 1;
    if (kind === 'failover') return cluster.failOver();
    if (kind === 'database') {
      cluster.stop();
      await wait(random() * 300);
      return cluster.start();
    }
    const index = Math.floor(random() * team.length);
    const server = team[index];
    if (server === undefined) return;
    if (kind === 'freeze') {
      server.process.kill('SIGSTOP');
      await wait(random() * 1500);
      server.process.kill('SIGCONT');
    } else {
      server.process.kill('SIGKILL');
      await server.exited;
      team[index] = await start();
    }
  };

  try {
    while (team.length < options.servers) team.push(await start());
    const working = Array.from({ length: clients }, (_, client) => work(client));
    for (let number = 1; number <= options.hits; number += 1) {
      await wait(300 + random() * 900);
      await hit(number);
      if (number % 10 === 0)
        report(`${number} hits, ${sums.acknowledged} acknowledged, ${problems.length} problems`);
    }
    isOver = true;
    await Promise.all(working);
    const totals = new Set<unknown>();
    for (const server of [...team, await start()]) {
      problems.push(...(await faultsOf(server, agent, notes)));
      const listed = await send(agent, `${server.url}/notes?limit=1`, 'GET');
      const { total }: { total?: number } = JSON.parse(listed?.text ?? '{}');
      totals.add(total);
    }
    if (totals.size > 1) problems.push(`the servers list ${[...totals].join(', ')} notes`);
    const audited = await send(agent, `${team[0]?.url ?? ''}/audit/verify`, 'GET');
    const audit: { problem_count?: number; lines?: number } = JSON.parse(audited?.text ?? '{}');
    if (audit.problem_count !== 0)
      problems.push(`the audit log: ${audited?.text.slice(0, 500) ?? 'no answer'}`);
    if ((audit.lines ?? 0) < sums.tools)
      problems.push(`${audit.lines ?? 0} audit lines of ${sums.tools} calls`);
  } finally {
    isOver = true;
    agent.destroy();
    for (const server of all) server.process.kill('SIGKILL');
    await rm(root, { recursive: true, force: true });
  }
  return { ...sums, hits, problems };
}

/** Reads every note at one server, which has to see all soon, and names what is missing. */
async function faultsOf(server: Served, agent: Agent, notes: Notes): Promise<string[]> {
  await wait(1_000);
  const end = Date.now() + SEES_WITHIN_MS;
  const faults: string[] = [];
  for (const [path, lines] of notes) {
    let found = await faultsOfNote(server, agent, path, lines);
    while (found.length > 0 && Date.now() < end) {
      await wait(200);
      found = await faultsOfNote(server, agent, path, lines);
    }
    faults.push(...found);
  }
  return faults;
}

async function faultsOfNote(
  server: Served,
  agent: Agent,
  path: string,
  lines: ReadonlySet<string>,
): Promise<string[]> {
  const faults: string[] = [];
  const answer = await send(agent, `${server.url}/note?path=${encodeURIComponent(path)}`, 'GET');
  const { body = '' }: { body?: string } = JSON.parse(answer?.text ?? '{}');
  const missing = [...lines].filter((line) => !body.includes(line));
  if (answer?.status !== 200)
    faults.push(`${path} is not there: ${answer?.text.slice(0, 200) ?? 'no answer'}`);
  else if (missing.length > 0) faults.push(`${path} lacks ${missing.join(' ')}`);
  else if (!body.trimEnd().endsWith('.')) faults.push(`${path} is cut: ${body.slice(-60)}`);
  // The word that only its newest line has.
  const query = [...lines].at(-1)?.slice(0, -1).split(' ').at(-1) ?? '';
  const found = await send(agent, `${server.url}/query`, 'POST', JSON.stringify({ query }));
  const { results = [] }: { results?: { path: string }[] } = JSON.parse(found?.text ?? '{}');
  if (!results.some((hit) => hit.path === path)) faults.push(`${path} is not found by ${query}`);
  return faults;
}
