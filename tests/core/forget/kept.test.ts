import { sha256 } from '../../../src/core/base/hash';
import { finishForgetting, forget } from '../../../src/core/forget/forget';
import { ingestText } from '../../../src/core/ingest/operations';
import { capture } from '../../../src/core/notes/capture';
import { getNote } from '../../../src/core/notes/get';
import { history } from '../../../src/core/notes/history';
import { updateNote } from '../../../src/core/notes/update';
import { writeNote } from '../../../src/core/notes/write';
import { originOf } from '../../../src/core/past/origins';
import { adoptNote, promoteNote } from '../../../src/core/review/promote';
import { unpromoteNote } from '../../../src/core/review/return';
import { commit } from '../../../src/core/storage/commit';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { agent, callerWith, openTestBrain, person, type TestBrain } from '../../support/test-brain';

const writer = callerWith(['read', 'write'], 'intern');
const lab = { wing: 'lab', hall: 'facts' };

async function forgotten({ run }: TestBrain, path: string): Promise<void> {
  const { plan } = await run(forget, { path, dry_run: true }, person);
  await run(forget, { path, plan, reason: 'Asked for' }, person);
}

async function versionsAt({ run }: TestBrain, path: string): Promise<number> {
  const answer = await run(history, { path });
  return 'versions' in answer ? answer.versions.length : 0;
}

it('keeps the past of a note whose path begins with that of the forgotten one', async () => {
  const own = { 'Letters/Anna.md': '# Anna\n\nOne.\n', 'Letters/Anna Smith.md': '# Anna Smith\n\nTwo.\n' };
  const brain = await openTestBrain(own);
  const [first, second] = await Promise.all(
    Object.keys(own).map((path, n) => brain.run(adoptNote, { path, ...lab, slug: `n${n}` }, person)),
  );
  const past = async () => (await brain.brain.past.read()).naming(second?.path ?? '');
  const before = (await past()).map(({ notes }) => notes);
  await forgotten(brain, first?.path ?? '');
  expect((await past()).map(({ notes }) => notes)).toEqual(before);
});

it('keeps the past of a note that was at the same path before', async () => {
  const brain = await openTestBrain();
  const text = (words: string) => `# Same name\n\n${words}`;
  const one = await brain.run(capture, { text: text('To be kept.'), wing: 'lab' }, writer);
  const { path: kept } = await brain.run(promoteNote, { path: one.path, ...lab, slug: 'kept' }, person);
  const two = await brain.run(capture, { text: text('To be forgotten.'), wing: 'lab' }, writer);
  expect(two.path).toBe(one.path);
  await forgotten(brain, two.path);
  const past = await brain.brain.past.read();
  expect(await originOf(past, vaultPath(kept))).toBe(one.path);
  expect(await past.naming(kept)).toHaveLength(1);
});

it('keeps the versions of a note that a hand took away from the path', async () => {
  const brain = await openTestBrain();
  const { path } = await brain.run(writeNote, { slug: 'a', content: '# A\n\nFirst.', ...lab }, agent);
  let { content_hash: hash } = await brain.run(getNote, { path });
  for (const words of ['Second.', 'Third.', 'Fourth.']) {
    const update = { path, content: `# A\n\n${words}`, expected_hash: hash, reason: 'r' };
    ({ content_hash: hash } = await brain.run(updateNote, update, agent));
  }
  const [from, to] = [vaultPath(path), vaultPath('wiki/lab/facts/renamed.md')];
  const text = brain.files.get(path) ?? '';
  await brain.vault.create(to, text);
  await brain.vault.remove(from);
  await brain.vault.create(from, '---\nwing: lab\n---\n# Other\n\nBy hand.');
  for (const changed of [from, to]) brain.brain.catalog.markDirty({ kind: 'changed', path: changed });
  await forgotten(brain, path);
  expect(await versionsAt(brain, to)).toBe(4);
});

it('keeps the text of a promoted note when a file by hand has its former path', async () => {
  const brain = await openTestBrain();
  const { path } = await brain.run(capture, { text: '# Clip\n\nWords.', wing: 'lab' }, writer);
  const { path: kept } = await brain.run(promoteNote, { path, ...lab, slug: 'kept' }, person);
  const again = vaultPath(path);
  await brain.vault.create(again, '---\norigin: mcp\nwritten_by: intern\n---\n# Clip\n\nAnother.');
  brain.brain.catalog.markDirty({ kind: 'changed', path: again });
  await forgotten(brain, path);
  const back = await brain.run(unpromoteNote, { path: kept, dry_run: true }, person);
  expect(back.warnings).toBeUndefined();
});

it('keeps the text of a note that was removed beside a change of the forgotten one', async () => {
  const brain = await openTestBrain();
  const { path } = await brain.run(writeNote, { slug: 'other', content: '# Other\n\nFirst', ...lab }, agent);
  const gone = await brain.run(writeNote, { slug: 'gone', content: '# Gone\n\nIts words', ...lab }, agent);
  const [one, two] = [path, gone.path].map((at) => brain.files.get(at) ?? '');
  await commit(brain.brain, {
    op: 're-extract',
    steps: [
      { kind: 'edit', path: vaultPath(path), before: sha256(one ?? ''), text: `${one}\nsource` },
      { kind: 'remove', path: vaultPath(gone.path), before: sha256(two ?? '') },
    ],
  });
  await forgotten(brain, path);
  expect([...brain.state.files.values()]).toContain(two);
});

it('keeps a document that was ingested again since, also on a device that hears of it later', async () => {
  const text = '# WireGuard MTU\n\nThe tunnel wants 1420 bytes.\n';
  const ask = { text, source: 'https://example.org/mtu' };
  const here = await openTestBrain();
  const path = async () => {
    const answer = await here.run(ingestText, ask);
    return 'pages' in answer ? (answer.pages[0]?.path ?? '') : '';
  };
  const originals = () => [...here.files.values()].filter((each) => each === text).length;
  await forgotten(here, await path());
  expect(originals()).toBe(0);
  await path();
  expect(originals()).toBe(1);
  await here.close();
  const { vault, state } = here;
  const there = await openTestBrain({}, {}, undefined, { on: { vault, state }, device: 'phone' });
  await finishForgetting(there.brain);
  expect(originals()).toBe(1);
});

it('waits on another device until the file is gone there', async () => {
  const stamps = '---\norigin: mcp\nwritten_by: intern\n---\n';
  const at = vaultPath('wiki/lab/facts/quokka.md');
  const here = await openTestBrain({ [at]: `${stamps}# Quokka\n\nFirst.\n` });
  const { content_hash: hash } = await here.run(getNote, { path: at });
  const update = { path: at, content: '# Quokka\n\nMore.\n', expected_hash: hash, reason: 'more' };
  await here.run(updateNote, update, writer);
  const text = here.files.get(at) ?? '';
  await forgotten(here, at);
  const { vault, state } = here;
  await vault.create(at, text);
  state.files.set('origins/phone.jsonl', `${JSON.stringify({ path: at, from: 'raw/quokka.md' })}\n`);
  const there = await openTestBrain({}, {}, undefined, { on: { vault, state }, device: 'phone' });
  await finishForgetting(there.brain);
  expect(state.files.get('local.phone/forgotten.json')).toBeUndefined();
  await vault.remove(at);
  there.brain.catalog.markDirty({ kind: 'changed', path: at });
  await there.brain.refresh();
  await finishForgetting(there.brain);
  expect(state.files.get('local.phone/forgotten.json')).toBeDefined();
});
