import { estimate, readCollection } from '../../bench/relevance-collections';
import { scoresOf } from '../../bench/relevance';
import { lsaSearch } from '../../bench/relevance-lsa';
import { ours, referenceBm25 } from '../../bench/search-engines';

const collection = readCollection('bench/relevance-homelab.json');

it('ships a collection whose every question is answered by a note that exists', () => {
  const { documents, queries } = collection;
  const paths = new Set(documents.map(({ path }) => path));
  expect(paths.size).toBe(40);
  expect(new Set(queries.map(({ text }) => text)).size).toBe(60);
  for (const { judged } of queries) {
    expect(Object.values(judged)).toContain(2);
    for (const path of Object.keys(judged)) expect(paths).toContain(path);
  }
});

it('finds the answers of the shipped collection, and better than a plain BM25', () => {
  const [own, plain] = [ours, referenceBm25].map((kind) => {
    const engine = kind.build(collection.documents);
    return estimate(scoresOf(collection.queries, (query, limit) => engine.search(query, limit)).ndcg).mean;
  });
  // Far below what it reaches, far above what any fault of analysis or ranking would leave.
  expect(own).toBeGreaterThan(0.9);
  expect(own).toBeGreaterThan(plain ?? 1);
});

it('has vectors that carry meaning: texts are found by words that they do not hold', () => {
  const text = (path: string, words: string) => ({ path, title: '', headings: '', text: words });
  const search = lsaSearch([
    text('car-1', 'car engine wheel'),
    text('car-2', 'automobile engine wheel'),
    text('car-3', 'car automobile wheel engine'),
    text('bread-1', 'bread flour oven'),
    text('bread-2', 'loaf flour oven'),
    text('bread-3', 'bread loaf oven flour'),
  ]);
  expect(search('automobile', 3)).toEqual(expect.arrayContaining(['car-1', 'car-2', 'car-3']));
  expect(search('loaf', 3)).toEqual(expect.arrayContaining(['bread-1', 'bread-2', 'bread-3']));
  expect(search('submarine', 3)).toEqual([]);
});
