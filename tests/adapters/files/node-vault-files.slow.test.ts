import { mkdirSync, writeFileSync } from 'node:fs';
import { chmod, lstat, readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { nodeFileSystem } from '../../../src/adapters/files/file-system';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { diskImage } from '../../support/disk-image';
import { listed, withVault } from '../../support/node-vault-subject';
import { notOn } from '../../support/systems';

const modes = notOn(['win32'], 'files have no modes there');
const folderSyncs = notOn(['win32'], 'a folder is not synced there');

const A = vaultPath('wiki/home/facts/a.md');
const B = vaultPath('wiki/home/facts/b.md');
const NEW = vaultPath('wiki/new/facts/b.md');

describe('files of the Node vault', () => {
  it('refuses bytes that are not UTF-8', () =>
    withVault({ [A]: '' }, async ({ vault, root }) => {
      await writeFile(path.join(root, A), Buffer.from([0x61, 0xc3, 0x28]));
      await expect(vault.read(A)).rejects.toMatchObject({ code: 'unsupported_type' });
      await expect(vault.edit(A, () => 'x')).rejects.toMatchObject({ code: 'unsupported_type' });
    }));

  it.each([60, 3000])('reads nothing of a note that has %i MiB', (size) =>
    withVault({ [A]: '' }, async ({ vault, fs, root }) => {
      await truncate(path.join(root, A), size * 1024 * 1024);
      fs.arm();
      const problem = `"${A}" is larger than 50 MiB, so it is not read. Split it into smaller files.`;
      await expect(vault.read(A)).rejects.toThrow(problem);
      await expect(vault.edit(A, () => 'x')).rejects.toThrow(problem);
      expect(fs.calls.filter((call) => call.startsWith('read '))).toEqual([]);
    }),
  );

  modes.it('keeps the permissions of a note that it replaces, and gives a new one those of the user', () =>
    withVault({ [A]: 'a' }, async ({ vault, root }) => {
      await chmod(path.join(root, A), 0o664);
      await vault.edit(A, () => 'edited');
      expect((await lstat(path.join(root, A))).mode & 0o777).toBe(0o664);
      await vault.create(B, 'b');
      await writeFile(path.join(root, 'plain.md'), '');
      expect((await lstat(path.join(root, B))).mode).toBe((await lstat(path.join(root, 'plain.md'))).mode);
    }),
  );

  it('edits what stands there at the last moment, not what it read before', () =>
    withVault({ [A]: 'one' }, async ({ vault, root }) => {
      let calls = 0;
      const edited = await vault.edit(A, (old) => {
        calls += 1;
        // Someone saves after the note was read and before it is replaced.
        if (calls === 1) writeFileSync(path.join(root, A), 'two');
        return `${old}, edited`;
      });
      expect([edited, calls]).toEqual([true, 2]);
      expect(await readFile(path.join(root, A), 'utf8')).toBe('two, edited');
    }));

  it('puts no derived text over what someone saves while it is being written', () =>
    withVault({ [A]: 'map', 'wiki/': '' }, async ({ vault, fs, root }) => {
      const save = (at: string) => (call: string) => {
        if (!call.startsWith('write ')) return;
        mkdirSync(path.dirname(path.join(root, at)), { recursive: true });
        writeFileSync(path.join(root, at), 'by hand');
      };
      fs.onCall = save(A);
      expect(await vault.putDerived(A, 'newer map', { was: 'map', durable: false })).toBe(false);
      fs.onCall = save(NEW);
      expect(await vault.putDerived(NEW, 'new map', { was: null, durable: false })).toBe(false);
      fs.onCall = () => undefined;
      for (const at of [A, NEW]) expect(await vault.read(at)).toBe('by hand');
      expect(await readdir(path.join(root, '.brain/local.test/tmp'))).toEqual([]);
    }));

  it('gives up on a note that never stands still', () =>
    withVault({ [A]: '0' }, async ({ vault, root }) => {
      const edit = vault.edit(A, (old) => {
        writeFileSync(path.join(root, A), `${old}0`);
        return 'lost';
      });
      await expect(edit).rejects.toMatchObject({ code: 'busy' });
      expect(await readFile(path.join(root, A), 'utf8')).toMatch(/^0+$/);
    }));

  it.each(['create', 'edit', 'make derived', 'replace derived', 'append'] as const)(
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
            'make derived': () => vault.putDerived(NEW, 'new', { was: null, durable: true }),
            'replace derived': () => vault.putDerived(A, 'new', { was: 'a', durable: true }),
            append: () => vault.append(NEW, 'new'),
          }[act];
          const rejected = await run().then(
            () => false,
            () => true,
          );
          hit = fs.hit;
          const image = await diskImage(root);
          // A new text that has its name already, and only lacks the sync of its folder, stays: it is whole.
          const whole = { edit: A, 'replace derived': A, 'make derived': NEW, create: null, append: null }[
            act
          ];
          const replaced = whole !== null && image[whole] === 'new';
          if (rejected && !replaced) expect({ call, image }).toEqual({ call, image: before });
          if (!hit) expect(rejected).toBe(false);
        });
      }
    },
  );

  folderSyncs.it('takes a created note back when its folder cannot be synced', () =>
    withVault({}, async ({ vault, fs, root }) => {
      const before = await diskImage(root);
      fs.arm({ only: 'fsync', call: 2, kind: 'error-before' });
      await expect(vault.create(NEW, 'new')).rejects.toThrow('EIO');
      expect(await diskImage(root)).toEqual(before);
    }),
  );

  it.each(['EINVAL', 'ENOTSUP'])('creates where a file can be synced but no folder (%s)', (code) =>
    withVault({}, async ({ vault, fs, root }) => {
      const before = await diskImage(root);
      fs.arm({ only: 'fsync', call: 1, kind: 'error-before', code });
      await expect(vault.create(NEW, 'new')).rejects.toThrow(code);
      expect(await diskImage(root)).toEqual(before);
      fs.arm({ only: 'fsync', call: 2, kind: 'error-before', code, times: Infinity });
      expect(await vault.create(NEW, 'new')).toBe(true);
      expect(await readFile(path.join(root, NEW), 'utf8')).toBe('new');
    }),
  );

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

  folderSyncs.it('makes no call more than it needs', () =>
    withVault({ [A]: 'a' }, async ({ vault, fs, root }) => {
      await vault.create(vaultPath('wiki/home/facts/first.md'), 'opens the folder');
      const trace = async (act: () => Promise<unknown>): Promise<string[]> => {
        fs.arm();
        await act();
        return fs.calls.map((call) => call.replace(`${root}/`, '').replace(/\S+\/tmp\/\S+/, 'temp'));
      };
      const folder = 'wiki/home/facts';
      const written = ['open temp', 'write temp', 'fstat temp', 'fsync temp', 'close temp'];
      // Where a folder leads is asked anew each time: the one around it may have been moved and linked.
      const found = [`lstat ${folder}`, `realpath ${folder}`];
      const read = [...found, `lstat ${A}`, `open ${A}`, `fstat ${A}`, `read ${A}`, `close ${A}`];
      expect(await trace(() => vault.read(A))).toEqual(read);
      expect(await trace(() => vault.create(B, 'b'))).toEqual([
        ...found,
        ...written,
        `link ${B}`,
        'unlink temp',
        `fsync ${folder}`,
      ]);
      const replaced = [
        ...found,
        `lstat ${A}`,
        ...written,
        // Whoever saves it while it is compared shows in one of the two.
        `lstat ${A}`,
        ...read,
        `lstat ${A}`,
        `rename ${A}`,
        `fsync ${folder}`,
      ];
      expect(await trace(() => vault.edit(A, () => 'b'))).toEqual([...read, ...replaced]);
      const unsynced = replaced.filter((call) => !call.startsWith('fsync'));
      expect(await trace(() => vault.putDerived(A, 'c', { was: 'b', durable: false }))).toEqual(unsynced);
      expect(await trace(() => vault.remove(A))).toEqual([
        ...found,
        `lstat ${A}`,
        `unlink ${A}`,
        `fsync ${folder}`,
      ]);
    }),
  );

  folderSyncs.it('keeps few folders open, however many it writes to', () =>
    withVault({}, async ({ vault, fs }) => {
      fs.arm();
      for (let n = 0; n < 70; n += 1) await vault.create(vaultPath(`knowledge/${n}/a.md`), 'a');
      const opened = fs.calls.filter((call) => /^open .*knowledge(\/\d+)?$/.test(call)).length;
      const closed = fs.calls.filter((call) => /^close .*knowledge(\/\d+)?$/.test(call)).length;
      expect(opened - closed).toBe(64);
    }),
  );

  it('lists ten thousand files quickly', () =>
    withVault({ 'knowledge/': '' }, async ({ vault, root }) => {
      const names = Array.from({ length: 10_000 }, (_, n) => path.join(root, 'knowledge', `${n}.md`));
      for (const name of names) await nodeFileSystem.open(name, 'wx').then((file) => file.close());
      const start = performance.now();
      expect(await listed(vault, 'knowledge')).toHaveLength(10_000);
      // Well under a second on an idle machine; the margin is for one that is not.
      expect(performance.now() - start).toBeLessThan(20_000);
    }));
});
