import fc from 'fast-check';
import { docOf, Postings, tfOf } from '../../../src/core/search/postings';
import { FIELD_END, holdsPhrase, packTerms, unpackTerms } from '../../../src/core/search/term-stream';

const DOCS = Array.from({ length: 41 }, (_, doc) => doc);

describe('Postings', () => {
  const change = fc.record({
    term: fc.integer({ min: 0, max: 5 }),
    doc: fc.integer({ min: 0, max: 40 }),
    tf: fc.integer({ min: 0, max: 300 }), // 0 removes
  });

  it('holds what a map of maps would hold, sorted by document', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 150 }), (changes) => {
        const postings = new Postings();
        const model = new Map<number, Map<number, number>>();
        for (const { term, doc, tf } of changes) {
          const docs = model.get(term) ?? new Map<number, number>();
          model.set(term, docs);
          if (tf === 0) {
            postings.remove(term, doc);
            docs.delete(doc);
          } else {
            postings.set(term, doc, tf);
            docs.set(doc, Math.min(tf, 255));
          }
        }
        for (const [term, docs] of model) {
          const expected = [...docs].sort(([a], [b]) => a - b);
          expect(Array.from(postings.of(term), (posting) => [docOf(posting), tfOf(posting)])).toEqual(
            expected,
          );
          expect(postings.count(term)).toBe(docs.size);
          expect(DOCS.filter((doc) => postings.has(term, doc))).toEqual(expected.map(([doc]) => doc));
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('keeps the highest document number apart from its frequency', () => {
    const postings = new Postings();
    postings.set(0, 2 ** 24 - 1, 200);
    expect(Array.from(postings.of(0), (posting) => [docOf(posting), tfOf(posting)])).toEqual([
      [2 ** 24 - 1, 200],
    ]);
  });

  it('knows nothing of a term that it never met', () => {
    expect(new Postings().of(7)).toHaveLength(0);
    expect(new Postings().count(7)).toBe(0);
  });
});

describe('packTerms', () => {
  it('comes back as it went in', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 0, max: 2 ** 31 }))),
        (terms) => {
          expect(unpackTerms(packTerms(terms))).toEqual(terms);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('takes one byte for the most frequent terms', () => {
    expect(packTerms([1, 127, 128, 16383, 16384])).toHaveLength(1 + 1 + 2 + 2 + 3);
  });
});

describe('holdsPhrase', () => {
  const [a, b, c] = [new Set([1]), new Set([2]), new Set([2, 3])];

  it.each([
    [[1, 2, 3], [a, b], true],
    [[1, 3, 2], [a, b], false],
    [[1, 3], [a, c], true],
    [[1, FIELD_END, 2], [a, b], false],
    [[1], [a, b], false],
    [[], [a], false],
  ])('%j with %j: %s', (terms, places, expected) => {
    expect(holdsPhrase(terms, places)).toBe(expected);
  });
});
