import { renameSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { DelayedRecheck } from '../../../src/adapters/vault/watch';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { openVault } from '../../support/node-vault-subject';
import { silentLog } from '../../support/silent-log';
import { withTempFolder } from '../../support/temp-folder';

it('tells of a note that another program takes away before the watch can have seen it', () =>
  withTempFolder(async (root) => {
    const device = '0badcafe';
    const vault = await openVault(root, { device, watch: silentLog() });
    try {
      await vault.watching;
      const told = new Set<string>();
      vault.changes(({ path: at }) => told.add(at));
      for (const name of ['one', 'two']) await vault.create(vaultPath(`wiki/net/facts/${name}.md`), name);
      renameSync(path.join(root, 'wiki/net'), path.join(root, 'wiki/network'));
      const expected = ['net', 'network'].flatMap((wing) =>
        ['one', 'two'].map((name) => `wiki/${wing}/facts/${name}.md`),
      );
      // The test's own time limit ends the wait.
      while (!expected.every((at) => told.has(at))) await setTimeout(20);
    } finally {
      await vault.close();
    }
  }));

it('tells of each file once, some time after it was written last', async () => {
  const told: string[] = [];
  const again = new DelayedRecheck<string>(6_000, (at) => told.push(at));
  const [a, b] = [vaultPath('raw/a.md'), vaultPath('raw/b.md')];
  again.add(a);
  again.add(b);
  await setTimeout(500);
  again.add(a);
  await setTimeout(1000);
  expect(told).toEqual([]);
  while (told.length < 2) await setTimeout(20);
  expect(told).toEqual([b, a]);
  again.add(a);
  again.close();
  await setTimeout(6_500);
  expect(told).toEqual([b, a]);
}, 40_000);
