import fc from 'fast-check';
import { Dictionary, PairTable } from '../../../src/core/fulltext/dictionary';
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

/** 京 is one of them. */
const CHARACTERS = Array.from({ length: 300 }, (_, at) => String.fromCharCode(0x4e00 + at));
const sorted = (numbers: readonly number[]) => [...numbers].sort((a, b) => a - b);

describe('the pairs of a vocabulary', () => {
  it('are the same whether they came before they were asked for or after', () => {
    const [asked, anew] = [new Dictionary(), new Dictionary()];
    asked.intern(unitsOf('東京'));
    anew.intern(unitsOf('東京'));
    expect(asked.pairs.beginning(unitsOf('東')[0] ?? 0)).toEqual([1]);
    for (const character of CHARACTERS) {
      for (const pair of [`東${character}`, `${character}東`, character, 'word']) {
        expect(asked.intern(unitsOf(pair))).toBe(anew.intern(unitsOf(pair)));
      }
    }
    for (const character of [...CHARACTERS, '東', '京', 'w']) {
      const unit = character.charCodeAt(0);
      expect(sorted(asked.pairs.beginning(unit))).toEqual(sorted(anew.pairs.beginning(unit)));
      expect(sorted(asked.pairs.ending(unit))).toEqual(sorted(anew.pairs.ending(unit)));
    }
    expect(asked.pairs.beginning(unitsOf('東')[0] ?? 0)).toHaveLength(CHARACTERS.length);
  });

  it('name a term once that begins and ends with the same unit, and none of another script', () => {
    const pairs = new PairTable(2);
    pairs.add(1, 0x6771, 0x6771);
    pairs.add(2, 0x61, 0x62);
    expect([pairs.beginning(0x6771), pairs.ending(0x6771)]).toEqual([[1], []]);
    expect([pairs.beginning(0x61), pairs.ending(0x62)]).toEqual([[], []]);
  });
});
