import * as fc from 'fast-check';
import { readUri, wingUri } from '../../../src/doors/mcp/resources';

it('finds the wing again that an address was made for, however it is spelt', () => {
  const wing = fc.string({ unit: 'grapheme', minLength: 1 }).filter((name) => !name.includes('/'));
  fc.assert(
    fc.property(wing, (name) => {
      expect(readUri(wingUri(name))).toEqual({ kind: 'wing', wing: name });
    }),
    { numRuns: 1000 },
  );
});

it('finds the path again that a client has put into the template, escaped or not', () => {
  const segment = fc.string({ unit: 'grapheme', minLength: 1 }).filter((name) => !/[/%]/.test(name));
  fc.assert(
    fc.property(fc.array(segment, { minLength: 1 }), fc.boolean(), (segments, escaped) => {
      const written = escaped ? segments.map(encodeURIComponent) : segments;
      const uri = `brain://note/${written.join('/')}`;
      expect(readUri(uri)).toEqual({ kind: 'note', path: segments.join('/') });
    }),
    { numRuns: 1000 },
  );
});

it.each([
  'brain://roots',
  'brain://root/',
  'BRAIN://root',
  'brain://note/',
  'brain://wing//index',
  'brain://wing/a/b/index',
  'brain://wing/a%2Fb/index',
  'brain://wing/a',
  'file:///etc/passwd',
  '',
])('knows no resource %j', (uri) => {
  expect(readUri(uri)).toBeNull();
});

it.each([
  ['brain://note/wiki/a/50% plan.md', 'wiki/a/50% plan.md'],
  ['brain://note/wiki/a/50%25%20plan.md', 'wiki/a/50% plan.md'],
  ['brain://note/%', '%'],
  ['brain://note/%ff%C3%BC', '%ff%C3%BC'],
  ['brain://note/%zz%C3%BC', '%zzü'],
  ['brain://note/a?b#c.md', 'a?b#c.md'],
  ['brain://note/a%3Fb%23c.md', 'a?b#c.md'],
])('takes what is no escape in %s for itself', (uri, path) => {
  expect(readUri(uri)).toEqual({ kind: 'note', path });
});
