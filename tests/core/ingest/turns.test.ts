import { Turns } from '../../../src/core/ingest/turns';

it('lets so many work at once, the others in their order, whatever becomes of the work', async () => {
  const turns = new Turns(2);
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
  const settled = () => new Promise((resolve) => setImmediate(resolve));
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
