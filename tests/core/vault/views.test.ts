import type { Caller, Scope, TokenLimits } from '../../../src/core/access/tokens';
import { sha256 } from '../../../src/core/base/hash';
import type { SourceFile, SourceFiles } from '../../../src/core/documents/ports';
import { ingestPages, ingestPath } from '../../../src/core/ingest/operations';
import { capture } from '../../../src/core/notes/capture';
import { getNote } from '../../../src/core/notes/get';
import { history } from '../../../src/core/notes/history';
import { editRoot } from '../../../src/core/notes/root';
import { completePath } from '../../../src/core/notes/targets';
import { updateNote } from '../../../src/core/notes/update';
import { writeNote } from '../../../src/core/notes/write';
import { listPending } from '../../../src/core/review/pending';
import { promoteNote } from '../../../src/core/review/promote';
import { rejectNote } from '../../../src/core/review/reject';
import { unpromoteNote } from '../../../src/core/review/return';
import { queryNotes } from '../../../src/core/search/query';
import { status } from '../../../src/core/status/status';
import { historyPath } from '../../../src/core/storage/history';
import { Views } from '../../../src/core/vault/views';
import { type VaultPath, vaultPath } from '../../../src/core/vocabulary/paths';
import { indexWings } from '../../../src/core/wings/operations';
import { openHybridBrain } from '../../support/hybrid-brain';
import { agent, callerWith, openTestBrain, person } from '../../support/test-brain';

const FILES = {
  'wiki/homelab/facts/mtu.md': '# MTU\n\nThe tunnel wants 1420.\n',
  'wiki/homelab/facts/dns.md': '# DNS\n\nUnbound answers. See [[mtu]].\n',
  'wiki/secret/facts/mtu.md': '# Secret MTU\n\nThe tunnel wants 1280. See [[raw/2026-11-01-idea]].\n',
  'knowledge/old.md': '# Old\n\nA tunnel of old.\n',
  'raw/2026-11-01-idea.md': '# Idea\n\nA new tunnel. See [[wiki/secret/facts/mtu]].\n',
};
const READ = ['wiki/homelab', 'knowledge'];

function limited(limits: TokenLimits, scopes: readonly Scope[] = ['read', 'write', 'review']): Caller {
  return { ...callerWith(scopes, 'intern'), limits };
}
const intern = limited({ read: READ });
const writer = limited({ writeWings: ['homelab'] });

it('gives callers without limits the whole vault', async () => {
  const { brain } = await openTestBrain(FILES);
  for (const caller of [agent, person, { ...agent, limits: {} }])
    expect(brain.viewFor(caller)).toMatchObject({
      catalog: brain.catalog,
      vault: brain.vault,
      whole: brain,
      limits: null,
    });
});

it('never asks the disk for what a caller may not read, so that time tells nothing either', async () => {
  const { brain, vault, run, refusal } = await openTestBrain(FILES);
  const paths = async (caller: Caller) =>
    (await run(queryNotes, { query: 'tunnel', include_raw: true }, caller)).results.map(({ path }) => path);
  expect(await paths(intern)).toEqual(['knowledge/old.md', 'wiki/homelab/facts/mtu.md']);
  expect((await paths(agent)).length).toBe(4);
  const asked: string[] = [];
  for (const name of ['read', 'stat'] as const) {
    const real = vault[name].bind(vault);
    // Both methods take the path alone, so one wrapper fits.
    Object.assign(vault, { [name]: (path: VaultPath) => (asked.push(path), real(path)) });
  }
  const address = { wing: 'secret', hall: 'facts', slug: 'mtu' };
  for (const ask of [address, { path: 'raw/2026-11-01-idea' }, { path: 'raw/none.md' }])
    expect((await refusal(getNote, ask, intern)).code).toBe('note_not_found');
  expect((await refusal(updateNote, { ...address, content: 'x', reason: 'y' }, intern)).code).toBe(
    'note_not_found',
  );
  expect((await refusal(history, { path: 'wiki/secret/facts/mtu.md' }, intern)).code).toBe('note_not_found');
  const promoted = { path: 'raw/2026-11-01-idea.md', wing: 'homelab', hall: 'facts' };
  expect((await refusal(promoteNote, promoted, intern)).code).toBe('source_missing');
  expect(asked.filter((path) => !brain.viewFor(intern).limits?.sees(path))).toEqual([]);
});

it('puts what is written where the caller may not read into the queue, without a look at what stands there', async () => {
  const { run, refusal, files } = await openTestBrain(FILES);
  const ask = { wing: 'secret', hall: 'facts', slug: 'mtu', content: '# Mine\n\nText.' };
  const written = await run(writeNote, ask, intern);
  expect(written).toMatchObject({ created: true, wing: 'secret', hall: 'facts' });
  expect(written.path).toMatch(/^raw\/2026-11-20-mtu-\d{6}\.md$/);
  expect(written.warnings.join()).toContain('may not write to wiki/secret/facts/');
  // The same call finds the next number, whoever else has notes of that name.
  expect((await run(writeNote, ask, intern)).path).not.toBe(written.path);
  expect(files.get('wiki/secret/facts/mtu.md')).toBe(FILES['wiki/secret/facts/mtu.md']);
  expect((await refusal(writeNote, { ...ask, overwrite: true }, intern)).code).toBe('forbidden_scope');
});

it('follows what others change', async () => {
  const { run, refusal, vault } = await openTestBrain(FILES);
  expect((await run(queryNotes, { query: 'heron' }, intern)).count).toBe(0);
  await run(writeNote, { wing: 'homelab', hall: 'facts', slug: 'heron', content: '# Heron\n\nGrey.' });
  await run(writeNote, { wing: 'secret', hall: 'facts', slug: 'heron', content: '# Heron\n\nHidden.' });
  expect((await run(queryNotes, { query: 'heron' }, intern)).results.map(({ path }) => path)).toEqual([
    'wiki/homelab/facts/heron.md',
  ]);
  vault.outside('knowledge/old.md', '# Old\n\nAn ibis.\n');
  vault.outside('wiki/homelab/facts/heron.md', null);
  expect((await run(queryNotes, { query: 'ibis' }, intern)).count).toBe(1);
  expect((await refusal(getNote, { path: 'wiki/homelab/facts/heron.md' }, intern)).code).toBe(
    'note_not_found',
  );
});

it('shares a view among callers with equal read paths, and keeps every view', async () => {
  const { brain, run } = await openTestBrain(FILES);
  const views = new Views(brain);
  const made = (read: string[]): unknown => views.of(limited({ read })).catalog;
  const [first, revision] = [made(READ), brain.catalog.revision];
  for (let n = 0; n < 60; n += 1) made([`folder-${n}`]);
  expect(made([...READ].reverse())).toBe(first);
  expect(brain.catalog.revision).toBe(revision);
  for (let n = 0; n < 12; n += 1) {
    const other = limited({ read: [`folder-${n}`] });
    expect((await run(queryNotes, { query: 'tunnel' }, other)).count).toBe(0);
    expect((await run(queryNotes, { query: 'tunnel' }, intern)).count).toBe(2);
  }
  await run(writeNote, { wing: 'homelab', hall: 'facts', slug: 'late', content: '# Late\n\nA tunnel.' });
  expect((await run(queryNotes, { query: 'tunnel' }, intern)).count).toBe(3);
});

it('reads the history of the notes that it shows, and of no other', async () => {
  const { run, refusal } = await openTestBrain(FILES);
  const change = { content: '# New\n\nText.', reason: 'new' };
  for (const path of ['wiki/homelab/facts/mtu.md', 'wiki/secret/facts/mtu.md'])
    await run(updateNote, { path, ...change });
  const former = sha256(FILES['wiki/homelab/facts/mtu.md']);
  const listed = await run(history, { path: 'wiki/homelab/facts/mtu.md' }, intern);
  expect(listed).toMatchObject({ versions: [{ reason: 'new' }, { hash: former }] });
  expect(await run(history, { hash: former }, intern)).toMatchObject({
    path: 'wiki/homelab/facts/mtu.md',
    content: FILES['wiki/homelab/facts/mtu.md'],
  });
  expect((await run(getNote, { path: 'wiki/homelab/facts/mtu.md' }, intern)).history).toBe(1);
  const hidden = sha256(FILES['wiki/secret/facts/mtu.md']);
  expect(await run(history, { hash: hidden })).toMatchObject({ path: 'wiki/secret/facts/mtu.md' });
  for (const op of [history, getNote]) {
    const [one, none] = [
      await refusal(op, { hash: hidden }, intern),
      await refusal(op, { hash: sha256('no') }, intern),
    ];
    expect([one.code, one.message]).toEqual([none.code, none.message]);
  }
});

it('counts older versions that nobody has asked for yet', async () => {
  const path = 'wiki/homelab/facts/mtu.md';
  const { run } = await openTestBrain(FILES);
  for (const n of [1, 2, 3])
    await run(updateNote, { path, content: `# MTU\n\nVersion ${n}.`, reason: 'new' });
  expect((await run(getNote, { path }, intern)).history).toBe(3);
  expect((await run(getNote, { path })).history).toBe(3);
});

it('reads a former root note by its hash, whatever was asked before', async () => {
  const guided = { read: [...READ, 'AGENTS.md'] };
  const { run, refusal } = await openTestBrain({ ...FILES, 'AGENTS.md': '# Guide\n\nOne.\n' });
  const edited = async (content: string): Promise<string> => {
    const { content_hash: expected_hash } = await run(getNote, { path: 'AGENTS.md' }, person);
    await run(editRoot, { content, reason: 'why', expected_hash }, person);
    return expected_hash;
  };
  // The second edit comes after the first question.
  for (const content of ['# Guide\n\nTwo.\n', '# Guide\n\nThree.\n']) {
    const hash = await edited(content);
    expect(await run(getNote, { hash }, limited(guided))).toMatchObject({ path: 'AGENTS.md' });
    expect((await refusal(getNote, { hash }, intern)).code).toBe('note_not_found');
  }
});

it('reads the text before added sources only while it shows the note', async () => {
  const path = 'wiki/homelab/facts/mtu.md';
  const { run, refusal, state, vault } = await openTestBrain(FILES);
  const former = FILES[path];
  const before = sha256(former);
  const text = `---\nsources: [a]\n---\n${former}`;
  await state.create(historyPath(before), former);
  const record = {
    ...{ v: 1, ts: '2026-11-20T10:00:00Z', id: 'x', path, before, after: sha256(text), sources: ['a'] },
    ...{ origin: 'http', written_by: 'laptop', reason: 'why' },
  };
  state.files.set('sources/2026-11.testtest.jsonl', `${JSON.stringify(record)}\n`);
  vault.outside(path, text);
  expect(await run(history, { path }, intern)).toMatchObject({ versions: [{}, { hash: before }] });
  expect(await run(history, { hash: before }, intern)).toMatchObject({ content: former });
  vault.outside('wiki/secret/facts/moved.md', text);
  vault.outside(path, null);
  expect((await refusal(history, { hash: before }, intern)).code).toBe('note_not_found');
});

it('promotes with the whole vault in order, and tells only what is seen', async () => {
  const reviewer = limited({ read: [...READ, 'raw'] });
  const secret = `---\norigin: mcp\nwritten_by: laptop\n---\n${FILES['wiki/secret/facts/mtu.md']}`;
  const { run, refusal, files } = await openTestBrain({ ...FILES, 'wiki/secret/facts/mtu.md': secret });
  expect((await run(listPending, {}, reviewer)).total).toBe(1);
  const ask = { path: 'raw/2026-11-01-idea.md', hall: 'facts', slug: 'mtu-2' };
  expect((await refusal(promoteNote, { ...ask, wing: 'secret' }, reviewer)).message).toContain(
    'may not write to wiki/secret/facts/mtu-2.md',
  );
  const promoted = await run(promoteNote, { ...ask, wing: 'homelab' }, reviewer);
  expect(promoted).toMatchObject({ relinked: 0, tunnels: [], refs: [{ reason: 'missing' }] });
  // The link of a hidden note follows all the same.
  expect(files.get('wiki/secret/facts/mtu.md')).toContain('[[wiki/homelab/facts/mtu-2|raw/2026-11-01-idea]]');
  const back = await run(unpromoteNote, { path: promoted.path }, reviewer);
  expect(back.path).toBe('raw/2026-11-01-idea.md');
  expect(await run(rejectNote, { path: back.path }, reviewer)).toMatchObject({ linked_from: [] });
});

it('shows the map of a wing without what the caller may not read', async () => {
  const { run, files } = await openTestBrain({
    ...FILES,
    'wiki/homelab/facts/tunnel.md': '---\ntunnels: ["[[wiki/secret/facts/mtu|MTU]]"]\n---\n# Tunnel\n',
  });
  await run(indexWings, {});
  expect(files.get('wiki/homelab/_index.md')).toContain('[[wiki/secret/_index|secret]]');
  const map = await run(getNote, { path: 'wiki/homelab/_index.md' }, intern);
  expect(map.body).toContain('[[wiki/homelab/facts/mtu|MTU]]');
  expect(map.body).not.toContain('secret');
  expect(await run(indexWings, {}, intern)).toEqual({
    count: 1,
    wings: [{ wing: 'homelab', path: 'wiki/homelab/_index.md', notes: 3, changed: false }],
  });
  expect((await run(completePath, { typed: 'wiki/' }, intern)).paths.join()).not.toContain('secret');
});

it('refuses what works on the whole vault', async () => {
  const { refusal } = await openTestBrain(FILES);
  const spy = limited({ read: READ }, ['read', 'admin']);
  expect(await refusal(status, {}, spy)).toMatchObject({
    code: 'forbidden_scope',
    message: expect.stringContaining('This token reads wiki/homelab, knowledge and nothing else.'),
  });
});

it('searches by meaning among the notes that it shows', async () => {
  const { run, close } = await openHybridBrain(FILES);
  const ask = { query: 'tunnel', explain: true };
  const whole = await run(queryNotes, ask);
  expect(whole.mode).toBe('hybrid');
  expect(whole.results.some(({ path }) => path.startsWith('wiki/secret/'))).toBe(true);
  const seen = await run(queryNotes, ask, intern);
  expect(seen.mode).toBe('hybrid');
  expect(seen.results.some(({ ranks }) => ranks?.vector !== undefined)).toBe(true);
  expect(seen.results.some(({ path }) => path.startsWith('wiki/secret/'))).toBe(false);
  await close();
});

it('ingests the files that it shows, and no others', async () => {
  const located: string[] = [];
  const file = (path: string): SourceFile => ({
    kind: 'file',
    file: path,
    name: path.slice(path.lastIndexOf('/') + 1),
    path: vaultPath(path),
    full: `/vault/${path}`,
  });
  const sources: SourceFiles = {
    async locate(path) {
      located.push(path);
      return path === 'inbox/shared'
        ? { kind: 'folder', file: path, full: path }
        : file(path === 'inbox/shared/link.txt' ? 'inbox/other.txt' : path);
    },
    read: async () => new TextEncoder().encode('# Text\n\nOf a file.'),
    list: async () => [
      file('inbox/shared/a.txt'),
      file('inbox/other.txt'),
      { ...file('inbox/shared/b.txt'), path: null },
    ],
  };
  const { run, refusal } = await openTestBrain(FILES, {}, undefined, { sources });
  const guest = limited({ read: ['inbox/shared'] });
  for (const path of [
    'inbox/other.txt',
    'inbox',
    '/etc/passwd',
    'inbox/shared/../other.txt',
    'inbox/shared/link.txt',
  ])
    expect((await refusal(ingestPath, { path, dry_run: true }, guest)).code).toBe('path_not_allowed');
  expect(located).toEqual(['inbox/shared/link.txt']);
  expect(await run(ingestPath, { path: 'inbox/shared', dry_run: true }, guest)).toMatchObject({
    counts: { files: 1, ingested: 1 },
  });
});

describe('a caller with write wings', () => {
  const content = '# Note\n\nText.';

  it('writes there and nowhere else', async () => {
    const { run, refusal } = await openTestBrain(FILES);
    expect(
      await run(writeNote, { wing: 'Homelab', hall: 'facts', slug: 'a', content }, writer),
    ).toMatchObject({
      path: 'wiki/homelab/facts/a.md',
    });
    const elsewhere: [Parameters<typeof refusal>[0], object][] = [
      [writeNote, { wing: 'secret', hall: 'facts', slug: 'a', content }],
      [writeNote, { wing: 'secret', hall: 'facts', slug: 'mtu', content, overwrite: true }],
      [capture, { text: content, wing: 'secret', hall: 'facts' }],
      [promoteNote, { path: 'raw/2026-11-01-idea.md', wing: 'secret', hall: 'facts' }],
      [updateNote, { path: 'wiki/secret/facts/mtu.md', content, reason: 'r' }],
      [updateNote, { path: 'wiki/secret/facts/mtu.md', content, reason: 'r', dry_run: true }],
      [updateNote, { path: 'knowledge/old.md', content, reason: 'r' }],
      [indexWings, { wing: 'secret' }],
    ];
    for (const [op, ask] of elsewhere) {
      const { code, message } = await refusal(op, ask, writer);
      expect([op.name, code]).toEqual([op.name, 'forbidden_scope']);
      expect(message).toContain('This token writes into the wings homelab and no other.');
    }
    const { results } = await run(queryNotes, { query: '1280' }, writer);
    expect(results.map(({ path }) => path)).toEqual(['wiki/secret/facts/mtu.md']);
  });

  it('leaves in the queue what names no wing', async () => {
    const { run } = await openTestBrain(FILES);
    expect((await run(writeNote, { content }, writer)).path).toBe('raw/2026-11-20-note.md');
    expect((await run(capture, { text: content }, writer)).path).toMatch(/^raw\//);
    expect(await run(indexWings, {}, writer)).toMatchObject({ wings: [{ wing: 'homelab' }] });
  });
});

describe('a token without "read"', () => {
  const scribe = callerWith(['write'], 'scribe');
  const note = (slug: string) => ({ wing: 'lab', hall: 'facts', slug, content: `# ${slug}\n\nIts text.` });

  it('has the wings of its notes, whoever changes them', async () => {
    const { run, refusal } = await openTestBrain(FILES);
    const index = async () =>
      (await run(indexWings, {}, scribe)).wings.map(({ wing, notes }) => [wing, notes]);
    await run(writeNote, note('one'), scribe);
    await run(writeNote, note('two'), scribe);
    await run(writeNote, note('of-another'));
    await run(writeNote, { ...note('of-another'), wing: 'den' });
    expect(await index()).toEqual([['lab', 2]]);
    // A person takes over one note, and then another: nothing in the wing is the token's any more.
    const own = { content: '# Changed\n\nText.', reason: 'better' };
    await run(updateNote, { path: 'wiki/lab/facts/one.md', ...own }, person);
    expect(await index()).toEqual([['lab', 1]]);
    await run(updateNote, { path: 'wiki/lab/facts/two.md', ...own }, person);
    expect(await index()).toEqual([]);
    expect((await refusal(indexWings, { wing: 'lab' }, scribe)).code).toBe('invalid_wing');
    await run(writeNote, note('three'), scribe);
    expect(await index()).toEqual([['lab', 1]]);
  });

  it('has no note of the owner that claims to be written by it', async () => {
    const claim = '---\nwritten_by: scribe\n---\n# Mine\n\nPIN 4711.';
    const { refusal } = await openTestBrain({ 'wiki/lab/facts/mine.md': claim });
    const error = await refusal(writeNote, note('mine'), scribe);
    expect(error).toMatchObject({ code: 'taken', details: { path: 'wiki/lab/facts/mine.md' } });
    expect(error.details).not.toHaveProperty('content_hash');
  });

  it('is not shown what its owner added to a note of its own', async () => {
    const { run, vault, files } = await openTestBrain(FILES);
    const pages = [{ title: 'Well', content: '# Well\n\nTwelve metres.' }];
    const ask = { source: 'https://example.org/well', pages };
    await run(ingestPages, { ...ask, source: 'https://example.org/first' }, scribe);
    const path = [...files.keys()].find((each) => each.startsWith('raw/') && each.includes('well')) ?? '';
    vault.outside(path, (files.get(path) ?? '').replace('---\n', '---\nphone: 4711\n'));
    const answer = await run(ingestPages, { ...ask, dry_run: true }, scribe);
    expect(answer.pages.map(({ status }) => status)).toEqual(['duplicate']);
    expect(JSON.stringify(answer)).not.toContain('4711');
  });
});
