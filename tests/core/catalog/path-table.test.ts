import fc from 'fast-check';
import { PathTable } from '../../../src/core/catalog/path-table';

describe('PathTable', () => {
  const change = fc.record({
    key: fc.constantFrom('k', 'l'),
    path: fc.constantFrom('a', 'b', 'c', 'd', 'A', 'é'),
    add: fc.boolean(),
  });

  it('holds what a map of sets would hold, sorted', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
        const table = new PathTable<string>();
        const model = new Map([
          ['k', new Set<string>()],
          ['l', new Set<string>()],
        ]);
        for (const { key, path, add } of changes) {
          if (add) table.add(key, path);
          else table.delete(key, path);
          if (add) model.get(key)?.add(path);
          else model.get(key)?.delete(path);
        }
        for (const [key, paths] of model) expect(table.get(key)).toEqual([...paths].sort());
        expect([...table.keys()].sort()).toEqual(
          [...model].filter(([, paths]) => paths.size > 0).map(([key]) => key),
        );
      }),
      { numRuns: 1000 },
    );
  });

  it('holds the same when a list is long', () => {
    const many = fc.array(fc.record({ n: fc.nat(4000), add: fc.boolean(), asks: fc.boolean() }), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(many, (changes) => {
        const table = new PathTable<string>();
        const model = new Set<string>();
        for (let n = 0; n < 4000; n += 2) {
          table.add('k', String(n));
          model.add(String(n));
        }
        for (const { n, add, asks } of changes) {
          if (add) table.add('k', String(n));
          else table.delete('k', String(n));
          if (add) model.add(String(n));
          else model.delete(String(n));
          if (asks) expect(table.get('k')).toHaveLength(model.size);
        }
        expect(table.get('k')).toEqual([...model].sort());
      }),
      { numRuns: 200 },
    );
  });
});
