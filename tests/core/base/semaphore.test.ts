import fc from 'fast-check';
import { Semaphore } from '../../../src/core/base/concurrency';
import { refusalOf } from '../../support/refusal';

const settled = () => new Promise((resolve) => setImmediate(resolve));

it('lets so many work at once, the others in their order, whatever becomes of the work', async () => {
  const turns = new Semaphore(2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const results = [0, 1, 2, 3, 4].map((number) =>
    turns.run(async () => {
      begun.push(number);
      await new Promise<void>((resolve) => (ends[number] = resolve));
      if (number === 1) throw new Error('broken');
      return number;
    }),
  );
  const outcomes = Promise.allSettled(results);
  await settled();
  expect(begun).toEqual([0, 1]);
  ends[1]?.();
  await settled();
  expect(begun).toEqual([0, 1, 2]);
  ends[0]?.();
  ends[2]?.();
  await settled();
  expect(begun).toEqual([0, 1, 2, 3, 4]);
  ends[3]?.();
  ends[4]?.();
  expect((await outcomes).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
    'fulfilled',
  ]);
  expect(await turns.run(async () => 'free again')).toBe('free again');
});

it('lets a call in unless as many others wait as may, and gives a turn to all that was let in', async () => {
  const step = fc.constantFrom('call' as const, 'work' as const, 'end' as const);
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 0, max: 5 }),
      fc.array(step, { maxLength: 60 }),
      async (atOnce, mostWaiting, steps) => {
        const turns = new Semaphore(atOnce, mostWaiting);
        const ends: (() => void)[] = [];
        const letIn: Promise<void>[] = [];
        let begun = 0;
        let ended = 0;
        const work = () =>
          turns.run(async () => {
            begun += 1;
            expect(begun - ended).toBeLessThanOrEqual(atOnce);
            await new Promise<void>((resolve) => ends.push(resolve));
            ended += 1;
          });
        for (const each of steps) {
          const waiting = letIn.length - begun;
          if (each === 'end') ends.shift()?.();
          else if (each === 'work') letIn.push(work());
          else if (waiting < mostWaiting) letIn.push(turns.admit(work));
          else {
            const refused = await refusalOf(turns.admit(work));
            expect(refused).toMatchObject({ code: 'busy', details: { retry_after: 10 } });
          }
          await settled();
        }
        while (ended < letIn.length) {
          ends.shift()?.();
          await settled();
        }
        await Promise.all(letIn);
        expect(begun).toBe(letIn.length);
      },
    ),
    { numRuns: 60 },
  );
});

it('counts a call from its beginning to its end, also while it has no turn, and however it ends', async () => {
  const turns = new Semaphore(2, 3);
  const ends: ((error?: Error) => void)[] = [];
  const call = () =>
    turns.admit(
      () =>
        new Promise<void>((resolve, reject) =>
          ends.push((error) => (error === undefined ? resolve() : reject(error))),
        ),
    );
  const calls = [1, 2, 3, 4, 5].map(call);
  const outcomes = Promise.allSettled(calls);
  expect((await refusalOf(call())).code).toBe('busy');
  expect(ends).toHaveLength(5);
  ends[0]?.();
  ends[1]?.(new Error('broken'));
  await settled();
  calls.push(call(), call());
  expect((await refusalOf(call())).code).toBe('busy');
  for (const end of ends) end();
  expect((await outcomes).map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'fulfilled',
    'fulfilled',
    'fulfilled',
  ]);
  await Promise.all(calls.slice(5));
});
