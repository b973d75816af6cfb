import { StoreDown } from '../../../src/core/embeddings/store';
import { backfillEmbeddings } from '../../../src/core/search/backfill';
import { queryNotes } from '../../../src/core/search/query';
import { status } from '../../../src/core/status/status';
import { embedError } from '../../support/fake-embedder';
import { openHybridBrain } from '../../support/hybrid-brain';
import { memoryVectors } from '../../support/memory-vectors';

const many = (count: number, text = 'Note') =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`wiki/a/facts/n${at}.md`, `${text} ${at}.`]));

describe('the texts of several notes', () => {
  it('go in one call, 32 at most, and two calls at a time', async () => {
    const long = `# Long\n\n${'A sentence about a car. '.repeat(900)}`;
    const { run, vault, embedder, vectors } = await openHybridBrain();
    for (const [path, text] of Object.entries({ ...many(100), 'wiki/b/facts/long.md': long }))
      vault.outside(path, text);
    let [now, most] = [0, 0];
    embedder.before = async () => {
      most = Math.max(most, (now += 1));
      await new Promise((resolve) => setImmediate(resolve));
      now -= 1;
    };
    expect(await run(backfillEmbeddings)).toEqual({ added: 101, deleted: 0, errors: [] });
    expect(Math.max(...embedder.calls.map(({ texts }) => texts.length))).toBeLessThanOrEqual(32);
    expect(embedder.calls.length).toBeLessThanOrEqual(6);
    expect([most, vectors.rows.size]).toEqual([2, 101]);
  });

  it.each([
    ['cannot be embedded', embedError('HTTP 500', { status: 500 })],
    ['is too long', embedError('too long', { status: 400, too_long: true })],
    ['takes all down that come with it', embedError('timeout')],
  ])('are embedded one by one when one of them %s', async (_, failure) => {
    const { run, vault, embedder, vectors } = await openHybridBrain();
    for (const [path, text] of Object.entries(many(60))) vault.outside(path, text);
    vault.outside('wiki/b/facts/bad.md', 'Bad');
    embedder.before = async (texts) => {
      if (texts.some((text) => /bad/i.test(text))) throw failure;
    };
    const { added, errors } = await run(backfillEmbeddings);
    expect({ added, paths: errors.map(({ path }) => path) }).toEqual({
      added: 60,
      paths: ['wiki/b/facts/bad.md'],
    });
    expect(vectors.rows.size).toBe(60);
  });
});

describe('a sync that an outage has cut', () => {
  it('goes on when the database answers again, long before the next interval', async () => {
    const { vault, vectors, time, hybrid } = await openHybridBrain({}, { embedSyncInterval: 3600 });
    for (const [path, text] of Object.entries(many(40))) vault.outside(path, text);
    vectors.isDown = true;
    await time.pass(45_000);
    expect(hybrid.sync.state.lastError).toMatch(/refuses connections/);
    await time.pass(120_000);
    vectors.isDown = false;
    await time.pass(70_000);
    expect([vectors.rows.size, hybrid.sync.state.lastError]).toEqual([40, null]);
  });

  it('goes on when the embedder answers again, and asks it ever more seldom until then', async () => {
    const { vault, vectors, embedder, time, hybrid } = await openHybridBrain({}, { embedSyncInterval: 3600 });
    for (const [path, text] of Object.entries(many(40))) vault.outside(path, text);
    embedder.before = () => Promise.reject(embedError('ECONNREFUSED'));
    await time.pass(45_000);
    const calls = embedder.calls.length;
    await time.pass(600_000);
    expect(embedder.calls.length - calls).toBeLessThanOrEqual(15);
    embedder.before = async () => undefined;
    await time.pass(70_000);
    expect([vectors.rows.size, hybrid.sync.state.pending]).toEqual([40, 0]);
  });

  it('embeds nothing twice, and nothing more, while the database takes no row', async () => {
    const { vault, vectors, embedder, time, hybrid } = await openHybridBrain({}, { embedSyncInterval: 3600 });
    const put = vectors.put.bind(vectors);
    vectors.put = async (rows, maker) => {
      if (rows.length > 0) throw new StoreDown('The disk is full.');
      await put(rows, maker);
    };
    for (const [path, text] of Object.entries(many(200))) vault.outside(path, text);
    await time.pass(45_000);
    expect(hybrid.sync.state.lastError).toBe('The disk is full.');
    const calls = embedder.calls.length;
    expect(calls).toBeGreaterThan(0);
    vault.outside('wiki/a/facts/n0.md', 'Another note.');
    await time.pass(600_000);
    expect(embedder.calls).toHaveLength(calls);
    vectors.put = put;
    await time.pass(70_000);
    expect([vectors.rows.size, hybrid.sync.state.lastError]).toEqual([200, null]);
    const texts = embedder.calls.filter(({ kind }) => kind === 'document').flatMap((call) => call.texts);
    expect([...new Set(texts)].sort()).toEqual([...texts].sort());
    expect(texts.filter((text) => text.includes('Another note.'))).toHaveLength(1);
  });

  it('waits for the interval when it was sent away', async () => {
    const { vault, embedder, time } = await openHybridBrain({}, { embedSyncInterval: 3600 });
    for (const [path, text] of Object.entries(many(40))) vault.outside(path, text);
    embedder.before = () => Promise.reject(embedError('HTTP 401', { status: 401 }));
    await time.pass(45_000);
    const calls = embedder.calls.length;
    expect(calls).toBeGreaterThan(0);
    await time.pass(600_000);
    expect(embedder.calls).toHaveLength(calls);
  });
});

describe('a device whose vectors another one makes', () => {
  it('reads, says so, and takes over when that one is gone', async () => {
    const vectors = memoryVectors();
    await (await openHybridBrain(many(4), { vectors })).close();
    vectors.holder = 'ada1';
    const { run, vault, embedder, time } = await openHybridBrain(many(4), { vectors });
    vault.outside('wiki/a/facts/new.md', 'Note new.');
    await time.pass(400_000);
    expect(embedder.calls.some(({ kind }) => kind === 'document')).toBe(false);
    expect((await run(status)).hybrid).toMatchObject({
      state: 'ready',
      synced_by: 'ada1',
      vectors: 4,
    });
    expect(await run(queryNotes, { query: 'note' })).toMatchObject({ mode: 'hybrid', degraded: false });
    expect(await run(backfillEmbeddings)).toEqual({
      added: 0,
      deleted: 0,
      errors: [{ error: expect.stringMatching(/^Another device \(ada1\) makes the vectors/) }],
    });
    vectors.holder = null;
    await time.pass(400_000);
    expect(vectors.rows.size).toBe(5);
    expect((await run(status)).hybrid.synced_by).toBeUndefined();
  });
});
