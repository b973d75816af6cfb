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
});
