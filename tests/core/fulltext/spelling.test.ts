import fc from 'fast-check';
import { isSpellingCandidate, nearestTerms, withinEdits } from '../../../src/core/fulltext/query';
import { dictionaryOf } from './packed-terms';

const VOCABULARY = [
  'wireguard',
  'wire',
  'guard',
  'config',
  'configur',
  'kubernet',
  'mtu',
  'übung',
  'сервер',
  '1234',
  'brain_pg',
  '9fceb02d0ae5',
  'rtx4090',
  '20261124',
];

function near(word: string, letters: number, vocabulary: readonly string[], without = ''): string[] {
  const dictionary = dictionaryOf(vocabulary);
  const occurs = (number: number) => dictionary.text(number) !== without;
  if (!isSpellingCandidate(word, letters)) return [];
  return nearestTerms(word, letters, dictionary, occurs).map((number) => dictionary.text(number));
}

describe('nearestTerms', () => {
  it.each([
    ['a swapped pair', 'wiregaurd', ['wireguard']],
    ['a letter too many', 'guardd', ['guard']],
    ['a letter missing', 'gard', ['guard']],
    ['a wrong letter', 'guarg', ['guard']],
    ['another script', 'сервир', ['сервер']],
    ['two errors in a long word', 'wirguatd', []],
    ['two errors from nine letters', 'wierguadr', ['wireguard']],
    ['the nearest only', 'confi', ['config']],
    ['too short for an error', 'mtv', []],
    ['digits', '1235', []],
    ['an identifier', 'brain_pq', []],
    ['another model', 'rtx4091', []],
    ['the beginning of a word', 'kuber', []],
    ['nothing like it', 'zzzzz', []],
  ])('finds %s', (_, word, expected) => {
    expect(near(word, word.length, VOCABULARY)).toEqual(expected);
  });

  it('counts the letters as typed, not those that stemming left', () => {
    expect(near('kubrent', 'kubrentes'.length, ['kubernet'])).toEqual(['kubernet']);
    expect(near('kubrent', 'kubrent'.length, ['kubernet'])).toEqual([]);
  });

  it('passes over a term that no document holds any more', () => {
    expect(near('guardd', 6, ['guard', 'guarde'], 'guard')).toEqual(['guarde']);
  });

  it('finds what comparing with every term finds', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd', 'z'), minLength: 4, maxLength: 11 });
    fc.assert(
      fc.property(word, fc.uniqueArray(word, { maxLength: 30 }), (term, vocabulary) => {
        const edits = [1, 2].find((each) => vocabulary.some((other) => withinEdits(term, other, each)));
        const allowed = term.length >= 9 ? 2 : 1;
        const nearest =
          edits !== undefined && edits <= allowed
            ? vocabulary.filter((other) => withinEdits(term, other, edits))
            : [];
        expect(near(term, term.length, vocabulary).sort()).toEqual(nearest.sort());
      }),
      { numRuns: 2000 },
    );
  });
});

describe('withinEdits', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 7 });

  it('agrees with the textbook table of optimal string alignment', () => {
    fc.assert(
      fc.property(word, word, fc.integer({ min: 0, max: 2 }), (a, b, edits) => {
        expect(withinEdits(a, b, edits)).toBe(distance(a, b) <= edits);
      }),
      { numRuns: 2000 },
    );
  });

  function distance(a: string, b: string): number {
    const table = Array.from({ length: a.length + 1 }, (_, i) => [i]);
    const at = (i: number, j: number) => table[i]?.[j] ?? Infinity;
    for (let j = 0; j <= b.length; j += 1) table[0]?.splice(j, 1, j);
    for (let i = 1; i <= a.length; i += 1) {
      for (let j = 1; j <= b.length; j += 1) {
        const cost = a[i - 1] === b[j - 1] ? 0 : 1;
        const swap =
          i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(i - 2, j - 2) + 1 : Infinity;
        table[i]?.splice(j, 1, Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + cost, swap));
      }
    }
    return at(a.length, b.length);
  }
});
