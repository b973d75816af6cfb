import fc from 'fast-check';
import { PathOrder } from '../../../src/core/fulltext/documents';

describe('the order of paths', () => {
  const path = fc.string({ unit: fc.constantFrom('a', 'b', '/', 'é', '東'), minLength: 1, maxLength: 5 });

  it('is that of sorted paths after any documents came and went', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(path, fc.boolean()), { maxLength: 60 }), (changes) => {
        const paths: string[] = [];
        const order = new PathOrder((doc) => paths[doc] ?? '');
        const there = new Map<string, number>();
        for (const [each, comes] of changes) {
          const known = there.get(each);
          if (comes && known === undefined) {
            there.set(each, paths.push(each) - 1);
            expect(order.place(each).doc).toBeUndefined();
            order.add(paths.length - 1, order.place(each));
          } else if (!comes && known !== undefined) {
            order.delete(known);
            there.delete(each);
          }
        }
        const sorted = [...there].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, doc]) => doc);
        expect(order.docs()).toEqual(sorted);
        expect(order.size).toBe(sorted.length);
        expect(paths.map((each) => order.place(each).doc)).toEqual(paths.map((each) => there.get(each)));
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['in order', (n: number) => n],
    ['backwards', (n: number) => 5000 - n],
    ['in no order', (n: number) => (n * 2969) % 5003],
  ])('holds for thousands of documents that come %s', (_, place) => {
    const paths = Array.from({ length: 5000 }, (__, n) => `note ${String(place(n)).padStart(5, '0')}`);
    const order = new PathOrder((doc) => paths[doc] ?? '');
    paths.forEach((each, doc) => order.add(doc, order.place(each)));
    for (let doc = 0; doc < 5000; doc += 3) order.delete(doc);
    const left = paths.map((__, doc) => doc).filter((doc) => doc % 3 !== 0);
    const sorted = left.sort((a, b) => place(a) - place(b));
    expect(order.docs()).toEqual(sorted);
    const found = paths.map((each) => order.place(each).doc);
    expect(found).toEqual(paths.map((__, doc) => (doc % 3 === 0 ? undefined : doc)));
    const filled = new PathOrder((doc) => paths[doc] ?? '');
    filled.append(sorted.slice(0, 700));
    filled.append(sorted.slice(700));
    filled.add(0, filled.place(paths[0] ?? ''));
    expect(filled.docs()).toEqual([...sorted, 0].sort((a, b) => place(a) - place(b)));
    const wrong = sorted.filter((doc, at) => {
      const next = sorted[at + 1];
      return next !== undefined && !(order.compare(doc, next) < 0 && order.compare(next, doc) > 0);
    });
    expect(wrong).toEqual([]);
    expect(order.compare(left[0] ?? 0, left[0] ?? 0)).toBe(0);
  });

  it('holds when a stretch of them goes and comes back, wherever it begins and ends', () => {
    const paths = Array.from({ length: 1000 }, (_, doc) => `note ${String(doc).padStart(4, '0')}`);
    const all = paths.map((_, doc) => doc);
    const gone = fc.tuple(fc.nat(999), fc.integer({ min: 1, max: 600 }), fc.integer({ min: 1, max: 1008 }));
    fc.assert(
      fc.property(gone, ([from, count, factor]) => {
        const tested = new PathOrder((doc) => paths[doc] ?? '');
        tested.append(all);
        const stretch = all.slice(from, from + count);
        for (const doc of stretch) tested.delete(doc);
        expect(tested.docs()).toEqual([...all.slice(0, from), ...all.slice(from + count)]);
        const mixed = (doc: number) => (doc * factor) % 1009;
        for (const doc of [...stretch].sort((a, b) => mixed(a) - mixed(b))) {
          const place = tested.place(paths[doc] ?? '');
          expect(place.doc).toBeUndefined();
          tested.add(doc, place);
        }
        expect(tested.docs()).toEqual(all);
        expect(paths.map((path) => tested.place(path).doc)).toEqual(all);
        expect(all.slice(1).filter((doc) => tested.compare(doc - 1, doc) >= 0)).toEqual([]);
      }),
      { numRuns: 100, examples: [[[256, 256, 5]], [[256, 1, 1]], [[0, 1000, 7]]] },
    );
  });
});
