import { type FileSystem, nodeFileSystem } from '../../../src/adapters/files/file-system';
import { openNodeState } from '../../../src/adapters/files/state-folder';
import { openStorage } from '../../../src/adapters/vault/storage';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { layOut } from '../../support/disk-image';
import { fixedClock } from '../../support/fixed-clock';
import { memoryFileSystem } from '../../support/memory-file-system';
import { listed, openVault } from '../../support/node-vault-subject';
import { silentLog } from '../../support/silent-log';
import { withTempFolder } from '../../support/temp-folder';
import { notOn } from '../../support/systems';

const memoryPaths = notOn(['win32'], 'the file system in memory takes POSIX paths');

const device = 'test';
const FILES = {
  'wiki/a.md': 'a',
  'wiki/closed/b.md': 'b',
  'wiki/closed/deeper/c.md': 'c',
  'wiki/open/d.md': 'd',
};

type Refused = 'readdir' | 'lstat';

/** A file system that refuses one of its calls in folders of the name `closed`. */
function closedTo(real: FileSystem, refused: Refused, code: string): FileSystem {
  const check = (path: string, pattern: RegExp): void => {
    if (pattern.test(path)) throw Object.assign(new Error(`${code}: ${path}`), { code });
  };
  return {
    ...real,
    async readdir(path) {
      if (refused === 'readdir') check(path, /\/closed$/);
      return real.readdir(path);
    },
    async lstat(path) {
      if (refused === 'lstat') check(path, /\/closed\/b\.md$/);
      // What lies below a folder whose path is too long has one that is longer still.
      else if (code === 'ENAMETOOLONG') check(path, /\/closed\//);
      return real.lstat(path);
    },
  };
}

async function opened(refused: Refused, code: string) {
  const files = Object.entries(FILES).map(([at, text]) => [`/vault/${at}`, text] as const);
  const real = memoryFileSystem(Object.fromEntries(files));
  const fs = closedTo(real, refused, code);
  const log = silentLog();
  return { fs, log, vault: await openVault('/vault', { device, fs, log }) };
}

memoryPaths.describe('a folder of the vault that may not be looked into', () => {
  it.each(['EACCES', 'EPERM'])('is passed over with a warning (%s)', async (code) => {
    const { vault, log } = await opened('readdir', code);
    expect(await listed(vault, 'wiki')).toEqual(['wiki/a.md', 'wiki/open/d.md']);
    expect(log.lines).toEqual([
      {
        level: 'warn',
        event: 'vault.folder_unreadable',
        fields: { path: 'wiki/closed', message: expect.stringContaining(code) },
      },
    ]);
  });

  it('is passed over also when its names can be had but not what stands there', async () => {
    const { vault, log } = await opened('lstat', 'EACCES');
    expect(await listed(vault, 'wiki')).toEqual(['wiki/a.md', 'wiki/closed/deeper/c.md', 'wiki/open/d.md']);
    expect(log.lines.map(({ event, fields }) => [event, fields.path])).toEqual([
      ['vault.folder_unreadable', 'wiki/closed'],
    ]);
  });

  it('is an error when it is the very folder that was asked for, or for another reason', async () => {
    await expect(listed((await opened('readdir', 'EACCES')).vault, 'wiki/closed')).rejects.toThrow('EACCES');
    await expect(listed((await opened('readdir', 'EIO')).vault, 'wiki')).rejects.toThrow('EIO');
    await expect(listed((await opened('lstat', 'EIO')).vault, 'wiki')).rejects.toThrow('EIO');
  });

  it('is an error where nobody would hear of it', async () => {
    const { fs } = await opened('readdir', 'EACCES');
    await expect(listed(await openVault('/vault', { device, fs }), 'wiki')).rejects.toThrow('EACCES');
    const state = await openNodeState('/vault', { device, fs });
    await state.create('history/closed/a.md', 'a');
    await expect(state.list('history')).rejects.toThrow('EACCES');
  });

  it('is told to the log of the storage', () =>
    withTempFolder(async (root) => {
      await layOut(root, FILES);
      const log = silentLog();
      const fs = closedTo(nodeFileSystem, 'readdir', 'EACCES');
      const storage = await openStorage(root, { device, clock: fixedClock(), log, watch: false, fs });
      expect(await listed(storage.vault, 'wiki')).toEqual(['wiki/a.md', 'wiki/open/d.md']);
      expect(log.lines.map(({ event }) => event)).toEqual(['vault.folder_unreadable']);
      await storage.close();
    }));
});

memoryPaths.describe('what a vault in a deep place has at paths that are too long for the system', () => {
  const B = vaultPath('wiki/closed/b.md');

  it.each<[Refused, string, string[]]>([
    ['readdir', 'wiki/closed', ['wiki/a.md', 'wiki/open/d.md']],
    ['lstat', B, ['wiki/a.md', 'wiki/closed/deeper/c.md', 'wiki/open/d.md']],
  ])('is passed over with one warning (%s)', async (refused, path, expected) => {
    const { vault, log } = await opened(refused, 'ENAMETOOLONG');
    for (let time = 0; time < 2; time += 1) expect(await listed(vault, 'wiki')).toEqual(expected);
    expect(log.lines).toEqual([
      { level: 'warn', event: 'vault.path_too_long', fields: { path, message: expect.any(String) } },
    ]);
  });

  it.each<Refused>(['readdir', 'lstat'])(
    'is not taken for gone, so that a sync keeps its vector (%s)',
    async (refused) => {
      const { vault } = await opened(refused, 'ENAMETOOLONG');
      const gone = vaultPath('wiki/gone.md');
      // One that a caller names, and that no listing has shown, is not there.
      expect(await vault.stat(B)).toBeNull();
      await listed(vault, 'wiki');
      await expect(vault.stat(B)).rejects.toMatchObject({ code: 'path_not_allowed' });
      expect(await vault.stat(gone)).toBeNull();
    },
  );

  it('is an error where nobody would hear of it, or when it is the very folder that was asked for', async () => {
    const { fs, vault } = await opened('readdir', 'ENAMETOOLONG');
    await expect(listed(vault, 'wiki/closed')).rejects.toThrow('ENAMETOOLONG');
    await expect(listed(await openVault('/vault', { device, fs }), 'wiki')).rejects.toThrow('ENAMETOOLONG');
    const short = await opened('lstat', 'ENAMETOOLONG');
    expect(await listed(short.vault, 'wiki/closed')).toEqual(['wiki/closed/deeper/c.md']);
  });
});
