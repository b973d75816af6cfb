import { brokenBounds } from '../../bench/mixed';

const MIB = 2 ** 20;

it.each([
  ['every call of a mixed run was answered', { calls: 9, errors: 0 }],
  ['the heap grew by a tenth', { calls: 9, errors: 0, heaps: [50 * MIB, 70 * MIB, 55 * MIB] }],
])('a bench run succeeds when %s', (_, run) => {
  expect(brokenBounds(run)).toEqual([]);
});

it.each([
  ['a call was refused', { calls: 9, errors: 1 }, ['1 calls were not answered as they should be']],
  ['nothing was asked', { calls: 0, errors: 0 }, ['not one call was made']],
  ['it was told to make no number of calls', { calls: Number.NaN, errors: 0 }, ['not one call was made']],
  [
    'the heap grew by more than a half',
    { calls: 9, errors: 0, heaps: [50 * MIB, 76 * MIB] },
    ['the heap went from 50.0 MiB to 76.0 MiB, and may be at most 1.5 times as large'],
  ],
  [
    'nobody looked at the heap after the warm-up',
    { calls: 9, errors: 0, heaps: [50 * MIB] },
    ['the heap went from 50.0 MiB to NaN MiB, and may be at most 1.5 times as large'],
  ],
])('a bench run fails when %s', (_, run, broken) => {
  expect(brokenBounds(run)).toEqual(broken);
});
