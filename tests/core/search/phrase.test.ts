import fc from 'fast-check';
import { Phrase } from '../../../src/core/search/phrase';
import { Bm25Index } from '../../../src/core/search/bm25';
import { FIELD_END } from '../../../src/core/search/term-stream';

/** Compares at every place: what the fast way must agree with. */
function holdsPlainly(terms: readonly number[], places: readonly ReadonlySet<number>[]): boolean {
  return terms.some((_, at) => places.every((fillers, n) => fillers.has(terms[at + n] ?? FIELD_END)));
}

describe('a phrase as it was typed', () => {
  const [one, two, both, none] = [[1], [2], [1, 2], []];
  /** No term is a part of another. */
  const noText = (term: number) => 'abcdef'.charAt(term);

  it.each([
    ['one place', [3, 1], [one], true],
    ['a place that nothing fills', [1, 2], [one, none], false],
    ['a phrase at the end', [3, 1, 2], [one, two], true],
    ['a phrase cut by the end', [2, 1], [one, two], false],
    ['a phrase over the end of a field', [1, FIELD_END, 2], [one, two], false],
    ['a phrase begun within another', [1, 1, 2], [one, two], true],
    ['a place that two terms fill', [2, 2], [both, two], true],
    ['nothing in nothing', [], [one], false],
  ])('finds %s', (_, terms, places, expected) => {
    expect(new Phrase(places).occursIn(terms, noText)).toBe(expected);
  });

  it('finds what comparing at every place finds', () => {
    const place = fc.uniqueArray(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 2 });
    const phrase = fc.oneof(
      fc.array(place, { minLength: 1, maxLength: 5 }),
      // Longer than one, two and three machine words of places.
      fc
        .tuple(fc.integer({ min: 30, max: 100 }), place)
        .map(([n, fill]) => [...Array.from({ length: n }, () => [1, 2]), fill]),
    );
    const terms = fc.array(fc.constantFrom(1, 1, 1, 2, 2, 3, FIELD_END), { maxLength: 20 });
    const run = fc.tuple(terms, fc.integer({ min: 0, max: 110 }), terms);
    let held = 0;
    fc.assert(
      fc.property(phrase, run, (fillers, [before, ones, after]) => {
        const text = [...before, ...Array.from({ length: ones }, () => 1), ...after];
        const places = fillers.map((each) => new Set(each));
        const expected = holdsPlainly(text, places);
        held += expected ? 1 : 0;
        expect(new Phrase(fillers).occursIn(text, noText)).toBe(expected);
      }),
      { numRuns: 2000 },
    );
    expect(held).toBeGreaterThan(200);
  });

  it('is not found where it nearly fits everywhere', () => {
    const text = Array.from({ length: 500_000 }, () => 1);
    const places = [...Array.from({ length: 900 }, () => one), two];
    expect(new Phrase(places).occursIn(text, noText)).toBe(false);
  });
});

describe('a phrase in another spelling', () => {
  const found = (text: string, query: string): boolean => {
    const index = new Bm25Index<{ path: string }>();
    index.put({ path: 'note' }, index.prepare([{ text, weight: 1 }]));
    return index.search(query, { limit: 1 }).length > 0;
  };

  it.each([
    ['We cache the builds on GitHub every night.', '"builds on github"', true],
    ['We cache the builds on github every night.', '"builds on GitHub"', true],
    ['We cache the builds on github every night.', '"GitHub every night"', true],
    ['We cache the builds on GitHub every night.', '"github every night"', true],
    ['We cache the builds on GitHub every night.', '"on GitHub"', true],
    ['The port of PostgreSQL is 5432.', '"port of postgresql is"', true],
    ['The WireGuard tunnel wants 1420.', '"the wireguard tunnel"', true],
    ['A well-known port.', '"well known port"', true],
    ['A well-known port.', '"well-known port"', true],
    ['It is called trashFiles today.', '"called trashfiles today"', true],
    ['It is called trashFiles today.', '"trash files today"', true],
    ['Set BRAIN_PG_DSN first.', '"set brain_pg_dsn first"', true],
    ['Since v1.2 it works.', '"since v1.2 it works"', true],
    ['Since v1.2 it works.', '"v1.2 it"', true],
    ['gitHub wireGuard trashFiles', '"github wireguard trashfiles"', true],
    ['トンネルのMTUは1380です', '"トンネルのmtuは1380"', true],
    ['We cache the builds on a GitHub.', '"builds on github"', false],
    ['The hub of git github every night.', '"hub github every night"', false],
    ['on GitLab, github', '"on github"', false],
    ['A known unknown port.', '"known port"', false],
    ['is not note', '"is note"', false],
    ['We love rock’n’roll here.', '"love rock\'n\'roll here"', true],
    ['We love rock, roll here.', '"love rock\'n\'roll here"', false],
    ['Dans l’index des notes.', '"l\'index des"', true],
    ['Dans un index des notes.', '"l\'index des"', false],
    ['The builds of GitHub are slow.', '"of GitHub’s"', true],
    ['It is on GitHub now.', '"on git hub"', true],
    ['GitHub', '"git github hub"', false],
  ])('%s holds %s: %s', (text, query, expected) => {
    expect(found(text, query)).toBe(expected);
  });

  it('is not found where it nearly stands everywhere', () => {
    const places = [...Array.from({ length: 31 }, () => [1]), [2]];
    const text = Array.from({ length: 500_000 }, () => 1);
    expect(new Phrase(places).occursIn(text, () => 'a')).toBe(false);
  });
});
