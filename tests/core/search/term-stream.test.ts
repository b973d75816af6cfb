import fc from 'fast-check';
import {
  FIELD_END,
  holdsPhrase,
  LONG_TERM,
  MAX_TERM_NUMBER,
  TermPacker,
  unpackTerms,
} from '../../../src/core/search/term-stream';

/** Compares at every place: what the fast way must agree with. */
function holdsPlainly(terms: readonly number[], places: readonly ReadonlySet<number>[]): boolean {
  return terms.some((_, at) => places.every((fillers, n) => fillers.has(terms[at + n] ?? FIELD_END)));
}

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

describe('holdsPhrase', () => {
  const [one, two, both, none] = [new Set([1]), new Set([2]), new Set([1, 2]), new Set<number>()];

  it.each([
    ['one place', [3, 1], [one], true],
    ['a place that nothing fills', [1, 2], [one, none], false],
    ['a phrase at the end', [3, 1, 2], [one, two], true],
    ['a phrase cut by the end', [2, 1], [one, two], false],
    ['a phrase over the end of a field', [1, FIELD_END, 2], [one, two], false],
    ['a phrase begun within another', [1, 1, 2], [one, two], true],
    ['a place that two terms fill', [2, 2], [both, two], true],
    ['nothing in nothing', [], [one], false],
  ])('finds %s', (_, terms, places, expected) => {
    expect(holdsPhrase(terms, places)).toBe(expected);
  });

  it('finds what comparing at every place finds', () => {
    const place = fc.uniqueArray(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 2 });
    const phrase = fc.oneof(
      fc.array(place, { minLength: 1, maxLength: 5 }),
      // Longer than one, two and three machine words of places.
      fc
        .tuple(fc.integer({ min: 30, max: 100 }), place)
        .map(([n, fill]) => [...Array.from({ length: n }, () => [1, 2]), fill]),
    );
    const terms = fc.array(fc.constantFrom(1, 1, 1, 2, 2, 3, FIELD_END), { maxLength: 20 });
    const run = fc.tuple(terms, fc.integer({ min: 0, max: 110 }), terms);
    let held = 0;
    fc.assert(
      fc.property(phrase, run, (fillers, [before, ones, after]) => {
        const text = [...before, ...Array.from({ length: ones }, () => 1), ...after];
        const places = fillers.map((each) => new Set(each));
        const expected = holdsPlainly(text, places);
        held += expected ? 1 : 0;
        expect(holdsPhrase(text, places)).toBe(expected);
      }),
      { numRuns: 2000 },
    );
    expect(held).toBeGreaterThan(200);
  });

  it('takes no longer for a phrase that nearly fits everywhere', () => {
    const text = Array.from({ length: 500_000 }, () => 1);
    const places = [...Array.from({ length: 900 }, () => one), two];
    const began = performance.now();
    expect(holdsPhrase(text, places)).toBe(false);
    // Comparing at every place would take 450 million comparisons, several seconds.
    expect(performance.now() - began).toBeLessThan(1000);
  });
});
