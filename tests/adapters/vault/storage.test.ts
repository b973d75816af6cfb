import { chmod, lstat, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { deviceId } from '../../../src/adapters/host/device';
import { openStorage } from '../../../src/adapters/vault/storage';
import { openUploads } from '../../../src/adapters/vault/uploads';
import type { VaultChange } from '../../../src/core/ports/ports';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { ReadScope } from '../../../src/core/vocabulary/read-scope';
import { diskImage } from '../../support/disk-image';
import { fixedClock } from '../../support/fixed-clock';
import { silentLog } from '../../support/silent-log';
import { withTempFolder } from '../../support/temp-folder';
import { notOn } from '../../support/systems';

const links = notOn(['win32'], 'a link needs a right there that most users do not have');
const modes = notOn(['win32'], 'files have no modes there');

const options = { device: 'test', clock: fixedClock(), log: silentLog(), watch: false };
const A = vaultPath('wiki/home/facts/a.md');

describe('openStorage', () => {
  it('makes the state, keeps what is this machine’s out of git, and gives the vault back', () =>
    withTempFolder(async (root) => {
      const storage = await openStorage(root, options);
      await storage.vault.create(A, 'a');
      await storage.state.append('local.test/journal.jsonl', 'x\n', true);
      await expect(openStorage(root, options)).rejects.toMatchObject({ name: 'VaultInUse' });
      await storage.close();
      expect(await diskImage(root)).toEqual({
        '.brain/': '',
        '.brain/.gitignore': 'local.*\n',
        '.brain/version': '1\n',
        '.brain/local.test/': '',
        '.brain/local.test/tmp/': '',
        '.brain/local.test/journal.jsonl': 'x\n',
        'wiki/': '',
        'wiki/home/': '',
        'wiki/home/facts/': '',
        [A]: 'a',
      });
      const again = await openStorage(root, options);
      expect(await again.vault.read(A)).toBe('a');
      expect(await again.state.list('')).toEqual(['local.test/journal.jsonl', 'local.test/lock', 'version']);
      await again.close();
    }));

  it('removes what it received when it closes, and not what the server that took its place received', () =>
    withTempFolder(async (root) => {
      await (await openStorage(root, options)).close();
      let isLost = false;
      const check = async (): Promise<void> => (isLost ? Promise.reject(new Error('lost')) : undefined);
      for (isLost of [false, true]) {
        const uploads = await openUploads(root, 'test', { check, restore: check });
        await writeFile(path.join(root, '.brain/local.test/uploads/a'), 'a');
        await uploads.close();
        expect(await readdir(path.join(root, '.brain/local.test/uploads'))).toEqual(isLost ? ['a'] : []);
      }
    }));

  modes.it('keeps what is this machine’s to its user', () =>
    withTempFolder(async (root) => {
      await (await openStorage(root, options)).close();
      expect((await lstat(path.join(root, '.brain/local.test'))).mode & 0o777).toBe(0o700);
    }),
  );

  it('leaves a .gitignore of the person alone', () =>
    withTempFolder(async (root) => {
      await mkdir(path.join(root, '.brain'));
      await writeFile(path.join(root, '.brain/.gitignore'), '*\n');
      await (await openStorage(root, options)).close();
      expect(await readFile(path.join(root, '.brain/.gitignore'), 'utf8')).toBe('*\n');
    }));

  it('refuses the state of a newer version, touching nothing and holding nothing', () =>
    withTempFolder(async (root) => {
      await mkdir(path.join(root, '.brain'));
      await writeFile(path.join(root, '.brain/version'), '2\n');
      await expect(openStorage(root, options)).rejects.toThrow('layout "2"');
      await writeFile(path.join(root, '.brain/version'), '1\n');
      await (await openStorage(root, options)).close();
    }));

  links.it('refuses a state that lies outside the vault', () =>
    withTempFolder(async (top) => {
      const root = path.join(top, 'vault');
      await mkdir(root);
      await mkdir(path.join(top, 'elsewhere'));
      await symlink(path.join(top, 'elsewhere'), path.join(root, '.brain'));
      await expect(openStorage(root, options)).rejects.toThrow('leads outside the vault');
      expect(await diskImage(path.join(top, 'elsewhere'))).toEqual({});
    }),
  );

  links.it('opens a vault through a link to it', () =>
    withTempFolder(async (top) => {
      await mkdir(path.join(top, 'vault'));
      await symlink(path.join(top, 'vault'), path.join(top, 'link'));
      const storage = await openStorage(path.join(top, 'link'), options);
      await storage.vault.create(A, 'a');
      await expect(openStorage(path.join(top, 'vault'), options)).rejects.toMatchObject({
        name: 'VaultInUse',
      });
      await storage.close();
      expect(await readFile(path.join(top, 'vault', A), 'utf8')).toBe('a');
    }),
  );

  it('rejects where there is no folder', () =>
    withTempFolder(async (top) => {
      await expect(openStorage(path.join(top, 'absent'), options)).rejects.toMatchObject({ code: 'ENOENT' });
      await chmod(top, 0o700);
    }));
});

describe('when another program takes away folders of the state', () => {
  const B = vaultPath('wiki/home/facts/b.md');
  const modeOf = async (...at: string[]) => (await lstat(path.join(...at))).mode & 0o777;

  modes.it('makes the one for temporary files again, closed to others', () =>
    withTempFolder(async (root) => {
      const { vault, state, close } = await openStorage(root, options);
      await vault.create(A, 'a');
      const gone = path.join(root, '.brain/local.test/tmp');
      await rm(gone, { recursive: true });
      expect(await Promise.all([vault.create(B, 'b'), vault.edit(A, () => 'a2')])).toEqual([true, true]);
      await rm(gone, { recursive: true });
      await state.write('history/ab/abc.md', 'old');
      expect(await modeOf(gone)).toBe(0o700);
      await close();
      expect(await diskImage(root)).toMatchObject({ [A]: 'a2', [B]: 'b', '.brain/history/ab/abc.md': 'old' });
    }),
  );

  it.each(['.brain/local.test', '.brain', '.'])(
    'changes nothing once %s is gone with the lock, and leaves that of another service alone',
    (gone) =>
      withTempFolder(async (folder) => {
        const root = path.join(folder, 'vault');
        await mkdir(root);
        const first = await openStorage(root, options);
        await first.vault.create(A, 'a');
        await rm(path.join(root, gone), { recursive: true });
        await mkdir(root, { recursive: true });
        await expect(first.vault.create(B, 'b')).rejects.toThrow('was taken away while the service ran');
        const before = await diskImage(root);
        await expect(first.vault.create(B, 'b')).rejects.toThrow('was taken away while the service ran');
        expect(await diskImage(root)).toEqual(before);
        const second = await openStorage(root, options);
        await first.close();
        await expect(openStorage(root, options)).rejects.toMatchObject({ name: 'VaultInUse' });
        await second.close();
      }),
  );
});

it('changes nothing once another service has taken the vault over', () =>
  withTempFolder(async (root) => {
    const { vault, state, keeper, close } = await openStorage(root, options);
    await vault.create(A, 'a');
    await state.write('known.md', 'a');
    await writeFile(path.join(root, '.brain/local.test/lock'), '{"taken":"over"}\n');
    const before = await diskImage(root);
    const B = vaultPath('wiki/home/facts/b.md');
    for (const change of [
      () => vault.create(B, 'b'),
      () => vault.create(vaultPath('wiki/far/facts/b.md'), 'b'),
      () => vault.edit(A, () => 'a2'),
      () => vault.append(A, 'more'),
      () => vault.move(A, B),
      () => vault.remove(A),
      () => vault.createBytes(B, new Uint8Array(1)),
      () => vault.putDerived(B, 'b', { was: null, durable: false }),
      () => state.write('known.md', 'b'),
      () => state.create('new.md', 'b'),
      () => state.append('known.md', 'b', false),
      () => state.remove('known.md'),
      () => keeper.check(),
    ]) {
      await expect(change()).rejects.toMatchObject({ code: 'busy' });
      expect(await diskImage(root)).toEqual(before);
    }
    await close();
    expect(await diskImage(root)).toEqual(before);
  }));

describe('changes from outside', () => {
  /** Resolves when the change has been told, with everything that was told until then. */
  function until(
    vault: { changes(listener: (change: VaultChange) => void): () => void },
    kind: string,
    at: string,
  ) {
    const seen: string[] = [];
    return new Promise<string[]>((resolve) => {
      const stop = vault.changes((change) => {
        seen.push(`${change.kind} ${change.path}`);
        if (change.kind !== kind || change.path !== at) return;
        stop();
        resolve(seen);
      });
    });
  }

  it('are told for watched folders, also new ones, and for nothing else', () =>
    withTempFolder(async (root) => {
      await mkdir(path.join(root, 'sessions'));
      const scope = new ReadScope({ scope: 'vault', exclude: ['Templates'], own: ['AGENTS.md'] });
      const unwatched = (at: string): boolean => scope.leavesOut(at);
      const { vault, close } = await openStorage(root, { ...options, watch: true, unwatched });
      const told = until(vault, 'changed', 'raw/deep/note.md');
      for (const folder of ['raw/deep', '.obsidian', 'templates'])
        await mkdir(path.join(root, folder), { recursive: true });
      for (const at of [
        'sessions/a.jsonl',
        '.obsidian/x.json',
        'templates/t.md',
        'AGENTS.md',
        'raw/.~note.md',
      ]) {
        await writeFile(path.join(root, at), 'x');
      }
      await writeFile(path.join(root, 'raw/note.sync-conflict-20261120-103200-ABCDEFG.md'), 'x');
      await writeFile(path.join(root, 'raw/deep/note.md'), 'x');
      expect(await told).toEqual(['changed raw/deep/note.md']);
      await close();
    }));

  it('are told again once a note has come to rest', () =>
    withTempFolder(async (root) => {
      await mkdir(path.join(root, 'raw'));
      const note = path.join(root, 'raw/note.md');
      await writeFile(note, '');
      const { vault, close } = await openStorage(root, { ...options, watch: true });
      let last = '';
      const rested = new Promise<void>((resolve, reject) => {
        vault.changes(() => {
          readFile(note, 'utf8').then((text) => {
            last = text;
            if (text.length === 20) resolve();
          }, reject);
        });
      });
      // Faster than the library reports: it tells of the first and leaves out what follows at once.
      for (let length = 1; length <= 20; length += 1) await writeFile(note, 'x'.repeat(length));
      await rested;
      expect(last).toHaveLength(20);
      await close();
    }));
});

describe('deviceId', () => {
  it('is eight hex digits, the same each time', () => {
    expect(deviceId({})).toMatch(/^[0-9a-f]{8}$/);
    expect(deviceId({ BRAIN_DEVICE: '' })).toBe(deviceId({}));
  });

  it('is what BRAIN_DEVICE says', () => {
    expect(deviceId({ BRAIN_DEVICE: 'nas2' })).toBe('nas2');
  });

  it.each(['NAS', 'a/b', '../x', 'a.b', 'x'.repeat(17), ' '])('refuses %j', (given) => {
    expect(() => deviceId({ BRAIN_DEVICE: given })).toThrow('BRAIN_DEVICE');
  });
});
