import fc from 'fast-check';
import {
  eachWord,
  isLonePaired,
  isPaired,
  MAX_WORD,
  textIn,
  WordWalk,
} from '../../../src/core/fulltext/words';

function wordsIn(text: string): string[] {
  const words: string[] = [];
  eachWord(text, (from, to) => words.push(text.slice(from, to)));
  return words;
}

describe('eachWord', () => {
  it.each([
    ['plain prose', 'The quick, brown fox.', ['The', 'quick', 'brown', 'fox']],
    ['identifiers', 'BRAIN_PG_DSN v1.2 wireguard-mtu', ['BRAIN_PG_DSN', 'v1.2', 'wireguard-mtu']],
    ['a joint at the end', 'end. __init__ a-- b', ['end', 'init', 'a', 'b']],
    ['two joints in a row', 'snake__case wait...what', ['snake', 'case', 'wait', 'what']],
    ['apostrophes', "don't l’homme 'quoted'", ["don't", 'l’homme', 'quoted']],
    ['languages named by one letter', 'C++ c# x+y 1 # 2', ['C++', 'c#', 'x', 'y', '1', '2']],
    ['paths and addresses', 'wiki/net/facts a@b.org', ['wiki', 'net', 'facts', 'a', 'b.org']],
    ['accents in decomposed form', 'Cafe\u0301 au lait', ['Cafe\u0301', 'au', 'lait']],
    ['Cyrillic and Greek', 'Привет, Κόσμε!', ['Привет', 'Κόσμε']],
    ['Devanagari with vowel signs', 'हिन्दी भाषा', ['हिन्दी', 'भाषा']],
    ['Han', '东京天气', ['东京', '京天', '天气']],
    ['a lone Han character', '水 and 火', ['水', 'and', '火']],
    ['Han beside Latin', 'iPhone手机15', ['iPhone', '手机', '15']],
    ['Kana with a long vowel', 'サーバー', ['サー', 'ーバ', 'バー']],
    ['decomposed Kana', 'か\u3099き\u3099', ['か\u3099き\u3099']],
    ['Hangul', '한국어', ['한국', '국어']],
    ['decomposed Hangul', '한국'.normalize('NFD'), ['한국'.normalize('NFD')]],
    ['Thai with its marks', 'น้ำดี', ['น้ำ', 'ำดี']],
    ['Khmer', 'ខ្មែរ', ['ខ្មែ', 'មែរ']],
    ['letters beyond the basic plane', '𠮷野家 𝒜𝒷', ['𠮷野', '野家', '𝒜𝒷']],
    ['emoji and signs', '🎉 → ™ x', ['🎉', 'x']],
    [
      'a soft hyphen and a zero-width joiner',
      'in\u00advisible zero\u200dwidth',
      ['in\u00advisible', 'zero\u200dwidth'],
    ],
    ['a mark without a letter', '\u0301 a', ['a']],
    ['lone surrogates', '\ud800a\udc00', ['a']],
    ['nothing', '', []],
  ])('finds the words of %s', (_, text, expected) => {
    expect(wordsIn(text)).toEqual(expected);
  });

  it('cuts a run that is longer than any word', () => {
    const words = wordsIn('x'.repeat(MAX_WORD * 2 + 5));
    expect(words.map((word) => word.length)).toEqual([MAX_WORD, MAX_WORD, 5]);
  });

  it('moves forward through any text and returns slices in order', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        let last = 0;
        eachWord(text, (from, to) => {
          expect(from).toBeGreaterThanOrEqual(last);
          expect(to).toBeGreaterThan(from);
          expect(to).toBeLessThanOrEqual(text.length);
          last = from;
        });
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['marks without end', `a${'\u0301\u0316'.repeat(250_000)}`],
    ['marks on a Thai consonant', `ก${'\u0e49\u0e38'.repeat(250_000)}`],
    ['one endless word', 'a'.repeat(1_000_000)],
    ['joints only', 'a.'.repeat(500_000)],
    ['Han without spaces', '漢字'.repeat(500_000)],
  ])('is quick on %s', (_, text) => {
    let units = 0;
    eachWord(text, (from, to) => {
      units += to - from;
    });
    expect(units).toBeLessThanOrEqual(2 * text.length);
  });
});

describe('WordWalk', () => {
  it('finds what eachWord finds', () => {
    const walk = new WordWalk();
    const pieces = fc.array(
      fc.constantFrom(...'ab+#.-_ 1(0)/,東é\u0301\u{20000}👍🏽\u200d🇩', 'word'.repeat(25)),
      {
        maxLength: 40,
      },
    );
    const texts = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 200 }),
      pieces.map((some) => some.join('')),
    );
    fc.assert(
      fc.property(texts, (text) => {
        const found: string[] = [];
        walk.begin(text);
        while (walk.next()) {
          found.push(text.slice(walk.from, walk.to));
          expect(textIn(walk.units, walk.from, walk.to - walk.from)).toBe(found.at(-1));
        }
        expect(found).toEqual(wordsIn(text));
        expect(walk.next()).toBe(false);
      }),
      { numRuns: 1000 },
    );
  });

  it('begins anew in the middle of a text', () => {
    const walk = new WordWalk();
    walk.begin('東京都 first');
    expect(walk.next()).toBe(true);
    walk.begin('京 next');
    expect(walk.next()).toBe(true);
    expect([walk.from, walk.to]).toEqual([0, 1]);
  });
});

describe('a character', () => {
  const letter = /[\p{L}\p{N}]/u;
  const inside = /[\p{M}\p{Default_Ignorable_Code_Point}\u1160-\u11ff\ud7b0-\ud7ff\uff9e\uff9f]/u;
  const emoji =
    /\p{Emoji_Presentation}|(?=[\u2300-\u23ff\u2600-\u27bf\u{1f000}-\u{1ffff}])\p{Extended_Pictographic}/u;
  const unspaced =
    /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\u3031-\u3035\u303c\u30fc\uff70]/u;

  it('is a word, or one of a pair, just when Unicode says so, in all planes', () => {
    const wrong: string[] = [];
    for (let point = 0; point < 0x110000; point += 1) {
      const character = String.fromCodePoint(point);
      const isLetter = letter.test(character) && !inside.test(character);
      const isWord = isLetter || emoji.test(character);
      const isRight =
        wordsIn(character).length === (isWord ? 1 : 0) &&
        isPaired(character) === (isLetter && unspaced.test(character));
      if (!isRight) wrong.push(point.toString(16));
    }
    expect(wrong).toEqual([]);
  });
});

describe('isLonePaired', () => {
  it.each([
    ['水', true],
    ['น้', true],
    ['水火', false],
    ['a', false],
    ['', false],
  ])('of %j is %s', (slice, expected) => {
    expect(isLonePaired(slice)).toBe(expected);
  });
});
