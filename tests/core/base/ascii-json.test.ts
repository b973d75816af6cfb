import fc from 'fast-check';
import { asciiJson } from '../../../src/core/base/json';

it('says the same as JSON, and is text wherever its bytes are cut', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' })),
      fc.nat(),
      (value, at) => {
        const line = asciiJson(value);
        expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify(value)));
        const bytes = new TextEncoder().encode(line);
        const cut = bytes.slice(0, at % (bytes.length + 1));
        expect(() => new TextDecoder('utf-8', { fatal: true }).decode(cut)).not.toThrow();
      },
    ),
    { numRuns: 1_000 },
  );
});
