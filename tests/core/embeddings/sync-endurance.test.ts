import { backfillEmbeddings } from '../../../src/core/search/backfill';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { embedError, fakeEmbedder } from '../../support/fake-embedder';
import { type HybridBrain, openHybridBrain } from '../../support/hybrid-brain';
import { memoryVectors } from '../../support/memory-vectors';

const many = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`wiki/a/facts/n${at}.md`, `# N${at}\n\nNote ${at}.`]),
  );

const remembered = ({ state }: HybridBrain): string[] =>
  (state.files.get('local.testtest/embedded.jsonl') ?? '')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => String(JSON.parse(line)[0]))
    .sort();

describe('an embedder that fails', () => {
  it('now and then ends no sync, however often in all', async () => {
    const { run, vault, embedder } = await openHybridBrain();
    for (const [path, text] of Object.entries(many(60))) vault.outside(path, text);
    embedder.before = (texts) =>
      texts.some((text) => /N(?:10|30|50)\b/.test(text))
        ? Promise.reject(embedError('timeout'))
        : Promise.resolve();
    const { added, errors } = await run(backfillEmbeddings);
    expect(added).toBe(57);
    expect(errors.map(({ path }) => path).sort()).toEqual([10, 30, 50].map((at) => `wiki/a/facts/n${at}.md`));
  });

  it.each([
    ['an answer that no text would change', { status: 200, serves_nobody: true }, 6],
    ['an answer that may be due to the text', { status: 200 }, 42],
  ])('with %s is asked for so many notes', async (_, details, most) => {
    const { run, vault, embedder } = await openHybridBrain();
    for (const [path, text] of Object.entries(many(40))) vault.outside(path, text);
    embedder.before = () => Promise.reject(embedError('answered something useless', details));
    for (let sync = 1; sync <= 3; sync += 1) {
      await run(backfillEmbeddings);
      expect(embedder.calls.length).toBeLessThanOrEqual(sync * most);
      expect(embedder.calls.length).toBeGreaterThanOrEqual(sync * Math.min(most, 3));
    }
  });
});

describe('what is remembered of the texts', () => {
  it('goes with the note, whichever device removes its row', async () => {
    const vectors = memoryVectors();
    const brain = await openHybridBrain({ ...many(3), 'wiki/a/facts/stay.md': '# Stay' }, { vectors });
    expect(remembered(brain)).toHaveLength(4);
    brain.vault.outside('wiki/a/facts/n0.md', null);
    expect(await brain.run(backfillEmbeddings)).toEqual({ added: 0, deleted: 1, errors: [] });
    expect(remembered(brain)).toEqual(['n1', 'n2', 'stay'].map((name) => `wiki/a/facts/${name}.md`));
    // The notes are gone, and the device that saw it first has removed their rows.
    for (const path of ['wiki/a/facts/n1.md', 'wiki/a/facts/n2.md']) {
      brain.vault.outside(path, null);
      vectors.rows.delete(vaultPath(path));
    }
    expect(await brain.run(backfillEmbeddings)).toEqual({ added: 0, deleted: 0, errors: [] });
    expect(remembered(brain)).toEqual(['wiki/a/facts/stay.md']);
  });

  it('stays while the row or the note does', async () => {
    const brain = await openHybridBrain(many(3));
    const { list } = brain.vault;
    // Not listed, and yet it may be there.
    brain.vault.list = async function* (folder) {
      for await (const file of list(folder)) if (!file.path.endsWith('/n0.md')) yield file;
    };
    // Listed, and its row was lost; it cannot be embedded now.
    brain.vectors.rows.delete(vaultPath('wiki/a/facts/n1.md'));
    brain.embedder.before = () => Promise.reject(embedError('timeout'));
    await brain.run(backfillEmbeddings);
    expect(remembered(brain)).toEqual([0, 1, 2].map((at) => `wiki/a/facts/n${at}.md`));
  });
});

describe('a cancel of a backfill with another model', () => {
  it.each(['at once', 'while the notes are listed'])('%s leaves the vectors as they are', async (when) => {
    const vectors = memoryVectors();
    await (await openHybridBrain(many(5), { vectors })).close();
    const rows = new Map(vectors.rows);
    const embedder = fakeEmbedder();
    embedder.maker = 'another-model';
    const { hybrid, vault } = await openHybridBrain(many(5), { vectors, embedder });
    const { list } = vault;
    vault.list = async function* (folder) {
      yield* list(folder);
      hybrid.sync.cancel();
    };
    const running = hybrid.sync.backfill();
    if (when === 'at once') hybrid.sync.cancel();
    expect(await running).toMatchObject({ added: 0, deleted: 0 });
    expect(vectors.rows).toEqual(rows);
    expect(await vectors.maker()).toBe('fake-model');
    expect(hybrid.sync.state.makerChanged).toBe(true);
  });
});
