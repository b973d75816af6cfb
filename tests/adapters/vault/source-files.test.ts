import { execFileSync } from 'node:child_process';
import { chmod, link, mkdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { nodeSourceFiles, logMissingRoots } from '../../../src/adapters/vault/sources';
import { BrainError } from '../../../src/core/base/errors';
import type { Reach, SourceFile, SourceFolder } from '../../../src/core/documents/ports';
import { silentLog } from '../../support/silent-log';
import { notOn } from '../../support/systems';
import { withTempFolder } from '../../support/temp-folder';

const posix = notOn(['win32'], 'links, pipes and paths from the root are of another kind');

interface World {
  /** The folder above the vault. */
  readonly top: string;
  readonly vault: string;
  readonly sources: ReturnType<typeof nodeSourceFiles>;
  /** Makes a file below `top` with its folders. */
  readonly put: (at: string, text?: string) => Promise<string>;
  readonly codeOf: (at: string, reach?: Reach) => Promise<string>;
}

/** A vault with an inbox, beside a folder that the owner allows and one that nobody named. */
function withWorld(
  work: (world: World) => Promise<void>,
  options: Partial<Parameters<typeof nodeSourceFiles>[0]> = {},
) {
  return withTempFolder(async (top) => {
    const vault = path.join(top, 'vault');
    await mkdir(path.join(vault, 'inbox'), { recursive: true });
    await mkdir(path.join(top, 'allowed'));
    const sources = nodeSourceFiles({
      root: vault,
      watchDir: 'inbox',
      allowed: [path.join(top, 'allowed'), path.join(top, 'absent')],
      secret: [path.join(top, 'secret')],
      ...options,
    });
    await work({
      top,
      vault,
      sources,
      async put(at, text = 'text') {
        const full = path.join(top, at);
        await mkdir(path.dirname(full), { recursive: true });
        await writeFile(full, text);
        return full;
      },
      codeOf: (at, reach = 'fenced') => outcome(() => sources.locate(at, reach)),
    });
  });
}

/** `file`, `folder`, or the code of the refusal. */
async function outcome(work: () => Promise<unknown>): Promise<string> {
  try {
    const found = await work();
    return typeof found === 'object' && found !== null && 'kind' in found ? String(found.kind) : 'done';
  } catch (error) {
    if (error instanceof BrainError) return error.code;
    throw error;
  }
}

async function fileAt(world: World, at: string, reach: Reach = 'fenced'): Promise<SourceFile> {
  const found = await world.sources.locate(at, reach);
  if (found.kind !== 'file') throw new Error(`${at} is a folder`);
  return found;
}

async function folderAt(world: World, at: string, reach: Reach = 'fenced'): Promise<SourceFolder> {
  const found = await world.sources.locate(at, reach);
  if (found.kind !== 'folder') throw new Error(`${at} is a file`);
  return found;
}

const CLOSED = [
  'vault/wiki/a/facts/n.md',
  'vault/knowledge/n.md',
  'vault/raw/n.md',
  'vault/sessions/s.jsonl',
  'vault/.brain/state.json',
  'vault/.obsidian/data.json',
  'secret/tokens.json',
];

posix.describe('a caller with a token', () => {
  it('reaches the inbox and the allowed roots, by vault path and by absolute path', () =>
    withWorld(async (world) => {
      await world.put('vault/inbox/deep/a.md');
      await world.put('allowed/b.txt');
      for (const at of [
        'inbox/deep/a.md',
        'brain/inbox/deep/a.md',
        '/inbox/deep/a.md',
        '/brain/inbox/deep/a.md',
        path.join(world.vault, 'inbox/deep/a.md'),
      ]) {
        expect(await fileAt(world, at)).toMatchObject({
          path: 'inbox/deep/a.md',
          name: 'a.md',
          file: 'inbox/deep/a.md',
        });
      }
      const outside = path.join(world.top, 'allowed/b.txt');
      expect(await fileAt(world, outside)).toMatchObject({
        path: null,
        name: 'b.txt',
        file: outside,
        full: outside,
      });
      expect([
        await world.codeOf('inbox'),
        await world.codeOf('inbox/'),
        await world.codeOf('inbox/deep/'),
      ]).toEqual(['folder', 'folder', 'folder']);
    }));

  it('means a path of the machine by a leading slash, where that may be used, and else one of the inbox', () =>
    withTempFolder(async (top) => {
      const vault = path.join(top, 'vault');
      // A folder of the machine and one of the vault that are written alike, but for what stands before them.
      const drop = top.slice(1);
      const put = async (at: string) => {
        await mkdir(path.dirname(at), { recursive: true });
        await writeFile(at, at);
      };
      await put(path.join(vault, drop, 'in-vault.md'));
      await put(path.join(vault, drop, 'both.md'));
      await put(path.join(top, 'both.md'));
      const options = { root: vault, watchDir: drop, secret: [] };
      const pathOf = async (name: string, allowed: string[]) => {
        const found = await nodeSourceFiles({ ...options, allowed }).locate(path.join(top, name), 'fenced');
        return found.kind === 'file' ? found.path : null;
      };
      expect(await pathOf('both.md', [top])).toBeNull();
      expect(await pathOf('both.md', [])).toBe(`${drop}/both.md`);
      expect(await pathOf('in-vault.md', [top])).toBe(`${drop}/in-vault.md`);
      await expect(pathOf('neither.md', [])).rejects.toMatchObject({ code: 'source_missing' });
    }));

  it('reaches nothing else, however it is written', () =>
    withWorld(async (world) => {
      for (const at of [
        ...CLOSED,
        'elsewhere/a.md',
        'vault/Notes/a.md',
        'allowed/.ssh/id_rsa',
        'vault/inbox/.hidden/a.md',
      ]) {
        const full = await world.put(at);
        expect([at, await world.codeOf(full)]).toEqual([at, 'path_not_allowed']);
      }
      const written = [
        'wiki/a/facts/n.md',
        'Notes/a.md',
        '.obsidian/data.json',
        'inbox/../Notes/a.md',
        'inbox/../../elsewhere/a.md',
        `${world.vault}/inbox/../Notes/a.md`,
        `${world.vault}/inbox/..`,
        'inbox\\..\\Notes\\a.md',
        '/inbox/../Notes/a.md',
        '/brain/inbox/../Notes/a.md',
        '/brain/brain/inbox/a.md',
        '//inbox/a.md',
        '/inbox/.hidden/a.md',
        '/inboxes/a.md',
        '/Notes/a.md',
        '/wiki/a/facts/n.md',
        '/brain/wiki/a/facts/n.md',
        'inbox/./a.md',
        'inbox//a.md',
        './Notes/a.md',
        '~/.ssh/id_rsa',
        'file:///etc/passwd',
        '/etc/passwd',
        '/proc/self/environ',
        '/dev/zero',
        '/',
        '.',
        '',
        'inbox/a\0.md',
        `inbox/${'a'.repeat(5000)}`,
        `${world.vault}/inboxes/a.md`,
        `${world.top}/allowed2/a.md`,
      ];
      await world.put('vault/inboxes/a.md');
      await world.put('allowed2/a.md');
      for (const at of written) expect([at, await world.codeOf(at)]).toEqual([at, 'path_not_allowed']);
    }));

  it('is told of nothing outside: neither by the code nor by the words', () =>
    withWorld(async (world) => {
      await world.put('elsewhere/there.md');
      await symlink(path.join(world.top, 'elsewhere/there.md'), path.join(world.vault, 'inbox/to-there.md'));
      await symlink(
        path.join(world.top, 'elsewhere/absent.md'),
        path.join(world.vault, 'inbox/to-absent.md'),
      );
      await symlink(path.join(world.top, 'elsewhere'), path.join(world.vault, 'inbox/folder'));
      const told = async (at: string) => {
        const error: unknown = await world.sources.locate(at, 'fenced').catch((thrown: unknown) => thrown);
        return error instanceof BrainError ? [error.code, error.message, error.details] : error;
      };
      const outside = (name: string) => path.join(world.top, 'elsewhere', name);
      const answers = await Promise.all(
        [
          outside('there.md'),
          outside('absent.md'),
          outside('there.md/below'),
          'inbox/to-there.md',
          '/inbox/to-there.md',
          '/brain/inbox/folder/there.md',
          'inbox/to-absent.md',
          'inbox/folder/there.md',
          'inbox/folder/absent.md',
          'inbox/folder',
          'Notes/absent.md',
        ].map(told),
      );
      expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
      expect(answers[0]).toMatchObject(['path_not_allowed', expect.stringContaining('"inbox"')]);
    }));

  it('is told what is missing inside', () =>
    withWorld(async (world) => {
      await world.put('vault/inbox/a.md');
      for (const at of [
        'inbox/b.md',
        'inbox/a.md/b.md',
        'inbox/x/y/z.md',
        `inbox/${'b'.repeat(300)}`,
        'inbox/%2e%2e/a.md',
      ]) {
        expect([at, await world.codeOf(at)]).toEqual([at, 'source_missing']);
      }
    }));

  it('takes a file of the inbox under whatever name a person gave it', () =>
    withWorld(async (world) => {
      for (const at of ['inbox/at 3:4.txt', 'inbox/a\\b.txt', 'inbox/wait....txt']) {
        await world.put(`vault/${at}`);
        // There a colon leads to another stream, and a backslash is a slash.
        if (process.platform !== 'win32' || /^[^:\\]*$/.test(at))
          expect(await fileAt(world, at)).toMatchObject({ path: at });
      }
      for (const at of ['inbox/..\\..\\a.txt', 'inbox/.hidden:/a.txt', 'inbox//a:b.txt'])
        expect([at, await world.codeOf(at)]).toEqual([at, 'path_not_allowed']);
    }));

  it('is not let out by links: only where they end counts', () =>
    withWorld(async (world) => {
      await world.put('vault/inbox/a.md');
      await world.put('vault/Notes/n.md');
      await symlink('a.md', path.join(world.vault, 'inbox/inside.md'));
      await symlink('../Notes/n.md', path.join(world.vault, 'inbox/note.md'));
      await symlink('../../..', path.join(world.vault, 'inbox/up'));
      await symlink('loop', path.join(world.vault, 'inbox/loop'));
      await symlink('/dev/zero', path.join(world.vault, 'inbox/zero.txt'));
      await symlink('/proc/self/environ', path.join(world.vault, 'inbox/environ.txt'));
      expect(await fileAt(world, 'inbox/inside.md')).toMatchObject({ path: 'inbox/a.md' });
      for (const name of ['note.md', 'up', 'up/etc/passwd', 'loop', 'zero.txt', 'environ.txt']) {
        expect([name, await world.codeOf(`inbox/${name}`)]).toEqual([name, 'path_not_allowed']);
      }
    }));

  it('still reaches the inbox where one folder holds the secrets and the vault', async () => {
    await withTempFolder(async (data) => {
      const vault = path.join(data, 'vault');
      await mkdir(path.join(vault, 'inbox'), { recursive: true });
      await writeFile(path.join(vault, 'inbox/a.md'), 'text');
      await writeFile(path.join(data, 'tokens.json'), '{}');
      const sources = nodeSourceFiles({ root: vault, watchDir: 'inbox', allowed: [], secret: [data] });
      expect(await outcome(() => sources.locate('inbox/a.md', 'fenced'))).toBe('file');
      const tokens = path.join(data, 'tokens.json');
      expect(await outcome(() => sources.locate(tokens, 'person'))).toBe('path_not_allowed');
    });
  });

  it('reaches no secret and no note by an allowed root above them', () =>
    withWorld(async (world) => {
      for (const at of CLOSED) await world.put(at);
      const sources = nodeSourceFiles({
        root: world.vault,
        watchDir: 'inbox',
        allowed: [world.top],
        secret: [path.join(world.top, 'secret')],
      });
      for (const at of CLOSED) {
        const full = path.join(world.top, at);
        expect([at, await outcome(() => sources.locate(full, 'fenced'))]).toEqual([at, 'path_not_allowed']);
      }
      const folder = await sources.locate(world.top, 'fenced');
      await world.put('vault/Notes/n.md');
      if (folder.kind !== 'folder') throw new Error('not a folder');
      const found = await sources.list(folder, true, 'fenced');
      expect(found.map(({ file }) => file)).toEqual(['Notes/n.md']);
    }));

  it('finds an inbox that is itself a link to elsewhere closed', () =>
    withWorld(async (world) => {
      await world.put('elsewhere/a.md');
      await rm(path.join(world.vault, 'inbox'), { recursive: true });
      await symlink(path.join(world.top, 'elsewhere'), path.join(world.vault, 'inbox'));
      expect(await world.codeOf('inbox/a.md')).toBe('path_not_allowed');
    }));

  it.each([
    ['Drop here', 'Drop here/a.md', 'inbox/a.md'],
    ['raw', 'inbox/a.md', 'raw/a.pdf'],
    ['../elsewhere', 'inbox/a.md', 'elsewhere/a.md'],
    ['', 'inbox/a.md', 'a.md'],
    ['.obsidian', 'inbox/a.md', '.obsidian/a.md'],
  ])('with the inbox set to "%s" reaches %s and not %s', (watchDir, open, closed) =>
    withWorld(
      async (world) => {
        await world.put(`vault/${open}`);
        await world.put(`vault/${closed}`);
        expect([await world.codeOf(open), await world.codeOf(closed)]).toEqual(['file', 'path_not_allowed']);
      },
      { watchDir },
    ),
  );

  it('finds files whose names the disk spells in another form', () =>
    withWorld(async (world) => {
      await world.put(`vault/inbox/${'Grüße'.normalize('NFD')}/${'Maß é.md'.normalize('NFD')}`);
      const at = 'inbox/Grüße/Maß é.md'.normalize('NFC');
      const found = await fileAt(world, at);
      expect(found).toMatchObject({ path: at, name: 'Maß é.md'.normalize('NFC') });
      expect(await world.sources.read(found)).toHaveLength(4);
    }));
});

posix.describe('a person', () => {
  it('reaches nearly everything, but no folder of the service, its settings or the system', () =>
    withWorld(async (world) => {
      for (const at of ['elsewhere/a.md', 'vault/Notes/a.md', 'vault/inbox/a.md', 'allowed/.config/a.md']) {
        const full = await world.put(at);
        expect([at, await world.codeOf(full, 'person')]).toEqual([at, 'file']);
      }
      for (const at of CLOSED) {
        const full = await world.put(at);
        expect([at, await world.codeOf(full, 'person')]).toEqual([at, 'path_not_allowed']);
      }
      for (const at of ['/proc/self/environ', '/dev/zero', '/sys', 'wiki/a/facts/n.md', 'Raw/n.md']) {
        expect([at, await world.codeOf(at, 'person')]).toEqual([at, 'path_not_allowed']);
      }
      await symlink(path.join(world.vault, 'wiki'), path.join(world.top, 'elsewhere/wiki'));
      expect(await world.codeOf(path.join(world.top, 'elsewhere/wiki/a/facts/n.md'), 'person')).toBe(
        'path_not_allowed',
      );
      expect(await world.codeOf(path.join(world.top, 'elsewhere/absent.md'), 'person')).toBe(
        'source_missing',
      );
    }));

  it('has a folder listed without the files of the service', () =>
    withWorld(async (world) => {
      for (const at of [...CLOSED, 'vault/Notes/a.md', 'vault/inbox/b.md', 'vault/inbox/processed/c.md'])
        await world.put(at);
      const found = await world.sources.list(await folderAt(world, world.vault, 'person'), true, 'person');
      expect(found.map(({ file }) => file)).toEqual(['Notes/a.md', 'inbox/b.md']);
    }));
});

posix.describe('what is no regular file', () => {
  it('is refused at once, and passed over in a folder', () =>
    withWorld(async (world) => {
      const inbox = path.join(world.vault, 'inbox');
      execFileSync('mkfifo', [path.join(inbox, 'pipe.md')]);
      const server = createServer().listen(path.join(inbox, 'socket.md'));
      await new Promise((resolve) => server.once('listening', resolve));
      try {
        expect(await world.codeOf('inbox/pipe.md')).toBe('unsupported_type');
        expect(await world.codeOf('inbox/socket.md')).toBe('unsupported_type');
        await world.put('vault/inbox/a.md');
        await symlink('a.md', path.join(inbox, 'link.md'));
        await symlink('.', path.join(inbox, 'again'));
        const found = await world.sources.list(await folderAt(world, 'inbox'), true, 'fenced');
        expect(found.map(({ file }) => file)).toEqual(['inbox/a.md']);
      } finally {
        await new Promise((resolve) => server.close(resolve));
      }
    }));

  it('is not read either when it takes the place of a file that was located', () =>
    withWorld(async (world) => {
      const inbox = path.join(world.vault, 'inbox');
      await world.put('elsewhere/sub/a.md', 'a secret');
      const swaps: Readonly<Record<string, () => Promise<unknown>>> = {
        'a pipe': async () => execFileSync('mkfifo', [path.join(inbox, 'sub/a.md')]),
        'a link': () => symlink(path.join(world.top, 'elsewhere/sub/a.md'), path.join(inbox, 'sub/a.md')),
        'a folder': () => mkdir(path.join(inbox, 'sub/a.md')),
        nothing: async () => undefined,
        'a folder that is a link': async () => {
          await rm(path.join(inbox, 'sub'), { recursive: true });
          await symlink(path.join(world.top, 'elsewhere/sub'), path.join(inbox, 'sub'));
        },
      };
      for (const [what, swap] of Object.entries(swaps)) {
        await world.put('vault/inbox/sub/a.md');
        const found = await fileAt(world, 'inbox/sub/a.md');
        await rm(found.full);
        await swap();
        expect([what, await outcome(() => world.sources.read(found))]).toEqual([what, 'source_missing']);
        await rm(path.join(inbox, 'sub'), { recursive: true });
      }
    }));
});

posix.describe('reading', () => {
  it('gives all bytes as they are', () =>
    withWorld(async (world) => {
      const bytes = Uint8Array.from({ length: 3 * 1024 * 1024 + 17 }, (_, at) => (at * 31) % 256);
      await writeFile(path.join(world.vault, 'inbox/b.pdf'), bytes);
      const read = await world.sources.read(await fileAt(world, 'inbox/b.pdf'));
      expect(Buffer.compare(read, bytes)).toBe(0);
      await world.put('vault/inbox/empty.md', '');
      expect(await world.sources.read(await fileAt(world, 'inbox/empty.md'))).toHaveLength(0);
    }));

  it('takes 50 MiB and not one byte more', () =>
    withWorld(async (world) => {
      const full = await world.put('vault/inbox/large.txt');
      await truncate(full, 50 * 1024 * 1024);
      expect(await world.sources.read(await fileAt(world, 'inbox/large.txt'))).toHaveLength(50 * 1024 * 1024);
      await truncate(full, 50 * 1024 * 1024 + 1);
      const found = await fileAt(world, 'inbox/large.txt');
      expect(await outcome(() => world.sources.read(found))).toBe('too_large');
    }));

  it('reads a file with several names, which no link is', () =>
    withWorld(async (world) => {
      const full = await world.put('vault/inbox/a.md');
      await link(full, path.join(world.vault, 'inbox/b.md'));
      expect(await world.sources.read(await fileAt(world, 'inbox/b.md'))).toHaveLength(4);
    }));
});

posix.describe('a folder', () => {
  it('is listed in the order of paths, with its own folders or without', () =>
    withWorld(async (world) => {
      const inbox = [
        'b.md',
        'a.pdf',
        'sub/c.md',
        'sub/deep/d.md',
        '.hidden.md',
        '.git/e.md',
        '~$f.docx',
        'processed/g.md',
      ];
      for (const name of [...inbox, 'a.sync-conflict-20261120.md', 'quarantine/h.md'])
        await world.put(`vault/inbox/${name}`);
      const list = async (at: string, recursive: boolean) =>
        (await world.sources.list(await folderAt(world, at), recursive, 'fenced')).map(({ file }) => file);
      expect(await list('inbox', true)).toEqual([
        'inbox/a.pdf',
        'inbox/b.md',
        'inbox/sub/c.md',
        'inbox/sub/deep/d.md',
      ]);
      expect(await list('inbox', false)).toEqual(['inbox/a.pdf', 'inbox/b.md']);
      expect(await list('inbox/processed', true)).toEqual(['inbox/processed/g.md']);
    }));

  it('may hold 1,000 files and not one more', () =>
    withWorld(async (world) => {
      const at = path.join(world.vault, 'inbox');
      for (let number = 0; number < 1000; number += 1) await writeFile(path.join(at, `${number}.md`), '');
      const folder = await folderAt(world, 'inbox');
      expect(await world.sources.list(folder, true, 'fenced')).toHaveLength(1000);
      await writeFile(path.join(at, '1000.md'), '');
      expect(await outcome(() => world.sources.list(folder, true, 'fenced'))).toBe('too_large');
    }));

  it('may not be nested without end', () =>
    withWorld(async (world) => {
      // Nobody can name a path this long: it is made, and taken away, step by step.
      const script = "for (let at = 0; at < 3000; at += 1) { fs.mkdirSync('d'); process.chdir('d'); }";
      execFileSync(process.execPath, ['-e', script], { cwd: path.join(world.vault, 'inbox') });
      try {
        const folder = await folderAt(world, 'inbox');
        expect(await outcome(() => world.sources.list(folder, true, 'fenced'))).toBe('too_large');
        expect(await world.sources.list(folder, false, 'fenced')).toEqual([]);
      } finally {
        execFileSync('rm', ['-rf', path.join(world.vault, 'inbox/d')]);
      }
    }));

  it('that cannot be read is told by its name', () =>
    withWorld(async (world) => {
      await world.put('vault/inbox/closed/a.md');
      await chmod(path.join(world.vault, 'inbox/closed'), 0o000);
      const list = async () => world.sources.list(await folderAt(world, 'inbox'), true, 'fenced');
      // Root may read everything.
      expect(await outcome(list)).toBe(process.getuid?.() === 0 ? 'done' : 'path_not_allowed');
      await chmod(path.join(world.vault, 'inbox/closed'), 0o700);
    }));

  it('that is gone by then is missing', () =>
    withWorld(async (world) => {
      await world.put('vault/inbox/sub/a.md');
      const folder = await folderAt(world, 'inbox/sub');
      await rm(folder.full, { recursive: true });
      expect(await outcome(() => world.sources.list(folder, true, 'fenced'))).toBe('source_missing');
    }));
});

it('tells the log of allowed folders that are not there, and of no others', () =>
  withTempFolder(async (root) => {
    const log = silentLog();
    await logMissingRoots([root, path.join(root, 'mistyped')], log);
    expect(log.lines).toEqual([
      { level: 'warn', event: 'ingest.root_missing', fields: { folder: path.join(root, 'mistyped') } },
    ]);
  }));
