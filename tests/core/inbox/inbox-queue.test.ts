import fc from 'fast-check';
import { InboxQueue } from '../../../src/core/inbox/drain';
import { vaultPath } from '../../../src/core/vocabulary/paths';

const PATH = vaultPath('inbox/a.txt');
const STAT = { size: 1, mtime: 0, ctime: 0 };
const trouble = { code: 'x', message: 'It failed.' };

it('gives up a file for the fourth failure that may be for good, however often the service was busy before', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('outside' as const, 'busy' as const), { maxLength: 30 }),
      (kinds) => {
        const drops = new InboxQueue();
        drops.add(PATH);
        drops.look(PATH, STAT, 0);
        let now = 10_000;
        let failures = 0;
        for (const [index, fault] of kinds.entries()) {
          const isKept = drops.failed(PATH, { ...trouble, fault }, now);
          if (fault === 'outside') failures += 1;
          expect(isKept).toBe(failures <= 3);
          if (!isKept) return;
          const [retry] = drops.retries();
          expect(retry).toMatchObject({ path: PATH, attempts: index + 1, ...trouble });
          const waited = Number(retry?.at.getTime()) - now;
          expect([10_000, 60_000, 300_000]).toContain(waited);
          expect(drops.look(PATH, STAT, now + waited - 1)).toBe(false);
          now += waited;
          expect(drops.look(PATH, STAT, now)).toBe(true);
        }
      },
    ),
    { numRuns: 1000 },
  );
});

it('tries a file that the service had no time for ever more rarely, and then every five minutes', () => {
  const drops = new InboxQueue();
  drops.add(PATH);
  drops.look(PATH, STAT, 0);
  const waits = Array.from({ length: 6 }, () => {
    drops.failed(PATH, { ...trouble, fault: 'busy' }, 0);
    return drops.retries()[0]?.at.getTime();
  });
  expect(waits).toEqual([10_000, 60_000, 300_000, 300_000, 300_000, 300_000]);
});

it.each([
  ['size', { ...STAT, size: 2 }],
  ['time', { ...STAT, mtime: 1 }],
])('waits two seconds more for a file whose %s has changed', (_, changed) => {
  const drops = new InboxQueue();
  drops.add(PATH);
  expect(drops.look(PATH, STAT, 0)).toBe(false);
  expect(drops.look(PATH, changed, 3_000)).toBe(false);
  expect(drops.look(PATH, changed, 4_999)).toBe(false);
  expect(drops.look(PATH, changed, 5_000)).toBe(true);
});
