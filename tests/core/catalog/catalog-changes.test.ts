import fc from 'fast-check';
import { Catalog } from '../../../src/core/catalog/catalog';
import type { VaultPath } from '../../../src/core/vocabulary/paths';
import { answers, PATHS, TEXTS } from '../../support/catalog-answers';

describe('a catalog after any changes', () => {
  const change = fc.record({
    path: fc.constantFrom(...PATHS),
    text: fc.constantFrom(...TEXTS),
    kind: fc.constantFrom('put', 'put', 'put', 'drop', 'unread', 'known'),
    mtime: fc.integer({ min: 1, max: 2 }),
  });

  it('answers exactly as one built anew from the same files', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 12 }), (changes) => {
        const catalog = new Catalog();
        const files = new Map<VaultPath, { text: string; mtime: number } | null>();
        for (const { path, text, kind, mtime } of changes) {
          if (kind === 'put') {
            catalog.put(path, text, { mtime, size: text.length });
            files.set(path, { text, mtime });
          } else if (kind === 'drop') {
            catalog.drop(path);
            files.delete(path);
          } else if (kind === 'unread') {
            catalog.addUnreadable(path, 'not text');
            files.set(path, null);
          } else {
            catalog.addPath(path);
            if (!files.has(path)) files.set(path, null);
          }
        }
        const anew = new Catalog();
        for (const [path, file] of [...files].reverse()) {
          if (file === null) anew.addPath(path);
          else anew.put(path, file.text, { mtime: file.mtime, size: file.text.length });
        }
        // As text: comparing large values one by one would take most of the time of this test.
        expect(JSON.stringify(answers(catalog))).toBe(JSON.stringify(answers(anew)));
      }),
      { numRuns: 1000 },
    );
  }, 120_000);
});
