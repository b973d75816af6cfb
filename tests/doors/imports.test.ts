import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type LiveServer, startLiveServer } from '../support/live-server';

const FILES: Readonly<Record<string, string>> = {
  'Alpha.md': '# Alpha\r\n\r\nSee [[Beta]], [the page](page.html) and ![[pic.png]]. A yellow quagga.\r\n',
  'Deep/Beta.md': '---\ntags: [x]\n---\nBack to [[Alpha]]. The zebra crossing.\n',
  'Deep/pic.png': '\u0000PNG\u0001',
  'page.html':
    '<html><head><title>Page</title></head><body><p>A story of an okapi, with <a href="Alpha.md">a link</a>.</p></body></html>',
  'data.json': '{"a":1}',
};

let live: LiveServer;
let before: Record<string, string>;
beforeAll(async () => {
  live = await startLiveServer({ 'Own/Beta.md': '# Beta\n\nThe other one.\n' });
  before = await notes();
});
afterAll(() => live.stop());

/** The files of the vault without the state of the service. */
async function notes(): Promise<Record<string, string>> {
  const all = Object.entries(await live.snapshot());
  return Object.fromEntries(all.filter(([at]) => !at.startsWith('.brain')));
}

async function send(batch: string, name: string, bytes: string, offset?: number) {
  const query = new URLSearchParams({ batch, name, ...(offset !== undefined && { offset: String(offset) }) });
  const answer = await fetch(`${live.url}/ingest-batch/file?${query}`, {
    method: 'POST',
    headers: { authorization: 'Bearer ada' },
    body: bytes,
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

async function post(to: string, body: object, token = 'ada') {
  return live.http('POST', to, body, token);
}

/** Opens an import and sends its files. */
async function open(said: object, files = FILES): Promise<string> {
  const { body, status, text } = await post('/imports', said);
  expect({ status, text }).toMatchObject({ status: 200 });
  const batch = String(body.batch);
  for (const [name, text] of Object.entries(files)) expect((await send(batch, name, text)).status).toBe(200);
  return batch;
}

async function search(query: string, token = 'ada'): Promise<{ path: string; import?: string }[]> {
  const { body } = await post('/query', { query }, token);
  return (body.results as { path: string; import?: string }[]).map(({ path: at, import: from }) => ({
    path: at,
    ...(from !== undefined && { import: from }),
  }));
}

it('previews, imports, finds, takes back and puts back what a person brings', async () => {
  const batch = await open({ name: 'old life' });
  const preview = await post('/ingest-batch/done', { batch, dry_run: true });
  expect(preview.body.import).toMatchObject({
    name: 'old life',
    state: 'preview',
    pages: 3,
    files: 3,
    folders: [
      { folder: '', pages: 2 },
      { folder: 'Deep', pages: 1, wing: 'deep' },
    ],
    findings: [],
  });
  expect(await notes()).toEqual(before);

  const done = await post('/ingest-batch/done', { batch });
  expect(done.body.import).toMatchObject({
    name: 'old life',
    folder: 'imports/old life',
    state: 'imported',
    pages: 3,
  });
  const read = (at: string) => readFile(path.join(live.root, 'imports/old life', at), 'utf8');
  // Where links open what they mean, no byte changes; the other note "Beta" would be opened by its name.
  expect(await read('Deep/Beta.md')).toBe(FILES['Deep/Beta.md']);
  expect(await read('Alpha.md')).toBe(
    '# Alpha\r\n\r\nSee [[Deep/Beta|Beta]], [the page](page.html) and ![[pic.png]]. A yellow quagga.\r\n',
  );
  expect(await read('page.md')).toContain('an okapi, with [a link](Alpha.md)');
  expect(await read('page.md')).toContain('original: "[[page.html]]"');
  for (const at of ['Deep/pic.png', 'page.html', 'data.json']) expect(await read(at)).toBe(FILES[at]);

  expect(await search('quagga', 'reader')).toEqual([
    { path: 'imports/old life/Alpha.md', import: 'old life' },
  ]);
  const refused = await post(
    '/update',
    { path: 'imports/old life/Alpha.md', content: 'Mine now.', reason: 'better' },
    'laptop',
  );
  expect(refused.body).toMatchObject({ error: { code: 'not_ours' } });

  // Nobody has reviewed what was only brought.
  const note = await live.http('GET', `/note?${new URLSearchParams({ path: 'imports/old life/Alpha.md' })}`);
  expect(note.body).toMatchObject({ status: 'vault', reviewed: null });

  const taken = await post('/imports/take-back', { name: 'old life' });
  expect(taken.body.import).toMatchObject({ state: 'taken_back', pages: 3, files: 3 });
  expect(await notes()).toEqual(before);
  expect(await search('quagga')).toEqual([]);

  const back = await post('/imports/take-back', { name: 'old life', undo: true });
  expect(back.body.import).toMatchObject({ state: 'imported' });
  expect(await read('Deep/pic.png')).toBe(FILES['Deep/pic.png']);
  expect(await read('Deep/Beta.md')).toBe(FILES['Deep/Beta.md']);
  await post('/imports/take-back', { name: 'old life' });
  expect(await notes()).toEqual(before);
});

it('puts nothing back whose bytes are gone, and no empty note', async () => {
  const files = { 'a.md': 'An axolotl.\n', 'p.png': 'PNG' };
  await post('/ingest-batch/done', { batch: await open({ name: 'gone' }, files) });
  await post('/imports/take-back', { name: 'gone' });
  const taken = await notes();
  await rm(path.join(live.root, '.brain/local.testtest/imports'), { recursive: true });
  const { body } = await post('/imports/take-back', { name: 'gone', undo: true });
  expect(body).toMatchObject({ error: { code: 'source_missing' } });
  expect(await notes()).toEqual(taken);
});

it('leaves what was changed since when an import is taken back', async () => {
  const batch = await open({ name: 'letters' }, { 'a.md': 'First text.\n', 'b.md': 'Second text.\n' });
  await post('/ingest-batch/done', { batch });
  await writeFile(path.join(live.root, 'imports/letters/a.md'), 'A person wrote on.\n');
  const taken = await post('/imports/take-back', { name: 'letters' });
  expect(taken.body.import).toMatchObject({ undone: [{ path: 'imports/letters/a.md' }] });
  const left = Object.keys(await notes()).filter((at) => at.startsWith('imports/letters/'));
  expect(left).toEqual(['imports/letters/a.md']);
});

it('adds what is new when an import is repeated, and shows what differs', async () => {
  const first = { 'a.md': 'An aardvark.\n', 'b.md': 'A badger.\n' };
  await post('/ingest-batch/done', { batch: await open({ name: 'months' }, first) });
  const later = { ...first, 'b.md': 'A better badger.\n', 'c.md': 'A civet.\n' };
  const batch = await open({ name: 'months', again: true }, later);
  const { body } = await post('/ingest-batch/done', { batch });
  expect(body.import).toMatchObject({
    pages: 1,
    unchanged: 1,
    different: [{ from: 'b.md', path: 'imports/months/b.md' }],
  });
  const other = await post('/imports', { name: 'Months' });
  expect(other.body.name).toBe('Months-2');
  await live.http('DELETE', `/ingest-batch?batch=${String(other.body.batch)}`, undefined, 'ada');
  await post('/imports/take-back', { name: 'months' });
  expect(Object.keys(await notes()).filter((at) => at.startsWith('imports/months'))).toEqual([]);
});

it('makes harmless what would act, unless the person keeps it', async () => {
  const files = { 'a.md': '# A\n\n```dataviewjs\nevil()\n```\n' };
  const preview = await post('/ingest-batch/done', {
    batch: await open({ name: 'mine' }, files),
    dry_run: true,
  });
  expect(preview.body.import).toMatchObject({ findings: [{ from: 'a.md' }] });
  await post('/ingest-batch/done', { batch: await open({ name: 'tame' }, files) });
  expect(await readFile(path.join(live.root, 'imports/tame/a.md'), 'utf8')).not.toContain('```dataviewjs');
  await post('/ingest-batch/done', { batch: await open({ name: 'wild', keep: true }, files) });
  expect(await readFile(path.join(live.root, 'imports/wild/a.md'), 'utf8')).toBe(files['a.md']);
});

it('shows an import that is only for its owner to no token', async () => {
  const files = { 'diary.md': 'The secret wombat of May.\n' };
  await post('/ingest-batch/done', { batch: await open({ name: 'diary', only_me: true }, files) });
  expect(await search('wombat')).toHaveLength(1);
  for (const token of ['reader', 'laptop', 'curator']) expect(await search('wombat', token)).toEqual([]);
  const note = await live.http('GET', '/note?path=imports/diary/diary.md', undefined, 'reader');
  expect(note.body).toMatchObject({ error: { code: 'note_not_found' } });
});

it('adopts a folder of an import into its wing', async () => {
  const files = {
    'Garden/Soil.md': '# Soil\n\nClay.\n',
    'Garden/Water.md': '# Water\n\nSee [[Soil]].\n',
    'x.md': 'X.\n',
  };
  await post('/ingest-batch/done', { batch: await open({ name: 'notebook' }, files) });
  const { body } = await post('/imports/adopt', { name: 'notebook', folder: 'Garden' });
  expect(body).toMatchObject({ counts: { adopted: 2, failed: 0 } });
  const there = Object.keys(await notes());
  expect(there).toContain('wiki/garden/sources/Soil.md');
  expect(there).toContain('imports/notebook/x.md');
  const shown = await live.http('GET', '/imports?name=notebook', undefined, 'ada');
  expect(shown.body).toMatchObject({
    imports: [{ entries: [{ state: 'gone' }, { state: 'gone' }, { state: 'there' }] }],
  });
});

it('refuses callers that do not act for the owner, and parts that do not follow', async () => {
  for (const to of ['/imports', '/imports/take-back', '/imports/adopt']) {
    const { status, body } = await post(to, { name: 'x' }, 'curator');
    expect({ status, body }).toMatchObject({ status: 403, body: { error: { code: 'forbidden_scope' } } });
  }
  expect((await live.http('GET', '/imports', undefined, 'reader')).status).toBe(403);
  expect((await post('/imports/take-back', { name: 'nothing' })).body).toMatchObject({
    error: { code: 'not_found' },
  });
  const batch = await open({ name: 'parts' }, {});
  expect((await send(batch, 'a.md', '# A\n')).body).toMatchObject({ size: 4 });
  expect((await send(batch, 'a.md', 'late', 7)).body).toMatchObject({
    error: { code: 'hash_mismatch', details: { offset: 4 } },
  });
  expect((await send(batch, 'a.md', 'More.\n', 4)).body).toMatchObject({ size: 10 });
  const { body } = await post('/ingest-batch/done', { batch, dry_run: true });
  expect(body.import).toMatchObject({ pages: 1, bytes: 10 });
  expect((await post('/ingest-batch/done', { batch: await open({ name: 'none' }, {}) })).body).toMatchObject({
    error: { code: 'empty_content' },
  });
});
