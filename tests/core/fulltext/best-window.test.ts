import fc from 'fast-check';
import { finish } from '../../../src/core/base/steps';
import { excerptSteps, PhrasePlaces, Windows } from '../../../src/core/fulltext/best-window';
import { quotedPhrases } from '../../../src/core/fulltext/query-phrases';
import { Analyser } from '../../../src/core/fulltext/terms';

const analyser = new Analyser();
const filler = (words: number) => 'lorem ipsum dolor sit amet '.repeat(words / 5);

function excerpt(
  plain: string,
  terms: Readonly<Record<string, number>>,
  phrases: readonly string[] = [],
): string | null {
  const wanted = {
    terms: new Map(Object.entries(terms)),
    phrases: quotedPhrases(phrases.map((each) => `"${each}"`).join(' '), analyser),
  };
  return finish(excerptSteps(plain, wanted, analyser));
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

  it.each([
    ['a phrase', ['descale the kettle']],
    ['several', ['the kettle with', 'with vinegar']],
    ['one of several, when another stands in no prose', ['kettle with vinegar', 'vinegar and kettle']],
  ])('shows where %s stands word for word, not where its words stand first', (_, phrases) => {
    const plain = `${filler(100)} vinegar, kettle: descale ${filler(100)} descale the kettle with vinegar ${filler(100)}`;
    expect(excerpt(plain, { kettl: 1, descal: 3, vinegar: 3 }, phrases)).toContain(
      'descale the kettle with vinegar',
    );
    expect(excerpt(plain, { kettl: 1, descal: 3, vinegar: 3 })).toContain('vinegar, kettle: descale');
  });

  it('cuts off no phrase for a word behind it', () => {
    for (let gap = 30; gap < 45; gap += 1) {
      const text = `${filler(100)} descale the kettle ${'dolor '.repeat(gap)} vinegar ${filler(100)}`;
      expect(excerpt(text, { kettl: 1, descal: 1, vinegar: 3 }, ['descale the kettle'])).toContain(
        'descale the kettle',
      );
    }
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
      for (const _ of excerptSteps(plain, { terms: new Map([['kettl', 1]]) }, analyser)) count += 1;
      return count;
    };
    expect(steps(`kettle ${filler(200_000)}`)).toBe(1);
    expect(steps(`${filler(200_000)} kettle`)).toBeGreaterThan(480);
  });

  it.each([4096, 16_384])('finds a pair of characters over a border at %i', (border) => {
    for (let off = -4; off <= 4; off += 1) {
      const plain = `${'あ'.repeat(border + off)}図書館の鍵${'い'.repeat(20_000)}`;
      for (const term of ['図書', '書館', 'の鍵'])
        expect(excerpt(plain, { [term]: 1 })).toContain('図書館の鍵');
      const marked = `${'あ'.repeat(border + off)}か\u3099き\u3099${'い'.repeat(20_000)}`;
      expect(excerpt(marked, { がぎ: 1 })).toContain('か\u3099き\u3099');
      const whole = `${'x '.repeat(border / 2 + off)}BRAIN_PG_DSN ${'い'.repeat(20_000)}`;
      expect(excerpt(whole, { brainpgdsn: 1 })).toContain('BRAIN_PG_DSN');
    }
  });

  it('is the same however small the steps are', () => {
    const part = fc.oneof(
      {
        weight: 3,
        arbitrary: fc.constantFrom(' ', '\n', '-', '.', '_', '\u00ad', '\u0301', '\u3099', '\ud83d'),
      },
      fc.constantFrom(
        'kettle',
        'vinegar',
        'Ponies',
        'days',
        'ayed',
        'Y',
        "don't",
        'c++',
        'v1.2',
        'BRAIN_PG_DSN',
        'x'.repeat(130),
        '-a'.repeat(90),
      ),
      fc.constantFrom(
        '図書館',
        'の',
        'か\u3099',
        'กุ้ง',
        '한국',
        '\u1100\u1161\u11a8',
        '𠮷野',
        `あ${'\u0301'.repeat(40)}`,
      ),
      fc.constantFrom('e\u0301', '👩‍👩‍👧', '𝔘', 'ﾊﾞ', '9'),
    );
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 200 }),
        fc.integer({ min: 1, max: 60 }),
        fc.nat(),
        (parts, step, pick) => {
          const plain = parts.join('');
          const sequence = analyser.all(plain);
          const all = [...new Set(sequence)];
          const wanted = sequence.slice(pick % (sequence.length + 1)).slice(0, 3);
          const phrases = quotedPhrases(`"${wanted.join(' ')}"`, analyser);
          const terms = new Map(
            all.filter((_, n) => (n + pick) % 7 === 0).map((term, n) => [term, 1 + (n % 3)]),
          );
          const inSteps = finish(excerptSteps(plain, { terms, phrases }, analyser, step));
          expect(inSteps).toBe(finish(excerptSteps(plain, { terms, phrases }, analyser, plain.length + 1)));
          for (const term of all) {
            const lone = new Map([[term, 1]]);
            expect(finish(excerptSteps(plain, { terms: lone }, analyser, step))).not.toBeNull();
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('holds no more of what was found than the window needs', () => {
    const windows = new Windows(new Map([['kettl', 1]]));
    let most = 0;
    for (let from = 0; from < 1 << 20; from += 8) {
      windows.add({ term: 'kettl', from, to: from + 6 });
      most = Math.max(most, windows.size);
    }
    expect(most).toBeLessThan(2_000);
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

it('is shown where a phrase stands, in whatever spelling', () => {
  const decoy = 'A well known wellknown person.';
  const plain = `${decoy} ${filler(200)} One well-known person. ${filler(100)}`;
  expect(excerpt(plain, { known: 1, person: 1 }, ['known person'])).toContain('One well-known person');
});

it('finds a run of terms wherever it stands, and within itself', () => {
  const term = fc.constantFrom('a', 'b', 'aa');
  fc.assert(
    fc.property(
      fc.array(term, { maxLength: 40 }),
      fc.array(term, { minLength: 2, maxLength: 5 }),
      (text, run) => {
        const places = new PhrasePlaces({
          terms: run.map((each, from) => ({ term: each, from, to: from + 1 })),
          gaps: [],
          last: run.length,
        });
        text.forEach((each, at) => {
          const stands = at + 1 >= run.length && run.every((one, n) => text[at + 1 - run.length + n] === one);
          const expected = stands ? { from: 10 * (at + 1 - run.length), to: 10 * at + 5 } : null;
          const place = { form: each, from: 10 * at, to: 10 * at + 5, span: 0, isAfterGap: false };
          expect(places.next(place)).toEqual(expected);
        });
      },
    ),
    { numRuns: 1000 },
  );
});
