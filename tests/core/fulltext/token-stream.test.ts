import fc from 'fast-check';
import {
  FIELD_END,
  LONG_TERM,
  MAX_TERM_NUMBER,
  TermPacker,
  unpackTerms,
} from '../../../src/core/fulltext/streams';

describe('packed terms', () => {
  function packed(terms: readonly number[], packer = new TermPacker()): Uint16Array {
    for (const term of terms) packer.add(term);
    return packer.take();
  }

  it('come back as they were, document after document', () => {
    const packer = new TermPacker();
    const term = fc.oneof(
      fc.nat(MAX_TERM_NUMBER - 1),
      fc.nat(300),
      fc.constant(FIELD_END),
      fc.integer({ min: LONG_TERM - 2, max: 0x10001 }),
      fc.constant(MAX_TERM_NUMBER - 1),
    );
    fc.assert(
      fc.property(fc.array(term), (terms) => {
        expect(unpackTerms(packed(terms, packer))).toEqual(terms);
      }),
      { numRuns: 1000 },
    );
  });

  it('have room for a long document', () => {
    const terms = Array.from({ length: 20_000 }, (_, at) => at * 1000);
    expect(unpackTerms(packed(terms))).toEqual(terms);
  });

  it('take one unit for terms that were met early', () => {
    expect(packed([1, 127, LONG_TERM - 1, LONG_TERM])).toHaveLength(1 + 1 + 1 + 2);
  });
});
