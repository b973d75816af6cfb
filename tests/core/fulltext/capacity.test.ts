import { nextCapacity } from '../../../src/core/fulltext/postings';

it.each([
  [16, 1 << 18, 32],
  [1 << 12, 1 << 18, 1 << 13],
  [1 << 13, 1 << 18, 1 << 18],
  [1 << 17, 1 << 18, 1 << 18],
  [1 << 18, 1 << 18, 1 << 19],
  [3 << 18, 1 << 18, 3 << 19],
])('an array of %i becomes, where %i are many, one of %i', (length, many, expected) => {
  expect(nextCapacity(length, many)).toBe(expected);
});
