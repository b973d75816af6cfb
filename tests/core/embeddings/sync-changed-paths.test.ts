import fc from 'fast-check';
import { StoreDown } from '../../../src/core/embeddings/store';
import { backfillEmbeddings } from '../../../src/core/search/backfill';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { type HybridBrain, openHybridBrain } from '../../support/hybrid-brain';
import { meaningOf } from '../../support/word-vectors';

// Edits that leave size and time as they were: only an event tells of them.

const pathOf = (at: number) => `wiki/a/facts/n${String(at).padStart(2, '0')}.md`;
const notes = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [pathOf(at), `# A${at}`]));
const edit = ({ vault, files }: HybridBrain, path: string) => {
  const old = files.get(path) ?? '';
  vault.outside(
    path,
    old.replace(/[A-Z]/, (letter) => String.fromCharCode(65 + ((letter.charCodeAt(0) - 64) % 26))),
  );
};
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** What a write does: as it should, nothing, or all of it without the answer coming back. */
type Fate = 'ok' | 'refused' | 'lost';

/** Lets the writes end as `fates` says, one after the other, each after some turns; and as they should when none is left. */
function withFates({ vectors }: HybridBrain): { fates: Fate[]; turns: number } {
  const plan: { fates: Fate[]; turns: number } = { fates: [], turns: 0 };
  const write = async (work: () => Promise<void>) => {
    const fate = plan.fates.shift() ?? 'ok';
    for (let at = 0; at < plan.turns; at += 1) await turn();
    if (fate !== 'refused') await work();
    if (fate !== 'ok') throw new StoreDown('down');
  };
  const { put, touch } = vectors;
  vectors.put = (rows, maker) => write(() => put(rows, maker));
  vectors.touch = (rows, maker) => write(() => touch(rows, maker));
  return plan;
}

/** The paths whose row is of another text than the file has now. */
async function stale({ files, vectors }: HybridBrain): Promise<string[]> {
  const fresh = await openHybridBrain(Object.fromEntries(files));
  await fresh.close();
  expect(fresh.vectors.rows.size).toBe(vectors.rows.size);
  return [...fresh.vectors.rows.values()]
    .filter(({ path, vector }) => !sameOf(vectors.rows.get(path)?.vector, vector))
    .map(({ path }) => path);
}

const sameOf = (a: Float32Array | undefined, b: Float32Array) =>
  a !== undefined && a.every((value, at) => value === b[at]);

it('all notes are embedded by the next sync when the database fails, with those that were not written yet', async () => {
  const brain = await openHybridBrain(notes(40));
  for (let at = 0; at < 40; at += 1) edit(brain, pathOf(at));
  Object.assign(withFates(brain), { fates: ['refused'], turns: 50 });
  expect(await brain.run(backfillEmbeddings)).toEqual({
    added: 0,
    deleted: 0,
    errors: [{ error: 'down' }],
  });
  expect(await brain.run(backfillEmbeddings)).toEqual({ added: 40, deleted: 0, errors: [] });
  expect(await stale(brain)).toEqual([]);
  expect(await brain.run(backfillEmbeddings)).toEqual({ added: 0, deleted: 0, errors: [] });
});

it('the rows are those of the files after a sync that comes through, whatever became of those before it', async () => {
  // More than one batch is under way then.
  const count = 24;
  const all = Array.from({ length: count }, (_, at) => at);
  const someNotes = fc.subarray(all, { maxLength: 6 });
  const rounds = fc.array(
    fc.record({
      edited: fc.subarray(all, { minLength: 18 }),
      touched: someNotes,
      meanwhile: someNotes,
      turns: fc.nat(30),
      fates: fc.array(fc.constantFrom<Fate>('ok', 'refused', 'lost'), { maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 3 },
  );
  await fc.assert(
    fc.asyncProperty(rounds, async (each) => {
      const brain = await openHybridBrain(notes(count));
      const plan = withFates(brain);
      for (const { edited, touched, meanwhile, turns, fates } of each) {
        for (const at of edited) edit(brain, pathOf(at));
        for (const at of touched) brain.vault.touch(pathOf(at));
        const during = meanwhile.values();
        brain.embedder.before = async () => {
          const { value } = during.next();
          if (value !== undefined) edit(brain, pathOf(value));
        };
        Object.assign(plan, { fates: [...fates], turns });
        await brain.run(backfillEmbeddings);
      }
      brain.embedder.before = async () => undefined;
      Object.assign(plan, { fates: [], turns: 0 });
      expect((await brain.run(backfillEmbeddings)).errors).toEqual([]);
      expect(await stale(brain)).toEqual([]);
      expect(await brain.run(backfillEmbeddings)).toEqual({ added: 0, deleted: 0, errors: [] });
      await brain.close();
    }),
    { numRuns: 20 },
  );
}, 60_000);

it('a note is embedded again that changes while the embedder has its old text', async () => {
  const brain = await openHybridBrain(notes(1));
  edit(brain, pathOf(0));
  brain.embedder.before = async () => {
    brain.embedder.before = async () => undefined;
    edit(brain, pathOf(0));
  };
  expect(await brain.run(backfillEmbeddings)).toMatchObject({ added: 1 });
  expect(await stale(brain)).toEqual([pathOf(0)]);
  expect(await brain.run(backfillEmbeddings)).toMatchObject({ added: 1 });
  expect(await stale(brain)).toEqual([]);
});

it('a note that could not be looked at is embedded when its folder can be read again', async () => {
  const brain = await openHybridBrain({ ...notes(1), 'wiki/b/facts/x.md': '# A' });
  edit(brain, pathOf(0));
  const { list, stat } = brain.vault;
  brain.vault.list = async function* (folder) {
    for await (const file of list(folder)) if (!file.path.startsWith('wiki/a/')) yield file;
  };
  brain.vault.stat = (path) =>
    path.startsWith('wiki/a/') ? Promise.reject(new Error('EACCES')) : stat(path);
  expect(await brain.run(backfillEmbeddings)).toMatchObject({ added: 0, deleted: 0 });
  Object.assign(brain.vault, { list, stat });
  expect(await brain.run(backfillEmbeddings)).toEqual({ added: 1, deleted: 0, errors: [] });
  expect(await stale(brain)).toEqual([]);
});

it('a note that is gone for a moment is embedded when it is there again', async () => {
  const brain = await openHybridBrain(notes(1));
  edit(brain, pathOf(0));
  const { read } = brain.vault;
  brain.vault.read = async () => null;
  expect(await brain.run(backfillEmbeddings)).toEqual({ added: 0, deleted: 0, errors: [] });
  brain.vault.read = read;
  expect(await brain.run(backfillEmbeddings)).toEqual({ added: 1, deleted: 0, errors: [] });
  expect(brain.vectors.rows.get(vaultPath(pathOf(0)))?.vector).not.toEqual(meaningOf('A0'));
  expect(await stale(brain)).toEqual([]);
});

it('a note is read again whose row may have been written, so that the next change of its size is seen', async () => {
  const brain = await openHybridBrain(notes(1));
  brain.clock.advance(60_000);
  // Nobody tells of these.
  brain.files.set(pathOf(0), '# Longer');
  Object.assign(withFates(brain), { fates: ['lost'] });
  expect(await brain.run(backfillEmbeddings)).toMatchObject({ errors: [{ error: 'down' }] });
  brain.clock.advance(60_000);
  expect(await brain.run(backfillEmbeddings)).toMatchObject({ errors: [] });
  brain.files.set(pathOf(0), '# Longer still');
  expect(await brain.run(backfillEmbeddings)).toEqual({ added: 1, deleted: 0, errors: [] });
  expect(await stale(brain)).toEqual([]);
});
