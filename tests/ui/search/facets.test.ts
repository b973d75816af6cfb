import { countFacets, fits, type SearchResult } from '../../../src/ui/search/facets';

const found = (wing: string | undefined, hall: SearchResult['hall'], stale = false): SearchResult => ({
  path: `wiki/${wing ?? 'x'}/${hall ?? 'x'}/n.md`,
  title: 'N',
  excerpt: '',
  score: 1,
  status: 'wiki',
  stale,
  ...(wing !== undefined && { wing }),
  ...(hall !== undefined && { hall }),
});
const RESULTS = [
  found('homelab', 'facts'),
  found('homelab', 'failures', true),
  found('network', 'facts'),
  found('archive', 'sources'),
  found(undefined, undefined),
];
const ALL = { wing: null, hall: null, stale: true };

it('counts wings by their notes and halls in their own order', () => {
  expect(countFacets(RESULTS, ALL)).toEqual({
    wings: [
      { value: 'homelab', count: 2 },
      { value: 'archive', count: 1 },
      { value: 'network', count: 1 },
    ],
    allWings: 5,
    halls: [
      { value: 'facts', count: 2 },
      { value: 'failures', count: 1 },
      { value: 'sources', count: 1 },
    ],
    allHalls: 5,
  });
});

it('counts each list within what the other lists chose', () => {
  const { wings, allWings, halls, allHalls } = countFacets(RESULTS, { ...ALL, wing: 'homelab' });
  expect(wings.map(({ count }) => count)).toEqual([2, 1, 1]);
  expect([allWings, allHalls]).toEqual([5, 2]);
  expect(halls).toEqual([
    { value: 'facts', count: 1 },
    { value: 'failures', count: 1 },
  ]);
});

it('keeps a chosen wing and hall without notes, so that they can be taken back', () => {
  const { wings, halls } = countFacets([], { ...ALL, wing: 'empty', hall: 'decisions' });
  expect(wings).toEqual([{ value: 'empty', count: 0 }]);
  expect(halls).toEqual([{ value: 'decisions', count: 0 }]);
});

it('leaves stale notes out of every count when they are not shown', () => {
  const { allWings, halls } = countFacets(RESULTS, { ...ALL, stale: false });
  expect(allWings).toBe(4);
  expect(halls.map(({ value }) => value)).toEqual(['facts', 'sources']);
  expect(RESULTS.filter((result) => fits(result, { ...ALL, stale: false }))).toHaveLength(4);
});
