import * as fc from 'fast-check';
import { finish } from '../../../src/core/base/steps';
import { meaningsOf, planSearch, planTerms, similarTerms } from '../../../src/core/fulltext/query';
import type { IndexView, SearchIndex } from '../../../src/core/fulltext/search-index';
import { type Doc, emptyIndex, indexOf, putDoc, randomFrom, seen } from './index-model';

/** Words with all kinds of expansions: forms, parts, compounds, guesses, beginnings, pairs of characters, names with numbers. */
const WORDS =
  'tunnel tunnels tunel home lab homelab wi-fi wifi PostgreSQL postgres RFC2616 rfc 2616 東京都 京都 zanzibar zanzibars the of kettle kettles backup back up'.split(
    ' ',
  );

function docFrom(random: (limit: number) => number, path: string): Doc {
  const words = (most: number) => Array.from({ length: 1 + random(most) }, () => WORDS[random(WORDS.length)]);
  return {
    path,
    title: words(3).join(' '),
    body: words(120).join(' '),
    wing: ['lab', 'home'][random(2)] ?? 'lab',
    raw: random(4) === 0,
  };
}

const isSeen = (path: string) => path.startsWith('seen/');

/** All that an index tells of a query. */
function told(index: IndexView<Doc>, everything: SearchIndex<Doc>, query: string): unknown {
  const plan = planSearch(query, index.analyser, index);
  const terms = similarTerms(query, `${query} backup lab`, {
    read: (text) => [...new Set(everything.analyser.all(text))],
    documents: index.documentsWithout('seen/1'),
  });
  const evidence = index.evidence(terms, 'seen/1', false);
  const accept = ({ path }: Doc) => path.length % 2 === 0;
  return [
    index.size,
    index.reviewed,
    plan.groups.map(({ ids, exact, share }) => [
      share,
      ...[ids, exact].map((numbers) => numbers.map((number) => index.text(number)).sort()),
    ]),
    plan.guesses.map(({ word, terms: guessed }) => [word, [...guessed].sort()]),
    meaningsOf(plan, index),
    WORDS.map((word) => [index.frequency(word), index.idf(index.frequency(word))]),
    ...[
      { limit: 3 },
      { limit: 50 },
      { limit: 5, reviewed: true },
      { limit: 5, wing: 'lab' },
      { limit: 5, accept },
    ].map((options) => seen(index.search(query, options))),
    terms,
    seen(index.run(planTerms(terms, index), { limit: 5, reviewed: true, evidence })),
    ['seen/1', 'hidden/1'].map((path) => index.rareTermsIn(path, evidence)),
    ['seen/1', 'hidden/1'].map((path) => index.phraseTest(query)?.(path)),
    [...(finish(index.phraseHolders(query)) ?? [])].sort(),
  ];
}

it('answers one who sees a part of an index as an index of this part alone does, after any changes', () => {
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: 0, max: 60 }), (seed, changes) => {
      const random = randomFrom(seed);
      const docs = new Map<string, Doc>();
      const everything = emptyIndex();
      const view = everything.seenBy(isSeen);
      const other = everything.seenBy(() => true);
      for (let n = 0; n < changes; n += 1) {
        const path = `${random(2) === 0 ? 'seen' : 'hidden'}/${random(30)}`;
        if (random(5) === 0) {
          docs.delete(path);
          everything.drop(path);
        } else {
          const doc = docFrom(random, path);
          docs.set(path, doc);
          putDoc(everything, doc);
        }
        if (random(8) === 0) view.search('tunnel', { limit: 3 });
      }
      const part = indexOf([...docs.values()].filter(({ path }) => isSeen(path)));
      const all = indexOf(docs.values());
      for (let n = 0; n < 6; n += 1) {
        const words = Array.from({ length: 1 + random(3) }, () => WORDS[random(WORDS.length)]).join(' ');
        const query = ['', '"'].map((quote) => quote + words + quote)[random(2)] ?? words;
        expect(told(view, everything, query)).toEqual(told(part, part, query));
        expect(told(other, everything, query)).toEqual(told(all, all, query));
        expect(told(everything, everything, query)).toEqual(told(all, all, query));
      }
    }),
    { numRuns: 15 },
  );
});

it('follows more changes at once than an index remembers', () => {
  const random = randomFrom(7);
  const everything = emptyIndex();
  const view = everything.seenBy(isSeen);
  expect(view.size).toBe(0);
  for (let n = 0; n < 1000; n += 1)
    putDoc(everything, docFrom(random, `${n % 3 === 0 ? 'seen' : 'hidden'}/${n}`));
  expect(view.size).toBe(334);
  for (let n = 0; n < 300; n += 1) everything.drop(`seen/${n * 3}`);
  expect([view.size, view.search('tunnel', { limit: 100 }).every(({ item }) => isSeen(item.path))]).toEqual([
    34,
    true,
  ]);
});
