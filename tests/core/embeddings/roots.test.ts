import type { Settings } from '../../../src/core/config/config';
import { backfillEmbeddings } from '../../../src/core/search/backfill';
import { queryNotes } from '../../../src/core/search/query';
import { fakeEmbedder } from '../../support/fake-embedder';
import { openHybridBrain } from '../../support/hybrid-brain';
import { memoryVectors } from '../../support/memory-vectors';
import { agent } from '../../support/test-brain';

const FILES = {
  'wiki/a/facts/car.md': '# Car',
  'knowledge/rules.md': '# Rules',
  'Journal/rain.md': '# Rain',
  'Journal/snow.md': '---\nwing: a\nhall: facts\n---\n# Snow',
  'Private/diary.md': '# Diary',
  'raw/a/facts/draft.md': '# Draft',
  'inbox/drop.md': '# Drop',
  'sessions/s.md': '# Session',
};
const OF_ALL = ['Journal/rain.md', 'Journal/snow.md', 'knowledge/rules.md', 'wiki/a/facts/car.md'];
const ALL: Settings = { embedRoots: 'all', exclude: ['Private'] };

const paths = (vectors: { readonly rows: ReadonlyMap<string, unknown> }) => [...vectors.rows.keys()].sort();

describe('the notes that get vectors', () => {
  it('are those of wiki/ alone by default, so that no text of the owner is sent', async () => {
    const { vectors, embedder, run } = await openHybridBrain(FILES);
    expect(paths(vectors)).toEqual(['wiki/a/facts/car.md']);
    await run(backfillEmbeddings);
    expect(JSON.stringify(embedder.calls)).not.toMatch(/Rain|Snow|Diary|Rules/);
  });

  it('are all that a search looks through by itself with "all", and nothing that is left out', async () => {
    const { vectors } = await openHybridBrain(FILES, ALL);
    expect(paths(vectors)).toEqual(OF_ALL);
  });

  it('stop at the folders of the service when only these are read', async () => {
    const { vectors } = await openHybridBrain(FILES, { ...ALL, readScope: 'brain' });
    expect(paths(vectors)).toEqual(['knowledge/rules.md', 'wiki/a/facts/car.md']);
  });

  it('change with the setting: the next sync makes what is new and drops what is no longer meant', async () => {
    const vectors = memoryVectors();
    const open = async (settings: object) => (await openHybridBrain(FILES, { vectors, ...settings })).close();
    await open({});
    expect(paths(vectors)).toEqual(['wiki/a/facts/car.md']);
    await open(ALL);
    expect(paths(vectors)).toEqual(OF_ALL);
    await open({ ...ALL, exclude: ['Private', 'Journal/snow.md'] });
    expect(paths(vectors)).not.toContain('Journal/snow.md');
    await open({});
    expect(paths(vectors)).toEqual(['wiki/a/facts/car.md']);
  });

  it('drop the vectors of the owner also from a vault whose wiki is empty', async () => {
    const vectors = memoryVectors();
    const files = { 'Journal/rain.md': '# Rain' };
    await (await openHybridBrain(files, { vectors, ...ALL })).close();
    expect(paths(vectors)).toEqual(['Journal/rain.md']);
    await (await openHybridBrain(files, { vectors })).close();
    expect(paths(vectors)).toEqual([]);
  });

  it('keep the vectors of the owner, unsearched, while a file of the settings of the app cannot be read', async () => {
    const vectors = memoryVectors();
    const open = (settings: object, embedder = fakeEmbedder()) =>
      openHybridBrain(FILES, { vectors, ...ALL, ...settings, embedder });
    await (await open({})).close();
    const damaged = { app: { filters: [], templates: [], unread: ['.obsidian/app.json is not JSON'] } };
    const { run, close } = await open(damaged);
    expect(await run(backfillEmbeddings)).toEqual({ added: 0, deleted: 0, errors: [] });
    const found = (await run(queryNotes, { query: 'zzz' })).results.map(({ path }) => path);
    expect(found.sort()).toEqual(['knowledge/rules.md', 'wiki/a/facts/car.md']);
    await close();
    expect(paths(vectors)).toEqual(OF_ALL);
    const mended = fakeEmbedder();
    await (await open({}, mended)).close();
    expect([paths(vectors), mended.calls]).toEqual([OF_ALL, []]);
    // The setting does without them, whatever the app says.
    await (await open({ ...damaged, embedRoots: 'wiki' })).close();
    expect(paths(vectors)).toEqual(['wiki/a/facts/car.md']);
  });

  it('keep their vectors while the vault seems to be gone', async () => {
    const vectors = memoryVectors();
    await (await openHybridBrain(FILES, { vectors, ...ALL })).close();
    const { hybrid } = await openHybridBrain({}, { vectors, ...ALL });
    expect(hybrid.sync.state.lastError).toMatch(/nothing was removed/);
    expect(paths(vectors)).toEqual(OF_ALL);
  });

  it('follow changes of the owner', async () => {
    const { vault, vectors, run } = await openHybridBrain(FILES, ALL);
    vault.outside('Journal/rain.md', null);
    vault.outside('Journal/hail.md', '# Hail');
    expect(await run(backfillEmbeddings, { dry_run: true })).toEqual({ added: 1, deleted: 1, errors: [] });
    await run(backfillEmbeddings);
    expect(paths(vectors)).toContain('Journal/hail.md');
    expect(paths(vectors)).not.toContain('Journal/rain.md');
  });

  it('are found by meaning, within a wing and a hall too', async () => {
    const embedder = fakeEmbedder();
    const brain = await openHybridBrain(FILES, { ...ALL, embedder });
    const found = async (asked: object) =>
      (await brain.run(queryNotes, { query: 'zzz', ...asked })).results.map(({ path }) => path).sort();
    expect(await found({})).toEqual(OF_ALL);
    expect(await found({ wing: 'a' })).toEqual(['Journal/snow.md', 'wiki/a/facts/car.md']);
    expect(await found({ hall: 'facts' })).toEqual(['Journal/snow.md', 'wiki/a/facts/car.md']);
    expect(await found({ wing: 'b' })).toEqual([]);
    expect(await found({ status: 'vault' })).toEqual(['Journal/rain.md', 'Journal/snow.md']);
  });

  it('are found by meaning by a token within its read paths alone', async () => {
    const brain = await openHybridBrain(FILES, ALL);
    const intern = { ...agent, limits: { read: ['Journal'] } };
    const found = (await brain.run(queryNotes, { query: 'zzz' }, intern)).results;
    expect(found.map(({ path }) => path).sort()).toEqual(['Journal/rain.md', 'Journal/snow.md']);
  });
});
