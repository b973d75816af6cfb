import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type * as Locks from '../../../src/adapters/files/lock';
import { systemClock } from '../../../src/adapters/host/device';
import { openStorage as openNodeStorage } from '../../../src/adapters/vault/storage';
import { settleConfig } from '../../../src/core/config/config';
import { BrainService, type ServiceOptions } from '../../../src/plugin/server/service';
import { Sandbox } from '../../headless/brain-process';
import { createHost, type Host } from '../../obsidian/index';
import { DiskStorage } from '../../obsidian/storage/disk';
import { type ManualTime, manualTime } from '../../support/manual-later';
import { silentLog } from '../../support/silent-log';

const device = 'test';

/** What the locks of this file wait for between two looks. */
const mockLooks: (() => void)[] = [];
jest.mock('../../../src/adapters/files/lock', () => {
  const actual = jest.requireActual<typeof Locks>('../../../src/adapters/files/lock');
  const sleep = (): Promise<void> => new Promise((resolve) => mockLooks.push(resolve));
  const lockVault: typeof actual.lockVault = (root, options) => actual.lockVault(root, { ...options, sleep });
  return { ...actual, lockVault };
});

interface Subject {
  readonly host: Host;
  readonly service: BrainService;
  readonly time: ManualTime;
  readonly log: ReturnType<typeof silentLog>;
}

async function withService(root: string, work: (subject: Subject) => Promise<void>): Promise<void> {
  const host = await createHost({ storage: new DiskStorage(root) });
  await host.layoutReady();
  const time = manualTime();
  const log = silentLog();
  const options: ServiceOptions = {
    app: host.app,
    version: '0.0.0-test',
    env: { BRAIN_DEVICE: device },
    log,
    configure: async () => settleConfig({}, { port: 0 }),
    layout: { isDue: () => false, made: () => undefined },
    clock: time.clock,
    later: time.later,
  };
  const service = new BrainService(options);
  try {
    await work({ host, service, time, log });
  } finally {
    await service.stop();
    host.dispose();
  }
}

async function withFolder(work: (root: string) => Promise<void>): Promise<void> {
  const root = await realpath(await mkdtemp(path.join(tmpdir(), 'brain-lock-')));
  try {
    await work(root);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

it('keeps a headless server out, and lets it in afterwards', () =>
  withFolder((root) =>
    withService(root, async ({ service }) => {
      await service.start();
      expect(service.status.state).toBe('running');
      const opened = () =>
        openNodeStorage(root, { device, clock: systemClock, log: silentLog(), watch: false });
      await expect(opened()).rejects.toThrow(`in use by Obsidian (process ${process.pid} on `);
      await service.stop();
      await (await opened()).close();
    }),
  ));

it('brings to the disk what a run that was cut had changed lately, and nothing after one that ended well', () =>
  withFolder(async (root) => {
    const said: unknown[] = [];
    const start = (): Promise<void> =>
      withService(root, async ({ service, log }) => {
        await service.start();
        said.push(log.lines.find(({ event }) => event === 'sync.recent')?.fields);
      });
    await start();
    await writeFile(path.join(root, `.brain/local.${device}/lock`), '');
    await start();
    expect(said).toEqual([undefined, { synced: expect.any(Number) }]);
    expect(said[1]).not.toEqual({ synced: 0 });
  }));

it('waits for a headless server, says who it is, and takes over when it has ended', async () => {
  const sandbox = new Sandbox();
  try {
    const server = await sandbox.serve([], { BRAIN_DEVICE: device });
    await withService(sandbox.vault, async ({ service, time }) => {
      await service.start();
      expect(service.status).toMatchObject({
        state: 'waiting',
        for: 'vault',
        reason: expect.stringContaining(`in use by brain serve (process ${server.child.pid} on `),
      });
      expect(service.client).toBeNull();
      await server.stop();
      const running = new Promise<void>((resolve) => {
        service.onChange(() => {
          if (service.status.state === 'running') resolve();
        });
      });
      time.pass(1_000);
      await running;
      const refused = await sandbox.run(['serve', '--create', '--vault', sandbox.vault, '--port', '0'], {
        env: { BRAIN_DEVICE: device },
      });
      expect(refused.code).toBe(1);
      expect(refused.stderr).toContain(`in use by Obsidian (process ${process.pid} on `);
    });
  } finally {
    await sandbox.remove();
  }
});

it('closes a vault that another server took over while the app stood still, and waits for that server', () =>
  withFolder((root) =>
    withService(root, async ({ service, time }) => {
      await service.start();
      const { client } = service;
      const lock = path.join(root, `.brain/local.${device}/lock`);
      const own: unknown = JSON.parse(await readFile(lock, 'utf8'));
      // One of an earlier version, on another machine: it lives as long as its lock is new.
      const other = { ...Object(own), id: undefined, kind: 'serve', process: 'other boot/1' };
      await writeFile(lock, `${JSON.stringify(other)}\n`);
      const late = client?.call('write', { content: 'Too late.' });
      await expect(late).rejects.toMatchObject({ code: 'busy' });
      const until = (state: string): Promise<void> =>
        new Promise((resolve) => void service.onChange(() => service.status.state === state && resolve()));
      const waiting = until('waiting');
      for (const look of mockLooks.splice(0)) look();
      await waiting;
      expect(service.status).toMatchObject({
        for: 'vault',
        reason: expect.stringContaining(`in use by brain serve (process ${process.pid} on `),
      });
      await rm(lock);
      const running = until('running');
      time.pass(1_000);
      await running;
    }),
  ));

describe('while the vault is being read', () => {
  /** A vault of which no note is ever read to its end; resolves when the reading has begun and the server runs. */
  const reading = async ({ host, service }: Subject): Promise<void> => {
    for (let index = 0; index < 40; index += 1)
      await host.app.vault.create(`raw/n${index}.md`, `Note ${index}.`);
    await host.settle();
    const { vault } = host.app;
    const read = vault.readBinary.bind(vault);
    const begun = new Promise<void>((resolve) => {
      vault.readBinary = (file) => {
        if (!file.path.startsWith('raw/')) return read(file);
        resolve();
        return new Promise(() => undefined);
      };
    });
    await service.start();
    await begun;
    expect(service.status.state).toBe('running');
  };
  /** Resolves when the port and the vault can be had by another. */
  const isFree = async (root: string, port: number): Promise<void> => {
    const storage = await openNodeStorage(root, {
      device,
      clock: systemClock,
      log: silentLog(),
      watch: false,
    });
    await storage.close();
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject).listen(port, '127.0.0.1', resolve);
    });
    await new Promise((resolve) => server.close(resolve));
  };
  const portOf = ({ status }: BrainService): number => (status.state === 'running' ? status.port : 0);

  it.each(['stop', 'unload'] as const)(
    'gives back port and vault on %s, without waiting for the rest',
    (way) =>
      withFolder(async (root) => {
        await mkdir(path.join(root, 'raw'));
        await withService(root, async (subject) => {
          const { service } = subject;
          await reading(subject);
          const port = portOf(service);
          expect(port).toBeGreaterThan(0);
          if (way === 'unload') service.unload();
          await service.stop(); // After an unload only the end of what that began.
          await isFree(root, port);
        });
      }),
  );

  it('is taken over by the next page at once after a restart', () =>
    withFolder(async (root) => {
      await mkdir(path.join(root, 'raw'));
      await withService(root, async (subject) => {
        await reading(subject);
        await subject.service.restart();
        expect(subject.service.status.state).toBe('running');
      });
    }));
});
