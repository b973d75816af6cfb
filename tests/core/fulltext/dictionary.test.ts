import fc from 'fast-check';
import { Dictionary } from '../../../src/core/fulltext/dictionary';
import { unitsOf } from '../../../src/core/fulltext/words';

const term = fc.string({
  unit: fc.constantFrom('a', 'b', 'é', '東', '\ud800', '\u0000'),
  minLength: 1,
  maxLength: 4,
});

describe('Dictionary', () => {
  it('holds what a map would hold, and never gives a number twice', () => {
    const change = fc.oneof({ weight: 9, arbitrary: term }, { weight: 1, arbitrary: fc.constant(null) });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 200 }), (changes) => {
        const dictionary = new Dictionary();
        const model = new Map<string, number>();
        for (const each of changes) {
          if (each === null) {
            // Forgets every second term.
            for (const [known, number] of model) if (number % 2 === 0) model.delete(known);
            dictionary.keepOnly((number) => number % 2 === 1);
          } else {
            model.set(each, dictionary.intern(unitsOf(each)));
          }
          expect(new Set(model.values()).size).toBe(model.size);
        }
        expect(dictionary.size).toBe(model.size);
        for (const [known, number] of model) {
          expect(dictionary.get(known)).toBe(number);
          expect(dictionary.text(number)).toBe(known);
        }
        expect(dictionary.get('never met')).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });

  it('keeps apart many more terms than it began with room for', () => {
    const dictionary = new Dictionary();
    const numbers = Array.from({ length: 50_000 }, (_, n) => dictionary.intern(unitsOf(`term${n}`)));
    expect(new Set(numbers).size).toBe(50_000);
    expect(numbers.every((number, n) => dictionary.get(`term${n}`) === number)).toBe(true);
    expect(dictionary.limit).toBe(50_001);
  });

  it('knows stop words', () => {
    const dictionary = new Dictionary();
    expect(dictionary.isStopWord(dictionary.intern(unitsOf('the')))).toBe(true);
    expect(dictionary.isStopWord(dictionary.intern(unitsOf('tunnel')))).toBe(false);
    expect(dictionary.text(dictionary.intern(unitsOf('the')))).toBe('the');
  });
});
