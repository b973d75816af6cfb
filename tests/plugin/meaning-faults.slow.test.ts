import { settleConfig } from '../../src/core/config/config';
import { BrainService } from '../../src/plugin/server/service';
import type { BrainClient } from '../../src/core/registry/client';
import { createHost, type Host } from '../obsidian/index';
import { MemoryStorage } from '../obsidian/storage/memory';
import { silentLog } from '../support/silent-log';
import { meaningOf } from '../support/word-vectors';

/** What happens to search by meaning on this device, seen from the app, when something goes wrong in the midst of a backfill. */

const NOTES = 120;
const FILES = {
  ...Object.fromEntries(
    Array.from({ length: NOTES - 1 }, (_, at) => [
      `wiki/a/facts/n${at}.md`,
      `# Note ${at}\n\nThe number ${at}.\n`,
    ]),
  ),
  'wiki/a/facts/wheels.md': '# Wheels\n\nAn automobile.\n',
};

/** A disk that is full for as long as a test says: a write leaves half of its bytes. */
class FullDisk extends MemoryStorage {
  isFull = false;

  override async write(...[path, bytes, times]: Parameters<MemoryStorage['write']>): Promise<void> {
    await super.write(path, this.isFull ? bytes.slice(0, bytes.length / 2) : bytes, times);
    this.#refuse();
  }

  override async append(...[path, bytes, times]: Parameters<MemoryStorage['append']>): Promise<void> {
    this.#refuse();
    await super.append(path, bytes, times);
  }

  override async mkdir(path: string): Promise<void> {
    this.#refuse();
    await super.mkdir(path);
  }

  #refuse(): void {
    if (this.isFull)
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
  }
}

interface World {
  readonly host: Host;
  readonly disk: FullDisk;
  readonly log: ReturnType<typeof silentLog>;
  /** The titles of the notes whose text was asked for, in order. */
  readonly asked: string[];
  /** What the embedder does after so many more texts of notes; one that waits still answers searches. */
  readonly embedder: { left: number; then: 'waits' | 'is gone' };
  /** How many requests wait for the embedder, also those that nobody waits for any more. */
  readonly held: { count: number };
  /** Moves the clock that the plugin sees (ms). */
  readonly clock: { ahead: number };
  /** Opens the vault, as a start of the plugin does. */
  start(): Promise<BrainService>;
}

const open: { host: Host; service: BrainService }[] = [];
afterEach(async () => {
  for (const { service, host } of open.splice(0)) {
    await service.stop();
    host.dispose();
  }
});

async function world(): Promise<World> {
  const disk = new FullDisk();
  const asked: string[] = [];
  const embedder: World['embedder'] = { left: Infinity, then: 'waits' };
  const held = { count: 0 };
  const host = await createHost({
    storage: disk,
    requests: async ({ body }) => {
      // What our own embedder has sent.
      const { input } = JSON.parse(typeof body === 'string' ? body : '') as { input: string[] };
      const titles = input.flatMap((text) => /^search_document: (.*)/.exec(text)?.[1] ?? []);
      if (embedder.left < titles.length) embedder.left = 0;
      if (embedder.left === 0 && embedder.then === 'is gone') throw new Error('net::ERR_CONNECTION_REFUSED');
      held.count += 1;
      while (titles.length > 0 && embedder.left === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      held.count -= 1;
      embedder.left -= titles.length;
      asked.push(...titles);
      return { status: 200, body: JSON.stringify({ embeddings: input.map((text) => [...meaningOf(text)]) }) };
    },
  });
  for (const [path, text] of Object.entries(FILES)) {
    await disk.mkdir(path.slice(0, path.lastIndexOf('/')));
    await disk.write(path, new TextEncoder().encode(text));
  }
  await host.layoutReady();
  const log = silentLog();
  const clock = { ahead: 0 };
  const start = async (): Promise<BrainService> => {
    const service = new BrainService({
      app: host.app,
      version: '0.0.0-test',
      env: { BRAIN_DEVICE: 'test' },
      log,
      clock: { now: () => new Date(Date.now() + clock.ahead) },
      configure: async () =>
        settleConfig(
          {},
          { port: 0, vectorStore: 'local', embedUrl: 'http://ai.lan', embedSyncInterval: 3600 },
        ),
      layout: { isDue: () => true, made: () => undefined },
    });
    open.push({ host, service });
    await service.start();
    expect(service.status).toMatchObject({ state: 'running' });
    return service;
  };
  return { host, disk, log, asked, embedder, held, clock, start };
}

function clientOf({ client }: BrainService): BrainClient {
  if (client === null) throw new Error('The service has started.');
  return client;
}

async function until(what: string, met: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 45_000;
  while (!(await met())) {
    if (Date.now() > end) throw new Error(`Waited in vain: ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** The number of rows that the files hold. */
async function rowsKept({ host }: World): Promise<number> {
  const folder = '.brain/local.test/vectors';
  const { adapter } = host.app.vault;
  if (!(await adapter.exists(folder))) return 0;
  const { files } = await adapter.list(folder);
  const segments = files.filter((file) => file.endsWith('.vec'));
  const rows = await Promise.all(
    segments.map(async (file) => new DataView(await adapter.readBinary(file)).getUint32(12, true)),
  );
  return rows.reduce((sum, count) => sum + count, 0);
}

const byMeaning = (client: BrainClient) => client.call('query', { query: 'car' });
const hybridOf = async (client: BrainClient) => (await client.call('status', {})).hybrid;

it('goes on after a cancel where it was, and asks for no vector twice that it has', async () => {
  const here = await world();
  const client = clientOf(await here.start());
  here.embedder.left = 64;
  const backfill = client.call('backfill', {});
  await until('some rows are kept', async () => (await rowsKept(here)) >= 32);
  expect(await client.call('cancelBackfill', {})).toEqual({ cancelled: true });
  const first = await backfill;
  expect(first.errors).toEqual([
    { error: `The sync was stopped; ${NOTES - first.added} notes wait for the next one.` },
  ]);
  expect(await hybridOf(client)).toMatchObject({ paused: true, pending: NOTES - first.added });
  expect(await client.call('query', { query: 'number 7' })).toMatchObject({ degraded: false });
  here.embedder.left = Infinity;
  // The app cannot abort a request: one that was sent before the cancel is answered now.
  await until('no request is held', () => here.held.count === 0);
  const had = here.asked.length;
  expect(await client.call('backfill', {})).toEqual({ added: NOTES - first.added, deleted: 0, errors: [] });
  expect(here.asked.length - had).toBe(NOTES - first.added);
  expect((await byMeaning(client)).results[0]?.path).toBe('wiki/a/facts/wheels.md');
  expect(await hybridOf(client)).toMatchObject({ state: 'ready', vectors: NOTES, pending: 0 });
}, 60_000);

it('goes on after the plugin was loaded anew in the midst, and asks for no vector twice that it has', async () => {
  const here = await world();
  const service = await here.start();
  here.embedder.left = 64;
  const backfill = clientOf(service)
    .call('backfill', {})
    .catch(() => null);
  await until('some rows are kept', async () => (await rowsKept(here)) >= 32);
  await service.stop();
  await backfill;
  const kept = await rowsKept(here);
  here.embedder.left = Infinity;
  here.asked.length = 0;
  const client = clientOf(await here.start());
  expect(await client.call('backfill', {})).toEqual({ added: NOTES - kept, deleted: 0, errors: [] });
  expect(new Set(here.asked).size).toBe(NOTES - kept);
  expect(await hybridOf(client)).toMatchObject({ state: 'ready', vectors: NOTES, pending: 0 });
}, 60_000);

it('answers by words while the embedder is gone, says so, and goes on by itself when it is back', async () => {
  const here = await world();
  const client = clientOf(await here.start());
  Object.assign(here.embedder, { left: 64, then: 'is gone' });
  const { added, errors } = await client.call('backfill', {});
  expect(added).toBeGreaterThanOrEqual(32);
  expect(errors.at(-1)?.error).toMatch(/^\d+ more notes wait for the embedder to answer\.$/);
  const found = await client.call('query', { query: 'automobile' });
  expect(found).toMatchObject({ mode: 'bm25', degraded: true });
  expect(found.results[0]?.path).toBe('wiki/a/facts/wheels.md');
  const { checks, hybrid } = await client.call('status', {});
  expect(hybrid).toMatchObject({ state: 'degraded', vectors: added, pending: NOTES - added });
  expect(checks.find(({ name }) => name === 'embedder')).toMatchObject({
    state: 'failed',
    message: expect.stringContaining('The embedder at ai.lan cannot be reached'),
  });
  here.embedder.left = Infinity;
  await until('all have a vector', async () => (await hybridOf(client)).pending === 0);
  expect((await byMeaning(client)).mode).toBe('hybrid');
  expect(here.asked.filter((title) => title === 'Note 0')).toHaveLength(1);
}, 90_000);

it('answers while the disk is full, says so, and goes on by itself when there is room', async () => {
  const here = await world();
  const client = clientOf(await here.start());
  here.embedder.left = 64;
  const backfill = client.call('backfill', {});
  await until('some rows are kept', async () => (await rowsKept(here)) >= 32);
  here.disk.isFull = true;
  here.embedder.left = Infinity;
  const { errors } = await backfill;
  expect(errors).toEqual([{ error: expect.stringContaining('See that the disk has room') }]);
  const found = await client.call('query', { query: 'automobile' });
  expect(found.results[0]?.path).toBe('wiki/a/facts/wheels.md');
  const { hybrid } = await client.call('status', {});
  expect(hybrid.last_error).toContain('See that the disk has room');
  here.disk.isFull = false;
  await until('all have a vector', async () => (await hybridOf(client)).pending === 0);
  expect(here.asked).toHaveLength(NOTES);
  expect(here.log.lines.map(({ event }) => event)).not.toContain('vectors.damaged');
  expect(await hybridOf(client)).toMatchObject({ state: 'ready', vectors: NOTES });
  await open.at(-1)?.service.stop();
  const again = clientOf(await here.start());
  expect(await again.call('backfill', {})).toEqual({ added: 0, deleted: 0, errors: [] });
  expect((await byMeaning(again)).results[0]?.path).toBe('wiki/a/facts/wheels.md');
}, 90_000);

it('asks for each text once though the machine sleeps for hours in the midst, and syncs after that', async () => {
  const here = await world();
  const client = clientOf(await here.start());
  here.embedder.left = 64;
  const backfill = client.call('backfill', {});
  await until('some rows are kept', async () => (await rowsKept(here)) >= 32);
  here.clock.ahead += 8 * 3_600_000;
  here.embedder.left = Infinity;
  expect(await backfill).toEqual({ added: NOTES, deleted: 0, errors: [] });
  expect(here.asked).toHaveLength(NOTES);
  const before = (await hybridOf(client)).last_sync;
  // The clock is read again within ten seconds, and the interval is over.
  await until('a sync by itself', async () => (await hybridOf(client)).last_sync !== before);
  expect(here.asked).toHaveLength(NOTES);
  expect(await hybridOf(client)).toMatchObject({ state: 'ready', vectors: NOTES, pending: 0 });
}, 60_000);
