import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { underLock } from '../../../src/adapters/files/under-lock';
import { withTempFolder } from '../../support/temp-folder';

describe('underLock', () => {
  it.each(['', '{"pid":12'])('lets one in at a time, also over the lock of a dead process (%j)', (text) =>
    withTempFolder(async (folder) => {
      const lock = path.join(folder, 'a.lock');
      for (let round = 0; round < 25; round += 1) {
        await writeFile(lock, text);
        let inside = 0;
        let most = 0;
        const work = async (): Promise<void> => {
          inside += 1;
          most = Math.max(most, inside);
          // Long enough for every waiter to look at the lock a few times.
          for (let n = 0; n < 20; n += 1) await readdir(folder);
          inside -= 1;
        };
        await Promise.all(Array.from({ length: 4 }, () => underLock(lock, work)));
        expect(most).toBe(1);
        expect(await readdir(folder)).toEqual([]);
      }
    }),
  );

  it('waits for the lock of an earlier version, for as long as that is new', () =>
    withTempFolder(async (folder) => {
      const lock = path.join(folder, 'a.lock');
      await writeFile(lock, `7 ${'0123456789abcdef'}\n`);
      let isIn = false;
      const done = underLock(lock, async () => void (isIn = true));
      for (let n = 0; n < 100; n += 1) await readdir(folder);
      expect(isIn).toBe(false);
      await rm(lock);
      await done;
    }));

  it('keeps one that stood still from a change once another has taken over, whose lock stays', () =>
    withTempFolder(async (folder) => {
      const lock = path.join(folder, 'a.lock');
      const late = underLock(lock, async (check) => {
        await check();
        await writeFile(lock, (await readFile(lock, 'utf8')).replace('"id":"', '"id":"other '));
        await check();
      });
      await expect(late).rejects.toMatchObject({ code: 'busy' });
      expect(await readFile(lock, 'utf8')).toContain('"id":"other ');
    }));

  it('lets go after a failure, and passes it on', () =>
    withTempFolder(async (folder) => {
      const lock = path.join(folder, 'a.lock');
      await expect(underLock(lock, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
      expect(await readdir(folder)).toEqual([]);
      expect(await underLock(lock, () => Promise.resolve('yes'))).toBe('yes');
    }));
});
