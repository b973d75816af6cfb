import fc from 'fast-check';
import { Accumulator, type Scored, TopK } from '../../../src/core/fulltext/accumulator';
import { classIn, docOf, postingOf } from '../../../src/core/fulltext/postings';
import { CLASS_BITS, classesFor, worthOf } from '../../../src/core/fulltext/scoring';

/** Few values, so that many scores are equal, up to a saturation of 2. */
const SATURATIONS = Int32Array.from({ length: 1 << CLASS_BITS }, (_, at) => 1 + 1024 * (at % 31));

/** A term that `share` of the documents hold. Its postings stand between others that are not its own. */
const termOf = (limit: number): fc.Arbitrary<Scored> =>
  fc
    .record({
      share: fc.constantFrom(0.002, 0.05, 0.6, 1),
      weight: fc.integer({ min: 1, max: 60_000 }),
      seed: fc.integer({ min: 1 }),
      from: fc.nat(3),
    })
    .map(({ share, weight, seed, from }) => {
      const random = (doc: number): number =>
        ((Math.imul(doc + seed, 0x9e3779b1) ^ (seed << 7)) >>> 0) / 2 ** 32;
      const docs = Array.from({ length: limit }, (_, doc) => doc).filter((doc) => random(doc) < share);
      const own = docs.map((doc) => postingOf(doc, Math.floor(random(doc * 7) * 64)));
      const cells = Uint32Array.from([...Array<number>(from).fill(0xffffffff), ...own, 0xffffffff]);
      return { cells, from, to: from + own.length, weight };
    });

/** The best documents and their sums, worked out plainly. */
function plainly(terms: readonly Scored[], wanted: number, passes: (doc: number) => boolean): number[][] {
  const sums = new Map<number, number>();
  for (const { cells, from, to, weight } of terms) {
    for (const posting of cells.subarray(from, to)) {
      const score = 1 + worthOf(SATURATIONS[classIn(posting)] ?? 0, weight);
      sums.set(docOf(posting), (sums.get(docOf(posting)) ?? 0) + score);
    }
  }
  return [...sums]
    .filter(([doc]) => passes(doc))
    .sort(([a, scoreA], [b, scoreB]) => scoreB - scoreA || a - b)
    .slice(0, wanted);
}

describe('Accumulator', () => {
  const accumulator = new Accumulator();
  const best = new TopK((a, b) => a - b);
  const found = (
    terms: readonly Scored[],
    limit: number,
    wanted: number,
    passes: (doc: number) => boolean,
  ) => {
    accumulator.addUp(terms, SATURATIONS, limit, best.begin(wanted), passes);
    best.sort();
    return Array.from({ length: best.size }, (_, rank) => [best.doc(rank), best.score(rank)]);
  };

  it('gives the best sums of all, however many documents and postings there are and however few pass', () => {
    const limits = fc.constantFrom(1, 7, 300, 2000, 4099);
    const cases = limits.chain((limit) =>
      fc.record({
        limit: fc.constant(limit),
        terms: fc.array(termOf(limit), { minLength: 1, maxLength: 4 }),
        wanted: fc.constantFrom(1, 20, 50, 300),
        every: fc.constantFrom(1, 2, 97, 5000),
      }),
    );
    fc.assert(
      fc.property(cases, ({ limit, terms, wanted, every }) => {
        const passes = (doc: number): boolean => doc % every === 0;
        expect(found(terms, limit, wanted, passes)).toEqual(plainly(terms, wanted, passes));
      }),
      { numRuns: 300 },
    );
  });

  it('forgets the sums of a search whose filter failed', () => {
    const terms = [0, 1].map((from) => ({
      cells: Uint32Array.from(Array.from({ length: 40 }, (_, doc) => postingOf(doc, 1))),
      from,
      to: 40,
      weight: 1000,
    }));
    const fails = (): boolean => {
      throw new Error('No answer.');
    };
    for (const limit of [40, 4000]) {
      expect(() => accumulator.addUp(terms, SATURATIONS, limit, best.begin(5), fails)).toThrow('No answer.');
      expect(found(terms, limit, 5, () => true)).toEqual(plainly(terms, 5, () => true));
    }
  });

  it('asks of many documents hardly more than are wanted whether they pass', () => {
    const cells = Uint32Array.from({ length: 5000 }, (_, doc) => postingOf(doc, (doc * 7919) % 31));
    let asked = 0;
    const term = { cells, from: 0, to: 5000, weight: 60_000 };
    accumulator.addUp([term, term], SATURATIONS, 5000, best.begin(20), () => (asked += 1) > 0);
    expect(asked).toBeLessThan(400);
  });

  it('takes several terms as one: what a document holds of them is added up', () => {
    const row = (...postings: number[]) => ({
      cells: Uint32Array.from(postings),
      from: 0,
      to: postings.length,
    });
    const measure = classesFor(100);
    const [once, thrice] = [measure(1), measure(3)];
    const { cells, from, to } = accumulator.merged(
      [row(postingOf(2, once), postingOf(5, thrice)), row(postingOf(1, once), postingOf(5, once))],
      6,
    );
    expect([...cells.subarray(from, to)].sort((a, b) => a - b)).toEqual([
      postingOf(1, once),
      postingOf(2, once),
      postingOf(5, measure(4)),
    ]);
  });
});

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
