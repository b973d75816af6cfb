import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Sql } from '../../../src/adapters/postgres/sql';
import { Mirror } from '../../../src/adapters/shared/mirror';
import { type Fault, faultyFileSystem } from '../../support/faulty-file-system';
import { type Kept, memoryFileSystem } from '../../support/memory-file-system';
import { notOn } from '../../support/systems';

const memoryPaths = notOn(['win32'], 'the file system in memory takes POSIX paths');
const RECORD = '/m/.brain-mirror/files.jsonl';

/** Answers what a mirror asks, of a table with these files. */
function tableOf(files: ReadonlyMap<string, string>): Pick<Sql, 'statement'> {
  return {
    statement: async (_text, [asked] = []) =>
      [...files]
        .filter(([at]) => !Array.isArray(asked) || asked.includes(at))
        .map(([at, text]) => {
          const body = Buffer.from(text);
          const hash = createHash('sha256').update(body).digest('hex');
          return { path: at, body, size: body.length, hash, mtime: 1_700_000_000 };
        }),
  };
}

memoryPaths.describe('a folder that mirrors a vault, after a cut', () => {
  const before = new Map([
    ['a.md', 'one'],
    ['wiki/b.md', 'two'],
  ]);
  const mirrored = async () => {
    const fs = memoryFileSystem({ '/m/': '' });
    await (await Mirror.open(tableOf(before), '/m', { fs })).syncAll();
    fs.losePower();
    return fs;
  };

  it.each([
    ['empty', 'one', ''],
    ['cut off', 'one', 'on'],
    ['with zeros for its end', 'one', 'o\0\0'],
    ['all zeros, of a text that has changed since', 'another', '\0\0\0'],
    ['empty, of a file that has been removed since', null, ''],
  ])('heals a file that is %s', async (_, now, torn) => {
    const fs = await mirrored();
    fs.save('/m/a.md', torn, 'in place');
    const table = new Map([['wiki/b.md', 'two'], ...(now === null ? [] : [['a.md', now] as const])]);
    expect(await (await Mirror.open(tableOf(table), '/m', { fs })).syncAll()).toMatchObject({ left: [] });
    expect(fs.image('/m')['a.md']).toBe(now ?? undefined);
  });

  it('leaves a file with anything that the vault does not have', async () => {
    const fs = await mirrored();
    fs.save('/m/a.md', 'on the other hand', 'by renaming');
    fs.save('/m/c.md', '', 'by renaming');
    const mirror = await Mirror.open(tableOf(new Map([...before, ['c.md', 'three']])), '/m', { fs });
    expect(await mirror.syncAll()).toMatchObject({ written: 0, left: ['a.md', 'c.md'] });
  });

  it('goes on behind a line that its log has only in part', async () => {
    const fs = await mirrored();
    const table = new Map(before);
    const mirror = await Mirror.open(tableOf(table), '/m', { fs });
    fs.save(RECORD, `${fs.image('/m')['.brain-mirror/files.jsonl']}["b.m`, 'in place');
    await mirror.sync(['a.md', 'wiki/b.md']);
    table.set('a.md', 'three');
    await mirror.sync(['a.md']);
    table.set('a.md', 'four');
    const next = await Mirror.open(tableOf(table), '/m', { fs });
    expect(await next.syncAll()).toMatchObject({ written: 1, left: [] });
  });

  it('knows its files again whose lines its log has lost', async () => {
    const fs = await mirrored();
    fs.save(RECORD, (fs.image('/m')['.brain-mirror/files.jsonl'] ?? '').slice(0, -9), 'in place');
    await (await Mirror.open(tableOf(before), '/m', { fs })).syncAll();
    const after = new Map([...before.keys()].map((at) => [at, 'three']));
    const mirror = await Mirror.open(tableOf(after), '/m', { fs });
    expect(await mirror.syncAll()).toMatchObject({ written: 2, left: [] });
  });

  it('has each file whole, old or new, wherever the cut is, and is in step after the next start', async () => {
    const after = new Map([
      ['a.md', 'three, which is longer'],
      ['new/c.md', 'four'],
    ]);
    const faults: readonly Omit<Fault, 'call'>[] = [
      { kind: 'crash-after' },
      { kind: 'crash-torn', only: 'write' },
    ];
    const left: readonly Kept[] = [false, true, 'torn', 'zeroed'];
    const bad: unknown[] = [];
    let cuts = 0;
    const uncut = await mirrored();
    for (const fault of faults) {
      for (let call = 1, isCut = true; isCut; call += 1) {
        const fs = uncut.clone();
        const cut = faultyFileSystem(fs);
        cut.arm({ call, ...fault });
        await Mirror.open(tableOf(after), '/m', { fs: cut })
          .then((mirror) => mirror.syncAll())
          .catch(() => undefined);
        isCut = cut.hit;
        let [chosen, each] = [call, 0];
        // Each name and each file of the disk has another fate.
        fs.losePower(() => left[(chosen = (chosen * 7 + (each += 1)) % 1009) % left.length] ?? false);
        const notes = () => Object.entries(fs.image('/m')).filter(([at]) => !/^\.brain-mirror|\/$/.test(at));
        const torn = notes().filter(([at, text]) => ![before.get(at), after.get(at)].includes(text));
        const mirror = await Mirror.open(tableOf(after), '/m', { fs });
        const round = await mirror.syncAll();
        const isInStep = isDeepStrictEqual(new Map(notes()), after) && round.left.length === 0;
        if (torn.length > 0 || !isInStep) bad.push({ cut: cut.struck, torn, round, notes: notes() });
        cuts += 1;
      }
    }
    expect(bad).toEqual([]);
    expect(cuts).toBeGreaterThan(100);
  });
});
