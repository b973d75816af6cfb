import fc from 'fast-check';
import { Quotable } from '../../../src/core/model/quotes';

const found = (text: string, quote: string): string | null => {
  const range = new Quotable(text).find(quote);
  return range === null ? null : text.slice(range.from, range.to);
};

const NOTE = `The tunnel needs an **MTU** of 1380 bytes,
because the modem's PPPoE takes “twenty” — see [[wiki/net/facts/dns|the DNS note]] and
[the manual](https://example.org/a).

- Restart it with \`systemctl restart wg-quick@wg0\`.
`;

describe('a quote is found', () => {
  it.each([
    ['letter by letter', 'an **MTU** of 1380', 'an **MTU** of 1380'],
    ['without emphasis', 'an MTU of 1380 bytes', 'an **MTU** of 1380 bytes'],
    ['over the end of a line', '1380 bytes, because the modem', '1380 bytes,\nbecause the modem'],
    ['in another case', 'THE TUNNEL NEEDS', 'The tunnel needs'],
    ['with other marks', 'modem’s PPPoE takes "twenty" - see', "modem's PPPoE takes “twenty” — see"],
    ['within quotes and dots of its own', '"The tunnel needs an MTU…"', 'The tunnel needs an **MTU**'],
    ['by the words of a link', 'see the DNS note and', 'see [[wiki/net/facts/dns|the DNS note]] and'],
    [
      'by the source of a link',
      '[[wiki/net/facts/dns|the DNS note]] and',
      '[[wiki/net/facts/dns|the DNS note]] and',
    ],
    [
      'ending in a link',
      'takes "twenty" — see the DNS',
      'takes “twenty” — see [[wiki/net/facts/dns|the DNS note]]',
    ],
    ['by the words of a Markdown link', 'and the manual.', 'and\n[the manual](https://example.org/a).'],
    ['in code', 'systemctl restart wg-quick@wg0', 'systemctl restart wg-quick@wg0'],
    ['from the middle of code', 'Restart it with systemctl', 'Restart it with `systemctl'],
    ['from emphasis on', 'MTU of 1380', '**MTU** of 1380'],
    ['as one long word', 'wg-quick@wg0`', null],
  ])('%s', (_, quote, place) => {
    expect(found(NOTE, quote)).toBe(place);
  });

  it('in scripts without spaces', () => {
    expect(found('トンネルのMTUは1380バイトです。', 'MTUは1380バイト')).toBe('MTUは1380バイト');
    expect(found('東京の天気は晴れ', '天気は')).toBe('天気は');
    expect(found('อุโมงค์ต้องใช้ค่า', 'ต้องใช้')).toBe('ต้องใช้');
  });

  it('beyond letters of several units', () => {
    expect(found('İstanbul’da 𝔘nicode 😀 büyük bir şehir', 'büyük bir şehir')).toBe('büyük bir şehir');
  });
});

describe('nothing is proved by', () => {
  it.each([
    ['a letter', 'T'],
    ['a word', 'tunnel'],
    ['two short words', 'an of'],
    ['punctuation', '—, “”'],
    ['nothing', ''],
    ['white space', '  \n '],
    ['an ellipsis', '…'],
    ['marks', '**'],
    ['words in another order', 'tunnel the needs an MTU'],
    ['words with something left out', 'The tunnel needs 1380 bytes'],
    ['a part of a word', 'he tunnel needs an'],
    ['a number that is cut', 'an MTU of 138'],
    ['what is not there', 'The tunnel needs an MTU of 1500 bytes'],
  ])('%s', (_, quote) => {
    expect(found(NOTE, quote)).toBeNull();
  });

  it('what is no word of its own anywhere, but finds the word of its own behind it', () => {
    expect(found('unable to start it', 'able to start it')).toBeNull();
    expect(found('unable to start it, then able to start it', 'able to start it')).toBe('able to start it');
  });

  it('a sum whose sign was dropped', () => {
    expect(found('it draws 2*3 W at rest', 'draws 23 W at rest')).toBeNull();
  });
});

const word = fc.constantFrom(
  'alpha',
  'Beta',
  '*',
  '**',
  '_',
  '`',
  '[[',
  ']]',
  '|',
  '[',
  ']',
  '(',
  ')',
  '—',
  '“',
  '…',
  '\n',
  ' ',
  '漢字',
  'é',
  '😀',
  '\u200b',
  "'",
);
const text = fc.array(word, { maxLength: 40 }).map((words) => words.join(''));

it('any stretch of whole words of a text is found where it stands, or before', () => {
  fc.assert(
    fc.property(text, fc.nat(), fc.nat(), (note, a, b) => {
      const [from, to] = [a % (note.length + 1), b % (note.length + 1)].sort((x, y) => x - y);
      const range = new Quotable(note).find(note.slice(from, to));
      if (range === null) return;
      expect(range.from).toBeLessThan(range.to);
      expect(range.to).toBeLessThanOrEqual(note.length);
    }),
    { numRuns: 2_000 },
  );
});

it('whatever is found says the same as the quote', () => {
  const words = (said: string) =>
    said
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.join('') ?? '';
  const plain = fc.array(fc.constantFrom('alpha ', 'beta ', '**', '\n', '_', '“', '漢字', '. '), {
    maxLength: 40,
  });
  fc.assert(
    fc.property(plain, plain, (a, b) => {
      const place = found(a.join(''), b.join(''));
      if (place !== null) expect(words(place)).toBe(words(b.join('')));
    }),
    { numRuns: 5_000 },
  );
});

it('takes linear time on hostile text', () => {
  const started = performance.now();
  for (const piece of ['a', '[[', '[a](', '[[a|', '*', '`', 'a ', ']](', '\u0301']) {
    const note = piece.repeat(Math.floor(100_000 / piece.length));
    new Quotable(note).find(note.slice(5, 900));
  }
  expect(performance.now() - started).toBeLessThan(5_000);
});
