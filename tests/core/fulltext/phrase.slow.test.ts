import fc from 'fast-check';
import { finish } from '../../../src/core/base/steps';
import { Phrase } from '../../../src/core/fulltext/phrase-match';
import { SearchIndex } from '../../../src/core/fulltext/search-index';
import { FIELD_END, LONG_TERM, streamOf } from './packed-terms';

/** Compares at every place: what the fast way must agree with. */
function holdsPlainly(terms: readonly number[], places: readonly ReadonlySet<number>[]): boolean {
  return terms.some((_, at) => places.every((matches, n) => matches.has(terms[at + n] ?? FIELD_END)));
}

/** A phrase of words of one term each. */
function phraseOf(places: readonly (readonly number[])[]): Phrase {
  return new Phrase({
    terms: places.map((matches, from) => ({ matches: matches.map(numberOf), from, to: from + 1 })),
    gaps: [],
    last: places.length,
  });
}

/** Whether these terms hold a phrase; every third number is one of two units, the second of which is that of another term. */
function holds(phrase: Phrase, terms: readonly number[]): boolean {
  return phrase.occursIn(streamOf(terms.map(numberOf)), new Uint16Array(0));
}

function numberOf(term: number): number {
  return term > 0 && term % 3 === 0 ? LONG_TERM + term - 1 : term;
}

describe('a phrase as it was typed', () => {
  const [one, two, both, none] = [[1], [2], [1, 2], []];
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
    expect(holds(phraseOf(places), terms)).toBe(expected);
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
    let [drawn, held] = [0, 0];
    fc.assert(
      fc.property(phrase, run, (matches, [before, ones, after]) => {
        drawn += 1;
        const text = [...before, ...Array.from({ length: ones }, () => 1), ...after];
        const places = matches.map((each) => new Set(each));
        const expected = holdsPlainly(text, places);
        held += expected ? 1 : 0;
        expect(holds(phraseOf(matches), text)).toBe(expected);
      }),
      { numRuns: 2000 },
    );
    expect(held).toBeGreaterThan(drawn / 10);
  });

  it('is not found where it nearly fits everywhere', () => {
    const text = Array.from({ length: 500_000 }, () => 1);
    const places = [...Array.from({ length: 900 }, () => one), two];
    expect(holds(phraseOf(places), text)).toBe(false);
  });
});

describe('a phrase in another spelling', () => {
  const found = (text: string, query: string): boolean => {
    const index = new SearchIndex<{ path: string }>();
    index.put({ path: 'note' }, index.prepare([{ kind: 'text', text }]));
    return index.search(query, { limit: 1 }).length > 0;
  };

  it.each([
    ['We cache the builds on GitHub every night.', '"builds on github"', true],
    ['We cache the builds on github every night.', '"builds on GitHub"', true],
    ['We cache the builds on github every night.', '"GitHub every night"', true],
    ['We cache the builds on GitHub every night.', '"github every night"', true],
    ['We cache the builds on GitHub every night.', '"on GitHub"', true],
    ['We wrote my NuxtVue plugin here.', '"my NuxtVue plugin"', true],
    ['We wrote my NuxtVue plugin here.', '"my nuxt vue plugin"', true],
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
    ['It is on git hub now.', '"on GitHub"', true],
    ['A well known port.', '"well-known port"', true],
    ['See camelCases-andMore here.', '"camel cases and more here"', true],
    ['See camelCases-andMore here.', '"see camelcases and more"', true],
    ['See camelCases-andMore here.', '"see camel cases-andmore"', true],
    ['the v1.2.3 release', '"the 1.2.3 release"', true],
    ['the generalizationEngine runs', '"the generalizationengine runs"', true],
    ['A | 1 | 0 | 10 |', '"a 10"', false],
    ['wants 2 0 20 hosts', '"wants 20"', false],
    ['GitHub', '"git github hub"', false],
    ['We put it in to into next week.', '"to next"', false],
    ['We put it in to into next week.', '"in to next"', false],
    ['We put it in to into next week.', '"into next"', true],
    ['We put it in to into next week.', '"to into next"', true],
    ['We put it in-to next week.', '"into next"', false],
    ['We put it in-to next week.', '"to next"', true],
    ['A well known wellknown person.', '"known person"', false],
    ['A well known wellknown person.', '"well known person"', false],
    ['A well-known person.', '"known person"', true],
    ['A well-known person.', '"wellknown person"', true],
    ['The v1 2 v1.2 release.', '"2 release"', true],
    ['The v1 2 1.2.3 release.', '"v1 release"', false],
    ['git hub github pages', '"hub pages"', false],
    ['git hub github pages', '"git hub pages"', false],
    ['GitHub pages', '"git pages"', false],
    ['GitHub pages', '"github hub"', false],
    ['東京 京都', '"東京都"', false],
    ['東京都', '"東京 京都"', false],
    ['東京、京都', '"東京 京都"', true],
    ['東京 京都', '"東 京都"', false],
    ['MTUはね 1380', '"mtu は 1380"', false],
    ['MTUはね 1380', '"mtu は"', true],
    ['MTUは 1380', '"mtu は 1380"', true],
    [`${'word '.repeat(40)}known person`, `"${'word '.repeat(40)}well-known person"`, false],
    [`${'word '.repeat(40)}well-known person`, `"${'word '.repeat(40)}wellknown person"`, true],
  ])('%s holds %s: %s', (text, query, expected) => {
    expect(found(text, query)).toBe(expected);
  });

  it('is found word for word, whatever run of words it is, and however long', () => {
    const word = fc.constantFrom(
      ...'the of in to into a port GitHub well-known v1.2 1.2 v1.2.3 trashFiles BRAIN_PG_dsnOf l’index x 東京 2026-11-20'.split(
        ' ',
      ),
      'a-b-c-d-e-f-g-h-i-j-k-l-m-n-o-p-q-r-s-t-u-v-w-x-y-z-0-1-2-3-4-5-6-7-8-9',
    );
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 60 }),
        fc.nat(),
        fc.nat(),
        fc.constantFrom(String, (text: string) => text.toUpperCase().toLowerCase()),
        (words, one, other, spell) => {
          const [from = 0, to = 0] = [one % words.length, other % words.length].sort((a, b) => a - b);
          expect(found(words.join(' '), `"${words.slice(from, to + 1).join(' ')}"`)).toBe(true);
          // Without capitals where each identifier stays one word.
          const whole = words.filter((each) => !/[A-Z]/.test(each));
          fc.pre(whole.length > 0 && whole.length < 30);
          expect(found(spell(whole.join(' ')), `"${whole.join(' ')}"`)).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('is found in prose only where its words follow one another', () => {
    const words =
      'they would drink to a toast we were in an instant there it is insane lived inland gave total stranger I am american so be bear'.split(
        ' ',
      );
    const prose = fc.array(fc.constantFrom(...words), { minLength: 2, maxLength: 30 });
    fc.assert(
      fc.property(prose, fc.constantFrom(...words), fc.constantFrom(...words), (text, one, two) => {
        const expected = text.some((each, at) => each === one && text[at + 1] === two);
        expect(found(text.join(' '), `"${one} ${two}"`)).toBe(expected);
      }),
      { numRuns: 2000 },
    );
  });
});

/** What a word may be read as, each a run of plain words. */
const READINGS: Readonly<Record<string, readonly string[]>> = {
  'in-to': ['in to', 'in-to'],
  'well-known': ['well known', 'wellknown'],
  'person\u2019s': ['person'],
  GitHub: ['git hub', 'github'],
  'GitHub-person': ['git hub person', 'github person', 'githubperson'],
  BRAIN_PG: ['brain pg', 'brainpg'],
  brain_pg: ['brain pg', 'brainpg'],
  'v1.2': ['v1 2', 'v1.2', '1.2'],
  'v1.2.1': ['v1 2 1', 'v1.2.1', '1.2.1'],
  '1.2': ['1 2', '1.2'],
  "rock'n'pg": ['rock n pg'],
};
const PLAIN =
  'to in into next known well wellknown person git hub github brain brainpg pg v1 1 2 rock n the'.split(' ');

function readings(words: readonly string[]): string[] {
  let all = [''];
  for (const word of words)
    all = (READINGS[word] ?? [word]).flatMap((each) => all.map((one) => `${one}${each} `));
  return all.map((each) => ` ${each}`);
}

function holdersOf(texts: readonly string[], query: string): string[] {
  const index = new SearchIndex<{ path: string }>();
  texts.forEach((text, at) => {
    index.put({ path: String(at) }, index.prepare([{ kind: 'text', text }]));
  });
  return [...(finish(index.phraseHolders(query)) ?? [])];
}

it('stands where some reading of it is a part of some reading of the text, and nowhere else', () => {
  const word = fc.oneof(fc.constantFrom(...Object.keys(READINGS)), fc.constantFrom(...PLAIN));
  const counts = { true: 0, false: 0 };
  fc.assert(
    fc.property(
      fc.array(word, { minLength: 1, maxLength: 7 }),
      fc.array(word, { minLength: 1, maxLength: 3 }),
      fc.nat(6),
      fc.constantFrom(' ', ', ', ' *', '\n\n'),
      (text, drawn, at, joint) => {
        // Half of them stand there, but for the spelling of a word.
        const phrase = at < text.length ? [...text.slice(at, at + 2), ...drawn.slice(2)] : drawn;
        const texts = readings(text);
        const expected = readings(phrase).some((one) => texts.some((all) => all.includes(one)));
        counts[`${expected}`] += 1;
        expect(holdersOf([text.join(joint)], `"${phrase.join(' ')}"`)).toEqual(expected ? ['0'] : []);
      },
    ),
    { numRuns: 1500 },
  );
  expect(Math.min(counts.true, counts.false)).toBeGreaterThan((counts.true + counts.false) / 8);
});

it('stands in a script without spaces where its letters stand, gaps where they stand gaps', () => {
  const run = fc.string({ unit: fc.constantFrom(...'東京都'), minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(
      fc.array(run, { minLength: 1, maxLength: 6 }),
      fc.array(run, { minLength: 1, maxLength: 3 }),
      (text, phrase) => {
        const expected = text.join(' ').includes(phrase.join(' '));
        expect(holdersOf([text.join('、')], `「${phrase.join(' ')}」`)).toEqual(expected ? ['0'] : []);
      },
    ),
    { numRuns: 1500 },
  );
});

it('is none in empty or unbalanced quotes, or in quotes with signs alone; one of stop words is one', () => {
  for (const query of ['""', '"?"', '“ — ”', '"next', 'next"', '«next', '"*"', '"\u200b"'])
    expect({ query, holders: holdersOf(['to be or not', 'next'], query) }).toEqual({ query, holders: [] });
  for (const query of [
    '"to be"',
    '“to be”',
    '„to be“',
    '„to be”',
    '«to be»',
    '「to be」',
    '"to * be?"',
    '""to be""',
  ])
    expect({ query, holders: holdersOf(['to be or not', 'be to'], query.replace(/^""|""$/g, '"')) }).toEqual({
      query,
      holders: ['0'],
    });
  expect(holdersOf(['say to be now', 'to be or not'], '“say "to be" now”')).toEqual(['0']);
  const long = 'to be or not '.repeat(160);
  expect(holdersOf([long, long.replace(/not $/, 'and')], `"${long}"`)).toEqual(['0']);
});

it('is kept with a packed index', () => {
  const docs = ['in to into next', 'put into next', 'well-known person', 'well known wellknown person'];
  const index = new SearchIndex<{ path: string }>();
  docs.forEach((text, at) => {
    index.put({ path: String(at) }, index.prepare([{ kind: 'text', text }]));
  });
  const bytes = Buffer.concat([...index.pack()].map((piece) => Buffer.from(piece)));
  const loaded = finish(SearchIndex.unpackSteps(new Uint8Array(bytes), (path) => ({ path })));
  const paths = (query: string) => [...(loaded ? (finish(loaded.phraseHolders(query)) ?? []) : [])].sort();
  expect(paths('"into next"')).toEqual(['0', '1']);
  expect(paths('"to next"')).toEqual([]);
  expect(paths('"known person"')).toEqual(['2']);
});
