import fc from 'fast-check';
import { finish } from '../../../src/core/base/steps';
import { checkedSections, Checksum, writeSections } from '../../../src/core/fulltext/index-file';

const sumOf = (...pieces: readonly (readonly number[])[]): number =>
  pieces.reduce((sum, piece) => sum.add(Uint32Array.from(piece)), new Checksum()).value;

const pairs = fc
  .array(fc.tuple(fc.nat(0xffffffff), fc.nat(0xffffffff)), { minLength: 1, maxLength: 20 })
  .map((each) => each.flat());

describe('a checksum of words', () => {
  it('does not depend on the pieces in which they come', () => {
    fc.assert(
      fc.property(pairs, pairs, (first, second) => {
        expect(sumOf(first, second)).toBe(sumOf([...first, ...second]));
      }),
    );
  });

  it('tells of every word that changed', () => {
    fc.assert(
      fc.property(pairs, fc.nat(), fc.integer({ min: 1, max: 0xffffffff }), (words, at, change) => {
        const changed = words.map((word, place) =>
          place === at % words.length ? (word ^ change) >>> 0 : word,
        );
        expect(sumOf(changed)).not.toBe(sumOf(words));
      }),
      { numRuns: 2000 },
    );
  });

  it('tells of the same bit changed in two words, wherever they stand', () => {
    const words = Array.from({ length: 40 }, (_, n) => n * 77);
    const whole = sumOf(words);
    const missed: unknown[] = [];
    for (let bit = 0; bit < 32; bit += 1) {
      for (let a = 0; a < words.length; a += 1) {
        for (let b = a + 1; b < words.length; b += 1) {
          const flip = (word: number, at: number) =>
            at === a || at === b ? (word ^ (1 << bit)) >>> 0 : word;
          if (sumOf(words.map(flip)) === whole) missed.push([bit, a, b]);
        }
      }
    }
    expect(missed).toEqual([]);
  });
});

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
