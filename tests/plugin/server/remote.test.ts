import type { IncomingMessage, ServerResponse } from 'node:http';
import { CallError } from '../../../src/core/registry/client';
import { RemoteService, tryServer } from '../../../src/plugin/server/remote';
import { ServerToken } from '../../../src/plugin/server/store';
import { type LoopbackServer, startLoopbackServer } from '../../support/loopback-server';

const HEADERS = { 'x-brain-api': '1', 'content-type': 'application/json' };

type Answer = (text: string, req: IncomingMessage, res: ServerResponse) => void;

/** A server that answers as the test says, and what it was asked. */
async function openServer(): Promise<LoopbackServer & { answer: Answer; readonly asked: IncomingMessage[] }> {
  const asked: IncomingMessage[] = [];
  const loopback = await startLoopbackServer((text, req, res) => {
    asked.push(req);
    server.answer(text, req, res);
  });
  const server = { ...loopback, asked, answer: json(200, { revision: '1' }) };
  return server;
}

const json =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = HEADERS): Answer =>
  (_text, _req, res) =>
    res.writeHead(status, headers).end(JSON.stringify(body));
const failure = (status: number, code: string, message = 'No.') => json(status, { error: { code, message } });

function keep(): ServerToken {
  const secrets = new Map<string, string>();
  return new ServerToken({
    getSecret: (id) => secrets.get(id) ?? null,
    setSecret: (id, secret) => void secrets.set(id, secret),
  });
}

let server: Awaited<ReturnType<typeof openServer>>;
let service: RemoteService | undefined;
beforeEach(async () => {
  server = await openServer();
});
afterEach(async () => {
  service?.unload();
  service = undefined;
  await server.stop();
});

async function started(token: string | null = 'secret', address = server.url): Promise<RemoteService> {
  const kept = keep();
  if (token !== null) kept.set(server.url, token);
  const made = new RemoteService(address, kept);
  service = made;
  await made.start();
  return made;
}

async function until(met: () => boolean): Promise<void> {
  const end = Date.now() + 20_000;
  while (!met()) {
    if (Date.now() > end) throw new Error(`Waited in vain: ${JSON.stringify(service?.state)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

it('works on the server with the token of this device, as a program without an origin', async () => {
  const { state, client, url } = await started();
  expect(state).toEqual({ kind: 'connected', url: server.url });
  expect(url).toBe(server.url);
  const [poll] = server.asked;
  expect(poll?.url).toBe('/revision');
  expect(poll?.headers).toMatchObject({ authorization: 'Bearer secret' });
  expect(poll?.headers).not.toHaveProperty('origin');
  server.answer = json(200, { results: [] });
  expect(await client?.call('query', { query: 'mtu' })).toEqual({ results: [] });
});

it('sends no token to another address than the one that it was given for', async () => {
  const kept = keep();
  kept.set('https://brain.example', 'secret');
  service = new RemoteService(server.url, kept);
  await service.start();
  expect(service.state).toEqual({
    kind: 'lost',
    message: `This device has no token for the server at ${server.url}. Give one under "Use a server" in the settings.`,
  });
  expect(server.asked).toEqual([]);
});

it('says so when the address crosses the network openly', async () => {
  service = new RemoteService('http://brain.example', keep());
  await service.start();
  expect(service.state).toMatchObject({
    message: expect.stringContaining('readable for everyone on the way'),
  });
});

it('asks nobody at an address that is none', async () => {
  service = new RemoteService('https://a@b.example', keep());
  await service.start();
  expect(service.state).toMatchObject({ kind: 'lost', message: expect.stringContaining('name or password') });
});

it.each<[string, Answer, string]>([
  ['refuses the token', failure(401, 'unauthorized'), 'does not know the token of this device any more'],
  ['knows itself by other names', failure(403, 'forbidden_host', 'List the name.'), 'List the name.'],
  ['speaks another version', json(200, {}, { ...HEADERS, 'x-brain-api': '2' }), 'is of another version'],
  ['is another program', json(200, {}, {}), 'is not Brain Server (HTTP 200). Check the address'],
  ['is a proxy before nothing', json(502, {}, {}), 'A proxy may stand before'],
  ['sends elsewhere', json(301, {}, { location: 'https://evil.example/' }), 'sends to another address'],
])('says what to do when the server %s', async (_, answer, part) => {
  server.answer = answer;
  const { state, client } = await started();
  expect(state).toMatchObject({ kind: 'lost', message: expect.stringContaining(part) });
  expect(client).toBeNull();
});

it('is still connected when the token may not do one thing', async () => {
  server.answer = failure(403, 'forbidden_scope');
  expect((await started()).state.kind).toBe('connected');
});

it('keeps its client while the server is away, and is back by itself', async () => {
  const remote = await started();
  const { client } = remote;
  const changes: string[] = [];
  client?.changes(() => changes.push('changed'));
  await server.stop();
  await until(() => remote.state.kind === 'lost');
  expect(remote.state).toMatchObject({ message: expect.stringContaining('Nothing listens at 127.0.0.1') });
  expect(remote.client).toBe(client);
  await server.start();
  await until(() => remote.state.kind === 'connected');
  await until(() => changes.length > 0);
  expect(remote.client).toBe(client);
});

it('asks nothing any more once it is stopped, and anew when it starts again', async () => {
  const remote = await started();
  const { client } = remote;
  server.answer = () => undefined;
  const waiting = client?.call('query', { query: 'x' });
  await until(() => server.asked.at(-1)?.url === '/query');
  await remote.stop();
  await expect(waiting).rejects.toThrow(CallError);
  expect([remote.state.kind, remote.client]).toEqual(['off', null]);
  server.answer = json(200, { revision: '1' });
  await remote.restart();
  expect(remote.state.kind).toBe('connected');
  expect(remote.client).not.toBe(client);
});

it('sends a file in parts as it is, and reads one', async () => {
  const remote = await started();
  let length = '';
  server.answer = (text, req, res) => {
    length = `${req.headers['content-length']} ${text.length}`;
    json(200, { job: 'j1' })(text, req, res);
  };
  const file = new Blob(['a'.repeat(2_500_000)]);
  expect(await remote.ingestFile('big.txt', file)).toEqual({ job: 'j1' });
  expect(length).toBe('2500000 2500000');
  expect(server.asked.at(-1)?.url).toBe('/ingest-file?name=big.txt&background=true');

  const bytes = Uint8Array.from({ length: 256 }, (_, at) => at);
  server.answer = (_text, _req, res) =>
    res.writeHead(200, { 'x-brain-api': '1', 'content-type': 'image/png' }).end(bytes);
  const image = await remote.readFile('inbox/processed/a.png');
  expect(image.type).toBe('image/png');
  expect(new Uint8Array(await image.arrayBuffer())).toEqual(bytes);
});

it('gives what is no image no type, so that it never opens as a page of the app', async () => {
  const remote = await started();
  server.answer = (_text, _req, res) =>
    res.writeHead(200, { 'x-brain-api': '1', 'content-type': 'text/html' }).end('<script>');
  expect((await remote.readFile('a.html')).type).toBe('');
});

it('says that a file is gone that cannot be read', async () => {
  const remote = await started();
  const file = new Blob(['text']);
  file.slice = () => Object.assign(new Blob(), { arrayBuffer: () => Promise.reject(new Error('gone')) });
  await expect(remote.ingestFile('a.txt', file)).rejects.toMatchObject({ code: 'source_missing' });
});

it('is tried before it is used', async () => {
  await tryServer(server.url, 'secret');
  server.answer = failure(401, 'unauthorized');
  await expect(tryServer(server.url, 'wrong')).rejects.toThrow('The server does not know this token.');
  await server.stop();
  await expect(tryServer(server.url, 'secret')).rejects.toThrow('Nothing listens at');
  await server.start();
});
