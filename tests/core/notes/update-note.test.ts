import { getNote } from '../../../src/core/notes/get';
import { history } from '../../../src/core/notes/history';
import { updateNote } from '../../../src/core/notes/update';
import { writeNote } from '../../../src/core/notes/write';
import { sha256 } from '../../../src/core/base/hash';
import { queryNotes } from '../../../src/core/search/query';
import { listPending } from '../../../src/core/review/pending';
import { promoteNote } from '../../../src/core/review/promote';
import { callerWith, NOW, openTestBrain, person } from '../../support/test-brain';

const path = 'wiki/net/facts/dns.md';
const original =
  '---\nwing: net\nhall: facts\ncreated_at: 2026-01-01T00:00:00Z # kept\ncustom:\n  nested: yes\n---\n# DNS\n\nOld.\n';

it('supersedes in place, keeps foreign front matter, and the old version stays readable', async () => {
  const { run, files } = await openTestBrain({ [path]: original });
  const answer = await run(updateNote, {
    path,
    content: '# DNS\n\nNew words.\n',
    reason: 'moved to unbound',
  });
  const before = sha256(original);
  expect(answer).toMatchObject({
    path,
    supersedes: before,
    updated_at: '2026-11-20T10:32:00Z',
    history_path: `.brain/history/${before.slice(0, 2)}/${before}.md`,
    content_hash: sha256(files.get(path) ?? ''),
  });
  expect(files.get(path)).toMatch(/created_at: 2026-01-01T00:00:00Z # kept\n/);
  expect(files.get(path)).toMatch(/custom:\n {2}nested: yes\n/);
  expect(files.get(path)).toMatch(/supersede_reason: moved to unbound\n/);
  expect(files.get(path)?.endsWith('---\n# DNS\n\nNew words.\n')).toBe(true);
  expect((await run(queryNotes, { query: 'words' })).count).toBe(1);
  expect((await run(queryNotes, { query: 'old' })).count).toBe(0);
  expect((await run(getNote, { hash: before })).body).toBe('# DNS\n\nOld.\n');
  expect(await run(history, { hash: before })).toMatchObject({ hash: before, path, content: original });
  expect(await run(history, { path })).toMatchObject({
    path,
    versions: [
      { hash: answer.content_hash, reason: 'moved to unbound', written_by: 'laptop' },
      { hash: before },
    ],
  });
  expect(await run(getNote, { path })).toMatchObject({
    history: 1,
    supersedes: before,
    updated_at: '2026-11-20T10:32:00Z',
  });
});

it('chains updates, each naming the one before', async () => {
  const { run } = await openTestBrain({ [path]: original });
  const hashes: string[] = [sha256(original)];
  for (const word of ['one', 'two', 'three']) {
    const answer = await run(updateNote, { path, content: word, reason: word });
    expect(answer.supersedes).toBe(hashes.at(-1));
    hashes.push(answer.content_hash);
  }
  const listed = await run(history, { path });
  expect('versions' in listed && listed.versions.map(({ hash }) => hash)).toEqual(hashes.reverse());
});

it('takes the address instead of the path, and merges new keys but no protected ones', async () => {
  const { run, files } = await openTestBrain({ [path]: original });
  const content = '---\nstatus: done\nwritten_by: forged\nsupersedes: forged\n---\nx';
  const answer = await run(updateNote, {
    wing: 'net',
    hall: 'facts',
    slug: 'dns',
    content,
    reason: 'r',
    frontmatter: { mood: 'good' },
  });
  expect(files.get(path)).toMatch(/status: done\n/);
  expect(files.get(path)).toMatch(/mood: good\n/);
  expect(files.get(path)).not.toMatch(/forged/);
  expect(answer.warnings.join()).toMatch(/written_by/);
});

it('leaves a construct that stands already, and gates a new one', async () => {
  const { run, files } = await openTestBrain({ [path]: 'A [[Ghost]].\n' });
  const answer = await run(updateNote, { path, content: 'A [[Ghost]]. B [[Phantom]].\n', reason: 'r' });
  expect(files.get(path)?.endsWith('A [[Ghost]]. B Phantom.\n')).toBe(true);
  expect(answer.unlinked).toEqual(['Phantom']);
});

it.each([
  ['nothing', ''],
  ['another place', '---\nwing: home\nhall: decisions\n---\n'],
])('takes the place of a note from its path when its front matter says %s', async (_, block) => {
  const { run, files } = await openTestBrain({
    'wiki/net/facts/a.md': `${block}Old.\n`,
    'wiki/net/facts/mtu.md': '# MTU\n',
    'wiki/net/decisions/mtu.md': '# MTU\n',
    'wiki/home/facts/mtu.md': '# MTU\n',
    'wiki/home/decisions/mtu.md': '# MTU\n',
  });
  await run(updateNote, { path: 'wiki/net/facts/a.md', content: 'See [[mtu]].\n', reason: 'r' });
  expect(files.get('wiki/net/facts/a.md')).toMatch('See [[wiki/net/facts/mtu|MTU]].\n');
});

it('dry run changes nothing', async () => {
  const { run, files, state } = await openTestBrain({ [path]: original });
  const dry = await run(updateNote, { path, content: 'new', reason: 'r', dry_run: true });
  expect(files.get(path)).toBe(original);
  expect(state.files.size).toBe(0);
  expect(await run(updateNote, { path, content: 'new', reason: 'r' })).toEqual(dry);
});

it.each<[string, Record<string, unknown>, string]>([
  ['a missing note', { path: 'wiki/net/facts/none.md' }, 'note_not_found'],
  ['a raw note', { path: 'raw/x.md' }, 'in_queue'],
  ['the root note', { path: 'AGENTS.md' }, 'path_not_allowed'],
  ['a wing index', { path: 'wiki/net/_index.md' }, 'path_not_allowed'],
  ['another version than expected', { path, expected_hash: '0'.repeat(64) }, 'hash_mismatch'],
  ['a locked note', { path: 'wiki/net/facts/locked.md' }, 'locked'],
  ['no reason', { path, reason: undefined }, 'missing_field'],
  ['a blank reason', { path, reason: '  ' }, 'invalid_field'],
  ['no target', {}, 'missing_field'],
  ['a wing without a hall', { wing: 'net', slug: 'dns' }, 'wing_and_hall_required_together'],
  ['a hall without a wing', { hall: 'facts', slug: 'dns' }, 'wing_and_hall_required_together'],
  ['a wing alone', { wing: 'net' }, 'wing_and_hall_required_together'],
  ['an address without a slug', { wing: 'net', hall: 'facts' }, 'missing_field'],
  ['a slug alone', { slug: 'dns' }, 'missing_field'],
  ['an address beside the path', { path, wing: 'net' }, 'invalid_field'],
  ['an envelope the note cannot have', { path, half_life: 'durable' }, 'invalid_envelope'],
  ['a way out of the vault', { path: '../x.md' }, 'path_not_allowed'],
  ['blank content', { path, content: '' }, 'empty_content'],
  ['content without a text', { path, content: '---\nkey: value\n---\n\u200b\n' }, 'empty_content'],
])('refuses %s', async (_, input, code) => {
  const { refusal } = await openTestBrain({
    [path]: original,
    'raw/x.md': 'x',
    'AGENTS.md': 'root',
    'wiki/net/_index.md': 'map',
    'wiki/net/facts/locked.md': '---\nlocked: true\n---\nmine',
  });
  expect(await refusal(updateNote, { content: 'new', reason: 'r', ...input })).toMatchObject({ code });
});

it.each([
  ['raw/x.md', /^raw\/x\.md is in the review queue, and another writer put it there\. .*\.$/],
  [
    'raw/rejected/x.md',
    /^raw\/rejected\/x\.md was rejected and is not updated\. .*restore it to the queue\.$/,
  ],
])('says what %s waits for', async (queued, message) => {
  const { refusal } = await openTestBrain({ [queued]: 'x' });
  const { code, message: said } = await refusal(updateNote, { path: queued, content: 'x', reason: 'r' });
  expect(code).toBe('in_queue');
  expect(said).toMatch(message);
});

it('refuses a token that may only propose', async () => {
  const { refusal } = await openTestBrain({ [path]: original });
  const proposer = callerWith(['read', 'propose']);
  expect(await refusal(updateNote, { path, content: 'new', reason: 'r' }, proposer)).toMatchObject({
    code: 'forbidden_scope',
  });
});

it('sees an edit from outside at the moment it writes', async () => {
  const { run, refusal, vault } = await openTestBrain({ [path]: original });
  const read = await run(getNote, { path });
  vault.files.set(path, 'edited by hand');
  expect(
    await refusal(updateNote, { path, content: 'new', reason: 'r', expected_hash: read.content_hash }),
  ).toMatchObject({
    code: 'hash_mismatch',
    details: { content_hash: sha256('edited by hand') },
  });
});

describe('get', () => {
  it('answers the neighbourhood', async () => {
    const { run } = await openTestBrain({
      [path]: '---\nwing: net\nhall: facts\n---\n# DNS\n\nSee [[MTU]].\n',
      'wiki/net/facts/mtu.md': '# MTU\n\nSee [[wiki/net/facts/dns|DNS]].\n',
    });
    expect(await run(getNote, { path: '/brain/wiki/net/facts/dns' })).toEqual({
      path,
      title: 'DNS',
      wing: 'net',
      hall: 'facts',
      status: 'wiki',
      frontmatter: { wing: 'net', hall: 'facts' },
      body: '# DNS\n\nSee [[MTU]].\n',
      content_hash: sha256('---\nwing: net\nhall: facts\n---\n# DNS\n\nSee [[MTU]].\n'),
      date: NOW,
      stale: false,
      reviewed: null,
      history: 0,
      outgoing: ['wiki/net/facts/mtu.md'],
      backlinks: ['wiki/net/facts/mtu.md'],
      same_tags: [],
      truncated: false,
    });
  });

  it('reaches the root note of the settings behind the name of the vault', async () => {
    const { run } = await openTestBrain({ 'docs/AGENTS.md': 'Guide.\n' }, { rootNote: 'docs/AGENTS.md' });
    expect(await run(getNote, { path: 'brain/docs/AGENTS.md' })).toMatchObject({ path: 'docs/AGENTS.md' });
    expect(await run(history, { path: '/brain/docs/AGENTS.md' })).toMatchObject({ path: 'docs/AGENTS.md' });
  });

  it('leads from a note of the queue to notes of the wiki, and back', async () => {
    const { run } = await openTestBrain({
      'raw/2026-01-02-x.md': '[a](wiki/net/facts/dns.md) [b](mtu.md) [c](raw/y.md) [d](nowhere.md)\n',
      'raw/y.md': 'y',
      [path]: original,
      'wiki/net/facts/mtu.md': '# MTU\n',
    });
    expect((await run(getNote, { path: 'raw/2026-01-02-x.md' })).outgoing).toEqual([
      path,
      'wiki/net/facts/mtu.md',
    ]);
    expect((await run(getNote, { path })).backlinks).toEqual(['raw/2026-01-02-x.md']);
  });

  it('pages through a long body without losing a character', async () => {
    const body = Array.from({ length: 500 }, (_, n) => `Paragraph ${n} 😀.`).join('\n\n');
    const { run } = await openTestBrain({ 'knowledge/long.md': body });
    let read = '';
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const page: { body: string; next_offset?: number | undefined } = await run(getNote, {
        path: 'knowledge/long.md',
        max_chars: 700,
        offset,
      });
      expect(page.body.length).toBeLessThanOrEqual(700);
      read += page.body;
      offset = page.next_offset;
    }
    expect(read).toBe(body);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['a rejected note', { path: 'raw/rejected/x.md' }, 'path_not_allowed'],
    ['a hidden file', { path: '.brain/version' }, 'path_not_allowed'],
    ['the settings of the host', { path: '.obsidian/app.json' }, 'path_not_allowed'],
    ['a note that is left out', { path: 'Diary/today.md' }, 'path_not_allowed'],
    ['a way out', { path: 'wiki/../../etc/passwd' }, 'path_not_allowed'],
    ['a missing note', { path: 'wiki/a/facts/b.md' }, 'note_not_found'],
    ['an unknown hash', { hash: 'a'.repeat(64) }, 'note_not_found'],
    ['no hash', { hash: 'zz' }, 'invalid_field'],
    ['nothing', {}, 'missing_field'],
    ['a wing without a hall', { wing: 'net', slug: 'dns' }, 'wing_and_hall_required_together'],
  ])('refuses %s', async (_, input, code) => {
    const files = { 'raw/rejected/x.md': 'x', 'Diary/today.md': 'secret' };
    const { refusal } = await openTestBrain(files, { exclude: ['Diary'] });
    expect(await refusal(getNote, input)).toMatchObject({ code });
  });

  it('finds a note by the hash of what it says now', async () => {
    const { run } = await openTestBrain();
    const { content_hash, path: written } = await run(writeNote, {
      wing: 'a',
      hall: 'facts',
      slug: 'b',
      content: 'c',
    });
    expect((await run(getNote, { hash: content_hash })).path).toBe(written);
  });
});

describe('a queued note', () => {
  const queued = 'raw/2026-11-20-router.md';
  const laptop = { ...callerWith(['read', 'write'], 'laptop'), client: 'claude-code 2.1' };
  const intern = callerWith(['read', 'write'], 'intern');
  const text = (writer: string) =>
    `---\nwing: net\nhall: facts\ncreated_at: 2026-11-20T09:00:00Z\norigin: mcp\nwritten_by: ${writer}\n---\n# Router\n\nVersion 3.\n`;
  const revision = { path: queued, content: '# Router\n\nVersion 4.', reason: 'misread' };

  it.each(['laptop', 'laptop (cursor 1.0)', 'laptop (x) via passthrough', '"laptop via llama3"'])(
    'is revised by the token that wrote it: %s',
    async (writer) => {
      const { run, files } = await openTestBrain({ [queued]: text(writer) });
      const before = sha256(text(writer));
      const answer = await run(updateNote, { ...revision, expected_hash: before }, laptop);
      expect(answer).toMatchObject({ path: queued, supersedes: before });
      expect(files.get(queued)).toMatch(/wing: net\nhall: facts\ncreated_at: 2026-11-20T09:00:00Z/);
      expect(files.get(queued)).toMatch(/Version 4\.\n?$/);
      expect(await run(history, { hash: before })).toMatchObject({ content: text(writer) });
      const { pending } = await run(listPending, {});
      expect(pending).toMatchObject([
        { path: queued, previous_hash: before, revised_at: NOW, content_hash: answer.content_hash },
      ]);
      expect(await run(history, { path: queued })).toMatchObject({
        versions: [{ reason: 'misread', written_by: 'laptop (claude-code 2.1)' }, { hash: before }],
      });
    },
  );

  it('has no marks of a revision before there is one', async () => {
    const { run } = await openTestBrain({ [queued]: text('laptop') });
    const [entry] = (await run(listPending, {})).pending;
    expect(entry).not.toHaveProperty('previous_hash');
    expect(entry).not.toHaveProperty('revised_at');
  });

  it.each([
    ['of another token', text('intern'), laptop],
    ['of a token with a longer name', text('laptop2'), laptop],
    ['whose client claims to be the token', text('intern (laptop)'), laptop],
    ['of a person', text('human:laptop'), laptop],
    ['without a writer', '# Clip\n\nx\n', laptop],
    ['of laptop, by intern', text('laptop'), intern],
  ])('%s is not updated', async (_, before, caller) => {
    const { refusal } = await openTestBrain({ [queued]: before });
    expect(await refusal(updateNote, revision, caller)).toMatchObject({ code: 'in_queue' });
  });

  it.each([
    ['an agent', text('laptop')],
    ['another person', text('human:ann')],
    ['nobody', '# Clip\n\nx\n'],
  ])('of %s is revised by a person and stays in the queue', async (_, before) => {
    const { run, files, refusal } = await openTestBrain({ [queued]: before });
    const ask = { ...revision, expected_hash: sha256(before) };
    expect(await run(updateNote, { ...ask, dry_run: true }, person)).toMatchObject({ path: queued });
    expect(files.get(queued)).toBe(before);
    const answer = await run(updateNote, ask, person);
    expect(answer.supersedes).toBe(sha256(before));
    expect(files.get(queued)).toMatch(/written_by: human:me\n[^]*Version 4\.\n?$/);
    expect(await run(history, { hash: sha256(before) })).toMatchObject({ content: before });
    expect((await run(listPending, {})).pending).toMatchObject([
      { path: queued, written_by: 'human:me', content_hash: answer.content_hash },
    ]);
    expect((await refusal(updateNote, ask, person)).code).toBe('hash_mismatch');
  });

  it('loses the lock of a token when a person revises it, and keeps that of a person', async () => {
    const locked = (writer: string) => text(writer).replace('wing: net', 'wing: net\nlocked: true');
    const { run, files, refusal } = await openTestBrain({
      [queued]: locked('laptop'),
      'raw/own.md': locked('human:me'),
    });
    const { warnings } = await run(updateNote, revision, person);
    expect(warnings).toHaveLength(1);
    expect(files.get(queued)).not.toMatch('locked');
    expect((await refusal(updateNote, { ...revision, path: 'raw/own.md' }, person)).code).toBe('locked');
  });

  it('of this token is not updated when it is gone, locked, rejected, or changed since', async () => {
    const locked = text('laptop').replace('wing: net', 'wing: net\nlocked: true');
    const { refusal } = await openTestBrain({
      [queued]: text('laptop'),
      'raw/locked.md': locked,
      'raw/rejected/old.md': text('laptop'),
    });
    const code = async (more: object) => (await refusal(updateNote, { ...revision, ...more }, laptop)).code;
    expect(await code({ path: 'raw/gone.md' })).toBe('note_not_found');
    expect(await code({ path: 'raw/locked.md' })).toBe('locked');
    expect(await code({ path: 'raw/rejected/old.md' })).toBe('in_queue');
    expect(await code({ expected_hash: '0'.repeat(64) })).toBe('hash_mismatch');
  });

  it('is revised by its writer who may only propose, and by no other such token', async () => {
    const { run, refusal } = await openTestBrain({ [queued]: text('laptop') });
    const proposer = (name: string) => callerWith(['read', 'propose'], name);
    expect(await refusal(updateNote, revision, proposer('phone'))).toMatchObject({ code: 'in_queue' });
    expect(await run(updateNote, revision, proposer('laptop'))).toMatchObject({ path: queued });
  });

  it('is promoted as it was revised', async () => {
    const { run, files } = await openTestBrain({ [queued]: text('laptop') });
    await run(updateNote, revision, laptop);
    await run(promoteNote, { path: queued, wing: 'net', hall: 'facts', slug: 'router' });
    expect(files.get('wiki/net/facts/router.md')).toMatch(/Version 4\.\n?$/);
    expect(await run(getNote, { path: 'wiki/net/facts/router.md' })).toMatchObject({ history: 1 });
  });
});
