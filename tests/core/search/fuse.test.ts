import fc from 'fast-check';
import { fuse, mix, RRF_K } from '../../../src/core/search/fusion';
import { vaultPath } from '../../../src/core/vocabulary/paths';

const paths = (...names: string[]) => names.map(vaultPath);

it('adds the reciprocal ranks of both lists, from 61 on', () => {
  expect(fuse(paths('a', 'b', 'c'), paths('c', 'd'))).toEqual([
    { path: 'c', score: 1 / 63 + 1 / 61, ranks: { bm25: 3, vector: 1 } },
    { path: 'a', score: 1 / 61, ranks: { bm25: 1 } },
    { path: 'b', score: 1 / 62, ranks: { bm25: 2 } },
    { path: 'd', score: 1 / 62, ranks: { vector: 2 } },
  ]);
  expect(RRF_K).toBe(60);
});

it('settles ties by the rank of BM25', () => {
  expect(fuse(paths('z'), paths('a')).map(({ path }) => path)).toEqual(['z', 'a']);
  const both = fuse(paths('b', 'a'), paths('a', 'b'));
  expect(both.map(({ path }) => path)).toEqual(['b', 'a']);
});

const list = fc.uniqueArray(
  fc.integer({ min: 0, max: 40 }).map((n) => vaultPath(`n${n}`)),
  { maxLength: 30 },
);

it('is the other list in its order when one is empty', () => {
  fc.assert(
    fc.property(list, (only) => {
      expect(fuse(only, []).map(({ path }) => path)).toEqual(only);
      expect(fuse([], only).map(({ path }) => path)).toEqual(only);
      expect(fuse(only, []).every(({ ranks }) => ranks.vector === undefined)).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

it('holds every note of either list once, with the scores of a plain sum, in a total order', () => {
  fc.assert(
    fc.property(list, list, (bm25, vector) => {
      const fused = fuse(bm25, vector);
      expect(new Set(fused.map(({ path }) => path))).toEqual(new Set([...bm25, ...vector]));
      expect(fused).toHaveLength(new Set([...bm25, ...vector]).size);
      for (const { path, score } of fused) {
        const sum = [bm25, vector].reduce((total, one) => {
          const at = one.indexOf(path);
          return at < 0 ? total : total + 1 / (60 + at + 1);
        }, 0);
        expect(score).toBe(sum);
      }
      for (const [at, one] of fused.entries()) {
        const next = fused[at + 1];
        if (next === undefined) continue;
        const better =
          one.score > next.score ||
          (one.score === next.score &&
            ((one.ranks.bm25 ?? 1e9) < (next.ranks.bm25 ?? 1e9) ||
              (one.ranks.bm25 === next.ranks.bm25 && one.path < next.path)));
        expect(better).toBe(true);
      }
    }),
    { numRuns: 1000 },
  );
});

it('does not depend on what notes are called', () => {
  fc.assert(
    fc.property(list, list, (bm25, vector) => {
      // A renaming that keeps the order of names must rename the answer and change nothing else.
      const rename = (path: string) => vaultPath(`x/${path}`);
      const before = fuse(bm25, vector);
      const after = fuse(bm25.map(rename), vector.map(rename));
      expect(after).toEqual(before.map((one) => ({ ...one, path: rename(one.path) })));
    }),
    { numRuns: 1000 },
  );
});

it('never ranks a note lower for a better place in one list', () => {
  fc.assert(
    fc.property(list, list, fc.nat(), (bm25, vector, pick) => {
      const path = vector[pick % Math.max(1, vector.length)];
      if (path === undefined) return;
      const risen = [path, ...vector.filter((other) => other !== path)];
      const place = (one: typeof vector) => fuse(bm25, one).findIndex((fused) => fused.path === path);
      expect(place(risen)).toBeLessThanOrEqual(place(vector));
    }),
    { numRuns: 1000 },
  );
});

describe('scores that are mixed', () => {
  const words = fc
    .uniqueArray(fc.nat(30), { maxLength: 12 })
    .map((ids) => ids.map((id, at) => ({ path: vaultPath(`${id}.md`), score: 20 - at })));
  const near = fc
    .uniqueArray(fc.nat(30), { maxLength: 12 })
    .map((ids) => ids.map((id, at) => ({ path: vaultPath(`${id}.md`), cosine: 0.9 - at / 20 })));

  it('are those of the words where meaning weighs nothing', () => {
    fc.assert(
      fc.property(words, near, (bm25, vector) => {
        const found = mix(bm25, vector, 0).slice(0, bm25.length);
        expect(found.map(({ path }) => path)).toEqual(bm25.map(({ path }) => path));
      }),
    );
  });

  it('never let meaning alone pass the best word, nor lower a note that meaning finds too', () => {
    fc.assert(
      fc.property(words, near, fc.double({ min: 0.01, max: 0.3, noNaN: true }), (bm25, vector, weight) => {
        const found = mix(bm25, vector, weight);
        for (const { path, score, ranks } of found) {
          if (ranks.bm25 === undefined) expect(score).toBeLessThanOrEqual(weight);
          else {
            const own = bm25.find((hit) => hit.path === path)?.score ?? NaN;
            expect(score).toBeGreaterThanOrEqual(own / (bm25[0]?.score ?? NaN));
          }
        }
        expect([...found].sort((a, b) => b.score - a.score)).toEqual(found);
        expect(new Set(found.map(({ path }) => path)).size).toBe(found.length);
      }),
    );
  });

  it('count the nearest note as one where all are equally near', () => {
    const alike = ['a.md', 'b.md'].map((path) => ({ path: vaultPath(path), cosine: 0.5 }));
    expect(mix([], alike, 0.2).map(({ score }) => score)).toEqual([0.2, 0.2]);
  });
});
