import { appendFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Disk } from '../../../src/adapters/files/disk';
import { diskImage, layOut } from '../../support/disk-image';
import { faultyFileSystem } from '../../support/faulty-file-system';
import { memoryFileSystem } from '../../support/memory-file-system';
import { withTempFolder } from '../../support/temp-folder';
import { notOn } from '../../support/systems';

const memoryPaths = notOn(['win32'], 'the file system in memory takes POSIX paths');
const folderSyncs = notOn(['win32'], 'a folder is not synced there');

/** Runs `work` with a disk whose root is `vault/` and whose temporary files are in `tmp/`. */
function withDisk(
  work: (subject: { disk: Disk; fs: ReturnType<typeof faultyFileSystem>; top: string }) => Promise<void>,
): Promise<void> {
  return withTempFolder(async (top) => {
    await layOut(top, { 'vault/': '', 'tmp/': '' });
    const fs = faultyFileSystem();
    const disk = new Disk(fs, path.join(top, 'vault'), { folder: path.join(top, 'tmp') });
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
      expect((await disk.read('a.md'))?.toString()).toBe('b');
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

describe('an append', () => {
  const LINE = Buffer.from('second line\n');
  const faults = ['error-before', 'error-after', 'lie'] as const;

  it.each(faults)('never takes away what stood there, whichever call fails (%s)', async (kind) => {
    let hit = true;
    for (let call = 1; hit; call += 1) {
      await withDisk(async ({ disk, fs, top }) => {
        await disk.append('log', Buffer.from('acknowledged\n'), true);
        fs.arm({ call, kind });
        const added = await disk.append('log', LINE, true).then(
          () => true,
          () => false,
        );
        hit = fs.hit;
        const text = readFileSync(path.join(top, 'vault', 'log'), 'utf8');
        expect({ call, text }).toEqual({ call, text: `acknowledged\n${added ? LINE.toString() : ''}` });
        if (!hit) expect(added).toBe(true);
      });
    }
  });

  it.each([true, false])('that fails leaves alone what was added behind it (new file: %s)', (isNew) =>
    withDisk(async ({ disk, fs }) => {
      if (!isNew) await disk.append('log', Buffer.from('first\n'), true);
      fs.arm({ only: 'fsync', call: 1, kind: 'error-before' });
      const both = await Promise.allSettled(
        ['lost\n', 'kept\n'].map((text) => disk.append('log', Buffer.from(text), true)),
      );
      expect(both.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
      expect((await disk.read('log'))?.toString()).toBe(isNew ? 'kept\n' : 'first\nkept\n');
    }),
  );

  it('by two at once to a file that is not there yet loses neither', () =>
    withDisk(async ({ disk }) => {
      await Promise.all(
        ['a\n', 'b\n', 'c\n'].map((text) => disk.append('new/log', Buffer.from(text), false)),
      );
      expect((await disk.read('new/log'))?.toString()).toBe('a\nb\nc\n');
    }));

  it.each(['EMFILE', 'EACCES', 'EIO'])(
    'that cannot open its new file (%s) removes none that another program has made',
    (code) =>
      withDisk(async ({ disk, fs, top }) => {
        const log = path.join(top, 'vault', 'log');
        fs.arm({ only: 'open', call: 1, kind: 'error-before', code });
        fs.onCall = (call) => {
          if (call === `open ${log}`) writeFileSync(log, 'by another program');
        };
        await expect(disk.append('log', LINE, true)).rejects.toThrow(code);
        expect(readFileSync(log, 'utf8')).toBe('by another program');
      }),
  );

  folderSyncs.it.each(['log', 'standing'])(
    'that fails leaves what another program added to %s meanwhile',
    (name) =>
      withDisk(async ({ disk, fs, top }) => {
        const log = path.join(top, 'vault', name);
        await writeFile(path.join(top, 'vault', 'standing'), 'first\n');
        // Before a file that stands is added to, its name is brought to the disk.
        fs.arm({ only: 'fsync', call: name === 'standing' ? 2 : 1, kind: 'error-before' });
        fs.onCall = (call) => {
          if (call === `fsync ${log}`) appendFileSync(log, 'by another program\n');
        };
        await expect(disk.append(name, LINE, true)).rejects.toThrow('EIO');
        expect(readFileSync(log, 'utf8')).toMatch(/by another program\n$/);
        if (name === 'standing') expect(readFileSync(log, 'utf8')).toMatch(/^first\n/);
      }),
  );

  it('leaves no file and no folder when its first line could not be written', () =>
    withDisk(async ({ disk, fs, top }) => {
      fs.arm({ only: 'write', call: 1, kind: 'lie' });
      await expect(disk.append('new/log', LINE, true)).rejects.toThrow('Only 6 of 12 bytes');
      expect(await diskImage(top)).toEqual({ 'vault/': '', 'tmp/': '' });
    }));
});

describe('replacing what is expected', () => {
  it.each(['into the file', 'by renaming'])(
    'leaves what another program saves %s at any moment before it',
    (how) =>
      withDisk(async ({ disk, fs, top }) => {
        const note = path.join(top, 'vault', 'a.md');
        const save = (): void => {
          if (how === 'into the file') return writeFileSync(note, 'saved by another');
          writeFileSync(`${note}.new`, 'saved by another');
          renameSync(`${note}.new`, note);
        };
        let moments = 0;
        for (let hasMore = true; hasMore;) {
          writeFileSync(note, 'as it was read..');
          let calls = 0;
          hasMore = false;
          // The last call is the replacement itself, within which nothing can be asked any more.
          fs.onCall = (call) => {
            calls += 1;
            if (calls !== moments + 1 || call === `rename ${note}`) return;
            hasMore = true;
            save();
          };
          const expected = Buffer.from('as it was read..');
          await disk.replace('a.md', Buffer.from('ours'), { sync: true, expected });
          fs.onCall = () => undefined;
          if (!hasMore) break;
          const stands = readFileSync(note, 'utf8');
          expect({ moments, stands }).toEqual({ moments, stands: 'saved by another' });
          moments += 1;
        }
        expect(moments).toBeGreaterThan(8);
      }),
  );
});

memoryPaths.describe('what an earlier run has left without a sync', () => {
  const found = { '/v/vault/wiki/home/': '', '/v/tmp/': '' };
  const rootOf = (files: Record<string, string> = found) => {
    const memory = memoryFileSystem(files);
    return { memory, open: () => new Disk(memory, '/v/vault', { folder: '/v/tmp' }) };
  };

  it('is made durable with the first file that is made in it', async () => {
    const { memory, open } = rootOf({ '/v/vault/': '', '/v/tmp/': '' });
    // A run that was cut right after it made the folders.
    await memory.mkdir('/v/vault/wiki');
    await memory.mkdir('/v/vault/wiki/home');
    expect(await open().create('wiki/home/a.md', Buffer.from('a'))).toBe(true);
    memory.losePower();
    expect(memory.image('/v/vault')).toMatchObject({ 'wiki/home/a.md': 'a' });
  });

  it('is durable as soon as it is said to be there', async () => {
    const { memory, open } = rootOf();
    const cut = faultyFileSystem(memory);
    cut.arm({ only: 'link', call: 1, kind: 'crash-after' });
    const disk = new Disk(cut, '/v/vault', { folder: '/v/tmp' });
    await expect(disk.create('wiki/home/a.md', Buffer.from('a'))).rejects.toThrow('crashed');
    expect(await open().create('wiki/home/a.md', Buffer.from('a'))).toBe(false);
    memory.losePower();
    expect(memory.image('/v/vault')).toMatchObject({ 'wiki/home/a.md': 'a' });
  });

  it('has its name on the disk when something is added to it that is to last', async () => {
    const { memory, open } = rootOf();
    const disk = open();
    await disk.append('wiki/home/log', Buffer.from('quick\n'), false);
    await disk.append('wiki/home/log', Buffer.from('lasting\n'), true);
    memory.losePower();
    expect(memory.image('/v/vault')).toMatchObject({ 'wiki/home/log': 'quick\nlasting\n' });
  });
});
