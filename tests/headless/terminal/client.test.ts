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
    return await use(
      new Client(new URL(`http://127.0.0.1:${port}/prefix/`), 'secret', 'brain', null, [0, 0]),
    );
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

/** What was asked of a server that loses its first answers, and what the client made of it. */
async function losing(lost: number, call: (client: Client) => Promise<unknown>, lose: RequestListener) {
  const keys: unknown[] = [];
  const outcome = await asking(
    (req, res) => {
      keys.push(req.headers['idempotency-key']);
      if (keys.length <= lost) lose(req, res);
      else res.writeHead(200, { 'X-Brain-API': '1' }).end('{"path":"wiki/a.md"}');
    },
    (client) => call(client).catch((error: unknown) => error),
  );
  return { keys, outcome };
}

const write = (client: Client) => client.call('write', { content: 'x' });

it.each<[string, RequestListener]>([
  ['the connection breaks', (_, res) => res.destroy()],
  [
    'the answer breaks off',
    (_, res) => void res.writeHead(200, { 'X-Brain-API': '1' }).write('{', () => res.destroy()),
  ],
  ['a proxy answers', (_, res) => res.writeHead(502).end('<html>')],
])('asks a change again by its key when %s', async (_, lose) => {
  const { keys, outcome } = await losing(2, write, lose);
  expect(outcome).toMatchObject({ value: { path: 'wiki/a.md' } });
  expect(keys).toEqual([keys[0], keys[0], keys[0]]);
  expect(keys[0]).toMatch(/^[\w-]{36}$/);
});

it('says that the outcome of a change is not known when every answer was lost', async () => {
  const { keys, outcome } = await losing(3, write, (_, res) => res.destroy());
  expect(keys).toHaveLength(3);
  expect(outcome).toMatchObject({ message: expect.stringMatching(/not known whether the change was made/) });
});

it.each<[string, (client: Client) => Promise<unknown>]>([
  ['a read', read],
  ['a dry run', (client) => client.call('write', { content: 'x', dry_run: true })],
])('asks once, without a key, for %s', async (_, call) => {
  expect((await losing(1, call, (_, res) => res.destroy())).keys).toEqual([undefined]);
});

it.each(['localhost:27246', 'ftp://127.0.0.1', 'nonsense'])('takes %s for no address', (address) => {
  expect(() => addressOf({ BRAIN_URL: address })).toThrow(UsageError);
});

it('has a default address', () => {
  expect(addressOf({ BRAIN_URL: '' }).href).toBe('http://127.0.0.1:27246/');
});
