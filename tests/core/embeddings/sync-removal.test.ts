import fc from 'fast-check';
import { backfillEmbeddings, cancelBackfill } from '../../../src/core/search/backfill';
import { status } from '../../../src/core/status/status';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { embedError, fakeEmbedder } from '../../support/fake-embedder';
import { type HybridBrain, openHybridBrain } from '../../support/hybrid-brain';
import { madeBy, memoryVectors } from '../../support/memory-vectors';

const FILES = {
  'wiki/a/facts/car.md': '# Car',
  'wiki/a/facts/rain.md': '# Rain',
  'wiki/b/facts/snow.md': '# Snow',
};

/** Makes the folder unreadable: a listing passes over it, and a look at a file in it fails. */
function lock({ vault }: HybridBrain, folder: string): () => void {
  const { list, stat } = vault;
  vault.list = async function* (below) {
    for await (const file of list(below)) if (!file.path.startsWith(folder)) yield file;
  };
  vault.stat = async (path) => {
    if (path.startsWith(folder)) throw Object.assign(new Error('EACCES'), { code: 'EACCES' });
    return stat(path);
  };
  return () => Object.assign(vault, { list, stat });
}

describe('vectors that another device has made', () => {
  it('stay a day without their note, which may be on its way, then go by themselves', async () => {
    const vectors = memoryVectors();
    await (await openHybridBrain(FILES, { vectors })).close();
    // This one has nothing noted of their making and but one of the notes.
    const brain = await openHybridBrain({ 'wiki/b/facts/snow.md': '# Snow' }, { vectors });
    brain.clock.advance(23 * 3_600_000);
    await brain.time.pass(310_000);
    expect(vectors.rows.size).toBe(3);
    brain.clock.advance(2 * 3_600_000);
    await brain.time.pass(310_000);
    expect([...vectors.rows.keys()]).toEqual(['wiki/b/facts/snow.md']);
  });

  it('go at once without their note when somebody asks for a backfill', async () => {
    const brain = await openHybridBrain({ 'wiki/b/facts/snow.md': '# Snow' });
    const { vectors } = brain;
    const [row] = vectors.rows.values();
    if (row === undefined) throw new Error('The note has a row.');
    for (const age of [0, -3_600_000]) {
      const updatedAt = new Date(brain.clock.now().getTime() - age);
      await vectors.put([{ ...row, path: vaultPath('wiki/ghost.md'), updatedAt }], madeBy('fake-model'));
      await brain.time.pass(310_000);
      expect(vectors.rows.size).toBe(2);
      const answer = { added: 0, deleted: 1, errors: [] };
      expect(await brain.run(backfillEmbeddings, { dry_run: true })).toEqual(answer);
      expect(await brain.run(backfillEmbeddings)).toEqual(answer);
      expect([...vectors.rows.keys()]).toEqual(['wiki/b/facts/snow.md']);
    }
  });

  it('count for nothing while their notes are not here', async () => {
    const vectors = memoryVectors();
    await (await openHybridBrain(FILES, { vectors })).close();
    const later = Object.fromEntries(
      Array.from({ length: 201 }, (_, at) => [`wiki/c/facts/n${at}.md`, `Note ${at}.`]),
    );
    const embedder = fakeEmbedder();
    embedder.before = () => Promise.reject(embedError('ECONNREFUSED'));
    const { hybrid } = await openHybridBrain(later, { vectors, embedder });
    expect(vectors.rows.size).toBe(3);
    expect(hybrid.failure).toMatch(/^0 of 201 notes in wiki\/ have a vector/);
  });
});

describe('vectors of notes that a listing does not show', () => {
  it('are kept while it cannot be seen whether the notes are there, and those of notes that are gone go', async () => {
    const brain = await openHybridBrain(FILES);
    const unlock = lock(brain, 'wiki/a/');
    brain.vault.outside('wiki/b/facts/snow.md', null);
    brain.vault.outside('wiki/b/facts/wind.md', '# Wind');
    const error =
      '2 notes in wiki/ could not be looked at and may be gone or not; the vectors were kept. See that every folder there can be read.';
    const answer = {
      added: 1,
      deleted: 1,
      errors: [{ path: expect.stringMatching(/^wiki\/a\/facts\/(?:car|rain)\.md$/), error }],
    };
    expect(await brain.run(backfillEmbeddings, { dry_run: true })).toEqual(answer);
    expect(await brain.run(backfillEmbeddings)).toEqual(answer);
    expect([...brain.vectors.rows.keys()].sort()).toEqual([
      'wiki/a/facts/car.md',
      'wiki/a/facts/rain.md',
      'wiki/b/facts/wind.md',
    ]);
    expect((await brain.run(status)).hybrid).toMatchObject({ state: 'ready', pending: 0, last_error: error });
    unlock();
    const calls = brain.embedder.calls.length;
    expect(await brain.run(backfillEmbeddings)).toEqual({ added: 0, deleted: 0, errors: [] });
    expect(brain.embedder.calls).toHaveLength(calls);
  });

  it('are kept when a listing left out a file that stands', async () => {
    const brain = await openHybridBrain(FILES);
    const { list } = brain.vault;
    brain.vault.list = async function* (folder) {
      for await (const file of list(folder)) if (!file.path.startsWith('wiki/a/')) yield file;
    };
    expect(await brain.run(backfillEmbeddings)).toEqual({ added: 0, deleted: 0, errors: [] });
    expect(brain.vectors.rows.size).toBe(3);
  });

  it('are all kept, and every sync says why, while the folder wiki/ is not there', async () => {
    const brain = await openHybridBrain(FILES);
    brain.files.clear();
    brain.vault.folders.clear();
    const error = expect.stringMatching(
      /^The folder wiki\/ is not there or holds no file, yet 3 notes have vectors, so nothing was removed\./,
    );
    const answer = { added: 0, deleted: 0, errors: [{ error }] };
    expect(await brain.run(backfillEmbeddings, { dry_run: true })).toEqual(answer);
    expect(await brain.run(backfillEmbeddings)).toEqual(answer);
    await brain.time.pass(700_000);
    expect(brain.vectors.rows.size).toBe(3);
    expect((await brain.run(status)).hybrid.last_error).toEqual(error);
    // With any file there, the folder is seen to be in its place.
    brain.files.set('wiki/a/_index.md', '# a');
    await brain.time.pass(310_000);
    expect(brain.vectors.rows.size).toBe(0);
  });

  it('go when somebody asks for it while the folder wiki/ stands and holds no file, and not before', async () => {
    const brain = await openHybridBrain(FILES);
    brain.files.clear();
    brain.vault.folders.clear();
    brain.vault.folders.add('wiki');
    await brain.time.pass(700_000);
    expect(brain.vectors.rows.size).toBe(3);
    expect((await brain.run(status)).hybrid.last_error).toMatch(/run backfill-embeddings/);
    const answer = { added: 0, deleted: 3, errors: [] };
    expect(await brain.run(backfillEmbeddings, { dry_run: true })).toEqual(answer);
    expect(brain.vectors.rows.size).toBe(3);
    expect(await brain.run(backfillEmbeddings)).toEqual(answer);
    expect(brain.vectors.rows.size).toBe(0);
    expect((await brain.run(status)).hybrid.last_error).toBeUndefined();
  });

  it('are all kept when a folder wiki/ that stands cannot be read, whoever asks', async () => {
    const brain = await openHybridBrain(FILES);
    lock(brain, 'wiki/');
    expect(await brain.run(backfillEmbeddings)).toEqual({
      added: 0,
      deleted: 0,
      errors: [
        {
          path: expect.stringMatching(/^wiki\/a\/facts\/(?:car|rain)\.md$/),
          error: expect.stringMatching(/^3 notes in wiki\/ could not be looked at/),
        },
      ],
    });
    expect(brain.vectors.rows.size).toBe(3);
  });

  it('are all kept when another model made them and there is no file in wiki/ to make them anew of', async () => {
    const vectors = memoryVectors();
    await (await openHybridBrain(FILES, { vectors })).close();
    const rows = new Map(vectors.rows);
    const embedder = fakeEmbedder();
    embedder.maker = 'another-model';
    const brain = await openHybridBrain({}, { vectors, embedder });
    const answer = {
      added: 0,
      deleted: 0,
      errors: [{ error: expect.stringContaining('yet 3 notes have vectors, so nothing was removed.') }],
    };
    expect(await brain.run(backfillEmbeddings, { dry_run: true })).toEqual(answer);
    expect(await brain.run(backfillEmbeddings)).toEqual(answer);
    expect(vectors.rows).toEqual(rows);
    expect(await vectors.maker()).toBe('fake-model');
    brain.vault.outside('wiki/a/facts/car.md', '# Car');
    const done = { added: 1, deleted: 2, errors: [] };
    expect(await brain.run(backfillEmbeddings, { dry_run: true })).toEqual(done);
    expect(await brain.run(backfillEmbeddings)).toEqual(done);
    expect(await vectors.maker()).toBe('another-model');
  });

  it('are all kept when another model made them and wiki/ stands without a file, unless all notes are gone', async () => {
    await fc.assert(
      fc.asyncProperty(fc.subarray(Object.keys(FILES)), async (gone) => {
        const vectors = memoryVectors();
        await (await openHybridBrain(FILES, { vectors })).close();
        const rows = new Map(vectors.rows);
        const embedder = fakeEmbedder();
        embedder.maker = 'another-model';
        const brain = await openHybridBrain(FILES, { vectors, embedder });
        for (const path of gone) brain.files.delete(path);
        brain.vault.folders.add('wiki');
        // Of the others nobody can say, and no listing shows them.
        for (const path of Object.keys(FILES)) if (!gone.includes(path)) lock(brain, path);
        const isGone = gone.length === 3;
        const error = expect.stringMatching(/yet 3 notes have vectors, so nothing was removed\./);
        const answer = isGone
          ? { added: 0, deleted: 3, errors: [] }
          : { added: 0, deleted: 0, errors: [{ error }] };
        expect(await brain.run(backfillEmbeddings, { dry_run: true })).toEqual(answer);
        expect(await brain.run(backfillEmbeddings)).toEqual(answer);
        expect(vectors.rows).toEqual(isGone ? new Map() : rows);
        expect(await vectors.maker()).toBe(isGone ? 'another-model' : 'fake-model');
      }),
      { numRuns: 30 },
    );
  });

  it('are not called kept when another model made them and they cannot be looked at', async () => {
    const vectors = memoryVectors();
    await (await openHybridBrain(FILES, { vectors })).close();
    const embedder = fakeEmbedder();
    embedder.maker = 'another-model';
    const brain = await openHybridBrain({ 'wiki/b/facts/snow.md': '# Snow' }, { vectors, embedder });
    lock(brain, 'wiki/a/');
    const error =
      '2 notes in wiki/ could not be looked at and may be gone or not; no vectors can be made of them. See that every folder there can be read.';
    const answer = {
      added: 1,
      deleted: 0,
      errors: [{ path: expect.stringMatching(/^wiki\/a\/facts\/(?:car|rain)\.md$/), error }],
    };
    expect(await brain.run(backfillEmbeddings, { dry_run: true })).toEqual(answer);
    expect(await brain.run(backfillEmbeddings)).toEqual(answer);
    expect([...vectors.rows.keys()]).toEqual(['wiki/b/facts/snow.md']);
  });

  it('are no reason to wait when another model has left none', async () => {
    const vectors = memoryVectors();
    await vectors.clear(madeBy('fake-model'));
    const embedder = fakeEmbedder();
    embedder.maker = 'another-model';
    const brain = await openHybridBrain({}, { vectors, embedder });
    expect(await brain.run(backfillEmbeddings)).toEqual({ added: 0, deleted: 0, errors: [] });
    expect(await vectors.maker()).toBe('another-model');
  });

  it('are counted as removed only when they were, also after a cancel', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 1200 }, (_, at) => [`wiki/a/facts/n${at}.md`, `Note ${at}.`]),
    );
    const brain = await openHybridBrain({ ...files, ...FILES });
    for (const path of Object.keys(files)) brain.vault.outside(path, null);
    const { remove } = brain.vectors;
    brain.vectors.remove = async (paths, maker) => {
      await remove(paths, maker);
      await brain.run(cancelBackfill);
    };
    expect(await brain.run(backfillEmbeddings)).toMatchObject({ deleted: 500 });
    expect(brain.vectors.rows.size).toBe(703);
    brain.vectors.remove = remove;
    expect(await brain.run(backfillEmbeddings)).toEqual({ added: 0, deleted: 700, errors: [] });
  });
});
