import fc from 'fast-check';
import { LANGUAGES } from '../../../src/core/fulltext/languages';
import {
  BLOCK,
  BlockAllocator,
  classIn,
  docOf,
  MAX_DOCUMENTS,
  nextCapacity,
  nextStart,
  OFFSET,
  Postings,
  roomFor,
  WORDS,
} from '../../../src/core/fulltext/postings';
import { planSearch } from '../../../src/core/fulltext/query';
import { type Doc, indexOf } from './index-model';

const DOCS = Array.from({ length: 41 }, (_, doc) => doc);

function put(postings: Postings, doc: number, measures: Readonly<Record<number, number>>): void {
  const terms = Object.keys(measures).map(Number);
  postings.put(doc, terms, (at) => measures[terms[at] ?? 0] ?? 0);
}

describe('Postings', () => {
  const change = fc.record({
    // Few, whose lists are emptied and filled again, and many, whose lists grow long.
    doc: fc.oneof(fc.integer({ min: 0, max: 6 }), fc.integer({ min: 0, max: 40 })),
    // 0 removes.
    measures: fc.dictionary(fc.constantFrom('0', '1', '2', '3', '4', '5'), fc.integer({ min: 0, max: 2047 })),
  });

  it('holds what a map of maps would hold, sorted by document', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 150 }), (changes) => {
        const postings = new Postings();
        const model = new Map<number, Map<number, number>>();
        for (const { doc, measures } of changes) {
          const told = Object.entries(measures).map(([term, measure]) => [Number(term), measure] as const);
          put(postings, doc, Object.fromEntries(told.filter(([, measure]) => measure > 0)));
          for (const [term, measure] of told) {
            const docs = model.get(term) ?? new Map<number, number>();
            model.set(term, docs);
            if (measure > 0) {
              docs.set(doc, measure);
            } else {
              postings.remove(term, doc);
              docs.delete(doc);
            }
          }
        }
        expect(postings.terms).toBe([...model.values()].filter(({ size }) => size > 0).length);
        for (const [term, docs] of model) {
          const expected = [...docs].sort(([a], [b]) => a - b);
          expect(Array.from(postings.of(term), (posting) => [docOf(posting), classIn(posting)])).toEqual(
            expected,
          );
          expect(postings.count(term)).toBe(docs.size);
          expect(DOCS.filter((doc) => postings.has(term, doc))).toEqual(expected.map(([doc]) => doc));
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('holds a list that was emptied and filled again', () => {
    const postings = new Postings();
    for (let round = 1; round < 4; round += 1) {
      for (const doc of [3, 4, 5]) put(postings, doc, { 1: round });
      expect(Array.from(postings.of(1), docOf)).toEqual([3, 4, 5]);
      for (const doc of [4, 3, 5]) postings.remove(1, doc);
      expect(postings.of(1)).toHaveLength(0);
      put(postings, 2, { 1: round });
      expect([Array.from(postings.of(1), docOf), postings.has(1, 2), postings.has(1, 4)]).toEqual([
        [2],
        true,
        false,
      ]);
      postings.remove(1, 2);
    }
  });

  it('uses the place of a list again that moved, or that was emptied', () => {
    const postings = new Postings();
    put(postings, 1, { 1: 1, 2: 1, 3: 1 });
    put(postings, 2, { 1: 1 });
    const first = postings.from(1);
    for (const doc of [3, 4, 5]) put(postings, doc, { 1: 1 });
    expect(postings.from(1)).not.toBe(first);
    put(postings, 6, { 2: 1 });
    expect(postings.from(2)).toBe(first);
    postings.remove(2, 1);
    postings.remove(2, 6);
    put(postings, 7, { 3: 1 });
    expect(postings.from(3)).toBe(first);
  });

  it('keeps the highest document number apart from its class', () => {
    const postings = new Postings();
    put(postings, MAX_DOCUMENTS - 1, { 0: 2047 });
    expect(Array.from(postings.of(0), (posting) => [docOf(posting), classIn(posting)])).toEqual([
      [2 ** 21 - 1, 2047],
    ]);
  });

  it('knows nothing of a term that it never met', () => {
    expect(new Postings().of(7)).toHaveLength(0);
    expect(new Postings().count(7)).toBe(0);
  });

  it('counts the terms that any document holds', () => {
    const postings = new Postings();
    put(postings, 1, { 3: 1, 2000: 1 });
    put(postings, 2, { 3: 1 });
    expect(postings.terms).toBe(2);
    postings.remove(3, 1);
    postings.remove(3, 7);
    expect(postings.terms).toBe(2);
    postings.remove(3, 2);
    expect(postings.terms).toBe(1);
  });

  it('holds lists longer than one block, and more blocks than one', () => {
    const postings = new Postings();
    const count = 70_000;
    for (let doc = 0; doc < count; doc += 1) {
      put(postings, doc, { 1: 1 + (doc % 200), [2 + (doc % 5)]: 7 });
    }
    const list = Array.from(postings.of(1), (posting) => [docOf(posting), classIn(posting)]);
    expect(list).toEqual(Array.from({ length: count }, (_, doc) => [doc, 1 + (doc % 200)]));
    for (let term = 2; term < 7; term += 1) {
      expect(postings.count(term)).toBe(count / 5);
      expect(Array.from(postings.of(term), docOf)).toEqual(
        Array.from({ length: count / 5 }, (_, at) => at * 5 + term - 2),
      );
    }
  });
});

describe('BlockAllocator', () => {
  it('hands out places that do not overlap, whatever was given back', () => {
    const size = fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: BLOCK + 100 }));
    fc.assert(
      fc.property(fc.array(fc.tuple(size, fc.boolean()), { maxLength: 60 }), (steps) => {
        const arena = new BlockAllocator(WORDS);
        const places: { start: number; cells: number; mark: number }[] = [];
        steps.forEach(([cells, givesBack], at) => {
          const start = arena.allocate(cells);
          const from = start & OFFSET;
          arena.block(start).fill(at + 1, from, from + roomFor(cells));
          places.push({ start, cells, mark: at + 1 });
          const oldest = givesBack ? places.shift() : undefined;
          if (oldest !== undefined) arena.free(oldest.start, roomFor(oldest.cells));
        });
        for (const { start, cells, mark } of places) {
          const held = arena.block(start).subarray(start & OFFSET, (start & OFFSET) + cells);
          expect(held).toHaveLength(cells);
          expect(held.every((cell) => cell === mark)).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('uses a place again that was given back', () => {
    const arena = new BlockAllocator(WORDS);
    const start = arena.allocate(100);
    arena.allocate(100);
    arena.free(start, roomFor(100));
    expect(arena.allocate(100)).toBe(start);
  });

  it('lets go of a block that one place had for itself, and uses its number again', () => {
    const arena = new BlockAllocator(WORDS);
    const [small, large] = [arena.allocate(10), arena.allocate(3 * BLOCK)];
    arena.free(large, roomFor(3 * BLOCK));
    expect(arena.block(large)).toHaveLength(0);
    const other = arena.allocate(2 * BLOCK);
    expect(other).toBe(large);
    expect(arena.block(other)).toHaveLength(roomFor(2 * BLOCK));
    expect(arena.block(small)).toHaveLength(BLOCK);
  });

  it('gives at most an eighth more room than was asked for', () => {
    for (let cells = 1; cells < 3000; cells += 1) {
      expect(roomFor(cells)).toBeGreaterThanOrEqual(cells);
      expect(roomFor(cells)).toBeLessThanOrEqual(cells * 1.125);
      expect(roomFor(roomFor(cells))).toBe(roomFor(cells));
    }
  });

  it.each([
    [0, 10, 0],
    [BLOCK - 5, 5, BLOCK - 5],
    [BLOCK - 5, 6, BLOCK],
    [BLOCK, 3 * BLOCK, BLOCK],
    [BLOCK + 1, 3 * BLOCK, 2 * BLOCK],
  ])('lays a place out after %d for %d cells at %d', (at, cells, expected) => {
    expect(nextStart(at, cells)).toBe(expected);
  });
});

it.each([
  [16, 1 << 18, 32],
  [1 << 12, 1 << 18, 1 << 13],
  [1 << 13, 1 << 18, 1 << 18],
  [1 << 17, 1 << 18, 1 << 18],
  [1 << 18, 1 << 18, 1 << 19],
  [3 << 18, 1 << 18, 3 << 19],
])('an array of %i becomes, where %i are many, one of %i', (length, many, expected) => {
  expect(nextCapacity(length, many)).toBe(expected);
});

const doc = (path: string, body: string): Doc => ({ path, title: path, body });

it('are not read to tell how many documents hold a word, which are never more than all', () => {
  const index = indexOf([doc('a', 'server servers'), doc('b', 'servers'), doc('c', 'tea')]);
  const read = jest.spyOn(Postings.prototype, 'range');
  expect(['server', 'tea', 'none'].map((stem) => index.frequency(stem))).toEqual([3, 1, 0]);
  expect(index.seenBy((path) => path === 'a').frequency('server')).toBe(1);
  const few = indexOf([doc('a', 'server servers')]);
  read.mockClear();
  expect(few.frequency('server')).toBe(1);
  expect(read).not.toHaveBeenCalled();
  read.mockRestore();
});

it('are asked for the language of a document once, however many words a query has', () => {
  const words = Array.from(
    { length: 200 },
    (_, n) => `wort${String.fromCharCode(97 + (n % 26), 97 + n / 26)}`,
  );
  const texts = ['das ist nicht von der stadt', 'lorem ipsum', 'dolor sit amet'];
  const index = indexOf(
    texts.map((text, n) => ({ path: `${n}`, title: `${n}`, body: `${text} ${words.join(' ')}` })),
  );
  const asked = jest.spyOn(Postings.prototype, 'has');
  planSearch(words.join(' '), index.analyser, index);
  const telling = LANGUAGES.reduce((sum, language) => sum + language.words.length, 0);
  expect(asked.mock.calls.length).toBeGreaterThan(0);
  expect(asked.mock.calls.length).toBeLessThanOrEqual(texts.length * telling);
  asked.mockRestore();
});
