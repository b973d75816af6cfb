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
    ['in another case', 'THE TUNNEL NEEDS AN', 'The tunnel needs an'],
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
    [
      'by the words of a Markdown link',
      'DNS note and the manual.',
      '[[wiki/net/facts/dns|the DNS note]] and\n[the manual](https://example.org/a).',
    ],
    ['in code', 'systemctl restart wg-quick@wg0', 'systemctl restart wg-quick@wg0'],
    ['from the middle of code', 'Restart it with systemctl', 'Restart it with `systemctl'],
    ['from emphasis on', 'MTU of 1380 bytes', '**MTU** of 1380 bytes'],
    ['as one long word', 'wg-quick@wg0`', null],
  ])('%s', (_, quote, place) => {
    expect(found(NOTE, quote)).toBe(place);
  });

  it('in scripts without spaces', () => {
    expect(found('トンネルのMTUは1380バイトです。', 'MTUは1380バイトです')).toBe('MTUは1380バイトです');
    expect(found('東京の天気は晴れ、気温は二十度です。', '天気は晴れ、気温')).toBe('天気は晴れ、気温');
    expect(found('อุโมงค์ต้องใช้ค่าสูง', 'ต้องใช้ค่าสูง')).toBe('ต้องใช้ค่าสูง');
  });

  it('beyond letters of several units', () => {
    expect(found('İstanbul’da 𝔘nicode 😀 çok büyük bir şehir', 'çok büyük bir şehir')).toBe(
      'çok büyük bir şehir',
    );
  });
});

describe('a short quote is found where it is all that is said', () => {
  const LINES = `# Tunnel limits

The tunnel
is up. Ask Ann about
the tunnel.

- Port: 5335
- [x] Ask Ann
3. Ask Bob
- Ask Carl
  about the tunnel
> Ask Dora

| MTU | 9000 |
|---|---|

## [[wiki/a|Ask Eve]]
**Ask Fay.**

東京の天気

天気は晴れ、天気
`;

  it.each([
    ['a heading', 'Tunnel limits', 'Tunnel limits'],
    ['an item', 'Port: 5335', 'Port: 5335'],
    ['a task', 'Ask Ann', 'Ask Ann'],
    ['a numbered item', 'Ask Bob', 'Ask Bob'],
    ['a quotation', 'Ask Dora', 'Ask Dora'],
    ['a row', 'MTU | 9000', 'MTU | 9000'],
    ['a link', 'Ask Eve', '[[wiki/a|Ask Eve]]'],
    ['a paragraph under a heading', 'ask fay', 'Ask Fay'],
    ['a paragraph without spaces', '東京の天気', '東京の天気'],
  ])('%s', (_, quote, place) => {
    expect(found(LINES, quote)).toBe(place);
  });

  it.each([
    ['the first line of a paragraph', 'The tunnel'],
    ['the last line of a paragraph', 'the tunnel.'],
    ['a line of an item', 'Ask Carl'],
    ['the end of an item', 'about the tunnel'],
    ['a part of a line', 'Ask Ann about'],
    ['a word, whatever it is all of', 'up'],
    ['a part of a line without spaces', '天気は晴れ'],
  ])('but not %s', (_, quote) => {
    expect(found(LINES, quote)).toBeNull();
  });

  it('and of several places it is that one', () => {
    const note = 'Mind the gap, says a voice.\n\nMind the gap.\n\nMind the gap, it says.';
    expect(new Quotable(note).find('Mind the gap')).toEqual({ from: 29, to: 41 });
  });
});

describe('nothing is proved by', () => {
  it.each([
    ['a letter', 'T'],
    ['a word', 'tunnel'],
    ['two short words', 'an of'],
    ['two words', 'The tunnel'],
    ['three words', 'The tunnel needs'],
    ['words of grammar alone', 'it as of the'],
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
    new Quotable(`${note}\n\nx`).find('a a a a');
  }
  for (const piece of ['[[a|an offer]]\nx ', 'an offer ', '- an offer\n  x\n', '\nan offer\n.\n']) {
    const note = piece.repeat(Math.floor(100_000 / piece.length));
    expect(new Quotable(`x\n${note}y`).find('an offer')).toBeNull();
  }
  expect(performance.now() - started).toBeLessThan(5_000);
});
