import { parseRequest, noteLink, formatRequest } from '../../../src/ui/search/screen';
import { NOTHING } from '../../../src/ui/found/use-search';

it.each([
  [{}, NOTHING],
  [
    { q: 'mtu', wing: 'ops', hall: 'facts', raw: 'yes' },
    { ...NOTHING, query: 'mtu', wing: 'ops', hall: 'facts', raw: true },
  ],
  [
    { q: 'mtu', writer: 'human:me', status: 'knowledge', source: 'external', fresh: 'yes' },
    { ...NOTHING, query: 'mtu', writer: 'human:me', status: 'knowledge', source: 'external', fresh: true },
  ],
  [
    { q: 'mtu', wing: '', hall: 'nonsense', raw: 'no', writer: '', status: 'new', source: 'x', fresh: 'no' },
    { ...NOTHING, query: 'mtu' },
  ],
])('reads %j', (params, asked) => {
  expect(parseRequest(params)).toEqual(asked);
});

it('writes what it reads, and leaves out what says nothing', () => {
  const params = {
    q: 'mtu',
    wing: 'ops',
    hall: 'facts',
    raw: 'yes',
    writer: 'laptop',
    status: 'raw',
    source: 'internal',
    fresh: 'yes',
  };
  expect(formatRequest(parseRequest(params))).toEqual(params);
  expect(formatRequest({ ...NOTHING, query: '  ' })).toEqual({});
});

it.each([
  ['wiki/a/facts/b.md', 'A title', '[[wiki/a/facts/b|A title]]'],
  ['wiki/a/facts/b.md', 'Of [[links]] | and # more', '[[wiki/a/facts/b|Of ((links)) / and # more]]'],
  ['wiki/a/facts/b.md', '', '[[wiki/a/facts/b]]'],
])('link to %s titled %j', (path, title, expected) => {
  expect(noteLink(path, title)).toBe(expected);
});
