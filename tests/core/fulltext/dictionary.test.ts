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

describe('the terms that begin or end with others', () => {
  it('are the same whether they came before they were asked for or after', () => {
    const piece = fc.string({
      unit: fc.constantFrom('a', 'b', '京', '東', '\u{20000}'),
      minLength: 1,
      maxLength: 7,
    });
    fc.assert(
      fc.property(
        fc.uniqueArray(piece, { maxLength: 40 }),
        piece,
        fc.nat(40),
        (vocabulary, asked, before) => {
          const dictionary = new Dictionary();
          const found = () =>
            [dictionary.beginningWith(asked), dictionary.endingWith(asked)].map((numbers) =>
              numbers.map((number) => dictionary.text(number)).sort(),
            );
          for (const term of vocabulary.slice(0, before)) dictionary.intern(unitsOf(term));
          found();
          for (const term of vocabulary) dictionary.intern(unitsOf(term));
          const longer = vocabulary.filter((term) => term.length > asked.length).sort();
          expect(found()).toEqual([
            longer.filter((term) => term.startsWith(asked)),
            longer.filter((term) => term.endsWith(asked)),
          ]);
        },
      ),
      { numRuns: 1000 },
    );
  });
});
