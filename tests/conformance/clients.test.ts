import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  Client,
  StreamableHTTPClientTransport,
  type VersionNegotiationMode,
} from '@modelcontextprotocol/client';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { TOOLS } from '../../src/doors/mcp/tools';
import { BRAIN, Sandbox, type ServerProcess } from '../headless/brain-process';
import { freePort } from '../support/free-port';
import { describeWithTheirs, NODE_22, runTheirs, theirs } from './others';
import { StdioHost } from './stdio-host';

const TOKEN = 'a-token-of-the-owner-0123456789-0123456789';
const INSPECTOR = theirs('@modelcontextprotocol', 'inspector', 'clients', 'launcher', 'build', 'index.js');
const NAMES = TOOLS.map(({ name }) => name);

/** Clients that others wrote, and the bridge, against the program that is shipped. Nothing leaves this machine. */
describeWithTheirs('clients of other people', () => {
  const sandbox = new Sandbox();
  let server: ServerProcess;
  let env: Record<string, string>;

  beforeAll(async () => {
    server = await sandbox.serve(['--port', String(await freePort())], { BRAIN_TOKEN: TOKEN });
    env = { ...sandbox.env, BRAIN_TOKEN: TOKEN, BRAIN_URL: server.url };
  }, 60_000);
  afterAll(async () => {
    await server.stop();
    await sandbox.remove();
  });

  const restart = async () => {
    const { port } = new URL(server.url);
    await server.stop();
    server = await sandbox.serve(['--port', port], { BRAIN_TOKEN: TOKEN });
  };
  const note = (slug: string) => ({
    wing: 'clients',
    hall: 'facts',
    slug,
    content: `# ${slug}\n\nWritten.\n`,
  });
  const written = (slug: string) =>
    readFileSync(path.join(sandbox.vault, `wiki/clients/facts/${slug}.md`), 'utf8');
  const overHttp = (era: string) => [`${server.url}/mcp`, '--transport', 'http', '--protocol-era', era];
  const inspect = (target: readonly string[], more: readonly string[]) =>
    runTheirs(
      [INSPECTOR, '--cli', ...target, '--header', `Authorization: Bearer ${TOKEN}`, ...more],
      sandbox.folder,
    );

  it.each(['legacy', 'auto', 'modern'])(
    'the Inspector finds nothing to say about our tools (%s)',
    async (era) => {
      const { code, stdout, stderr } = await inspect(overHttp(era), ['--method', 'tools/list', '--strict']);
      const listed: { tools: { name: string }[] } = JSON.parse(stdout);
      expect(listed.tools.map(({ name }) => name)).toEqual(NAMES);
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringMatching(/warning|error/i) });
    },
  );

  it.each(['legacy', 'modern'])(
    'the Inspector writes a note and reads it as a resource (%s)',
    async (era) => {
      const slug = `inspector-${era}`;
      const args = Object.entries(note(slug)).map(([name, value]) => `${name}=${value}`);
      const call = ['--method', 'tools/call', '--tool-name', 'brain_write', '--tool-arg', ...args];
      expect(await inspect(overHttp(era), call)).toMatchObject({ code: 0 });
      expect(written(slug)).toMatch(/^origin: mcp\nwritten_by: owner \(inspector-cli 2\.12\.0\)$/m);
      const uri = `brain://note/wiki/clients/facts/${slug}.md`;
      const read = await inspect(overHttp(era), ['--method', 'resources/read', '--uri', uri]);
      expect(JSON.parse(read.stdout)).toMatchObject({ contents: [{ uri, mimeType: 'text/markdown' }] });
    },
  );

  it('the AI SDK lists our tools and calls one', async () => {
    const script = path.resolve('tests/others/ai-sdk-client.mjs');
    const args = [`${server.url}/mcp`, TOKEN, 'brain_write', JSON.stringify(note('ai-sdk'))];
    const { stdout, stderr } = await runTheirs([script, ...args], sandbox.folder);
    expect(stderr).toBe('');
    const answered: { tools: string[]; result: unknown } = JSON.parse(stdout);
    expect(answered.tools).toEqual(NAMES);
    expect(answered.result).toMatchObject({
      content: [{ text: expect.stringContaining('"path":"wiki/clients/facts/ai-sdk.md"') }],
    });
    expect(written('ai-sdk')).toContain('written_by: owner (ai-sdk-mcp-client 1.0.0)\n');
  });

  it('mcp-remote passes calls on, also to a server that was restarted', async () => {
    const proxy = theirs('mcp-remote', 'dist', 'proxy.js');
    const header = ['--header', `Authorization: Bearer ${TOKEN}`, '--transport', 'http-only', '--silent'];
    const host = new StdioHost(NODE_22, [proxy, `${server.url}/mcp`, ...header], { ...env });
    await host.connect('some host');
    const { tools } = await host.ask('tools/list', {});
    expect((tools as { name: string }[]).map(({ name }) => name)).toEqual(NAMES);
    await restart();
    expect(await host.ask('tools/call', { name: 'brain_write', arguments: note('remote') })).toMatchObject({
      content: [{ text: expect.stringContaining('"path":"wiki/clients/facts/remote.md"') }],
    });
    // The host was known from before the restart.
    expect(written('remote')).toMatch(/^written_by: owner \(some host via mcp-remote 0\.15\.1 1\.0\)$/m);
    await host.close();
  });

  it('brain mcp passes calls on under the name of its host, also to a server that was restarted', async () => {
    const host = new StdioHost(process.execPath, [BRAIN, 'mcp'], env);
    await host.connect('some host');
    const { tools } = await host.ask('tools/list', {});
    expect((tools as { name: string }[]).map(({ name }) => name)).toEqual(NAMES);
    await restart();
    expect(await host.ask('tools/call', { name: 'brain_write', arguments: note('bridge') })).toMatchObject({
      content: [{ text: expect.stringContaining('"path":"wiki/clients/facts/bridge.md"') }],
    });
    expect(written('bridge')).toContain('written_by: owner (some host 1.0)\n');
    await host.close();
  });

  it.each(['legacy', 'modern'])('the Inspector calls a tool through brain mcp (%s)', async (era) => {
    const bridge = [
      process.execPath,
      BRAIN,
      'mcp',
      '-e',
      `BRAIN_TOKEN=${TOKEN}`,
      '-e',
      `BRAIN_URL=${server.url}`,
    ];
    const more = ['--protocol-era', era, '--method', 'tools/call', '--tool-name', 'brain_query'];
    const ran = await runTheirs(
      [INSPECTOR, '--cli', ...bridge, ...more, '--tool-arg', 'query=written'],
      sandbox.folder,
    );
    expect({ ...ran, stdout: JSON.parse(ran.stdout || 'null') }).toMatchObject({
      code: 0,
      stdout: { structuredContent: { results: expect.any(Array) } },
    });
  });

  it.each<[string, VersionNegotiationMode]>([
    ['2025', 'legacy'],
    ['whatever it finds', 'auto'],
    ['2026-07-28 alone', { pin: '2026-07-28' }],
  ])('a client that speaks %s goes on after a restart as if nothing had been', async (_, mode) => {
    const client = new Client({ name: 'lasting', version: '1.0' }, { versionNegotiation: { mode } });
    const requestInit = { headers: { Authorization: `Bearer ${TOKEN}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit }));
    await client.listTools();
    await restart();
    const slug = `lasting-${typeof mode === 'string' ? mode : mode.pin}`;
    const result = await client.callTool({ name: 'brain_write', arguments: note(slug) });
    expect(result.isError).not.toBe(true);
    expect(written(slug)).toContain('written_by: owner (lasting 1.0)\n');
    await client.close();
  });

  it('so does one of the first line of the SDK', async () => {
    const client = new FirstClient({ name: 'first', version: '1.0' });
    const requestInit = { headers: { Authorization: `Bearer ${TOKEN}` } };
    await client.connect(new FirstTransport(new URL(`${server.url}/mcp`), { requestInit }));
    await client.listTools();
    await restart();
    await client.callTool({ name: 'brain_write', arguments: note('first') });
    expect(written('first')).toContain('written_by: owner (first 1.0)\n');
    await client.close();
  });
});
