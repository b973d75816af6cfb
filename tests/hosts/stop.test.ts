import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type RawClient, rawClient } from '../doors/attack/raw-client';
import { buildSimulator, headless, plugins, present, type RunningHost } from './host';

/**
 * A server that stops waits for nobody who means to keep it: with 64 connections of every bad kind it is gone soon after the
 * two seconds that each request has to end.
 */
const HOSTS = present([headless, ...plugins.slice(0, 1)]);
/** Less than the ten seconds that a server in use waits for the rest of a head, the shortest of its limits. */
const STOPS_WITHIN_MS = 9_000;

/** A language model that takes every question and never answers. */
let model: Server;
let asked = 0;
beforeAll(async () => {
  buildSimulator();
  model = createServer(() => (asked += 1));
  await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  model.closeAllConnections();
  model.close();
});

describe.each(HOSTS)('$name', (host) => {
  let folder = '';
  let running: RunningHost;
  const clients: RawClient[] = [];
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'brain-stop-'));
    const { port } = model.address() as AddressInfo; // a TCP server has no other kind of address
    running = await host.start(path.join(folder, 'vault'), folder, {
      BRAIN_LLM_URL: `http://127.0.0.1:${port}`,
      BRAIN_LLM_MODEL: 'none',
    });
  });
  afterAll(async () => {
    for (const client of clients) client.leave();
    await running.kill();
    rmSync(folder, { recursive: true, force: true });
  });

  const head = (line: string, ...headers: string[]) =>
    [
      line,
      `Host: ${new URL(running.url).host}`,
      `Authorization: Bearer ${running.token}`,
      'Content-Type: application/json',
      'Accept: application/json, text/event-stream',
      ...headers,
      '',
      '',
    ].join('\r\n');
  const post = (route: string, value: unknown) => {
    const body = JSON.stringify(value);
    return head(`POST ${route} HTTP/1.1`, `Content-Length: ${Buffer.byteLength(body)}`) + body;
  };
  const open = (text: string) => {
    const client = rawClient(Number(new URL(running.url).port));
    client.send(text);
    clients.push(client);
    return client;
  };

  it('stops soon, whatever 64 clients hold, and keeps what it acknowledged', async () => {
    const note = { wing: 'net', hall: 'facts', slug: 'kept', content: '# Kept\n\nWhich backup is kept?\n' };
    const [written] = await open(post('/write', note)).until(1);
    expect(written?.status).toBe(200);
    const question = {
      name: 'brain_answer',
      arguments: { query: 'which backup is kept' },
      _meta: { progressToken: 1 },
    };
    const kinds = [
      () => head('POST /write HTTP/1.1', 'Content-Length: 1000').concat('{"content":"'),
      () => 'GET /health HTTP/1.1\r\nHost: ',
      () => head('GET /health HTTP/1.1'),
      () => '',
      () => post('/answer', { query: 'which backup is kept' }),
      () => post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: question }),
    ];
    asked = 0;
    for (let n = 0; n < 64; n += 1) open(kinds[n % kinds.length]?.() ?? '');
    while (asked === 0) await new Promise((resolve) => setTimeout(resolve, 20));
    const [last] = await open(head('GET /health HTTP/1.1')).until(1);
    expect(last?.status).toBe(200);

    const started = performance.now();
    await running.stop();
    expect(performance.now() - started).toBeLessThan(STOPS_WITHIN_MS);
    await Promise.all(clients.map(({ closed }) => closed));

    expect(readFileSync(path.join(folder, 'vault/wiki/net/facts/kept.md'), 'utf8')).toContain('Which backup');
    const local = readdirSync(path.join(folder, 'vault/.brain')).find((name) => name.startsWith('local.'));
    expect(readdirSync(path.join(folder, 'vault/.brain', local ?? '', 'tmp'))).toEqual([]);
    expect(readdirSync(path.join(folder, 'vault/.brain', local ?? ''))).not.toContain('lock');
  });
});
