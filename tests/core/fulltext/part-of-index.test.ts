import * as fc from 'fast-check';
import { planSearch } from '../../../src/core/fulltext/query';
import { stemOf } from '../../../src/core/fulltext/stems';
import { queryTerms } from '../../../src/core/fulltext/query-terms';
import { SearchIndex } from '../../../src/core/fulltext/search-index';

interface Item {
  readonly path: string;
}

const wordsOf = (...words: string[]) =>
  fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 8 }).map((some) => some.join(' '));
/** None of these stands for others, whose documents a part cannot count together. */
const plain = wordsOf('tunnel', 'MTU', 'wi-fi', 'wifi', 'home', '東京都', 'the', 'Kettle');
const any = wordsOf('tunnel', 'wi-fi', 'home', 'lab', 'homelab', 'RFC2616', '2616', 'rfc', '東京都', 'the');
const asked = wordsOf(
  'tunnel',
  'tunel',
  'tunnelhome',
  'home',
  'lab',
  'wifi',
  'RFC 2616',
  'rfc2616',
  '都',
  'tunne',
);

function put(index: SearchIndex<Item>, path: string, title: string, body: string): void {
  const fields = [
    { kind: 'name' as const, text: title },
    { kind: 'text' as const, text: body },
  ];
  index.put({ path }, index.prepare(fields));
}

it('scores a part of an index, with its counts, as the whole does', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(plain, plain), { minLength: 1, maxLength: 30 }),
      plain,
      (documents, query) => {
        const whole = new SearchIndex<Item>();
        documents.forEach(([title, body], n) => put(whole, `${n}`, title, body));
        const best = whole.search(query, { limit: 5 });
        const totalLength = documents.length * 40;
        const part = new SearchIndex<Item>(undefined, { documents: whole.size, totalLength });
        part.learn(Array.from(whole.terms(), (term) => [term, whole.documents(whole.number(term))] as const));
        for (const { item } of best) {
          const [title = '', body = ''] = documents[Number(item.path)] ?? [];
          put(part, item.path, title, body);
        }
        const seen = (hits: typeof best) =>
          hits.map(({ item, score, terms }) => [item.path, score, [...terms]]);
        expect(seen(part.search(query, { limit: 5 }))).toEqual(seen(best));
      },
    ),
  );
});

it('knows before a search is planned which terms the plan asks for', () => {
  fc.assert(
    fc.property(fc.array(any, { minLength: 1, maxLength: 8 }), asked, (documents, query) => {
      const whole = new SearchIndex<Item>();
      documents.forEach((body, n) => put(whole, `${n}`, '', body));
      const looked = queryTerms(query, whole.analyser);
      const known = new Set(looked.flatMap(({ terms }) => terms));
      const stems = new Set(looked.flatMap((word) => [...word.stems, ...word.parts]));
      const beginnings = looked.flatMap((word) => word.beginnings);
      const lone = looked.flatMap((word) => word.lone);
      const misspelt = looked.flatMap(({ misspellings }) => misspellings);
      for (const term of whole.terms()) {
        if (lone.some((each) => term.startsWith(each) || term.endsWith(each))) known.add(term);
        if (stems.has(stemOf(term)) || beginnings.some((each) => term.startsWith(each))) known.add(term);
        if (misspelt.length > 0) known.add(term);
      }
      const part = new SearchIndex<Item>(undefined, { documents: whole.size, totalLength: 40 });
      part.learn(Array.from(known, (term) => [term, whole.documents(whole.number(term))] as const));
      const planned = (index: typeof whole) => {
        const plan = planSearch(query, index.analyser, {
          number: (term) => index.number(term),
          text: (number) => index.text(number),
          documents: (number) => index.documents(number),
          isStopWord: (number) => index.isStopWord(number),
          forms: (stem) => index.forms(stem),
          relatives: () => [],
          compounds: () => [],
          beginning: (term) => index.beginning(term),
          near: (term, letters) => index.near(term, letters),
          around: (character) => index.around(character),
          // A part cannot tell whether words stand side by side.
          areAdjacent: (first, second) => index.documents(first) > 0 && index.documents(second) > 0,
        });
        return plan.groups.map(({ ids }) => ids.map((number) => index.text(number)).sort());
      };
      expect(planned(part)).toEqual(planned(whole));
    }),
  );
});
