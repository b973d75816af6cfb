import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { createServer, Server } from 'node:net';
import { systemClock } from '../../../src/adapters/host/device';
import { TokenFile } from '../../../src/adapters/host/token-file';
import { ConfigError, type Settings, settleConfig } from '../../../src/core/config/config';
import { clientFrom } from '../../../src/headless/terminal/client';
import { BrainService, type ServiceOptions } from '../../../src/plugin/server/service';
import { createHost, type Host, type HostOptions } from '../../obsidian/index';
import { freePort } from '../../support/free-port';
import { type ManualTime, manualTime } from '../../support/manual-later';
import { silentLog } from '../../support/silent-log';
import { withTempFolder } from '../../support/temp-folder';

const QUEUED = 'raw/2026-11-14-mtu.md';
const FILES = { [QUEUED]: '---\ntitle: Mtu\n---\n\nThe tunnel needs 1420.\n' };

interface Subject {
  readonly host: Host;
  readonly service: BrainService;
  readonly time: ManualTime;
  readonly log: ReturnType<typeof silentLog>;
  /** The settings of the next start. */
  settings: Settings;
  /** What a service of the same app and time, made after a reload, is made of. */
  readonly options: ServiceOptions & { readonly env: Record<string, string> };
}

const open: Subject[] = [];
afterEach(async () => {
  for (const { service, host } of open.splice(0)) {
    await service.stop();
    host.dispose();
  }
});

async function subject(options: HostOptions = {}, given?: Settings): Promise<Subject> {
  const settings = given ?? { port: await freePort() };
  const host = await createHost({ files: FILES, ...options });
  await host.layoutReady();
  const time = manualTime();
  const log = silentLog();
  let isDue = true;
  const env: Record<string, string> = { BRAIN_DEVICE: 'test' };
  const made: Subject['options'] = {
    app: host.app,
    version: '0.0.0-test',
    env,
    log,
    configure: async () => settleConfig({}, it.settings),
    layout: { isDue: () => isDue, made: () => (isDue = false) },
    clock: time.clock,
    later: time.later,
  };
  const it = { host, service: new BrainService(made), time, log, settings, options: made };
  open.push(it);
  return it;
}

/** Another program that holds a port. */
async function occupy(): Promise<{ port: number; leave: () => Promise<unknown> }> {
  const port = await freePort();
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { port, leave: () => once(server.close(), 'close') };
}

function health(url: string): Promise<number | string> {
  return fetch(`${url}/health`).then(
    ({ status }) => status,
    () => 'nobody',
  );
}

/** Resolves when the state has become the one that is waited for. */
async function until(service: BrainService, state: BrainService['status']['state']): Promise<void> {
  while (service.status.state !== state) {
    await new Promise<void>((resolve) => {
      const stop = service.onChange(() => {
        stop();
        resolve();
      });
    });
  }
}

describe('a service that is started', () => {
  it('serves the vault of the app over HTTP, to those who hold a token', async () => {
    const { service, host } = await subject();
    expect(service.state).toEqual({ kind: 'off' });
    expect(service.client).toBeNull();
    await service.start();
    const { status } = service;
    if (status.state !== 'running') throw new Error(`It is ${status.state}.`);
    expect(service.url).toBe(`http://127.0.0.1:${status.port}`);
    expect(await health(service.url)).toBe(200);
    const write = (token: string) =>
      fetch(`${service.url}/write`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          wing: 'net',
          hall: 'facts',
          filename: 'tunnel.md',
          content: 'It needs 1420.',
        }),
      });
    expect((await write('guessed')).status).toBe(401);
    const text = await service.tokens.add('laptop', ['read', 'write']);
    expect((await write(text)).status).toBe(200);
    expect(host.app.vault.getFileByPath('wiki/net/facts/tunnel.md')).not.toBeNull();
    expect(await host.textOf('wiki/net/facts/tunnel.md')).toMatch(/^written_by: laptop$/m);
    expect((await service.tokens.list()).find(({ name }) => name === 'laptop')?.last_used).toBeDefined();
  });

  it('proves to the command line and the bridge of this user that their tokens are for it', async () => {
    await withTempFolder(async (folder) => {
      const { service, options } = await subject();
      options.env.BRAIN_CONFIG_DIR = folder;
      await service.start();
      const env = { BRAIN_CONFIG_DIR: folder, BRAIN_URL: service.url };
      const proof = () => fetch(`${service.url}/proof?nonce=${'A'.repeat(43)}`);
      // It makes no file there: where no other server has started, there is no token to send.
      expect([(await proof()).status, await readdir(folder)]).toEqual([404, []]);
      const tokens = await TokenFile.open(folder, systemClock, silentLog());
      const text = await tokens.add('agent', ['read']);
      const client = await clientFrom({ env, command: 'brain' });
      expect((await client.call('pending')).value.total).toBe(1);
      // Other tokens of that folder are not the plugin's.
      const asAgent = await clientFrom({ env: { ...env, BRAIN_TOKEN: text ?? '' }, command: 'brain' });
      await expect(asAgent.call('pending')).rejects.toMatchObject({ code: 'unauthorized' });
    });
  });

  it('speaks MCP, to the owner as well', async () => {
    const { service } = await subject();
    await service.start();
    const answer = await fetch(`${service.url}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.tokens.ownerToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    expect(await answer.text()).toContain('brain_query');
  });

  it('tells the screens when the notes have been read: whoever asked before may have been sent away', async () => {
    const { service, host } = await subject();
    const { vault } = host.app;
    const read = vault.readBinary.bind(vault);
    let begin = (): void => undefined;
    const may = new Promise<void>((resolve) => (begin = resolve));
    vault.readBinary = async (file) => {
      if (file.path === QUEUED) await may;
      return read(file);
    };
    await service.start();
    await host.settle();
    // What was made at the start is told by now.
    await new Promise((resolve) => setTimeout(resolve, 500));
    let isRead = false;
    const told = new Promise<boolean>((resolve) => service.client?.changes(() => resolve(isRead)));
    isRead = true;
    begin();
    expect(await told).toBe(true);
    expect(await service.client?.call('pending', {})).toMatchObject({ total: 1 });
  });

  it('makes folders and guidance the first time, and not again', async () => {
    const { service, host } = await subject();
    await service.start();
    expect(
      host.app.vault
        .getAllFolders()
        .map(({ path }) => path)
        .sort(),
    ).toEqual(expect.arrayContaining(['inbox', 'knowledge', 'raw', 'sessions', 'wiki']));
    expect(await host.textOf('AGENTS.md')).toMatch(/^# How to use this vault/);
    await service.stop();
    await host.outside('AGENTS.md', null);
    await host.outside('knowledge', null);
    await host.settle();
    await service.start();
    expect(await host.textOf('AGENTS.md')).toBeNull();
    expect(await host.storage.stat('knowledge')).toBeNull();
  });

  it('lets the screens in as the person, and tells them of changes', async () => {
    const { service, host, settings } = await subject();
    Object.assign(settings, { humanName: 'anna' });
    await service.start();
    const { client } = service;
    if (client === null) throw new Error('The vault is not open.');
    expect((await client.call('pending', {})).total).toBe(1);
    const told = new Promise<void>((resolve) => void client.changes(resolve));
    const { path } = await client.call('promote', { path: QUEUED, wing: 'net', hall: 'facts' });
    await told;
    expect(await host.textOf(path)).toMatch(/^promoted_by: human:anna$/m);
    expect(host.systemTrash).toEqual([QUEUED]);
  });

  it('tells whoever wants to know of changes that were made', async () => {
    const it = await subject();
    const told: string[] = [];
    const service = new BrainService({ ...it.options, committed: ({ op }) => void told.push(op) });
    await service.start();
    await service.client?.call('promote', { path: QUEUED, wing: 'net', hall: 'facts' });
    expect(told).toEqual(['promote']);
    await service.stop();
  });
});

describe('a service that is stopped', () => {
  it('lets go of port, vault and app, and can be started again', async () => {
    const { service, host } = await subject();
    await service.start();
    const { url, client } = service;
    await service.stop();
    expect(service.state).toEqual({ kind: 'off' });
    expect(service.client).toBeNull();
    expect(await health(url)).toBe('nobody');
    await expect(client?.call('pending', {})).rejects.toMatchObject({ code: 'unreachable' });
    expect(host.leaks().events).toEqual([]);
    await service.start();
    expect(await health(service.url)).toBe(200);
  });

  it.each<[string, (service: BrainService) => Promise<void>[], 'running' | 'stopped']>([
    ['start, start', (s) => [s.start(), s.start()], 'running'],
    ['start, stop', (s) => [s.start(), s.stop()], 'stopped'],
    ['start, stop, start', (s) => [s.start(), s.stop(), s.start()], 'running'],
    ['restart, restart', (s) => [s.restart(), s.restart()], 'running'],
    ['restart, stop', (s) => [s.restart(), s.stop()], 'stopped'],
    ['stop, start', (s) => [s.stop(), s.start()], 'running'],
  ])('or not: the last one who asked has it (%s)', async (_, ask, expected) => {
    const { service, log } = await subject();
    await Promise.all(ask(service));
    expect(service.status.state).toBe(expected);
    if (expected === 'running') expect(await health(service.url)).toBe(200);
    expect(log.lines.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it.each(['configure', 'layout'] as const)(
    'is stopped also in the middle of its start (%s)',
    async (moment) => {
      const it = await subject();
      const stopped: Promise<void>[] = [];
      const service: BrainService = new BrainService({
        ...it.options,
        configure: () => {
          if (moment === 'configure') stopped.push(service.stop());
          return it.options.configure();
        },
        layout: {
          isDue: () => {
            if (moment === 'layout') stopped.push(service.stop());
            return false;
          },
          made: () => undefined,
        },
      });
      await service.start();
      await Promise.all(stopped);
      expect(stopped).toHaveLength(1);
      expect(service.status).toEqual({ state: 'stopped' });
      expect(service.client).toBeNull();
      expect(it.time.waiting).toBe(0);
      expect(it.host.leaks().events).toEqual([]);
    },
  );

  it('takes over new settings when it is started again', async () => {
    const it = await subject();
    await it.service.start();
    const { port, leave } = await occupy();
    await leave();
    it.settings = { port };
    await it.service.restart();
    expect(it.service.status).toMatchObject({ state: 'running', port });
  });
});

describe('a port that another program has', () => {
  it('is tried again and again, at longer and longer intervals, until it is free', async () => {
    const other = await occupy();
    const { service, time } = await subject({}, { port: other.port });
    await service.start();
    for (const seconds of [1, 2, 5, 10, 30, 30]) {
      expect(service.status).toMatchObject({
        state: 'waiting',
        for: 'port',
        reason: expect.stringContaining(`Port ${other.port}`),
        nextTry: new Date(time.clock.now().getTime() + seconds * 1000),
      });
      time.pass(seconds * 1000 - 1);
      const tried = new Promise<void>((resolve) => {
        const stop = service.onChange(() => {
          stop();
          resolve();
        });
      });
      time.pass(1);
      await tried;
    }
    await other.leave();
    time.pass(30_000);
    await until(service, 'running');
    expect(await health(service.url)).toBe(200);
  });

  it('does not keep the person from the vault', async () => {
    const other = await occupy();
    const { service } = await subject({}, { port: other.port });
    await service.start();
    expect(service.state).toMatchObject({ kind: 'failed', message: expect.stringContaining('is in use') });
    expect((await service.client?.call('pending', {}))?.total).toBe(1);
    await other.leave();
  });

  it('is tried at once when the person asks, and no more when they stop it', async () => {
    const other = await occupy();
    const { service, time } = await subject({}, { port: other.port });
    await service.start();
    await service.stop();
    expect(time.waiting).toBe(0);
    await service.start();
    await other.leave();
    await service.start();
    expect(service.status).toMatchObject({ state: 'running', port: other.port });
  });
});

describe('settings that cannot be used', () => {
  it('are named, nothing is opened, and mending them is enough', async () => {
    const it = await subject({}, { port: 0, embedUrl: 'http://127.0.0.1:11434' });
    const before = await it.host.paths(true);
    await it.service.start();
    expect(it.service.state).toEqual({
      kind: 'failed',
      message: expect.stringContaining('"Postgres" is not'),
    });
    expect(it.service.client).toBeNull();
    expect(await it.host.paths(true)).toEqual(before);
    expect(it.time.waiting).toBe(0);
    it.settings = { port: 0 };
    await it.service.restart();
    expect(it.service.status.state).toBe('running');
  });

  it('are refused when they would hand the vault to the network', async () => {
    const { service, host } = await subject({}, { port: 0, host: '0.0.0.0', auth: false });
    await service.start();
    expect(service.state).toEqual({ kind: 'failed', message: expect.stringContaining('BRAIN_AUTH is off') });
    expect(await host.paths(true)).toEqual([QUEUED]);
  });

  it('leave the vault open when only the address is wrong', async () => {
    const { service } = await subject({}, { port: 0, host: '192.0.2.1' });
    await service.start();
    expect(service.state).toEqual({ kind: 'failed', message: expect.stringContaining('192.0.2.1') });
    expect((await service.client?.call('pending', {}))?.total).toBe(1);
  });

  it('are told in their own words, whoever refuses them', async () => {
    const it = await subject();
    const service = new BrainService({
      ...it.options,
      configure: () => Promise.reject(new ConfigError('The file cannot be read.')),
    });
    await service.start();
    expect(service.state).toEqual({ kind: 'failed', message: 'The file cannot be read.' });
  });
});

it('says so when the vault cannot be used', async () => {
  const ways = {
    'layout "9"': { '.brain/version': '9\n' },
    'The device other writes': { '.brain/past/other.a1.1.jsonl': '\n{"v":99,"min_reader":99}\n' },
  };
  for (const [said, files] of Object.entries(ways)) {
    const newer = await subject({ files });
    await newer.service.start();
    expect(newer.service.state).toEqual({ kind: 'failed', message: expect.stringContaining(said) });
    expect(newer.service.client).toBeNull();
    expect(newer.host.leaks().events).toEqual([]);
  }
});

it('waits for a vault that cannot be read, and reads it again by itself', async () => {
  const { service, host, log } = await subject();
  // The first start makes the folders.
  await service.start();
  await service.stop();
  const { vault } = host.app;
  const works = vault.getFolderByPath.bind(vault);
  vault.getFolderByPath = (path) => {
    if (path === 'raw') throw new Error('The tree is broken.');
    return works(path);
  };
  await service.start();
  const failure = { event: 'catalog.load', fields: { message: 'The tree is broken.' } };
  // The failure is logged in a later turn of the event loop.
  while (!log.lines.some(({ event }) => event === 'catalog.load'))
    await new Promise((resolve) => setImmediate(resolve));
  expect(log.lines).toContainEqual(expect.objectContaining(failure));
  expect(service.state).toMatchObject({ kind: 'running' });
  const told = new Promise<void>((resolve) => service.client?.changes(resolve));
  vault.getFolderByPath = works;
  await told;
  expect(await service.client?.call('pending', {})).toMatchObject({ total: 1 });
});

describe('at the end of the plugin', () => {
  it('the port is free at once, and the next one may have the vault soon', async () => {
    const other = await occupy();
    const it = await subject({}, { port: other.port });
    await other.leave();
    await it.service.start();
    it.service.unload();
    const next = new BrainService(it.options);
    await next.start();
    expect(next.status).toMatchObject({ state: 'running', port: other.port });
    expect(await health(next.url)).toBe(200);
    await next.stop();
  });

  it('nothing goes on that was being started', async () => {
    const { service, host, time } = await subject();
    const started = service.start();
    service.unload();
    await started;
    await service.stop();
    expect(service.status).toEqual({ state: 'stopped' });
    expect(time.waiting).toBe(0);
    expect(host.leaks().events).toEqual([]);
  });
});

describe('a server that has lost its socket', () => {
  /** Every socket that listens while `work` runs. */
  async function socketsOf(work: () => Promise<void>): Promise<Server[]> {
    const sockets: Server[] = [];
    const { listen } = Server.prototype;
    const spy = jest.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server, ...args) {
      sockets.push(this);
      return Reflect.apply(listen, this, args);
    });
    await work();
    spy.mockRestore();
    return sockets;
  }

  it('is opened again within a minute, also after a sleep', async () => {
    const { service, time, log } = await subject();
    const [socket] = await socketsOf(() => service.start());
    time.pass(60_000);
    await service.start();
    expect(log.lines.filter(({ event }) => event === 'service.silent')).toEqual([]);
    socket?.close();
    expect(await health(service.url)).toBe('nobody');
    const again = new Promise<void>((resolve) => {
      const stop = service.onChange(() => {
        stop();
        resolve();
      });
    });
    time.sleep(3_600_000);
    time.pass(10_000);
    await again;
    await until(service, 'running');
    expect(await health(service.url)).toBe(200);
    expect(log.lines.filter(({ event }) => event === 'service.silent')).toHaveLength(1);
  });
});
