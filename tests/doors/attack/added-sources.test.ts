import { type LiveServer, startLiveServer } from '../../support/live-server';

/** Whoever sends a text that stands already adds its source to a note of others: that is a deed like any other. */
const NOTE = '---\norigin: obsidian\nwritten_by: me\n---\n# MTU\n\nWireGuard wants 1420.\n';
const PATH = 'wiki/net/facts/mtu.md';
const AGENT = 'laptop';

let server: LiveServer;
const serve = async (note = NOTE, more: Readonly<Record<string, string>> = {}) => {
  server = await startLiveServer({ [PATH]: note, ...more }, { rateLimit: 0 });
};
afterEach(async () => server.stop());

const text = async (path = PATH) => (await server.snapshot())[path] ?? '';
const page = { title: 'MTU', content: 'WireGuard wants 1420.' };
const SOURCE = 'https://e.org/mtu';
const raw = (source: string, token = AGENT) =>
  server.http('POST', '/ingest-raw', { pages: [page], source }, token);
const undo = async (by = AGENT) => {
  const asked = { by, since: '1d' };
  const { body: seen } = await server.http('POST', '/undo', { ...asked, dry_run: true });
  const done = await server.http('POST', '/undo', { ...asked, plan: seen.plan });
  expect(done.status).toBe(200);
  return done.body;
};

/** Every door by which a source comes to a note that stands. */
const DOORS: Readonly<Record<string, () => Promise<unknown>>> = {
  'POST /ingest-raw': () => raw(SOURCE),
  'POST /ingest': () =>
    server.http('POST', '/ingest', { text: '# MTU\n\nWireGuard wants 1420.\n', source: SOURCE }, AGENT),
  brain_ingest: async () => {
    const client = await server.mcp(AGENT);
    return client.callTool({
      name: 'brain_ingest',
      arguments: { text: '# MTU\n\nWireGuard wants 1420.\n', source: SOURCE },
    });
  },
};

it.each(Object.keys(DOORS))(
  '%s leaves the stamps of the text, and an entry in its history that names the caller',
  async (door) => {
    await serve();
    await DOORS[door]?.();
    const added = await text();
    expect(added).toContain(SOURCE);
    expect(added).toContain('origin: obsidian\nwritten_by: me\n');
    expect(added).not.toMatch(/updated_at|supersedes/);
    const { body } = await server.http('GET', `/history?path=${PATH}`);
    const who = expect.stringContaining(AGENT) as unknown;
    expect(body).toMatchObject({
      versions: [
        { reason: expect.stringMatching(/^Source added: .*e\.org/) as unknown, written_by: who },
        { written_by: 'me' },
      ],
    });
    const versions = body.versions as { hash: string }[]; // as matched above
    const former = await server.http('GET', `/history?hash=${versions[1]?.hash ?? ''}`);
    expect(former.body).toMatchObject({ content: NOTE });

    const done = await undo();
    expect(done).toMatchObject({ items: [{ action: 'sources', path: PATH }] });
    expect(await text()).toBe(NOTE);
    await server.http('POST', '/undo/back', { undo: done.undo });
  },
);

it('takes out only its own element when the note was changed since, and nothing that others added', async () => {
  await serve();
  await raw(SOURCE);
  await raw('https://e.org/of-another', 'curator');
  await raw('https://e.org/second');
  const update = { path: PATH, content: '# MTU\n\nIt wants 1420 bytes.\n', reason: 'clearer' };
  expect((await server.http('POST', '/update', update, 'owner')).status).toBe(200);
  const done = await undo();
  expect(done).toMatchObject({ items: [{ action: 'sources', path: PATH }], left: [] });
  const now = await text();
  expect(now).toContain('It wants 1420 bytes.');
  expect(now).toContain('https://e.org/of-another');
  expect(now).not.toContain(SOURCE);
  expect(now).not.toContain('https://e.org/second');
  expect(await undo()).toMatchObject({ count: 0 });
});

it('gives back the text without the source, where the writer has changed the text after it', async () => {
  await serve();
  await raw(SOURCE);
  const update = { path: PATH, content: '# MTU\n\nWrong.\n', reason: 'better' };
  expect((await server.http('POST', '/update', update, AGENT)).status).toBe(200);
  await undo();
  expect(await text()).toContain('WireGuard wants 1420.');
  expect(await text()).not.toContain(SOURCE);
});

it('follows a note that was promoted since', async () => {
  const queued = 'raw/2026-11-19-mtu.md';
  server = await startLiveServer({ [queued]: NOTE }, { rateLimit: 0 });
  await raw(SOURCE);
  expect(await text(queued)).toContain(SOURCE);
  const promote = { path: queued, wing: 'net', hall: 'facts', slug: 'mtu' };
  expect((await server.http('POST', '/promote', promote)).status).toBe(200);
  expect(await undo()).toMatchObject({ items: [{ action: 'sources', path: PATH }] });
  expect(await text()).not.toContain(SOURCE);
});

it.each([
  ['of a token that may only propose', NOTE, 'proposer'],
  ['to a note that is locked', NOTE.replace('---\n', '---\nlocked: true\n'), AGENT],
])('adds no source %s', async (_, note, token) => {
  await serve(note);
  const { status, body } = await raw(SOURCE, token);
  expect(status).toBe(200);
  const warnings = [expect.stringContaining(`The source was not added to ${PATH}`) as unknown];
  expect(body).toMatchObject({ pages: [{ status: 'duplicate', warnings }] });
  expect(await text()).toBe(note);
  expect(await undo(token)).toMatchObject({ count: 0 });
});

it('does not touch a note that was locked since', async () => {
  await serve();
  await raw(SOURCE);
  const added = await text();
  const update = { path: PATH, content: '# MTU\n\nx\n', reason: 'x', frontmatter: { locked: true } };
  await server.http('POST', '/update', update, 'owner');
  const now = await text();
  expect(now).not.toBe(added);
  const { body } = await server.http('POST', '/undo', { by: AGENT, since: '1d', dry_run: true });
  if (now.includes('locked')) expect(body).toMatchObject({ count: 0, left: [{ reason: 'locked' }] });
});

it('knows what backfill-refs has added', async () => {
  const note = `${NOTE}\nSource: ${SOURCE}\n`;
  await serve(note);
  expect((await server.http('POST', '/backfill-refs', {}, AGENT)).body).toMatchObject({ updated: 1 });
  const { body } = await server.http('GET', `/history?path=${PATH}`);
  expect(body).toMatchObject({ versions: [{ written_by: AGENT }, { written_by: 'me' }] });
  expect(await undo()).toMatchObject({ items: [{ action: 'sources', path: PATH }] });
  expect(await text()).toBe(note);
});
