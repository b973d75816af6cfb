import fc from 'fast-check';
import { Catalog } from '../../../src/core/catalog/catalog';
import { sanitiseWing } from '../../../src/core/vocabulary/address';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { WingShelf } from '../../../src/core/catalog/wing-shelf';

const NET = sanitiseWing('net');

describe('WingShelf', () => {
  const change = fc.record({
    // Some of these are no addresses, and titles repeat.
    path: fc.constantFrom(
      'facts/a',
      'facts/b',
      'facts/B',
      'facts/c',
      'decisions/a',
      'decisions/z',
      'a',
      'deep/er/a',
    ),
    title: fc.constantFrom(null, 'Alpha', 'alpha', 'Beta', 'ß', 'Zed'),
    looks: fc.boolean(),
  });

  it('shows after any changes what one made anew shows', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
        const catalog = new Catalog();
        const kept = new WingShelf();
        for (const [mtime, { path, title, looks }] of changes.entries()) {
          const at = vaultPath(`wiki/net/${path}.md`);
          if (title === null) catalog.drop(at);
          else catalog.put(at, `# ${title}\n\nText ${mtime}.\n`, { mtime, size: 1 });
          if (!looks) continue;
          kept.update(catalog.notesOfWing(NET));
          const anew = new WingShelf();
          anew.update(catalog.notesOfWing(NET));
          expect(kept.halls).toEqual(anew.halls);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('orders notes by folded title, then by path, hall by hall', () => {
    const catalog = new Catalog();
    const put = (path: string, title: string) =>
      catalog.put(vaultPath(`wiki/net/${path}.md`), `# ${title}\n`, { mtime: 1, size: 1 });
    put('decisions/d', 'Delta');
    put('facts/x', 'alpha');
    put('facts/a', 'beta');
    put('facts/b', 'Alpha');
    put('loose', 'Loose');
    const shelf = new WingShelf();
    shelf.update(catalog.notesOfWing(NET));
    expect(shelf.halls).toEqual([
      {
        hall: 'facts',
        count: 3,
        text: '- [[wiki/net/facts/b|Alpha]]\n- [[wiki/net/facts/x|alpha]]\n- [[wiki/net/facts/a|beta]]',
      },
      { hall: 'decisions', count: 1, text: '- [[wiki/net/decisions/d|Delta]]' },
    ]);
    catalog.drop(vaultPath('wiki/net/decisions/d.md'));
    shelf.update(catalog.notesOfWing(NET));
    expect(shelf.halls.map(({ hall }) => hall)).toEqual(['facts']);
  });
});
