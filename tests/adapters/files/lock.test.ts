import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFile,
  readdir,
  readFile,
  readlink,
  rename,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { nodeFileSystem } from '../../../src/adapters/files/file-system';
import { lockVault } from '../../../src/adapters/files/lock';
import { localFolder, prepareState } from '../../../src/adapters/files/state-folder';
import { faultyFileSystem } from '../../support/faulty-file-system';
import { fixedClock } from '../../support/fixed-clock';
import { withTempFolder } from '../../support/temp-folder';
import { notOn } from '../../support/systems';

const marks = notOn(['win32', 'darwin'], 'the system does not tell when a process began');

const device = 'test';
const clock = fixedClock();

function withState(work: (root: string, folder: string) => Promise<void>): Promise<void> {
  return withTempFolder(async (root) => {
    await prepareState(root, { device });
    await work(root, localFolder(root, device));
  });
}

/** Number of a process that has ended. */
function deadProcess(): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['-e', '']);
    child.on('error', reject).on('exit', () => resolve(child.pid ?? 0));
  });
}

/**
 * Calls `work` with the lock of a process that has ended, whose parent has not asked how, so that its number is still taken.
 * Its name looks like the state of one that runs. It ends once the shell, which would ask, has become another program.
 */
async function withUnreaped(folder: string, work: (lock: string) => Promise<void>): Promise<void> {
  const program = path.join(folder, 'ended) S (1');
  await symlink('/bin/true', program);
  const parent = spawn('sh', ['-c', '(sleep 0.2; exec "$0") & echo $!; exec sleep 60', program]);
  try {
    const [said] = await once(parent.stdout, 'data');
    const pid = Number(String(said));
    for (;;) {
      const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
      const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (state !== 'Z') continue;
      const boot = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
      const mark = `${boot}/${rest[18]}`;
      const namespace = await readlink('/proc/self/ns/pid');
      return await work(JSON.stringify({ ...unseen, pid, host: hostname(), process: mark, namespace }));
    }
  } finally {
    parent.kill('SIGKILL');
  }
}

async function locks(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.startsWith('lock')).sort();
}

/** The lock of a process that this one cannot see: nothing but an answer tells whether it lives. */
const unseen = {
  id: 'x',
  kind: 'serve',
  pid: 7,
  host: 'elsewhere',
  started: '2026-11-19T08:00:00Z',
  process: 'other boot/1',
  namespace: 'pid:[7]',
};

/** Waits as long as the disk takes, and calls `look` before each look of a seeker. */
function quickly(look: (count: number) => Promise<void> = async () => undefined) {
  let count = 0;
  return async (_ms: number, isIdle: boolean): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    if (!isIdle) await look((count += 1));
  };
}

/** What a lock of this very process says of it. */
async function ofThisProcess(root: string): Promise<Record<string, unknown>> {
  const lock = await lockVault(root, { device, clock });
  const text = await readFile(path.join(localFolder(root, device), 'lock'), 'utf8');
  await lock.release();
  return JSON.parse(text);
}

describe('lockVault', () => {
  it('lets one in, says who it is, and lets the next in afterwards', () =>
    withState(async (root, folder) => {
      const first = await lockVault(root, { device, clock });
      const held = lockVault(root, { device, clock });
      await expect(held).rejects.toThrow(
        `in use by process ${process.pid} on ${hostname()} since 2026-11-20 10:32 UTC. Stop that one first.`,
      );
      await expect(held).rejects.toMatchObject({ name: 'VaultInUse' });
      await first.release();
      expect(await locks(folder)).toEqual([]);
      await (await lockVault(root, { device, clock })).release();
      expect(await readdir(path.join(folder, 'tmp'))).toEqual([]);
    }));

  it.each([
    ['obsidian', 'Obsidian', 'Stop the server in its settings for Brain Server, or close that vault first.'],
    ['serve', 'brain serve', 'Stop that server first.'],
  ] as const)('says that it is %s', (kind, name, way) =>
    withState(async (root) => {
      const first = await lockVault(root, { device, clock, kind });
      await expect(lockVault(root, { device, clock })).rejects.toThrow(
        `in use by ${name} (process ${process.pid} on ${hostname()}) since 2026-11-20 10:32 UTC. ${way}`,
      );
      await first.release();
    }),
  );

  it('understands the lock of a version that has a further kind, or did not know of any', () =>
    withState(async (root, folder) => {
      for (const kind of ['phone', undefined]) {
        const first = await lockVault(root, { device, clock });
        const file = path.join(folder, 'lock');
        const text = await readFile(file, 'utf8');
        const written: unknown = JSON.parse(text);
        expect(written).not.toHaveProperty('kind');
        await writeFile(file, JSON.stringify({ ...Object(written), kind }));
        await expect(lockVault(root, { device, clock })).rejects.toThrow(`by process ${process.pid} on`);
        await writeFile(file, text);
        await first.release();
      }
    }));

  describe('that another device has taken', () => {
    const other = 'other';
    /** Takes the lock of the other device and tells it to be of another machine. */
    async function onAnotherMachine(
      root: string,
      change: (lock: Record<string, unknown>) => object = () => ({}),
    ) {
      await prepareState(root, { device: other });
      await (await lockVault(root, { device: other, clock, kind: 'serve' })).release();
      const file = path.join(localFolder(root, other), 'lock');
      await writeFile(file, '');
      const { ino } = await stat(file);
      const lock = { ...unseen, file: String(ino) };
      await writeFile(file, JSON.stringify({ ...lock, ...change(lock) }));
      return file;
    }

    it('is refused on the same folder of the same machine, until it ends', () =>
      withState(async (root, folder) => {
        await prepareState(root, { device: other });
        const first = await lockVault(root, { device: other, clock, kind: 'serve' });
        await expect(lockVault(root, { device, clock })).rejects.toMatchObject({
          name: 'VaultInUse',
          message: expect.stringMatching(
            /^The same folder is in use by brain serve on another device \(other: process \d+ on .*Two servers on one folder/,
          ),
        });
        expect(await locks(folder)).toEqual([]);
        await first.release();
        await (await lockVault(root, { device, clock })).release();
      }));

    it('is refused on the same folder of another machine that answers, and not of one that is silent', () =>
      withState(async (root, folder) => {
        const file = await onAnotherMachine(root);
        const sleep = quickly(async (count) => {
          if (count !== 3) return;
          expect(await readFile(file, 'utf8')).toMatch(/\}\t$/);
          await appendFile(file, '\n');
        });
        await expect(lockVault(root, { device, clock, sleep })).rejects.toThrow(
          /other: process 7 on elsewhere/,
        );
        expect(await locks(folder)).toEqual([]);
        // Both devices are asked at the same time, and only once: the silent one is removed, so it finds itself replaced later.
        await writeFile(path.join(folder, 'lock'), `${JSON.stringify(unseen)}\n`);
        let looks = 0;
        const count = quickly(async (each) => void (looks = each));
        for (let start = 0; start < 2; start += 1) {
          await (await lockVault(root, { device, clock, sleep: count })).release();
          expect(looks).toBe(60);
          expect(await locks(path.dirname(file))).toEqual([]);
        }
      }));

    it.each<[string, (lock: Record<string, unknown>) => object]>([
      [
        'a copy of the folder, which a sync program keeps in step',
        ({ file }) => ({ file: `1${String(file)}` }),
      ],
      ['a version that told nothing of it', () => ({ file: undefined })],
    ])('is let be on %s', (_, change) =>
      withState(async (root) => {
        const file = await onAnotherMachine(root, change);
        const text = await readFile(file, 'utf8');
        await (await lockVault(root, { device, clock })).release();
        expect(await readFile(file, 'utf8')).toBe(text);
      }),
    );
  });

  it('answers who asks, and writes nothing else', () =>
    withState(async (root, folder) => {
      const lock = await lockVault(root, { device, clock, sleep: quickly() });
      const file = path.join(folder, 'lock');
      const [text, { mtimeMs }] = [await readFile(file, 'utf8'), await stat(file)];
      for (let look = 0; look < 100; look += 1) await new Promise((resolve) => setImmediate(resolve));
      expect((await stat(file)).mtimeMs).toBe(mtimeMs);
      await appendFile(file, '\t');
      while ((await readFile(file, 'utf8')) !== `${text}\t\n`)
        await new Promise((resolve) => setImmediate(resolve));
      expect(await lock.holds()).toBe(true);
      await lock.release();
      expect(await locks(folder)).toEqual([]);
    }));

  it('tells a service that was replaced, once, and leaves the lock of the other', () =>
    withState(async (root, folder) => {
      const onLost = jest.fn();
      const lock = await lockVault(root, { device, clock, sleep: quickly(), onLost });
      const [state, away] = [path.dirname(folder), path.join(root, 'away')];
      await rename(state, away);
      expect(await lock.holds()).toBe(false);
      // Its disk may only be away.
      for (let look = 0; look < 100; look += 1) await new Promise((resolve) => setImmediate(resolve));
      expect(onLost).not.toHaveBeenCalled();
      await rename(away, state);
      expect(await lock.holds()).toBe(true);

      await rename(path.join(folder, 'lock'), path.join(folder, 'lock.1'));
      const taken = `${JSON.stringify(unseen)}\n`;
      await writeFile(path.join(folder, 'lock.1'), taken);
      while (onLost.mock.calls.length === 0) await new Promise((resolve) => setImmediate(resolve));
      await lock.release();
      expect(await readFile(path.join(folder, 'lock.1'), 'utf8')).toBe(taken);
      expect(onLost).toHaveBeenCalledTimes(1);
    }));

  it.each<[string, (root: string) => Promise<string>]>([
    [
      'whose process has ended',
      async (root) => JSON.stringify({ ...(await ofThisProcess(root)), pid: await deadProcess() }),
    ],
    ['that was cut while it was written', async () => '{"pid":12'],
    ['that is empty', async () => ''],
    ['that holds something else', async () => '[]'],
  ])('takes over a lock %s', (_, content) =>
    withState(async (root, folder) => {
      await writeFile(path.join(folder, 'lock'), await content(root));
      const lock = await lockVault(root, { device, clock });
      expect(await locks(folder)).toEqual(['lock.1']);
      await expect(lockVault(root, { device, clock })).rejects.toMatchObject({ name: 'VaultInUse' });
      await lock.release();
      expect(await locks(folder)).toEqual([]);
    }),
  );

  marks.it('takes over a lock whose number another process has now', () =>
    withState(async (root, folder) => {
      const own = await ofThisProcess(root);
      const mark = String(own.process).replace(/[^/]*$/, '1');
      const left = { ...own, pid: process.ppid, process: mark };
      await writeFile(path.join(folder, 'lock'), JSON.stringify(left));
      const lock = await lockVault(root, { device, clock });
      expect(await locks(folder)).toEqual(['lock.1']);
      await lock.release();
    }),
  );

  marks.it('takes over the lock of one that nobody has reaped', () =>
    withState((root, folder) =>
      withUnreaped(path.dirname(folder), async (content) => {
        await writeFile(path.join(folder, 'lock'), content);
        const lock = await lockVault(root, { device, clock });
        expect(await locks(folder)).toEqual(['lock.1']);
        await lock.release();
      }),
    ),
  );

  it('takes over what the page before left in this process: a window that is loaded anew keeps its number', () =>
    withState(async (root, folder) => {
      await lockVault(root, { device, clock }); // Never let go: the page was gone before it could.
      const file = path.join(folder, 'lock');
      const left: unknown = JSON.parse(await readFile(file, 'utf8'));
      expect(left).toMatchObject({ pid: process.pid, began: performance.timeOrigin });
      await writeFile(file, JSON.stringify({ ...Object(left), began: performance.timeOrigin - 1000 }));
      const lock = await lockVault(root, { device, clock });
      expect(await locks(folder)).toEqual(['lock.1']);
      await lock.release();
    }));

  it.each([
    ['whose number is of another namespace, as of a Flatpak or a container', { namespace: 'pid:[7]' }],
    ['of a container with another name', { host: 'elsewhere', namespace: 'pid:[7]' }],
    ['of another machine', { host: 'elsewhere', process: 'other boot/1', namespace: 'pid:[7]' }],
    ['of the machine before it was started anew', { host: 'elsewhere', process: 'other boot/1' }],
  ])('takes over one %s when it gives no answer, and only then', (_, change) =>
    withState(async (root, folder) => {
      const file = path.join(folder, 'lock');
      // The number of the process means one that runs here.
      await writeFile(
        file,
        `${JSON.stringify({ ...(await ofThisProcess(root)), kind: 'obsidian', ...change })}\n`,
      );
      const answer = async (count: number) => (count === 60 ? appendFile(file, '\n') : undefined);
      const take = (sleep: ReturnType<typeof quickly>) =>
        lockVault(root, { device, clock, kind: 'serve', sleep });
      await expect(take(quickly(answer))).rejects.toThrow('in use by Obsidian');
      expect(await locks(folder)).toEqual(['lock']);
      const lock = await take(quickly());
      expect(lock.tookOverAt).not.toBeNull();
      await lock.release();
      expect(await locks(folder)).toEqual([]);
    }),
  );

  marks.it('takes over one that somebody has stopped, which then changes nothing more', () =>
    withState(async (root, folder) => {
      const child = spawn('sleep', ['60']);
      try {
        const file = path.join(folder, 'lock');
        const stat = await readFile(`/proc/${child.pid}/stat`, 'utf8');
        const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
        const own = await ofThisProcess(root);
        const mark = String(own.process).replace(/[^/]*$/, `${ticks}`);
        await writeFile(file, `${JSON.stringify({ ...own, pid: child.pid, process: mark })}\n`);
        await expect(lockVault(root, { device, clock })).rejects.toThrow(`process ${child.pid} on`);
        child.kill('SIGSTOP');
        while (!/\) T /.test(await readFile(`/proc/${child.pid}/stat`, 'utf8')));
        await (await lockVault(root, { device, clock, sleep: quickly() })).release();
        expect(await locks(folder)).toEqual([]);
      } finally {
        child.kill('SIGKILL');
      }
    }),
  );

  it('leaves the lock of an earlier version, which answers no question, while that is written again', () =>
    withState(async (root, folder) => {
      const file = path.join(folder, 'lock');
      await writeFile(file, `${JSON.stringify({ ...unseen, id: undefined })}\n`);
      // The clock of the disk counts, which may not be that of this machine.
      const otherClock = jest.spyOn(Date, 'now').mockReturnValue(0);
      await expect(lockVault(root, { device, clock })).rejects.toThrow(
        '(process 7 on elsewhere) since 2026-11-19 08:00 UTC',
      );
      otherClock.mockRestore();
      const old = new Date(Date.now() - 4 * 60_000);
      await utimes(file, old, old);
      await (await lockVault(root, { device, clock })).release();
    }));

  it.each(['', '{"pid":1'])('lets one of many in at once, over the dead lock %j', (dead) =>
    withState(async (root, folder) => {
      if (dead !== '') await writeFile(path.join(folder, 'lock'), dead);
      for (let round = 0; round < 20; round += 1) {
        const got = await Promise.allSettled(
          Array.from({ length: 8 }, () => lockVault(root, { device, clock })),
        );
        const inside = got.filter((each) => each.status === 'fulfilled');
        expect(inside).toHaveLength(1);
        for (const each of inside) await each.value.release();
      }
      const last = await lockVault(root, { device, clock });
      expect(await locks(folder)).toHaveLength(1);
      await last.release();
    }),
  );

  it('tells a service whose folder was removed from a disk that is there', () =>
    withState(async (root, folder) => {
      const lost = new Promise<void>((onLost) => {
        void lockVault(root, { device, clock, sleep: quickly(), onLost }).then(() =>
          rename(folder, path.join(root, 'away')),
        );
      });
      await lost;
    }));

  it.each(['unlink', 'open'])(
    'can be taken again by the process that could not let go, as %s failed',
    (only) =>
      withState(async (root, folder) => {
        const fs = faultyFileSystem();
        const left = await lockVault(root, { device, clock, fs, sleep: quickly() });
        fs.arm({ only, call: 1, kind: 'error-before', code: 'EIO', times: 3 });
        await expect(left.release()).rejects.toThrow('EIO');
        fs.arm();
        expect(await left.holds()).toBe(false);
        expect(await locks(folder)).toEqual(['lock']);
        await (await lockVault(root, { device, clock, sleep: quickly() })).release();
        expect(await locks(folder)).toEqual([]);
      }),
  );

  it.each(['EEXIST', 'EIO'])('can be taken where the drive loses the answer to the link (%s)', (code) =>
    withState(async (root, folder) => {
      const fs = faultyFileSystem();
      fs.arm({ only: 'link', call: 1, kind: 'error-after', code });
      const options = { device, clock, fs, sleep: quickly() };
      const first = await lockVault(root, options).catch(() => null);
      expect(first !== null).toBe(code === 'EEXIST');
      // What a failed call left behind is no live server.
      const lock = first ?? (await lockVault(root, options));
      await expect(lockVault(root, options)).rejects.toMatchObject({ name: 'VaultInUse' });
      await lock.release();
      expect(await locks(folder)).toEqual([]);
    }),
  );

  it('works where there are no hard links', () =>
    withState(async (root) => {
      const fs = faultyFileSystem();
      fs.arm({ only: 'link', call: 1, kind: 'error-before', code: 'EPERM', times: 100 });
      const lock = await lockVault(root, { device, clock, fs });
      await expect(lockVault(root, { device, clock, fs })).rejects.toMatchObject({ name: 'VaultInUse' });
      await lock.release();
    }));

  marks.it('can be taken after a crash at any call, once the process has gone', () =>
    withState(async (root, folder) => {
      let hit = true;
      for (let call = 1; hit; call += 1) {
        const fs = faultyFileSystem();
        fs.arm({ call, kind: 'crash-after' });
        const lock = await lockVault(root, { device, clock, fs }).catch(() => null);
        hit = fs.hit;
        await fs.abandon();
        await lock?.release().catch(() => undefined);
        for (const name of await locks(folder)) {
          // The process that wrote it is this one, which lives: make it look like one that does not.
          const text = await readFile(path.join(folder, name), 'utf8');
          await writeFile(path.join(folder, name), text.replace(/"began":[\d.]+/, '"began":1'));
        }
        const next = await lockVault(root, { device, clock, fs: nodeFileSystem });
        await next.release();
      }
      expect(await locks(folder)).toEqual([]);
    }),
  );
});
