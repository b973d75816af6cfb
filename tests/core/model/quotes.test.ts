import fc from 'fast-check';
import { Quotable } from '../../../src/core/model/quotes';
import { cpuMs } from '../../support/cpu';

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

describe('a quote is found in another normal form', () => {
  const both = (text: string) => [text.normalize('NFC'), text.normalize('NFD')] as const;

  it.each([
    ['German', 'Die Größe von Vorzürbel ist groß.', 'Größe von Vorzürbel'],
    ['French, in other letters', 'Le café «déjà vu» est très près.', 'CAFÉ "DÉJÀ VU" EST'],
    ['Vietnamese', 'Đây là tiếng Việt rất đẹp.', 'tiếng Việt rất'],
    ['Korean', '터널의 MTU는 매우 작습니다.', '터널의 MTU는 매우'],
    ['Japanese', 'これはガギグゲゴのパピプです。', 'ガギグゲゴのパピプ'],
    ['Turkish', 'İstanbul büyük bir şehir.', 'İstanbul büyük'],
    ['a sign', 'The resistor of 30 \u2126 is hot.', 'resistor of 30 \u2126'],
  ])('%s', (_, note, quote) => {
    for (const text of both(note)) {
      for (const said of both(quote)) {
        const place = found(text, said);
        expect(place?.normalize('NFC').toLowerCase().replace(/[«»]/g, '"')).toBe(
          quote.normalize('NFC').toLowerCase(),
        );
        expect(text).toContain(place);
      }
    }
  });

  it.each([
    ['a letter without its mark', 'The old cafe\u0301', 'The old cafe'],
    ['a letter with one of two marks', 'the number x\u0323\u0301', 'the number x\u0323'],
    ['a syllable without its end', '매우 작은 가\u11a8', '매우 작은 가'],
    ['an old syllable without its vowel', '매우 작은 \u1100\u119e', '매우 작은 \u1100'],
    ['a kana without its voice', 'これはか\u3099', 'これはか'],
    ['a kana that is composed without its voice', 'これはが', 'これはか'],
    ['Thai without its tone', 'ต้องใช้ค่\u0e32สูงที่', 'ต้องใช้ค'],
    ['a mark without its letter', 'x\u0301 of the tunnel', '\u0301 of the tunnel'],
  ])('but not %s', (_, note, quote) => {
    for (const text of both(note)) for (const said of both(quote)) expect(found(text, said)).toBeNull();
  });

  it('with what belongs to its last character', () => {
    expect(found('My router 7 \u2764\ufe0f, so', 'router 7 \u2764')).toBe('router 7 \u2764\ufe0f');
  });

  it('of a name whose underscore follows a mark', () => {
    const [composed, decomposed] = both('the setting größé_max of it');
    expect(found(composed, decomposed)).toBe(composed);
    expect(found(decomposed, composed)).toBe(decomposed);
  });

  it('as any stretch of whole words, exactly as it stands', () => {
    const letter = fc.constantFrom(
      ...'aeEoOsßxüÜéṩǖİΣ각값뷁がバคดั가ქй漢'.split(''),
      ...['e\u0301', 'x\u0323\u0301', 'x\u0301\u0323', 'u\u0308\u0304', '\u1100\u1161\u11a8', '\u1100\u119e'],
      ...['\u0915\u093c', '\u0958', '\u09c7\u09be', '\u212b', '\u{2f800}', '\u{1d15e}', '=\u0338', '\u0344'],
    );
    const word = fc.array(letter, { minLength: 1, maxLength: 6 }).map((letters) => `w1${letters.join('')}`);
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 12 }), fc.nat(), fc.nat(), (words, a, b) => {
        // Each word once, so that the first place is the one it was cut from.
        const own = words.map((each, index) => `${index + 10}q${each}`);
        const [first, last] = [a % own.length, b % own.length].sort((x, y) => x - y);
        const slice = own.slice(first, (last ?? 0) + 1).join(' ');
        const note = own.join(' ');
        for (const quote of [slice, ...both(slice)]) expect(found(note, quote)).toBe(slice);
        for (const text of both(note)) {
          const place = found(text, slice);
          expect(place?.normalize('NFC')).toBe(slice.normalize('NFC'));
          expect(text).toContain(place);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('and any stretch of whole characters of a script without spaces', () => {
    const letter = fc.constantFrom(
      ...'漢字がパ각값한국어ดันกำ'.split(''),
      '\u304b\u3099',
      '\u1112\u1161\u11ab',
    );
    const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
    fc.assert(
      fc.property(fc.array(letter, { minLength: 12, maxLength: 40 }), fc.nat(), fc.nat(), (letters, a, b) => {
        const note = letters.join('');
        const cut = Array.from(graphemes.segment(note), ({ segment }) => segment);
        const [from, to] = [a % cut.length, b % cut.length].sort((x, y) => x - y);
        const slice = cut.slice(from, to).join('');
        fc.pre(!/^\u0e33|\p{M}/u.test(slice[0] ?? ''));
        const exact = found(note, slice);
        for (const quote of both(slice)) expect(found(note, quote)).toBe(exact);
        if (exact !== null) expect(exact.normalize('NFC')).toBe(slice.normalize('NFC'));
      }),
      { numRuns: 2_000 },
    );
  });
});

it('a long quote is found as a whole, or not at all', () => {
  const note = Array.from({ length: 120 }, (_, n) => `The tunnel number ${n} needs ${1300 + n} bytes.`).join(
    '\n',
  );
  const slice = note.slice(0, note.indexOf('The tunnel number 110'));
  expect(slice.length).toBeGreaterThan(4_000);
  expect(found(note, slice.replaceAll('\n', ' '))).toBe(slice.trim());
  expect(found(note, `${slice.replaceAll('\n', ' ')} The moon is far.`)).toBeNull();
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
  const started = cpuMs();
  for (const piece of ['a', '[[', '[a](', '[[a|', '*', '`', 'a ', ']](', '\u0301']) {
    const note = piece.repeat(Math.floor(100_000 / piece.length));
    new Quotable(note).find(note.slice(5, 900));
    new Quotable(`${note}\n\nx`).find('a a a a');
    new Quotable(note).find(`${note.slice(0, 6_000)}b`);
  }
  for (const piece of ['[[a|an offer]]\nx ', 'an offer ', '- an offer\n  x\n', '\nan offer\n.\n']) {
    const note = piece.repeat(Math.floor(100_000 / piece.length));
    expect(new Quotable(`x\n${note}y`).find('an offer')).toBeNull();
  }
  // Marks whose order has to be found.
  new Quotable(`a${'\u0301'.repeat(100_000)}${'\u0316'.repeat(100_000)}`).find('of a tunnel');
  expect(cpuMs() - started).toBeLessThan(20_000);
});
