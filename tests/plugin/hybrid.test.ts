import { type Settings, settleConfig } from '../../src/core/config/config';
import { BrainService } from '../../src/plugin/server/service';
import { createHost, type Host } from '../obsidian/index';
import { silentLog } from '../support/silent-log';
import { type SocketDatabase, socketDatabase } from '../support/vector-databases';
import { meaningOf } from '../support/word-vectors';

const FILES = {
  'wiki/a/facts/wheels.md': '# Wheels\n\nAn automobile.\n',
  'wiki/a/facts/rain.md': 'Some rain.\n',
};

const open: { host: Host; service: BrainService }[] = [];
afterEach(async () => {
  for (const { service, host } of open.splice(0)) {
    await service.stop();
    host.dispose();
  }
});

async function started(settings: Settings): Promise<{ host: Host; service: BrainService }> {
  const host = await createHost({
    files: FILES,
    requests: ({ body }) => {
      // What our own embedder has sent.
      const { input } = JSON.parse(typeof body === 'string' ? body : '') as { input: string[] };
      return { status: 200, body: JSON.stringify({ embeddings: input.map((text) => [...meaningOf(text)]) }) };
    },
  });
  await host.layoutReady();
  const service = new BrainService({
    app: host.app,
    version: '0.0.0-test',
    env: { BRAIN_DEVICE: 'test' },
    log: silentLog(),
    configure: async () => settleConfig({}, { port: 0, ...settings }),
    layout: { isDue: () => true, made: () => undefined },
  });
  open.push({ host, service });
  await service.start();
  return { host, service };
}

it('does not start with an address that cannot be one, and says why', async () => {
  const { service, host } = await started({ pgDsn: 'mysql://me:s3cret@db/x', embedUrl: 'http://ai.lan' });
  expect(service.status).toEqual({
    state: 'failed',
    reason: expect.stringMatching(/^BRAIN_PG_DSN is no address of a Postgres server\. (?!.*s3cret)/),
  });
  expect(host.requests).toEqual([]);
});

it('finds by meaning with vectors in files of this device, and no database', async () => {
  const { service, host } = await started({ vectorStore: 'local', embedUrl: 'http://ai.lan' });
  const { client } = service;
  if (client === null) throw new Error('The service has started.');
  expect(await client.call('backfill', {})).toEqual({ added: 2, deleted: 0, errors: [] });
  const found = await client.call('query', { query: 'car' });
  expect(found).toMatchObject({ mode: 'hybrid', degraded: false });
  expect(found.results[0]?.path).toBe('wiki/a/facts/wheels.md');
  const { checks } = await client.call('status', {});
  expect(checks.find(({ name }) => name === 'vectors')).toMatchObject({
    state: 'ok',
    message: 'The store of the vectors of this device works and holds 2 vectors.',
  });
  const kept = (await host.app.vault.adapter.list('.brain/local.test/vectors')).files;
  expect(kept).toContain('.brain/local.test/vectors/now.json');
});

describe('with a database', () => {
  let database: SocketDatabase;
  beforeAll(async () => {
    database = await socketDatabase();
  }, 60_000);
  afterAll(() => database.close());

  it('finds by meaning, asking the embedder through the app', async () => {
    const { service, host } = await started({ pgDsn: database.dsn, embedUrl: 'http://ai.lan/' });
    const { client } = service;
    if (client === null) throw new Error('The service has started.');
    expect(await client.call('backfill', {})).toEqual({ added: 2, deleted: 0, errors: [] });
    expect((await client.call('status', {})).hybrid.state).toBe('ready');
    const found = await client.call('query', { query: 'car' });
    expect(found).toMatchObject({ mode: 'hybrid', degraded: false });
    expect(found.results[0]?.path).toBe('wiki/a/facts/wheels.md');
    expect(new Set(host.requests.map(({ url }) => url))).toEqual(new Set(['http://ai.lan/api/embed']));
  }, 60_000);
});
