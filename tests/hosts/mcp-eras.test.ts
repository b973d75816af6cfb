import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import * as http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { TOOLS } from '../../src/doors/mcp/tools';
import { envelope, post, request } from '../doors/mcp/stateless-support';
import { byDay } from '../support/by-night';
import { buildSimulator, headless, plugin, plugins, present, type RunningHost } from './host';
import { shownValue } from '../support/mcp-answer';

/** Both eras of the protocol on every program that serves a vault, in a renderer of the app as on plain Node. */
const old = plugin(
  'the plugin where streams cannot be iterated over',
  process.execPath,
  '37.10.3',
  path.resolve('tests/hosts/old-streams.cjs'),
);
const HOSTS = present([headless, ...byDay(1, plugins), old]);

buildSimulator();

describe.each(HOSTS)('$name', (host) => {
  let folder: string;
  let vault: string;
  let running: RunningHost;

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'brain-eras-'));
    vault = path.join(folder, 'vault');
    mkdirSync(path.join(vault, 'inbox/many'), { recursive: true });
    for (const name of ['one', 'two', 'three'])
      writeFileSync(path.join(vault, `inbox/many/${name}.txt`), `Text of ${name}, which is not long.\n`);
    running = await host.start(vault, folder);
  }, 60_000);
  afterAll(async () => {
    await running.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const connect = async (mode: 'legacy' | 'auto' | { pin: string }) => {
    const client = new Client({ name: 'eras', version: '1.0' }, { versionNegotiation: { mode } });
    const requestInit = { headers: { authorization: `Bearer ${running.token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${running.url}/mcp`), { requestInit }));
    return client;
  };

  it.each([
    ['legacy', '2025-11-25'],
    ['auto', '2026-07-28'],
  ] as const)('serves a client that speaks %s in %s: tools, a note, a resource', async (mode, revision) => {
    const client = await connect(mode);
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(TOOLS.map(({ name }) => name));
    const slug = `by-${mode}`;
    const args = { wing: 'net', hall: 'facts', slug, content: `# ${slug}\n\n${'Zeile. '.repeat(20_000)}\n` };
    const written = await client.callTool({ name: 'brain_write', arguments: args });
    expect(shownValue(written)).toMatchObject({ path: `wiki/net/facts/${slug}.md` });
    const file = readFileSync(path.join(vault, `wiki/net/facts/${slug}.md`), 'utf8');
    expect(file).toContain('origin: mcp\nwritten_by: owner (eras 1.0)\n');
    const uri = `brain://note/wiki/net/facts/${slug}.md`;
    const { contents } = await client.readResource({ uri });
    expect(contents).toMatchObject([{ uri, text: expect.stringContaining('Zeile. '.repeat(20_000).trim()) }]);
    await client.close();
  });

  it('streams progress ahead of an answer of revision 2026-07-28', async () => {
    const params = { name: 'brain_ingest', arguments: { path: 'inbox/many' } };
    const { body, headers } = request('tools/call', params);
    const _meta = envelope({ progressToken: 'p' });
    const answer = await post(
      running.url,
      { body: { ...body, params: { ...params, _meta } }, headers },
      { Authorization: `Bearer ${running.token}` },
    );
    expect(answer.headers.get('content-type')).toBe('text/event-stream');
    expect(answer.messages.at(-1)).toMatchObject({
      id: 1,
      result: { content: [{ text: expect.stringContaining('"counts"') }] },
    });
    expect(answer.messages.slice(0, -1).map(({ method }) => method)).toContain('notifications/progress');
  });

  it.each([
    ['Host', { host: 'evil.example' }],
    ['Origin', { origin: 'https://evil.example' }],
  ])('refuses a foreign %s before the message is looked at', async (_, foreign) => {
    const { body, headers } = request('tools/list');
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const all = {
        ...headers,
        'content-type': 'application/json',
        authorization: `Bearer ${running.token}`,
        ...foreign,
      };
      const asked = http.request(`${running.url}/mcp`, { method: 'POST', headers: all }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      });
      asked.on('error', reject);
      asked.end(JSON.stringify(body));
    });
    expect(status).toBe(403);
  });

  it('writes one line for each tool call of either era, and what was read into another file', () => {
    const linesIn = (name: string) =>
      readdirSync(path.join(vault, '.brain', name))
        .filter((file) => file.endsWith('.jsonl'))
        .flatMap((file) =>
          readFileSync(path.join(vault, '.brain', name, file), 'utf8')
            .trimEnd()
            .split('\n'),
        )
        .map((line): { tool: string } => JSON.parse(line));
    expect(linesIn('audit').map(({ tool }) => tool)).toEqual(['brain_write', 'brain_write', 'brain_ingest']);
    expect(linesIn('audit-resources').map(({ tool }) => tool)).toEqual(['resources/read', 'resources/read']);
  });
});
