import express from 'express';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, Server } from 'node:net';
import { ConfigError } from '../../../src/core/config/config';
import { createApp } from '../../../src/doors/http/app';
import {
  checkExposure,
  PortBusy,
  type RunningServer,
  type ServerOptions,
  startServer,
} from '../../../src/doors/http/listen';
import { freePort } from '../../support/free-port';
import { silentLog } from '../../support/silent-log';
import { exchange, FAKE_ROUTES, fakeBrain, OWNER, TOKENS } from '../http-support';

const HOST = '127.0.0.1';
const running: RunningServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()));
});

async function start(options: Partial<ServerOptions> = {}): Promise<RunningServer> {
  const { brain } = fakeBrain();
  const app = createApp({ brain, tokens: TOKENS, version: '1.2.3', routes: FAKE_ROUTES });
  const server = await startServer(app, { host: HOST, port: 0, log: silentLog(), ...options });
  running.push(server);
  return server;
}

/** Another program that holds a port. */
async function occupy(): Promise<{ port: number; leave: () => Promise<unknown> }> {
  const port = await freePort();
  const server = createServer().listen(port, HOST);
  await once(server, 'listening');
  return { port, leave: () => once(server.close(), 'close') };
}

describe('startServer', () => {
  it('takes a free port and says where it is', async () => {
    const { port, url } = await start();
    expect(url).toBe(`http://127.0.0.1:${port}`);
    expect((await fetch(`${url}/health`)).status).toBe(200);
  });

  it('reaches a server on every interface as this machine', async () => {
    const { port, url } = await start({ host: '0.0.0.0' });
    expect(url).toBe(`http://127.0.0.1:${port}`);
  });

  it('refuses a port in use, naming it, and takes no other', async () => {
    const other = await occupy();
    const starting = start({ port: other.port, retryMs: 0 });
    await expect(starting).rejects.toThrow(ConfigError);
    await expect(starting).rejects.toThrow(
      new RegExp(`Port ${other.port} on 127\\.0\\.0\\.1 is in use.*--port, BRAIN_PORT`),
    );
    await other.leave();
  });

  it('waits for a port that is about to become free', async () => {
    const other = await occupy();
    const starting = start({ port: other.port, retryMs: 10_000 });
    // When a later start has given up, the first try of ours has failed too.
    await expect(start({ port: other.port, retryMs: 0 })).rejects.toThrow(ConfigError);
    await other.leave();
    expect((await starting).port).toBe(other.port);
  });

  it('keeps no listener of a try that failed, however often it tries', async () => {
    const other = await occupy();
    const { listen } = Server.prototype;
    const listeners: number[] = [];
    const spy = jest.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server, ...args) {
      listeners.push(this.listenerCount('listening') + this.listenerCount('error'));
      return Reflect.apply(listen, this, args);
    });
    await expect(start({ port: other.port, retryMs: 200 })).rejects.toThrow(ConfigError);
    spy.mockRestore();
    expect(listeners).toHaveLength(2);
    expect(new Set(listeners).size).toBe(1);
    await other.leave();
  });

  it('refuses an address that this machine does not have', async () => {
    await expect(start({ host: '192.0.2.1' })).rejects.toThrow(
      /Cannot listen on 192\.0\.2\.1 .*--host or BRAIN_HOST/,
    );
  });

  it('says of a port that needs privileges what it needs, and what to do instead', async () => {
    const denied = Object.assign(new Error('listen EACCES'), { code: 'EACCES' });
    const spy = jest.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server) {
      queueMicrotask(() => this.emit('error', denied));
      return this;
    });
    const refusal = await start({ port: 80 }).catch(String);
    spy.mockRestore();
    expect(refusal).toMatch(
      /Cannot listen on 127\.0\.0\.1 port 80 \(EACCES\)\. .*below 1024.*--port, BRAIN_PORT/,
    );
  });
});

describe('stop', () => {
  it('frees the port, at once when nothing is under way, and may be called twice', async () => {
    const server = await start();
    await fetch(`${server.url}/health`); // leaves an idle connection behind
    await Promise.all([server.stop(), server.stop()]);
    expect((await start({ port: server.port, retryMs: 0 })).port).toBe(server.port);
  });

  it('lets a request under way end', async () => {
    const gate = deferred();
    const arrived = deferred();
    const app = express().get('/', async (_req, res) => {
      arrived.resolve();
      await gate.promise;
      res.send('done');
    });
    const server = await startServer(app, { host: HOST, port: 0 });
    const answer = fetch(server.url);
    await arrived.promise;
    const stopped = server.stop();
    gate.resolve();
    expect(await (await answer).text()).toBe('done');
    await stopped;
  });

  it('cuts a request that does not end', async () => {
    const server = await start({ limits: { graceMs: 50 } });
    const stuck = exchange(
      server.port,
      `POST /echo HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nAuthorization: Bearer ${OWNER}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{',
    ).catch((error: unknown) => String(error));
    await fetch(`${server.url}/health`); // by now the stuck request has arrived as well
    await server.stop();
    expect(await stuck).not.toContain('200 OK');
  });
});

describe('a server that others rely on', () => {
  it('knows whether it still takes connections', async () => {
    const server = await start();
    expect(await server.answers()).toBe(true);
    await server.stop();
    expect(await server.answers()).toBe(false);
  });

  it('says of a busy port that it is busy, and of another trouble that it is not', async () => {
    const other = await occupy();
    await expect(start({ port: other.port, retryMs: 0 })).rejects.toThrow(PortBusy);
    await other.leave();
    await expect(start({ host: '192.0.2.1' })).rejects.not.toThrow(PortBusy);
  });

  it('gives the port back before it returns when it stops at once, whatever is under way', async () => {
    const arrived = deferred();
    const app = express().get('/', () => arrived.resolve());
    const server = await startServer(app, { host: HOST, port: 0 });
    const answer = fetch(server.url).then(
      () => 'answered',
      () => 'cut',
    );
    await arrived.promise;
    const stopped = server.stop({ atOnce: true });
    expect((await start({ port: server.port, retryMs: 0 })).port).toBe(server.port);
    expect(await answer).toBe('cut');
    await stopped;
  });

  it('may be told to hurry after it was asked to stop', async () => {
    const arrived = deferred();
    const app = express().get('/', () => arrived.resolve());
    const server = await startServer(app, { host: HOST, port: 0, limits: { graceMs: 1_000_000 } });
    const answer = fetch(server.url).catch(() => 'cut');
    await arrived.promise;
    const stopped = server.stop();
    void server.stop({ atOnce: true });
    await stopped;
    expect(await answer).toBe('cut');
  });
});

describe('limits', () => {
  const limits = { headersTimeout: 100, requestTimeout: 200, connectionsCheckingInterval: 20 };

  it('end a request whose headers do not arrive', async () => {
    const { port } = await start({ limits });
    const answer = await exchange(port, 'GET /health HTTP/1.1\r\nHost: ');
    expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\nX-Request-Id: /);
  });

  it('end a request whose body does not arrive', async () => {
    const { port } = await start({ limits });
    const answer = await exchange(
      port,
      `POST /echo HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${OWNER}\r\n` +
        'Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('end a connection that never says anything', async () => {
    const { port } = await start({ limits });
    const socket = connect(port, HOST);
    socket.resume();
    await once(socket, 'close');
    expect(socket.bytesWritten).toBe(0);
  });

  it('refuse more than 16 KiB of headers', async () => {
    const { port } = await start();
    const answer = await exchange(
      port,
      `GET /health HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`,
    );
    expect(answer).toMatch(
      /^HTTP\/1\.1 431 Request Header Fields Too Large\r\nX-Request-Id: [^]*X-Brain-API: 1/,
    );
  });

  it.each([
    'hello\r\n\r\n',
    'GET /health HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    '\x16\x03\x01\x02\x00',
  ])('refuse what is not HTTP: %j', async (request) => {
    const { port } = await start();
    expect(await exchange(port, request)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\nX-Request-Id: /);
  });
});

describe('checkExposure', () => {
  it.each([
    ['127.0.0.1', false],
    ['127.0.0.53', false],
    ['localhost', false],
    ['::1', false],
    ['0.0.0.0', true],
    ['::', true],
    ['192.168.1.5', true],
    ['127.0.0.1.example', true],
    ['localhost.example', true],
  ])('of %s without tokens is refused: %s', (host, refused) => {
    const check = () => checkExposure({ host, auth: false });
    if (refused) expect(check).toThrow(ConfigError);
    else expect(check).not.toThrow();
    expect(() => checkExposure({ host, auth: true })).not.toThrow();
  });
});

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve };
}
