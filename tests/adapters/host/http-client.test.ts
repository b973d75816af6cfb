import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConnectionError, httpRequest } from '../../../src/adapters/host/http';

async function serving<T>(listener: RequestListener, use: (url: URL) => Promise<T>): Promise<T> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The address of a server that listens on a port is never a path or null.
  const { port } = server.address() as AddressInfo;
  try {
    return await use(new URL(`http://127.0.0.1:${port}/a?b=c`));
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const post = { method: 'POST', timeoutMs: 5000 };

it('sends method, path, headers and UTF-8 body, and gives back status, headers and text', async () => {
  const answer = await serving(
    (req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () => {
        res.writeHead(409, { 'X-Said': req.headers['x-said'] ?? '' });
        res.end(
          `${req.method} ${req.url} ${req.headers['content-length']} ${Buffer.concat(chunks).toString()}`,
        );
      });
    },
    (url) => httpRequest(url, { ...post, headers: { 'X-Said': 'hi' }, body: 'größe' }),
  );
  expect(answer).toMatchObject({ status: 409, text: 'POST /a?b=c 7 größe', headers: { 'x-said': 'hi' } });
});

it('says why there was no answer', async () => {
  const closed = await serving(
    () => undefined,
    (url) => Promise.resolve(url),
  );
  await expect(httpRequest(closed, post)).rejects.toMatchObject({
    name: 'ConnectionError',
    code: 'ECONNREFUSED',
  });
});

it('gives up on a server that falls silent', async () => {
  const attempt = serving(
    () => undefined,
    (url) => httpRequest(url, { ...post, timeoutMs: 50 }),
  );
  await expect(attempt).rejects.toMatchObject({ code: 'ETIMEDOUT', message: 'No answer within 0.05 s.' });
});

it('never takes a part of an answer for the whole', async () => {
  const attempt = serving(
    (_, res) => {
      res.writeHead(200, { 'Content-Length': '10' });
      res.write('half');
      setImmediate(() => res.destroy());
    },
    (url) => httpRequest(url, post),
  );
  await expect(attempt).rejects.toBeInstanceOf(ConnectionError);
});

it('does not read without end', async () => {
  const chunk = Buffer.alloc(1024 * 1024);
  const attempt = serving(
    (_, res) => {
      const pour = () => {
        while (!res.destroyed && res.write(chunk));
      };
      res.on('drain', pour);
      pour();
    },
    (url) => httpRequest(url, post),
  );
  await expect(attempt).rejects.toThrow('more than 67108864 bytes');
});
