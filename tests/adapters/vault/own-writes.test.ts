import { mkdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { OwnWrites } from '../../../src/adapters/vault/vault';
import type { FileStat } from '../../../src/core/ports/ports';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { type NodeVault, openVault } from '../../support/node-vault-subject';
import { silentLog } from '../../support/silent-log';
import { withTempFolder } from '../../support/temp-folder';

const device = '0badcafe';
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
