import { ANY, countFacets, matches, type SearchResult } from '../../../src/ui/found/facets';
import { NOTHING } from '../../../src/ui/found/use-search';
import { placeFacets, trustFacets } from '../../../src/ui/search/facet-panel';

const found = (
  wing: string | undefined,
  hall: SearchResult['hall'],
  extra: Partial<SearchResult> = {},
): SearchResult => ({
  path: `wiki/${wing ?? 'x'}/${hall ?? 'x'}/n.md`,
  title: 'N',
  excerpt: '',
  score: 1,
  status: 'wiki',
  stale: false,
  ...(wing !== undefined && { wing }),
  ...(hall !== undefined && { hall }),
  ...extra,
});
const RESULTS = [
  found('homelab', 'facts', { written_by: 'laptop (claude-code 2.1.300)' }),
  found('homelab', 'failures', { stale: true, written_by: 'human:me' }),
  found('network', 'facts', { written_by: 'laptop (codex)' }),
  found('archive', 'sources', { written_by: 'watcher via qwen3:14b', status: 'raw' }),
  found(undefined, undefined, { status: 'knowledge' }),
];

it('counts wings and writers by their notes, halls and states in their own order', () => {
  expect(countFacets(RESULTS, ANY)).toEqual({
    wings: {
      all: 5,
      values: [
        { value: 'homelab', count: 2 },
        { value: 'archive', count: 1 },
        { value: 'network', count: 1 },
      ],
    },
    halls: {
      all: 5,
      values: [
        { value: 'facts', count: 2 },
        { value: 'failures', count: 1 },
        { value: 'sources', count: 1 },
      ],
    },
    // One token, through whatever client.
    writers: {
      all: 5,
      values: [
        { value: 'laptop', count: 2 },
        { value: 'human:me', count: 1 },
        { value: 'watcher', count: 1 },
      ],
    },
    statuses: {
      all: 5,
      values: [
        { value: 'wiki', count: 3 },
        { value: 'knowledge', count: 1 },
        { value: 'raw', count: 1 },
      ],
    },
  });
});

it('counts each list within what the other lists chose', () => {
  const { wings, halls, writers } = countFacets(RESULTS, { ...ANY, wing: 'homelab' });
  expect(wings.values.map(({ count }) => count)).toEqual([2, 1, 1]);
  expect([wings.all, halls.all, writers.all]).toEqual([5, 2, 2]);
  expect(halls.values).toEqual([
    { value: 'facts', count: 1 },
    { value: 'failures', count: 1 },
  ]);
});

it('keeps what is chosen without notes, so that it can be taken back', () => {
  const { wings, halls, writers, statuses } = countFacets([], {
    ...ANY,
    wing: 'empty',
    hall: 'decisions',
    writer: 'gone',
    status: 'raw',
  });
  expect(wings.values).toEqual([{ value: 'empty', count: 0 }]);
  expect(halls.values).toEqual([{ value: 'decisions', count: 0 }]);
  expect(writers.values).toEqual([{ value: 'gone', count: 0 }]);
  expect(statuses.values).toEqual([{ value: 'raw', count: 0 }]);
});

it('leaves stale notes out of every count when only fresh ones are asked for', () => {
  const { wings, halls } = countFacets(RESULTS, { ...ANY, fresh: true });
  expect(wings.all).toBe(4);
  expect(halls.values.map(({ value }) => value)).toEqual(['facts', 'sources']);
  expect(RESULTS.filter((result) => matches(result, { ...ANY, fresh: true }))).toHaveLength(4);
});

it('shows words instead of values, and says what a choice changes', () => {
  const views = [
    ...placeFacets(countFacets(RESULTS, ANY), NOTHING),
    ...trustFacets(countFacets(RESULTS, ANY), NOTHING),
  ];
  expect(views.map(({ label, choices }) => [label, ...choices.map((choice) => choice.label)])).toEqual([
    ['Wing', 'All wings', 'homelab', 'archive', 'network'],
    ['Hall', 'All halls', 'Facts', 'Failures', 'Sources'],
    ['Written by', 'Anyone', 'laptop', 'me', 'watcher'],
    ['State', 'Any state', 'Reviewed', 'Knowledge', 'Not reviewed'],
    ['Source', 'Any source', 'Own work', 'External source'],
  ]);
  const chosen = [
    ['ops', ''],
    ['facts', 'no such hall'],
    ['human:me', ''],
    ['raw', 'toString'],
    ['external', ''],
  ];
  expect(views.map((view, index) => chosen[index]?.map((value) => view.choose(value)))).toEqual([
    [{ wing: 'ops' }, { wing: null }],
    [{ hall: 'facts' }, { hall: null }],
    [{ writer: 'human:me' }, { writer: null }],
    [{ status: 'raw' }, { status: null }],
    [{ source: 'external' }, { source: null }],
  ]);
});
