import fc from 'fast-check';
import { TopK } from '../../../src/core/fulltext/accumulator';

describe('TopK', () => {
  it('keeps what sorting and cutting off keeps, one time after the other', () => {
    const best = new TopK((a, b) => a - b);
    const scores = fc.array(fc.nat(6), { maxLength: 40 });
    fc.assert(
      fc.property(scores, fc.integer({ min: 0, max: 100 }), (all, limit) => {
        best.begin(limit);
        const docs = all.map((score, doc) => ({ doc: all.length - doc, score }));
        for (const { doc, score } of docs) {
          const { floor } = best;
          best.add(doc, score);
          // Whoever is below the floor does not come in.
          if (score < floor) expect(best.floor).toBe(floor);
        }
        best.sort();
        const kept = Array.from({ length: best.size }, (_, rank) => ({
          doc: best.doc(rank),
          score: best.score(rank),
        }));
        expect(kept).toEqual(docs.sort((a, b) => b.score - a.score || a.doc - b.doc).slice(0, limit));
        kept.forEach(({ doc }, rank) => expect(best.rank(doc)).toBe(rank));
        expect(best.rank(1000)).toBe(-1);
      }),
      { numRuns: 2000 },
    );
  });
});
