import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { underLock } from '../../../src/adapters/host/token-file';
import { withTempFolder } from '../../support/temp-folder';

/** Makes a lock whose holder died long ago. */
async function leaveStale(lock: string, text: string): Promise<void> {
  await writeFile(lock, text);
  await grow(lock);
}

/** Makes a lock look old. */
async function grow(lock: string): Promise<void> {
  const longAgo = new Date(Date.now() - 60_000);
  await utimes(lock, longAgo, longAgo);
}

describe('underLock', () => {
  it.each(['', 'someone\n'])('lets one in at a time, also over the lock of a dead process (%j)', (text) =>
    withTempFolder(async (folder) => {
      const lock = path.join(folder, 'a.lock');
      for (let round = 0; round < 25; round += 1) {
        await leaveStale(lock, text);
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

  it('leaves the lock of whoever took over alone', () =>
    withTempFolder(async (folder) => {
      const lock = path.join(folder, 'a.lock');
      let leave: () => void = () => undefined;
      const staying = new Promise<void>((resolve) => (leave = resolve));
      let second: Promise<void> = Promise.resolve();
      let [firstText, secondText] = ['', ''];
      await underLock(lock, async () => {
        firstText = await readFile(lock, 'utf8');
        await grow(lock);
        await new Promise<void>((entered) => {
          second = underLock(lock, () => {
            entered();
            return staying;
          });
        });
        secondText = await readFile(lock, 'utf8');
      });
      expect(secondText).not.toBe(firstText);
      expect(await readFile(lock, 'utf8')).toBe(secondText);
      leave();
      await second;
      expect(await readdir(folder)).toEqual([]);
    }));

  it('lets go after a failure, and passes it on', () =>
    withTempFolder(async (folder) => {
      const lock = path.join(folder, 'a.lock');
      await expect(underLock(lock, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
      expect(await readdir(folder)).toEqual([]);
      expect(await underLock(lock, () => Promise.resolve('yes'))).toBe('yes');
    }));
});
