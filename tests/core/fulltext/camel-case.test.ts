import fc from 'fast-check';
import { humpsOf } from '../../../src/core/fulltext/terms';

/** The rule as expressions say it: a capital begins a part after a small letter, and before one after another capital. */
function byExpressions(word: string): string[] {
  const humps = word
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .split(' ');
  return humps.length > 1 ? [...humps, word] : [word];
}

describe('humps', () => {
  it.each([
    ['prixÉlevé', ['prix', 'Élevé', 'prixÉlevé']],
    ['ÉTATCivil', ['ÉTAT', 'Civil', 'ÉTATCivil']],
    ['Élan', ['Élan']],
    ['ÉTAT', ['ÉTAT']],
    ['πΔ', ['π', 'Δ', 'πΔ']],
    ['𐐨𐐀', ['𐐨', '𐐀', '𐐨𐐀']],
    ['漢字', ['漢字']],
    ['', ['']],
  ])('of %s', (word, humps) => {
    expect(humpsOf(word)).toEqual(humps);
  });

  it('are where expressions find them', () => {
    const letter = fc.constantFrom(...'aéßπдﬁ', ...'AÉΔДǅ', ...'1漢ʰ-', '𐐨', '𐐀', '𝐀', '\ud801');
    fc.assert(
      fc.property(fc.string({ unit: letter, maxLength: 12 }), (word) => {
        expect(humpsOf(word)).toEqual(byExpressions(word));
      }),
      { numRuns: 2000 },
    );
  });
});
