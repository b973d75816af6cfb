import fs from 'node:fs/promises';
import path from 'node:path';
import { durableOf } from '../../../src/adapters/obsidian/durable';
import { vaultPath } from '../../../src/core/rules/paths';
import { withDiskApp, withMemoryApp } from '../../support/obsidian-subject';

const A = vaultPath('wiki/home/facts/a.md');
const NEW = vaultPath('wiki/new/facts/n.md');

/** Runs `work` and gives the paths that were synced meanwhile, relative to the root, in order. */
async function syncsDuring(root: string, work: () => Promise<unknown>): Promise<string[]> {
  const synced: string[] = [];
  const open = fs.open.bind(fs);
  const spy = jest.spyOn(fs, 'open').mockImplementation(async (...args) => {
    const handle = await open(...args);
    const sync = handle.sync.bind(handle);
    handle.sync = async () => {
      await sync();
      synced.push(path.relative(root, String(args[0])));
    };
    return handle;
  });
  try {
    await work();
  } finally {
    spy.mockRestore();
  }
  return synced;
}

describe('what the vault has written is synced', () => {
  it.each<
    [string, (vault: Parameters<Parameters<typeof withDiskApp>[1]>[0]['vault']) => Promise<unknown>, string[]]
  >([
    ['create', (vault) => vault.create(NEW, 'n'), [NEW, 'wiki/new/facts', 'wiki/new', 'wiki']],
    ['edit', (vault) => vault.edit(A, () => 'b'), [A]],
    [
      'createBytes',
      (vault) => vault.createBytes(NEW, new Uint8Array([1])),
      [NEW, 'wiki/new/facts', 'wiki/new', 'wiki'],
    ],
    ['move', (vault) => vault.move(A, NEW), ['wiki/new/facts', 'wiki/new', 'wiki', 'wiki/home/facts']],
    ['remove', (vault) => vault.remove(A), ['wiki/home/facts']],
    ['append', (vault) => vault.append(A, 'b\n'), [A]],
    ['putDerived, when asked to', (vault) => vault.putDerived(A, 'b', { was: 'a', durable: true }), [A]],
  ])('%s', (_, act, expected) =>
    withDiskApp({ [A]: 'a' }, async ({ vault }, root) => {
      const synced = await syncsDuring(root, () => act(vault));
      expect(synced.filter((at) => !at.startsWith('.brain'))).toEqual(expected);
    }),
  );

  it('but for a derived file that can be made again, and a file that was left alone', () =>
    withDiskApp({ [A]: 'a' }, async ({ vault }, root) => {
      const derived = { was: 'a', durable: false };
      expect(await syncsDuring(root, () => vault.putDerived(A, 'b', derived))).toEqual([]);
      expect(await vault.read(A)).toBe('b');
      expect(await syncsDuring(root, () => vault.edit(A, () => null))).toEqual([]);
    }));
});

it('syncs the state: the file before it gets its name, then the folder', () =>
  withDiskApp({}, async ({ state }, root) => {
    const written = await syncsDuring(root, () => state.write('a.json', 'a'));
    expect(written).toEqual([expect.stringMatching(/^\.brain\/local\.test\/tmp\/.+/), '.brain']);
    expect(await syncsDuring(root, () => state.append('log.jsonl', 'a\n', true))).toEqual([
      '.brain/log.jsonl',
      '.brain',
    ]);
    expect(await syncsDuring(root, () => state.append('log.jsonl', 'b\n', true))).toEqual([
      '.brain/log.jsonl',
    ]);
    expect(await syncsDuring(root, () => state.append('log.jsonl', 'c\n', false))).toEqual([]);
  }));

it('does not mind a folder that someone has removed, or that cannot be synced', () =>
  withDiskApp({}, async ({ host }) => {
    const durable = durableOf(host.app.vault.adapter);
    await durable.folder('gone');
    const failing = (code: string) => {
      const handle = {
        sync: () => Promise.reject(Object.assign(new Error(code), { code })),
        close: jest.fn(),
      };
      return jest.spyOn(fs, 'open').mockResolvedValue(handle as unknown as fs.FileHandle);
    };
    const network = failing('EINVAL');
    await durable.folder('');
    network.mockRestore();
    const broken = failing('EIO');
    await expect(durable.folder('')).rejects.toThrow('EIO');
    broken.mockRestore();
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
