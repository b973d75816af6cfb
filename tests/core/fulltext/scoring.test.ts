import fc from 'fast-check';
import {
  classOfSum,
  sumOf,
  sumOfSums,
  CLASS_BITS,
  classesFor,
  idfOf,
  MAX_GROUPS,
  MIN_LENGTH,
  SaturationTable,
  SCORE_SCALE,
  weightOf,
  worthOf,
} from '../../../src/core/fulltext/scoring';

/** The class of a document for terms that count as one. */
const together = (...classes: number[]): number => classOfSum(classes.map(sumOf).reduce(sumOfSums));

const K1 = 1.2;
const B = 0.75;

/** What the formula gives, without classes and whole numbers. */
function plainly(frequency: number, length: number, average: number): number {
  return (frequency * (K1 + 1)) / (frequency + K1 * (1 - B + (B * length) / average));
}

describe('scores in whole numbers', () => {
  it('are near those of the formula', () => {
    const table = new SaturationTable();
    fc.assert(
      fc.property(
        fc.oneof(fc.constantFrom(0.25, 0.5), fc.integer({ min: 1, max: 180 })),
        fc.integer({ min: MIN_LENGTH, max: 50_000 }),
        fc.integer({ min: MIN_LENGTH, max: 5000 }),
        fc.tuple(fc.integer({ min: 1, max: 1000 }), fc.integer({ min: 1000, max: 2_000_000 })),
        (frequency, length, average, [holders, documents]) => {
          const value = table.tableFor(average * 1000, 1000)[classesFor(length)(frequency)] ?? 0;
          const weight = weightOf(holders, documents);
          const idf = Math.log(1 + (documents - holders + 0.5) / (holders + 0.5));
          expect(Math.abs(idfOf(weight) - idf)).toBeLessThan(0.001);
          const score = worthOf(value, weight) / SCORE_SCALE;
          const plain = idf * plainly(frequency, length, average);
          // Six in a hundred of the length, one of the average, and up to sixteen of a high frequency, which hardly counts.
          expect(Math.abs(score - plain)).toBeLessThan(0.02 * idf + 0.13 * plain);
        },
      ),
      { numRuns: 3000 },
    );
  });

  it('know small frequencies exactly', () => {
    const table = new SaturationTable().tableFor(MIN_LENGTH * 10, 10);
    for (const frequency of [0.25, 0.5, ...Array.from({ length: 16 }, (_, n) => n + 1)]) {
      const value = (table[classesFor(MIN_LENGTH)(frequency)] ?? 0) / 2 ** 14;
      expect(value).toBeCloseTo(plainly(frequency, MIN_LENGTH, MIN_LENGTH), 2);
    }
  });

  it('add up without an overflow, however many terms a query has', () => {
    const highest = Math.max(...new SaturationTable().tableFor(5000 * MIN_LENGTH, MIN_LENGTH));
    const weight = weightOf(1, 2 ** (32 - CLASS_BITS));
    expect(MAX_GROUPS * (1 + worthOf(highest, weight))).toBeLessThan(2 ** 31);
    expect(highest * weight).toBeLessThan(2 ** 31);
  });

  it('count a term that every document holds for something', () => {
    expect(weightOf(1_000_000, 1_000_000)).toBeGreaterThan(0);
  });

  it('depend on nothing but the average', () => {
    const table = new SaturationTable();
    const before = Array.from(table.tableFor(5000, 100));
    table.tableFor(90_000, 100);
    expect(Array.from(table.tableFor(5000, 100))).toEqual(before);
    expect(Array.from(new SaturationTable().tableFor(5000, 100))).toEqual(before);
  });

  it('count terms that stand for one as often as all of them', () => {
    const measure = classesFor(100);
    expect(together(measure(2), measure(5))).toBe(measure(7));
    expect(together(measure(200), measure(200))).toBe(measure(10_000));
    expect(together(measure(0.25), measure(0.25))).toBe(measure(0.5));
    // The order of terms, which have numbers by their history, makes no difference.
    expect(together(measure(16), measure(2), measure(2))).toBe(together(measure(2), measure(2), measure(16)));
  });

  it('give a word of the properties the length with them, unless it stands in for one of the text', () => {
    const measure = classesFor(100, 400);
    expect(measure(0.25)).toBe(classesFor(400)(0.25));
    expect(measure(1)).toBe(classesFor(100)(1));
    for (const sum of [together(measure(0.25), measure(2)), together(measure(2), measure(0.25))])
      expect(sum).toBe(classesFor(100)(2));
  });
});
