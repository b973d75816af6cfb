import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Disk } from '../../../src/adapters/node/disk';
import { diskImage, layOut } from '../../support/disk-image';
import { faultyFileSystem } from '../../support/faulty-file-system';
import { withTempFolder } from '../../support/temp-folder';

/** Runs `work` with a disk whose root is `vault/` and whose temporary files are in `tmp/`. */
function withDisk(
  work: (subject: { disk: Disk; fs: ReturnType<typeof faultyFileSystem>; top: string }) => Promise<void>,
): Promise<void> {
  return withTempFolder(async (top) => {
    await layOut(top, { 'vault/': '', 'tmp/': '' });
    const fs = faultyFileSystem();
    const disk = new Disk(fs, path.join(top, 'vault'), path.join(top, 'tmp'));
    try {
      await work({ disk, fs, top });
    } finally {
      fs.arm();
      await disk.folders.close();
    }
  });
}

describe('temporary files', () => {
  it('that a crash of a process with our number has left are neither in the way nor removed', () =>
    withDisk(async ({ disk, top }) => {
      const left = Array.from({ length: 20 }, (_, n) => `${process.pid}-${n}`);
      for (const name of left) await writeFile(path.join(top, 'tmp', name), 'left by a crash');
      expect(await disk.create('a.md', Buffer.from('a'))).toBe(true);
      expect(await disk.replace('a.md', Buffer.from('b'), { sync: true })).toBe(true);
      expect((await disk.read('a.md'))?.bytes.toString()).toBe('b');
      expect((await readdir(path.join(top, 'tmp'))).sort()).toEqual(left.sort());
    }));

  it('are removed only when they are our own', () =>
    withDisk(async ({ disk, fs }) => {
      fs.arm({ only: 'open', call: 1, kind: 'error-before', code: 'EEXIST' });
      await expect(disk.create('a.md', Buffer.from('a'))).rejects.toThrow('EEXIST');
      expect(fs.calls.filter((call) => call.startsWith('unlink'))).toEqual([]);
    }));

  it.each(['write', 'fstat', 'fsync', 'close', 'link'])('are removed when %s fails', (only) =>
    withDisk(async ({ disk, fs, top }) => {
      fs.arm({ only, call: 1, kind: 'error-before', code: 'EIO' });
      await expect(disk.create('a.md', Buffer.from('a'))).rejects.toThrow('EIO');
      expect(await diskImage(top)).toEqual({ 'vault/': '', 'tmp/': '' });
    }),
  );
});
