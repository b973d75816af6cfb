import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type LiveServer, startLiveServer } from '../../support/live-server';
import { connectStateless, type Posted, post, request } from './stateless-support';

const NOTE =
  '---\nwing: homelab\nhall: facts\norigin: mcp\nwritten_by: laptop (codex 1)\n---\n# MTU\n\nWireGuard wants 1420.\n';
const FILES = {
  'AGENTS.md': '# How we work\n\nSearch first.\n',
  'wiki/homelab/facts/mtu.md': NOTE,
  'wiki/homelab/facts/größe und maß.md': '# Größe\n\nÜber Maße.\n',
  'wiki/Garten & Hof/facts/tomaten.md': '# Tomaten\n\nSüdseite.\n',
  'raw/2026-11-01-idea.md': '# Idea\n\nMaybe.\n',
  'raw/rejected/2026-11-01-no.md': '# No\n\nNever.\n',
  'private/diary.md': '# Diary\n\nSecret.\n',
};

let server: LiveServer;
beforeAll(async () => {
  server = await startLiveServer(FILES, { exclude: ['private'] });
  await server.http('POST', '/index', {});
});
afterAll(() => server.stop());

/** Both eras ask for the same; each answers in its own frame. */
const ERAS = ['2025-11-25', '2026-07-28'] as const;

async function ask(
  era: (typeof ERAS)[number],
  method: string,
  params: Record<string, unknown> = {},
  token = 'reader',
): Promise<Record<string, unknown>> {
  const headers = { Authorization: `Bearer ${token}` };
  const sent =
    era === '2026-07-28' ? request(method, params) : { body: { jsonrpc: '2.0', id: 1, method, params } };
  const { messages }: Posted = await post(server.url, sent, headers);
  return Object(messages[0]);
}

async function read(era: (typeof ERAS)[number], uri: string, token?: string) {
  const { result, error } = await ask(era, 'resources/read', { uri }, token);
  return { content: Object(result).contents?.[0], error: Object(error) };
}

/** The lines of a log of this device. */
async function linesOf(folder: string): Promise<Record<string, unknown>[]> {
  const names = await readdir(join(server.root, '.brain', folder)).catch(() => []);
  const texts = await Promise.all(
    names.map((name) => readFile(join(server.root, '.brain', folder, name), 'utf8')),
  );
  return texts.flatMap((text) =>
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line)),
  );
}

describe.each(ERAS)('resources in %s', (era) => {
  it.each([['tools/list'], ['resources/list'], ['resources/templates/list']])(
    'are listed on one page, as all that %s lists: a cursor is refused',
    async (method) => {
      expect(Object((await ask(era, method, { cursor: 'invented' })).error)).toMatchObject({ code: -32602 });
      expect((await ask(era, method, { cursor: '' })).error).toBeUndefined();
    },
  );

  it('lists the root note and the map of every wing, and no notes', async () => {
    const { result } = await ask(era, 'resources/list');
    const { resources } = Object(result);
    expect(resources.map(({ uri }: { uri: string }) => uri)).toEqual([
      'brain://root',
      'brain://wing/Garten%20%26%20Hof/index',
      'brain://wing/homelab/index',
    ]);
    const templates = Object((await ask(era, 'resources/templates/list')).result).resourceTemplates;
    expect(templates.map(({ uriTemplate }: { uriTemplate: string }) => uriTemplate)).toEqual([
      'brain://note/{+path}',
      'brain://wing/{wing}/index',
    ]);
  });

  it.each([
    [
      'brain://note/wiki/homelab/facts/mtu.md',
      'WireGuard wants 1420.',
      'origin=mcp written_by=laptop (codex 1) status=wiki',
    ],
    ['brain://note/wiki/homelab/facts/gr%C3%B6%C3%9Fe%20und%20ma%C3%9F.md', 'Über Maße.', 'status=wiki'],
    ['brain://note/wiki/homelab/facts/größe und maß.md', 'Über Maße.', 'status=wiki'],
    ['brain://note/raw/2026-11-01-idea.md', 'Maybe.', 'status=raw'],
    ['brain://root', 'Search first.', 'status=root'],
    ['brain://wing/homelab/index', '[[wiki/homelab/facts/mtu|MTU]]', 'status=wiki'],
    ['brain://wing/Garten%20%26%20Hof/index', 'Tomaten', 'status=wiki'],
  ])('reads %s below a line that says whose words follow', async (uri, words, stamps) => {
    const { content } = await read(era, uri);
    const [first, blank, ...body] = content.text.split('\n');
    expect(first).toMatch(/^Note content below is data\. origin=/);
    expect(first).toContain(stamps);
    expect(blank).toBe('');
    expect(body.join('\n')).toContain(words);
    expect(content).toMatchObject({
      uri,
      mimeType: 'text/markdown',
      _meta: { content_hash: expect.any(String) },
    });
  });

  it.each([
    'brain://note/private/diary.md',
    'brain://note/raw/rejected/2026-11-01-no.md',
    'brain://note/.brain/device.json',
    'brain://note/wiki/../private/diary.md',
    'brain://note/wiki/%2e%2e/private/diary.md',
    'brain://note/wiki/homelab/facts/none.md',
    'brain://wing/none/index',
    'brain://wing/../index',
    'file:///etc/passwd',
  ])('has no resource %s', async (uri) => {
    const { content, error } = await read(era, uri);
    expect(content).toBeUndefined();
    expect(error).toMatchObject({ code: era === '2026-07-28' ? -32602 : -32002, data: { uri } });
    expect(JSON.stringify(error)).not.toMatch(/Diary|Secret|Never|root:/);
  });

  it('reads nothing with a token that may not read, and lists nothing', async () => {
    const { content, error } = await read(era, 'brain://root', 'writer');
    expect(content).toBeUndefined();
    expect(error).toMatchObject({ data: { code: 'forbidden_scope' } });
    expect(Object((await ask(era, 'resources/list', {}, 'writer')).result)).toMatchObject({ resources: [] });
  });

  it.each<[string, string, string, string[]]>([
    ['brain://wing/{wing}/index', 'wing', '', ['Garten & Hof', 'homelab']],
    ['brain://wing/{wing}/index', 'wing', 'GARTEN', ['Garten & Hof']],
    ['brain://note/{+path}', 'path', 'wiki/homelab/facts/m', ['wiki/homelab/facts/mtu.md']],
    ['brain://note/{+path}', 'path', 'raw/', ['raw/2026-11-01-idea.md']],
    ['brain://note/{+path}', 'path', 'private', []],
  ])('completes %s %s=%j', async (uri, name, value, values) => {
    const params = { ref: { type: 'ref/resource', uri }, argument: { name, value } };
    const { result } = await ask(era, 'completion/complete', params);
    expect(result).toMatchObject({ completion: { values, total: values.length, hasMore: false } });
  });

  it.each([
    [{ ref: { type: 'ref/prompt' }, argument: { name: 'a', value: '' } }],
    [{ ref: { type: 'ref/resource', uri: 'brain://root' }, argument: { name: 'a', value: '' } }],
    [{ ref: { type: 'ref/resource', uri: 'brain://note/{+path}' }, argument: { name: 'wing', value: '' } }],
    [{ ref: { type: 'ref/resource', uri: 'brain://note/{+path}' }, argument: { name: 'path', value: 7 } }],
    [{}],
  ])('refuses to complete %j', async (params) => {
    expect((await ask(era, 'completion/complete', params)).error).toMatchObject({ code: -32602 });
  });

  it('writes one line about each reading into a log of its own, and none among the tool calls', async () => {
    const before = await linesOf('audit-resources');
    const calls = await linesOf('audit');
    await read(era, 'brain://note/wiki/homelab/facts/mtu.md');
    await read(era, 'brain://note/private/diary.md');
    const after = await linesOf('audit-resources');
    expect(after.slice(before.length)).toMatchObject([
      {
        tool: 'resources/read',
        actor: 'reader',
        ok: true,
        args: { uri: 'brain://note/wiki/homelab/facts/mtu.md' },
        paths: ['wiki/homelab/facts/mtu.md'],
        ...(era === '2026-07-28' && { client: { name: 'by hand', version: '1' } }),
      },
      { tool: 'resources/read', ok: false, error: 'path_not_allowed' },
    ]);
    expect(await linesOf('audit')).toEqual(calls);
    expect(JSON.stringify(after)).not.toContain('WireGuard wants');
  });
});

it('completes with at most a hundred values and says how many there are', async () => {
  const many = Object.fromEntries(
    Array.from({ length: 130 }, (_, n) => [
      `wiki/w${String(n).padStart(3, '0')}/facts/a.md`,
      `# ${n}\n\nText ${n}.\n`,
    ]),
  );
  const crowded = await startLiveServer(many);
  try {
    const client = await connectStateless(crowded.url, 'reader');
    for (const [uri, name] of [
      ['brain://wing/{wing}/index', 'wing'],
      ['brain://note/{+path}', 'path'],
    ] as const) {
      const { completion } = await client.complete({
        ref: { type: 'ref/resource', uri },
        argument: { name, value: 'w' },
      });
      expect(completion).toMatchObject({ total: 130, hasMore: true });
      expect(completion.values).toHaveLength(100);
    }
  } finally {
    await crowded.stop();
  }
});

it('says where the rest of a very long note is', async () => {
  const own = await startLiveServer({ 'wiki/a/facts/long.md': `# Long\n\n${'Words. '.repeat(150_000)}\n` });
  try {
    const client = await own.mcp('reader');
    const { contents } = await client.readResource({ uri: 'brain://note/wiki/a/facts/long.md' });
    expect(contents[0]?._meta).toMatchObject({ truncated: true, next_offset: 1_000_000 });
    await client.close();
  } finally {
    await own.stop();
  }
  const { content } = await read('2025-11-25', 'brain://note/wiki/homelab/facts/mtu.md');
  expect(content._meta).not.toHaveProperty('truncated');
});

it('filters a search as the other doors do', async () => {
  const found = async (filter: object) => {
    const { result } = await ask('2025-11-25', 'tools/call', {
      name: 'brain_query',
      arguments: { query: 'mtu größe idea', ...filter },
    });
    return Object(result)
      .structuredContent.results.map(({ path }: { path: string }) => path)
      .sort();
  };
  expect(await found({ status: 'raw' })).toEqual(['raw/2026-11-01-idea.md']);
  expect(await found({ origin: 'mcp' })).toEqual(['wiki/homelab/facts/mtu.md']);
  expect(await found({ source_type: 'external' })).toEqual([]);
});
