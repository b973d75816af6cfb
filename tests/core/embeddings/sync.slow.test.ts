import fc from 'fast-check';
import { StoreDown } from '../../../src/core/embeddings/store';
import { updateNote } from '../../../src/core/notes/update';
import { writeNote } from '../../../src/core/notes/write';
import { backfillEmbeddings, cancelBackfill } from '../../../src/core/search/backfill';
import { queryNotes } from '../../../src/core/search/query';
import { status } from '../../../src/core/status/status';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { embedError } from '../../support/fake-embedder';
import { openHybridBrain } from '../../support/hybrid-brain';
import { madeBy, memoryVectors } from '../../support/memory-vectors';
import { openTestBrain } from '../../support/test-brain';

const FILES = {
  'wiki/a/facts/car.md': '# Car\n\nA car.',
  'wiki/a/facts/rain.md': '# Rain\n\nSome rain.',
  'wiki/a/_index.md': '# a',
  'knowledge/old.md': 'Old.',
  'raw/new.md': 'New.',
};
const NOTES = ['wiki/a/facts/car.md', 'wiki/a/facts/rain.md'];

const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`wiki/a/facts/n${at}.md`, `Note ${at}.`]));

describe('what the first sync does', () => {
  it('embeds the notes of the wiki and nothing else, once, and notes the maker', async () => {
    const { vectors, embedder, run } = await openHybridBrain(FILES);
    expect([...vectors.rows.keys()].sort()).toEqual(NOTES);
    expect(await vectors.maker()).toBe('fake-model');
    expect(embedder.calls.map(({ kind }) => kind)).toEqual(['document', 'document']);
    expect(await run(backfillEmbeddings)).toEqual({ added: 0, deleted: 0, errors: [] });
    expect(embedder.calls).toHaveLength(2);
  });

  it('is told in the status', async () => {
    const { run } = await openHybridBrain(FILES);
    const { hybrid, checks } = await run(status);
    expect(hybrid).toEqual({
      configured: true,
      state: 'ready',
      model: 'fake-model',
      vectors: 2,
      pending: 0,
      last_sync: '2026-11-20T10:32:00Z',
    });
    expect(checks.filter(({ name }) => ['vectors', 'embedder'].includes(name))).toEqual([
      { name: 'vectors', state: 'ok', message: 'The database answers and holds 2 vectors.' },
      { name: 'embedder', state: 'ok', message: 'The embedder answers with fake-model.' },
    ]);
  });
});

describe('what changed is embedded', () => {
  it('after 30 quiet seconds, without anybody asking; and no write waits for it', async () => {
    const { run, embedder, time, vectors } = await openHybridBrain(FILES);
    embedder.before = () => new Promise(() => undefined);
    const content = '# Moon\n\nA moon.';
    // The embedder never answers, and the write does.
    await run(writeNote, { wing: 'a', hall: 'facts', filename: 'moon', content });
    await time.pass(20_000);
    expect(embedder.calls).toHaveLength(2);
    await run(updateNote, { path: 'wiki/a/facts/car.md', content: 'A vehicle.', reason: 'better' });
    await time.pass(20_000);
    expect(embedder.calls).toHaveLength(2);
    embedder.before = async () => undefined;
    await time.pass(20_000);
    expect(embedder.calls).toHaveLength(4);
    expect([...vectors.rows.keys()].sort()).toEqual([
      'wiki/a/facts/car.md',
      'wiki/a/facts/moon.md',
      NOTES[1],
    ]);
  });

  it('at every interval, also when no event told of it and the machine slept', async () => {
    const { files, embedder, time, clock } = await openHybridBrain(FILES, { embedSyncInterval: 60 });
    files.set('wiki/b/facts/quiet.md', 'Nobody told.');
    await time.pass(50_000);
    expect(embedder.calls).toHaveLength(2);
    clock.advance(3_600_000);
    await time.pass(10_000);
    expect(embedder.calls).toHaveLength(3);
  });

  it('removes what is gone and moves what was only touched', async () => {
    const { run, clock, vault, vectors, embedder } = await openHybridBrain(FILES);
    clock.advance(60_000);
    vault.outside(NOTES[0] ?? '', null);
    vault.touch(NOTES[1] ?? '');
    clock.advance(60_000);
    expect(await run(backfillEmbeddings)).toEqual({ added: 0, deleted: 1, errors: [] });
    expect(embedder.calls).toHaveLength(2);
    expect(await vectors.known(madeBy('fake-model'))).toEqual(new Map([[NOTES[1], clock.now()]]));
  });

  it('embeds a note that was put back with an old time', async () => {
    const { run, files, brain, vault, embedder, clock } = await openHybridBrain(FILES);
    clock.advance(-3_600_000);
    vault.outside(NOTES[0] ?? '', '# Car\n\nAn older text.');
    clock.advance(7_200_000);
    expect(files.get(NOTES[0] ?? '')).toContain('older');
    expect(await run(backfillEmbeddings)).toMatchObject({ added: 1 });
    expect(embedder.calls).toHaveLength(3);
    expect(brain.hybrid?.sync.state.vectors).toBe(2);
  });

  it('embeds a note whose edit left its size and time as they were, also when the first try fails', async () => {
    const { run, vault, embedder, hybrid } = await openHybridBrain({ ...FILES, [NOTES[0] ?? '']: '# Car' });
    vault.outside(NOTES[0] ?? '', '# Bus');
    embedder.before = () => Promise.reject(embedError('HTTP 500', { status: 500 }));
    expect(await hybrid.sync.preview()).toEqual({ added: 1, deleted: 0, errors: [] });
    expect(await run(backfillEmbeddings)).toMatchObject({ added: 0, errors: [{ path: NOTES[0] }] });
    embedder.before = async () => undefined;
    expect(await run(backfillEmbeddings)).toEqual({ added: 1, deleted: 0, errors: [] });
    expect(embedder.calls.at(-1)?.texts).toEqual([expect.stringContaining('Bus')]);
    expect(await run(backfillEmbeddings)).toEqual({ added: 0, deleted: 0, errors: [] });
    expect(await hybrid.sync.preview()).toEqual({ added: 0, deleted: 0, errors: [] });
  });

  it('trusts what it remembers only of rows that it made itself', async () => {
    const { run, clock, vault, vectors, embedder } = await openHybridBrain(FILES);
    const [path = ''] = NOTES;
    const row = vectors.rows.get(vaultPath(path));
    if (row === undefined) throw new Error('The note has a row.');
    // Another device has embedded another text meanwhile.
    clock.advance(60_000);
    await vectors.put([{ ...row, updatedAt: clock.now() }], madeBy('fake-model'));
    clock.advance(60_000);
    vault.touch(path);
    expect(await run(backfillEmbeddings)).toMatchObject({ added: 1 });
    expect(embedder.calls).toHaveLength(3);
  });

  it('embeds again when what it remembers is damaged', async () => {
    const { run, state, vault, clock, embedder } = await openHybridBrain(FILES);
    state.files.set('local.testtest/embedded.jsonl', '[1,2\n{"no":1}\n');
    clock.advance(60_000);
    vault.touch(NOTES[0] ?? '');
    expect(await run(backfillEmbeddings)).toEqual({ added: 1, deleted: 0, errors: [] });
    expect(embedder.calls).toHaveLength(3);
  });
});

describe('what fails', () => {
  it('is told for each note, and the others go on', async () => {
    const { run, vault, embedder, vectors, clock, brain } = await openHybridBrain();
    embedder.before = async (texts) => {
      if (texts.some((text) => text.includes('Bad'))) throw embedError('HTTP 500', { status: 500 });
      if (texts.some((text) => text.includes('Odd'))) throw new Error('/home/me/secret');
    };
    for (const name of ['Bad', 'Odd', 'Good']) vault.outside(`wiki/a/facts/${name}.md`, name);
    clock.advance(1000);
    const outcome = await run(backfillEmbeddings);
    expect(outcome).toMatchObject({ added: 1, deleted: 0 });
    expect(outcome.errors.map(({ path, error }) => [path, error]).sort()).toEqual([
      ['wiki/a/facts/Bad.md', 'The embedder at fake: HTTP 500.'],
      ['wiki/a/facts/Odd.md', 'This failed for a reason that the log of the server names.'],
    ]);
    expect([...vectors.rows.keys()]).toEqual(['wiki/a/facts/Good.md']);
    expect(brain.hybrid?.sync.state.pending).toBe(2);
    embedder.before = async () => undefined;
    expect(await run(backfillEmbeddings)).toEqual({ added: 2, deleted: 0, errors: [] });
  });

  it('leaves the rest for later when the embedder is down, and begins with what did not fail', async () => {
    const { run, vault, embedder } = await openHybridBrain();
    for (const [path, text] of Object.entries(many(50))) vault.outside(path, text);
    let asked: string[] = [];
    embedder.before = async ([text = '', ...more]) => {
      // Those of a call that failed are tried one by one.
      if (more.length === 0) asked.push(text);
      throw embedError('ECONNREFUSED');
    };
    const { errors } = await run(backfillEmbeddings);
    expect(asked.length).toBeLessThanOrEqual(4);
    expect(embedder.calls.length).toBeLessThanOrEqual(6);
    expect(errors.at(-1)).toEqual({
      error: `${50 - asked.length} more notes wait for the embedder to answer.`,
    });
    const first = new Set(asked);
    asked = [];
    await run(backfillEmbeddings);
    expect(asked.some((text) => first.has(text))).toBe(false);
    embedder.before = async () => undefined;
    expect(await run(backfillEmbeddings)).toEqual({ added: 50, deleted: 0, errors: [] });
  });

  it('tells of a database that is down once, and goes on where it was', async () => {
    const vectors = memoryVectors();
    const { run, embedder, brain } = await openHybridBrain(many(150), { vectors });
    expect(vectors.rows.size).toBe(150);
    await vectors.clear(madeBy('fake-model'));
    let calls = 0;
    embedder.before = async () => {
      if ((calls += 1) === 3) vectors.isDown = true;
    };
    // Whole batches stand.
    const { added, errors } = await run(backfillEmbeddings);
    expect(errors).toEqual([{ error: 'The database in memory refuses connections.' }]);
    expect(added).toBeGreaterThanOrEqual(16);
    expect(added).toBeLessThanOrEqual(64);
    expect(brain.hybrid?.sync.state.lastError).toBe('The database in memory refuses connections.');
    expect(vectors.rows.size).toBe(added);
    vectors.isDown = false;
    expect(await run(backfillEmbeddings)).toEqual({ added: 150 - added, deleted: 0, errors: [] });
    expect(brain.hybrid?.sync.state.lastError).toBeNull();
  });

  it('counts what was removed and embedded before the database went down, wherever that was', async () => {
    const [gone, come] = [60, 60];
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 10 }), async (calls) => {
        const { run, vault, vectors } = await openHybridBrain(many(gone));
        for (let at = 0; at < gone; at += 1) vault.outside(`wiki/a/facts/n${at}.md`, null);
        for (let at = 0; at < come; at += 1) vault.outside(`wiki/b/facts/n${at}.md`, `Note ${at}.`);
        const { put, remove } = vectors;
        let left = calls;
        const counted = (): void => {
          if ((left -= 1) < 0) vectors.isDown = true;
        };
        vectors.put = async (rows, maker) => {
          counted();
          return put(rows, maker);
        };
        vectors.remove = async (paths, maker) => {
          counted();
          return remove(paths, maker);
        };
        const { added, deleted, errors } = await run(backfillEmbeddings);
        const paths = [...vectors.rows.keys()];
        expect(added).toBe(paths.filter((path) => path.startsWith('wiki/b/')).length);
        expect(gone - deleted).toBe(paths.filter((path) => path.startsWith('wiki/a/')).length);
        expect(errors).toEqual(
          vectors.isDown ? [{ error: 'The database in memory refuses connections.' }] : [],
        );
      }),
      { numRuns: 20 },
    );
  });

  it('counts the rows that stand when others of their batch could not be moved', async () => {
    const { run, vault, vectors, clock } = await openHybridBrain(many(4));
    clock.advance(60_000);
    for (const at of [0, 1]) vault.outside(`wiki/a/facts/n${at}.md`, `Another ${at}.`);
    for (const at of [2, 3]) vault.touch(`wiki/a/facts/n${at}.md`);
    const { touch } = vectors;
    vectors.touch = () => Promise.reject(new StoreDown('down'));
    expect(await run(backfillEmbeddings)).toEqual({
      added: 2,
      deleted: 0,
      errors: [{ error: 'down' }],
    });
    const at = clock.now().getTime();
    expect([...vectors.rows.values()].filter(({ updatedAt }) => updatedAt.getTime() === at)).toHaveLength(2);
    vectors.touch = touch;
    expect(await run(backfillEmbeddings)).toMatchObject({ errors: [] });
  });

  it('names a hundred notes, and still why it went no further', async () => {
    const { run, vault, embedder } = await openHybridBrain();
    for (const path of Object.keys(many(300))) vault.outside(path, 'Bad.');
    embedder.before = async () => {
      if (embedder.calls.length === 150) await run(cancelBackfill);
      throw embedError('HTTP 500', { status: 500 });
    };
    const { errors } = await run(backfillEmbeddings);
    expect(errors).toHaveLength(101);
    expect(errors[98]).toMatchObject({ path: expect.any(String), error: 'The embedder at fake: HTTP 500.' });
    expect(errors[99]).toMatchObject({
      path: expect.any(String),
      error: expect.stringMatching(/^The embedder at fake: HTTP 500\. \d+ more notes failed\.$/),
    });
    expect(errors[100]).toEqual({ error: expect.stringMatching(/^The sync was stopped; \d+ notes wait/) });
  });

  it('tells of a dead pair in the status, without the password', async () => {
    const vectors = memoryVectors();
    vectors.isDown = true;
    const { run, embedder } = await openHybridBrain(FILES, { vectors });
    embedder.before = () => Promise.reject(embedError('ECONNREFUSED'));
    const { hybrid, checks } = await run(status);
    expect(hybrid).toMatchObject({
      state: 'degraded',
      last_error: 'The database in memory refuses connections.',
    });
    const fix = 'Until it answers, search goes by words alone. It is tried again by itself.';
    expect(checks.filter(({ state }) => state === 'failed')).toEqual([
      { name: 'vectors', state: 'failed', message: 'The database in memory refuses connections.', fix },
      { name: 'embedder', state: 'failed', message: 'The embedder at fake: ECONNREFUSED.', fix },
    ]);
    expect(JSON.stringify(await run(status))).not.toContain('secret');
  });
});

describe('another model', () => {
  it('leaves the vectors alone until someone asks for new ones', async () => {
    const vectors = memoryVectors();
    await (await openHybridBrain(FILES, { vectors })).close();
    await vectors.mark('older-model');
    const { run, time, embedder } = await openHybridBrain(FILES, { vectors });
    await time.pass(700_000);
    expect(embedder.calls).toHaveLength(0);
    expect((await run(status)).hybrid).toMatchObject({
      state: 'model_changed',
      last_error: 'The vectors were made by another model. Run backfill-embeddings to make them anew.',
    });
    expect(await run(backfillEmbeddings)).toEqual({ added: 2, deleted: 0, errors: [] });
    expect(await vectors.maker()).toBe('fake-model');
    expect((await run(status)).hybrid.state).toBe('ready');
  });

  it('is still suspected after the database was gone meanwhile', async () => {
    const vectors = memoryVectors();
    const { run, time, embedder } = await openHybridBrain(FILES, { vectors });
    await run(queryNotes, { query: 'one' });
    await vectors.mark('model-of-another-device');
    await time.pass(310_000);
    vectors.isDown = true;
    await time.pass(310_000);
    vectors.isDown = false;
    const asked = embedder.calls.length;
    expect(await run(queryNotes, { query: 'one' })).toMatchObject({ mode: 'bm25', degraded: true });
    expect(embedder.calls).toHaveLength(asked);
  });

  it('is also suspected of vectors whose maker nobody noted', async () => {
    const vectors = memoryVectors();
    const row = {
      path: vaultPath('wiki/x.md'),
      vector: new Float32Array(768).fill(1),
      updatedAt: new Date(0),
    };
    await vectors.put([row], madeBy('somebody'));
    await vectors.mark(null);
    const { run } = await openHybridBrain(FILES, { vectors });
    expect((await run(status)).hybrid.state).toBe('model_changed');
  });
});

describe('one sync at a time', () => {
  it('runs once more after a running one, for all who asked meanwhile', async () => {
    const { run, vault, embedder, brain } = await openHybridBrain();
    let go: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (go = resolve));
    embedder.before = async (_texts, kind) => (kind === 'document' ? gate : undefined);
    vault.outside('wiki/a/facts/one.md', 'One.');
    const first = run(backfillEmbeddings);
    while (embedder.calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
    vault.outside('wiki/a/facts/two.md', 'Two.');
    const [second, third] = [run(backfillEmbeddings), run(backfillEmbeddings)];
    expect((await run(status)).hybrid).toMatchObject({
      state: 'syncing',
      progress: { phase: 'embedding', done: 0, total: 1 },
    });
    go();
    expect(await Promise.all([first, second, third])).toEqual([
      { added: 1, deleted: 0, errors: [] },
      { added: 2, deleted: 0, errors: [] },
      { added: 2, deleted: 0, errors: [] },
    ]);
    expect(embedder.calls.filter(({ kind }) => kind === 'document')).toHaveLength(2);
    expect(brain.hybrid?.sync.state.progress).toBeNull();
  });

  it('stops when told to, keeping what it has done', async () => {
    const { run, vault, embedder, vectors } = await openHybridBrain();
    for (const [path, text] of Object.entries(many(150))) vault.outside(path, text);
    embedder.before = async () => {
      if (embedder.calls.length === 3) expect(await run(cancelBackfill)).toEqual({ cancelled: true });
    };
    const { added, errors } = await run(backfillEmbeddings);
    expect(added).toBe(vectors.rows.size);
    expect(added).toBeGreaterThanOrEqual(16);
    expect(errors).toEqual([{ error: expect.stringMatching(/^The sync was stopped; \d+ notes wait/) }]);
    expect(await run(cancelBackfill)).toEqual({ cancelled: false });
    embedder.before = async () => undefined;
    expect(await run(backfillEmbeddings)).toEqual({ added: 150 - added, deleted: 0, errors: [] });
  });

  it('counts what was called off as waiting', async () => {
    const { run, vault, embedder, brain } = await openHybridBrain();
    for (const [path, text] of Object.entries(many(3))) vault.outside(path, text);
    embedder.before = (_texts, _kind, signal) =>
      new Promise((_, reject) => signal?.onStop(() => reject(embedError('stopped'))));
    const running = run(backfillEmbeddings);
    while (embedder.calls.length < 2) await new Promise((resolve) => setImmediate(resolve));
    await run(cancelBackfill);
    expect((await running).errors).toEqual([
      { error: 'The sync was stopped; 3 notes wait for the next one.' },
    ]);
    expect(brain.hybrid?.sync.state.pending).toBe(3);
  });

  it('ends with the brain, which lets the database go', async () => {
    const { close, embedder, vault, run, vectors } = await openHybridBrain();
    vault.outside('wiki/a/facts/one.md', 'One.');
    embedder.before = (_texts, _kind, signal) =>
      new Promise((_, reject) => signal?.onStop(() => reject(embedError('stopped'))));
    const running = run(backfillEmbeddings);
    while (embedder.calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await close();
    expect((await running).errors).toHaveLength(1);
    expect(vectors.isClosed).toBe(true);
  });
});

it('refuses when hybrid retrieval is not configured', async () => {
  const { refusal } = await openTestBrain(FILES);
  for (const op of [backfillEmbeddings, cancelBackfill]) {
    expect(await refusal(op)).toMatchObject({ code: 'hybrid_not_configured' });
  }
});
