import fc from 'fast-check';
import { mkdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { OwnWrites, StatCache } from '../../../src/adapters/vault/vault';
import type { FileEntry, FileStat } from '../../../src/core/ports/ports';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { type NodeVault, openVault } from '../../support/node-vault-subject';
import { silentLog } from '../../support/silent-log';
import { withTempFolder } from '../../support/temp-folder';

const device = 'test';

describe('what was changed before anyone watched', () => {
  const NAMES = ['wiki/a.md', 'wiki/b.md', 'wiki/c.md'].map(vaultPath);
  type Step = readonly [
    act: 'look' | 'read' | 'write' | 'put old' | 'put alike' | 'remove' | 'wait',
    file: 0 | 1 | 2,
  ];
  const step: fc.Arbitrary<Step> = fc.tuple(
    fc.constantFrom('look', 'read', 'write', 'put old', 'put alike', 'remove', 'wait'),
    fc.constantFrom(0, 1, 2),
  );

  it('is told of every file whose last reading is not what stands there now', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 40 }),
        fc.constantFrom(1, 4, 1_000, 2_000),
        fc.boolean(),
        async (steps, tick, tellsCtime) => {
          const looks = new StatCache();
          let now = Date.now();
          let version = 0;
          const disk = new Map<string, { mtime: number; ctime: number; size: number; version: number }>();
          /** Every text has the same size: only the time can tell two apart. */
          const inTicks = (time: number): number => Math.floor(time / tick) * tick;
          const put = (name: string, mtime: number, ctime = now) =>
            disk.set(name, {
              mtime: inTicks(mtime),
              ctime: inTicks(ctime),
              size: 1,
              version: (version += 1),
            });
          const statOf = ({
            mtime,
            ctime,
            size,
          }: {
            mtime: number;
            ctime: number;
            size: number;
          }): FileStat => (tellsCtime ? { mtime, size, ctime } : { mtime, size });
          const read = new Map<string, number>();
          const looked = new Set<string>();
          NAMES.forEach((name, index) => put(name, now - 10_000_000 - index, now - 10_000_000 - index));
          for (const [act, file] of steps) {
            const name = NAMES[file] ?? vaultPath('');
            const stands = disk.get(name);
            if (act === 'wait') now += 700;
            else if (act === 'write') put(name, now);
            // As `cp -p` and `mv` do: the file that takes the place is older.
            else if (act === 'put old') put(name, now - 5_000_000 - version * 10_000);
            // With the very time and size of the one before, which only the system's own time tells.
            else if (act === 'put alike') put(name, tellsCtime && stands ? stands.mtime : now);
            else if (act === 'remove') disk.delete(name);
            else if (stands !== undefined && act === 'look')
              looks.add((looked.add(name), name), statOf(stands));
            else if (stands !== undefined && looked.has(name)) read.set(name, stands.version);
          }
          const entries = async function* (): AsyncGenerator<FileEntry> {
            for (const [name, file] of disk) yield { path: vaultPath(name), ...statOf(file) };
          };
          const told = new Map<string, string>();
          for await (const { path: name, kind } of looks.changes('wiki', entries())) told.set(name, kind);
          for (const name of NAMES) {
            const stands = disk.get(name);
            const isOld = read.has(name) && read.get(name) !== stands?.version;
            if (isOld) expect([name, told.get(name)]).toEqual([name, stands ? 'changed' : 'removed']);
          }
        },
      ),
      { numRuns: 1_000 },
    ));

  it('leaves out what is as it was, and says nothing of other folders', async () => {
    const looks = new StatCache();
    const old = { mtime: Date.now() - 60_000, size: 3 };
    const [a, raw] = [vaultPath('wiki/a.md'), vaultPath('raw/a.md')];
    looks.add(a, old);
    looks.add(raw, old);
    const told = [];
    for await (const change of looks.changes(
      'wiki',
      (async function* () {
        yield { path: a, ...old };
      })(),
    ))
      told.push(change);
    expect(told).toEqual([]);
  });
});

describe('opening a vault with many notes', () => {
  const MANY = 1_500;
  const long = new Date('2026-01-01T00:00:00Z');

  it('does not wait until they are watched, and loses no change made meanwhile', () =>
    withTempFolder(async (root) => {
      const at = (name: string) => path.join(root, 'wiki/net/facts', name);
      await mkdir(path.dirname(at('x')), { recursive: true });
      for (let index = 0; index < MANY; index += 1) {
        await writeFile(at(`n${index}.md`), 'x');
        await utimes(at(`n${index}.md`), long, long);
      }
      // Nobody can set the time that the system keeps of the files, so it is a minute later.
      const minute = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000);
      // A watch that is faster than the listing would tell of what nobody has asked for yet.
      let begin: () => void = () => undefined;
      const watchAfter = new Promise<void>((resolve) => (begin = resolve));
      const vault = await openVault(root, { device, watch: silentLog(), watchAfter });
      minute.mockRestore();
      let isWatching = false;
      void vault.watching.then(() => (isWatching = true));
      const told = new Map<string, string>();
      vault.changes(({ kind, path: name }) => told.set(path.basename(name), kind));
      const known = [];
      for await (const entry of vault.list('wiki')) known.push(entry.path);
      expect([known.length, isWatching]).toEqual([MANY, false]);
      begin();

      await writeFile(at('n7.md'), 'y');
      await rm(at('n8.md'));
      await writeFile(at('new.md'), 'z');
      await writeFile(at('n9.md'), 'y');
      await utimes(at('n9.md'), long, new Date('2026-02-01T00:00:00Z'));
      await vault.watching;
      // The watch may be ready before the last of these changes, which is then reported like any later one.
      while (told.size < 4) await setTimeout(20);
      expect(told).toEqual(
        new Map([
          ['n7.md', 'changed'],
          ['n8.md', 'removed'],
          ['new.md', 'changed'],
          ['n9.md', 'changed'],
        ]),
      );
      await vault.close();
    }));

  it('leaves the watch to a later time, and loses no change made until then', () =>
    withTempFolder(async (root) => {
      const at = (name: string) => path.join(root, 'wiki/net/facts', name);
      await mkdir(path.dirname(at('x')), { recursive: true });
      for (const name of ['edited.md', 'gone.md', 'left.md']) {
        await writeFile(at(name), 'x');
        await utimes(at(name), long, long);
      }
      let begin: () => void = () => undefined;
      const watchAfter = new Promise<void>((resolve) => (begin = resolve));
      const minute = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000);
      const vault = await openVault(root, { device, watch: silentLog(), watchAfter });
      minute.mockRestore();
      const told = new Map<string, string>();
      let heard: (name: string) => void = () => undefined;
      vault.changes(({ kind, path: name }) => {
        told.set(path.basename(name), kind);
        heard(path.basename(name));
      });
      for await (const entry of vault.list('wiki')) await vault.read(entry.path);
      await setTimeout(20); // The clock of the files has moved on.
      await writeFile(at('edited.md'), 'y');
      await utimes(at('edited.md'), long, long);
      await rm(at('gone.md'));
      await writeFile(at('new.md'), 'z');
      expect(told).toEqual(new Map());

      begin();
      await vault.watching;
      expect(told).toEqual(
        new Map([
          ['edited.md', 'changed'],
          ['gone.md', 'removed'],
          ['new.md', 'changed'],
        ]),
      );
      const later = new Promise<void>((resolve) => (heard = (name) => name === 'later.md' && resolve()));
      await writeFile(at('later.md'), 'z');
      await later;
      await vault.close();
    }));

  it('is watched when what it waited for has failed, and not at all when it is closed before', () =>
    withTempFolder(async (root) => {
      await mkdir(path.join(root, 'raw'), { recursive: true });
      const watchAfter = Promise.reject(new Error('The vault could not be read.'));
      const vault = await openVault(root, { device, watch: silentLog(), watchAfter });
      const later = new Promise<void>((resolve) => vault.changes(() => resolve()));
      await vault.watching;
      await writeFile(path.join(root, 'raw/a.md'), 'a');
      await later;
      await vault.close();
      const never = await openVault(root, {
        device,
        watch: silentLog(),
        watchAfter: new Promise(() => undefined),
      });
      await never.close();
      await never.watching;
    }));

  it('can be closed before they are watched, and tells nothing afterwards', () =>
    withTempFolder(async (root) => {
      await mkdir(path.join(root, 'raw'), { recursive: true });
      for (let index = 0; index < 300; index += 1) await writeFile(path.join(root, `raw/n${index}.md`), 'x');
      const vault = await openVault(root, { device, watch: silentLog() });
      const told: string[] = [];
      vault.changes(({ path: name }) => told.push(name));
      await vault.close();
      await vault.watching;
      expect(told).toEqual([]);
    }));
});

it('reads a new file whose name is in neither form of Unicode as soon as the watcher has told of it', () =>
  withTempFolder(async (root) => {
    await mkdir(path.join(root, 'knowledge'));
    for (let n = 0; n < 60; n += 1) await writeFile(path.join(root, 'knowledge', `n${n}.md`), 'x');
    const vault = await openVault(root, { device, watch: silentLog() });
    await vault.watching;
    expect(await vault.stat(vaultPath('knowledge/\u00f1.md'))).toBeNull();
    const name = 'caf\u00e9-u\u0308ber.md';
    const told = new Promise<string>((resolve) => {
      vault.changes((change) => change.path.endsWith('ber.md') && resolve(change.path));
    });
    await writeFile(path.join(root, 'knowledge', name), 'hello');
    expect(await told).toBe(vaultPath(`knowledge/${name}`));
    expect(await vault.read(vaultPath(`knowledge/${name}`))).toBe('hello');
    await vault.close();
  }));

const A = vaultPath('wiki/net/facts/a.md');
const MAP = vaultPath('wiki/net/_index.md');
/** After it, what was written has been looked at for the second time, which it is after two seconds. */
const LOOKED_AGAIN_MS = 2800;

async function watched(work: (vault: NodeVault, root: string, told: string[]) => Promise<void>) {
  await withTempFolder(async (root) => {
    mkdirSync(path.join(root, path.dirname(A)), { recursive: true });
    const vault = await openVault(root, { device, watch: silentLog() });
    try {
      await vault.watching;
      const told: string[] = [];
      vault.changes(({ kind, path: at }) => told.push(`${kind} ${at}`));
      await work(vault, root, told);
    } finally {
      await vault.close();
    }
  });
}

it('does not tell of notes and maps that were written here, and then tells of what others do to them', () =>
  watched(async (vault, root, told) => {
    await vault.create(A, 'one');
    await vault.edit(A, () => 'two');
    await vault.putDerived(MAP, 'map', { was: null, durable: false });
    await setTimeout(LOOKED_AGAIN_MS);
    expect(told).toEqual([]);
    writeFileSync(path.join(root, A), 'by hand');
    while (!told.includes(`changed ${A}`)) await setTimeout(20);
  }));

it('tells at once of a file that others save right after it was written here', () =>
  watched(async (vault, root, told) => {
    await vault.create(A, 'one');
    writeFileSync(path.join(root, A), 'by hand');
    // Counted, not timed: a pause of the machine brings the word late, and no look is lost. It is looked at again after 2 s.
    for (let looks = 0; looks < 75 && !told.includes(`changed ${A}`); looks += 1) await setTimeout(20);
    expect(told).toContain(`changed ${A}`);
  }));

it('tells, a while later, of a change that time and size do not show', () =>
  watched(async (vault, root, told) => {
    await vault.create(A, 'one');
    const full = path.join(root, A);
    const { atime, mtime } = statSync(full);
    writeFileSync(full, 'two');
    utimesSync(full, atime, mtime);
    while (!told.includes(`changed ${A}`)) await setTimeout(20);
  }));

describe('our own writes', () => {
  const stat: FileStat = { mtime: 1, size: 3 };
  const bytes = Buffer.from('one');

  function writes({ stands = bytes }: { stands?: Buffer | null } = {}) {
    const told: string[] = [];
    const own = new OwnWrites<string>(
      { stat: () => stat, read: async () => stands, onChange: (at) => told.push(at) },
      20,
    );
    return { own, told };
  }

  it('are echoes while they are under way and as long as the file looks the same', async () => {
    const { own, told } = writes();
    await own.during('a', bytes, async () => {
      expect([own.isEcho('a'), own.isEcho('b')]).toEqual([true, false]);
      return true;
    });
    expect(own.isEcho('a')).toBe(true);
    await setTimeout(100);
    // Compared and forgotten: from now on whatever is heard is news.
    expect([own.isEcho('a'), told]).toEqual([false, []]);
    own.close();
  });

  it('that come to nothing give away what was heard meanwhile', async () => {
    const { own, told } = writes();
    await own.during('a', bytes, async () => false);
    await expect(own.during('b', bytes, () => Promise.reject(new Error('EIO')))).rejects.toThrow('EIO');
    expect([told, own.isEcho('a'), own.isEcho('b')]).toEqual([['a', 'b'], false, false]);
    own.close();
  });

  it.each([['others have changed', Buffer.from('two')] as const, ['are gone', null] as const])(
    'that %s are told when they are compared',
    async (_, stands) => {
      const { own, told } = writes({ stands });
      await own.during('a', bytes, async () => true);
      while (told.length === 0) await setTimeout(10);
      expect(told).toEqual(['a']);
      own.close();
    },
  );
});
