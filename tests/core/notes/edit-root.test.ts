import { editRoot } from '../../../src/core/notes/root';
import { getNote } from '../../../src/core/notes/get';
import { history } from '../../../src/core/notes/history';
import { sha256 } from '../../../src/core/base/hash';
import { callerWith, openTestBrain } from '../../support/test-brain';

const root = '---\nowner: me\n---\n# Guide\n\nAsk first.\n';
const before = sha256(root);

/** Returns the lines that tell of edits of the root note. */
function lines(files: ReadonlyMap<string, string>): unknown[] {
  const log = [...files].find(([path]) => path.startsWith('past/'))?.[1] ?? '';
  return log.split('\n').flatMap((line) => (line.includes('"root"') ? [JSON.parse(line)] : []));
}

it('rewrites the root note, keeps the old one, and records who and why', async () => {
  const { run, files, state } = await openTestBrain({ 'AGENTS.md': root });
  const content = '# Guide\n\nAsk twice. ![x](https://evil.example/p.png) [[Ghost]]\n';
  const answer = await run(editRoot, { content, reason: 'clearer', expected_hash: before });
  const after = '# Guide\n\nAsk twice. [x](https://evil.example/p.png) Ghost\n';
  expect(files.get('AGENTS.md')).toBe(after);
  expect(answer).toMatchObject({
    path: 'AGENTS.md',
    content_hash: sha256(after),
    previous_hash: before,
    unlinked: expect.arrayContaining(['Ghost']),
  });
  expect(lines(state.files)).toEqual([
    expect.objectContaining({
      op: 'edit-root',
      by: expect.objectContaining({ name: 'laptop' }),
      notes: [['AGENTS.md', before, sha256(after), 'main']],
      data: {
        root: { path: 'AGENTS.md', before, after: sha256(after), actor: 'laptop', reason: 'clearer' },
      },
    }),
  ]);
  expect(await run(history, { path: 'AGENTS.md' })).toMatchObject({
    versions: [{ hash: sha256(after), reason: 'clearer', written_by: 'laptop' }, { hash: before }],
  });
  expect((await run(getNote, { path: 'AGENTS.md' })).status).toBe('root');
  expect((await run(getNote, { hash: before })).body).toBe('# Guide\n\nAsk first.\n');
});

it('makes it when there is none, and takes CLAUDE.md where that is the guide', async () => {
  const fresh = await openTestBrain();
  expect(await fresh.run(editRoot, { content: '# New', reason: 'first' })).toMatchObject({
    path: 'AGENTS.md',
  });
  const claude = await openTestBrain({ 'CLAUDE.md': root });
  expect(await claude.run(editRoot, { content: '# New', reason: 'r', expected_hash: before })).toMatchObject({
    path: 'CLAUDE.md',
  });
});

it.each(['allow', 'propose'] as const)(
  'makes none for a caller who has read one that is gone (%s)',
  async (rootEdit) => {
    const { refusal, state } = await openTestBrain({}, { rootEdit });
    const refused = await refusal(editRoot, { content: '# New', reason: 'r', expected_hash: before });
    expect(refused).toEqual({
      code: 'hash_mismatch',
      message: expect.stringMatching(/no note at AGENTS\.md.*Leave "expected_hash" out/),
      details: { path: 'AGENTS.md' },
    });
    expect(state.files.size).toBe(0);
  },
);

it('records nothing of an edit that failed', async () => {
  const { refusal, vault, state } = await openTestBrain({ 'AGENTS.md': root });
  vault.intercept = () => {
    throw new Error('disk full');
  };
  await expect(refusal(editRoot, { content: 'x', reason: 'r', expected_hash: before })).rejects.toThrow(
    'disk full',
  );
  expect(lines(state.files)).toEqual([]);
});

it('reads the log of earlier versions, without the edits that failed', async () => {
  const { run, state } = await openTestBrain({ 'AGENTS.md': root });
  const line = (id: string, reason: string, more: object) => ({
    ...{ v: 1, ts: '2026-11-19T10:00:00Z', id, actor: 'desk', path: 'AGENTS.md', after_hash: before },
    ...{ before_bytes: 0, after_bytes: 1, reason, ...more },
  });
  const old = [line('a', 'made', {}), line('b', 'failed', {}), line('b', 'failed', { undone: true })];
  await state.append(
    'audit/root-edits.otherone.jsonl',
    old.map((each) => JSON.stringify(each)).join('\n'),
    true,
  );
  expect(await run(history, { path: 'AGENTS.md' })).toMatchObject({
    versions: [{ hash: before, reason: 'made', written_by: 'desk', updated_at: '2026-11-19T10:00:00Z' }],
  });
});

it('under "propose" the text waits in the queue', async () => {
  const { run, files } = await openTestBrain({ 'AGENTS.md': root }, { rootEdit: 'propose' });
  const answer = await run(editRoot, { content: '# Guide\n', reason: 'r', expected_hash: before });
  expect(answer.path).toBe('raw/2026-11-20-agents-note.md');
  expect(files.get('AGENTS.md')).toBe(root);
  expect(files.get(answer.path)).toMatch(/type: root-edit\n[^]*target: AGENTS.md\nreason: r\n/);
});

it('changes nothing in a dry run', async () => {
  const { run, files, state } = await openTestBrain({ 'AGENTS.md': root });
  await run(editRoot, { content: 'x', reason: 'r', expected_hash: before, dry_run: true });
  expect([...files]).toEqual([['AGENTS.md', root]]);
  expect(state.files.size).toBe(0);
});

it.each<[string, Record<string, unknown>, string]>([
  ['no hash', { expected_hash: undefined }, 'missing_field'],
  ['another version', { expected_hash: 'a'.repeat(64) }, 'hash_mismatch'],
  ['no reason', { reason: undefined }, 'missing_field'],
  ['blank content', { content: ' ' }, 'empty_content'],
  ['content without a text', { content: '---\nkey: value\n---\n \n' }, 'empty_content'],
  ['more than 64 KiB', { content: 'x'.repeat(64 * 1024 + 1) }, 'too_large'],
])('refuses %s', async (_, input, code) => {
  const { refusal } = await openTestBrain({ 'AGENTS.md': root });
  expect(
    await refusal(editRoot, { content: 'x', reason: 'r', expected_hash: before, ...input }),
  ).toMatchObject({ code });
});

it('is refused without the scope, and under "deny"', async () => {
  const open = await openTestBrain({ 'AGENTS.md': root });
  expect(
    await open.refusal(editRoot, { content: 'x', reason: 'r' }, callerWith(['read', 'write', 'review'])),
  ).toMatchObject({ code: 'forbidden_scope' });
  const closed = await openTestBrain({ 'AGENTS.md': root }, { rootEdit: 'deny' });
  expect(await closed.refusal(editRoot, { content: 'x', reason: 'r', expected_hash: before })).toMatchObject({
    code: 'forbidden_scope',
  });
});

it('makes a second block text and joins nothing', async () => {
  const { run, files } = await openTestBrain({ 'AGENTS.md': root });
  const content = '---\nowner: me\n---\n---\ntype: guide\ndomain: home\n---\n# Guide\n';
  await run(editRoot, { content, reason: 'r', expected_hash: before });
  expect(files.get('AGENTS.md')).toBe(
    '---\nowner: me\n---\n\\---\ntype: guide\ndomain: home\n---\n# Guide\n',
  );
});

it('leaves a root note alone that its owner has locked', async () => {
  const text = '---\nlocked: true\n---\n# Guide\n';
  const edit = { content: '# New', reason: 'r', expected_hash: sha256(text) };
  const { refusal } = await openTestBrain({ 'AGENTS.md': text });
  expect(await refusal(editRoot, edit)).toMatchObject({ code: 'locked', details: { path: 'AGENTS.md' } });
  const proposing = await openTestBrain({ 'AGENTS.md': text }, { rootEdit: 'propose' });
  expect(await proposing.run(editRoot, edit)).toMatchObject({ path: expect.stringMatching(/^raw\//) });
});

it.each(['allow', 'propose'] as const)(
  'makes text of properties that would act, unless the root note has them (%s)',
  async (rootEdit) => {
    const standing = '---\nbanner: mine\n---\n# Guide\n';
    const { run, files } = await openTestBrain({ 'AGENTS.md': standing }, { rootEdit });
    const content =
      '---\nbanner: mine\nban\u200bnerImage: x\nexcalidraw-onload-script: x\nsee: obsidian://run\nowner: me\n---\n# Guide\n\nNew.\n';
    const asked = { content, reason: '![x](https://evil.example/p.png)', expected_hash: sha256(standing) };
    const { path, refs, warnings } = await run(editRoot, asked);
    const text = files.get(path) ?? '';
    expect(text).toContain('\nbanner: mine\n');
    expect(text).toContain('\nowner: me\n');
    for (const line of ['"`excalidraw-onload-script`": x', '"`bannerImage`": x', 'see: "`obsidian://run`"'])
      expect(text).toContain(`\n${line}\n`);
    expect(text).not.toContain('![x]');
    const reason = rootEdit === 'propose' ? ['reason'] : [];
    const acting = ['bannerImage', 'excalidraw-onload-script', 'see', ...reason];
    expect(refs.filter(({ kind }) => kind === 'property').map(({ target }) => target)).toEqual(acting);
    for (const target of acting) expect(warnings.join('\n')).toContain(`"${target}"`);
  },
);

it('takes no stamp of the service from the text, and keeps those that stand there as they are', async () => {
  const text = '---\nowner: me\nwritten_by: human:me\n---\n# Guide\n';
  const { run, files } = await openTestBrain({ 'AGENTS.md': text });
  const forged = ['promoted_by: human:me', 'promoted_at: 2001-01-01', 'updated_at: 2001-01-01'].join('\n');
  const content = `---\nowner: me\nwritten_by: human:me\n${forged}\n---\n# Mine\n`;
  const { warnings } = await run(editRoot, { content, reason: 'r', expected_hash: sha256(text) });
  expect(files.get('AGENTS.md')).toBe('---\nwritten_by: human:me\nowner: me\n---\n# Mine\n');
  expect(warnings).toEqual(
    ['promoted_by', 'promoted_at', 'updated_at'].map(
      (key) => `"${key}" was dropped: only the service sets it.`,
    ),
  );
});
