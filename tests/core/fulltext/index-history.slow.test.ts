import type { FacetFilter } from '../../../src/core/fulltext/documents';
import { MAX_RERANKED } from '../../../src/core/fulltext/rerank';
import {
  type Doc,
  emptyIndex,
  fieldsOf,
  indexOf,
  packed,
  putDoc,
  randomFrom,
  seen,
  unpacked,
} from './index-model';

const WORDS = [
  ...Array.from({ length: 60 }, (_, n) => `word${n}`),
  ...[
    'tunnel',
    'Router',
    'the',
    'and',
    'nas_disk',
    '東京都',
    '京',
    'restic',
    'Kaffee',
    'wireguard',
    'trashFile',
  ],
];
const QUERIES = [
  'word1 word2 word3',
  'tunnel the router',
  '"word5 word6"',
  'wiregaurd',
  '京',
  'trash word9 kaffee',
  'the',
];
const FILTERS: readonly FacetFilter[] = [
  {},
  { wing: 'w1' },
  { hall: 'facts' },
  { reviewed: true },
  { wing: 'w2', hall: 'facts', reviewed: true },
];

function documentAt(path: string, random: (limit: number) => number): Doc {
  const word = (): string => WORDS[Math.min(random(WORDS.length), random(WORDS.length))] ?? '';
  const words = (count: number): string => Array.from({ length: count }, word).join(' ');
  // A few are longer than the floor on length and than a passage.
  const body = words(random(10) === 0 ? 40 + random(400) : random(25));
  return {
    path,
    title: words(1 + random(3)),
    body: random(20) === 0 ? `${body} passing${random(1e6)}` : body,
    wing: `w${random(3)}`,
    ...(random(2) === 0 && { hall: random(2) === 0 ? 'facts' : 'decisions' }),
    raw: random(4) === 0,
  };
}

describe('an index after ten thousand changes and reloads', () => {
  it('answers exactly as one built anew from the same documents', () => {
    const random = randomFrom(20_240_607);
    const current = new Map<string, Doc>();
    let index = emptyIndex();
    let reloads = 0;
    let compared = 0;
    for (let step = 1; step <= 10_000; step += 1) {
      const path = `notes/${random(150)}`;
      const old = current.get(path);
      const what = random(100);
      if (what < 65 || old === undefined) {
        const doc = documentAt(path, random);
        putDoc(index, doc);
        current.set(path, doc);
      } else if (what < 80) {
        index.drop(path);
        current.delete(path);
      } else if (what < 97) {
        const renamed = { ...old, path: `notes/${random(150)}` };
        index.drop(path);
        current.delete(path);
        putDoc(index, renamed);
        current.set(renamed.path, renamed);
      } else {
        const bytes = packed(index);
        // Now and then a note was deleted while the index lay on the disk.
        if (random(3) === 0) current.delete(path);
        const loaded = unpacked(bytes, current);
        if (loaded === null) throw new Error('The index was refused.');
        index = loaded;
        reloads += 1;
      }
      if (step % 100 !== 0) continue;
      const anew = indexOf([...current.values()].reverse());
      expect(index.size).toBe(anew.size);
      const terms = [...anew.terms()].sort();
      expect([...index.terms()].sort()).toEqual(terms);
      expect(terms.map((term) => index.frequency(term))).toEqual(terms.map((term) => anew.frequency(term)));
      for (const query of QUERIES) {
        for (const filter of FILTERS) {
          const options = { ...filter, limit: MAX_RERANKED + 20 };
          expect(seen(index.search(query, options))).toEqual(seen(anew.search(query, options)));
          compared += 1;
        }
      }
    }
    expect(reloads).toBeGreaterThan(100);
    expect(compared).toBe(100 * QUERIES.length * FILTERS.length);
  });
});

describe('a document that was read before numbers of terms were taken away', () => {
  it('is put with its own words, though other words have their numbers', () => {
    const index = indexOf([{ path: 'a', title: 'Kettle', body: 'tea' }]);
    const doc: Doc = { path: 'b', title: 'Zither', body: 'xylophone music' };
    const read = index.prepare(fieldsOf(doc));
    const readOnly = (word: string, count: number) =>
      index.prepare([
        { kind: 'text', text: Array.from({ length: count }, (_, n) => `${word}${n}`).join(' ') },
      ]);
    // So many that the next reading takes their numbers away, and then gives them to others.
    readOnly('idle', 6000);
    readOnly('other', 50);
    index.put(doc, read);
    const anew = indexOf([{ path: 'a', title: 'Kettle', body: 'tea' }, doc]);
    expect([...index.terms()].sort()).toEqual([...anew.terms()].sort());
    const answer = (each: typeof index) => seen(each.search('xylophone zither tea other7', { limit: 5 }));
    expect(answer(index)).toEqual(answer(anew));
  });
});

describe('a filter', () => {
  const random = randomFrom(7);
  const docs = Array.from({ length: 400 }, (_, n) => documentAt(`notes/${n}`, random));
  const index = indexOf(docs);

  it.each(QUERIES)('finds for %s what a test of each document finds', (query) => {
    for (const filter of FILTERS) {
      const { wing, hall, reviewed } = filter;
      const accept = (doc: Doc): boolean =>
        (wing === undefined || doc.wing === wing) &&
        (hall === undefined || doc.hall === hall) &&
        (reviewed !== true || doc.raw !== true);
      expect(seen(index.search(query, { ...filter, limit: 500 }))).toEqual(
        seen(index.search(query, { accept, limit: 500 })),
      );
    }
  });

  it('finds nothing in a wing or hall that no document has', () => {
    expect(index.search('word1', { wing: 'elsewhere', limit: 5 })).toEqual([]);
    expect(index.search('word1', { hall: 'elsewhere', limit: 5 })).toEqual([]);
  });

  it('follows a document into another wing, and forgets a wing that nobody has', () => {
    const moved = indexOf([{ path: 'a', title: 'kettle', body: '', wing: 'kitchen' }]);
    putDoc(moved, { path: 'a', title: 'kettle', body: '', wing: 'cellar' });
    const found = (wing: string): number => moved.search('kettle', { wing, limit: 5 }).length;
    expect([found('kitchen'), found('cellar')]).toEqual([0, 1]);
    putDoc(moved, { path: 'b', title: 'kettle', body: '', wing: 'attic' });
    expect([found('kitchen'), found('cellar'), found('attic')]).toEqual([0, 1, 1]);
  });
});
