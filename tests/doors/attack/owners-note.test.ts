import { type LiveServer, startLiveServer } from '../../support/live-server';

/**
 * Notes of the owner, inside the folders of the service and outside, against every call of a token that does not act for the owner:
 * none of them may change by a byte. Every answer is a refusal, or a success that left them out.
 */
const DIARY = 'Own/diary.md';
const OURS = '---\norigin: mcp\nwritten_by: claude\n---\n';
const OWNERS: Readonly<Record<string, string>> = {
  [DIARY]: '# Diary\n\nDear diary.\n',
  'Own/list.md': 'See [[Own/diary]] and [[raw/2026-11-20-idea]] and [[wiki/net/facts/ours]].\n',
  'wiki/page.md': '# Page\n\nThere before the service.\n\nSource: https://example.org/page\n',
  'wiki/net/facts/hand.md':
    '---\nwing: net\nhall: facts\npromoted_at: 2026-01-01T00:00:00Z\nsource: https://example.org/hand\n---\n# Hand made\n\nSee [[raw/2026-11-20-idea]].\n',
  'wiki/net/facts/jane.md': '---\norigin: mcp\nwritten_by: Jane\n---\n# Jane\n\nSigned by a person.\n',
  'wiki/net/facts/screen.md':
    '---\norigin: web\nwritten_by: human:me\npromoted_at: 2026-01-01T00:00:00Z\npromoted_by: human:me\n---\n# Screen\n\nWritten on the page.\n',
  'knowledge/sub/deep.md': '# Deep\n\nThere before the service too.\n',
};
const FILES = {
  ...OWNERS,
  'wiki/own/_index.md': '# My own wing\n',
  'wiki/own/facts/mine.md': '# Mine\n\nThere before the service.\n',
  'wiki/net/facts/ours.md': `${OURS}# Ours\n\nWritten by an agent.\n`,
  'wiki/lab/facts/hand.md': `${OURS}# Hand made\n\nThe same room.\n`,
  'wiki/net/facts/broken.md': `---\norigin: mcp\nwritten_by: claude\ntitle: "a\n---\n# Broken\n`,
  'raw/2026-11-20-idea.md': `${OURS}# Idea\n\nAn idea.\n`,
  'raw/2026-11-21-more.md': `${OURS}# More\n\nMore text.\n`,
};

const inside = Object.keys(OWNERS).filter((path) => /^(?:wiki|knowledge)\//.test(path));

let server: LiveServer;
beforeEach(async () => {
  server = await startLiveServer(FILES, { rateLimit: 0, watch: false });
});
afterEach(() => server.stop());

const post = (path: string, body: unknown, token = 'curator') => server.http('POST', path, body, token);

async function ownersNow(): Promise<Record<string, string | undefined>> {
  const files = await server.snapshot();
  return Object.fromEntries(
    Object.keys(OWNERS).map((path) => [path, files[path] && Buffer.from(files[path], 'latin1').toString()]),
  );
}

it('a reviewing agent cannot adopt, change and give back the diary', async () => {
  const before = await server.snapshot();
  for (const dry_run of [true, false])
    expect(await post('/adopt', { path: DIARY, wing: 'own', hall: 'facts', dry_run })).toMatchObject({
      status: 403,
      body: { error: { code: 'forbidden_scope' } },
    });
  expect(await server.snapshot()).toEqual(before);
});

it.each(inside)('%s is changed by no route', async (path) => {
  const content = '# Mine now\n\nThe agent says so.\n';
  const [, wing, hall] = path.split('/');
  const refused: [string, Record<string, unknown>][] = [
    ['/update', { path, content, reason: 'x' }],
    ['/update', { path, content, reason: 'x', dry_run: true }],
    ['/confirm', { path }],
    ['/replace', { path: 'raw/2026-11-20-idea.md', replaces: path, reason: 'x' }],
    ['/replace', { path: 'raw/2026-11-20-idea.md', replaces: path, reason: 'x', dry_run: true }],
  ];
  const slug = path.slice(path.lastIndexOf('/') + 1, -'.md'.length);
  if (hall === 'facts') refused.push(['/write', { wing, hall, slug, content, overwrite: true }]);
  for (const [route, body] of refused)
    expect([route, await post(route, body)]).toMatchObject([
      route,
      {
        status: 403,
        body: { error: { code: 'not_ours', message: expect.stringContaining('note of the owner') } },
      },
    ]);
  for (const [route, body] of [
    ['/move', { path, hall: 'decisions' }],
    ['/unpromote', { path }],
    ['/edit-root', { content, reason: 'x' }],
  ] as const)
    await post(route, body);
  expect(await ownersNow()).toEqual(OWNERS);
});

it('keeps its links when an agent promotes and takes back, and the answer lists it', async () => {
  const promoted = await post('/promote', { path: 'raw/2026-11-20-idea.md', wing: 'net', hall: 'facts' });
  expect(promoted.status).toBe(200);
  for (const path of ['Own/list.md', 'wiki/net/facts/hand.md'])
    expect(promoted.body.warnings).toContain(
      `${path} is a note of the owner; its link to the moved note was left as it is.`,
    );
  expect((await post('/unpromote', { path: promoted.body.path })).status).toBe(200);
  expect(await ownersNow()).toEqual(OWNERS);
});

it('gets no source, reference or tunnel by an agent, and the answer says so', async () => {
  const { text: ingested } = await post('/ingest-raw', {
    source: 'https://example.org/new',
    pages: [{ title: 'Deep', content: '# Deep\n\nThere before the service too.\n' }],
  });
  expect(ingested).toContain('The source was not added to knowledge/sub/deep.md: it is a note of the owner.');
  const { body } = await post('/backfill-refs', {});
  expect(body.errors).toContainEqual({
    path: 'wiki/net/facts/hand.md',
    error: 'It is a note of the owner, so https://example.org/hand was not added.',
  });
  expect((await post('/tunnels', {})).body.warnings).toContain(
    'wiki/net/facts/hand.md is a note of the owner; its list of tunnels was left as it is.',
  );
  await post('/index', {});
  await post('/write', { wing: 'net', hall: 'facts', content: '# New\n\nA new note.\n' }, 'laptop');
  expect(await ownersNow()).toEqual(OWNERS);
});

it('is left out of an undo by an agent, and of taking that back', async () => {
  const update = { path: 'wiki/net/facts/screen.md', content: '# Screen\n\nAgain.\n', reason: 'x' };
  expect((await post('/update', update, 'ada')).status).toBe(200);
  const before = await server.snapshot();
  const scope = { by: 'human:ada', since: '2000-01-01' };
  const { body } = await post('/undo', { ...scope, dry_run: true });
  expect(body).toMatchObject({
    items: [],
    left: [{ path: 'wiki/net/facts/screen.md', reason: 'not_ours' }],
  });
  await post('/undo', { ...scope, plan: body.plan });
  const after = await server.snapshot();
  expect(after['wiki/net/facts/screen.md']).toBe(before['wiki/net/facts/screen.md']);
});

it('keeps every version when its owner adopts, edits and gives it back, by both paths and in undo', async () => {
  const owner = (path: string, body: unknown) => post(path, body, 'ada');
  const { body: adopted } = await owner('/adopt', { path: DIARY, wing: 'own', hall: 'facts' });
  for (const n of [1, 2]) {
    expect((await post('/update', { path: adopted.path, content: 'Mine.', reason: 'x' })).body).toMatchObject(
      {
        error: { code: 'not_ours' },
      },
    );
    const update = { path: adopted.path, content: `# Diary\n\nEdit ${n}.\n`, reason: 'more' };
    expect((await owner('/update', update)).status).toBe(200);
  }
  expect((await post('/unpromote', { path: adopted.path })).status).toBe(403);
  expect(await owner('/unpromote', { path: adopted.path })).toMatchObject({
    status: 200,
    body: { path: DIARY },
  });
  for (const path of [DIARY, String(adopted.path)]) {
    const { body } = await server.http('GET', `/history?path=${encodeURIComponent(path)}`);
    const texts: string[] = [];
    for (const { hash } of body.versions as { hash: string }[])
      texts.push(String((await server.http('GET', `/history?hash=${hash}`)).body.body));
    expect([path, texts.map((each) => each.trim())]).toEqual([
      path,
      ['Edit 2.', 'Edit 2.', 'Edit 1.', 'Dear diary.', 'Dear diary.'].map((words) => `# Diary\n\n${words}`),
    ]);
  }
  const scope = { by: 'human:ada', since: '2000-01-01' };
  const { body: found } = await post('/undo', { ...scope, dry_run: true }, 'owner');
  expect(found.items).toMatchObject([{ action: 'revert', path: DIARY }]);
  expect((await post('/undo', { ...scope, plan: found.plan }, 'owner')).status).toBe(200);
  expect(await ownersNow()).toEqual(OWNERS);
});

it('is told over MCP as over HTTP', async () => {
  const client = await server.mcp('laptop');
  const answer = await client.callTool({
    name: 'brain_update',
    arguments: { path: 'knowledge/sub/deep.md', content: 'Mine.', reason: 'x' },
  });
  expect(answer).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('not_ours') }] });
  expect(await ownersNow()).toEqual(OWNERS);
});

it('keeps the index of a wing of its own, until its owner has the wing listed', async () => {
  const index = async () =>
    Buffer.from((await server.snapshot())['wiki/own/_index.md'] ?? '', 'latin1').toString();
  for (const ask of [{}, { wing: 'own' }])
    expect((await post('/index', ask, 'laptop')).body.warnings).toContain(
      'wiki/own/_index.md is a note of the owner; the list of its wing was left as it is.',
    );
  expect(await index()).toBe('# My own wing\n');
  expect((await post('/index', { wing: 'own' }, 'owner')).status).toBe(200);
  expect(await index()).toContain('mine');
});

it('answers what is wrong with front matter that cannot be read, for an agent that changes the note', async () => {
  const update = { path: 'wiki/net/facts/broken.md', content: '# Mended\n', reason: 'x' };
  expect(await post('/update', update)).toMatchObject({
    status: 400,
    body: { error: { code: 'invalid_frontmatter', message: expect.stringContaining('line ') } },
  });
});
