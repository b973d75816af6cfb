import fc from 'fast-check';
import {
  endOfTerms,
  endOfText,
  FIELD_END,
  listMarked,
  LONG_TERM,
  longTermsIn,
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

/** A stream of terms of both kinds, behind what another document has left. */
const stream = fc
  .record({
    before: fc.array(fc.constantFrom(5, LONG_TERM + 3, 0xffff), { maxLength: 5 }),
    terms: fc.array(fc.constantFrom(0, 1, 2, LONG_TERM - 1, LONG_TERM, LONG_TERM + 1, 3 * LONG_TERM), {
      maxLength: 60,
    }),
  })
  .map(({ before, terms }) => {
    const packer = new TermPacker();
    for (const term of terms) packer.add(term);
    return { units: Uint16Array.of(...before, ...packer.take()), from: before.length };
  });

describe('the end of so many terms', () => {
  it('is behind as many terms as are unpacked up to there, or behind all', () => {
    fc.assert(
      fc.property(stream, fc.nat(70), ({ units, from }, wanted) => {
        const end = endOfTerms(units, from, units.length, wanted);
        const all = unpackTerms(units.subarray(from));
        expect(unpackTerms(units.subarray(from, end))).toEqual(all.slice(0, wanted));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('the end of the text', () => {
  const words = fc.array(fc.constantFrom(1, 2, LONG_TERM, LONG_TERM + 1, 3 * LONG_TERM), { maxLength: 5 });
  const some = fc.array(
    words.filter((terms) => terms.length > 0),
    { maxLength: 3 },
  );

  it('is behind the text, whatever stands before it and behind it', () => {
    fc.assert(
      fc.property(fc.nat(2), words, some, words, some, (before, title, names, text, properties) => {
        const shown = [title, ...names, [], text].flatMap((field) => [...field, FIELD_END]);
        const beside = properties.flatMap((field) => [...field, FIELD_END]);
        const packer = new TermPacker();
        for (const term of [...Array<number>(before).fill(FIELD_END), ...shown]) packer.add(term);
        const end = packer.size;
        for (const term of [FIELD_END, ...beside]) packer.add(term);
        const units = packer.take();
        expect(endOfText(units, before, units.length)).toBe(end);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('the terms of two units between two places', () => {
  it('are as many as first units of theirs stand there', () => {
    fc.assert(
      fc.property(stream, fc.nat(70), fc.nat(70), ({ units }, a, b) => {
        const [from, to] = [Math.min(a, b, units.length), Math.min(Math.max(a, b), units.length)];
        const plainly = units.subarray(from, to).filter((unit) => unit >= LONG_TERM).length;
        expect(longTermsIn(units, from, to)).toBe(plainly);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('the places of units with a mark', () => {
  it('are all of those between two places, in order', () => {
    const unit = fc.constantFrom(0, 1, 2, 3, 0xf7ff, 0xffff);
    const marked = fc.uniqueArray(unit, { maxLength: 3 });
    const places = new Uint32Array(100);
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 60 }), marked, fc.nat(20), (all, known, skipped) => {
        const marks = new Uint8Array(1 << 16);
        known.forEach((each, at) => (marks[each] = at === 0 ? 255 : at));
        const from = Math.min(skipped, all.length);
        const count = listMarked(marks, Uint16Array.from(all), from, all.length, places);
        const plainly = all.map((_, at) => at).filter((at) => at >= from && known.includes(all[at] ?? 0));
        expect([...places.subarray(0, count)]).toEqual(plainly);
      }),
      { numRuns: 1000 },
    );
  });
});
