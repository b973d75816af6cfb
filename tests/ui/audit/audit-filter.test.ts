import { filterFromParams, isNarrowed, noteFilter, matchesText, sinceOf } from '../../../src/ui/audit/filter';
import { type AuditCall, dayWords } from '../../../src/ui/audit/words';

const call = (given: Partial<AuditCall> = {}): AuditCall => ({
  v: 1,
  ts: '2026-11-20T12:05:58Z',
  seq: 1,
  id: 'r1',
  tool: 'brain_update',
  actor: 'laptop',
  auth: 'read write',
  ok: true,
  args: {},
  paths: ['wiki/homelab/facts/zfs-arc-size.md'],
  unlinked: 0,
  duration_ms: 4,
  ...given,
});

it('begins with the last day, and with all time for one note', () => {
  expect(filterFromParams({})).toEqual({
    agent: null,
    tool: null,
    time: 'day',
    note: '',
    path: null,
    outcome: 'all',
  });
  expect(filterFromParams({ agent: 'ci', time: 'week' })).toMatchObject({ agent: 'ci', time: 'week' });
  expect(filterFromParams({ note: 'wiki/a/facts/b.md' })).toMatchObject({
    time: 'all',
    path: 'wiki/a/facts/b.md',
  });
  expect(filterFromParams({ time: 'toString' })).toMatchObject({ time: 'day' });
});

it.each([
  ['wiki/a/facts/b.md', 'wiki/a/facts/b.md'],
  [' raw/b.md ', 'raw/b.md'],
  ['zfs', null],
  ['wiki/a/facts/b', null],
  ['wiki/a:b/c.md', null],
])('%j names the path %j', (note, path) => {
  expect(noteFilter(note)).toEqual({ note, path });
});

it.each<[string, Partial<ReturnType<typeof filterFromParams>>, Partial<AuditCall>, boolean]>([
  ['all', {}, {}, true],
  ['typed letters of the note', { note: 'ARC' }, {}, true],
  ['other letters', { note: 'dns' }, {}, false],
  ['letters of a query', { note: 'wakes' }, { args: { query: 'NAS wakes' } }, true],
])('shows %s', (_, filter, given, expected) => {
  expect(matchesText({ ...filterFromParams({}), ...filter }, call(given))).toBe(expected);
});

it('leaves to the service what names a path', () => {
  expect(matchesText({ ...filterFromParams({}), ...noteFilter('wiki/x/facts/y.md') }, call())).toBe(true);
});

it('knows when a filter narrows', () => {
  expect(isNarrowed(filterFromParams({}))).toBe(false);
  expect(isNarrowed(filterFromParams({ time: 'all' }))).toBe(false);
  for (const params of [{ agent: 'a' }, { tool: 'a' }, { note: 'a' }])
    expect(isNarrowed(filterFromParams(params))).toBe(true);
});

it('counts the chosen time back from now', () => {
  const now = new Date('2026-11-20T12:00:00Z');
  expect(sinceOf('week', now)).toEqual(new Date('2026-11-13T12:00:00Z'));
  expect(sinceOf('all', now)).toBeNull();
});

it.each([
  ['2026-11-20T00:00:01Z', 'Today, 20 Nov 2026'],
  ['2026-11-19T23:59:59Z', 'Yesterday, 19 Nov 2026'],
  ['2026-11-18T12:00:00Z', '18 Nov 2026'],
])('calls the day of %s "%s"', (time, expected) => {
  expect(dayWords(time, new Date('2026-11-20T12:00:00Z'))).toBe(expected);
});
