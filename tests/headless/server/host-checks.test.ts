import { constants, writeFileSync } from 'node:fs';
import { mkdir, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileSystem } from '../../../src/adapters/files/file-system';
import type { SurveyOptions } from '../../../src/adapters/vault/survey';
import { settleConfig } from '../../../src/core/config/config';
import { perform } from '../../../src/core/operation/operation';
import { status } from '../../../src/core/status/status';
import type { Check } from '../../../src/core/vocabulary/check';
import { LAYOUT } from '../../../src/core/vocabulary/paths';
import { hostChecks } from '../../../src/headless/server/checks';
import { openVault } from '../../../src/headless/server/open';
import { fixedClock } from '../../support/fixed-clock';
import { memoryFileSystem } from '../../support/memory-file-system';
import { silentLog } from '../../support/silent-log';
import { withTempFolder } from '../../support/temp-folder';
import { agent } from '../../support/test-brain';

const withVault = (work: (root: string) => Promise<void>) =>
  withTempFolder(async (root) => {
    for (const name of LAYOUT) await mkdir(join(root, name));
    await work(root);
  });

const server = (answers: boolean) => ({ url: 'http://127.0.0.1:1', answers: () => Promise.resolve(answers) });
const told = async (root: string, running: ReturnType<typeof server> | null) =>
  (await hostChecks(root, fixedClock())(running)).map(
    ({ name, state, message }) => `${name} ${state}: ${message}`,
  );

it('finds nothing wrong with a vault in order', () =>
  withVault(async (root) => {
    expect(await told(root, server(true))).toEqual([
      'port ok: Listening on http://127.0.0.1:1.',
      'folder rights ok: This user may read and write every folder.',
      'folders ok: No file or foreign link stands where a folder belongs, and the disk answers for each.',
      'file names ok: No file is passed over because of its name.',
      'conflict copies ok: No sync program has left a conflict copy.',
    ]);
  }));

it('says nothing of a port before the server runs', () =>
  withVault(async (root) => {
    expect((await hostChecks(root, fixedClock())(null)).map(({ name }) => name)).toEqual([
      'folder rights',
      'folders',
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

const MISPLACED =
  'Where these folders belong stands a file, or a link that leads to no folder of the vault, so nothing there is read';

it('tells what cannot be used as a folder, and speaks of no rights', () =>
  withVault(async (root) => {
    await rm(join(root, 'raw'), { recursive: true });
    await writeFile(join(root, 'raw'), 'a file');
    expect(await told(root, null)).toEqual([
      'folder rights ok: This user may read and write every folder.',
      `folders failed: ${MISPLACED}: raw.`,
      'file names ok: No file is passed over because of its name.',
      'conflict copies warning: Not every folder could be looked into: raw.',
    ]);
  }));

it('offers no command for a link that leads outside the vault, nowhere, or into a hidden folder', () =>
  withTempFolder(async (top) => {
    const root = join(top, 'vault');
    await mkdir(join(root, '.hidden'), { recursive: true });
    await mkdir(join(top, 'elsewhere'));
    await symlink(join(top, 'elsewhere'), join(root, 'wiki'));
    await symlink(join(top, 'nowhere'), join(root, 'knowledge'));
    await symlink(join(root, '.hidden'), join(root, 'raw'));
    const checks = await hostChecks(root, fixedClock())(null);
    expect(checks.map(({ name, state }) => `${name} ${state}`)).toEqual([
      'folder rights ok',
      'folders failed',
      'file names ok',
      'conflict copies warning',
    ]);
    expect(checks.find(({ name }) => name === 'folders')).toEqual({
      name: 'folders',
      state: 'failed',
      message: `${MISPLACED}: knowledge, raw, wiki.`,
      fix: 'Put a folder in the place of each, and move into it what it is to hold.',
    });
    expect(JSON.stringify(checks)).not.toContain('chmod');
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
  const found = (await hostChecks(ROOT, fixedClock(), options)(null)).find((check) => check.name === name);
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

  const closing = (at: string, code: string): SurveyOptions => {
    const { fs = memoryFileSystem({}), ...rest } = refusing({});
    const readdir: FileSystem['readdir'] = async (full) => {
      if (full === `${ROOT}/${at}`) throw systemError(code, full);
      return fs.readdir(full);
    };
    return { ...rest, fs: { ...fs, readdir } };
  };

  it.each(['EIO', 'EMFILE', 'ESTALE'])('are not told of where the reason is another: %s', async (code) => {
    const options = closing('wiki/net', code);
    expect(await checkOf('folder rights', options)).toMatchObject({ state: 'ok' });
    expect(await checkOf('folders', options)).toEqual({
      name: 'folders',
      state: 'failed',
      message: `These folders could not be looked into: wiki/net (${code}).`,
      fix: 'Check again; where that stays so, see to the disk on which they lie.',
    });
    expect(await checkOf('conflict copies', options)).toMatchObject({
      message: 'Not every folder could be looked into: wiki/net.',
      fix: 'See what "folders" says of them.',
    });
  });

  it('are not told of where the question for them fails otherwise', async () => {
    const options = refusing({ 'wiki/net': 'both' }, 'EIO');
    expect(await checkOf('folder rights', options)).toMatchObject({ state: 'ok' });
    expect(await checkOf('folders', options)).toMatchObject({
      message: expect.stringMatching(/net \(EIO\)\.$/),
    });
  });

  it('are told without a command where they keep the folder itself from being seen', async () => {
    const { fs = memoryFileSystem({}), ...rest } = refusing({});
    const lstat: FileSystem['lstat'] = async (at) => {
      if (at === `${ROOT}/wiki`) throw systemError('EACCES', at);
      return fs.lstat(at);
    };
    const check = await checkOf('folder rights', { ...rest, fs: { ...fs, lstat } });
    expect(check).toMatchObject({ state: 'failed', message: 'This user may not read: wiki.' });
    expect(check).not.toHaveProperty('command');
  });

  /** Windows has no such command. */
  const onUnix = (command: string) => (process.platform === 'win32' ? undefined : command);

  it('are mended by a command with the paths of the disk', async () => {
    const spelt = 'wiki/u\u0308ber uns/facts'; // In NFD, as macOS has spelt it.
    const access: SurveyOptions['access'] = async (full) => {
      if (full.endsWith('/facts')) throw systemError('EACCES', full);
    };
    const fs = memoryFileSystem({ [`${ROOT}/${spelt}/a.md`]: 'x' });
    expect(await checkOf('folder rights', { fs, access })).toMatchObject({
      message: `This user may not read and write: ${spelt.normalize('NFC')}.`,
      ...(process.platform !== 'win32' && { command: `chmod -R u+rwX '${ROOT}/${spelt}'` }),
    });
  });

  it('are mended where a link inside the vault leads', () =>
    withTempFolder(async (top) => {
      const root = await realpath(top);
      const names = Array.from({ length: 6 }, (_, n) => `w${n}`);
      for (const name of names) await mkdir(join(root, 'real/notes', name), { recursive: true });
      await symlink(join(root, 'real/notes'), join(root, 'wiki'));
      const commandOf = async (closed: readonly string[]) => {
        const access: SurveyOptions['access'] = async (full) => {
          if (closed.some((name) => full.endsWith(`/${name}`))) throw systemError('EACCES', full);
        };
        const checks = await hostChecks(root, fixedClock(), { access })(null);
        return checks.find(({ name }) => name === 'folder rights')?.command;
      };
      expect(await commandOf(['w1'])).toBe(onUnix(`chmod -R u+rwX ${root}/real/notes/w1`));
      expect(await commandOf(names)).toBe(onUnix(`chmod -R u+rwX ${root}/real/notes`));
    }));

  it('are not told of a folder that has gone meanwhile', async () => {
    expect(await checkOf('folder rights', refusing({ 'wiki/net': 'both' }, 'ENOENT'))).toMatchObject({
      state: 'ok',
    });
  });
});

describe('looking through the folders', () => {
  /** Counts how often the vault is looked through; each time waits until `go` is called when `held`. */
  const world = ({ held = false } = {}) => {
    const clock = fixedClock();
    const rights: Record<string, 'read' | 'write' | 'both'> = {};
    const { fs = memoryFileSystem({}), ...rest } = refusing(rights);
    const waiting: (() => void)[] = [];
    let looks = 0;
    const readdir: FileSystem['readdir'] = async (at) => {
      if (at === `${ROOT}/wiki`) {
        looks += 1;
        if (held) await new Promise<void>((resolve) => waiting.push(resolve));
      }
      return fs.readdir(at);
    };
    const checks = hostChecks(ROOT, clock, { ...rest, fs: { ...fs, readdir } });
    const stateOf = async (look?: { probe: boolean }) =>
      (await checks(null, look)).find(({ name }) => name === 'folder rights')?.state;
    const begun = async (): Promise<void> => {
      while (waiting.length === 0) await new Promise((resolve) => setImmediate(resolve));
    };
    return { clock, rights, checks, stateOf, begun, go: () => waiting.shift()?.(), looks: () => looks };
  };

  it('is done at most once a minute, however often it is asked', async () => {
    const { clock, rights, stateOf, looks } = world();
    for (let times = 0; times < 5; times += 1) expect(await stateOf()).toBe('ok');
    expect(looks()).toBe(1);
    rights['wiki/net'] = 'both';
    clock.advance(59_999);
    expect([await stateOf(), looks()]).toEqual(['ok', 1]);
    clock.advance(1);
    expect([await stateOf(), looks()]).toEqual(['failed', 2]);
    clock.advance(-3_600_000);
    await stateOf();
    expect(looks()).toBe(3);
  });

  it('is done at once when that is asked for, and what was found then holds', async () => {
    const { rights, stateOf, looks } = world();
    expect(await stateOf()).toBe('ok');
    rights['wiki/net'] = 'both';
    expect([await stateOf({ probe: true }), looks()]).toEqual(['failed', 2]);
    expect([await stateOf({ probe: false }), looks()]).toEqual(['failed', 2]);
  });

  it('is done once for all who ask at the same time', async () => {
    const { stateOf, begun, go, looks } = world({ held: true });
    const asked = [stateOf({ probe: true }), stateOf(), stateOf()];
    await begun();
    asked.push(stateOf());
    go();
    expect(await Promise.all(asked)).toEqual(['ok', 'ok', 'ok', 'ok']);
    expect(looks()).toBe(1);
  });

  it('is done once more for those who ask to probe meanwhile, since it may have passed what was mended', async () => {
    const { rights, stateOf, begun, go, looks } = world({ held: true });
    rights.raw = 'both';
    const first = stateOf();
    await begun();
    const later = [stateOf({ probe: true }), stateOf({ probe: true })];
    go();
    expect(await first).toBe('failed');
    delete rights.raw;
    await begun();
    go();
    expect(await Promise.all(later)).toEqual(['ok', 'ok']);
    expect([await stateOf(), looks()]).toEqual(['ok', 2]);
  });

  it.each([true, false])('is left to whoever asks for the status of an opened vault (%j)', (probe) =>
    withTempFolder(async (root) => {
      const asked: unknown[] = [];
      const checks = async (options?: unknown) => {
        asked.push(options);
        return [];
      };
      const env = { BRAIN_DEVICE: 'testtest' };
      const opened = await openVault(root, settleConfig({}, { watch: false }), env, silentLog(), { checks });
      await opened.brain.ready();
      await perform(opened.brain, status, { probe }, agent);
      await opened.close();
      expect(asked).toEqual([{ probe }]);
    }),
  );

  it('leaves the port to be asked each time', async () => {
    const { checks } = world();
    const portOf = async (answers: boolean) => (await checks(server(answers)))[0]?.state;
    expect([await portOf(true), await portOf(false)]).toEqual(['ok', 'failed']);
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
      expect((await told(root, null))[2]).toMatch(
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
