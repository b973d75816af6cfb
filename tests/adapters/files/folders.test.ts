import type { FileSystem } from '../../../src/adapters/files/file-system';
import { type Folder, Folders } from '../../../src/adapters/files/folders';
import { memoryFileSystem } from '../../support/memory-file-system';
import { notOn } from '../../support/systems';

const folderSyncs = notOn(['win32'], 'a folder is not synced there');

/** More than are kept open. */
const MANY = 100;

/** A file system that hands out numbers as the system does: what was closed is gone, and using it is an error. */
function countingFileSystem() {
  const files = Object.fromEntries(Array.from({ length: MANY }, (_, n) => [`/vault/${n}/`, '']));
  const real = memoryFileSystem({ ...files, '/vault/held/': '' });
  const open = new Map<symbol, string>();
  const opened: string[] = [];
  const gates = new Map<string, Promise<void>>();
  const failures = new Map<string, Error>();
  const fs: FileSystem = {
    ...real,
    async open(path, flags, mode) {
      const failure = failures.get(path);
      failures.delete(path);
      if (failure) throw failure;
      const file = await real.open(path, flags, mode);
      const descriptor = Symbol(path);
      open.set(descriptor, path);
      opened.push(path);
      return {
        ...file,
        async sync() {
          await gates.get(path);
          if (!open.has(descriptor)) throw new Error(`EBADF: ${path}`);
          await file.sync();
        },
        async close() {
          if (!open.delete(descriptor)) throw new Error(`EBADF: ${path}`);
        },
      };
    },
  };
  return { fs, opened, gates, failures, stillOpen: () => [...open.values()] };
}

async function found(folders: Folders, name: string): Promise<Folder> {
  const folder = await folders.find(name);
  if (folder === null) throw new Error(`${name} is missing`);
  return folder;
}

async function syncMany(folders: Folders): Promise<void> {
  for (let n = 0; n < MANY; n += 1) await folders.sync(await found(folders, String(n)));
}

folderSyncs.describe('syncing folders', () => {
  it('opens a folder once, also for two that need it first at the same time', async () => {
    const { fs, opened, stillOpen } = countingFileSystem();
    const folders = new Folders(fs, '/vault');
    const held = await found(folders, 'held');
    await Promise.all([folders.sync(held), folders.sync(held), folders.sync(held)]);
    // The folder around it too, which the disk must know it by.
    expect(opened).toEqual(['/vault/held', '/vault']);
    await folders.close();
    expect(stillOpen()).toEqual([]);
  });

  it('never closes a folder that is being synced, and forgets none that it opened', async () => {
    const { fs, gates, stillOpen } = countingFileSystem();
    const folders = new Folders(fs, '/vault');
    let release: () => void = () => undefined;
    gates.set('/vault/held', new Promise((resolve) => (release = resolve)));
    const syncing = folders.sync(await found(folders, 'held'));
    await syncMany(folders);
    release();
    await syncing;
    expect(stillOpen()).toHaveLength(64);
    await folders.close();
    expect(stillOpen()).toEqual([]);
  });

  it('closes a folder that is being synced at the end once that is done', async () => {
    const { fs, gates, stillOpen } = countingFileSystem();
    const folders = new Folders(fs, '/vault');
    let release: () => void = () => undefined;
    gates.set('/vault/held', new Promise((resolve) => (release = resolve)));
    const held = await found(folders, 'held');
    const syncing = Promise.all([folders.sync(held), folders.sync(held)]);
    await folders.close();
    release();
    await syncing;
    expect(stillOpen()).toEqual([]);
  });

  it('survives many at once', async () => {
    const { fs, stillOpen } = countingFileSystem();
    const folders = new Folders(fs, '/vault');
    await Promise.all([syncMany(folders), syncMany(folders), syncMany(folders)]);
    expect(stillOpen()).toHaveLength(64);
    await folders.close();
    expect(stillOpen()).toEqual([]);
  });

  it('tries again to open a folder that could not be opened', async () => {
    const { fs, failures, stillOpen } = countingFileSystem();
    const folders = new Folders(fs, '/vault');
    const held = await found(folders, 'held');
    failures.set('/vault/held', new Error('EMFILE'));
    const both = await Promise.allSettled([folders.sync(held), folders.sync(held)]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await folders.sync(held);
    expect(stillOpen()).toEqual(['/vault/held', '/vault']);
    await folders.close();
    expect(stillOpen()).toEqual([]);
  });
});

it('does not read a large folder for each name that is missing from it, and finds those in another form', async () => {
  const names = Array.from({ length: 320 }, (_, n) => [`/vault/raw/note ${n}.md`, 'x'] as const);
  const real = memoryFileSystem({
    ...Object.fromEntries(names),
    '/vault/raw/Gru\u0308n.md': 'x',
    // Neither of the two forms: one letter is composed, the other is not.
    '/vault/raw/\u00fcu\u0308.md': 'x',
  });
  let reads = 0;
  const folders = new Folders(
    {
      ...real,
      readdir(at) {
        reads += 1;
        return real.readdir(at);
      },
    },
    '/vault',
  );
  expect(await folders.respell('raw/Gr\u00fcn.md')).toBe(true);
  expect([folders.spelled('raw/Gr\u00fcn.md'), reads]).toEqual(['Gru\u0308n.md', 0]);
  expect(await folders.respell('raw/\u00fc\u00fc.md')).toBe(true);
  expect([folders.spelled('raw/\u00fc\u00fc.md'), reads]).toEqual(['\u00fcu\u0308.md', 1]);
  for (let n = 0; n < 200; n += 1) expect(await folders.respell(`raw/\u00fc ${n}.md`)).toBe(false);
  expect(reads).toBeLessThan(20);
});
