import fs from 'node:fs/promises';
import path from 'node:path';
import { type FileSystem, nodeFileSystem } from '../../../src/adapters/files/file-system';
import { durableOf } from '../../../src/adapters/obsidian/durable';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { notOn } from '../../support/systems';
import { type AppStores, openStores, withDiskApp, withMemoryApp } from '../../support/obsidian-subject';

const A = vaultPath('wiki/home/facts/a.md');
const B = vaultPath('wiki/home/facts/b.md');
const NEW = vaultPath('wiki/new/facts/n.md');
const GONE = vaultPath('wiki/home/facts/gone.md');

/** A file system of this machine that notes down what is synced, in order. */
function notingFileSystem(): FileSystem & { readonly synced: string[] } {
  const synced: string[] = [];
  return {
    ...nodeFileSystem,
    synced,
    async open(at, ...how) {
      const file = await nodeFileSystem.open(at, ...how);
      return {
        ...file,
        async sync() {
          await file.sync();
          synced.push(at);
        },
      };
    },
  };
}

/** Runs `work` and gives the paths that were synced meanwhile, relative to the root, in order. */
async function syncsDuring(
  { fs: noting, root }: { readonly fs: ReturnType<typeof notingFileSystem>; readonly root: string },
  work: () => Promise<unknown>,
): Promise<string[]> {
  noting.synced.length = 0;
  await work();
  return noting.synced.map((at) => path.relative(root, at));
}

type Noted = AppStores & { readonly noted: Parameters<typeof syncsDuring>[0] };

/** An app on a disk; `noted` tells what it syncs. */
function withNoted(
  files: Readonly<Record<string, string>>,
  work: (stores: Noted) => Promise<void>,
): Promise<void> {
  return withDiskApp(files, async ({ host }, root) => {
    const fs = notingFileSystem();
    await work({ host, ...(await openStores(host, fs)), noted: { fs, root } });
  });
}

/** What leads to a note, innermost first: by whom it was made does not tell whether it is on the disk. */
const WAY = ['wiki/home/facts', 'wiki/home', 'wiki', ''];
const NEW_WAY = ['wiki/new/facts', 'wiki/new', 'wiki', ''];

describe('what the vault has written is synced, and the way to it once', () => {
  it.each<[string, (vault: AppStores['vault']) => Promise<unknown>, string[]]>([
    ['create', (vault) => vault.create(NEW, 'n'), [NEW, ...NEW_WAY]],
    ['create, when the path is taken', (vault) => vault.create(A, 'n'), [A, ...WAY]],
    ['edit', (vault) => vault.edit(A, () => 'b'), [A, ...WAY]],
    ['createBytes', (vault) => vault.createBytes(NEW, new Uint8Array([1])), [NEW, ...NEW_WAY]],
    ['move', (vault) => vault.move(A, NEW), [...NEW_WAY, 'wiki/home/facts', 'wiki/home', 'wiki']],
    ['remove', (vault) => vault.remove(A), WAY],
    ['remove, of what is gone', (vault) => vault.remove(GONE), WAY],
    ['append', (vault) => vault.append(A, 'b\n'), [A, ...WAY]],
    [
      'putDerived, when asked to',
      (vault) => vault.putDerived(A, 'b', { was: 'a', durable: true }),
      [A, ...WAY],
    ],
  ])('%s', (_, act, expected) =>
    withNoted({ [A]: 'a' }, async ({ vault, noted }) => {
      const synced = await syncsDuring(noted, () => act(vault));
      expect(synced.filter((at) => !at.startsWith('.brain'))).toEqual(expected);
    }),
  );

  it('which is not synced again as long as it stands, and is when another folder has taken its place', () =>
    withNoted({ [A]: 'a' }, async ({ vault, host, noted }) => {
      await vault.edit(A, () => 'b');
      expect(await syncsDuring(noted, () => vault.edit(A, () => 'c'))).toEqual([A]);
      await host.moveOutside('wiki/home', 'wiki/away');
      await host.outside(A, 'another');
      await host.settle();
      expect(await syncsDuring(noted, () => vault.edit(A, () => 'd'))).toEqual([A, ...WAY.slice(0, 3)]);
    }));

  it('but for a derived file that can be made again, and a file that was left alone', () =>
    withNoted({ [A]: 'a' }, async ({ vault, noted }) => {
      const derived = { was: 'a', durable: false };
      expect(await syncsDuring(noted, () => vault.putDerived(A, 'b', derived))).toEqual([]);
      expect(await vault.read(A)).toBe('b');
      expect(await syncsDuring(noted, () => vault.edit(A, () => null))).toEqual([]);
    }));
});

describe('the state is synced', () => {
  it('a file before it gets its name, then the way to it', () =>
    withNoted({}, async ({ state, noted }) => {
      const written = await syncsDuring(noted, () => state.write('a.json', 'a'));
      expect(written).toEqual([expect.stringMatching(/^\.brain\/local\.test\/tmp\/.+/), '.brain']);
    }));

  it('a log with its name, also one that was begun without a sync', () =>
    withNoted({}, async ({ state, noted }) => {
      const append = (text: string, sync: boolean) =>
        syncsDuring(noted, () => state.append('log.jsonl', text, sync));
      expect(await append('a\n', false)).toEqual([]);
      expect(await append('b\n', true)).toEqual(['.brain/log.jsonl', '.brain']);
      expect(await append('c\n', true)).toEqual(['.brain/log.jsonl']);
    }));

  it('a file that stood already when it was to be made', () =>
    withNoted({ '.brain/history/a.md': 'a' }, async ({ state, noted }) => {
      const made = () => state.create('history/a.md', 'a');
      expect(await syncsDuring(noted, made)).toEqual(['.brain/history/a.md', '.brain/history', '.brain']);
    }));
});

it('does not mind a folder that someone has removed, or that cannot be synced', () =>
  withDiskApp({}, async ({ host: { app } }) => {
    await durableOf(app.vault.adapter).folder('gone');
    const failing = (code: string): FileSystem => ({
      ...nodeFileSystem,
      open: async (...how) => ({
        ...(await nodeFileSystem.open(...how)),
        sync: () => Promise.reject(Object.assign(new Error(code), { code })),
      }),
    });
    await durableOf(app.vault.adapter, failing('EINVAL')).folder('');
    await expect(durableOf(app.vault.adapter, failing('EIO')).folder('')).rejects.toThrow('EIO');
  }));

it('has nothing to sync where there is no disk', () =>
  withMemoryApp({ [A]: 'a' }, async ({ host }) => {
    const durable = durableOf(host.app.vault.adapter);
    await durable.file(A);
    await durable.folder('wiki');
    await host.storage.write('b.md', new TextEncoder().encode('b'));
    await durable.replace('b.md', A);
    expect(await host.textOf(A)).toBe('b');
  }));

it('counts no folder that the app reaches through a link', () =>
  withDiskApp({ [A]: 'a' }, async ({ vault, host }, root) => {
    const outside = `${root}-outside`;
    await fs.mkdir(outside);
    try {
      await fs.symlink(outside, path.join(root, 'wiki/Net_Work'));
      await fs.mkdir(path.join(root, 'wiki/Home_Lab'));
      for (const at of ['wiki/Net_Work', 'wiki/Home_Lab']) host.noticed(at);
      await host.settle();
      expect(host.app.vault.getFolderByPath('wiki/Net_Work')).not.toBeNull();
      expect((await vault.subfolders('wiki')).sort()).toEqual(['Home_Lab', 'home']);
    } finally {
      await fs.rm(outside, { recursive: true });
    }
  }));

it('reads the bytes of no file that the app reaches through a link', () =>
  withDiskApp({ [A]: 'a' }, async ({ vault, host }, root) => {
    const outside = `${root}-outside`;
    await fs.mkdir(outside);
    try {
      await fs.writeFile(path.join(outside, 'secret.txt'), 'secret');
      await fs.mkdir(path.join(root, 'inbox'));
      await fs.symlink(path.join(outside, 'secret.txt'), path.join(root, 'inbox/link.txt'));
      await fs.symlink(outside, path.join(root, 'inbox/folder'));
      await fs.symlink(path.join(root, A), path.join(root, 'inbox/inside.md'));
      for (const at of [
        'inbox',
        'inbox/link.txt',
        'inbox/folder',
        'inbox/folder/secret.txt',
        'inbox/inside.md',
      ])
        host.noticed(at);
      await host.settle();
      expect(host.app.vault.getFileByPath('inbox/link.txt')).not.toBeNull();
      for (const at of ['inbox/link.txt', 'inbox/folder/secret.txt', 'inbox/inside.md']) {
        expect([at, await vault.readBytes(vaultPath(at), 100)]).toEqual([at, null]);
      }
      expect(await vault.readBytes(A, 100)).toEqual(new TextEncoder().encode('a'));
    } finally {
      await fs.rm(outside, { recursive: true });
    }
  }));

notOn(['win32'], 'it has no permission bits').describe('the rights of a file', () => {
  it.each([
    [
      'are those of the file that moves',
      (vault: AppStores['vault']) => vault.create(NEW, 'n', [], A),
      NEW,
      0o660,
    ],
    ['stay', (vault: AppStores['vault']) => vault.edit(A, () => 'b'), A, 0o660],
    [
      'are not more than those of the note whose text it gets',
      (vault: AppStores['vault']) => vault.edit(A, () => 'b', B),
      A,
      0o600,
    ],
  ])('%s', (_, act, at, mode) =>
    withDiskApp({ [A]: 'a', [B]: 'b' }, async ({ host }, root) => {
      await fs.chmod(path.join(root, A), 0o660);
      await fs.chmod(path.join(root, B), 0o604);
      const { vault } = await openStores(host, nodeFileSystem);
      expect(await act(vault)).toBe(true);
      expect((await fs.stat(path.join(root, at))).mode & 0o777).toBe(mode);
    }),
  );
});
