import { finishForgetting, forget } from '../../../src/core/forget/forget';
import { capture } from '../../../src/core/notes/capture';
import { getNote } from '../../../src/core/notes/get';
import { history } from '../../../src/core/notes/history';
import { updateNote } from '../../../src/core/notes/update';
import { writeNote } from '../../../src/core/notes/write';
import { promoteNote } from '../../../src/core/review/promote';
import { queryNotes } from '../../../src/core/search/query';
import { type VaultPath, vaultPath } from '../../../src/core/vocabulary/paths';
import { agent, callerWith, openTestBrain, person, type TestBrain } from '../../support/test-brain';

let opened: TestBrain;
beforeEach(async () => {
  opened = await openTestBrain();
});

const writer = callerWith(['read', 'write'], 'intern');

/** Every text that the service keeps, by file; of bytes those that are text. */
function everything({ files, state }: TestBrain): Map<string, string> {
  const blobs = [...state.blobs].map(
    ([path, bytes]) => [path, Buffer.from(bytes).toString('latin1')] as const,
  );
  return new Map([...files, ...state.files, ...blobs]);
}

function filesWith(brain: TestBrain, word: string): string[] {
  return [...everything(brain)].flatMap(([path, text]) =>
    `${path}\n${text}`.toLowerCase().includes(word) ? [path] : [],
  );
}

/** Writes a note, promotes it, and changes it twice. */
async function live({ run }: TestBrain): Promise<VaultPath> {
  const { path: queued } = await run(
    capture,
    { text: '# Quokka plan\n\nFirst xylograph words.', wing: 'lab' },
    writer,
  );
  const { path } = await run(
    promoteNote,
    { path: queued, wing: 'lab', hall: 'facts', slug: 'quokka-plan' },
    person,
  );
  let { content_hash: hash } = await run(getNote, { path });
  for (const words of ['Second xylograph words.', 'Third xylograph words.'])
    ({ content_hash: hash } = await run(
      updateNote,
      { path, content: `# Quokka plan\n\n${words}`, expected_hash: hash, reason: `Because of ${path}` },
      writer,
    ));
  return vaultPath(path);
}

it('removes a note with all that is kept of it', async () => {
  const { run } = opened;
  const path = await live(opened);
  await run(
    writeNote,
    {
      slug: 'other',
      content: `# Other\n\nIt follows [[${path}|the plan]] and stays.`,
      wing: 'lab',
      hall: 'facts',
    },
    agent,
  );
  expect(filesWith(opened, 'xylograph').length).toBeGreaterThan(3);
  const seen = await run(forget, { path, dry_run: true }, person);
  expect(seen).toMatchObject({ path, title: 'Quokka plan', forgotten: false, file: 'removed', versions: 3 });
  expect(filesWith(opened, 'xylograph').length).toBeGreaterThan(3);
  const done = await run(forget, { path, reason: 'Asked for', plan: seen.plan }, person);
  expect(done).toMatchObject({ forgotten: true, file: 'removed', warnings: [] });
  expect(filesWith(opened, 'xylograph')).toEqual([]);
  // A former version of the other note has a link to it.
  expect(filesWith(opened, 'quokka').filter((file) => !file.startsWith('history/'))).toEqual([]);
  expect((await run(queryNotes, { query: 'xylograph', include_raw: true })).results).toEqual([]);
  await expect(run(history, { path })).rejects.toMatchObject({ code: 'note_not_found' });
  await finishForgetting(opened.brain);
});

it('turns links to it into their words, in bodies and in properties', async () => {
  const stamps = 'origin: mcp\nwritten_by: intern\n';
  const at = 'wiki/lab/facts/xylograph.md';
  const brain = await openTestBrain({
    [at]: `---\n${stamps}---\n# Xylograph\n\nWords.\n`,
    'wiki/lab/facts/links.md': [
      `---\n${stamps}related: ["[[wiki/lab/facts/xylograph|the one]]", "[[wiki/lab/facts/rest]]"]`,
      'see: "[[wiki/lab/facts/xylograph]]"\n---\n# Links\n',
      '[[wiki/lab/facts/xylograph]], [[wiki/lab/facts/xylograph#Part|a part]], ![[xylograph]],',
      '[a link](xylograph.md), [other](rest.md) and `[[xylograph]]`.\n',
    ].join('\n'),
    'wiki/lab/facts/rest.md': `---\n${stamps}---\n# Rest\n\nOthers.\n`,
    'Own/mine.md': 'Mine: [[wiki/lab/facts/xylograph]].\n',
  });
  const seen = await brain.run(forget, { path: at, dry_run: true }, person);
  expect(seen.linked_from).toEqual(['Own/mine.md', 'wiki/lab/facts/links.md']);
  await brain.run(forget, { path: at, reason: 'Asked for', plan: seen.plan }, person);
  expect(brain.files.get('Own/mine.md')).toBe('Mine: wiki/lab/facts/xylograph.\n');
  expect(brain.files.get('wiki/lab/facts/links.md')).toBe(
    [
      `---\n${stamps}related: ["the one", "[[wiki/lab/facts/rest]]"]`,
      'see: "wiki/lab/facts/xylograph"\n---\n# Links\n',
      'wiki/lab/facts/xylograph, a part, xylograph,',
      'a link, [other](rest.md) and `[[xylograph]]`.\n',
    ].join('\n'),
  );
});

it("leaves the file of the owner's note, and removes its older versions", async () => {
  const at = 'wiki/lab/facts/mine.md';
  const brain = await openTestBrain({ [at]: '# Mine\n\nFirst xylograph words.\n' });
  const { content_hash: hash } = await brain.run(getNote, { path: at });
  const update = { path: at, content: '# Mine\n\nBetter words.\n', expected_hash: hash, reason: 'better' };
  await brain.run(updateNote, update, person);
  expect(filesWith(brain, 'xylograph')).toHaveLength(1);
  const text = brain.files.get(at);
  const seen = await brain.run(forget, { path: at, dry_run: true }, person);
  expect(seen).toMatchObject({ file: 'kept', versions: 1, shared: [expect.any(String)] });
  await brain.run(forget, { path: at, reason: 'Asked for', plan: seen.plan }, person);
  expect(filesWith(brain, 'xylograph')).toEqual([]);
  expect(brain.files.get(at)).toBe(text);
  expect(await brain.run(history, { path: at })).toMatchObject({ versions: [{ bytes: text?.length }] });
});

it('forgets a note whose file is gone, by a text that it had', async () => {
  const { run, vault, brain } = opened;
  const path = await live(opened);
  const { content_hash: hash } = await run(getNote, { path });
  await vault.remove(path);
  vault.files.delete(path);
  brain.catalog.markDirty({ kind: 'removed', path });
  const seen = await run(forget, { hash, dry_run: true }, person);
  expect(seen).toMatchObject({ file: 'gone', title: 'Quokka plan', versions: 3 });
  await run(forget, { hash, reason: 'Asked for', plan: seen.plan }, person);
  expect(filesWith(opened, 'xylograph')).toEqual([]);
  expect(filesWith(opened, 'quokka')).toEqual([]);
});

it('keeps a version that another note has too', async () => {
  const text = '---\norigin: mcp\nwritten_by: intern\n---\n# Twin\n\nXylograph words.\n';
  const [one, other] = ['wiki/lab/facts/one.md', 'wiki/lab/facts/other.md'];
  const brain = await openTestBrain({ [one]: text, [other]: text });
  const hash = (await brain.run(getNote, { path: one })).content_hash;
  for (const path of [one, other])
    await brain.run(updateNote, { path, content: '# Twin\n\nNew.\n', expected_hash: hash, reason: 'new' });
  const seen = await brain.run(forget, { path: one, dry_run: true }, person);
  expect(seen.shared).toContain(hash);
  expect(seen.others).toContainEqual({ path: other, title: 'Twin', shared: expect.any(Array) });
  await brain.run(forget, { path: one, reason: 'Asked for', plan: seen.plan }, person);
  const versions: unknown = expect.arrayContaining([expect.objectContaining({ hash })]);
  expect(await brain.run(history, { path: other })).toMatchObject({ versions });
});

it('needs the plan of what is there now, a reason, and the owner', async () => {
  const { run, refusal } = opened;
  const path = await live(opened);
  const { plan } = await run(forget, { path, dry_run: true }, person);
  expect(await refusal(forget, { path, reason: 'x' }, person)).toMatchObject({ code: 'missing_field' });
  expect(await refusal(forget, { path, plan }, person)).toMatchObject({ code: 'missing_field' });
  expect(await refusal(forget, { path, plan, reason: 'x' }, callerWith())).toMatchObject({
    code: 'forbidden_scope',
  });
  const { content_hash: hash } = await run(getNote, { path });
  await run(updateNote, { path, content: '# New\n', expected_hash: hash, reason: 'new' }, writer);
  expect(await refusal(forget, { path, plan, reason: 'x' }, person)).toMatchObject({ code: 'hash_mismatch' });
  expect(await refusal(forget, { reason: 'x' }, person)).toMatchObject({ code: 'missing_field' });
  expect(await refusal(forget, { path, hash, reason: 'x' }, person)).toMatchObject({ code: 'invalid_field' });
});
