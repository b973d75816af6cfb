import express from 'express';
import { once } from 'node:events';
import { type RunningServer, startServer } from '../../../src/doors/http/listen';
import { type LiveServer, startLiveServer } from '../../support/live-server';
import { call, OWNER, post, serve, stopServers } from '../http-support';
import { codeIn, type RawClient, rawClient } from './raw-client';

/** Requests that begin and are never sent to their end: they keep out neither others nor whole calls with the same token. */
const clients: RawClient[] = [];
const running: RunningServer[] = [];
let live: LiveServer | null = null;
afterEach(async () => {
  for (const client of clients.splice(0)) client.leave();
  await Promise.all(running.splice(0).map((server) => server.stop({ atOnce: true })));
  await stopServers();
  await live?.stop();
  live = null;
});

async function flood(port: number, count: number, text: (n: number) => string): Promise<RawClient[]> {
  const held = Array.from({ length: count }, (_, n) => {
    const client = rawClient(port);
    client.send(text(n));
    return client;
  });
  clients.push(...held);
  for (const { socket } of held) if (socket.connecting) await once(socket, 'connect');
  return held;
}

const head = (port: number, path: string, token: string, ...headers: string[]) =>
  [
    `POST ${path} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    ...headers,
    '',
    '',
  ].join('\r\n');
const lengthy = (port: number, path: string, token: string) =>
  `${head(port, path, token, 'Content-Length: 100')}{`;
const chunked = (port: number, path: string, token: string) =>
  `${head(port, path, token, 'Transfer-Encoding: chunked')}1\r\n{\r\n`;
const waiting = (port: number, path: string, token: string) =>
  head(port, path, token, 'Content-Length: 100', 'Expect: 100-continue');
const tokenOf = (n: number) => ['read', 'propose', 'write', 'review', 'admin'][n % 5] ?? '';

const WAYS: [string, (port: number, n: number) => string][] = [
  ['half a body', (port) => lengthy(port, '/echo', 'read-token')],
  ['half a body each with one of several tokens', (port, n) => lengthy(port, '/echo', `${tokenOf(n)}-token`)],
  ['a chunked body without an end', (port) => chunked(port, '/echo', 'read-token')],
  ['a wish to send', (port) => waiting(port, '/echo', 'read-token')],
  ['half a body and no token', (port) => lengthy(port, '/echo', 'nobody')],
  ['half a body to where nothing is', (port) => lengthy(port, '/nowhere', OWNER)],
  ['half of their headers', () => 'POST /echo HTTP/1.1\r\nX: '],
  ['nothing', () => ''],
];

describe.each(WAYS)('300 connections with %s', (_name, text) => {
  it('keep nobody out, at once or a while later', async () => {
    const { port, url } = await serve();
    await flood(port, 300, (n) => text(port, n));
    for (const wait of [0, 1500]) {
      await new Promise((resolve) => setTimeout(resolve, wait));
      const started = performance.now();
      const answers = await Promise.all([
        call(url, 'GET', '/health'),
        post(url, '/echo', { text: 'x' }),
        call(url, 'GET', '/find?text=x'),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(performance.now() - started).toBeLessThan(6_000);
    }
  });
});

it('drops that keep coming do not keep a place from a newcomer', async () => {
  const { port, url } = await serve({ limits: { maxConnections: 16, slowMs: 100 } });
  const held = await flood(port, 16, () => lengthy(port, '/echo', OWNER));
  const dripping = setInterval(() => held.forEach(({ send }) => send(' ')), 20);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect((await call(url, 'GET', '/health')).status).toBe(200);
  clearInterval(dripping);
});

it('a request that is not whole goes before idle connections, and never one that is being worked on', async () => {
  const answers: (() => void)[] = [];
  const app = express()
    .post('/work', (_req, res) => void answers.push(() => res.send('done')))
    .get('/', (_req, res) => void res.send('hello'));
  const limits = { maxConnections: 8, slowMs: 50 };
  const server = await startServer(app, { host: '127.0.0.1', port: 0, limits });
  running.push(server);
  const whole = (text: string) => head(server.port, '/work', OWNER, `Content-Length: ${text.length}`) + text;
  const get = `GET / HTTP/1.1\r\nHost: x\r\n\r\n`;
  const idle = await flood(server.port, 3, () => get);
  for (const client of idle) await client.until(1);
  const busy = await flood(server.port, 3, () => whole(''));
  while (answers.length < 3) await new Promise((resolve) => setImmediate(resolve));
  const half = await flood(server.port, 2, () => lengthy(server.port, '/work', OWNER));
  while (answers.length < 5) await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setTimeout(resolve, 100));
  const [one, two] = await flood(server.port, 2, () => get);
  expect([(await one?.until(1))?.[0]?.body, (await two?.until(1))?.[0]?.body]).toEqual(['hello', 'hello']);
  await Promise.all(half.map(({ closed }) => closed));
  for (const client of idle) client.send(get);
  for (const client of idle) expect(await client.until(2)).toHaveLength(2);
  answers.forEach((end) => end());
  for (const client of busy) expect((await client.until(1))[0]?.body).toBe('done');
});

describe('open bodies of one token', () => {
  it('are 32; one more is busy with a time to wait, and another token has its own', async () => {
    const { port } = await serve();
    await flood(port, 32, () => lengthy(port, '/echo', 'write-token'));
    const [more] = await flood(port, 1, () => lengthy(port, '/echo', 'write-token'));
    const [answer] = (await more?.until(1)) ?? [];
    expect([answer?.status, answer && codeIn(answer), answer?.headers['retry-after']]).toEqual([
      503,
      'busy',
      '2',
    ]);
    const [other] = await flood(port, 1, () => lengthy(port, '/echo', OWNER));
    other?.send(' '.repeat(98) + '}');
    expect((await other?.until(1))?.[0]?.status).toBe(200);
  });

  it('keep no whole call of that token out, and leave their places when they end, break off or are refused', async () => {
    const { port, url } = await serve();
    const headers = { authorization: 'Bearer write-token' };
    for (let round = 0; round < 3; round += 1) {
      const held = await flood(port, 32, () => lengthy(port, '/echo', 'write-token'));
      expect((await post(url, '/echo', { text: 'x'.repeat(1000) }, headers)).status).toBe(200);
      for (const [n, client] of held.entries()) {
        if (n % 3 === 0) client.leave();
        else client.send(n % 3 === 1 ? `${' '.repeat(98)}}` : '?'.repeat(99));
      }
      for (const [n, client] of held.entries()) {
        if (n % 3 === 0) continue;
        expect((await client.until(1))[0]?.status).toBe(n % 3 === 1 ? 200 : 400);
        client.leave();
      }
    }
    const many = Array.from({ length: 100 }, () => post(url, '/echo', { text: 'x' }, headers));
    expect(new Set((await Promise.all(many)).map(({ status }) => status))).toEqual(new Set([200]));
  });

  it('are counted for MCP as well', async () => {
    live = await startLiveServer();
    const port = Number(new URL(live.url).port);
    await flood(port, 32, () => lengthy(port, '/mcp', 'laptop'));
    const [more] = await flood(port, 1, () => lengthy(port, '/write', 'laptop'));
    expect((await more?.until(1))?.[0]?.status).toBe(503);
    const client = await live.mcp('laptop');
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  });
});
