import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { FileSystemAdapter } from 'obsidian';
import { withTempFolder } from '../support/temp-folder';
import { DiskStorage } from './storage/disk';
import { MemoryStorage } from './storage/memory';
import type { Storage } from './storage/storage';
import { listen, withHost } from './world';

type WithStorage = (work: (storage: Storage) => Promise<void>) => Promise<void>;

const STORAGES: [string, WithStorage][] = [
  ['memory', (work) => work(new MemoryStorage())],
  ['disk', (work) => withTempFolder((folder) => work(new DiskStorage(folder)))],
];

describe.each(STORAGES)('on %s', (_, withStorage) => {
  test('reads, writes, appends and processes, in dot-folders as well', () =>
    withStorage((storage) =>
      withHost({ storage, files: { '.brain/': '' } }, async ({ app }) => {
        const { adapter } = app.vault;
        await adapter.write('.brain/a.json', 'one');
        await adapter.append('.brain/a.json', ' two');
        await adapter.append('.brain/new.jsonl', 'line\n');
        expect(await adapter.process('.brain/a.json', (text) => text.toUpperCase())).toBe('ONE TWO');
        expect(await adapter.read('.brain/a.json')).toBe('ONE TWO');
        await adapter.writeBinary('.brain/b.bin', new Uint8Array([0, 255]).buffer);
        expect(new Uint8Array(await adapter.readBinary('.brain/b.bin'))).toEqual(new Uint8Array([0, 255]));
        expect(await adapter.stat('.brain/a.json')).toMatchObject({ type: 'file', size: 7 });
        expect(await adapter.stat('.brain')).toMatchObject({ type: 'folder' });
        expect(await adapter.stat('nowhere')).toBeNull();
        expect(await adapter.exists('.brain/a.json')).toBe(true);
        expect(await adapter.exists('.brain/A.json')).toBe(false);
        const listed = await adapter.list('.brain');
        expect(listed.files.sort()).toEqual(['.brain/a.json', '.brain/b.bin', '.brain/new.jsonl']);
        expect((await adapter.list('/')).folders).toEqual(['.brain']);
      }),
    ));

  test('refuses as a file system does', () =>
    withStorage((storage) =>
      withHost({ storage, files: { 'a.md': 'x', 'd/e.md': 'y' } }, async ({ app }) => {
        const { adapter } = app.vault;
        await expect(adapter.read('no.md')).rejects.toMatchObject({ code: 'ENOENT' });
        await expect(adapter.write('no/no.md', 'x')).rejects.toMatchObject({ code: 'ENOENT' });
        await expect(adapter.write('d', 'x')).rejects.toMatchObject({ code: 'EISDIR' });
        await expect(adapter.list('no')).rejects.toMatchObject({ code: 'ENOENT' });
        await expect(adapter.remove('no.md')).rejects.toMatchObject({ code: 'ENOENT' });
        await expect(adapter.rmdir('d', false)).rejects.toMatchObject({ code: 'ENOTEMPTY' });
        await expect(adapter.rename('a.md', 'd/e.md')).rejects.toThrow('Destination file already exists!');
        await expect(adapter.copy('a.md', 'd/e.md')).rejects.toThrow('Destination file already exists!');
      }),
    ));

  test('makes, moves, copies and removes', () =>
    withStorage((storage) =>
      withHost({ storage, files: { 'a.md': 'x' } }, async (host) => {
        const { adapter } = host.app.vault;
        await adapter.mkdir('p/q');
        await adapter.mkdir('p/q');
        await adapter.copy('a.md', 'p/q/b.md');
        await adapter.rename('p/q', 'r');
        expect(await host.paths()).toEqual(['a.md', 'r/b.md']);
        await adapter.remove('a.md');
        await adapter.rmdir('r', true);
        expect(await host.paths(true)).toEqual([]);
      }),
    ));

  test('takes the times that it is given', () =>
    withStorage((storage) =>
      withHost({ storage }, async ({ app }) => {
        await app.vault.adapter.write('a.md', 'x', { mtime: 1_700_000_000_000 });
        expect((await app.vault.adapter.stat('a.md'))?.mtime).toBe(1_700_000_000_000);
      }),
    ));

  test('calls for one file do not mix', () =>
    withStorage((storage) =>
      withHost({ storage, files: { 'n.txt': '0' } }, async ({ app }) => {
        const add = (text: string): string => String(Number(text) + 1);
        await Promise.all(Array.from({ length: 10 }, () => app.vault.adapter.process('n.txt', add)));
        expect(await app.vault.adapter.read('n.txt')).toBe('10');
      }),
    ));
});

test('on disk the adapter is that of the desktop app, and says where the vault lies', () =>
  withTempFolder(async (folder) => {
    await mkdir(path.join(folder, 'sub'));
    await writeFile(path.join(folder, 'sub', 'a.md'), 'theirs');
    await withHost({ storage: new DiskStorage(folder) }, async (host) => {
      const { adapter } = host.app.vault;
      if (!(adapter instanceof FileSystemAdapter)) throw new Error('Not the adapter of the desktop app.');
      expect(adapter.getBasePath()).toBe(folder);
      expect(adapter.getFullPath('sub/a.md')).toBe(path.join(folder, 'sub/a.md'));
      expect(host.app.vault.getFileByPath('sub/a.md')?.stat.mtime).toBe(
        Math.round((await stat(path.join(folder, 'sub/a.md'))).mtimeMs),
      );
      await host.app.vault.create('b.md', 'mine');
      expect(await readFile(path.join(folder, 'b.md'), 'utf8')).toBe('mine');
    });
  }));

test('in memory there is no folder on disk', () =>
  withHost({}, async ({ app }) => {
    expect(app.vault.adapter).not.toBeInstanceOf(FileSystemAdapter);
  }));

test('where case does not count, exists tells case only when asked to', () =>
  withHost({ files: { 'Wiki/foo.md': 'x' }, caseInsensitive: true }, async ({ app }) => {
    const { adapter } = app.vault;
    expect(await adapter.exists('wiki/FOO.md')).toBe(true);
    expect(await adapter.exists('wiki/foo.md', true)).toBe(false);
    expect(await adapter.exists('Wiki/foo.md', true)).toBe(true);
    await adapter.write('WIKI/FOO.md', 'changed');
    expect(await adapter.list('wiki')).toEqual({ files: ['Wiki/foo.md'], folders: [] });
    expect(await adapter.read('Wiki/foo.md')).toBe('changed');
  }));

test('trash by the adapter', () =>
  withHost({ files: { 'a.md': 'x', 'd/e.md': 'y' } }, async (host) => {
    const told = listen(host);
    await host.app.vault.adapter.trashLocal('a.md');
    expect(await host.app.vault.adapter.trashSystem('d')).toBe(true);
    await host.settle();
    expect(await host.paths(true)).toEqual(['.trash/a.md']);
    expect(told).toEqual(['delete a.md', 'delete d/e.md', 'delete d']);
    host.settings.systemTrashWorks = false;
    expect(await host.app.vault.adapter.trashSystem('.trash/a.md')).toBe(false);
  }));
