import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '../../support/free-port';
import { Sandbox } from '../brain-process';

const sandbox = new Sandbox();
const started = new Set<number>();
afterAll(async () => {
  for (const pid of started) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  await sandbox.remove();
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** The process that serves the vault. */
function serverOf(vault: string): number {
  const state = path.join(vault, '.brain');
  const own = path.join(state, readdirSync(state).find((name) => name.startsWith('local.')) ?? '');
  // The lock of a server that was killed is followed by one with a number.
  const lock = readdirSync(own).find((name) => /^lock(\.\d+)?$/.test(name)) ?? '';
  const { pid } = JSON.parse(readFileSync(path.join(own, lock), 'utf8'));
  started.add(pid);
  return pid;
}

/** `brain mcp --start` as a client runs it. */
class Client {
  readonly #lines: AsyncIterator<string>;
  readonly child: ChildProcess;
  #id = 0;

  constructor(port: number, vault: string, env: Readonly<Record<string, string>> = {}) {
    mkdirSync(vault.replace(/^~/, sandbox.env.HOME ?? ''), { recursive: true });
    this.child = sandbox.start(['mcp', '--start', '--vault', vault], {
      BRAIN_URL: `http://127.0.0.1:${port}`,
      ...env,
    });
    if (this.child.stdout === null) throw new Error('The bridge has no output.');
    this.#lines = createInterface(this.child.stdout)[Symbol.asyncIterator]();
  }

  async ask(method: string, params: object): Promise<Record<string, unknown>> {
    this.#id += 1;
    this.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id: this.#id, method, params })}\n`);
    const { value } = await this.#lines.next();
    return Object(JSON.parse(String(value)));
  }

  greet(name = 'claude-ai'): Promise<Record<string, unknown>> {
    return this.ask('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name, version: '0.1.0' },
    });
  }

  async end(): Promise<void> {
    this.child.stdin?.end();
    if (this.child.exitCode === null) await once(this.child, 'exit');
  }
}

const write = (slug: string) => ({
  name: 'brain_write',
  arguments: { wing: 'net', hall: 'facts', slug, content: `# ${slug}\n\nText.` },
});

it('starts one server for several clients, which outlives them, and stamps each by its own name', async () => {
  const [port, vault] = [await freePort(), path.join(sandbox.folder, 'shared vault')];
  const clients = [new Client(port, vault), new Client(port, vault), new Client(port, vault)];
  const greeted = await Promise.all(clients.map((client, index) => client.greet(`host-${index}`)));
  for (const answer of greeted)
    expect(answer).toMatchObject({ result: { serverInfo: { name: 'brain', title: 'Brain Server' } } });
  const pid = serverOf(vault);
  const [first, second] = clients;
  await first?.ask('tools/call', write('one'));
  await second?.ask('tools/call', write('two'));
  const stampOf = (slug: string) =>
    /^written_by: (.*)$/m.exec(readFileSync(path.join(vault, `wiki/net/facts/${slug}.md`), 'utf8'))?.[1];
  expect([stampOf('one'), stampOf('two')]).toEqual(['bridge (host-0 0.1.0)', 'bridge (host-1 0.1.0)']);
  const log = readFileSync(path.join(sandbox.folder, `config/serve-${port}.log`), 'utf8');
  expect(log.match(/^Brain Server \S+ on /gm)).toHaveLength(1);
  await Promise.all(clients.map((client) => client.end()));
  expect(isAlive(pid)).toBe(true);

  // It was killed: the next message has another one started, and is answered.
  const late = new Client(port, vault);
  await late.greet();
  process.kill(pid, 'SIGKILL');
  while (isAlive(pid)) await setTimeout(20);
  expect(await late.ask('tools/call', write('three'))).toMatchObject({
    result: { content: [{ text: expect.stringContaining('"content_hash"') }] },
  });
  expect(serverOf(vault)).not.toBe(pid);
  await late.end();
}, 60_000);

it('does not pass the token of the client on as that of the owner', async () => {
  const [port, vault] = [await freePort(), path.join(sandbox.folder, 'other vault')];
  const token = 'a-token-of-a-client-that-is-long-enough-for-an-owner';
  const client = new Client(port, vault, { BRAIN_TOKEN: token });
  expect(await client.greet()).toMatchObject({ error: { message: expect.stringContaining('token') } });
  serverOf(vault);
  const headers = { authorization: `Bearer ${token}` };
  expect((await fetch(`http://127.0.0.1:${port}/wings`, { headers })).status).toBe(401);
  await client.end();
});

it.each([
  ['no vault', ['mcp', '--start'], {}, 2, '--vault <dir>'],
  ['a vault without --start', ['mcp', '--vault', 'x'], {}, 2, '--start'],
  ['another machine', ['mcp', '--start', '--vault', 'x'], { BRAIN_URL: 'http://10.0.0.1:1' }, 2, '10.0.0.1'],
  ['HTTPS', ['mcp', '--start', '--vault', 'x'], { BRAIN_URL: 'https://127.0.0.1:1' }, 2, 'https://'],
])('refuses %s', async (_, args, env, code, words) => {
  const said = await sandbox.run(args, { env });
  expect([said.code, said.stderr]).toEqual([code, expect.stringContaining(words)]);
  expect(existsSync(path.join(sandbox.folder, 'cwd/x'))).toBe(false);
});

it('says why the server cannot be started, and when another program has the address', async () => {
  const env = { BRAIN_URL: `http://127.0.0.1:${await freePort()}` };
  const bad = await sandbox.run(['mcp', '--start', '--vault', '/proc'], { env });
  expect([bad.code, bad.stderr]).toEqual([1, expect.stringContaining('no place for a vault')]);
  const other = createServer((_, answer) => answer.end('hello')).listen(0, '127.0.0.1');
  await once(other, 'listening');
  try {
    const address = `http://127.0.0.1:${(other.address() as AddressInfo).port}`; // TCP: always an object.
    const said = await sandbox.run(['mcp', '--start', '--vault', 'x'], { env: { BRAIN_URL: address } });
    expect([said.code, said.stderr]).toEqual([1, expect.stringContaining('Another program answers')]);
  } finally {
    other.close();
  }
});

it('waits for the server of another client that has the port and still opens its vault', async () => {
  let isOpen = false;
  const other = createServer((_, answer) => {
    // Held back like the requests to a server that is starting.
    if (isOpen) answer.setHeader('x-brain-api', '1').end('{}');
  }).listen(0, '127.0.0.1');
  await once(other, 'listening');
  try {
    const address = `http://127.0.0.1:${(other.address() as AddressInfo).port}`; // TCP: always an object.
    const running = sandbox.run(['mcp', '--start', '--vault', 'x'], { env: { BRAIN_URL: address } });
    await setTimeout(9_000);
    isOpen = true;
    expect(await running).toMatchObject({ code: 0, stderr: '' });
  } finally {
    other.closeAllConnections();
    other.close();
  }
}, 40_000);

it('hands a relative folder of settings on as the folder that this process means', async () => {
  const [port, vault] = [await freePort(), path.join(sandbox.folder, 'relative settings')];
  const client = new Client(port, vault, { BRAIN_CONFIG_DIR: 'own-config' });
  expect(await client.greet()).toMatchObject({ result: { serverInfo: { name: 'brain' } } });
  serverOf(vault);
  expect(existsSync(path.join(sandbox.folder, 'cwd/own-config/tokens.json'))).toBe(true);
  expect(existsSync(path.join(sandbox.folder, 'own-config'))).toBe(false);
  await client.end();
});

it('takes a vault below the home folder that no shell has written out', async () => {
  mkdirSync(path.join(sandbox.folder, 'below'));
  const client = new Client(await freePort(), '~/below/notes');
  await client.greet();
  serverOf(path.join(sandbox.folder, 'below/notes'));
  await client.end();
});

describe('serve --until-idle', () => {
  it('ends in good order when nobody has called for so long, and not before', async () => {
    // Six seconds: a pause stays well below them on a busy machine, and all pauses together are longer.
    const server = await sandbox.serve(['--until-idle', '0.1']);
    for (let round = 0; round < 5; round += 1) {
      await setTimeout(1_500);
      expect((await fetch(`${server.url}/health`)).status).toBe(200);
    }
    const { code, stderr } = await server.ended;
    expect([code, stderr]).toEqual([0, expect.stringContaining('"signal":"idle"')]);
  }, 60_000);

  it.each(['0', 'soon', '-1'])('refuses %s minutes', async (minutes) => {
    const { code, stderr } = await sandbox.run(['serve', '--until-idle', minutes]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--until-idle')]);
  });
});
