import { backfillEmbeddings, cancelBackfill } from '../../../src/core/search/backfill';
import { queryNotes } from '../../../src/core/search/query';
import { status } from '../../../src/core/status/status';
import { embedError } from '../../support/fake-embedder';
import { type HybridBrain, openHybridBrain, startHybridBrain } from '../../support/hybrid-brain';
import { memoryVectors } from '../../support/memory-vectors';

const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`wiki/a/facts/n${at}.md`, `Note ${at}.`]));
const turns = async (count = 20) => {
  for (let at = 0; at < count; at += 1) await new Promise((resolve) => setImmediate(resolve));
};
const embedded = ({ embedder }: HybridBrain) =>
  embedder.calls.flatMap(({ kind, texts }) => (kind === 'document' ? texts : [])).length;
const nothing = { added: 0, deleted: 0, errors: [] };

describe('after the start', () => {
  it('nothing is embedded by itself before 30 quiet seconds, and then all of it', async () => {
    const brain = await startHybridBrain(many(3));
    await brain.time.pass(29_000);
    expect([embedded(brain), brain.hybrid.sync.state.ended]).toEqual([0, 0]);
    await brain.time.pass(11_000);
    expect([embedded(brain), brain.vectors.rows.size]).toEqual([3, 3]);
    expect(await brain.run(backfillEmbeddings)).toEqual(nothing);
  });

  it('changes put the first sync off, and no longer than an interval', async () => {
    const brain = await startHybridBrain(many(3), { embedSyncInterval: 60 });
    for (let at = 0; at < 5; at += 1) {
      await brain.time.pass(10_000);
      brain.vault.outside(`wiki/a/facts/late${at}.md`, 'Late.');
    }
    expect(embedded(brain)).toBe(0);
    await brain.time.pass(10_000);
    expect(embedded(brain)).toBe(8);
  });

  it.each([0, 5_000, 20_000])('a backfill %i ms later counts every note, and nothing follows', async (ms) => {
    const brain = await startHybridBrain(many(3));
    if (ms > 0) await brain.time.pass(ms);
    expect(await brain.run(backfillEmbeddings, { dry_run: true })).toEqual({ ...nothing, added: 3 });
    expect(embedded(brain)).toBe(0);
    expect(await brain.run(backfillEmbeddings)).toEqual({ ...nothing, added: 3 });
    await brain.time.pass(60_000);
    expect([embedded(brain), brain.hybrid.sync.state.ended]).toEqual([3, 1]);
  });

  it('a vault with all its vectors is searched by meaning at once, and is ready', async () => {
    const vectors = memoryVectors();
    await (await openHybridBrain(many(500), { vectors })).close();
    const brain = await startHybridBrain(many(500), { vectors });
    expect(await brain.run(queryNotes, { query: 'note' })).toMatchObject({ mode: 'hybrid', degraded: false });
    const { hybrid, checks } = await brain.run(status);
    expect(hybrid).toEqual({
      configured: true,
      state: 'ready',
      model: 'fake-model',
      vectors: 500,
      pending: 0,
    });
    expect(checks.find(({ name }) => name === 'vectors')?.state).toBe('ok');
    expect(brain.hybrid.sync.state.ended).toBe(0);
  });

  it.each<[string, number, { state: string; pending?: number }, object]>([
    ['with few vectors goes by words', 10, { state: 'degraded', pending: 490 }, { mode: 'bm25' }],
    ['with most of them goes by both', 499, { state: 'starting', pending: 1 }, { mode: 'hybrid' }],
  ])('one %s, and says so', async (_, rows, state, found) => {
    const vectors = memoryVectors();
    await (await openHybridBrain(many(rows), { vectors })).close();
    const brain = await startHybridBrain(many(500), { vectors });
    await turns();
    expect(await brain.run(queryNotes, { query: 'note' })).toMatchObject(found);
    expect((await brain.run(status)).hybrid).toMatchObject({ ...state, vectors: rows });
    await brain.time.pass(40_000);
    expect((await brain.run(status)).hybrid).toMatchObject({ state: 'ready', pending: 0, vectors: 500 });
  });

  it('what keeps searches from the vectors is told at once, and once', async () => {
    const vectors = memoryVectors();
    await (await openHybridBrain(many(3), { vectors })).close();
    await vectors.mark('another-model');
    const foreign = await startHybridBrain(many(3), { vectors });
    await turns();
    expect(foreign.hybrid.sync.state).toMatchObject({ makerChanged: true, ended: 0 });
    expect((await foreign.run(status)).hybrid.state).toBe('model_changed');
    expect(await foreign.run(backfillEmbeddings)).toEqual({ ...nothing, added: 3 });
    await foreign.close();

    vectors.isDown = true;
    const down = await startHybridBrain(many(3), { vectors });
    await turns();
    const words = 'The database in memory refuses connections.';
    expect((await down.run(status)).hybrid).toMatchObject({ state: 'degraded', last_error: words });
    await down.time.pass(60_000);
    expect(down.brain.log).toMatchObject({
      lines: [expect.objectContaining({ event: 'embed.sync' })],
    });
    vectors.isDown = false;
    expect(await down.run(backfillEmbeddings)).toEqual(nothing);
    expect((await down.run(status)).hybrid.state).toBe('ready');
  });
});

/** A brain whose first sync has begun by itself and embeds no note before `go`. */
async function inFirstSync(notes: number, begun: number) {
  const brain = await startHybridBrain(many(notes));
  let go = (): void => undefined;
  const gate = new Promise<void>((resolve) => (go = resolve));
  brain.embedder.before = async (_texts, _kind, signal) => {
    if (embedded(brain) < begun) return;
    await new Promise<void>((resolve, reject) => {
      void gate.then(resolve);
      signal?.onStop(() => reject(embedError('stopped')));
    });
  };
  await brain.time.pass(40_000);
  expect(brain.hybrid.sync.state.progress).toMatchObject({ phase: 'embedding', total: notes });
  return { ...brain, go };
}

describe('a backfill that comes while a sync runs', () => {
  it.each([1, 20, 40])('counts what that one does, of which %i notes were begun', async (begun) => {
    const brain = await inFirstSync(40, begun);
    expect(await brain.run(backfillEmbeddings, { dry_run: true })).toMatchObject({ errors: [] });
    const asked = [brain.run(backfillEmbeddings), brain.run(backfillEmbeddings)];
    await turns();
    brain.go();
    for (const answer of await Promise.all(asked)) expect(answer).toEqual({ ...nothing, added: 40 });
    expect(embedded(brain)).toBe(40);
    expect(await brain.run(backfillEmbeddings)).toEqual(nothing);
  });

  it('names no failure that was put right meanwhile, and each that stands once', async () => {
    const brain = await startHybridBrain(many(3));
    let bad = /Note [01]\./;
    const asked: Promise<object>[] = [];
    brain.embedder.before = async ([text = '']) => {
      if (asked.length === 0) asked.push(brain.run(backfillEmbeddings));
      await turns(2);
      if (!bad.test(text)) return;
      if (text.includes('Note 1.')) bad = /Note 0\./;
      throw embedError('HTTP 500', { status: 500 });
    };
    await brain.time.pass(40_000);
    expect(await asked[0]).toEqual({
      added: 2,
      deleted: 0,
      errors: [{ path: 'wiki/a/facts/n0.md', error: 'The embedder at fake: HTTP 500.' }],
    });
  });

  it('counts what stands when both are called off', async () => {
    const brain = await inFirstSync(40, 30);
    const asked = brain.run(backfillEmbeddings);
    await turns();
    expect(await brain.run(cancelBackfill)).toEqual({ cancelled: true });
    const { added, errors } = await asked;
    expect(added).toBe(brain.vectors.rows.size);
    expect(added).toBeGreaterThan(0);
    expect(errors).toEqual([{ error: 'The sync was stopped before it began.' }]);
    brain.go();
    expect(await brain.run(backfillEmbeddings)).toEqual({ ...nothing, added: 40 - added });
  });
});
