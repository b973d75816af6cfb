import fc from 'fast-check';
import { PathList } from '../../../src/core/search/path-list';

describe('a list of paths', () => {
  it('gives back every path of a row, whatever its letters', () => {
    const path = fc.string({
      unit: fc.constantFrom('a', '/', 'é', '東', '\u{1f600}', '\ud800'),
      maxLength: 9,
    });
    fc.assert(
      fc.property(fc.array(path, { maxLength: 12 }), fc.nat(12), fc.nat(12), (paths, a, b) => {
        let end = 0;
        const ends = Uint32Array.from(paths, ({ length }) => (end += length));
        const text = paths.join('');
        const units = Uint16Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
        const list = new PathList(ends, units);
        expect(list.size).toBe(paths.length);
        const [from, to] = [Math.min(a, b, paths.length), Math.min(Math.max(a, b), paths.length)];
        expect(list.between(from, to)).toEqual(paths.slice(from, to));
      }),
      { numRuns: 500 },
    );
  });
});
