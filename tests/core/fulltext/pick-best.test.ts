import fc from 'fast-check';
import { TopK, pickTop } from '../../../src/core/fulltext/accumulator';

describe('picking the best of a list', () => {
  const best = new TopK((a, b) => a - b);

  it('finds what sorting all of it finds, however the scores lie and however few pass', () => {
    const score = fc.oneof(
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 100_000 }),
      fc.integer({ min: 2 ** 31 - 300, max: 2 ** 31 - 1 }),
    );
    const lists = fc.array(score, { maxLength: 400 });
    fc.assert(
      fc.property(lists, fc.constantFrom(1, 3, 20, 90), fc.constantFrom(1, 2, 50), (all, wanted, every) => {
        const passes = (doc: number): boolean => doc % every === 0;
        const docs = Uint32Array.from(all, (_, at) => all.length - at);
        pickTop(docs, Int32Array.from(all), all.length, best.begin(wanted), passes);
        best.sort();
        const found = Array.from({ length: best.size }, (_, rank) => [best.doc(rank), best.score(rank)]);
        const plainly = all
          .map((each, at) => [all.length - at, each] as const)
          .filter(([doc]) => passes(doc))
          .sort(([a, first], [b, second]) => second - first || a - b)
          .slice(0, wanted);
        expect(found).toEqual(plainly);
      }),
      { numRuns: 1000 },
    );
  });

  it('asks of a long list hardly more documents than are wanted whether they pass', () => {
    const scores = Int32Array.from({ length: 5000 }, (_, at) => 1 + ((at * 7919) % 5003));
    const docs = Uint32Array.from(scores, (_, at) => at);
    let asked = 0;
    pickTop(docs, scores, scores.length, best.begin(20), () => (asked += 1) > 0);
    expect(best.isFull).toBe(true);
    expect(asked).toBeLessThan(60);
  });
});
