import express from 'express';
import { once } from 'node:events';
import { type RunningServer, startServer } from '../../../src/doors/http/listen';
import { call, OWNER, post, serve, stopServers } from '../http-support';
import { startLiveServer } from '../../support/live-server';
import { codeIn, type RawClient, rawClient } from './raw-client';

/** Clients that hold what they have instead of using it: others are served meanwhile, and what is held is taken back. */
const clients: RawClient[] = [];
const running: RunningServer[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.leave();
  await Promise.all(running.splice(0).map((server) => server.stop({ atOnce: true })));
  await stopServers();
});

function open(port: number, text = ''): RawClient {
  const client = rawClient(port);
  client.send(text);
  clients.push(client);
  return client;
}

/** So many connections that say this, once the server has taken all of them. */
async function flood(port: number, count: number, text: string): Promise<RawClient[]> {
  const held = Array.from({ length: count }, () => open(port, text));
  for (const { socket } of held) if (socket.connecting) await once(socket, 'connect');
  return held;
}

const head = (port: number, line: string, ...headers: string[]) =>
  [line, `Host: 127.0.0.1:${port}`, `Authorization: Bearer ${OWNER}`, ...headers, '', ''].join('\r\n');
const body = (port: number) =>
  `${head(port, 'POST /echo HTTP/1.1', 'Content-Type: application/json', 'Content-Length: 100')}{`;
const PATIENCE = { headersTimeout: 150, requestTimeout: 300, connectionsCheckingInterval: 20 };

describe('slow clients', () => {
  it('are cut when their headers come drop by drop, however often a drop comes', async () => {
    const { port } = await serve({ limits: PATIENCE });
    const client = open(port, 'GET /health HTTP/1.1\r\n');
    const dripping = setInterval(() => client.send('X: a\r\n'), 20);
    await client.closed;
    clearInterval(dripping);
    expect(client.answers().map((answer) => [answer.status, codeIn(answer)])).toEqual([
      [408, 'request_timeout'],
    ]);
  });

  it('are cut when their body comes drop by drop', async () => {
    const { port } = await serve({ limits: PATIENCE });
    const client = open(port, body(port));
    const dripping = setInterval(() => client.send(' '), 20);
    await client.closed;
    clearInterval(dripping);
    expect(client.answers().map((answer) => [answer.status, codeIn(answer)])).toEqual([
      [408, 'request_timeout'],
    ]);
  });

  it('are cut when they go on sending a body that has been refused', async () => {
    // The headers are to arrive in time on a busy machine, too.
    const { port } = await serve({ limits: { ...PATIENCE, headersTimeout: 1000, requestTimeout: 1200 } });
    const client = open(port, head(port, 'POST /nowhere HTTP/1.1', 'Content-Length: 1000000'));
    const dripping = setInterval(() => client.send('x'.repeat(100)), 20);
    await client.closed;
    clearInterval(dripping);
    expect(client.answers()[0]?.status).toBe(404);
  });

  it('are cut when they do not take their answer, and others are served meanwhile', async () => {
    const large = 'x'.repeat(1 << 20);
    const cut: Promise<unknown>[] = [];
    const app = express()
      .get('/held', (req, res) => {
        cut.push(once(req.socket, 'close'));
        res.send(large);
      })
      .get('/', (_req, res) => void res.send('hello'));
    const server = await startServer(app, { host: '127.0.0.1', port: 0, limits: { unreadMs: 1000 } });
    running.push(server);
    const client = open(server.port);
    client.socket.pause();
    client.send(head(server.port, 'GET /held HTTP/1.1').repeat(64));
    while (cut.length === 0) expect(await (await fetch(server.url)).text()).toBe('hello');
    await cut[0];
    client.socket.resume();
    await client.closed;
    expect(client.heard().length).toBeLessThan(64 * large.length);
  });

  it('are not cut for a request that waits half read behind one that is being worked on', async () => {
    const answers: (() => void)[] = [];
    const app = express()
      .get('/slow', (_req, res) => void answers.push(() => res.send('late')))
      .get('/', (_req, res) => void res.send('hello'));
    const server = await startServer(app, { host: '127.0.0.1', port: 0, limits: PATIENCE });
    running.push(server);
    const client = open(server.port, `${head(server.port, 'GET /slow HTTP/1.1')}GET / HTTP/1.1\r\n`);
    while (answers.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setTimeout(resolve, 600));
    answers[0]?.();
    client.send(`Host: 127.0.0.1:${server.port}\r\n\r\n`);
    expect((await client.until(2)).map(({ body: text }) => text)).toEqual(['late', 'hello']);
  });

  it('are left alone while their answer is being made, however long that takes', async () => {
    const answers: (() => void)[] = [];
    const app = express().get('/', (_req, res) => void answers.push(() => res.send('late')));
    const server = await startServer(app, { host: '127.0.0.1', port: 0, limits: { unreadMs: 50 } });
    running.push(server);
    const client = open(server.port, head(server.port, 'GET / HTTP/1.1'));
    while (answers.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setTimeout(resolve, 300));
    answers[0]?.();
    expect((await client.until(1))[0]?.body).toBe('late');
  });
});

describe('when every place is taken', () => {
  const limits = { maxConnections: 16 };

  it('goes on with the files that are being sent, and gives up slow calls and idle connections', async () => {
    const live = await startLiveServer({}, {}, undefined, { maxConnections: 4, slowMs: 1 });
    const port = Number(new URL(live.url).port);
    try {
      const lines = (path: string, type: string, length: number) =>
        [
          `POST ${path} HTTP/1.1`,
          `Host: 127.0.0.1:${port}`,
          'Authorization: Bearer owner',
          `Content-Type: ${type}`,
          `Content-Length: ${length}`,
          '',
          '',
        ].join('\r\n');
      const text = '# Long file\n\nIts words come slowly.\n';
      const file = open(
        port,
        lines('/ingest-file?name=long.md', 'application/octet-stream', text.length) + text.slice(0, 5),
      );
      if (file.socket.connecting) await once(file.socket, 'connect');
      await new Promise((resolve) => setTimeout(resolve, 100));
      const held = await flood(port, 12, `${lines('/capture', 'application/json', 100)}{`);
      await Promise.all(held.slice(0, 6).map(({ closed }) => closed));
      file.send(text.slice(5));
      expect((await file.until(1))[0]?.status).toBe(200);
    } finally {
      for (const client of clients) client.leave();
      await live.stop();
    }
  });

  it.each<[string, (port: number) => string]>([
    ['that say nothing', () => ''],
    ['that never end their headers', () => 'GET /health HTTP/1.1\r\nX: '],
    ['that have had their answer and wait', (port) => head(port, 'GET /health HTTP/1.1')],
    [
      'whose body was refused and goes on',
      (port) => head(port, 'POST /nowhere HTTP/1.1', 'Content-Length: 1000000'),
    ],
    [
      'of strangers whose body goes on',
      (port) => `POST /echo HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: 1000000\r\n\r\n`,
    ],
  ])('by connections %s, the oldest of them go, and newcomers are served', async (_name, text) => {
    const { port, url } = await serve({ limits });
    const held = await flood(port, 64, text(port));
    for (let n = 0; n < 8; n += 1) {
      const client = open(port, head(port, 'GET /health HTTP/1.1'));
      expect((await client.until(1))[0]?.status).toBe(200);
    }
    expect((await call(url, 'GET', '/health')).status).toBe(200);
    await Promise.all(held.slice(0, 32).map(({ closed }) => closed));
  });

  it('by work, nobody who is being worked for is cut, and a place that becomes free is given on', async () => {
    const waiting: (() => void)[] = [];
    const app = express()
      .get('/work', (_req, res) => void waiting.push(() => res.send('done')))
      .get('/', (_req, res) => void res.send('hello'));
    const server = await startServer(app, { host: '127.0.0.1', port: 0, limits });
    running.push(server);
    const busy = await flood(server.port, 15, head(server.port, 'GET /work HTTP/1.1'));
    while (waiting.length < 15) await new Promise((resolve) => setImmediate(resolve));
    await flood(server.port, 40, '');
    waiting.splice(0).forEach((end) => end());
    for (const client of busy) expect((await client.until(1))[0]?.body).toBe('done');
    const client = open(server.port, head(server.port, 'GET / HTTP/1.1'));
    expect((await client.until(1))[0]?.body).toBe('hello');
  });
});

describe('a client that waits for leave to send (RFC 9110, section 10.1.1)', () => {
  const asking = (port: number, path: string, token: string, length: number) =>
    [
      `POST ${path} HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json',
      `Content-Length: ${length}`,
      'Expect: 100-continue',
      '',
      '',
    ].join('\r\n');

  it('gets it when its call will be read, and the connection goes on', async () => {
    const { port } = await serve();
    const client = open(port, asking(port, '/echo', OWNER, 2));
    expect((await client.until(1))[0]?.status).toBe(100);
    client.send('{}');
    client.send(head(port, 'GET /health HTTP/1.1'));
    expect((await client.until(3)).map(({ status }) => status)).toEqual([100, 200, 200]);
  });

  it.each<[string, string, string, number, number]>([
    ['a stranger', '/echo', 'wrong', 2, 401],
    ['a path that is not there', '/nowhere', OWNER, 2, 404],
    ['a body that is too large', '/echo', OWNER, 1e9, 413],
  ])(
    'does not get it for %s, and whatever it sends then is no request',
    async (_name, path, token, length, status) => {
      const { port } = await serve();
      const client = open(port, asking(port, path, token, length));
      client.send(head(port, 'GET /find?text=smuggled HTTP/1.1'));
      await client.closed;
      expect(client.answers().map((answer) => answer.status)).toEqual([status]);
    },
  );
});

describe('large and deep bodies', () => {
  const send = (url: string, path: string, text: string) =>
    call(url, 'POST', path, { headers: { 'content-type': 'application/json' }, body: text });

  it.each<[string, string]>([
    ['a million levels', '['.repeat(1e6)],
    ['a million closed levels', `${'['.repeat(1e6)}${']'.repeat(1e6)}`],
    ['a million levels of objects', '{"a":'.repeat(1e6)],
    ['millions of empty objects', `[${'{},'.repeat(2e6)}0]`],
    ['millions of numbers', `[${'0,'.repeat(3e6)}0]`],
    ['hundreds of thousands of keys', `{${Array.from({ length: 3e5 }, (_, n) => `"k${n}":0`).join(',')}}`],
    ['a string without an end', `{"text":"${'\\"'.repeat(3e6)}`],
  ])('%s are refused at once', async (_name, text) => {
    const { url } = await serve();
    const started = performance.now();
    const answer = await send(url, '/echo', text);
    expect([answer.status, answer.body.error]).toEqual([
      400,
      expect.objectContaining({ code: 'invalid_json' }),
    ]);
    expect(performance.now() - started).toBeLessThan(8_000);
  });

  it('of all calls together take so much memory and no more', async () => {
    const { BodyMemory } = await import('../../../src/doors/http/body');
    const memory = new BodyMemory(100, 0);
    const [one, two] = [memory.holder(), memory.holder()];
    one.hold(60);
    expect(() => two.hold(41)).toThrow(
      expect.objectContaining({ code: 'busy', details: { retry_after: 2 } }),
    );
    two.hold(40);
    one.release();
    one.release();
    two.hold(60);
    two.release();
    memory.holder().hold(100);
  });

  it('leave room for small ones, however much the large ones take', async () => {
    const { BodyMemory } = await import('../../../src/doors/http/body');
    const memory = new BodyMemory(100, 10);
    const [large, small] = [memory.holder(), memory.holder()];
    large.hold(100);
    small.hold(10);
    expect(() => small.hold(1)).toThrow(expect.objectContaining({ code: 'busy' }));
    small.release();
    large.release();
    memory.holder().hold(100);
  });

  it('give their memory back, whether answered, refused or broken off', async () => {
    const { port, url } = await serve();
    const part = `{"text":"${'x'.repeat(6e6)}`;
    for (let n = 0; n < 100; n += 1) {
      const client = open(
        port,
        `${head(port, 'POST /echo HTTP/1.1', 'Content-Type: application/json', 'Content-Length: 8000000')}${part}`,
      );
      if (client.socket.connecting) await once(client.socket, 'connect');
      if (n % 10 === 0) expect((await post(url, '/echo', { text: 'x'.repeat(6e6) })).status).toBe(200);
      client.leave();
      await client.closed;
    }
    expect((await post(url, '/echo', { text: 'x'.repeat(7e6) })).status).toBe(200);
  });
});
