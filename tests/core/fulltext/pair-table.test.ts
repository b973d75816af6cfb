import { Dictionary, PairTable } from '../../../src/core/fulltext/dictionary';
import { unitsOf } from '../../../src/core/fulltext/words';

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
