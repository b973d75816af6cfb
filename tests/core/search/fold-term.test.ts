import { foldPlain, foldTerm } from '../../../src/core/search/fold-term';

/** Every character of the basic plane, surrogates left out. */
const CHARACTERS = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit)).filter(
  (character) => !/\p{Cs}/u.test(character),
);

describe('foldPlain', () => {
  it('folds each character as the long way does, or leaves it to that', () => {
    const wrong = CHARACTERS.filter((character) => {
      const plain = foldPlain(character);
      return plain !== null && plain !== foldTerm(character.normalize('NFKC'));
    });
    expect(wrong).toEqual([]);
  });

  it.each([
    ['plain', 'plain'],
    ['Éclair', 'eclair'],
    ['naïve', 'naive'],
    ['東京', '東京'],
    ['한국', '한국'],
    ['サー', 'サー'],
    ['Straße', null],
    ['HTTP', null],
    ['a-b', null],
    ['', ''],
  ])('makes of %j %j', (word, expected) => {
    expect(foldPlain(word)).toBe(expected);
  });
});
