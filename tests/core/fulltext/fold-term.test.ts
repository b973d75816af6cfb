import fc from 'fast-check';
import { foldPlain, foldTerm } from '../../../src/core/fulltext/terms';
import { textIn, unitsOf } from '../../../src/core/fulltext/words';

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

  it('folds words of marks among other characters as the long way does, or leaves them to that', () => {
    const marks = CHARACTERS.filter((character) => /\p{M}/u.test(character));
    const letter = fc.oneof(
      fc.constantFrom(...marks),
      fc.constantFrom(...CHARACTERS),
      fc.stringMatching(/^[a-zéа-яأ]$/u),
    );
    fc.assert(
      fc.property(fc.array(letter, { minLength: 2, maxLength: 6 }), (letters) => {
        const word = letters.join('');
        const plain = folded(word);
        if (plain !== null) expect(plain).toBe(foldTerm(word.normalize('NFKC')));
      }),
      { numRuns: 20_000 },
    );
  });

  it('folds every two characters of which one is a mark of the same script as the long way does, or leaves it to that', () => {
    const wrong: string[] = [];
    for (const mark of CHARACTERS.filter((character) => /\p{M}/u.test(character))) {
      const block = mark.charCodeAt(0) & ~0x7f;
      for (let unit = Math.max(block, 1); unit < block + 0x80; unit += 1) {
        for (const word of [String.fromCharCode(unit) + mark, mark + String.fromCharCode(unit)]) {
          const plain = folded(word);
          if (plain !== null && plain !== foldTerm(word.normalize('NFKC'))) wrong.push(word);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  it.each([
    ['plain', 'plain'],
    ['Éclair', 'eclair'],
    ['naïve', 'naive'],
    ['東京', '東京'],
    ['한국', '한국'],
    ['サー', 'サー'],
    ['नमस्ते', 'नमस्ते'],
    ['ភាសា', 'ភាសា'],
    ['\u0995\u09cb', '\u0995\u09cb'],
    // Two vowel signs that stand for one, and marks in another order than NFKC has them.
    ['\u0995\u09c7\u09be', null],
    ['\u0e01\u0e38\u0e48', '\u0e01\u0e38\u0e48'],
    ['\u0e01\u0e48\u0e38', null],
    ['cafe\u0301', null],
    // A mark that the long way puts between the letter and its accent.
    ['\u00e9\u0e38', null],
    ['\u304b\u3099', null],
    ['\u0419\u0483', '\u0439\u0483'],
    ['\u1100\u1161', null],
    ['\uff76\uff9e', null],
    ['كِتاب', null],
    ['Straße', null],
    ['HTTP', null],
    ['a-b', null],
    ['', ''],
  ])('makes of %j %j', (word, expected) => {
    expect(folded(word)).toBe(expected);
  });
});
