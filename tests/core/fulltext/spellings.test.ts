import fc from 'fast-check';
import { finish } from '../../../src/core/base/steps';
import { excerptSteps } from '../../../src/core/fulltext/best-window';
import { quotedPhrases } from '../../../src/core/fulltext/query-phrases';
import { SearchIndex } from '../../../src/core/fulltext/search-index';
import { eachWord } from '../../../src/core/fulltext/words';

interface Doc {
  readonly path: string;
  readonly text: string;
}

function found(text: string, query: string, other = 'nothing of the kind'): boolean {
  const index = new SearchIndex<Doc>();
  for (const each of [
    { path: 'own', text },
    { path: 'other', text: other },
  ])
    index.put(each, index.prepare([{ kind: 'text', text: each.text }]));
  return index.search(query, { limit: 5 }).some(({ item }) => item.path === 'own');
}

function excerptOf(text: string, query: string): string | null {
  const index = new SearchIndex<Doc>();
  index.put({ path: 'own', text }, index.prepare([{ kind: 'text', text }]));
  const [hit] = index.search(query, { limit: 1 });
  if (hit === undefined) return null;
  const phrases = quotedPhrases(query, index.analyser);
  return finish(excerptSteps(text, { terms: hit.terms, phrases }, index.analyser));
}

/** Ways of writing one thing, each of which finds all others. */
const SAME: readonly (readonly [string, ...string[]])[] = [
  ['👍', '👍🏽', '👍🏿'],
  ['❤️', '❤'],
  ['🤷', '🤷‍♂️', '🤷🏽‍♀️'],
  ['RFC2616', 'RFC 2616', 'rfc-2616'],
  ['ISO9001', 'ISO 9001'],
  ['10km', '10 km'],
  ['978-3-16-148410-0', '9783161484100', '978 3 16 148410 0', '978-3161484100'],
  ['0-306-40615-X', '030640615X'],
  [
    '030123456',
    '030/123456',
    '(030) 123-456',
    '030 12 34 56',
    '030 / 123456',
    '+49 30 123456',
    '0049 30 123456',
  ],
  ['+44 20 7946 0958', '020 7946 0958', '+44 (0)20 7946 0958', '(020) 7946-0958', '+442079460958'],
  ['(555) 123-4567', '555-123-4567', '555 123 4567', '+1 555 123 4567', '5551234567'],
  ['1299', '$1,299.00', '1.299,00 €', '1 299', '1\u202f299', "1'299.00"],
  ['1250000', '1,250,000', '1.250.000,50', '1 250 000'],
  ['Müller', 'Mueller', 'MÜLLER', 'Mu\u0308ller', 'MUELLER'],
  ['Straße', 'Strasse', 'STRASSE'],
  ['Größe', 'Groesse'],
  ['الكتاب', 'كتاب', 'والكتاب', 'بالكتاب', 'للكتاب', 'كِتاب'],
  ['أحمد', 'احمد'],
  ['مدرسة', 'المدرسه'],
  ['٢٠٢٤', '2024', '۲۰۲۴'],
];

const pairs = SAME.flatMap((ways) =>
  ways.flatMap((text) => ways.filter((query) => query !== text).map((query) => [query, text] as const)),
).filter(([query, text]) => !isUnknowable(query, text));

/** Without a sign after it, nothing tells where a country code ends. */
function isUnknowable(...numbers: readonly string[]): boolean {
  return numbers.includes('+442079460958') && !numbers.some((each) => each.startsWith('+44 '));
}

describe('a search', () => {
  it.each(pairs)('for %s finds %s, as a word and as a phrase', (query, text) => {
    expect(found(`before ${text} after`, query)).toBe(true);
    expect(found(`before ${text} after`, `"${query}"`)).toBe(true);
    expect(found(`before ${text} after`, `"before ${query} after"`)).toBe(true);
  });

  it.each([
    ['neue', 'eine nu Sache'],
    ['blue', 'blu'],
    ['poet', 'the pot'],
    ['Israel', 'isral'],
    ['👎', 'fine 👍'],
    ['1299', '12 99'],
    ['1299', '1,2,9,9'],
    ['20261120', '2026-11-20'],
    ['12', '1.2'],
    ['19216811', '192.168.1.1'],
  ])('for %s does not find %s', (query, text) => {
    // A word that occurs somewhere stands for no similar one.
    expect(found(text, query, query)).toBe(false);
  });

  it.each([
    ['1299', '1299.00'],
    ['$1,299.00', '1299.00'],
    ['1299.50', '1.299,50 €'],
  ])('for %s finds the plain %s', (query, text) => {
    expect(found(text, query)).toBe(true);
    expect(found(query, text)).toBe(true);
  });

  it('does not find the halves of a name where they are far from each other', () => {
    expect(found('RFC and then 2616', '"RFC2616"')).toBe(false);
  });

  it.each([
    ['RFC2616', 'RFC 2616'],
    ['9783161484100', '978-3-16-148410-0'],
    ['1299', '1.299,00 €'],
    ['👍', '👍🏽'],
    ['Mueller', 'Müller'],
    ['"call 030123456 now"', 'call (030) 123-456 now'],
  ])('for %s shows %s', (query, text) => {
    const filler = 'lorem ipsum dolor sit amet consetetur '.repeat(40);
    expect(excerptOf(`${filler}${text} ${filler}`, query)).toContain(text);
  });

  it('for any word of a text finds the text', () => {
    const piece = fc.constantFrom(
      ...[
        '👍',
        '🏽',
        '\u200d',
        '🇩',
        '🇪',
        '❤',
        '\ufe0f',
        'Mü',
        'ae',
        'ß',
        'ال',
        'كتاب',
        'RFC',
        '26',
        '030',
        '978',
      ],
      ...['+49', '1', '299', ',', '.', '-', '/', '(', ')', ' ', ' ', 'x', '東京'],
    );
    const texts = fc.array(piece, { minLength: 1, maxLength: 14 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(texts, (text) => {
        eachWord(text, (from, to) => expect(found(text, text.slice(from, to))).toBe(true));
      }),
      { numRuns: 500 },
    );
  });

  it('for a number with or without separators finds the other', () => {
    const groups = fc.array(fc.integer({ min: 100, max: 999 }).map(String), { minLength: 2, maxLength: 3 });
    const gap = fc.constantFrom(' ', '-', '/', ' / ', '.', ' - ');
    fc.assert(
      fc.property(groups, gap, (sizes, between) => {
        const written = ['0301', ...sizes].join(between);
        const digits = written.replace(/\D/g, '');
        expect([found(`Tel. ${written}, daily`, digits), found(`Tel. ${digits}, daily`, written)]).toEqual([
          true,
          true,
        ]);
      }),
    );
    fc.assert(
      fc.property(
        fc.integer({ min: 1000, max: 999_999_999 }),
        fc.constantFrom('en', 'de', 'fr'),
        (amount, locale) => {
          const written = amount.toLocaleString(locale);
          expect([found(`for ${written}!`, String(amount)), found(`for ${amount}!`, written)]).toEqual([
            true,
            true,
          ]);
        },
      ),
    );
  });
});
