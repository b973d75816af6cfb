import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { outgoingHttp } from '../../../src/adapters/host/http';
import { StopController } from '../../../src/core/base/concurrency';
import type { HttpRequest } from '../../../src/core/ports/ports';

async function asking(listener: RequestListener, options: Partial<HttpRequest> = {}) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The address of a server that listens on a port is never a path or null.
  const { port } = server.address() as AddressInfo;
  const request: HttpRequest = {
    method: 'POST',
    url: `http://127.0.0.1:${port}/x`,
    headers: { 'content-type': 'text/plain' },
    timeoutMs: 20_000,
    maxBytes: 1000,
    ...options,
  };
  try {
    return await outgoingHttp.send(request);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

it('sends and answers, with any status, and gives every connection back', async () => {
  const answer = await asking(
    (req, res) => {
      let body = '';
      req.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      req.on('end', () => {
        res.writeHead(503, { 'X-Two': ['a', 'b'] });
        res.end(`${req.method} ${req.headers['content-type']} ${req.headers.connection} ${body}`);
      });
    },
    { body: 'größe' },
  );
  expect(answer).toMatchObject({
    status: 503,
    body: 'POST text/plain close größe',
    headers: { 'x-two': 'a, b' },
  });
});

it.each<[string, RequestListener, Partial<HttpRequest>, string]>([
  ['a redirect', (_, res) => res.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(), {}, 'redirect'],
  ['too much', (_, res) => res.end('x'.repeat(1001)), {}, 'too_large'],
  ['silence', () => undefined, { timeoutMs: 50 }, 'timeout'],
  [
    'drops without an end',
    (_, res) => {
      const drip = setInterval(() => res.write('x'), 5);
      res.on('close', () => clearInterval(drip));
    },
    { timeoutMs: 100 },
    'timeout',
  ],
  ['a cut connection', (req) => req.socket.resetAndDestroy(), {}, 'ECONNRESET'],
])('refuses %s', async (_, listener, options, code) => {
  await expect(asking(listener, options)).rejects.toMatchObject({ name: 'HttpFailure', code });
});

it('stops when it is told to, also before it began', async () => {
  const stop = new StopController();
  const asked = asking(() => stop.stop(), { signal: stop });
  await expect(asked).rejects.toMatchObject({ code: 'stopped' });
  await expect(asking((_, res) => res.end('late'), { signal: stop })).rejects.toMatchObject({
    code: 'stopped',
  });
});

it('says that nobody listens', async () => {
  const request = { method: 'GET' as const, headers: {}, timeoutMs: 1000, maxBytes: 1000 };
  await expect(outgoingHttp.send({ ...request, url: 'http://127.0.0.1:9/' })).rejects.toMatchObject({
    code: 'ECONNREFUSED',
  });
});

it.each([
  [307, '/y', 'there /y POST text/plain größe'],
  [308, '', 'there / POST text/plain größe'],
])('follows one redirect %i to the same server when it is told to', async (status, to, body) => {
  const answer = await asking(
    (req, res) => {
      if (req.url === '/x') {
        res.writeHead(status, { location: to === '' ? `http://${req.headers.host}/` : to }).end();
        return;
      }
      let sent = '';
      req.setEncoding('utf8').on('data', (chunk: string) => (sent += chunk));
      req.on('end', () => res.end(`there ${req.url} ${req.method} ${req.headers['content-type']} ${sent}`));
    },
    { body: 'größe', redirects: 'same-origin-once' },
  );
  expect(answer.body).toBe(body);
});

it.each([
  ['another port', 307, 'http://127.0.0.1:9/'],
  ['another host', 307, 'http://localhost/'],
  ['another scheme', 308, 'https://127.0.0.1/'],
  ['no address', 307, 'http://['],
  ['a page to be fetched', 303, '/y'],
  ['itself, again and again', 307, '/x'],
])('does not follow a redirect to %s', async (_, status, location) => {
  let asked = 0;
  const redirects = 'same-origin-once';
  await expect(
    asking((__, res) => res.writeHead(status, { location }).end(void (asked += 1)), { redirects }),
  ).rejects.toMatchObject({ code: 'redirect', status });
  expect(asked).toBeLessThanOrEqual(2);
});
