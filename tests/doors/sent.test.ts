import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type LiveServer, startLiveServer } from '../support/live-server';

/** What the gate made harmless in a queued note is told to who judges it, and shown as it was sent to who may review. */
let server: LiveServer;
beforeAll(async () => {
  server = await startLiveServer({ 'wiki/net/facts/mtu.md': '# MTU\n' });
});
afterAll(() => server.stop());

let made = 0;
async function proposed(content: string, more: Record<string, unknown> = {}) {
  made += 1;
  const note = { wing: 'net', hall: 'facts', slug: `note-${made}`, content, ...more };
  const { status, body } = await server.http('POST', '/write', note, 'proposer');
  expect([status, body.created]).toEqual([200, true]);
  return String(body.path);
}

async function pendingOf(path: string) {
  const { body } = await server.http('GET', `/pending?path=${path}&similar=false`, undefined, 'ada');
  return (body.pending as Record<string, unknown>[])[0] ?? {};
}

const sentOf = async (path: string, token = 'ada') =>
  server.http('GET', `/sent?path=${encodeURIComponent(path)}`, undefined, token);

const HEAD = 'first\n\n';

it.each<[what: string, content: string, rule: string, kind: string, line: number, noteLine: number | null]>([
  ['a frame', `${HEAD}<iframe src="https://example.org/"></iframe>\n`, 'active_content', 'html', 3, 3],
  ['a remote image', `${HEAD}![x](https://example.org/x.png)\n`, 'remote_embed', 'image', 3, 3],
  ['a link that runs', `${HEAD}[x](javascript:alert(1))\n`, 'unsafe_scheme', 'mdlink', 3, 3],
  ['template code', `${HEAD}Now <% tp.date.now() %>\n`, 'active_content', 'template', 3, 3],
  ['a block that runs', `${HEAD}\`\`\`dataviewjs\nx()\n\`\`\`\n`, 'active_content', 'code', 3, null],
  ['an invented link', `${HEAD}[[No such note]]\n`, 'missing', 'wikilink', 3, 3],
  ['invisible characters', `${HEAD}a\u200bb\n`, 'invisible', 'invisible', 3, 3],
  [
    'a property that acts',
    `---\ntags: [a]\nbanner: x.png\n---\n${HEAD}`,
    'active_content',
    'property',
    3,
    null,
  ],
  [
    'a frame below properties',
    `---\ntags: [a]\n---\n${HEAD}<iframe src="x"></iframe>\n`,
    'active_content',
    'html',
    6,
    3,
  ],
])('tells of %s', async (_, content, rule, kind, line, noteLine) => {
  const path = await proposed(content);
  const note = await readFile(join(server.root, path), 'utf8');
  const entry = await pendingOf(path);
  expect(entry.risks).toContain('made_harmless');
  expect(entry.made_harmless).toMatchObject({ changed: false });
  const { count, findings } = entry.made_harmless as { count: number; findings: unknown[] };
  expect([count > 0, findings[0]]).toMatchObject([true, { rule, kind, line }]);

  const { status, body } = await sentOf(path);
  expect(status).toBe(200);
  expect(body).toMatchObject({
    path,
    content_hash: entry.content_hash,
    text: content,
    count,
    bytes: Buffer.byteLength(content),
    warnings: [],
  });
  expect((body.findings as unknown[])[0]).toMatchObject({ rule, kind, line });
  expect(body).not.toHaveProperty('fields');
  if (noteLine === null) return;
  const [finding] = body.findings as { note_line?: number }[];
  const inBody = note.slice(note.indexOf('\n---\n') + 5).split('\n')[noteLine - 1];
  expect(note.split('\n')[(finding?.note_line ?? 0) - 1]).toBe(inBody);
});

it('says nothing of a note in which the gate changed nothing but the form of a link', async () => {
  const path = await proposed('See [[mtu]].\n');
  const entry = await pendingOf(path);
  expect([entry.risks, entry.made_harmless]).toEqual([[], undefined]);
  const { status, body } = await sentOf(path);
  expect([status, body.error]).toMatchObject([404, { code: 'note_not_found' }]);
});

const BAD = `# Way\n\n${'Words of this way. '.repeat(3)}\n\n![x](https://example.org/secret-word.png)\n`;

it.each<[way: string, send: () => Promise<string>]>([
  [
    'a capture',
    async () => pathOf(await server.http('POST', '/capture', { text: BAD, hall: 'facts' }, 'proposer')),
  ],
  [
    'an answer of an agent that may write',
    async () => pathOf(await server.http('POST', '/capture', { text: `${BAD}1`, wing: 'net' }, 'laptop')),
  ],
  [
    'a text of a person',
    async () => pathOf(await server.http('POST', '/capture', { text: `${BAD}2`, wing: 'net' }, 'ada')),
  ],
  ['an ingest', async () => pageOf(await server.http('POST', '/ingest', { text: `${BAD}4` }, 'laptop'))],
  [
    'pages',
    async () =>
      pageOf(
        await server.http(
          'POST',
          '/ingest-raw',
          { pages: [{ title: 'P', content: `${BAD}5` }], destination: 'raw' },
          'laptop',
        ),
      ),
  ],
  [
    'a revision',
    async () => {
      const path = await proposed('fine\n');
      const revised = await server.http('POST', '/update', { path, content: BAD, reason: 'r' }, 'ada');
      expect(revised.status).toBe(200);
      return path;
    },
  ],
])('keeps what comes in by %s', async (_, send) => {
  const path = await send();
  expect(path).toMatch(/^raw\//);
  expect((await pendingOf(path)).risks).toContain('made_harmless');
  const { body } = await sentOf(path);
  expect(body.text).toContain('![x](https://example.org/secret-word.png)');
  const image =
    String(body.text)
      .split('\n')
      .findIndex((line) => line.startsWith('![x]')) + 1;
  expect(body.findings).toMatchObject([{ rule: 'remote_embed', line: image }]);
});

function pathOf({ status, body }: { status: number; body: Record<string, unknown> }): string {
  expect([status, body]).toMatchObject([200, { path: expect.any(String) }]);
  return String(body.path);
}

function pageOf({ status, body }: { status: number; body: Record<string, unknown> }): string {
  expect([status, body.pages]).toMatchObject([200, [{ status: 'written' }]]);
  return String((body.pages as { path: string }[])[0]?.path);
}

it('keeps the fields of a call as they were sent', async () => {
  const path = await proposed('fine text\n', { frontmatter: { cover: 'https://example.org/x.png', n: 1 } });
  const { body } = await sentOf(path);
  expect(body).toMatchObject({
    text: 'fine text\n',
    fields: { cover: 'https://example.org/x.png', n: 1 },
    findings: [{ kind: 'property', target: 'cover' }],
  });
  expect((body.findings as object[])[0]).not.toHaveProperty('line');
});

it('names at most twenty places of a note in the list, and all that the gate names with the text', async () => {
  const content = Array.from({ length: 60 }, (_, at) => `[[nothing ${at}]]\n`).join('');
  const path = await proposed(content);
  const { made_harmless: told } = await pendingOf(path);
  expect(told).toMatchObject({ count: 60 });
  const { findings } = told as { findings: { line: number }[] };
  expect(findings.map(({ line }) => line)).toEqual(Array.from({ length: 20 }, (_, at) => at + 1));
  expect((await sentOf(path)).body.findings).toHaveLength(60);
});

it.each([
  ['reader', 'review'],
  ['laptop', 'review'],
  ['proposer', 'review'],
  ['janitor', 'read'],
])('shows nothing to the token "%s", which has not the scope "%s"', async (token, scope) => {
  const path = await proposed(BAD);
  const { status, body } = await sentOf(path, token);
  expect([status, body.error]).toMatchObject([403, { code: 'forbidden_scope', details: { scope } }]);
});

it.each([
  ['', 400, 'missing_field'],
  ['path=', 400, 'path_not_allowed'],
  ['path=../x.md', 400, 'path_not_allowed'],
  ['path=raw/none.md', 404, 'note_not_found'],
  ['path=wiki/net/facts/mtu.md', 404, 'note_not_found'],
  ['path=raw/none.md&more=1', 400, 'unknown_field'],
])('refuses "%s"', async (query, status, code) => {
  const answer = await server.http('GET', `/sent?${query}`, undefined, 'ada');
  expect([answer.status, answer.body.error]).toMatchObject([status, { code }]);
});

it('serves what was sent nowhere else', async () => {
  const path = await proposed(
    '# Hidden\n\nA picture: ![zyxpicture](https://example.org/z.png) and zyx\u200bword.\n',
  );
  const { body } = await sentOf(path);
  expect(body.text).toMatch(/!\[zyxpicture.*zyx\u200bword/);
  const sentHash = String(body.content_hash);
  const [file = ''] = (await readdir(join(server.root, '.brain'), { recursive: true })).filter((name) =>
    name.endsWith(`${sentHash}.jsonl`),
  );
  expect(file.replaceAll('\\', '/')).toMatch(/^local\.testtest\/door\//);
  const asked = await Promise.all([
    server.http('POST', '/query', { query: 'zyxpicture', include_raw: true }, 'curator'),
    server.http('GET', `/note?path=${path}`, undefined, 'curator'),
    server.http('GET', `/note?path=.brain/${encodeURIComponent(file)}`, undefined, 'curator'),
    server.http('GET', `/file?path=.brain/${encodeURIComponent(file)}`, undefined, 'curator'),
    server.http('GET', `/history?path=${path}`, undefined, 'curator'),
    server.http('POST', '/answer', { query: 'What is zyxpicture?' }, 'curator'),
    server.http('GET', `/pending?path=${path}`, undefined, 'curator'),
  ]);
  for (const { text } of asked) expect(text).not.toMatch(/!\[zyxpicture|zyx\u200bword/);
});
