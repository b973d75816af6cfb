import * as fc from 'fast-check';
import { cutExcerpt, leadExcerpt } from '../../../src/core/base/text';

describe('leadExcerpt', () => {
  it.each([
    ['short text', undefined, 'short text'],
    ['', ' a \n description ', 'a description'],
    ['', ['no'], ''],
    ['prose', 'description', 'prose'],
    ['x'.repeat(240), undefined, 'x'.repeat(240)],
    ['x'.repeat(241), undefined, `${'x'.repeat(239)}…`],
    [`${'word '.repeat(60)}end`, undefined, `${'word '.repeat(48).trimEnd()}…`],
    ['東'.repeat(300), undefined, `${'東'.repeat(239)}…`],
    ['😀'.repeat(240), undefined, '😀'.repeat(240)],
    ['😀'.repeat(241), undefined, `${'😀'.repeat(239)}…`],
  ])('of %j and %j is %j', (plain, description, excerpt) => {
    expect(leadExcerpt(plain, description)).toBe(excerpt);
  });
});

describe('cutExcerpt', () => {
  it.each([
    ['one two three four', 0, 40, 'one two three four'],
    ['one two three four', 6, 40, '…two three four'],
    ['one two three four', 4, 10, '…two…'],
    ['one two three four', 0, 8, 'one two…'],
    ['one two three four', 99, 40, '…four'],
    ['東京天気予報東京天気予報東京天気予報東京天気予報東京', 25, 6, '…京'],
    ['', 5, 10, ''],
  ])('of %j at %d, at most %d, is %j', (plain, start, max, excerpt) => {
    expect(cutExcerpt(plain, start, max)).toBe(excerpt);
  });

  it('holds a part of the text, within the limit, whole characters only', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', 'word', ' ', '東', '😀', 'ß', 'longer-word-than-most '), {
          maxLength: 80,
        }),
        fc.nat(200),
        fc.integer({ min: 3, max: 60 }),
        (parts, start, max) => {
          const plain = parts.join('').trim();
          const excerpt = cutExcerpt(plain, start, max);
          expect(Array.from(excerpt).length).toBeLessThanOrEqual(max);
          expect(plain).toContain(excerpt.replace(/^…|…$/g, ''));
          expect(excerpt).not.toMatch(/\p{Surrogate}/u);
          expect(excerpt.endsWith('…')).toBe(!plain.endsWith(excerpt.replace(/^…/, '')) || excerpt === '…');
        },
      ),
      { numRuns: 1000 },
    );
  });
});
