import { backfillEmbeddings } from '../../../src/core/search/backfill';
import { queryNotes } from '../../../src/core/search/query';
import { status } from '../../../src/core/status/status';
import { embedError } from '../../support/fake-embedder';
import { type HybridBrain, openHybridBrain } from '../../support/hybrid-brain';
import { memoryVectors } from '../../support/memory-vectors';

const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`wiki/a/facts/n${at}.md`, `Note ${at}.`]));

describe('a look at the vectors', () => {
  const look = async ({ run }: HybridBrain) =>
    (await run(status)).checks.find(({ name }) => name === 'vectors');

  it('fails when they are those of another model', async () => {
    const vectors = memoryVectors();
    const brain = await openHybridBrain(many(3), { vectors });
    await vectors.mark('model-of-another-device');
    expect(await look(brain)).toEqual({
      name: 'vectors',
      state: 'failed',
      message: 'The vectors were made by another model. Run backfill-embeddings to make them anew.',
      fix: 'Or set the model back to the one that made them. Until then, search goes by words alone.',
    });
  });

  it('fails when they are those of another vault, which are left alone while words still find', async () => {
    const vectors = memoryVectors();
    await (await openHybridBrain(many(3), { vectors })).close();
    vectors.vault = 'f'.repeat(32);
    const rows = new Map(vectors.rows);
    const message = 'The table in memory holds the vectors of another vault.';
    const brain = await openHybridBrain({ ...many(2), 'wiki/a/facts/new.md': 'Note new.' }, { vectors });
    expect(await look(brain)).toMatchObject({ state: 'failed', message });
    expect(await brain.run(queryNotes, { query: 'note' })).toMatchObject({ mode: 'bm25', degraded: true });
    expect(await brain.run(backfillEmbeddings)).toEqual({
      added: 0,
      deleted: 0,
      errors: [{ error: message }],
    });
    const { hybrid } = await brain.run(status);
    expect(hybrid).toMatchObject({ state: 'degraded', last_error: message });
    expect(hybrid.vectors).toBeUndefined();
    expect([vectors.rows, vectors.vault]).toEqual([rows, 'f'.repeat(32)]);
  });

  it('offers the statement that makes an old table faster', async () => {
    const brain = await openHybridBrain(many(3));
    brain.vectors.advised = 'ALTER TABLE x;';
    expect(await look(brain)).toMatchObject({
      state: 'warning',
      fix: expect.stringMatching(/: ALTER TABLE x;$/),
    });
  });

  it('warns when too few notes have one', async () => {
    const brain = await openHybridBrain();
    brain.vectors.isDown = true;
    for (const [path, text] of Object.entries(many(201))) brain.vault.outside(path, text);
    await brain.run(backfillEmbeddings);
    brain.vectors.isDown = false;
    expect(await look(brain)).toEqual({
      name: 'vectors',
      state: 'warning',
      message: '0 of 201 notes in wiki/ have a vector; from 1 on, search goes by meaning too.',
      fix: expect.stringContaining('backfill-embeddings tries at once'),
    });
  });
});

describe('a look that something has happened since', () => {
  const fails = () => Promise.reject(embedError('HTTP 500', { status: 500 }));
  const works = async () => undefined;
  const look = async ({ run }: HybridBrain) => {
    const { hybrid, checks } = await run(status);
    const stateOf = (name: string) => checks.find((check) => check.name === name)?.state;
    return [hybrid.state, stateOf('vectors'), stateOf('embedder'), hybrid.last_error];
  };
  const well = ['ready', 'ok', 'ok', undefined];
  const HTTP_500 = 'The embedder at fake: HTTP 500.';

  it('is taken anew as soon as a search has failed, and again when one is answered', async () => {
    const brain = await openHybridBrain(many(3));
    expect(await look(brain)).toEqual(well);
    brain.embedder.before = fails;
    expect(await brain.run(queryNotes, { query: 'note' })).toMatchObject({ mode: 'bm25', degraded: true });
    expect(await look(brain)).toEqual(['degraded', 'ok', 'failed', HTTP_500]);
    brain.embedder.before = works;
    brain.clock.advance(2_000);
    expect(await brain.run(queryNotes, { query: 'words' })).toMatchObject({ mode: 'hybrid' });
    expect(await look(brain)).toEqual(well);
  });

  it('is taken anew also when the database fails a search', async () => {
    const brain = await openHybridBrain(many(3));
    expect(await look(brain)).toEqual(well);
    brain.vectors.isDown = true;
    await brain.run(queryNotes, { query: 'note' });
    expect(await look(brain)).toEqual([
      'degraded',
      'failed',
      'ok',
      'The database in memory refuses connections.',
    ]);
  });

  it('finds within fifteen seconds what was put right, though nobody searches', async () => {
    const brain = await openHybridBrain(many(3));
    brain.embedder.before = fails;
    await brain.run(queryNotes, { query: 'note' });
    expect((await look(brain))[2]).toBe('failed');
    brain.embedder.before = works;
    brain.clock.advance(15_000);
    expect(await look(brain)).toEqual(well);
  });

  it('says that one text failed only until a look shows that another does not', async () => {
    const brain = await openHybridBrain(many(3));
    brain.embedder.before = ([text = '']) => (text === 'odd' ? fails() : works());
    await brain.run(queryNotes, { query: 'odd' });
    expect(brain.hybrid.failure).toBe(HTTP_500);
    expect(await look(brain)).toEqual(well);
  });

  it('is taken anew when a sync has ended, and counts what hybrid counts', async () => {
    const brain = await openHybridBrain(many(3));
    const said = async () => {
      const { hybrid, checks } = await brain.run(status);
      return [hybrid.vectors, checks.find(({ name }) => name === 'vectors')?.message];
    };
    expect(await said()).toEqual([3, 'The database answers and holds 3 vectors.']);
    brain.vault.outside('wiki/a/facts/more.md', 'More.');
    await brain.run(backfillEmbeddings);
    expect(await said()).toEqual([4, 'The database answers and holds 4 vectors.']);
    // Somebody has emptied the table by hand.
    brain.vectors.rows.clear();
    brain.clock.advance(60_000);
    expect(await said()).toEqual([0, 'The database answers and holds 0 vectors.']);
    await brain.run(backfillEmbeddings);
    expect(await said()).toEqual([4, 'The database answers and holds 4 vectors.']);
    brain.vectors.isDown = true;
    await brain.run(backfillEmbeddings);
    brain.clock.advance(2_000);
    expect(await said()).toEqual([4, 'The database in memory refuses connections.']);
  });

  it('brings one look in two seconds where searches fail and are answered by turns, and one at a time', async () => {
    const brain = await openHybridBrain(many(3));
    const looks = () => brain.embedder.calls.filter(({ texts }) => texts[0]?.startsWith('A look')).length;
    for (let second = 0; second < 10; second += 1) {
      for (const before of [fails, works]) {
        brain.embedder.before = before;
        await brain.run(queryNotes, { query: `note ${second}` });
        await Promise.all([1, 2, 3].map(() => look(brain)));
        brain.clock.advance(500);
      }
    }
    expect(looks()).toBeGreaterThan(2);
    expect(looks()).toBeLessThanOrEqual(6);
  });
});
