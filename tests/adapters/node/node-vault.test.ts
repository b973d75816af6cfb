import { execFileSync } from 'node:child_process';
import { chmod, lstat, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { nodeFileSystem } from '../../../src/adapters/node/file-system';
import { prepareState } from '../../../src/adapters/node/node-state';
import { openNodeVault, type NodeVault } from '../../../src/adapters/node/node-vault';
import { vaultPath } from '../../../src/core/rules/paths';
import { diskImage, layOut } from '../../support/disk-image';
import { faultyFileSystem, type FaultyFileSystem } from '../../support/faulty-file-system';
import { withTempFolder } from '../../support/temp-folder';

const A = vaultPath('wiki/home/facts/a.md');
const B = vaultPath('wiki/home/facts/b.md');
const NEW = vaultPath('wiki/new/facts/b.md');
const device = 'test';

interface Subject {
  readonly vault: NodeVault;
  readonly fs: FaultyFileSystem;
  /** The vault's folder; beside it lies `outside/` with `secret.md`. */
  readonly root: string;
  readonly outside: string;
}

function withVault(files: Record<string, string>, work: (subject: Subject) => Promise<void>): Promise<void> {
  return withTempFolder(async (top) => {
    const [root, outside] = [path.join(top, 'vault'), path.join(top, 'outside')];
    await layOut(top, { 'vault/': '', 'outside/facts/': '', 'outside/secret.md': 'secret' });
    await layOut(root, files);
    await prepareState(root, { device });
    const fs = faultyFileSystem();
    const vault = await openNodeVault(root, { device, fs });
    try {
      await work({ vault, fs, root, outside });
    } finally {
      fs.arm();
      await vault.close();
    }
  });
}

async function listed(vault: NodeVault, folder = ''): Promise<string[]> {
  const paths = [];
  for await (const entry of vault.list(folder)) paths.push(entry.path);
  return paths.sort();
}

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
      await expect(vault.putDerived(odd, 'x', true)).rejects.toMatchObject(refused);
      await expect(vault.append(odd, 'x')).rejects.toMatchObject(refused);
      await expect(vault.missingFolders(odd)).rejects.toMatchObject(refused);
      expect(await diskImage(root)).toEqual(before);
    }),
  );

  it.each([
    ['a folder outside', (outside: string) => outside],
    ['the state', (outside: string) => path.join(outside, '../vault/.brain')],
    ['nothing', (outside: string) => path.join(outside, 'absent')],
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
      await expect(vault.putDerived(at, 'x', false)).rejects.toMatchObject(refused);
      await vault.removeEmptyFolders(['knowledge/facts']);
      expect(await listed(vault)).toEqual([A]);
      expect(await diskImage(outside)).toEqual(before);
    }),
  );

  it('notices that a folder it knows was replaced by a link to outside', () =>
    withVault({ [A]: 'a' }, async ({ vault, root, outside }) => {
      await vault.create(B, 'b');
      await rm(path.join(root, 'wiki/home'), { recursive: true });
      await symlink(outside, path.join(root, 'wiki/home'));
      await expect(vault.create(A, 'a')).rejects.toMatchObject(refused);
      await expect(vault.read(A)).rejects.toMatchObject(refused);
      expect(await readdir(path.join(outside, 'facts'))).toEqual([]);
    }));

  it('goes through a link to a folder of the vault', () =>
    withVault({ [A]: 'a' }, async ({ vault, root }) => {
      await symlink(path.join(root, 'wiki/home'), path.join(root, 'wiki/alias'));
      expect(await vault.read(vaultPath('wiki/alias/facts/a.md'))).toBe('a');
      expect(await vault.create(vaultPath('wiki/alias/facts/b.md'), 'b')).toBe(true);
      expect(await readFile(path.join(root, B), 'utf8')).toBe('b');
      expect(await listed(vault)).toEqual([A, B]);
    }));

  it('takes a linked note for none, and never writes through it', () =>
    withVault({ [A]: 'a' }, async ({ vault, root, outside }) => {
      await symlink(path.join(outside, 'secret.md'), path.join(root, B));
      expect(await vault.read(B)).toBeNull();
      expect(await vault.stat(B)).toBeNull();
      expect(await vault.create(B, 'x')).toBe(false);
      expect(await vault.edit(B, () => 'x')).toBe(false);
      await expect(vault.remove(B)).rejects.toMatchObject(refused);
      await expect(vault.append(B, 'x')).rejects.toMatchObject(refused);
      await expect(vault.putDerived(B, 'x', true)).rejects.toMatchObject(refused);
      expect(await listed(vault)).toEqual([A]);
      expect(await readFile(path.join(outside, 'secret.md'), 'utf8')).toBe('secret');
    }));

  it('takes a pipe, a socket and a folder for no note, and waits for none of them', () =>
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
    }));

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

  it('lists one note where both spellings stand', () =>
    withVault({ ['é.md'.normalize('NFD')]: 'D', ['é.md'.normalize('NFC')]: 'C' }, async ({ vault }) => {
      expect(await listed(vault)).toEqual(['é.md'.normalize('NFC')]);
      expect(await vault.read(vaultPath('é.md'))).toBe('C');
    }));
});

describe('files of the Node vault', () => {
  it('refuses bytes that are not UTF-8', () =>
    withVault({ [A]: '' }, async ({ vault, root }) => {
      await writeFile(path.join(root, A), Buffer.from([0x61, 0xc3, 0x28]));
      await expect(vault.read(A)).rejects.toMatchObject({ code: 'unsupported_type' });
      await expect(vault.edit(A, () => 'x')).rejects.toMatchObject({ code: 'unsupported_type' });
    }));

  it('keeps the permissions of a note that it replaces, and gives a new one those of the user', () =>
    withVault({ [A]: 'a' }, async ({ vault, root }) => {
      await chmod(path.join(root, A), 0o664);
      await vault.edit(A, () => 'edited');
      expect((await lstat(path.join(root, A))).mode & 0o777).toBe(0o664);
      await vault.create(B, 'b');
      await writeFile(path.join(root, 'plain.md'), '');
      expect((await lstat(path.join(root, B))).mode).toBe((await lstat(path.join(root, 'plain.md'))).mode);
    }));

  it('edits what stands there at the last moment, not what it read before', () =>
    withVault({ [A]: 'one' }, async ({ vault, root }) => {
      let calls = 0;
      const edited = await vault.edit(A, (old) => {
        calls += 1;
        // Someone saves after the note was read and before it is replaced.
        if (calls === 1) execFileSync('sh', ['-c', `printf two > '${path.join(root, A)}'`]);
        return `${old}, edited`;
      });
      expect([edited, calls]).toEqual([true, 2]);
      expect(await readFile(path.join(root, A), 'utf8')).toBe('two, edited');
    }));

  it('gives up on a note that never stands still', () =>
    withVault({ [A]: '0' }, async ({ vault, root }) => {
      const edit = vault.edit(A, (old) => {
        execFileSync('sh', ['-c', `printf '%s' '${old}0' > '${path.join(root, A)}'`]);
        return 'lost';
      });
      await expect(edit).rejects.toMatchObject({ code: 'busy' });
      expect(await readFile(path.join(root, A), 'utf8')).toMatch(/^0+$/);
    }));

  it.each(['create', 'edit', 'putDerived', 'append'] as const)(
    'leaves nothing behind when a call of %s fails',
    async (act) => {
      let hit = true;
      for (let call = 1; hit; call += 1) {
        await withVault({ [A]: 'a', 'wiki/empty/': '' }, async ({ vault, fs, root }) => {
          const before = await diskImage(root);
          fs.arm({ call, kind: 'error-before', code: 'ENOSPC' });
          const run = {
            create: () => vault.create(NEW, 'new'),
            edit: () => vault.edit(A, () => 'new'),
            putDerived: () => vault.putDerived(NEW, 'new', true),
            append: () => vault.append(NEW, 'new'),
          }[act];
          const rejected = await run().then(
            () => false,
            () => true,
          );
          hit = fs.hit;
          const image = await diskImage(root);
          // A new text that has its name already, and only lacks the sync of its folder, stays: it is whole.
          const replaced =
            (act === 'edit' || act === 'putDerived') && image[act === 'edit' ? A : NEW] === 'new';
          if (rejected && !replaced) expect({ call, image }).toEqual({ call, image: before });
          if (!hit) expect(rejected).toBe(false);
        });
      }
    },
  );

  it('takes a created note back when its folder cannot be synced', () =>
    withVault({}, async ({ vault, fs, root }) => {
      const before = await diskImage(root);
      fs.arm({ only: 'fsync', call: 2, kind: 'error-before' });
      await expect(vault.create(NEW, 'new')).rejects.toThrow('EIO');
      expect(await diskImage(root)).toEqual(before);
    }));

  it.each(['EPERM', 'ENOTSUP'])('creates where there are no hard links (%s), still only once', (code) =>
    withVault({ [A]: 'a' }, async ({ vault, fs, root }) => {
      fs.arm({ only: 'link', call: 1, kind: 'error-before', code });
      expect(await vault.create(B, 'b')).toBe(true);
      fs.arm({ only: 'link', call: 1, kind: 'error-before', code });
      expect(await vault.create(B, 'c')).toBe(false);
      expect(await readFile(path.join(root, B), 'utf8')).toBe('b');
      expect(await readdir(path.join(root, '.brain/local.test/tmp'))).toEqual([]);
    }),
  );

  it.each(['link', 'rename'])('writes beside the note where the state is on another device (%s)', (only) =>
    withVault({ [A]: 'a', 'wiki/home/facts/.~a.md': 'left by a crash' }, async ({ vault, fs, root }) => {
      fs.arm({ only, call: 1, kind: 'error-before', code: 'EXDEV' });
      if (only === 'link') expect(await vault.create(B, 'b')).toBe(true);
      else expect(await vault.edit(A, () => 'b')).toBe(true);
      expect(await readFile(path.join(root, only === 'link' ? B : A), 'utf8')).toBe('b');
      expect(await readdir(path.join(root, '.brain/local.test/tmp'))).toEqual([]);
      expect(await listed(vault)).toEqual(only === 'link' ? [A, B] : [A]);
    }),
  );

  it('makes no call more than it needs', () =>
    withVault({ [A]: 'a' }, async ({ vault, fs, root }) => {
      await vault.create(vaultPath('wiki/home/facts/first.md'), 'opens the folder');
      const trace = async (act: () => Promise<unknown>): Promise<string[]> => {
        fs.arm();
        await act();
        return fs.calls.map((call) => call.replace(/\S+\/tmp\/\S+/, 'temp').replace(`${root}/`, ''));
      };
      const folder = 'wiki/home/facts';
      const written = ['open temp', 'write temp', 'fstat temp', 'fsync temp', 'close temp'];
      const read = [`lstat ${folder}`, `open ${A}`, `fstat ${A}`, `read ${A}`, `close ${A}`];
      expect(await trace(() => vault.read(A))).toEqual(read);
      expect(await trace(() => vault.create(B, 'b'))).toEqual([
        `lstat ${folder}`,
        ...written,
        `link ${B}`,
        'unlink temp',
        `fsync ${folder}`,
      ]);
      expect(await trace(() => vault.edit(A, () => 'b'))).toEqual([
        ...read,
        `lstat ${folder}`,
        ...written,
        ...read,
        `rename ${A}`,
        `fsync ${folder}`,
      ]);
      expect(await trace(() => vault.remove(A))).toEqual([
        `lstat ${folder}`,
        `lstat ${A}`,
        `unlink ${A}`,
        `fsync ${folder}`,
      ]);
    }));

  it('keeps few folders open, however many it writes to', () =>
    withVault({}, async ({ vault, fs }) => {
      fs.arm();
      for (let n = 0; n < 70; n += 1) await vault.create(vaultPath(`knowledge/${n}/a.md`), 'a');
      const opened = fs.calls.filter((call) => /^open .*knowledge(\/\d+)?$/.test(call)).length;
      const closed = fs.calls.filter((call) => /^close .*knowledge(\/\d+)?$/.test(call)).length;
      expect(opened - closed).toBe(64);
    }));

  it('lists ten thousand files quickly', () =>
    withVault({ 'knowledge/': '' }, async ({ vault, root }) => {
      const names = Array.from({ length: 10_000 }, (_, n) => path.join(root, 'knowledge', `${n}.md`));
      for (const name of names) await nodeFileSystem.open(name, 'wx').then((file) => file.close());
      const start = performance.now();
      expect(await listed(vault, 'knowledge')).toHaveLength(10_000);
      // Well under a second on an idle machine; the margin is for one that is not.
      expect(performance.now() - start).toBeLessThan(5000);
    }));
});
