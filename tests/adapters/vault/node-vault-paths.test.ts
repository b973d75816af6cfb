import { execFileSync } from 'node:child_process';
import { readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { diskImage } from '../../support/disk-image';
import { listed, withVault } from '../../support/node-vault-subject';
import { notOn } from '../../support/systems';

const links = notOn(['win32'], 'a link needs a right there that most users do not have');
const pipes = notOn(['win32'], 'no pipe stands in a folder there');
const nameLengths = notOn(['win32', 'darwin'], 'the length of a name is counted in characters, not in bytes');
const spellings = notOn(['darwin'], 'both spellings of a name are one file');

const A = vaultPath('wiki/home/facts/a.md');
const B = vaultPath('wiki/home/facts/b.md');
const NEW = vaultPath('wiki/new/facts/b.md');

const refused = { code: 'path_not_allowed' };

describe('paths of the Node vault', () => {
  it.each([
    '',
    '/etc/passwd',
    '../outside/secret.md',
    'wiki/../../outside/secret.md',
    'wiki/./a.md',
    'wiki//a.md',
    'wiki/',
    '.brain/version',
    'wiki/.hidden/a.md',
    'wiki/a\0.md',
  ])('refuses %j for every act', (at) =>
    withVault({}, async ({ vault, root }) => {
      const before = await diskImage(root);
      const odd = vaultPath(at);
      await expect(vault.read(odd)).rejects.toMatchObject(refused);
      await expect(vault.stat(odd)).rejects.toMatchObject(refused);
      await expect(vault.create(odd, 'x')).rejects.toMatchObject(refused);
      await expect(vault.edit(odd, () => 'x')).rejects.toMatchObject(refused);
      await expect(vault.remove(odd)).rejects.toMatchObject(refused);
      await expect(vault.putDerived(odd, 'x', { was: null, durable: true })).rejects.toMatchObject(refused);
      await expect(vault.append(odd, 'x')).rejects.toMatchObject(refused);
      await expect(vault.missingFolders(odd)).rejects.toMatchObject(refused);
      await expect(vault.subfolders(odd)).rejects.toMatchObject(refused);
      expect(await diskImage(root)).toEqual(before);
    }),
  );

  links.it.each([
    ['a folder outside', (outside: string) => outside],
    ['the state', (outside: string) => path.join(outside, '../vault/.brain')],
    ['nothing', (outside: string) => path.join(outside, 'absent')],
    ['itself', (outside: string) => path.join(outside, '../vault/knowledge')],
  ])('never goes through a linked folder to %s', (_, target) =>
    withVault({ [A]: 'a' }, async ({ vault, root, outside }) => {
      await symlink(target(outside), path.join(root, 'knowledge'));
      const before = await diskImage(outside);
      const at = vaultPath('knowledge/secret.md');
      await expect(vault.read(at)).rejects.toMatchObject(refused);
      await expect(vault.create(at, 'x')).rejects.toMatchObject(refused);
      await expect(vault.create(vaultPath('knowledge/deep/er.md'), 'x')).rejects.toMatchObject(refused);
      await expect(vault.edit(at, () => 'x')).rejects.toMatchObject(refused);
      await expect(vault.remove(at)).rejects.toMatchObject(refused);
      await expect(vault.append(at, 'x')).rejects.toMatchObject(refused);
      await expect(vault.putDerived(at, 'x', { was: null, durable: false })).rejects.toMatchObject(refused);
      await vault.removeEmptyFolders(['knowledge/facts']);
      expect(await listed(vault)).toEqual([A]);
      expect(await diskImage(outside)).toEqual(before);
    }),
  );

  nameLengths.it.each([
    `wiki/home/facts/${'a'.repeat(260)}.md`,
    `wiki/new/facts/${'東'.repeat(90)}.md`,
    `wiki/${'a'.repeat(260)}/facts/a.md`,
  ])('refuses to make a file of a name that the disk cannot hold, and leaves nothing: %#', (long) =>
    withVault({ [A]: 'a' }, async ({ vault, root }) => {
      const [at, before] = [vaultPath(long), await diskImage(root)];
      await expect(vault.create(at, 'x')).rejects.toMatchObject(refused);
      await expect(vault.createBytes(at, new Uint8Array([1]))).rejects.toMatchObject(refused);
      await expect(vault.move(A, at)).rejects.toMatchObject(refused);
      expect(await diskImage(root)).toEqual(before);
    }),
  );

  links.it('notices that a folder it knows was replaced by a link to outside', () =>
    withVault({ [A]: 'a' }, async ({ vault, root, outside }) => {
      await vault.create(B, 'b');
      await rm(path.join(root, 'wiki/home'), { recursive: true });
      await symlink(outside, path.join(root, 'wiki/home'));
      await expect(vault.create(A, 'a')).rejects.toMatchObject(refused);
      await expect(vault.read(A)).rejects.toMatchObject(refused);
      expect(await readdir(path.join(outside, 'facts'))).toEqual([]);
    }),
  );

  links.it('goes through a link to a folder of the vault', () =>
    withVault({ [A]: 'a' }, async ({ vault, root }) => {
      await symlink(path.join(root, 'wiki/home'), path.join(root, 'wiki/alias'));
      expect(await vault.read(vaultPath('wiki/alias/facts/a.md'))).toBe('a');
      expect(await vault.create(vaultPath('wiki/alias/facts/b.md'), 'b')).toBe(true);
      expect(await readFile(path.join(root, B), 'utf8')).toBe('b');
      expect(await listed(vault)).toEqual([A, B]);
    }),
  );

  links.it('counts no link among the folders, and knows one that the disk spells in another form', () =>
    withVault({ [A]: 'a', 'wiki/Gr\u0075\u0308n/facts/': '' }, async ({ vault, root, outside }) => {
      await symlink(outside, path.join(root, 'wiki/Home_Lab'));
      await symlink(path.join(root, 'wiki/home'), path.join(root, 'wiki/alias'));
      await symlink(path.join(root, 'absent'), path.join(root, 'wiki/gone'));
      expect((await vault.subfolders('wiki')).sort()).toEqual(['Gr\u00fcn', 'home']);
      await vault.create(vaultPath('wiki/Gr\u00fcn/facts/n.md'), 'n');
      expect(await readdir(path.join(root, 'wiki/Gr\u0075\u0308n/facts'))).toEqual(['n.md']);
    }),
  );

  links.it('takes a linked note for none, and never writes through it', () =>
    withVault({ [A]: 'a' }, async ({ vault, root, outside }) => {
      await symlink(path.join(outside, 'secret.md'), path.join(root, B));
      expect(await vault.read(B)).toBeNull();
      expect(await vault.stat(B)).toBeNull();
      expect(await vault.create(B, 'x')).toBe(false);
      expect(await vault.edit(B, () => 'x')).toBe(false);
      await expect(vault.remove(B)).rejects.toMatchObject(refused);
      await expect(vault.append(B, 'x')).rejects.toMatchObject(refused);
      await expect(vault.putDerived(B, 'x', { was: null, durable: true })).rejects.toMatchObject(refused);
      expect(await listed(vault)).toEqual([A]);
      expect(await readFile(path.join(outside, 'secret.md'), 'utf8')).toBe('secret');
    }),
  );

  pipes.it('takes a pipe, a socket and a folder for no note, and waits for none of them', () =>
    withVault({ [A]: 'a', [`${NEW}/`]: '' }, async ({ vault, root }) => {
      const pipe = vaultPath('wiki/home/facts/pipe.md');
      const socket = vaultPath('raw.md');
      execFileSync('mkfifo', [path.join(root, pipe)]);
      const server = createServer().listen(path.join(root, socket));
      await new Promise((resolve) => server.once('listening', resolve));
      for (const at of [pipe, socket, NEW]) {
        // More reads than the process has threads for the file system: waiting ones would stop everything.
        expect(await Promise.all(Array.from({ length: 8 }, () => vault.read(at)))).toEqual(
          Array(8).fill(null),
        );
        expect(await vault.stat(at)).toBeNull();
        expect(await vault.create(at, 'x')).toBe(false);
        expect(await vault.edit(at, () => 'x')).toBe(false);
        await expect(vault.remove(at)).rejects.toMatchObject(refused);
        await expect(vault.append(at, 'x')).rejects.toMatchObject(refused);
      }
      expect(await listed(vault)).toEqual([A]);
      await new Promise((resolve) => server.close(resolve));
    }),
  );

  it.each(['wiki/Ä/facts/é.md', 'knowledge/Ångström.md'])('finds %s however the disk spells it', (name) =>
    withVault({ [name.normalize('NFD')]: 'there' }, async ({ vault, root }) => {
      const at = vaultPath(name);
      expect(await vault.read(at)).toBe('there');
      expect(await listed(vault)).toEqual([at]);
      expect(await vault.stat(at)).toMatchObject({ size: 5 });
      expect(await vault.edit(at, (old) => `${old}, edited`)).toBe(true);
      const beside = vaultPath(name.replace('.md', '2.md'));
      expect(await vault.create(beside, 'beside')).toBe(true);
      expect(await vault.missingFolders(beside)).toEqual([]);
      expect(await listed(vault)).toEqual([at, beside].sort());
      expect(await readFile(path.join(root, name.normalize('NFD')), 'utf8')).toBe('there, edited');
      await vault.remove(at);
      expect(await vault.read(at)).toBeNull();
    }),
  );

  it('reads a note again that was spelled anew', () =>
    withVault({ ['é.md'.normalize('NFD')]: 'there' }, async ({ vault, root }) => {
      expect(await listed(vault)).toEqual(['é.md'.normalize('NFC')]);
      await rename(path.join(root, 'é.md'.normalize('NFD')), path.join(root, 'é.md'.normalize('NFC')));
      expect(await vault.read(vaultPath('é.md'))).toBe('there');
    }));

  spellings.it('lists one note where both spellings stand', () =>
    withVault({ ['é.md'.normalize('NFD')]: 'D', ['é.md'.normalize('NFC')]: 'C' }, async ({ vault }) => {
      expect(await listed(vault)).toEqual(['é.md'.normalize('NFC')]);
      expect(await vault.read(vaultPath('é.md'))).toBe('C');
    }),
  );
});
