import { Catalog } from '../../../src/core/catalog/catalog';
import { sanitiseWing } from '../../../src/core/vocabulary/address';
import { sha256 } from '../../../src/core/base/hash';
import { type VaultPath, vaultPath } from '../../../src/core/vocabulary/paths';
import { searchNotes } from '../../support/search-notes';

const STAT = { mtime: 1, size: 1 };

function catalogOf(files: Readonly<Record<string, string>>): Catalog {
  const catalog = new Catalog();
  for (const [path, text] of Object.entries(files)) catalog.put(vaultPath(path), text, STAT);
  return catalog;
}

function paths(list: readonly { readonly path: VaultPath }[]): string[] {
  return list.map(({ path }) => path);
}

describe('a catalog', () => {
  const files = {
    'wiki/Home Lab/facts/nas.md':
      '# The NAS\n\nTwo disks, see [[WireGuard MTU]] and [[raw/2026-01-01-idea|idea]].',
    'wiki/Home Lab/decisions/raid.md': '---\naliases: [Mirror]\n---\nWe chose a mirror for the [[nas]].',
    'wiki/Home Lab/_index.md': '# Home Lab\n\n[[wiki/Home Lab/facts/nas|The NAS]]',
    'wiki/net/facts/wireguard-mtu.md':
      '---\ntitle: WireGuard MTU\ntunnels: ["[[wiki/Home Lab/facts/nas|The NAS]]", "[[wiki/gone/facts/x|X]]"]\n---\nThe MTU is 1420.',
    'wiki/net/facts/peers.md': `---\nsupersedes: ${'b'.repeat(64)}\n---\nSelf [[peers]], [mirror](Mirror) and [[wiki/net/facts/wireguard-mtu#Top]].`,
    'wiki/net/picture.png': 'png',
    'knowledge/old.md': '---\nwing: home lab\n---\nOld words about a mirror.',
    'raw/2026-01-01-idea.md': 'An idea about the MTU, with [[nas]].',
    'raw/rejected/bad.md': 'An idea about the MTU with nas, and [[nas]].',
    'inbox/processed/2026-01-01/report.pdf': 'pdf',
    'inbox/quarantine/2026-01-01/bad.pdf': 'pdf',
    'inbox/new.md': 'new',
  };
  const catalog = catalogOf(files);
  const at = (path: string) => vaultPath(path);

  it('lists notes by status and path', () => {
    expect(paths(catalog.notes('wiki'))).toEqual([
      'wiki/Home Lab/decisions/raid.md',
      'wiki/Home Lab/facts/nas.md',
      'wiki/net/facts/peers.md',
      'wiki/net/facts/wireguard-mtu.md',
    ]);
    expect(paths(catalog.notes('raw'))).toEqual(['raw/2026-01-01-idea.md']);
    expect(paths(catalog.notes('rejected'))).toEqual(['raw/rejected/bad.md']);
    expect(catalog.notes()).toHaveLength(7);
  });

  it.each([
    ['an equal path', 'wiki/net/picture.png', 'wiki/net/picture.png'],
    ['a path in other case', 'WIKI/NET/facts/Peers.md', 'wiki/net/facts/peers.md'],
    ['the inbox', 'inbox/NEW.md', 'inbox/new.md'],
    ['a wing index', 'wiki/home lab/_INDEX.md', 'wiki/Home Lab/_index.md'],
    ['nothing', 'wiki/net/facts/free.md', null],
  ])('knows that a name is taken by %s', (_, path, expected) => {
    expect(catalog.taken(at(path))).toBe(expected);
  });

  it('knows wings, their spelling and their notes', () => {
    expect(catalog.wings()).toEqual(['Home Lab', 'net']);
    expect(catalog.wingSpelling(sanitiseWing('home-lab'))).toBe('Home Lab');
    const [homeLab] = catalog.wings();
    expect(homeLab && paths(catalog.notesOfWing(homeLab))).toEqual([
      'wiki/Home Lab/decisions/raid.md',
      'wiki/Home Lab/facts/nas.md',
    ]);
    expect(catalog.notesOfWing(sanitiseWing('unknown'))).toEqual([]);
  });

  it('lists known files below a folder', () => {
    expect(catalog.pathsBelow('inbox/quarantine/')).toEqual(['inbox/quarantine/2026-01-01/bad.pdf']);
  });

  it('finds notes by what they say, by their bytes and by their past', () => {
    const key = catalog.record(at('raw/2026-01-01-idea.md'))?.content_key ?? sha256('');
    const twin = catalogOf({ ...files, 'raw/rejected/idea.md': 'an *idea* about the MTU with nas' });
    expect(twin.keyOwners(key)).toEqual(['raw/2026-01-01-idea.md', 'raw/rejected/idea.md']);
    expect(catalog.withHash(sha256(files['knowledge/old.md']))).toBe('knowledge/old.md');
    expect(catalog.withHash(sha256(files['raw/rejected/bad.md']))).toBeNull();
    expect(paths(catalog.superseding())).toEqual(['wiki/net/facts/peers.md']);
  });

  it('knows tunnels between notes that exist', () => {
    expect(catalog.tunnels()).toEqual([['wiki/net/facts/wireguard-mtu.md', ['wiki/Home Lab/facts/nas.md']]]);
  });

  it.each([
    [
      'by name, tunnel and from the queue',
      'wiki/Home Lab/facts/nas.md',
      ['raw/2026-01-01-idea.md', 'wiki/Home Lab/decisions/raid.md', 'wiki/net/facts/wireguard-mtu.md'],
    ],
    ['by path, not by title', 'wiki/net/facts/wireguard-mtu.md', ['wiki/net/facts/peers.md']],
    ['not by alias', 'wiki/Home Lab/decisions/raid.md', []],
    ['never from itself', 'wiki/net/facts/peers.md', []],
    ['to a raw note by its path', 'raw/2026-01-01-idea.md', ['wiki/Home Lab/facts/nas.md']],
  ])('finds backlinks %s', (_, path, expected) => {
    expect(catalog.backlinks(at(path))).toEqual(expected);
  });

  it('finds links that spell out a path', () => {
    expect(catalog.linksTo(at('wiki/Home Lab/facts/nas.md'))).toEqual(['wiki/net/facts/wireguard-mtu.md']);
    expect(catalog.linksTo(at('raw/2026-01-01-idea.md'))).toEqual(['wiki/Home Lab/facts/nas.md']);
    expect(catalog.linksTo(at('wiki/Home Lab/decisions/raid.md'))).toEqual([]);
  });

  it.each([
    ['wiki/net/facts/peers', 'wiki/net/facts/peers.md'],
    ['wiki/net/facts/peers.md', 'wiki/net/facts/peers.md'],
    ['wiki/Home Lab/_index', 'wiki/Home Lab/_index.md'],
    ['wiki/net/picture.png', 'wiki/net/picture.png'],
    ['inbox/processed/2026-01-01/report.pdf', 'inbox/processed/2026-01-01/report.pdf'],
    ['inbox/new.md', null],
    ['raw/2026-01-01-idea', null],
    ['raw/rejected/bad.md', null],
    ['peers', null],
    ['x'.repeat(1_000_000), null],
  ])('lets links lead to %.40s by path: %s', (path, expected) => {
    expect(catalog.has(path)).toBe(expected);
  });

  it.each([
    ['suffix', 'facts/peers', ['wiki/net/facts/peers.md']],
    ['suffix', 'wiki/net/facts/peers', ['wiki/net/facts/peers.md']],
    ['suffix', 'acts/peers', []],
    ['basename', 'nas', ['wiki/Home Lab/facts/nas.md']],
    ['basename', 'NAS', []],
    ['folded', 'wireguard mtu', ['wiki/net/facts/wireguard-mtu.md']],
    ['title', 'the nas', ['wiki/Home Lab/facts/nas.md']],
    ['alias', 'mirror', ['wiki/Home Lab/decisions/raid.md']],
    ['slug', 'wireguard-mtu', ['wiki/net/facts/wireguard-mtu.md']],
    ['basename', '2026-01-01-idea', []],
    ['basename', 'bad', []],
    ['basename', '_index', []],
  ] as const)('offers for the %s %j: %j', (tier, key, expected) => {
    expect(catalog.candidates(tier, key)).toEqual(expected);
  });

  it('knows titles and fragments of what links may lead to', () => {
    const note = catalogOf({ 'wiki/a/facts/b.md': '# Title\n\n## Part\n\ntext ^block\n' });
    expect(note.title(at('wiki/a/facts/b.md'))).toBe('Title');
    const held = ['Title', 'Title#Part', 'part', '^block', '^BLOCK', 'Part#Title', '^part', 'block'];
    expect(held.map((fragment) => note.holds(at('wiki/a/facts/b.md'), fragment))).toEqual([
      ...[true, true, true, true, true],
      ...[false, false, false],
    ]);
    expect(note.title(at('wiki/a/picture.png'))).toBe('picture');
    expect(note.holds(at('wiki/a/picture.png'), 'x')).toBe(true);
  });

  it('calls the map of a wing by the name of the wing, and does not know what stands in it', () => {
    const wings = catalogOf({ 'wiki/Home Lab/_index.md': '# Home Lab\n', 'wiki/net/facts/_index.md': 'x' });
    expect(wings.title(at('wiki/Home Lab/_index.md'))).toBe('Home Lab');
    expect(wings.title(at('wiki/net/facts/_index.md'))).toBe('_index');
    expect(wings.holds(at('wiki/Home Lab/_index.md'), 'x')).toBe(true);
  });

  it('finds who spells out a path from their own folder', () => {
    const links = catalogOf({
      'raw/2026-01-02-foo.md': '# Foo\n',
      'raw/mate.md': '[t](2026-01-02-foo.md)\n',
      'raw/no-mate.md': '[[2026-01-02-foo]] [t](sub/2026-01-02-foo.md)\n',
      'wiki/a/facts/b.md': '[t](../../../raw/2026-01-02-foo.md)\n',
      'wiki/a/facts/c.md': '[t](<brain/raw/2026-01-02-foo>)\n',
      'wiki/brain/facts/d.md': '[[brain/facts/d]] [[brain/facts/e]]\n',
      'wiki/brain/facts/e.md': '# E\n',
    });
    expect(links.linksTo(at('raw/2026-01-02-foo.md'))).toEqual([
      'raw/mate.md',
      'wiki/a/facts/b.md',
      'wiki/a/facts/c.md',
    ]);
    expect(links.backlinks(at('wiki/brain/facts/e.md'))).toEqual(['wiki/brain/facts/d.md']);
  });

  it('finds whose links open a note of the queue, by its name in any case', () => {
    const links = catalogOf({
      'raw/2026-01-02-Foo.md': '# Foo\n[[2026-01-02-foo]]\n',
      'raw/mate.md': '[t](2026-01-02-foo.md)\n',
      'wiki/a/facts/a.md': '![[2026-01-02-Foo#Foo|x]]\n',
      'wiki/a/facts/b.md': '[[2026-01-02-FOO.md]]\n',
      'wiki/a/facts/c.md': '[[2026-01-02 Foo]] [[/2026-01-02-Foo]] [t](./2026-01-02-Foo.md)\n',
      'raw/rejected/d.md': '[[2026-01-02-Foo]]\n',
    });
    expect(links.backlinks(at('raw/2026-01-02-Foo.md'))).toEqual([
      'raw/mate.md',
      'wiki/a/facts/a.md',
      'wiki/a/facts/b.md',
    ]);
  });

  describe('searches', () => {
    const found = (query: string, filter = {}) =>
      searchNotes(catalog, query, { limit: 10, ...filter })
        .map(({ record }) => record.path)
        .sort();

    it.each([
      [
        'wiki and knowledge',
        'mirror mtu',
        {},
        [
          'knowledge/old.md',
          'wiki/Home Lab/decisions/raid.md',
          'wiki/Home Lab/facts/nas.md',
          'wiki/net/facts/peers.md',
          'wiki/net/facts/wireguard-mtu.md',
        ],
      ],
      [
        'raw notes when asked',
        'idea',
        { includeRaw: true },
        ['raw/2026-01-01-idea.md', 'wiki/Home Lab/facts/nas.md'],
      ],
      [
        'a wing, also of notes that only say so',
        'mirror',
        { wing: sanitiseWing('home-lab') },
        ['knowledge/old.md', 'wiki/Home Lab/decisions/raid.md'],
      ],
      ['a hall', 'mirror', { hall: 'decisions' }, ['wiki/Home Lab/decisions/raid.md']],
      ['a wing that is not there', 'mirror', { wing: sanitiseWing('nowhere') }, []],
      [
        'no wing index and no file of the inbox',
        'home new pdf',
        {},
        ['knowledge/old.md', 'wiki/Home Lab/decisions/raid.md', 'wiki/Home Lab/facts/nas.md'],
      ],
    ])('%s', (_, query, filter, expected) => {
      expect(found(query, filter)).toEqual(expected);
    });
  });

  it('offers similar notes, reviewed ones and not the note itself', () => {
    const idea = catalog.record(at('raw/2026-01-01-idea.md'));
    expect(
      catalog.similar(idea?.title ?? '', idea?.excerpt ?? '', {
        exclude: at('raw/2026-01-01-idea.md'),
        limit: 3,
      }),
    ).toEqual([
      { path: 'wiki/Home Lab/facts/nas.md', title: 'The NAS', terms: ['idea', 'na', 'mtu'] },
      { path: 'wiki/net/facts/wireguard-mtu.md', title: 'WireGuard MTU', terms: ['mtu'] },
      { path: 'wiki/Home Lab/decisions/raid.md', title: 'raid', terms: ['na'] },
    ]);
    expect(catalog.similar('xylophone', 'quartz', { limit: 3 })).toEqual([]);
  });
});
