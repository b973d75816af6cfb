import fc from 'fast-check';
import { Analyser } from '../../../src/core/search/analyse';
import { excerptSteps } from '../../../src/core/search/excerpt-window';
import { finish } from '../../../src/core/steps';

const analyser = new Analyser();
const filler = (words: number) => 'lorem ipsum dolor sit amet '.repeat(words / 5);

function excerpt(plain: string, terms: Readonly<Record<string, number>>): string | null {
  return finish(excerptSteps(plain, new Map(Object.entries(terms)), analyser));
}

describe('an excerpt', () => {
  it('shows a short note whole', () => {
    expect(excerpt('The kettle is in the kitchen.', { kettl: 1 })).toBe('The kettle is in the kitchen.');
  });

  it('shows the beginning when what was found is there', () => {
    const shown = excerpt(`The kettle is here. ${filler(200)}`, { kettl: 1 });
    expect(shown).toMatch(/^The kettle is here\. lorem.*…$/);
  });

  it('shows the place where the most telling terms stand together', () => {
    const plain = `${filler(100)} a kettle ${filler(100)} descale the kettle with vinegar ${filler(100)}`;
    const shown = excerpt(plain, { kettl: 1, descal: 3, vinegar: 3 });
    expect(shown).toMatch(/^….*descale the kettle with vinegar.*…$/);
  });

  it('prefers one rare term to a frequent one repeated', () => {
    const plain = `${filler(100)} kettle kettle kettle ${filler(100)} vinegar ${filler(100)}`;
    expect(excerpt(plain, { kettl: 1, vinegar: 2 })).toContain('vinegar');
  });

  it('prefers the earliest of equal places', () => {
    const plain = `${filler(100)} first kettle ${filler(100)} second kettle ${filler(100)}`;
    expect(excerpt(plain, { kettl: 1 })).toContain('first kettle');
  });

  it('shows how the sentence goes before the first word found', () => {
    const plain = `${filler(100)} whoever owns a kettle ${filler(100)}`;
    expect(excerpt(plain, { kettl: 1 })).toContain('whoever owns a kettle');
  });

  it('finds words in scripts without spaces', () => {
    const plain = `${'あいうえお'.repeat(100)}東京の天気は晴れです${'かきくけこ'.repeat(100)}`;
    expect(excerpt(plain, { 東京: 1, 天気: 1 })).toContain('東京の天気');
  });

  it.each([
    ['nothing in the prose', 'The kettle.', { vinegar: 1 }],
    ['no prose', '', { vinegar: 1 }],
    ['no terms', 'The kettle.', {}],
  ])('shows nothing for %s', (_, plain, terms) => {
    expect(excerpt(plain, terms)).toBeNull();
  });

  it('never shows more than 240 code points', () => {
    const plain = `${'𝒜'.repeat(300)} kettle ${'𝒜 '.repeat(300)} vinegar ${'é'.repeat(5000)}`;
    for (const terms of [{ kettl: 1 }, { vinegar: 1 }, { kettl: 1, vinegar: 1 }]) {
      expect(Array.from(excerpt(plain, terms) ?? '').length).toBeLessThanOrEqual(240);
    }
  });

  it('shows what stands far back in a long note, whole, wherever that is', () => {
    for (let words = 100_000; words < 100_040; words += 5) {
      const shown = excerpt(`${filler(words)} the very kettle of ours ${filler(500)}`, { kettl: 1 });
      expect(shown).toContain('the very kettle of ours');
    }
  });

  it('takes no more steps than it needs to find everything', () => {
    const steps = (plain: string) => {
      let count = 0;
      for (const _ of excerptSteps(plain, new Map([['kettl', 1]]), analyser)) count += 1;
      return count;
    };
    expect(steps(`kettle ${filler(200_000)}`)).toBe(1);
    expect(steps(`${filler(200_000)} kettle`)).toBeGreaterThan(60);
  });

  it('is quick on a megabyte that holds the term everywhere', () => {
    expect(excerpt('kettle '.repeat(150_000), { kettl: 1 })).toContain('kettle');
  });

  it('shows at least as much as the best window of its length holds', () => {
    const idf: Readonly<Record<string, number>> = { kettl: 1, vinegar: 2, spout: 4 };
    const worth = (text: string) =>
      [...new Set(analyser.all(text))].reduce((sum, term) => sum + (idf[term] ?? 0), 0);
    const word = fc.oneof(
      { weight: 12, arbitrary: fc.constant('lorem') },
      fc.constantFrom('kettle', 'vinegar', 'spout'),
    );
    fc.assert(
      fc.property(fc.array(word, { maxLength: 150 }), (words) => {
        const plain = words.join(' ');
        // Any run of words that leaves room for an ellipsis at both ends.
        const starts = words.map((_, n) => words.slice(0, n).join(' ').length + (n > 0 ? 1 : 0));
        const best = Math.max(
          0,
          ...starts.map((start) => worth(plain.slice(start, start + 239).replace(/ \S*$/, ''))),
        );
        expect(worth(excerpt(plain, idf) ?? '')).toBeGreaterThanOrEqual(best);
      }),
      { numRuns: 1000 },
    );
  });
});
