import * as fc from 'fast-check';
import { readUri, wingUri } from '../../../src/doors/mcp/resource-uri';

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
  const segment = fc.string({ unit: 'grapheme', minLength: 1 }).filter((name) => !/[/?#%]/.test(name));
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
  'brain://note/a?b',
  'brain://note/a#b',
  'brain://note/%',
  'brain://note/%ff',
  'brain://wing//index',
  'brain://wing/a/b/index',
  'brain://wing/a%2Fb/index',
  'brain://wing/a',
  'file:///etc/passwd',
  '',
])('knows no resource %j', (uri) => {
  expect(readUri(uri)).toBeNull();
});
