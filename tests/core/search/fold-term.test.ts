import { foldPlain, foldTerm } from '../../../src/core/search/fold-term';
import { textIn, unitsOf } from '../../../src/core/search/unit-text';

/** Every character of the basic plane, surrogates left out. */
const CHARACTERS = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit)).filter(
  (character) => !/\p{Cs}/u.test(character),
);

/** What a word between others is folded to; null when that is left to the long way. */
function folded(word: string): string | null {
  const into = new Uint16Array(word.length);
  const units = unitsOf(`<${word}>`);
  return foldPlain(units, 1, 1 + word.length, into) ? textIn(into, 0, word.length) : null;
}

describe('foldPlain', () => {
  it('folds each character as the long way does, or leaves it to that', () => {
    const wrong = CHARACTERS.filter((character) => {
      const plain = folded(character);
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
    expect(folded(word)).toBe(expected);
  });
});
