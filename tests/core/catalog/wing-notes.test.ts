import fc from 'fast-check';
import { Catalog } from '../../../src/core/catalog/catalog';
import { sanitiseWing } from '../../../src/core/vocabulary/address';
import { vaultPath } from '../../../src/core/vocabulary/paths';

describe('the notes of a wing', () => {
  it('are those below its folder, by path, each as it was put last', () => {
    const path = fc.constantFrom(
      'wiki/net/facts/a',
      'wiki/net/facts/B',
      'wiki/net/x/y/z',
      'wiki/home/facts/a',
      'wiki/b',
      'knowledge/a',
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(path, fc.boolean()), { maxLength: 30 }), (changes) => {
        const catalog = new Catalog();
        const model = new Map<string, number>();
        changes.forEach(([each, puts], mtime) => {
          const at = vaultPath(`${each}.md`);
          if (puts) catalog.put(at, `# ${mtime}\n`, { mtime, size: 1 });
          else catalog.drop(at);
          if (puts) model.set(at, mtime);
          else model.delete(at);
        });
        for (const wing of ['net', 'home', 'none']) {
          const expected = [...model].filter(([at]) => at.startsWith(`wiki/${wing}/`)).sort();
          const notes = catalog.notesOfWing(sanitiseWing(wing));
          expect(notes.map(({ path: at, mtime }) => [at, mtime])).toEqual(expected);
        }
      }),
      { numRuns: 500 },
    );
  });
});
