import fc from 'fast-check';
import { Analyser } from '../../../src/core/search/analyse';
import { Bm25Index } from '../../../src/core/search/bm25';
import { LetterSets } from '../../../src/core/search/letter-sets';
import { Phrase } from '../../../src/core/search/phrase';
import { quotedPhrases } from '../../../src/core/search/quoted-phrases';
import { StreamWholes } from '../../../src/core/search/stream-wholes';
import { FIELD_END, LONG_TERM, TermPacker } from '../../../src/core/search/term-stream';
import { Wholes } from '../../../src/core/search/wholes';

/** Compares at every place: what the fast way must agree with. */
function holdsPlainly(terms: readonly number[], places: readonly ReadonlySet<number>[]): boolean {
  return terms.some((_, at) => places.every((fillers, n) => fillers.has(terms[at + n] ?? FIELD_END)));
}

/** A phrase of words of one term each. */
function phraseOf(places: readonly (readonly number[])[]): Phrase {
  return new Phrase({
    terms: places.map((fillers, from) => ({ fillers, from, to: from + 1 })),
    last: places.length,
  });
}

/** Whether terms with these texts hold a phrase, and how often a text was asked for. */
function looked(phrase: Phrase, terms: readonly number[], textOf: (term: number) => string) {
  let asked = 0;
  const holds = phrase.occursIn(
    terms,
    (place) => {
      asked += 1;
      const term = terms[place] ?? FIELD_END;
      return term === FIELD_END ? '' : textOf(term);
    },
    new Wholes(),
  );
  return { holds, asked };
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
    expect(looked(phraseOf(places), terms, noText).holds).toBe(expected);
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
        expect(looked(phraseOf(fillers), text, noText).holds).toBe(expected);
      }),
      { numRuns: 2000 },
    );
    expect(held).toBeGreaterThan(200);
  });

  it('is not found where it nearly fits everywhere', () => {
    const text = Array.from({ length: 500_000 }, () => 1);
    const places = [...Array.from({ length: 900 }, () => one), two];
    expect(looked(phraseOf(places), text, noText).holds).toBe(false);
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
  ])('%s holds %s: %s', (text, query, expected) => {
    expect(found(text, query)).toBe(expected);
  });

  it('is looked for with few texts where its words stand everywhere, but apart', () => {
    const terms = Array.from({ length: 300_000 }, (_, at) => (at % 3) + 1);
    const { holds, asked } = looked(
      phraseOf([[1], [3]]),
      terms,
      (term) => ['the', 'lone', 'of'][term - 1] ?? '',
    );
    expect(holds).toBe(false);
    expect(asked).toBeLessThan(6 * terms.length);
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

it('says at a glance only what a closer look says, wherever in a document, with terms of one unit and of two', () => {
  const analyser = new Analyser();
  const numbers = new Map<string, number>();
  const texts = new Map<number, string>([[FIELD_END, '']]);
  const numberOf = (term: string) => {
    const known = numbers.get(term);
    if (known !== undefined) return known;
    // Every third one takes two units, the second of which is the number of another term.
    const number = texts.size % 3 === 0 ? LONG_TERM + texts.size - 1 : texts.size;
    numbers.set(term, number);
    texts.set(number, term);
    return number;
  };
  const textOf = (number: number) => texts.get(number) ?? '';
  const words =
    'the of author in to into GitHub git hub well-known known v1.2 1.2 trashFiles trash files auto l’index index 東京 東 note is'.split(
      ' ',
    );
  const text = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 12 });
  const phrase = fc.array(fc.constantFrom(...words), { minLength: 2, maxLength: 4 });
  const counts = { true: 0, false: 0, null: 0 };
  fc.assert(
    fc.property(
      fc.constantFrom(0, 4090, 8180),
      text,
      text,
      phrase,
      fc.nat(11),
      (padding, one, two, drawn, at) => {
        const wanted = at < two.length - 1 ? two.slice(at, at + drawn.length) : drawn;
        const [plan] = quotedPhrases(`"${wanted.join(' ')}"`, analyser, (term) => [numberOf(term)]);
        fc.pre(plan !== undefined);
        const fields = [one, two].map((field) => analyser.all(field.join(' ')).map(numberOf));
        const terms = [
          ...Array.from({ length: padding }, () => numberOf('pad')),
          ...fields.flatMap((field) => [...field, FIELD_END]),
        ];
        const packer = new TermPacker();
        for (const term of terms) packer.add(term);
        const wholes = new Wholes();
        const made = new Phrase(plan);
        const scanned = made.scan(packer.take(), new StreamWholes(textOf, 2 * LONG_TERM, wholes));
        counts[`${scanned}`] += 1;
        if (scanned === null) return;
        expect(scanned).toBe(made.occursIn(terms, (place) => textOf(terms[place] ?? FIELD_END), wholes));
      },
    ),
    { numRuns: 3000 },
  );
  expect(Math.min(counts.true, counts.false, counts.null)).toBeGreaterThan(100);
});

it('tells by the letters of two terms only what their texts tell', () => {
  const analyser = new Analyser();
  const part = fc.constantFrom(
    ...'vue nuxt doc note v1 node generalize engine post gre sql x ab v2 vi'.split(' '),
  );
  const wholes = new Wholes();
  let held = 0;
  fc.assert(
    fc.property(
      fc.array(part, { minLength: 2, maxLength: 4 }),
      fc.constantFrom('', '-', '_', '.'),
      (parts, joint) => {
        const camel = parts.map((each) => each.charAt(0).toUpperCase() + each.slice(1));
        const terms = analyser.all(joint === '' ? camel.join('') : parts.join(joint));
        const sets = new LetterSets((number) => terms[number - 1] ?? '', terms.length + 1);
        terms.forEach((_, at) => {
          if (at === 0 || wholes.startOf(at, (place) => terms[place] ?? '') < 0) return;
          held += 1;
          expect(sets.mayEnd(at, at + 1)).toBe(true);
        });
      },
    ),
    { numRuns: 1000 },
  );
  expect(held).toBeGreaterThan(300);
});
