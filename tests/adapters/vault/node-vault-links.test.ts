import { rename, symlink } from 'node:fs/promises';
import path from 'node:path';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { diskImage, layOut } from '../../support/disk-image';
import { listed, type NodeVault, openVault, type Subject, withVault } from '../../support/node-vault-subject';
import { withTempFolder } from '../../support/temp-folder';
import { notOn } from '../../support/systems';

const links = notOn(['win32'], 'a link needs a right there that most users do not have');

const A = vaultPath('wiki/home/facts/a.md');
const NEW = vaultPath('wiki/home/facts/new.md');
const ELSEWHERE = vaultPath('wiki/other/facts/b.md');

const refused = { code: 'path_not_allowed' };

/** Moves a folder of the vault to `to` and leaves a link in its place. */
async function moveAway({ root }: Pick<Subject, 'root'>, folder: string, to: string): Promise<void> {
  await rename(path.join(root, folder), to);
  await symlink(to, path.join(root, folder));
}

/** Every call that the vault takes for a path, each as it is when the file stands and when it does not. */
const CALLS: readonly (readonly [string, (vault: NodeVault, below: string) => Promise<unknown>])[] = [
  ['read', (vault) => vault.read(A)],
  ['read of none', (vault) => vault.read(NEW)],
  ['readBytes', (vault) => vault.readBytes(A, 100)],
  ['stat', (vault) => vault.stat(A)],
  ['create', (vault) => vault.create(NEW, 'x')],
  ['create of one that stands', (vault) => vault.create(A, 'x')],
  ['createBytes', (vault) => vault.createBytes(NEW, new Uint8Array([1]))],
  ['edit', (vault) => vault.edit(A, () => 'x')],
  ['remove', (vault) => vault.remove(A)],
  ['remove of what was read', (vault) => vault.remove(A, 'a')],
  ['remove of none', (vault) => vault.remove(NEW)],
  ['append', (vault) => vault.append(A, 'x')],
  ['append to none', (vault) => vault.append(NEW, 'x')],
  ['putDerived', (vault) => vault.putDerived(A, 'x', { was: 'a', durable: true })],
  ['putDerived of none', (vault) => vault.putDerived(NEW, 'x', { was: null, durable: false })],
  ['move out of it', (vault) => vault.move(A, vaultPath('wiki/other/facts/a.md'))],
  ['move into it', (vault) => vault.move(ELSEWHERE, NEW)],
  ['move within it', (vault) => vault.move(A, NEW)],
  ['list', (vault, below) => listed(vault, below)],
  ['missingFolders', (vault) => vault.missingFolders(NEW)],
  ['create in a new folder', (vault) => vault.create(vaultPath('wiki/home/facts/deep/er.md'), 'x')],
  ['read in a folder that is not there', (vault) => vault.read(vaultPath('wiki/home/facts/deep/er.md'))],
  ['remove in a folder that is not there', (vault) => vault.remove(vaultPath('wiki/home/facts/deep/er.md'))],
];

links.describe.each(['wiki/home/facts', 'wiki/home', 'wiki'])(
  '%s moved out of the vault and linked',
  (moved) => {
    it.each(CALLS)('is refused to %s, whatever was written before', (_, call) =>
      withVault({ [A]: 'a', [ELSEWHERE]: 'b' }, async (subject) => {
        const { vault, outside } = subject;
        // So that every folder on the way is known.
        expect(await vault.create(vaultPath('wiki/home/facts/known.md'), 'known')).toBe(true);
        expect(await vault.create(vaultPath('wiki/home/log.md'), 'known')).toBe(true);
        expect(await vault.create(vaultPath('wiki/other/facts/known.md'), 'known')).toBe(true);
        await moveAway(subject, moved, path.join(outside, 'moved'));
        const before = [await diskImage(outside), await listed(vault)];
        await expect(call(vault, 'wiki/home/facts')).rejects.toMatchObject(refused);
        await vault.removeEmptyFolders(['wiki/home', 'wiki/home/facts']);
        expect([await diskImage(outside), await listed(vault)]).toEqual(before);
      }),
    );

    it('is used again when it stands in the vault again', () =>
      withVault({ [A]: 'a' }, async (subject) => {
        const { vault, root, outside } = subject;
        expect(await vault.create(NEW, 'new')).toBe(true);
        await moveAway(subject, moved, path.join(outside, 'moved'));
        await expect(vault.read(NEW)).rejects.toMatchObject(refused);
        await rename(path.join(root, moved), path.join(outside, 'link'));
        await rename(path.join(outside, 'moved'), path.join(root, moved));
        expect(await vault.read(NEW)).toBe('new');
        expect(await vault.edit(NEW, (old) => `${old}er`)).toBe(true);
      }));

    it('is used as before when it was moved to another place in the vault', () =>
      withVault({ [A]: 'a', 'knowledge/': '' }, async (subject) => {
        const { vault, root } = subject;
        expect(await vault.create(vaultPath('wiki/home/facts/known.md'), 'known')).toBe(true);
        await moveAway(subject, moved, path.join(root, 'knowledge/moved'));
        expect(await vault.read(A)).toBe('a');
        expect(await vault.create(NEW, 'new')).toBe(true);
        await vault.append(NEW, 'er');
        expect(await vault.move(NEW, vaultPath('knowledge/new.md'))).toBe(true);
        expect(await vault.read(vaultPath('knowledge/new.md'))).toBe('newer');
        await vault.remove(A);
        expect(await vault.read(A)).toBeNull();
      }));

    it('is refused when it was moved into a hidden folder of the vault', () =>
      withVault({ [A]: 'a', '.trash/': '' }, async (subject) => {
        const { vault, root } = subject;
        expect(await vault.create(vaultPath('wiki/home/facts/known.md'), 'known')).toBe(true);
        await moveAway(subject, moved, path.join(root, '.trash/moved'));
        await expect(vault.create(NEW, 'x')).rejects.toMatchObject(refused);
        await expect(vault.read(A)).rejects.toMatchObject(refused);
      }));
  },
);

links.it('refuses every path when the vault itself was moved away and linked, also those it knows', () =>
  withTempFolder(async (top) => {
    const root = path.join(top, 'vault');
    await layOut(root, { [A]: 'a' });
    const vault = await openVault(root, { device: 'test' });
    expect(await vault.create(NEW, 'new')).toBe(true);
    await moveAway({ root: top }, 'vault', path.join(top, 'moved'));
    const before = await diskImage(path.join(top, 'moved'));
    await expect(vault.read(A)).rejects.toMatchObject(refused);
    await expect(vault.edit(A, () => 'x')).rejects.toMatchObject(refused);
    await expect(vault.create(vaultPath('wiki/new/facts/x.md'), 'x')).rejects.toMatchObject(refused);
    expect(await diskImage(path.join(top, 'moved'))).toEqual(before);
    await vault.close();
  }),
);
