import fc from 'fast-check';
import { finish } from '../../../src/core/base/steps';
import { Catalog } from '../../../src/core/catalog/catalog';
import { opens } from '../../../src/core/links/resolve';
import { type VaultPath, vaultPath } from '../../../src/core/vocabulary/paths';

const STAT = { mtime: 1, size: 1 };
const MANY_TAGS = Array.from({ length: 600 }, (_, n) => ` #t${n}`).join('');

function catalogOf(files: Readonly<Record<string, string>>): Catalog {
  const catalog = new Catalog();
  for (const [path, text] of Object.entries(files)) catalog.put(vaultPath(path), text, STAT);
  return catalog;
}

/** The notes with a link that leads to the path, found by following every link of every note. */
function byFollowing(catalog: Catalog, path: VaultPath): VaultPath[] {
  const leads = (link: { target: string; kind?: string }, from: VaultPath) => {
    const relative = link.kind === 'mdlink' || link.kind === 'image';
    return from !== path && opens(link.target, from, catalog, relative) === path;
  };
  return catalog
    .notes()
    .filter(({ status }) => status !== 'rejected')
    .filter((note) => {
      const tunnels = note.tunnels.map((target) => ({ target }));
      return [...note.links, ...tunnels].some((link) => leads(link, note.path));
    })
    .map((note) => note.path);
}

describe('backlinks', () => {
  const target = vaultPath('wiki/net/facts/mtu.md');

  /** So many notes, each with so many links, of which the last is made by `last`. */
  function crowd(notes: number, links: number, last: (note: number) => string): Catalog {
    const catalog = catalogOf({ [target]: '# The MTU\n', 'wiki/net/facts/peers.md': '# Peers\n' });
    for (let note = 0; note < notes; note += 1) {
      const others = Array.from({ length: links - 1 }, (_, n) => `[[wiki/net/facts/other-${note}-${n}]]`);
      catalog.put(vaultPath(`knowledge/n${note + 100}.md`), `${others.join(' ')} ${last(note)}`, STAT);
    }
    return catalog;
  }

  it('follows only the links that may mean the note', () => {
    const catalog = crowd(50, 40, () => '[[mtu]]');
    const asked = jest.spyOn(catalog, 'has');
    expect(catalog.backlinks(target)).toHaveLength(50);
    expect(asked.mock.calls.length).toBeLessThanOrEqual(50);
  });

  it('follows none of a note after the first that leads there', () => {
    const catalog = crowd(
      1,
      1,
      () => '[[mtu]] [[MTU]] [[The MTU]] [[facts/mtu]] [mtu](mtu) [[wiki/net/facts/mtu]]',
    );
    const asked = jest.spyOn(catalog, 'has');
    expect(catalog.backlinks(target)).toEqual(['knowledge/n100.md']);
    expect(asked.mock.calls.length).toBeLessThanOrEqual(2);
  });

  it('goes on after a link that only looks as if it led there', () => {
    const catalog = crowd(2, 1, (note) => (note === 0 ? '[[other/mtu]] [[mtu]]' : '[[other/mtu]]'));
    expect(catalog.backlinks(target)).toEqual(['knowledge/n100.md']);
  });

  it('follows no link by another path that only ends in its name', () => {
    const catalog = crowd(1, 1, () => Array.from({ length: 100 }, (_, n) => `[[${n}/mtu]]`).join(' '));
    const asked = jest.spyOn(catalog, 'has');
    expect(catalog.backlinks(target)).toEqual([]);
    expect(asked).not.toHaveBeenCalled();
  });

  it('takes in, replaces and drops a note without a look at each of its links', () => {
    const path = vaultPath('knowledge/many.md');
    const links = Array.from({ length: 1500 }, (_, n) => `[[other ${n}]]`).join('\n\n');
    const catalog = catalogOf({ [target]: '# The MTU\n' });
    const found: string[][] = [];
    // Each look at a link normalises it.
    const looks = ['[[mtu]]', '[[mtu]] again'].map((last, mtime) => {
      const text = `${links}\n\n${last}\n`;
      for (const piece of catalog.prepare(path, text)) finish(piece);
      const normalised = jest.spyOn(String.prototype, 'normalize');
      catalog.put(path, text, { mtime, size: 1 });
      const { length } = normalised.mock.calls;
      normalised.mockRestore();
      found.push(catalog.backlinks(target));
      return length;
    });
    const normalised = jest.spyOn(String.prototype, 'normalize');
    catalog.drop(path);
    looks.push(normalised.mock.calls.length);
    normalised.mockRestore();
    expect(Math.max(...looks)).toBeLessThan(500);
    expect(found).toEqual([[path], [path]]);
    expect(catalog.backlinks(target)).toEqual([]);
  });

  it('forgets the links of a note that went, and keeps those that others share with it', () => {
    const catalog = crowd(2, 1, () => '[[mtu]] and [[mtu]] again');
    catalog.drop(vaultPath('knowledge/n100.md'));
    expect(catalog.backlinks(target)).toEqual(['knowledge/n101.md']);
    catalog.put(vaultPath('knowledge/n101.md'), 'no link', STAT);
    expect(catalog.backlinks(target)).toEqual([]);
    catalog.put(vaultPath('knowledge/n102.md'), '[[mtu]]', STAT);
    expect(catalog.backlinks(target)).toEqual(['knowledge/n102.md']);
  });

  it('are those found by following every link, whatever was put and dropped', () => {
    const path = fc.constantFrom(
      ...[
        ...['wiki/net/facts/mtu.md', 'wiki/net/facts/Größe.md', 'wiki/home/facts/mtu.md', 'knowledge/mtu.md'],
        ...[
          'wiki/net/facts/deep/index-note.md',
          'knowledge/con.md',
          'wiki/brain/facts/mtu.md',
          'raw/2026-01-01-mtu.md',
          'raw/rejected/mtu.md',
        ],
      ].map(vaultPath),
    );
    const name = fc.constantFrom(
      ...[
        'mtu',
        'MTU',
        'the  mtu',
        'The-MTU',
        'mtu.md',
        'größe',
        'GROSSE',
        'index',
        'con',
        '???',
        'tunnel_size',
      ],
    );
    const folder = fc.constantFrom(
      '',
      './',
      '../',
      '../facts/',
      'facts/',
      'x/',
      'wiki/net/facts/',
      '/brain/knowledge/',
      'brain/',
      'brain/facts/',
      'brain/wiki/net/facts/',
      'wiki\\net\\facts\\',
      'a/../',
    );
    const link = fc
      .tuple(folder, name, fc.boolean())
      .map(([before, last, wiki]) => (wiki ? `[[${before}${last}]]` : `[x](<${before}${last}>)`));
    const text = fc
      .tuple(
        fc.constantFrom('', '---\ntitle: The MTU\naliases: [Tunnel size, "???"]\n---\n'),
        fc.array(link, { maxLength: 4, size: 'max' }),
        // A note with many tags keeps its links to itself.
        fc.oneof(
          { arbitrary: fc.constant(''), weight: 15 },
          { arbitrary: fc.constant(MANY_TAGS), weight: 1 },
        ),
      )
      .map(([block, links, tags]) => block + links.join(' and ') + tags);
    const change = fc.record({ path, text: fc.option(text, { freq: 4 }) });
    let [drawn, found] = [0, 0];
    fc.assert(
      fc.property(fc.array(change, { maxLength: 14, size: 'max' }), (changes) => {
        drawn += 1;
        const catalog = new Catalog();
        for (const each of changes) {
          if (each.text === null) catalog.drop(each.path);
          else catalog.put(each.path, each.text, STAT);
        }
        for (const note of catalog
          .notes()
          .filter(({ status }) => status === 'wiki' || status === 'knowledge')) {
          const expected = byFollowing(catalog, note.path);
          found += expected.length;
          expect(catalog.backlinks(note.path)).toEqual(expected);
        }
      }),
      { numRuns: 1000 },
    );
    expect(found).toBeGreaterThan(0.3 * drawn);
  });
});
