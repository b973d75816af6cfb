import fc from 'fast-check';
import { crc32 } from '../../../src/core/search/crc32';
import { readSections, writeSections } from '../../../src/core/search/section-file';

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
        const sections = readSections(file, 7);
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
    expect(readSections(file, 8)).toBeNull();
    expect(readSections(file, 7)).not.toBeNull();
  });
});

describe('crc32', () => {
  it('is the CRC-32 of zip', () => {
    // "12345678" and "1234567812345678", as other implementations have it.
    const words = Uint32Array.of(0x34333231, 0x38373635);
    expect(crc32(words).toString(16)).toBe('9ae0daaf');
    expect(crc32(words, crc32(words))).toBe(crc32(Uint32Array.of(...words, ...words)));
  });
});
