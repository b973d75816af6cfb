import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Sandbox, type ServerProcess } from './brain-process';

let sandbox: Sandbox;
beforeEach(() => (sandbox = new Sandbox()));
afterEach(() => sandbox.remove());

const inVault = (...at: string[]) => path.join(sandbox.vault, ...at);
const savedTokens = () => readFileSync(path.join(sandbox.folder, 'config/tokens.json'), 'utf8');

/** Resolves with the line of the log that tells of this event. */
async function logged(server: ServerProcess, event: string): Promise<Record<string, unknown>> {
  if (server.child.stderr === null) throw new Error('no standard error');
  for await (const line of createInterface({ input: server.child.stderr })) {
    const entry: Record<string, unknown> = JSON.parse(line);
    if (entry.event === event) return entry;
  }
  throw new Error(`The log ended without ${event}.`);
}

describe('the first start', () => {
  it('makes the vault with its folders and a guidance note, and says how to go on', async () => {
    const server = await sandbox.serve();
    expect(readdirSync(sandbox.vault).sort()).toEqual([
      '.brain',
      'AGENTS.md',
      'inbox',
      'knowledge',
      'raw',
      'sessions',
      'wiki',
    ]);
    expect(readFileSync(inVault('AGENTS.md'), 'utf8')).toContain('brain_query');
    expect(server.printed()).toContain(`Vault: ${sandbox.vault}\n`);
    const { code } = await server.stop();
    expect(code).toBe(0);
  });

  it('prints no secret when nobody watches', async () => {
    const server = await sandbox.serve();
    const { stdout, stderr } = await server.stop();
    const { tokens, session_key } = JSON.parse(savedTokens());
    for (const secret of [session_key, ...tokens.flatMap((token: { token?: string }) => token.token ?? [])]) {
      expect(stdout + stderr).not.toContain(secret);
    }
    expect(stdout).not.toContain('Page token');
  });

  it('logs JSON lines to standard error', async () => {
    const { stderr } = await (await sandbox.serve()).stop();
    const lines = stderr
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toContainEqual({
      ts: expect.any(String),
      level: 'info',
      event: 'stop.asked',
      signal: 'SIGTERM',
    });
  });
});

describe('a vault that stands already', () => {
  it.each(['AGENTS.md', 'CLAUDE.md'])('keeps its %s and every other file', async (rootNote) => {
    mkdirSync(inVault('Daily'), { recursive: true });
    writeFileSync(inVault(rootNote), 'mine\n');
    writeFileSync(inVault('Daily/2026-11-20.md'), 'today\n');
    await (await sandbox.serve()).stop();
    expect(readdirSync(sandbox.vault).filter((name) => name.endsWith('.md'))).toEqual([rootNote]);
    expect(readFileSync(inVault(rootNote), 'utf8')).toBe('mine\n');
    expect(readFileSync(inVault('Daily/2026-11-20.md'), 'utf8')).toBe('today\n');
  });

  it('is refused when a file stands in its place', async () => {
    writeFileSync(sandbox.vault, '');
    const { code, stderr } = await sandbox.run([
      'serve',
      '--create',
      '--vault',
      sandbox.vault,
      '--port',
      '0',
    ]);
    expect([code, stderr]).toEqual([
      1,
      `brain: ${sandbox.vault} cannot be a vault: a file stands where a folder is needed.\n`,
    ]);
  });
});

describe('settings', () => {
  it.each<[string, Record<string, string>, string[], RegExp, number?]>([
    ['half of the hybrid pair', { BRAIN_PG_DSN: 'postgres://a:s3cret@db/x' }, [], /BRAIN_EMBED_URL is not/],
    ['the other half', { BRAIN_EMBED_URL: 'http://x' }, [], /BRAIN_PG_DSN is not/],
    [
      'an address of several databases',
      { BRAIN_PG_DSN: 'postgres://a:s3cret@db1,db2/x', BRAIN_EMBED_URL: 'http://x' },
      [],
      /^brain: BRAIN_PG_DSN names several hosts/,
    ],
    [
      'a pool of no connections',
      { BRAIN_PG_POOL: '0' },
      [],
      /^brain: BRAIN_PG_POOL is "0"\. Use a whole number from 1 to 100/,
    ],
    ['a port that is none', {}, ['--port', 'http'], /^brain: --port is "http"\. Use a whole number/, 2],
    ['an open door to the network', { BRAIN_AUTH: 'off' }, ['--host', '0.0.0.0'], /BRAIN_AUTH is off/],
    [
      'a token that cannot be sent',
      { BRAIN_TOKEN: 'two words '.repeat(4).trim() },
      [],
      /BRAIN_TOKEN cannot be sent/,
    ],
    ['half of the TLS pair', {}, ['--tls-cert', 'x.pem'], /--tls-key/, 2],
    ['a device name that is none', { BRAIN_DEVICE: 'Ada/1' }, [], /BRAIN_DEVICE/],
  ])('are refused before anything is made: %s', async (_, env, args, message, expected = 1) => {
    const { code, stderr } = await sandbox.run(
      ['serve', '--create', '--vault', sandbox.vault, '--port', '0', ...args],
      {
        env,
      },
    );
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('s3cret');
    expect(code).toBe(expected);
    expect(existsSync(sandbox.vault)).toBe(false);
  });

  it('let the server start while its database cannot be reached, and say so without the password', async () => {
    const server = await sandbox.serve([], {
      BRAIN_PG_DSN: 'postgres://a:s3cret@127.0.0.1:1/x',
      BRAIN_EMBED_URL: 'http://127.0.0.1:1',
    });
    const { code, stdout } = await sandbox.run(['query', 'anything', '--json'], {
      env: { BRAIN_URL: server.url },
    });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ mode: 'bm25', degraded: true });
    const { stderr } = await server.stop();
    expect(stderr).toContain('"event":"hybrid.');
    expect(stderr).not.toContain('s3cret');
  });

  it('let BRAIN_TOKEN take the place of the saved owner token for one run', async () => {
    const server = await sandbox.serve([], { BRAIN_TOKEN: 'for-this-run-and-for-no-other-run-0123' });
    const env = { BRAIN_URL: server.url };
    expect((await sandbox.run(['pending'], { env })).stderr).toContain('(unauthorized)');
    expect(
      (
        await sandbox.run(['pending'], {
          env: { ...env, BRAIN_TOKEN: 'for-this-run-and-for-no-other-run-0123' },
        })
      ).code,
    ).toBe(0);
  });

  it('open the door to every program of this machine with BRAIN_AUTH=off, and say so', async () => {
    const server = await sandbox.serve([], { BRAIN_AUTH: 'off' });
    expect(server.printed()).not.toContain('Bearer');
    const env = { BRAIN_URL: server.url, BRAIN_CONFIG_DIR: path.join(sandbox.folder, 'nobody') };
    const { code } = await sandbox.run(['write', 'homelab', 'facts', 'open'], { env, input: 'text' });
    expect(code).toBe(0);
    expect(readFileSync(inVault('wiki/homelab/facts/open.md'), 'utf8')).toContain(
      'written_by: local (brain-cli',
    );
    expect((await server.stop()).stdout).toContain('BRAIN_AUTH is off');
  });
});

describe('one vault, one server', () => {
  it('refuses a second server, and lets the next one in when the first has ended', async () => {
    const first = await sandbox.serve();
    const second = await sandbox.run(['serve', '--create', '--vault', sandbox.vault, '--port', '0']);
    expect(second.code).toBe(1);
    expect(second.stderr).toContain(`The vault is in use by brain serve (process ${first.child.pid} on `);
    await first.stop('SIGINT');
    expect((await (await sandbox.serve()).stop()).code).toBe(0);
  });

  it('takes a vault over whose server was killed', async () => {
    await (await sandbox.serve()).stop('SIGKILL');
    expect((await (await sandbox.serve()).stop()).code).toBe(0);
  });
});

describe('the end', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('comes in good order with %s', async (signal) => {
    const server = await sandbox.serve();
    await sandbox.run(['write', 'homelab', 'facts', 'last'], {
      env: { BRAIN_URL: server.url },
      input: 'text',
    });
    expect((await server.stop(signal)).code).toBe(0);
    expect(readFileSync(inVault('wiki/homelab/facts/last.md'), 'utf8')).toContain('text');
    const used = JSON.parse(readFileSync(path.join(sandbox.folder, 'config/last-used.json'), 'utf8'));
    expect(used).toEqual({ owner: expect.stringMatching(/Z$/) });
  });

  it('comes at once with a second signal, whatever still runs', async () => {
    const server = await sandbox.serve();
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write('POST /query HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n');
    await new Promise((resolve) => socket.once('ready', resolve));
    server.child.kill('SIGTERM');
    await logged(server, 'stop.asked');
    expect((await server.stop('SIGTERM')).code).toBe(1);
  });
});

it('ends with a signal, as at any other time, while its vault is away', async () => {
  await (await sandbox.serve()).stop();
  renameSync(sandbox.vault, `${sandbox.vault}.elsewhere`);
  const child = sandbox.start(['serve', '--vault', sandbox.vault, '--port', '0']);
  let log = '';
  child.stderr?.on('data', (text) => (log += String(text)));
  while (!log.includes('vault.away')) await new Promise((resolve) => setTimeout(resolve, 20));
  child.kill('SIGTERM');
  expect(await new Promise((resolve) => child.once('exit', (code) => resolve(code)))).toBe(0);
});

it('says that it opens its vault while it asks a lock that was left, and ends with a signal', async () => {
  const first = await sandbox.serve([], { BRAIN_DEVICE: 'a' });
  const { port } = new URL(first.url);
  const text = readFileSync(inVault('.brain/local.a/lock'), 'utf8');
  await first.stop();
  writeFileSync(
    inVault('.brain/local.a/lock'),
    text.replace(/"process":"[^"]*"/, '"process":"other boot/1"'),
  );
  const child = sandbox.start(['serve', '--vault', sandbox.vault, '--port', port], { BRAIN_DEVICE: 'a' });
  let log = '';
  child.stderr?.on('data', (chunk) => (log += String(chunk)));
  while (!log.includes('vault.opening')) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await (await fetch(`${first.url}/health`)).json()).toMatchObject({ status: 'starting' });
  const refused = await fetch(`${first.url}/ready`);
  expect([refused.status, await refused.text()]).toEqual([503, expect.not.stringContaining('disk')]);
  const ended = new Promise((resolve) => child.once('exit', (code) => resolve(code)));
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
  // It asked, and took nothing.
  expect(readFileSync(inVault('.brain/local.a/lock'), 'utf8')).toMatch(/"other boot\/1".*\n\t$/);
});

it('is reached over stdio with the bridge token, which cannot review', async () => {
  const server = await sandbox.serve();
  const message = (id: number, method: string, params: object) =>
    JSON.stringify({ jsonrpc: '2.0', id, method, params });
  const clientInfo = { name: 'claude-ai', version: '0.1.0' };
  const note = { wing: 'homelab', hall: 'facts', slug: 'over-stdio', content: 'text' };
  const bridge = sandbox.start(['mcp'], { BRAIN_URL: server.url });
  const lines = createInterface({ input: bridge.stdout ?? process.stdin });
  const answers = lines[Symbol.asyncIterator]();
  const ask = async (line: string): Promise<unknown> => {
    bridge.stdin?.write(`${line}\n`);
    return JSON.parse((await answers.next()).value ?? 'null');
  };
  await ask(message(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }));
  const listed = JSON.stringify(await ask(message(2, 'tools/list', {})));
  expect(listed).toContain('"brain_write"');
  expect(listed).not.toContain('"brain_promote"');
  const written = await ask(message(3, 'tools/call', { name: 'brain_write', arguments: note }));
  expect(written).toMatchObject({
    id: 3,
    result: { content: [{ text: expect.stringContaining('"path":"wiki/homelab/facts/over-stdio.md"') }] },
  });
  bridge.stdin?.end();
  await new Promise((resolve) => bridge.once('exit', resolve));
  expect(readFileSync(inVault('wiki/homelab/facts/over-stdio.md'), 'utf8')).toContain(
    'written_by: bridge (claude-ai 0.1.0)',
  );
  const verified = await sandbox.run(['audit', 'verify', '--vault', sandbox.vault]);
  expect([verified.code, verified.stdout]).toEqual([0, '1 line in 1 file\n']);
});
