import * as fc from 'fast-check';
import { Analyser } from '../../../src/core/fulltext/terms';
import { markWords } from '../../../src/ui/found/result-row';

const drawn = (excerpt: string, ...terms: string[]) =>
  markWords(excerpt, terms)
    .map(({ text, found }) => (found ? `[${text}]` : text))
    .join('');

it.each([
  [
    'The handshake completes, handshakes fail.',
    ['handshak'],
    'The [handshake] completes, [handshakes] fail.',
  ],
  ['MTU of 1412', ['mtu'], '[MTU] of 1412'],
  ['the trashFile call', ['file'], 'the [trashFile] call'],
  ['pg_upgrade twice', ['pg', 'upgrad'], '[pg_upgrade] twice'],
  ['nothing here', ['mtu'], 'nothing here'],
  ['東京都の天気', ['京都'], '東[京都]の天気'],
  ['東京都の天気', ['東京', '京都'], '[東京都]の天気'],
  ['<img src=x onerror=mtu>', ['mtu'], '<img src=x onerror=[mtu]>'],
  ['', ['mtu'], ''],
])('%j for %j', (excerpt, terms, expected) => {
  expect(drawn(excerpt, ...terms)).toBe(expected);
});

it('keeps the excerpt letter for letter, and marks something when it has a term', () => {
  const analyser = new Analyser();
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.nat(), (excerpt, pick) => {
      const terms = analyser.all(excerpt);
      const term = terms[pick % Math.max(terms.length, 1)];
      const parts = markWords(excerpt, term === undefined ? [] : [term]);
      expect(parts.map(({ text }) => text).join('')).toBe(excerpt);
      expect(parts.some(({ found }) => found)).toBe(term !== undefined);
    }),
  );
});
