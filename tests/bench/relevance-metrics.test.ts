import { estimate, isAnswerable, ndcg, recall, reciprocalRank } from '../../bench/relevance-collections';

/** log2(3), log2(4), log2(5): the discounts of ranks 2 to 4. */
const [SECOND, THIRD, FOURTH] = [1.584962500721156, 2, 2.321928094887362];

describe('ndcg', () => {
  const judged = { a: 2, b: 1, c: 1, x: 0 };
  const ideal = 2 + 1 / SECOND + 1 / THIRD;

  it.each([
    ['the ideal order', ['a', 'b', 'c'], 10, 1],
    ['equal gains in either order', ['a', 'c', 'b'], 10, 1],
    ['the best one second', ['b', 'a', 'c'], 10, (1 + 2 / SECOND + 1 / THIRD) / ideal],
    ['nothing of use', ['x', 'y'], 10, 0],
    ['no results', [], 10, 0],
    ['one relevant document missing', ['a', 'b'], 10, (2 + 1 / SECOND) / ideal],
    ['unjudged documents take up ranks', ['u', 'a', 'v', 'b'], 10, (2 / SECOND + 1 / FOURTH) / ideal],
    ['what stands below the depth does not count', ['u', 'v', 'a'], 2, 0],
    ['the ideal is cut at the depth as well', ['a', 'b'], 2, 1],
    ['a document listed twice counts once', ['a', 'a', 'b', 'c'], 10, 1],
  ])('%s', (_name, found, depth, expected) => {
    expect(ndcg(found, judged, depth)).toBeCloseTo(expected, 12);
  });

  it('is 0 and not undefined when nobody judged anything relevant', () => {
    expect(ndcg(['a'], {}, 10)).toBe(0);
    expect(ndcg(['a'], { a: 0 }, 10)).toBe(0);
  });

  it('takes no bad document for worse than none', () => {
    expect(ndcg(['a', 'bad'], { a: 1, bad: -2 }, 10)).toBe(1);
  });
});

it.each([
  [['a', 'b', 'x'], 10, 2 / 3],
  [['a', 'a', 'a'], 10, 1 / 3],
  [['x', 'y', 'a'], 2, 0],
  [['c', 'b', 'a'], 3, 1],
])('recall of %j at %i is %d', (found, depth, expected) => {
  expect(recall(found, { a: 2, b: 1, c: 1, x: 0 }, depth)).toBeCloseTo(expected, 12);
});

it.each([
  [['a'], 1],
  [['x', 'u', 'b'], 1 / 3],
  [['x', 'u'], 0],
])('reciprocal rank of %j is %d', (found, expected) => {
  expect(reciprocalRank(found, { a: 2, b: 1, x: 0 })).toBeCloseTo(expected, 12);
});

it('tells questions that nothing answers', () => {
  expect(isAnswerable({})).toBe(false);
  expect(isAnswerable({ a: 0 })).toBe(false);
  expect(isAnswerable({ a: 0, b: 1 })).toBe(true);
});

describe('estimate', () => {
  const values = Array.from({ length: 100 }, (_, index) => (index % 4 === 0 ? 1 : 0));

  it('gives the mean, within an interval as wide as theory says', () => {
    const { mean, low, high } = estimate(values);
    expect(mean).toBe(0.25);
    // 1.96 standard errors of a share of a quarter in 100 draws: 0.085.
    expect(low).toBeGreaterThan(0.25 - 0.115);
    expect(low).toBeLessThan(0.25 - 0.055);
    expect(high).toBeGreaterThan(0.25 + 0.055);
    expect(high).toBeLessThan(0.25 + 0.115);
  });

  it('repeats with the same seed and moves with another', () => {
    expect(estimate(values, 3)).toEqual(estimate(values, 3));
    const bounds = new Set([1, 2, 3, 4, 5].map((seed) => estimate(values, seed).low));
    expect(bounds.size).toBeGreaterThan(1);
  });

  it('has no width when all values are equal', () => {
    expect(estimate([0.5, 0.5, 0.5])).toEqual({ mean: 0.5, low: 0.5, high: 0.5 });
  });
});
