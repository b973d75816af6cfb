import { Catalog } from '../../../src/core/catalog/catalog';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { finish } from '../../../src/core/base/steps';
import { searchNotes } from '../../support/search-notes';

const A = vaultPath('wiki/net/facts/a.md');
const B = vaultPath('wiki/net/facts/b.md');
const TEXT = '# Alpha\n\nThe tunnel to [[b]] is up.\n';
const OTHER = '# Beta\n\nRestic ran.\n';
const STAT = { mtime: 1, size: 1 };

function answers(catalog: Catalog) {
  const hits = searchNotes(catalog, 'tunnel restic', { limit: 5 });
  return {
    notes: catalog.notes(),
    hits: hits.map(({ record, score }) => [record.path, score]),
    links: catalog.linksTo(vaultPath('b.md')),
  };
}

describe('a note read before its file stands', () => {
  it.each([0, 1, 2])('is not known yet, whatever was done of it: %i pieces', (pieces) => {
    const catalog = new Catalog();
    for (const piece of catalog.prepare(A, TEXT).slice(0, pieces)) finish(piece);
    expect(answers(catalog)).toEqual(answers(new Catalog()));
    expect(catalog.revision).toBe(0);
  });

  it.each([0, 1, 2])('is put as if it had not been, with %i pieces done', (pieces) => {
    const [ahead, plain] = [new Catalog(), new Catalog()];
    for (const piece of ahead.prepare(A, TEXT).slice(0, pieces)) finish(piece);
    for (const catalog of [ahead, plain]) catalog.put(A, TEXT, STAT);
    expect(answers(ahead)).toEqual(answers(plain));
    expect(answers(ahead).hits).toHaveLength(1);
  });

  it.each([
    ['another text', A, OTHER],
    ['another path', B, TEXT],
  ])('does not stand for %s', (_, path, text) => {
    const [ahead, plain] = [new Catalog(), new Catalog()];
    for (const piece of ahead.prepare(A, TEXT)) finish(piece);
    for (const catalog of [ahead, plain]) {
      catalog.put(path, text, STAT);
      catalog.put(A, TEXT, { mtime: 2, size: 1 });
    }
    expect(answers(ahead)).toEqual(answers(plain));
  });

  it('does nothing for a file that is no note', () => {
    expect(new Catalog().prepare(vaultPath('wiki/net/_index.md'), TEXT)).toEqual([]);
  });
});
