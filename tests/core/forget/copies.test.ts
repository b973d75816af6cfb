import { forget, finishForgetting } from '../../../src/core/forget/forget';
import { sha256 } from '../../../src/core/base/hash';
import { getNote } from '../../../src/core/notes/get';
import { history } from '../../../src/core/notes/history';
import { updateNote } from '../../../src/core/notes/update';
import { writeNote } from '../../../src/core/notes/write';
import { historyPath } from '../../../src/core/storage/history';
import { listPending } from '../../../src/core/review/pending';
import { queryNotes } from '../../../src/core/search/query';
import { statusChecks } from '../../../src/core/status/checks';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { agent, openTestBrain, person, type TestBrain } from '../../support/test-brain';

const NOTE = vaultPath('wiki/lab/facts/quokka.md');
const COPY = vaultPath('wiki/lab/facts/quokka (2).md');
const TEXT = '---\norigin: mcp\nwritten_by: intern\n---\n# Quokka\n\nXylograph words.\n';

async function forgotten(): Promise<TestBrain> {
  const brain = await openTestBrain({ [NOTE]: TEXT });
  const { plan } = await brain.run(forget, { path: NOTE, dry_run: true }, person);
  await brain.run(forget, { path: NOTE, reason: 'Asked for', plan }, person);
  return brain;
}

async function expectHeldBack({ brain, run }: TestBrain, path: string): Promise<void> {
  expect(await run(queryNotes, { query: 'xylograph', include_raw: true })).toMatchObject({ results: [] });
  await expect(run(getNote, { path })).rejects.toMatchObject({ code: 'note_not_found' });
  expect(await run(listPending, {})).toMatchObject({ pending: [] });
  const checks = await statusChecks(brain, { probe: false });
  const check = checks.find(({ name }) => name === 'unreadable files');
  expect(check).toMatchObject({ state: 'warning', message: expect.stringContaining(path) });
}

it.each([NOTE, COPY])(
  'holds back a copy that another program puts at %s, and tells the owner',
  async (path) => {
    const opened = await forgotten();
    await opened.vault.create(path, TEXT);
    opened.brain.catalog.markDirty({ kind: 'changed', path });
    await expectHeldBack(opened, path);
    // The file is the owner's to delete or to keep.
    expect(opened.files.get(path)).toBe(TEXT);
    await opened.close();
    const { vault, state } = opened;
    const again = await openTestBrain({}, {}, undefined, { on: { vault, state } });
    await finishForgetting(again.brain);
    await expectHeldBack(again, path);
  },
);

it('serves no version that a sync program brings back, and removes it with the next start', async () => {
  const opened = await openTestBrain({ [NOTE]: TEXT });
  const { run, state, vault } = opened;
  await run(updateNote, { path: NOTE, content: 'Others.', reason: 'news' }, agent);
  const former = sha256(TEXT);
  const file = historyPath(former);
  const text = state.files.get(file) ?? '';
  expect(text).toBe(TEXT);
  const { plan } = await run(forget, { path: NOTE, dry_run: true }, person);
  await run(forget, { path: NOTE, reason: 'Asked for', plan }, person);
  state.files.set(file, text);
  await expect(run(history, { hash: former })).rejects.toMatchObject({ code: 'note_not_found' });
  await opened.close();
  const again = await openTestBrain({}, {}, undefined, { on: { vault, state } });
  await finishForgetting(again.brain);
  expect(state.files.has(file)).toBe(false);
});

it('takes a text that is written again on purpose', async () => {
  const opened = await openTestBrain();
  const { run } = opened;
  const note = { wing: 'lab', hall: 'facts', slug: 'quokka', content: '# Quokka\n\nXylograph words.\n' };
  const { path, content_hash: hash } = await run(writeNote, note, agent);
  const { plan } = await run(forget, { path, dry_run: true }, person);
  await run(forget, { path, reason: 'Asked for', plan }, person);
  expect(await run(writeNote, note, agent)).toMatchObject({ content_hash: hash });
  expect(await run(history, { hash })).toMatchObject({ path });
  await opened.close();
  const { vault, state } = opened;
  const again = await openTestBrain({}, {}, undefined, { on: { vault, state } });
  await finishForgetting(again.brain);
  expect(await again.run(getNote, { path })).toMatchObject({ content_hash: hash });
});

it('takes a copy whose text was changed', async () => {
  const { vault, brain, run } = await forgotten();
  await vault.create(NOTE, TEXT);
  brain.catalog.markDirty({ kind: 'changed', path: NOTE });
  await run(queryNotes, { query: 'xylograph' });
  await vault.edit(NOTE, (text) => `${text}\nKept.\n`);
  brain.catalog.markDirty({ kind: 'changed', path: NOTE });
  expect(await run(queryNotes, { query: 'xylograph' })).toMatchObject({ results: [{ path: NOTE }] });
});
