import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { addressOf, Client } from '../../../src/headless/terminal/client';
import { CommandError, UsageError } from '../../../src/headless/terminal/io';

/** What the client does with the answers of a server that is made up here. */
async function asking<T>(listener: RequestListener, use: (client: Client) => Promise<T>): Promise<T> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // The address of a server that listens on a port is never a path or null.
  const { port } = server.address() as AddressInfo;
  try {
    return await use(new Client(new URL(`http://127.0.0.1:${port}/prefix/`), 'secret', 'brain'));
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const read = (client: Client) => client.call('note', { path: 'wiki/a b&c.md', hash: undefined });

it('asks below the path of the address, with its token and its name', async () => {
  const asked: unknown[] = [];
  await asking((req, res) => {
    asked.push([req.method, req.url, req.headers.authorization, req.headers['x-brain-client']]);
    res.writeHead(200, { 'X-Brain-API': '1' }).end('{}');
  }, read);
  expect(asked).toEqual([
    ['GET', '/prefix/note?path=wiki%2Fa+b%26c.md', 'Bearer secret', expect.stringMatching(/^brain-cli\/\d/)],
  ]);
});

it.each<[string, RequestListener, string | undefined, RegExp]>([
  [
    'an error of the service',
    (_, res) =>
      res
        .writeHead(404, { 'X-Brain-API': '1' })
        .end('{"error":{"code":"note_not_found","message":"No note."}}'),
    'note_not_found',
    /^No note\.$/,
  ],
  [
    'another program on the port',
    (_, res) => res.writeHead(200).end('hello'),
    undefined,
    /is not a Brain Server \(HTTP 200\)/,
  ],
  ["a proxy's own page", (_, res) => res.writeHead(502).end('<html>'), undefined, /HTTP 502/],
  [
    'an error without words',
    (_, res) => res.writeHead(500, { 'X-Brain-API': '1' }).end(),
    undefined,
    /answered HTTP 500/,
  ],
  [
    'a connection that breaks',
    (_, res) => res.destroy(),
    undefined,
    /^No answer from http:\/\/127\.0\.0\.1:\d+\/prefix: /,
  ],
])('says what happened: %s', async (_, listener, code, message) => {
  const error: unknown = await asking(listener, (client) => read(client).catch((caught: unknown) => caught));
  if (!(error instanceof CommandError)) throw error;
  expect(error.code).toBe(code);
  expect(error.message).toMatch(message);
});

it.each(['localhost:27246', 'ftp://127.0.0.1', 'nonsense'])('takes %s for no address', (address) => {
  expect(() => addressOf({ BRAIN_URL: address })).toThrow(UsageError);
});

it('has a default address', () => {
  expect(addressOf({ BRAIN_URL: '' }).href).toBe('http://127.0.0.1:27246/');
});
