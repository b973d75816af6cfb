import fc from 'fast-check';
import { packPaths, PathList } from '../../../src/core/fulltext/documents';

/** The paths as they come out of a file that they were written into. */
function readBack(paths: readonly string[]): string[] {
  const pieces = [...packPaths(paths)];
  let end = 0;
  const ends = Uint32Array.from(pieces, ({ length }) => (end += length));
  const list = new PathList(ends, Uint8Array.from(pieces.flatMap((piece) => [...piece])));
  return Array.from({ length: list.groups }, (_, group) => list.group(group)).flat();
}

describe('a list of paths', () => {
  it('gives back every path in order, whatever its letters', () => {
    const path = fc.string({
      unit: fc.constantFrom('a', '/', '"', '\\', '\n', 'é', '東', '\u{1f600}', '\ud800', '\ufeff'),
      maxLength: 9,
    });
    fc.assert(
      fc.property(fc.array(path, { maxLength: 12 }), (paths) => {
        expect(readBack(paths)).toEqual(paths);
      }),
      { numRuns: 500 },
    );
  });

  it.each([0, 1, 255, 256, 257, 1000])('gives back %i of them', (count) => {
    const paths = Array.from({ length: count }, (_, n) => `wiki/net/note ${n}.md`);
    expect(readBack(paths)).toEqual(paths);
    for (const piece of packPaths(paths)) expect(piece.length % 8).toBe(0);
  });
});
