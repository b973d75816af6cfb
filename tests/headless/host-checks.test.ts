import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { constants, writeFileSync } from 'node:fs';
import type { FileSystem } from '../../src/adapters/node/file-system';
import { type SurveyOptions } from '../../src/adapters/node/survey';
import type { Check } from '../../src/core/notes/check';
import { LAYOUT } from '../../src/core/notes/first-guidance';
import { hostChecks } from '../../src/headless/host-checks';
import { memoryFileSystem } from '../support/memory-file-system';
import { withTempFolder } from '../support/temp-folder';

const withVault = (work: (root: string) => Promise<void>) =>
  withTempFolder(async (root) => {
    for (const name of LAYOUT) await mkdir(join(root, name));
    await work(root);
  });

const server = (answers: boolean) => ({ url: 'http://127.0.0.1:1', answers: () => Promise.resolve(answers) });
const told = async (root: string, running: ReturnType<typeof server> | null) =>
  (await hostChecks(root, running)).map(({ name, state, message }) => `${name} ${state}: ${message}`);

it('finds nothing wrong with a vault in order', () =>
  withVault(async (root) => {
    expect(await told(root, server(true))).toEqual([
      'port ok: Listening on http://127.0.0.1:1.',
      'folder rights ok: This user may read and write every folder.',
      'file names ok: No file is passed over because of its name.',
      'conflict copies ok: No sync program has left a conflict copy.',
    ]);
  }));

it('says nothing of a port before the server runs', () =>
  withVault(async (root) => {
    expect((await hostChecks(root, null)).map(({ name }) => name)).toEqual([
      'folder rights',
      'file names',
      'conflict copies',
    ]);
  }));

it('tells a server that takes no connections any more', () =>
  withVault(async (root) => {
    expect((await told(root, server(false)))[0]).toMatch(/^port failed: /);
  }));

it('names conflict copies wherever they stand, and passes over a missing folder', () =>
  withVault(async (root) => {
    await rm(join(root, 'sessions'), { recursive: true });
    await mkdir(join(root, 'wiki/net/facts'), { recursive: true });
    await writeFile(join(root, 'wiki/net/facts/mtu.sync-conflict-20261120-103200-ABCDEFG.md'), 'x');
    await writeFile(join(root, "raw/idea (me's conflicted copy 2026-11-20).md"), 'x');
    expect((await told(root, null)).at(-1)).toBe(
      "conflict copies warning: A sync program has left 2 conflict copies, which are not read: raw/idea (me's conflicted copy 2026-11-20).md, wiki/net/facts/mtu.sync-conflict-20261120-103200-ABCDEFG.md.",
    );
  }));

it('looks for conflict copies in no folder that a link leads to', () =>
  withTempFolder(async (top) => {
    const root = join(top, 'vault');
    await mkdir(root);
    for (const name of LAYOUT) await mkdir(join(root, name));
    await mkdir(join(top, 'elsewhere/deep'), { recursive: true });
    await writeFile(join(top, 'elsewhere/deep/x.sync-conflict-20261120-103200-ABCDEFG.md'), 'x');
    await symlink(join(top, 'elsewhere'), join(root, 'inbox/linkdir'));
    expect((await told(root, null)).at(-1)).toBe(
      'conflict copies ok: No sync program has left a conflict copy.',
    );
  }));

it('tells what cannot be used as a folder', () =>
  withVault(async (root) => {
    await rm(join(root, 'raw'), { recursive: true });
    await writeFile(join(root, 'raw'), 'a file');
    expect(await told(root, null)).toEqual([
      'folder rights failed: This user may not read and write: raw.',
      'file names ok: No file is passed over because of its name.',
      'conflict copies warning: Not every folder could be looked into: raw.',
    ]);
  }));

const ROOT = '/vault';
const NOTES = [
  'wiki/a.md',
  'wiki/net/facts/b.md',
  'wiki/net/decisions/c.md',
  'raw/d.md',
  'inbox/e.txt',
  'sessions/f',
];

const systemError = (code: string, at: string) => Object.assign(new Error(`${code}: ${at}`), { code });

/** What a user may not do where, as `access` of the system answers it; any other call it takes as root would. */
function refusing(rights: Record<string, 'read' | 'write' | 'both'>, code = 'EACCES'): SurveyOptions {
  return {
    fs: memoryFileSystem(Object.fromEntries(NOTES.map((at) => [`${ROOT}/${at}`, 'x']))),
    async access(full, mode) {
      const right = rights[full.slice(ROOT.length + 1)];
      const refused = (mode & constants.W_OK) !== 0 ? 'write' : 'read';
      if (right === 'both' || right === refused) throw systemError(code, full);
    },
  };
}

async function checkOf(name: string, options: SurveyOptions): Promise<Check> {
  const found = (await hostChecks(ROOT, null, options)).find((check) => check.name === name);
  if (found === undefined) throw new Error(`There is no check ${name}.`);
  return found;
}

describe('the rights on folders', () => {
  it.each<[Record<string, 'read' | 'write' | 'both'>, string, string]>([
    [{ wiki: 'both' }, 'This user may not read and write: wiki.', 'wiki'],
    [{ 'wiki/net/facts': 'read' }, 'This user may not read: wiki/net/facts.', 'wiki/net/facts'],
    [
      { 'wiki/net/decisions': 'write' },
      'This user may not write to: wiki/net/decisions.',
      'wiki/net/decisions',
    ],
    [
      { 'wiki/net': 'write', 'wiki/net/facts': 'write', raw: 'read', inbox: 'both' },
      'This user may not read and write: inbox. This user may not read: raw. This user may not write to: wiki/net, wiki/net/facts.',
      'inbox /vault/raw /vault/wiki/net',
    ],
  ])('are told of every folder, reading and writing apart: %j', async (rights, message, folders) => {
    expect(await checkOf('folder rights', refusing(rights))).toMatchObject({
      state: 'failed',
      message,
      fix: expect.stringContaining('rights of these folders'),
      ...(process.platform !== 'win32' && { command: `chmod -R u+rwX /vault/${folders}` }),
    });
  });

  it('are told where a folder cannot be listed, whatever its rights say', async () => {
    const { fs = memoryFileSystem({}), ...rest } = refusing({});
    const readdir: FileSystem['readdir'] = async (at) => {
      if (at === `${ROOT}/wiki/net`) throw systemError('EPERM', at);
      return fs.readdir(at);
    };
    const options = { ...rest, fs: { ...fs, readdir } };
    expect(await checkOf('folder rights', options)).toMatchObject({
      message: 'This user may not read: wiki/net.',
    });
    expect(await checkOf('conflict copies', options)).toMatchObject({
      state: 'warning',
      message: 'Not every folder could be looked into: wiki/net.',
    });
  });

  it('name a few of many folders, and how many more there are', async () => {
    const many = Array.from({ length: 300 }, (_, n) => `wiki/w${String(n).padStart(3, '0')}/facts`);
    const fs = memoryFileSystem(Object.fromEntries(many.map((at) => [`${ROOT}/${at}/a.md`, 'x'])));
    const { access = async () => undefined } = refusing(Object.fromEntries(many.map((at) => [at, 'write'])));
    const { message, command = '' } = await checkOf('folder rights', { fs, access });
    expect(message).toMatch(/^This user may not write to: wiki\/w000\/facts, .* and 295 more\.$/);
    expect(message.length).toBeLessThan(200);
    expect(['', 'chmod -R u+rwX /vault/wiki']).toContain(command);
  });

  it('tell a disk that takes no changes, which no other rights would help', async () => {
    const check = await checkOf('folder rights', refusing({ wiki: 'write', raw: 'write' }, 'EROFS'));
    expect(check).toEqual({
      name: 'folder rights',
      state: 'failed',
      message: 'This user may not write to: raw, wiki.',
      fix: expect.stringMatching(/^The disk takes no changes/),
    });
  });

  it('are not told of a folder that has gone meanwhile', async () => {
    expect(await checkOf('folder rights', refusing({ 'wiki/net': 'both' }, 'ENOENT'))).toMatchObject({
      state: 'ok',
    });
  });
});

describe('names for which files are passed over', () => {
  const standing = (
    files: readonly string[],
    patch: (fs: FileSystem) => Partial<FileSystem> = () => ({}),
  ) => {
    const fs = memoryFileSystem(Object.fromEntries(files.map((at) => [`${ROOT}/${at}`, 'x'])));
    return checkOf('file names', { access: async () => undefined, fs: { ...fs, ...patch(fs) } });
  };

  /** Lists what stands at paths with U+FFFD, and finds nothing there, as where bytes of a name are no UTF-8. */
  const unreachable = (fs: FileSystem): Partial<FileSystem> => ({
    lstat: async (at) => (at.includes('\uFFFD') ? null : fs.lstat(at)),
  });

  it('are told where they are no UTF-8, of files and of folders', async () => {
    const files = ['wiki/a.md', 'wiki/net/caf\uFFFD.md', 'raw/\uFFFDber/b.md'];
    expect(await standing(files, unreachable)).toMatchObject({
      state: 'warning',
      message:
        'These names are no UTF-8, so nothing under them can be read: raw/\uFFFDber, wiki/net/caf\uFFFD.md.',
      fix: 'Rename them in UTF-8.',
    });
    expect(await standing(files)).toMatchObject({ state: 'ok' });
  });

  it('are told where two stand in one folder that are the same in NFC', async () => {
    const spelt = ['\u1e69', 's\u0323\u0307', 's\u0307\u0323'];
    expect(await standing(spelt.slice(0, 2).map((name) => `wiki/${name}.md`))).toMatchObject({
      state: 'warning',
      message:
        'These names stand twice in their folder, spelt in two Unicode forms (NFC and NFD), and only one is read: wiki/\u1e69.md.',
    });
    expect(await standing(spelt.slice(1).map((name) => `wiki/${name}.md`))).toMatchObject({
      state: 'warning',
    });
    expect(await standing(spelt.map((name, n) => `wiki/${n}/${name}.md`))).toMatchObject({ state: 'ok' });
  });

  it('are told where their path is too long', async () => {
    const closed = (fs: FileSystem): Partial<FileSystem> => ({
      readdir: async (at) => {
        if (at.endsWith('/deep')) throw systemError('ENAMETOOLONG', at);
        return fs.readdir(at);
      },
    });
    expect(await standing(['wiki/deep/a.md'], closed)).toMatchObject({
      state: 'warning',
      message: expect.stringMatching(/longer than this system allows.*: wiki\/deep\.$/),
    });
  });

  it('are told by the real disk where it takes such names', () =>
    withVault(async (root) => {
      const name = Buffer.concat([
        Buffer.from(join(root, 'wiki/caf')),
        Buffer.from([0xe9]),
        Buffer.from('.md'),
      ]);
      // Not every system makes such a file.
      const isMade = attempt(() => writeFileSync(name, 'x'));
      expect((await told(root, null))[1]).toMatch(
        isMade ? /^file names warning: .*wiki\/caf\uFFFD\.md\.$/ : /ok/,
      );
    }));
});

function attempt(work: () => void): boolean {
  try {
    work();
    return true;
  } catch {
    return false;
  }
}
