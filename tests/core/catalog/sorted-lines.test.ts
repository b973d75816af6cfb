import fc from 'fast-check';
import { SortedLines } from '../../../src/core/catalog/wing-shelf';

const lineOf = (key: string, path: string) => ({ key, path, line: `- ${key} ${path}` });

describe('SortedLines', () => {
  it('gives its lines by key and then by path, after any changes', () => {
    const change = fc.record({
      key: fc.constantFrom('a', 'b', 'c'),
      path: fc.integer({ min: 0, max: 400 }).map(String),
      removes: fc.boolean(),
    });
    fc.assert(
      // More lines than one block holds, so that blocks come and go.
      fc.property(fc.array(change, { maxLength: 900, size: 'max' }), (changes) => {
        const sorted = new SortedLines();
        const model = new Map<string, ReturnType<typeof lineOf>>();
        changes.forEach(({ key, path, removes }, at) => {
          const old = model.get(path);
          if (old !== undefined) sorted.remove(old);
          model.delete(path);
          const line = lineOf(key, path);
          if (removes) sorted.remove(line);
          else {
            sorted.add(line);
            model.set(path, line);
          }
          if (at % 50 === 0) expect(sorted.count).toBe(model.size);
        });
        const expected = [...model.values()]
          .sort((a, b) => (a.key === b.key ? (a.path < b.path ? -1 : 1) : a.key < b.key ? -1 : 1))
          .map(({ line }) => line);
        expect(sorted.text).toBe(expected.join('\n'));
        expect(sorted.count).toBe(expected.length);
      }),
      { numRuns: 200 },
    );
  });

  it('has no text without lines, and is empty again when all are gone', () => {
    const sorted = new SortedLines();
    expect([sorted.text, sorted.count]).toEqual(['', 0]);
    const lines = Array.from({ length: 300 }, (_, n) => lineOf('k', String(n)));
    for (const line of lines) sorted.add(line);
    for (const line of lines) sorted.remove(line);
    expect([sorted.text, sorted.count]).toEqual(['', 0]);
    sorted.add(lineOf('k', 'x'));
    expect([sorted.text, sorted.count]).toEqual(['- k x', 1]);
  });
});
