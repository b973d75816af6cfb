import fc from 'fast-check';
import { finish } from '../../../src/core/base/steps';
import { checkedSections, writeSections } from '../../../src/core/fulltext/index-file';

function written(edition: number, sections: Parameters<typeof writeSections>[1]): Uint8Array {
  return Uint8Array.from([...writeSections(edition, sections)].flatMap((piece) => [...piece]));
}

describe('a file of sections', () => {
  it('gives back what was written', () => {
    const half = fc.array(fc.nat(0xffff));
    const word = fc.array(fc.nat());
    fc.assert(
      fc.property(half, word, word, (letters, numbers, more) => {
        const file = written(7, [
          { number: 1, pieces: [Uint16Array.from(letters)] },
          { number: 2, pieces: [Uint32Array.from(numbers)] },
          { number: 3, pieces: [] },
          // All but the last piece fill whole eights of bytes.
          { number: 9, pieces: [Uint32Array.from([...more, ...more]), Uint32Array.from(more)] },
        ]);
        expect(file.length % 8).toBe(0);
        const sections = finish(checkedSections(file, 7));
        expect(Array.from(sections?.get(1)?.halfWords() ?? [])).toEqual(letters);
        expect(Array.from(sections?.get(2)?.words() ?? [])).toEqual(numbers);
        expect(Array.from(sections?.get(3)?.words() ?? [1])).toEqual([]);
        expect(Array.from(sections?.get(9)?.words() ?? [])).toEqual([...more, ...more, ...more]);
      }),
      { numRuns: 300 },
    );
  });

  it('is refused by a reader of another edition', () => {
    const file = written(7, [{ number: 1, pieces: [Uint32Array.of(1, 2)] }]);
    expect(finish(checkedSections(file, 8))).toBeNull();
    expect(finish(checkedSections(file, 7))).not.toBeNull();
  });
});
