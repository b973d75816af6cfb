import { execFileSync } from 'node:child_process';
import { renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { prepareState } from '../../../src/adapters/files/state-folder';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { diskImage } from '../../support/disk-image';
import { faultyFileSystem } from '../../support/faulty-file-system';
import { memoryFileSystem } from '../../support/memory-file-system';
import { listed, openVault, withVault } from '../../support/node-vault-subject';
import { notOn } from '../../support/systems';

const memoryPaths = notOn(['win32'], 'the file system in memory takes POSIX paths');
const pipes = notOn(['win32'], 'no pipe stands in a folder there');

const A = vaultPath('wiki/home/facts/a.md');
const B = vaultPath('wiki/home/facts/b.md');
const NEW = vaultPath('wiki/new/facts/b.md');

function without(image: Record<string, string>, at: string): Record<string, string> {
  return Object.fromEntries(Object.entries(image).filter(([other]) => other !== at));
}

describe('a move in the Node vault', () => {
  it('leaves a file under one of both paths, whole, when a call of a move fails', async () => {
    let hit = true;
    for (let call = 1; hit; call += 1) {
      await withVault({ [A]: 'a', 'wiki/empty/': '' }, async ({ vault, fs, root }) => {
        const before = await diskImage(root);
        fs.arm({ call, kind: 'error-before', code: 'EIO' });
        const moved = await vault.move(A, NEW).catch((error: unknown) => error);
        hit = fs.hit;
        const { [A]: old, [NEW]: now, ...rest } = await diskImage(root);
        expect({ call, stands: [old, now].filter((text) => text !== undefined) }).toEqual({
          call,
          stands: ['a'],
        });
        if (old !== undefined) expect({ call, rest, old }).toEqual({ call, rest: without(before, A), old });
        if (!hit) expect([moved, now]).toEqual([true, 'a']);
      });
    }
  });

  it.each(['crash-before', 'crash-after'] as const)(
    'ends a move that was cut anywhere (%s)',
    async (kind) => {
      let hit = true;
      for (let call = 1; hit; call += 1) {
        await withVault({ [A]: 'a' }, async ({ vault, fs, root }) => {
          fs.arm({ call, kind });
          await vault.move(A, NEW).catch(() => undefined);
          hit = fs.hit;
          fs.arm();
          const image = await diskImage(root);
          const stands = [A, NEW].filter((at) => at in image);
          expect({ call, texts: stands.map((at) => image[at]) }).toEqual({
            call,
            texts: stands.map(() => 'a'),
          });
          expect(stands).not.toEqual([]);
          expect({ call, again: await vault.move(A, NEW) }).toEqual({ call, again: stands[0] === A });
          expect(await diskImage(root)).toMatchObject({ [NEW]: 'a' });
          expect(await vault.stat(A)).toBeNull();
        });
      }
    },
  );

  memoryPaths.it('keeps a moved file through a loss of power at any call', async () => {
    let hit = true;
    for (let call = 1; hit; call += 1) {
      const real = memoryFileSystem({ '/vault/inbox/a.txt': 'a' });
      await prepareState('/vault', { device: 'test', fs: real });
      real.losePower(() => true);
      const fs = faultyFileSystem(real);
      const vault = await openVault('/vault', { device: 'test', fs });
      fs.arm({ call, kind: 'crash-after' });
      const moved = await vault
        .move(vaultPath('inbox/a.txt'), vaultPath('inbox/done/a.txt'))
        .catch(() => null);
      hit = fs.hit;
      real.losePower();
      const image = real.image('/vault/inbox');
      const stands = ['a.txt', 'done/a.txt'].filter((at) => image[at] === 'a');
      expect({ call, stands }).not.toEqual({ call, stands: [] });
      if (moved === true) expect(stands).toEqual(['done/a.txt']);
      fs.arm();
      await vault.close();
    }
  });

  it.each(['EPERM', 'ENOTSUP'])('moves where there are no hard links (%s), over nothing', (code) =>
    withVault({ [A]: 'a', [B]: 'b' }, async ({ vault, fs, root }) => {
      fs.arm({ only: 'link', call: 1, kind: 'error-before', code });
      expect(await vault.move(A, B)).toBe(false);
      fs.arm({ only: 'link', call: 1, kind: 'error-before', code });
      expect(await vault.move(A, NEW)).toBe(true);
      expect(await diskImage(root)).toMatchObject({ [B]: 'b', [NEW]: 'a' });
      expect(await vault.stat(A)).toBeNull();
    }),
  );

  it('has moved a file when the system says that it failed and it did not: a lost answer loses no file', () =>
    withVault({ [A]: 'a' }, async ({ vault, fs, root }) => {
      fs.arm({ only: 'link', call: 1, kind: 'error-after' });
      expect(await vault.move(A, NEW)).toBe(true);
      const only = ['link', 'rename'];
      fs.arm({ only, call: 1, kind: 'error-before', code: 'EPERM', then: { calls: 1, kind: 'error-after' } });
      expect(await vault.move(NEW, A)).toBe(true);
      expect(await diskImage(root)).toMatchObject({ [A]: 'a' });
      expect(await vault.stat(NEW)).toBeNull();
    }));

  it.each([
    ['hard links', undefined],
    ['no hard links', 'EPERM'],
    ['another device', 'EXDEV'],
  ])('leaves the file where it was when what it waits for fails, with %s', (_, code) =>
    withVault({ [A]: 'a' }, async ({ vault, fs, root }) => {
      const before = await diskImage(root);
      if (code !== undefined) fs.arm({ only: 'link', call: 1, kind: 'error-before', code });
      let fail: (error: Error) => void = () => undefined;
      const noted = new Promise<void>((_resolve, reject) => (fail = reject));
      noted.catch(() => undefined); // The move may wait for it only after it has failed.
      const moved = vault.move(A, NEW, noted);
      setTimeout(() => fail(new Error('The disk is full.')), 20);
      await expect(moved).rejects.toThrow('disk is full');
      expect(await diskImage(root)).toEqual(before);
    }),
  );

  it('moves to another device by way of a copy', () =>
    withVault({ [A]: 'a', [B]: 'b' }, async ({ vault, fs, root }) => {
      for (const [to, moves] of [
        [B, false],
        [NEW, true],
      ] as const) {
        fs.arm({ only: 'link', call: 1, kind: 'error-before', code: 'EXDEV' });
        expect(await vault.move(A, to)).toBe(moves);
      }
      expect(await diskImage(root)).toMatchObject({ [B]: 'b', [NEW]: 'a' });
      expect(await vault.stat(A)).toBeNull();
    }));

  it('leaves alone what another program puts in the place of a file while it is moved', () =>
    withVault({ [A]: 'a', 'wiki/new/facts/': '' }, async ({ vault, fs, root }) => {
      fs.onCall = (call) => {
        if (!call.startsWith('fsync')) return;
        writeFileSync(path.join(root, `${A}.new`), 'newer');
        renameSync(path.join(root, `${A}.new`), path.join(root, A));
        fs.onCall = () => undefined;
      };
      expect(await vault.move(A, NEW)).toBe(true);
      expect(await diskImage(root)).toMatchObject({ [A]: 'newer', [NEW]: 'a' });
    }));

  pipes.it('moves no link, pipe or folder', () =>
    withVault({ [A]: 'a', 'inbox/': '' }, async ({ vault, root }) => {
      symlinkSync(path.join(root, A), path.join(root, 'inbox/link.md'));
      execFileSync('mkfifo', [path.join(root, 'inbox/pipe.md')]);
      for (const name of ['link.md', 'pipe.md']) {
        expect(await vault.move(vaultPath(`inbox/${name}`), NEW)).toBe(false);
        expect(await vault.readBytes(vaultPath(`inbox/${name}`), 100)).toBeNull();
      }
      expect(await listed(vault, 'inbox')).toEqual([]);
      expect((await readdir(path.join(root, 'inbox'))).sort()).toEqual(['link.md', 'pipe.md']);
    }),
  );
});
