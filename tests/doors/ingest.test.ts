import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type LiveServer, startLiveServer } from '../support/live-server';

let server: LiveServer;
beforeAll(async () => {
  server = await startLiveServer({ 'wiki/net/facts/clip.md': '---\nurl: https://e.org/clip\n---\n# Clip\n' });
});
afterAll(() => server.stop());

const TEXT = '# Größe\n\nA text of the web.\n';

it('takes a text, keeps it byte for byte, and answers `unchanged` when it comes again', async () => {
  const answer = await server.http('POST', '/ingest', { text: TEXT, source: 'https://e.org' });
  expect([answer.status, answer.body]).toEqual([
    200,
    expect.objectContaining({ extraction: 'passthrough', counts: expect.objectContaining({ written: 1 }) }),
  ]);
  expect(await readFile(join(server.root, String(answer.body.original)), 'utf8')).toBe(TEXT);
  const before = await server.snapshot();
  const again = await server.http('POST', '/ingest', { text: TEXT, source: 'https://e.org' });
  expect([again.status, again.body.extraction]).toEqual([200, 'unchanged']);
  expect(await server.snapshot()).toEqual(before);
});

it('changes nothing in a dry run, nor for a batch of which one page is bad', async () => {
  const before = await server.snapshot();
  const pages = [
    { title: 'Good', content: 'See [[Bad]].' },
    { title: 'Bad', content: 'x', slug: 'a/b' },
  ];
  const bad = await server.http('POST', '/ingest-raw', { pages });
  expect([bad.status, bad.body.error]).toEqual([
    400,
    expect.objectContaining({
      code: 'invalid_field',
      details: { field: 'pages', pages: [expect.objectContaining({ index: 1, code: 'invalid_slug' })] },
    }),
  ]);
  for (const [path, body] of [
    ['/ingest', { text: 'Other text.' }],
    ['/ingest-raw', { pages: pages.slice(0, 1) }],
    ['/backfill-refs', {}],
  ] as const) {
    expect((await server.http('POST', path, { ...body, dry_run: true })).status).toBe(200);
  }
  expect(await server.snapshot()).toEqual(before);
});

it('takes a batch of pages', async () => {
  const answer = await server.http(
    'POST',
    '/ingest-raw',
    { pages: [{ title: 'A page', content: 'Words.' }], destination: 'wiki', wing: 'net', hall: 'facts' },
    'proposer',
  );
  expect([answer.status, answer.body]).toEqual([
    200,
    expect.objectContaining({ extraction: 'structured', destination: 'raw', warnings: [expect.any(String)] }),
  ]);
});

it('takes more than other routes do, and refuses what is too much', async () => {
  const text = `# Long\n\n${'word '.repeat(2_000_000)}`;
  const answer = await server.http('POST', '/ingest', { text });
  expect([answer.status, answer.body.warnings]).toEqual([200, [expect.stringMatching(/first 2,000,000/)]]);
  const kept = await readFile(join(server.root, String(answer.body.original)), 'utf8');
  expect(kept).toBe(text);
  const tooLong = await server.http('POST', '/ingest', { text: 'x'.repeat(33 * 1024 * 1024) });
  expect(tooLong.status).toBe(413);
}, 60_000);

it('adds references that are proved', async () => {
  const refused = await server.http('POST', '/backfill-refs', {}, 'proposer');
  expect(refused.status).toBe(403);
  const answer = await server.http('POST', '/backfill-refs', { wing: 'net' });
  expect([answer.status, answer.body]).toEqual([
    200,
    expect.objectContaining({
      changes: [{ path: 'wiki/net/facts/clip.md', added: ['https://e.org/clip'], evidence: ['property'] }],
    }),
  ]);
});

it.each(['/ingest', '/ingest-raw', '/backfill-refs'])('%s is asked by POST', async (path) => {
  const answer = await server.http('GET', path);
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
});
