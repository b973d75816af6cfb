import { chmodSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, request, type Server } from 'node:http';
import { connect } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { startBridge } from '../../../src/headless/bridge/start';
import { Sandbox, type ServerProcess } from '../../headless/brain-process';
import { brainCommand } from '../../support/command-line';
import { freePort } from '../../support/free-port';
import { notOn } from '../../support/systems';

/** A program of another user of the machine listens where the owner's programs look for their server. */
let sandbox: Sandbox;
let real: ServerProcess;
let port: number;
let secrets: readonly string[];

const config = () => path.join(sandbox.folder, 'config');
const env = (url: string, more: Record<string, string> = {}) => ({
  ...sandbox.env,
  BRAIN_URL: url,
  ...more,
});
const serveReal = () => sandbox.serve(['--port', String(port)]);

beforeAll(async () => {
  sandbox = new Sandbox();
  port = await freePort();
  real = await serveReal();
  const { tokens } = JSON.parse(readFileSync(path.join(config(), 'tokens.json'), 'utf8'));
  secrets = tokens.map(({ token }: { token: string }) => token);
  expect(secrets).toHaveLength(2);
});
afterAll(() => sandbox.remove());

/** What a thief does with a request. */
const THIEVES = {
  'says that it is one': (_, res) => void res.writeHead(200, { 'X-Brain-API': '1' }).end('{"proof":"x"}'),
  'says so of every path but the proof': (req, res) =>
    void res
      .writeHead(req.url?.includes('/proof') ? 404 : 200, { 'X-Brain-API': '1' })
      .end('{"results":[],"status":"ok"}'),
  'passes everything on to the server': (req, res) => {
    const headers = { ...req.headers, host: `127.0.0.1:${port}` };
    const onward = request(
      { port, host: '127.0.0.1', path: req.url, method: req.method, headers },
      (answer) => {
        res.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(res);
      },
    );
    onward.on('error', () => res.destroy());
    req.pipe(onward);
  },
} satisfies Record<string, RequestListener>;

interface Thief {
  readonly url: string;
  /** All bytes that came in. */
  seen(): string;
  stop(): Promise<void>;
}

async function thief(listener: RequestListener, at = 0, host = '127.0.0.1'): Promise<Thief> {
  let text = '';
  const server: Server = createServer(listener);
  server.on('connection', (socket) => {
    socket.on('data', (bytes) => (text += String(bytes)));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(at, host, resolve);
  });
  const address = server.address();
  const own = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://${host}:${own}`,
    seen: () => text,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

const brain = (args: readonly string[], env: Record<string, string>) =>
  brainCommand(args, { env, input: 'Text.' });

/** Every command that calls the server. */
const CALLS: readonly (readonly string[])[] = [
  ['write', 'net', 'facts', 'mtu'],
  ['update', 'wiki/net/facts/mtu.md', '--reason', 'x'],
  ['capture', 'Text'],
  ['query', 'mtu'],
  ['search', 'mtu'],
  ['show', 'wiki/net/facts/mtu.md'],
  ['get', 'wiki/net/facts/mtu.md'],
  ['history', 'wiki/net/facts/mtu.md'],
  ['pass-rate'],
  ['list'],
  ['status'],
  ['answer', 'why'],
  ['context'],
  ['withdraw', 'raw/2026-11-01-a.md'],
  ['edit', 'wiki/net/facts/mtu.md', '--append', 'x'],
  ['ingest', 'Text'],
  ['ingest', '-'],
  ['job', 'x'],
  ['import', __filename, '--yes'],
  ['imports'],
  ['imports', 'show', 'x'],
  ['imports', 'adopt', 'x'],
  ['imports', 'take-back', 'x'],
  ['backfill-refs'],
  ['promote', 'raw/a.md', '--suggested'],
  ['adopt', 'Own/a.md', '--wing', 'net', '--hall', 'facts'],
  ['pending'],
  ['reject', 'raw/a.md', '--reason', 'x'],
  ['snooze', 'raw/a.md'],
  ['restore', 'raw/rejected/a.md'],
  ['unpromote', 'wiki/net/facts/mtu.md'],
  ['decisions'],
  ['index'],
  ['tunnels'],
  ['replace', 'raw/a.md', 'wiki/net/facts/mtu.md', '--reason', 'x'],
  ['confirm', 'wiki/net/facts/mtu.md'],
  ['move', 'wiki/net/facts/mtu.md', '--slug', 'mss'],
  ['backfill-embeddings'],
  ['embed', 'setup', '--url', 'http://127.0.0.1:1', '--try', 'x'],
  ['rules'],
  ['mend-links', '--dry-run'],
  ['attachments', 'on'],
  ['rules', 'try', 'x', '--by', 'y'],
  ['rules', 'on', 'x'],
  ['rules', 'off', 'x'],
  ['rules', 'remove', 'x'],
  ['forget', 'wiki/net/facts/mtu.md', '--dry-run'],
  ['undo', '--by', 'x', '--since', '1h'],
  ['undo', 'list'],
  ['undo', 'back', 'x'],
  ['doctor'],
];
/** The commands that call no server, and the bridge, which is tried below. */
const OTHERS = 'init serve store service token audit completion man help mcp hook'.split(' ');

it('knows every command', async () => {
  const { out } = await brain(['--help'], {});
  const list = out.slice(out.indexOf('Commands:'), out.indexOf('Environment:'));
  const named = [...list.matchAll(/^ {2}([a-z|-]+)/gm)].flatMap(([, names = '']) => names.split('|'));
  const known = new Set([...OTHERS, ...CALLS.map(([name]) => name)]);
  expect(named.filter((name) => !known.has(name))).toEqual([]);
});

it.each(Object.entries(THIEVES))('no command sends a token to one that %s', async (_, listener) => {
  const taker = await thief(listener);
  for (const args of CALLS) {
    const { code, err } = await brain(args, env(taker.url));
    expect([args, code, err]).toEqual([
      args,
      1,
      expect.stringContaining('has not proven to be a server of yours'),
    ]);
    expect(err).toContain('set BRAIN_TOKEN');
  }
  expect(taker.seen()).toContain('GET /proof?nonce=');
  expect(taker.seen()).not.toMatch(/authorization/i);
  await taker.stop();
});

it('serve tells nothing to who has its port, and asks without a token', async () => {
  const taker = await thief(THIEVES['passes everything on to the server']);
  const vault = path.join(sandbox.folder, 'second');
  const { port: taken } = new URL(taker.url);
  const { code, stderr } = await sandbox.run(['serve', '--vault', vault, '--port', taken], {
    env: { BRAIN_TOKEN: 'the-token-of-this-run-0123456789-0123456789' },
  });
  expect([code, stderr]).toEqual([1, expect.stringContaining(`Port ${taken} on 127.0.0.1 is in use by`)]);
  expect(stderr).not.toContain(sandbox.vault);
  expect(taker.seen()).not.toMatch(/authorization|the-token-of-this-run/i);
  await taker.stop();
});

it('a token that a person gives goes to the address that a person gives', async () => {
  const taker = await thief(THIEVES['says that it is one']);
  await brain(['pending'], env(taker.url, { BRAIN_TOKEN: 'given-by-hand' }));
  expect(taker.seen()).toContain('Bearer given-by-hand');
  expect(taker.seen()).not.toContain('/proof');
  await taker.stop();
});

/** The bridge as a client starts it. */
function bridge(url: string) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const ended = startBridge({ env: env(url), stdin, stdout, stderr });
  const lines = createInterface(stdout)[Symbol.asyncIterator]();
  let id = 0;
  return {
    async list(): Promise<unknown> {
      id += 1;
      stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list' })}\n`);
      return JSON.parse(String((await lines.next()).value));
    },
    end: () => {
      stdin.end();
      return ended;
    },
  };
}

it('neither a command nor a running bridge follows to who takes the port of a server that died', async () => {
  const url = `http://127.0.0.1:${port}`;
  const own = bridge(url);
  const answered = expect.objectContaining({ result: { tools: expect.any(Array) } });
  expect(await own.list()).toEqual(answered);
  await real.stop('SIGKILL');
  const taker = await thief(THIEVES['says that it is one'], port);
  expect(await own.list()).toMatchObject({ error: { message: expect.stringContaining('has not proven') } });
  expect(await brain(['query', 'x'], env(url))).toMatchObject({ code: 1 });
  expect(taker.seen()).toContain('/proof');
  expect(taker.seen()).not.toMatch(/authorization/i);
  await taker.stop();
  real = await serveReal();
  expect(await own.list()).toEqual(answered);
  await own.end();
});

it('the bridge gives nothing to one that passes all on', async () => {
  const taker = await thief(THIEVES['passes everything on to the server']);
  const own = bridge(taker.url);
  expect(await own.list()).toMatchObject({ error: { message: expect.stringContaining('has not proven') } });
  await own.end();
  for (const secret of secrets) expect(taker.seen()).not.toContain(secret);
  await taker.stop();
});

const onLinux = notOn(['win32', 'darwin'], 'all of 127.0.0.0/8 is this machine on Linux alone');
onLinux.it('no proof holds at another address with the same port', async () => {
  const taker = await thief(THIEVES['passes everything on to the server'], port, '127.0.0.2');
  expect(await brain(['pending'], env(taker.url))).toMatchObject({ code: 1 });
  expect(taker.seen()).toContain('/proof');
  for (const secret of secrets) expect(taker.seen()).not.toContain(secret);
  await taker.stop();
});

describe('the server itself is believed', () => {
  const works = async (url: string, more: Record<string, string> = {}) => {
    expect(await brain(['pending'], env(url, more))).toMatchObject({ code: 0 });
  };
  const socket = () => path.join(config(), `serve-${port}.sock`);
  const onPosix = notOn(['win32'], 'pipes have no files there');

  onPosix.it('over its local socket, which is for its port alone', async () => {
    await works(`http://localhost:${port}`);
    const moved = `${port === 65_535 ? port - 1 : port + 1}`;
    renameSync(socket(), path.join(config(), `serve-${moved}.sock`));
    // The socket is chosen by the port of the address, and proves the port of its server.
    const refused = await brain(['pending'], env(`http://127.0.0.1:${moved}`));
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('has not proven') });
    renameSync(path.join(config(), `serve-${moved}.sock`), socket());
  });

  onPosix.it('over its port, where others may enter the folder', async () => {
    chmodSync(config(), 0o755);
    await works(`http://127.0.0.1:${port}`);
    await works(`http://localhost:${port}`);
    chmodSync(config(), 0o700);
  });

  onPosix.it('where the path is too long for a socket', async () => {
    const long = path.join(sandbox.folder, 'l'.repeat(120));
    const at = await freePort();
    const server = await sandbox.serve(['--vault', path.join(sandbox.folder, 'third'), '--port', `${at}`], {
      BRAIN_CONFIG_DIR: long,
    });
    await works(server.url, { BRAIN_CONFIG_DIR: long });
    // A server of another folder is none of this one.
    expect(await brain(['pending'], env(server.url))).toMatchObject({ code: 1 });
    await server.stop();
  });

  onPosix.it('after a stop that left its socket behind', async () => {
    await real.stop();
    writeFileSync(socket(), '');
    real = await serveReal();
    await works(`http://127.0.0.1:${port}`);
    await real.stop('SIGKILL');
    real = await serveReal();
    await works(`http://127.0.0.1:${port}`);
  });
});

it('the proof tells nothing, has one form, and a connection gets one', async () => {
  const nonce = 'A'.repeat(43);
  const first = await fetch(`http://127.0.0.1:${port}/proof?nonce=${nonce}`);
  expect(await first.json()).toEqual({ proof: expect.stringMatching(/^[\w-]{43}$/) });
  for (const query of ['', '?nonce=', `?nonce=${nonce}A`, `?nonce=${nonce}&nonce=${nonce}`, '?nonce=%00'])
    expect((await fetch(`http://127.0.0.1:${port}/proof${query}`)).status).toBe(400);
  const ask = `GET /proof?nonce=${nonce} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`;
  const text = await new Promise<string>((resolve) => {
    let got = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(ask + ask));
    socket.on('data', (chunk) => {
      got += String(chunk);
      if (got.includes('rate_limited')) socket.destroy();
    });
    socket.on('close', () => resolve(got));
  });
  expect([...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(['200', '429']);
});
