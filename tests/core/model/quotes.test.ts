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
    ['as a name with a digit', 'wg-quick@wg0`', 'wg-quick@wg0'],
    ['as two words', 'the modem', 'the modem'],
    ['as a number', '1380', '1380'],
    ['as a number and its unit', 'of 1380 bytes', 'of 1380 bytes'],
  ])('%s', (_, quote, place) => {
    expect(found(NOTE, quote)).toBe(place);
  });

  it('in scripts without spaces', () => {
    expect(found('トンネルのMTUは1380バイトです。', 'MTUは1380バイトです')).toBe('MTUは1380バイトです');
    expect(found('東京の天気は晴れ、気温は二十度です。', '天気は晴れ、気温')).toBe('天気は晴れ、気温');
    expect(found('อุโมงค์ต้องใช้ค่าสูง', 'ต้องใช้ค่าสูง')).toBe('ต้องใช้ค่าสูง');
  });

  const OTHERS =
    'Use systemd-resolved and max_connections of docs.example, v2 on port 53, in Hochgeschwindigkeitsnetzen.';
  it.each(['systemd-resolved', 'max_connections', 'docs.example', 'v2', '53', 'Hochgeschwindigkeitsnetzen'])(
    'as one word that says enough: %s',
    (quote) => {
      expect(found(OTHERS, quote)).toBe(quote);
    },
  );

  it('beyond letters of several units', () => {
    expect(found('İstanbul’da 𝔘nicode 😀 çok büyük bir şehir', 'çok büyük bir şehir')).toBe(
      'çok büyük bir şehir',
    );
  });
});

describe('a short quote is found where it is all that is said', () => {
  const LINES = `# Tunnel limits

It works
and is up. Ask Ann of
it all.

- Port: 5335
- [x] Ask Ann
3. Ask Bob
- Ask Carl
  about it
> Ask Dora

| MTU | 9000 |
|---|---|

## [[wiki/a|Ask Eve]]
**Ask Fay.**

東京天

天気は、天気
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
    ['a paragraph without spaces', '東京天', '東京天'],
  ])('%s', (_, quote, place) => {
    expect(found(LINES, quote)).toBe(place);
  });

  it.each([
    ['the first line of a paragraph', 'It works'],
    ['the last line of a paragraph', 'it all.'],
    ['a line of an item', 'Ask Carl'],
    ['the end of an item', 'about it'],
    ['a part of a line', 'up. Ask'],
    ['a word, whatever it is all of', 'up'],
    ['a part of a line without spaces', '天気は'],
  ])('but not %s', (_, quote) => {
    expect(found(LINES, quote)).toBeNull();
  });

  it('and of several places it is that one', () => {
    const note = 'Ask Ann, says a voice.\n\nAsk Ann.\n\nAsk Ann, it says.';
    expect(new Quotable(note).find('Ask Ann')).toEqual({ from: 24, to: 31 });
  });
});

describe('nothing is proved by', () => {
  it.each(['it is in the', 'and so on with', 'the', 'of the', "that's what it's", 'WireGuard', 'a'])(
    'what stands there and says nothing: %s',
    (quote) => {
      const note = "WireGuard: it is in the end of the list and so on with a rest, that's what it's for.";
      expect(note).toContain(quote);
      expect(found(note, quote)).toBeNull();
    },
  );

  it.each([
    ['1,420 bytes are needed', '420 bytes'],
    ['from version 1.2.3 on', 'version 1.2'],
    ['it began at 10:30', 'began at 10'],
    ['it began at 10:30', '30'],
    ['all of 1380 bytes', '138'],
  ])('a number that is cut: of "%s" "%s"', (note, quote) => {
    expect(found(note, quote)).toBeNull();
  });

  it.each([
    ['a letter', 'T'],
    ['a word', 'tunnel'],
    ['two short words', 'an of'],
    ['a word that is a name', 'PPPoE'],
    ['words of few letters', 'an MTU of'],
    ['words of grammar alone', 'it is so as of the'],
    ['a digit', '8'],
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

it('what holds a number, and two words that are no grammar, are found wherever they stand whole', () => {
  const before = fc.constantFrom('', 'It said ', 'The ', '- ', '**a** ');
  const after = fc.constantFrom('', '.', ', it said', ' and more', '\n\nMore');
  const said = fc.oneof(
    fc.nat({ max: 99_999 }).map((number) => `${number + 10}`),
    fc.tuple(fc.nat({ max: 99 }), fc.nat({ max: 99 })).map(([a, b]) => `v${a}.${b}`),
    fc.array(fc.constantFrom('tunnel', 'router', 'needs', 'packets'), { minLength: 2, maxLength: 3 }),
  );
  fc.assert(
    fc.property(before, said, after, (lead, quote, rest) => {
      const text = Array.isArray(quote) ? quote.join(' ') : quote;
      expect(found(`${lead}${text}${rest}`, text)).toBe(text);
    }),
  );
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
