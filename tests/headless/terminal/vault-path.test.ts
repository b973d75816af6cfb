import { mkdir, realpath, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { UsageError } from '../../../src/headless/terminal/io';
import { withVaultPaths } from '../../../src/headless/terminal/vault-path';
import { withTempFolder } from '../../support/temp-folder';

/** Two vaults on this machine, and a folder that is none; the working folder is above all of them. */
async function inFolders(test: (top: string, asked: jest.Mock) => Promise<void>): Promise<void> {
  await withTempFolder(async (folder) => {
    const top = await realpath(folder);
    for (const each of [
      'notes/.brain',
      'notes/raw',
      'notes/My notes',
      'notes/notes',
      'other/.brain',
      'other/raw',
      'plain',
    ])
      await mkdir(path.join(top, each), { recursive: true });
    for (const each of [
      'notes/raw/a.md',
      'notes/My notes/ä b.md',
      'notes/notes/c.md',
      'other/raw/a.md',
      'plain/a.md',
    ])
      await writeFile(path.join(top, each), '# A\n');
    await symlink(path.join(top, 'notes'), path.join(top, 'link'));
    const was = process.cwd();
    process.chdir(top);
    try {
      await test(
        top,
        jest.fn(() => Promise.resolve(path.join(top, 'notes'))),
      );
    } finally {
      process.chdir(was);
    }
  });
}

it.each([
  ['notes/raw/a.md', 'raw/a.md'],
  ['./notes/raw/a.md', 'raw/a.md'],
  ['plain/../notes/raw/a.md', 'raw/a.md'],
  ['link/raw/a.md', 'raw/a.md'],
  ['notes/My notes/ä b.md', 'My notes/ä b.md'],
  ['notes/notes/c.md', 'notes/c.md'],
  ['notes/raw', 'raw'],
  ['raw/a.md', 'raw/a.md'],
  ['notes/c.md', 'notes/c.md'],
  ['plain/a.md', 'plain/a.md'],
  ['[[raw/a]]', '[[raw/a]]'],
  ['', ''],
])('sends the path %j of a shell as %j', (given, expected) =>
  inFolders(async (top, vault) => {
    for (const field of ['path', 'replaces', 'under']) {
      expect(await withVaultPaths({ [field]: given, wing: given }, vault)).toEqual({
        [field]: expected,
        wing: given,
      });
    }
    if (!given.startsWith('notes/raw')) return;
    const absolute = path.join(top, given);
    expect(await withVaultPaths({ path: absolute }, vault)).toEqual({ path: expected });
  }),
);

it('asks for the vault only when a path needs it', () =>
  inFolders(async (top, vault) => {
    process.chdir(path.join(top, 'notes'));
    for (const given of ['raw/a.md', 'notes/c.md', 'wiki/x/facts/y.md'])
      expect(await withVaultPaths({ path: given }, vault)).toEqual({ path: given });
    expect(vault).not.toHaveBeenCalled();
    process.chdir(path.join(top, 'notes/raw'));
    expect(await withVaultPaths({ path: 'a.md' }, vault)).toEqual({ path: 'raw/a.md' });
  }));

it.each([
  ['of another vault', true, /serves .*notes\. Give the path inside the vault, such as raw\/a\.md\.$/],
  ['when the server does not say what it serves', false, /does not say.* such as raw\/a\.md\.$/],
])('refuses a path %s, and names the path that it wants', (_, known, message) =>
  inFolders(async (_top, vault) => {
    const asked = withVaultPaths({ path: 'other/raw/a.md' }, known ? vault : () => Promise.resolve(null));
    await expect(asked).rejects.toThrow(UsageError);
    await expect(asked).rejects.toThrow(message);
  }),
);
