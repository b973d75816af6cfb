import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { byDay } from '../support/by-night';
import { describeWithPostgres } from '../support/postgres-server';
import {
  buildSimulator,
  filesInStore,
  filesOnDisk,
  headless,
  type Host,
  onStore,
  plugins,
  present,
  type RunningHost,
  type VaultFiles,
} from './host';
import { shownValue } from '../support/mcp-answer';

/** One black-box suite for every program that serves a vault: what an agent and a person's curl see is the same. */
const HOSTS = present([headless, ...byDay(2, plugins)]);

buildSimulator();

const RAW =
  '---\nsource: https://example.com/a\n# kept\ntags: [net]\n---\n# Backups with restic\n\nRestic keeps 30 days.\n';

describe.each(HOSTS)('$name', (host) => suite(() => host, filesOnDisk, { isShared: false }));

describeWithPostgres('the headless server on a store', (postgres) => {
  const database = 'hosts';
  let host: Host;
  beforeAll(() => {
    postgres().sql('postgres', `CREATE DATABASE ${database}`);
    host = onStore(postgres().dsn(database));
  });
  suite(
    () => host,
    () => filesInStore((text) => postgres().sql(database, text)),
    { isShared: true },
  );
});

/** `isShared`: several servers may serve one vault. */
function suite(
  hosted: () => Host,
  filesOf: (vault: string) => VaultFiles,
  { isShared }: { readonly isShared: boolean },
): void {
  let folder: string;
  let vault: string;
  let files: VaultFiles;
  let running: RunningHost;

  const read = (at: string) => files.read(at);
  const sha = (text: string) => createHash('sha256').update(text).digest('hex');
  const start = (which: Host = hosted()) => which.start(vault, folder);

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'brain-host-'));
    vault = path.join(folder, 'vault');
    // A store gets these too, with its first start.
    const laidOut = filesOnDisk(vault);
    for (const name of ['one', 'two', 'three'])
      laidOut.write(`raw/2026-11-01-${name}.md`, RAW.replace('restic', name));
    files = filesOf(vault);
    running = await start();
  }, 60_000);
  afterAll(async () => {
    await running.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function call(method: string, route: string, body?: unknown, token = running.token) {
    const answer = await fetch(running.url + route, {
      method,
      headers: {
        ...(token !== '' && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const parsed: Record<string, unknown> = JSON.parse(await answer.text());
    return { status: answer.status, headers: answer.headers, body: parsed };
  }
  const post = (route: string, body: unknown) => call('POST', route, body);
  const found = async (query: string) => {
    const { body } = await post('/query', { query });
    return (body as { results: { path: string }[] }).results.map((hit) => hit.path);
  };
  async function eventually(check: () => Promise<boolean>): Promise<void> {
    for (let tries = 0; tries < 250; tries += 1) {
      if (await check()) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error('It did not happen within twenty-five seconds.');
  }

  it('answers health to everyone and nothing else without a token', async () => {
    expect(await call('GET', '/health', undefined, '')).toMatchObject({
      status: 200,
      body: { status: 'ok' },
    });
    const refused = await call('GET', '/pending', undefined, '');
    expect(refused).toMatchObject({ status: 401, body: { error: { code: 'unauthorized' } } });
    expect(refused.headers.get('x-brain-api')).toBe('1');
    expect((await call('GET', '/pending', undefined, 'wrong-token')).status).toBe(401);
  });

  it('refuses pages of other sites, wrong methods, unknown fields and bodies that are no JSON', async () => {
    const foreign = await fetch(`${running.url}/health`, { headers: { origin: 'https://evil.example' } });
    expect(foreign.status).toBe(403);
    const method = await call('GET', '/query');
    expect(method.status).toBe(405);
    expect(method.headers.get('allow')).toBe('POST');
    expect(await post('/query', { query: 'a', domain: 'b' })).toMatchObject({
      status: 400,
      body: { error: { code: 'unknown_field' } },
    });
    const text = await fetch(`${running.url}/write`, {
      method: 'POST',
      headers: { authorization: `Bearer ${running.token}` },
      body: 'x',
    });
    expect(text.status).toBe(415);
  });

  it('writes a note durably, indexes it, stamps it, and finds it at once', async () => {
    const { status, body } = await post('/write', {
      wing: 'Home Lab',
      hall: 'facts',
      slug: 'mtu',
      content: '# WireGuard MTU\n\nThe tunnel carries 1412 bytes.\n',
    });
    expect({ status, path: body.path, wing: body.wing }).toEqual({
      status: 200,
      path: 'wiki/home-lab/facts/mtu.md',
      wing: 'home-lab',
    });
    const text = read('wiki/home-lab/facts/mtu.md');
    expect(body.content_hash).toBe(sha(text));
    expect(text).toMatch(
      /^---\nwing: home-lab\nhall: facts\ncreated_at: .+\nsource_type: internal\norigin: http\nwritten_by: owner\n---\n/,
    );
    // Of several servers one makes the maps, a little later.
    if (isShared) await eventually(async () => files.has('wiki/home-lab/_index.md'));
    expect(read('wiki/home-lab/_index.md')).toContain('[[wiki/home-lab/facts/mtu|WireGuard MTU]]');
    expect(await found('wireguard tunnel')).toEqual(['wiki/home-lab/facts/mtu.md']);
    const again = await post('/write', { wing: 'home-lab', hall: 'facts', slug: 'mtu', content: 'Other.' });
    expect(again).toMatchObject({ status: 409, body: { error: { code: 'note_exists' } } });
    expect(read('wiki/home-lab/facts/mtu.md')).toBe(text);
  });

  it('updates a note and gives its older version back by its hash', async () => {
    const before = read('wiki/home-lab/facts/mtu.md');
    const updated = await post('/update', {
      path: 'wiki/home-lab/facts/mtu.md',
      content: '# WireGuard MTU\n\nNow 1380.\n',
      reason: 'measured',
      expected_hash: sha(before),
    });
    expect(updated).toMatchObject({ status: 200, body: { supersedes: sha(before) } });
    const old = await call('GET', `/history?hash=${sha(before)}`);
    expect(old.body.content).toBe(before);
    const stale = await post('/update', {
      path: 'wiki/home-lab/facts/mtu.md',
      content: 'x',
      reason: 'late',
      expected_hash: sha(before),
    });
    expect(stale).toMatchObject({ status: 409, body: { error: { code: 'hash_mismatch' } } });
  });

  it('promotes, takes back, rejects and restores, and keeps foreign front matter', async () => {
    expect((await call('GET', '/pending')).body).toMatchObject({ total: 3 });
    const promoted = await post('/promote', {
      path: 'raw/2026-11-01-one.md',
      wing: 'net',
      hall: 'decisions',
    });
    expect(promoted).toMatchObject({ status: 200, body: { path: 'wiki/net/decisions/one.md' } });
    expect(files.has('raw/2026-11-01-one.md')).toBe(false);
    expect(read('wiki/net/decisions/one.md')).toContain(
      'source: https://example.com/a\n# kept\ntags: [net]\n',
    );
    expect(await post('/unpromote', { path: 'wiki/net/decisions/one.md' })).toMatchObject({
      status: 200,
      body: { path: 'raw/2026-11-01-one.md' },
    });
    const rejected = await post('/reject', { path: 'raw/2026-11-01-two.md', reason: 'thin' });
    expect(rejected).toMatchObject({
      status: 200,
      body: { rejected_path: 'raw/rejected/2026-11-01-two.md' },
    });
    expect(read('raw/rejected/2026-11-01-two.md')).toContain('reject_reason: thin\n');
    expect(await post('/restore', { path: 'raw/rejected/2026-11-01-two.md' })).toMatchObject({ status: 200 });
    const missed = await post('/promote', { path: 'raw/none.md', wing: 'net', hall: 'facts' });
    expect(missed).toMatchObject({ status: 400, body: { error: { code: 'source_missing' } } });
    expect((await call('GET', '/pending')).body).toMatchObject({ total: 3 });
  });

  it('sees what others write into the vault', async () => {
    files.write('wiki/garden/facts/tomatoes.md', '# Tomatoes\n\nSow in zeppelin weather.\n');
    await eventually(async () => (await found('zeppelin')).includes('wiki/garden/facts/tomatoes.md'));
    files.remove('wiki/garden/facts/tomatoes.md');
    await eventually(async () => (await found('zeppelin')).length === 0);
  });

  it('finds the notes of the owner, and changes none', async () => {
    const text = '\uFEFFThe zarzuela list, see [[2026-11-01-two]].\r\n';
    files.write('Mine/List.md', text);
    await eventually(async () => (await found('zarzuela')).includes('Mine/List.md'));
    const { body } = await call('GET', '/note?path=Mine%2FList');
    expect(body).toMatchObject({ path: 'Mine/List.md', status: 'vault', content_hash: sha(text) });
    const update = { path: 'Mine/List.md', content: 'Ours.', reason: 'no', expected_hash: sha(text) };
    expect(await post('/update', update)).toMatchObject({
      status: 403,
      body: { error: { code: 'not_ours' } },
    });
    const place = { wing: 'net', hall: 'facts' };
    const linked = { ...place, slug: 'linked', content: '# Linked\n\nSee [[List]].\n' };
    expect((await post('/write', linked)).body).toMatchObject({ unlinked: [] });
    expect(read('wiki/net/facts/linked.md')).toContain('[[Mine/List|List]]');
    const adopted = await post('/adopt', { path: 'Mine/List.md', ...place });
    expect(adopted).toMatchObject({ status: 200, body: { path: 'wiki/net/facts/List.md' } });
    expect(files.has('Mine/List.md')).toBe(false);
    expect(await post('/unpromote', { path: 'wiki/net/facts/List.md' })).toMatchObject({
      status: 200,
      body: { path: 'Mine/List.md' },
    });
    expect(read('Mine/List.md')).toBe(text);
  });

  it('serves agents over MCP, one audit line a call', async () => {
    const client = new Client({ name: 'host suite', version: '1.0' });
    const requestInit = { headers: { authorization: `Bearer ${running.token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${running.url}/mcp`), { requestInit }));
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['brain_write', 'brain_query', 'brain_promote', 'capture']),
    );
    const args = { wing: 'net', hall: 'facts', slug: 'by-mcp', content: '# By MCP\n\nXylophone.\n' };
    const written = await client.callTool({ name: 'brain_write', arguments: args });
    expect(shownValue(written)).toMatchObject({ path: 'wiki/net/facts/by-mcp.md' });
    expect(read('wiki/net/facts/by-mcp.md')).toContain('origin: mcp\nwritten_by: owner (host suite 1.0)\n');
    const refused = await client.callTool({ name: 'brain_write', arguments: { ...args, hall: 'rumours' } });
    expect(refused).toMatchObject({ isError: true });
    await client.close();
    const [log = ''] = files.names('.brain/audit').filter((name) => name.endsWith('.jsonl'));
    expect(read(`.brain/audit/${log}`).trimEnd().split('\n')).toHaveLength(2);
    expect((await call('GET', '/audit')).body).toMatchObject({ total: 2 });
  });

  if (isShared) {
    it('lets a second program write into the same vault, and finds what it wrote', async () => {
      const first = running;
      const second = await start();
      try {
        running = second;
        const place = { wing: 'net', hall: 'facts', slug: 'by-second' };
        expect(await post('/write', { ...place, content: '# By the second\n\nOcarina.\n' })).toMatchObject({
          status: 200,
        });
      } finally {
        running = first;
        await second.stop();
      }
      await eventually(async () => (await found('ocarina')).includes('wiki/net/facts/by-second.md'));
    }, 60_000);
  } else {
    it('lets no second program write into the same vault, and says who holds it', async () => {
      await expect(start(headless)).rejects.toThrow(/in use by (?:Obsidian|brain serve) \(process \d+ on /);
    });
  }

  it('comes back after a stop and after a kill with everything that it acknowledged', async () => {
    const { token } = running;
    await running.stop();
    running = await start();
    expect(running.token).toBe(token);
    expect(
      await post('/write', { wing: 'net', hall: 'failures', slug: 'kept', content: '# Kept\n\nQuincunx.\n' }),
    ).toMatchObject({ status: 200 });
    await running.kill();
    running = await start();
    expect(running.token).toBe(token);
    expect(await found('quincunx')).toEqual(['wiki/net/failures/kept.md']);
    expect(read('wiki/net/failures/kept.md')).toContain('Quincunx.');
    expect((await call('GET', '/status')).body).toMatchObject({ queue: { count: 3 } });
  }, 60_000);
}
