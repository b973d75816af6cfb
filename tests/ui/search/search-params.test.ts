import { noteLink } from '../../../src/ui/search/note-link';
import { askedOf, paramsOf } from '../../../src/ui/search/search-params';

it.each([
  [{}, { query: '', wing: null, hall: null, raw: false }],
  [
    { q: 'mtu', wing: 'ops', hall: 'facts', raw: 'yes' },
    { query: 'mtu', wing: 'ops', hall: 'facts', raw: true },
  ],
  [
    { q: 'mtu', wing: '', hall: 'nonsense', raw: 'no' },
    { query: 'mtu', wing: null, hall: null, raw: false },
  ],
])('reads %j', (params, asked) => {
  expect(askedOf(params)).toEqual(asked);
});

it('writes what it reads, and leaves out what says nothing', () => {
  const params = { q: 'mtu', wing: 'ops', hall: 'facts', raw: 'yes' };
  expect(paramsOf(askedOf(params))).toEqual(params);
  expect(paramsOf({ query: '  ', wing: null, hall: null, raw: false })).toEqual({});
});

it.each([
  ['wiki/a/facts/b.md', 'A title', '[[wiki/a/facts/b|A title]]'],
  ['wiki/a/facts/b.md', 'Of [[links]] | and # more', '[[wiki/a/facts/b|Of links and more]]'],
  ['wiki/a/facts/b.md', '', '[[wiki/a/facts/b]]'],
])('link to %s titled %j', (path, title, expected) => {
  expect(noteLink(path, title)).toBe(expected);
});
