import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type ScriptedEmbedder, scriptedEmbedder } from '../support/scripted-embedder';
import { Sandbox, type ServerProcess, type Variables } from './brain-process';

interface Answer {
  readonly mode?: string;
  readonly added?: number;
  readonly deleted?: number;
  readonly results?: readonly { readonly path: string }[];
  readonly hybrid?: { readonly vectors?: number; readonly pending?: number };
  readonly checks?: readonly { readonly name: string; readonly state: string; readonly message: string }[];
}

let embedder: ScriptedEmbedder;
let sandbox: Sandbox;
beforeAll(async () => {
  embedder = await scriptedEmbedder();
});
afterAll(() => embedder.stop());
beforeEach(() => {
  sandbox = new Sandbox();
  Object.assign(embedder, { manner: 'ok', delay: 0 });
});
afterEach(() => sandbox.remove());

const TOKEN = 'a-token-for-these-tests-alone-0123456789';
const hybrid = (more: Variables = {}): Variables => ({
  BRAIN_TOKEN: TOKEN,
  BRAIN_PG_DSN: 'local:',
  BRAIN_EMBED_URL: embedder.url,
  BRAIN_DEVICE: 'aaaa1111',
  ...more,
});

async function ask(server: ServerProcess, route: string, body?: object): Promise<Answer> {
  const answer = await fetch(server.url + route, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  // What the server answers is looked at field by field.
  return (await answer.json()) as Answer;
}

function putNotes(count: number): void {
  mkdirSync(path.join(sandbox.vault, 'wiki/a/facts'), { recursive: true });
  for (let at = 0; at < count; at += 1) {
    writeFileSync(path.join(sandbox.vault, `wiki/a/facts/n${at}.md`), `# Note ${at}\n\nThe number ${at}.\n`);
  }
  writeFileSync(path.join(sandbox.vault, 'wiki/a/facts/wheels.md'), '# Wheels\n\nAn automobile.\n');
}

const folders = () =>
  readdirSync(path.join(sandbox.vault, '.brain')).filter((name) => name.startsWith('local.'));

it('answers by meaning with files alone, and embeds nothing anew after a start', async () => {
  putNotes(5);
  const first = await sandbox.serve([], hybrid());
  expect(await ask(first, '/backfill-embeddings', {})).toEqual({ added: 6, deleted: 0, errors: [] });
  const found = await ask(first, '/query', { query: 'physician car' });
  expect(found).toMatchObject({ mode: 'hybrid', degraded: false });
  expect(found.results?.[0]?.path).toBe('wiki/a/facts/wheels.md');
  expect((await first.stop()).code).toBe(0);
  const asked = embedder.bodies.length;
  const again = await sandbox.serve([], hybrid());
  expect(await ask(again, '/backfill-embeddings', {})).toEqual({ added: 0, deleted: 0, errors: [] });
  expect(embedder.bodies).toHaveLength(asked);
  expect(await ask(again, '/query', { query: 'car' })).toMatchObject({ mode: 'hybrid' });
  const { checks } = await ask(again, '/status');
  expect(checks?.find(({ name }) => name === 'vectors')).toEqual({
    name: 'vectors',
    state: 'ok',
    message: 'The store of the vectors of this device works and holds 6 vectors.',
  });
  await again.stop();
  // Another device gets the vault without the files of this one, and embeds for itself.
  const other = await sandbox.serve([], hybrid({ BRAIN_DEVICE: 'bbbb2222' }));
  expect(await ask(other, '/backfill-embeddings', {})).toMatchObject({ added: 6 });
  expect(folders()).toHaveLength(2);
  await other.stop();
}, 60_000);

it('goes on after a kill in the midst of a backfill', async () => {
  putNotes(120);
  const server = await sandbox.serve([], hybrid());
  embedder.delay = 50;
  const asked = embedder.bodies.length;
  const backfill = ask(server, '/backfill-embeddings', {}).catch(() => null);
  const vectors = () => {
    const at = path.join(sandbox.vault, '.brain', folders()[0] ?? '', 'vectors');
    try {
      return readdirSync(at).filter((name) => name.endsWith('.vec'));
    } catch {
      return [];
    }
  };
  while (vectors().length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
  await server.stop('SIGKILL');
  await backfill;
  embedder.delay = 0;
  expect(embedder.bodies.length).toBeGreaterThan(asked);
  const next = await sandbox.serve([], hybrid());
  const rest = await ask(next, '/backfill-embeddings', {});
  expect(rest).toMatchObject({ deleted: 0, errors: [] });
  expect(rest.added).toBeLessThan(121);
  expect((await ask(next, '/status')).hybrid).toMatchObject({ vectors: 121, pending: 0 });
  await next.stop();
}, 60_000);

it('embeds anew what a damaged file had, and all when the folder is deleted', async () => {
  putNotes(40);
  const first = await sandbox.serve([], hybrid());
  expect(await ask(first, '/backfill-embeddings', {})).toMatchObject({ added: 41 });
  await first.stop();
  const folder = path.join(sandbox.vault, '.brain', folders()[0] ?? '', 'vectors');
  const [segment = ''] = readdirSync(folder).filter((name) => name.endsWith('.vec'));
  const bytes = readFileSync(path.join(folder, segment));
  writeFileSync(path.join(folder, segment), bytes.subarray(0, bytes.length - 100));
  const second = await sandbox.serve([], hybrid());
  const mended = await ask(second, '/backfill-embeddings', {});
  expect(mended.added).toBeGreaterThan(0);
  expect((await ask(second, '/status')).hybrid).toMatchObject({ vectors: 41, pending: 0 });
  await second.stop();
  rmSync(folder, { recursive: true });
  const third = await sandbox.serve([], hybrid());
  expect(await ask(third, '/backfill-embeddings', {})).toMatchObject({ added: 41 });
  await third.stop();
}, 60_000);

it('does not start with one variable alone, or with more than the word', async () => {
  putNotes(1);
  const alone = await sandbox.run(['serve', '--create', '--vault', sandbox.vault, '--port', '0'], {
    env: { BRAIN_PG_DSN: 'local:' },
  });
  expect(alone).toMatchObject({ code: 1 });
  expect(alone.stderr).toContain('BRAIN_PG_DSN is set but BRAIN_EMBED_URL is not');
  const more = await sandbox.run(['serve', '--create', '--vault', sandbox.vault, '--port', '0'], {
    env: hybrid({ BRAIN_PG_DSN: 'local:./vectors' }),
  });
  expect(more).toMatchObject({ code: 1 });
  expect(more.stderr).toContain('or local: alone');
});
