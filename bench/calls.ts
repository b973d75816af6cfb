import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, unlinkSync, writeSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import express from 'express';
import * as z from 'zod';
import { makeVault } from './mixed';
import {
  healthOf,
  ms,
  randomFrom,
  serveWatched,
  table,
  textOf,
  TOKEN,
  untilRead,
  watchEnv,
  type Watched,
  withFolder,
} from './support';

/** The calls of one row, after as many that are not counted; the rows are measured in turn, so many times. */
const CALLS = 200;
const ROUNDS = 5;

/** Something to measure: a server, and a call to it that resolves with the answer. */
interface Row {
  readonly name: string;
  readonly watched: Watched;
  readonly call: () => Promise<string>;
}

/**
 * The processor time of a server for one call of `brain_query`, beside the same search over plain HTTP and an idle server of the
 * SDK with one tool whose answer is as long. A single client calls over a connection that stays open.
 * @param notes the number of notes in the vault
 */
export async function benchMcp(notes: number): Promise<void> {
  console.log(`## One call over MCP, ${notes} notes\n`);
  await withServer(notes, async (folder, ours) => {
    const random = randomFrom(3);
    const query = (): { query: string } => ({ query: textOf(4, random).replaceAll('\n', ' ') });
    const answer = await callTool(ours.served.url, 'brain_query', query());
    const floor = await serveFloor(folder, answer.length);
    try {
      const rows: Row[] = [
        { name: 'SDK, trivial tool', watched: floor, call: () => callTool(floor.served.url, 'floor', {}) },
        { name: 'POST /query', watched: ours, call: () => post(`${ours.served.url}/query`, query()) },
        {
          name: 'brain_query',
          watched: ours,
          call: () => callTool(ours.served.url, 'brain_query', query()),
        },
      ];
      await measure(rows);
    } finally {
      await floor.served.stop();
    }
  });
}

/**
 * The processor time of a server for one write, over HTTP and MCP, beside the same files and syncs by hand: the note in a
 * temporary file that gets its name by a link, a line of the change log, and a line of the audit log.
 * @param notes the number of notes in the vault at the start
 */
export async function benchWrite(notes: number): Promise<void> {
  console.log(`## One write, ${notes} notes at the start\n`);
  await withServer(notes, async (folder, ours) => {
    const random = randomFrom(5);
    let made = 0;
    const note = (): Record<string, string> => {
      made += 1;
      const content = `# Written ${made}\n\n${textOf(200, random)}\n`;
      return { wing: `wing-${made % 10}`, hall: 'facts', slug: `written-${made}`, content };
    };
    const rows: Row[] = [
      { name: 'POST /write', watched: ours, call: () => post(`${ours.served.url}/write`, note()) },
      {
        name: 'brain_write',
        watched: ours,
        call: () => callTool(ours.served.url, 'brain_write', note()),
      },
    ];
    await measure(rows, byHand(folder, note));
  });
}

/** Returns a function that does the file calls of one write in this process. */
function byHand(folder: string, note: () => Record<string, string>): () => void {
  const place = join(folder, 'by-hand');
  mkdirSync(place);
  const names = openSync(place, 'r');
  const logs = ['changes', 'audit'].map((name) => openSync(join(place, name), 'a'));
  return () => {
    const { slug = '', content = '' } = note();
    const temp = join(place, `${slug}.tmp`);
    const file = openSync(temp, 'wx');
    writeSync(file, content);
    fsyncSync(file);
    closeSync(file);
    linkSync(temp, join(place, `${slug}.md`));
    unlinkSync(temp);
    fsyncSync(names);
    const hash = createHash('sha256').update(content).digest('hex');
    for (const log of logs) {
      writeSync(log, `${JSON.stringify({ slug, hash })}\n`);
      fsyncSync(log);
    }
  };
}

async function withServer(
  notes: number,
  work: (folder: string, ours: Watched) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const vault = join(folder, 'vault');
    await makeVault(vault, notes);
    const ours = await serveWatched(folder, vault);
    try {
      await untilRead(ours.served);
      await work(folder, ours);
    } finally {
      await ours.served.stop();
    }
  });
}

/** Measures the rows in turn and prints the least and the median of each, and what `byHand` takes. */
async function measure(rows: readonly Row[], handwork?: () => void): Promise<void> {
  const taken = new Map<string, number[]>();
  const add = (name: string, took: number): unknown => taken.set(name, [...(taken.get(name) ?? []), took]);
  for (let round = 0; round <= ROUNDS; round += 1) {
    if (handwork !== undefined) {
      const before = process.cpuUsage();
      for (let n = 0; n < CALLS; n += 1) handwork();
      const { user, system } = process.cpuUsage(before);
      if (round > 0) add('the same files by hand', (user + system) / 1000 / CALLS);
    }
    for (const { name, watched, call } of rows) {
      const { cpuAfter } = await watched.health();
      for (let n = 0; n < CALLS; n += 1) await call();
      // The first round warms up.
      if (round > 0) add(name, ((await watched.health()).cpu - cpuAfter) / CALLS);
    }
  }
  table(
    ['', 'processor time a call', 'median'],
    [...taken].map(([name, times]) => {
      const sorted = times.sort((a, b) => a - b);
      return [name, ms(sorted[0] ?? NaN), ms(sorted[Math.floor(ROUNDS / 2)] ?? NaN)];
    }),
  );
}

async function post(url: string, body: unknown, accept = 'application/json'): Promise<string> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', accept },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok || text.includes('"isError":true'))
    throw new Error(`${url} answers ${answer.status}: ${text}`);
  return text;
}

function callTool(url: string, name: string, args: unknown): Promise<string> {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
  return post(`${url}/mcp`, body, 'application/json, text/event-stream');
}

/** Starts the floor in a process of its own; resolves when it listens. */
async function serveFloor(folder: string, length: number): Promise<Watched> {
  const file = join(folder, 'floor.json');
  const [, script = ''] = process.argv;
  const child = spawn(process.execPath, [resolve(script), 'mcp-floor', String(length)], {
    env: { ...process.env, ...watchEnv(file) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = new Promise<void>((ended) => child.once('exit', () => ended()));
  const url = await new Promise<string>((found, failed) => {
    child.stdout.once('data', (data: Buffer) => found(data.toString().trim()));
    child.once('exit', (code) => failed(new Error(`the floor ended with ${code}`)));
  });
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await exited;
  };
  return { served: { url, process: child, listening: 0, exited, stop }, health: healthOf(child, file) };
}

/** Serves one trivial tool as the examples of the SDK do without sessions: a server and a transport for each request. */
export function serveMcpFloor([length = '0']: readonly string[]): void {
  const text = 'x'.repeat(Number(length));
  const app = express();
  app.use(express.json());
  app.post('/mcp', async (req, res) => {
    const server = new McpServer({ name: 'floor', version: '1' });
    server.registerTool('floor', { inputSchema: { query: z.string().optional() } }, () => ({
      content: [{ type: 'text', text }],
    }));
    const transport = new StreamableHTTPServerTransport({});
    res.on('close', () => void server.close());
    await server.connect(transport);
    await transport.handleRequest(req, res, req.body);
  });
  const listening = app.listen(0, '127.0.0.1', () => {
    const address = listening.address();
    if (typeof address === 'object' && address !== null) console.log(`http://127.0.0.1:${address.port}`);
  });
}
