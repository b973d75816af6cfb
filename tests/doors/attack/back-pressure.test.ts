import * as z from 'zod';
import { operation } from '../../../src/core/operation/operation';
import { WRITE_QUEUE_LIMIT, WriterLock } from '../../../src/core/storage/writer';
import { type LiveServer, startLiveServer } from '../../support/live-server';
import { OWNER, serve, stopServers } from '../http-support';
import { type RawAnswer, codeIn, rawClient } from './raw-client';

/** More work than the service takes is refused with the time to wait, and what it has taken is done. */
let server: LiveServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

const request = (method: string, path: string, value?: unknown) => {
  const body = value === undefined ? '' : JSON.stringify(value);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${new URL(server?.url ?? '').host}`,
    'Authorization: Bearer owner',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
};
const write = (slug: string) =>
  request('POST', '/write', { wing: 'net', hall: 'facts', slug, content: `# ${slug}\n\nText of ${slug}.\n` });

/** Sends many requests over one connection at once, which is the fastest that anyone can. */
async function sendAll(requests: readonly string[]): Promise<RawAnswer[]> {
  const client = rawClient(Number(new URL(server?.url ?? '').port));
  client.send(requests.join(''));
  const answers = await client.until(requests.length);
  client.leave();
  return answers;
}

it('lets as many changes wait as its queue holds, refuses the others with 503 and Retry-After, and does what it took', async () => {
  const queue = new WriterLock();
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (open = resolve));
  let [asked, done] = [0, 0];
  const work = operation({
    name: 'work',
    scope: 'write',
    mutates: false,
    input: z.strictObject({}),
    output: z.strictObject({ n: z.number() }),
    async run() {
      asked += 1;
      await queue.run(() => gate);
      return { n: (done += 1) };
    },
  });
  const { port } = await serve({
    routes: [{ method: 'POST', path: '/work', operation: work, tag: 'notes', summary: 'Work' }],
  });
  const lines = [`POST /work HTTP/1.1`, `Host: 127.0.0.1:${port}`, `Authorization: Bearer ${OWNER}`];
  const one = `${lines.join('\r\n')}\r\n\r\n`;
  const clients = Array.from({ length: 100 }, () => rawClient(port));
  for (const client of clients) client.send(one.repeat(4));
  while (asked < 400) await new Promise((resolve) => setImmediate(resolve));
  open();
  const answers = (await Promise.all(clients.map((client) => client.until(4)))).flat();
  for (const client of clients) client.leave();
  await stopServers();
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(WRITE_QUEUE_LIMIT);
  expect(done).toBe(WRITE_QUEUE_LIMIT);
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused).toHaveLength(400 - WRITE_QUEUE_LIMIT);
  for (const answer of refused) {
    expect([answer.status, codeIn(answer)]).toEqual([503, 'busy']);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  }
});

it('makes only a few answers at a time for a client that reads none of those it has asked for', async () => {
  let made = 0;
  const work = operation({
    name: 'work',
    scope: 'read',
    mutates: false,
    input: z.strictObject({}),
    output: z.strictObject({ text: z.string() }),
    async run() {
      made += 1;
      return { text: 'x'.repeat(4_000_000) };
    },
  });
  const { port } = await serve({
    routes: [{ method: 'GET', path: '/work', operation: work, tag: 'notes', summary: 'Work' }],
  });
  const lines = [`GET /work HTTP/1.1`, `Host: 127.0.0.1:${port}`, `Authorization: Bearer ${OWNER}`];
  const clients = Array.from({ length: 3 }, () => rawClient(port));
  for (const client of clients) {
    client.socket.pause();
    client.send(`${lines.join('\r\n')}\r\n\r\n`.repeat(300));
  }
  while (made < 12) await new Promise((resolve) => setImmediate(resolve));
  const other = rawClient(port);
  other.send(`${lines.join('\r\n')}\r\n\r\n`);
  expect((await other.until(1)).map(({ status }) => status)).toEqual([200]);
  other.leave();
  // Those of the first four that the system had room for are over, and as many others have been begun.
  expect(made).toBeLessThan(3 * 12);
  for (const client of clients) client.leave();
  await stopServers();
});

it('goes on answering readers while changes wait', async () => {
  server = await startLiveServer({ 'wiki/net/facts/mtu.md': '# MTU\n\nWireGuard.\n' }, { rateLimit: 0 });
  const writing = sendAll(Array.from({ length: 64 }, (_, n) => write(`note-${n}`)));
  let over = false;
  void writing.finally(() => (over = true));
  let read = 0;
  while (!over) {
    const [answer] = await sendAll([request('GET', '/note?path=wiki/net/facts/mtu.md')]);
    expect(answer?.status).toBe(200);
    read += 1;
  }
  expect(read).toBeGreaterThan(1);
}, 60_000);

it('counts changes for each token, and tells how long to wait', async () => {
  server = await startLiveServer({}, { rateLimit: 5 });
  const answers = await sendAll(Array.from({ length: 8 }, (_, n) => write(`note-${n}`)));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
  for (const answer of answers.slice(5)) {
    expect(codeIn(answer)).toBe('rate_limited');
    expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(Number(answer.headers['retry-after'])).toBeLessThanOrEqual(60);
  }
  expect((await server.http('POST', '/query', { query: 'text' })).status).toBe(200);
  const other = await server.http('POST', '/capture', { text: 'of another token' }, 'laptop');
  expect(other.status).toBe(200);
});
