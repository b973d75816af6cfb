import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type ScriptedEmbedder, scriptedEmbedder } from '../support/scripted-embedder';
import { type SocketDatabase, socketDatabase } from '../support/vector-databases';
import { Sandbox, type ServerProcess, type Variables } from './brain-process';

interface Answer {
  readonly status: number;
  readonly body: {
    readonly mode?: string;
    readonly degraded?: boolean;
    readonly results?: readonly { readonly path: string }[];
    readonly added?: number;
    readonly deleted?: number;
    readonly errors?: readonly { readonly path?: string; readonly error: string }[];
    readonly hybrid?: { readonly state: string; readonly vectors?: number; readonly last_error?: string };
    readonly checks?: readonly { readonly name: string; readonly state: string; readonly message: string }[];
    readonly error?: { readonly code: string };
  };
}

let embedder: ScriptedEmbedder;
let database: SocketDatabase;
beforeAll(async () => {
  [embedder, database] = await Promise.all([scriptedEmbedder(), socketDatabase()]);
}, 120_000);
afterAll(() => Promise.all([embedder.stop(), database.close()]));

let sandbox: Sandbox;
beforeEach(() => {
  sandbox = new Sandbox();
  Object.assign(embedder, { manner: 'ok', delay: 0 });
});
afterEach(() => sandbox.remove());

const TOKEN = 'a-token-for-these-tests-alone-0123456789';
const hybrid = (schema: string): Variables => ({
  BRAIN_TOKEN: TOKEN,
  BRAIN_PG_DSN: database.dsn,
  BRAIN_PG_SCHEMA: schema,
  BRAIN_EMBED_URL: embedder.url,
});

async function ask(server: ServerProcess, route: string, body?: object): Promise<Answer> {
  const answer = await fetch(server.url + route, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  // What the server answers is looked at field by field.
  return { status: answer.status, body: (await answer.json()) as Answer['body'] };
}

function putNotes(count: number): void {
  mkdirSync(path.join(sandbox.vault, 'wiki/a/facts'), { recursive: true });
  for (let at = 0; at < count; at += 1) {
    writeFileSync(
      path.join(sandbox.vault, `wiki/a/facts/n${at}.md`),
      `# Note ${at}\n\nThe number ${at} vehicle.\n`,
    );
  }
}

it('finds by meaning over a real database, and keeps the vectors in step', async () => {
  putNotes(3);
  const server = await sandbox.serve([], hybrid('first'));
  const env = { BRAIN_URL: server.url, BRAIN_TOKEN: TOKEN };
  // The first sync waits for the vault to be quiet, so all of it is done now, and counted.
  const backfill = await sandbox.run(['backfill-embeddings'], { env });
  expect(backfill).toMatchObject({ code: 0, stderr: '' });
  expect(backfill.stdout).toBe('3 notes embedded, 0 vectors removed.\n');
  const content = '# Wheels\n\nAn automobile.';
  expect(
    (await ask(server, '/write', { wing: 'b', hall: 'facts', filename: 'wheels', content })).status,
  ).toBe(200);
  expect((await ask(server, '/backfill-embeddings', {})).body).toEqual({ added: 1, deleted: 0, errors: [] });
  const found = await ask(server, '/query', { query: 'physician car', explain: true });
  expect(found.body).toMatchObject({ mode: 'hybrid', degraded: false });
  expect(found.body.results?.[0]).toMatchObject({ path: 'wiki/b/facts/wheels.md', ranks: { vector: 1 } });
  const { hybrid: state, checks } = (await ask(server, '/status')).body;
  expect(state).toMatchObject({ configured: true, state: 'ready', vectors: 4, pending: 0 });
  expect(checks?.find(({ name }) => name === 'vectors')).toEqual({
    name: 'vectors',
    state: 'ok',
    message: 'The database answers and holds 4 vectors.',
  });
  const { code, stderr } = await server.stop();
  expect(code).toBe(0);
  expect(stderr).not.toContain('secret');
}, 60_000);

it('removes every vector without its note when asked to, unless the folder of all notes is not there', async () => {
  putNotes(3);
  const server = await sandbox.serve([], hybrid('gone'));
  expect((await ask(server, '/backfill-embeddings', {})).body.errors).toEqual([]);
  const wiki = path.join(sandbox.vault, 'wiki');
  renameSync(wiki, `${wiki} away`);
  const kept = (await ask(server, '/backfill-embeddings', {})).body;
  expect(kept).toMatchObject({ added: 0, deleted: 0, errors: [{ error: expect.stringContaining('wiki/') }] });
  renameSync(`${wiki} away`, wiki);
  rmSync(path.join(wiki, 'a'), { recursive: true });
  expect((await ask(server, '/backfill-embeddings', {})).body).toEqual({ added: 0, deleted: 3, errors: [] });
  expect((await ask(server, '/status')).body.hybrid).toMatchObject({ state: 'ready', vectors: 0 });
  await server.stop();
}, 60_000);

it('fails no query while embedder and database come and go', async () => {
  putNotes(5);
  const server = await sandbox.serve([], hybrid('second'));
  await ask(server, '/backfill-embeddings', {});
  let failed = 0;
  let [asked, byWords] = [0, 0];
  let goesOn = true;
  const load = Promise.all(
    Array.from({ length: 4 }, async () => {
      while (goesOn) {
        const { status, body } = await ask(server, '/query', { query: 'number vehicle' });
        asked += 1;
        if (status !== 200 || body.results?.length !== 5) failed += 1;
        if (body.degraded === true) byWords += 1;
      }
    }),
  );
  const reach = async (count: number) => {
    for (const from = asked; asked < from + count;) await new Promise((resolve) => setImmediate(resolve));
  };
  await reach(20);
  embedder.manner = 'reset';
  await reach(50);
  embedder.manner = 'ok';
  await database.stop();
  await reach(50);
  await database.start();
  await reach(20);
  goesOn = false;
  await load;
  embedder.manner = 'reset';
  while ((await ask(server, '/query', { query: 'car' })).body.degraded !== true);
  embedder.manner = 'ok';
  const since = Date.now();
  while ((await ask(server, '/query', { query: 'car' })).body.degraded !== false);
  // The longest pause takes fifteen seconds: a search that failed slowly has a long one.
  expect(Date.now() - since).toBeLessThan(20_000);
  expect(failed).toBe(0);
  expect(byWords).toBeGreaterThan(50);
  console.info(
    `${asked} queries while embedder and database came and went: ${failed} failed, ${byWords} by words`,
  );
  expect((await server.stop()).code).toBe(0);
}, 120_000);

it('goes on with a sync where the database, the embedder or the server itself was killed', async () => {
  // No more than the errors that an answer names one by one.
  putNotes(100);
  embedder.delay = 300;
  const first = await sandbox.serve([], hybrid('third'));
  const begun = embedder.bodies.length;
  const until = async (count: number) => {
    while (embedder.bodies.length < begun + count) await new Promise((resolve) => setImmediate(resolve));
  };
  const killed = ask(first, '/backfill-embeddings', {}).catch(() => 'gone');
  // Some rows are written, and others are still being embedded: the third call is held until the server is killed.
  await until(2);
  embedder.delay = 15_000;
  await until(3);
  embedder.delay = 0;
  const vectors = async (server: ServerProcess) => (await ask(server, '/status')).body.hybrid?.vectors ?? 0;
  while ((await vectors(first)) === 0);
  await first.stop('SIGKILL');
  expect(await killed).toBe('gone');
  embedder.delay = 300;
  const second = await sandbox.serve([], hybrid('third'));
  // What was written before stands.
  const standing = await vectors(second);
  expect(standing).toBeGreaterThan(0);
  const before = embedder.bodies.length - begun;
  const running = ask(second, '/backfill-embeddings', {});
  await until(before + 1);
  await database.stop();
  const cut = await ask(second, '/backfill-embeddings', {});
  expect([(await running).status, cut.status]).toEqual([200, 200]);
  expect(cut.body.errors).toEqual([
    { error: expect.stringMatching(/^The database at 127\.0\.0\.1:\d+\/postgres /) },
  ]);
  expect((await ask(second, '/status')).body.hybrid).toMatchObject({ last_error: expect.any(String) });
  await database.start();
  expect(await vectors(second)).toBeGreaterThanOrEqual(standing);
  embedder.manner = 'error';
  const refused = await ask(second, '/backfill-embeddings', {});
  expect(refused.body.errors?.every(({ error }) => error.includes('HTTP 500'))).toBe(true);
  Object.assign(embedder, { manner: 'ok', delay: 0 });
  const end = await ask(second, '/backfill-embeddings', {});
  expect(end.body).toEqual({ added: refused.body.errors?.length, deleted: 0, errors: [] });
  expect((await ask(second, '/status')).body.hybrid).toMatchObject({
    state: 'ready',
    vectors: 100,
    pending: 0,
  });
  await second.stop();
}, 90_000);

it('starts while the database cannot be reached, and says why it searches by words', async () => {
  putNotes(1);
  const server = await sandbox.serve([], {
    ...hybrid('x'),
    BRAIN_PG_DSN: 'postgres://me:secret@127.0.0.1:9/brain',
  });
  expect((await ask(server, '/query', { query: 'vehicle' })).body).toMatchObject({
    mode: 'bm25',
    degraded: true,
  });
  const env = { BRAIN_URL: server.url, BRAIN_TOKEN: TOKEN };
  expect((await sandbox.run(['query', 'zeppelin'], { env })).stdout).toBe(
    'No notes match. 1 note was searched.\nNo note holds "zeppelin".\nVectors could not be used; these results are BM25 alone.\n',
  );
  const { body } = await ask(server, '/status');
  expect(body.hybrid).toMatchObject({
    state: 'degraded',
    last_error: 'The database at 127.0.0.1:9/brain refuses connections. See that it runs.',
  });
  expect(JSON.stringify(body)).not.toContain('secret');
  const { stderr } = await server.stop();
  expect(stderr).toContain('refuses connections');
  expect(stderr).not.toContain('secret');
}, 60_000);
