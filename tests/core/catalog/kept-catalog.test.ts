import { mkdir, rename, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openNodeState, prepareState } from '../../../src/adapters/files/state-folder';
import { Pace } from '../../../src/core/base/steps';
import { Catalog } from '../../../src/core/catalog/catalog';
import { openCatalog } from '../../../src/core/catalog/load';
import { type VaultPath, vaultPath } from '../../../src/core/vocabulary/paths';
import { openVault } from '../../support/node-vault-subject';
import { silentLog } from '../../support/silent-log';
import { withTempFolder } from '../../support/temp-folder';

const device = 'test';
const NOTE = vaultPath('wiki/net/facts/mtu.md');
const OTHER = vaultPath('wiki/net/facts/peers.md');

/** One run of the service over the folder, long after whatever was done before; resolves with the notes that it read. */
async function run(folder: string): Promise<{ read: VaultPath[]; catalog: Catalog }> {
  const vault = await openVault(folder, { device });
  const state = await openNodeState(folder, { device });
  const reads = jest.spyOn(vault, 'read');
  const clock = { now: () => new Date(Date.now() + 60_000) };
  const catalog = new Catalog();
  const ports = {
    vault,
    state,
    clock,
    log: silentLog(),
    catalog,
    pace: new Pace(() => new Promise((resolve) => setImmediate(resolve)), clock),
    device,
  };
  const opening = openCatalog(ports, {
    place: folder,
    sleep: () => new Promise(() => undefined),
    mayKeep: async () => true,
  });
  await opening.read;
  await opening.close();
  await vault.close();
  await state.close();
  return { read: reads.mock.calls.map(([at]) => at), catalog };
}

it('reads a file again that was put in the place of another with the same time and size', () =>
  withTempFolder(async (folder) => {
    await prepareState(folder, { device });
    await mkdir(path.join(folder, 'wiki/net/facts'), { recursive: true });
    const hour = new Date(Date.now() - 3_600_000);
    const put = async (at: string, text: string): Promise<void> => {
      await writeFile(path.join(folder, at), text);
      await utimes(path.join(folder, at), hour, hour);
    };
    await put(NOTE, 'old text');
    await put(OTHER, 'the same');
    expect((await run(folder)).read.sort()).toEqual([NOTE, OTHER]);
    expect((await run(folder)).read).toEqual([]);

    await put('new.tmp', 'new text');
    const before = await stat(path.join(folder, NOTE));
    await rename(path.join(folder, 'new.tmp'), path.join(folder, NOTE));
    const after = await stat(path.join(folder, NOTE));
    expect([after.mtimeMs, after.size]).toEqual([before.mtimeMs, before.size]);

    const { read, catalog } = await run(folder);
    expect(read).toEqual([NOTE]);
    expect(catalog.record(NOTE)?.excerpt).toBe('new text');
    expect((await run(folder)).read).toEqual([]);
  }));
