import * as fc from 'fast-check';
import { foldLink, LINK_TIERS, resolveLink, titleKey } from '../../../src/core/links/resolve';
import { pathAddress, percentDecoded, readAddress, schemeOf } from '../../../src/core/markdown/address';
import { folderOf, vaultPath, zoneOf } from '../../../src/core/vocabulary/paths';
import { linkTargets } from '../../support/link-targets';

describe('foldLink', () => {
  it.each([
    ['WireGuard MTU', 'wireguard mtu'],
    ['wireguard-mtu', 'wireguard mtu'],
    ['wireguard_ - mtu', 'wireguard mtu'],
    ['  Größe & Maß ', 'grosse & mass'],
    ['Ｗｉｄｅ', 'wide'],
    ['край', 'край'],
    ['東京 天気', '東京 天気'],
  ])('%j folds to %j', (text, folded) => {
    expect(foldLink(text)).toBe(folded);
    expect(foldLink(folded)).toBe(folded);
    expect(titleKey(text)).toBe(folded);
  });
});

describe('resolveLink', () => {
  const here = { path: vaultPath('wiki/lab/facts/here.md'), wing: 'lab', hall: 'facts' };

  /** A vault in which `Deep Thought` is named by one note for each tier, weaker and weaker. */
  const named = {
    exact: { path: 'Deep Thought.md' },
    suffix: { path: 'wiki/a/facts/x/Deep Thought.md' },
    basename: { path: 'knowledge/Deep Thought.md' },
    folded: { path: 'wiki/b/facts/deep_thought.md' },
    title: { path: 'wiki/c/facts/c.md', title: 'Deep  thought' },
    alias: { path: 'wiki/d/facts/d.md', title: 'D', aliases: ['DEEP-THOUGHT'] },
  };

  it('takes the strongest tier that has a hit', () => {
    const order = ['exact', 'basename', 'folded', 'title', 'alias'] as const;
    order.forEach((tier, index) => {
      const notes = order.slice(index).map((each) => named[each]);
      expect(resolveLink('Deep Thought', here, linkTargets(notes))).toEqual({
        status: 'resolved',
        path: named[tier].path,
        tier,
      });
    });
    expect(resolveLink('x/Deep Thought', here, linkTargets([named.suffix]))).toMatchObject({
      tier: 'suffix',
    });
    expect(resolveLink('Deep, thought!', here, linkTargets([named.folded]))).toMatchObject({ tier: 'slug' });
    expect(LINK_TIERS).toHaveLength(6);
  });

  it.each([
    [
      'same wing and hall',
      ['wiki/lab/facts/m.md', 'wiki/lab/decisions/m.md', 'wiki/net/facts/m.md'],
      'wiki/lab/facts/m.md',
    ],
    ['same wing', ['wiki/lab/decisions/m.md', 'wiki/net/facts/m.md'], 'wiki/lab/decisions/m.md'],
    ['the only one', ['wiki/net/facts/m.md'], 'wiki/net/facts/m.md'],
  ])('settles several hits by %s', (_rule, paths, path) => {
    expect(resolveLink('m', here, linkTargets(paths.map((each) => ({ path: each }))))).toMatchObject({
      status: 'resolved',
      path,
    });
  });

  it.each([
    [['wiki/net/facts/m.md', 'wiki/dns/facts/m.md']],
    [['wiki/lab/sources/m.md', 'wiki/lab/decisions/m.md']],
    [['knowledge/m.md', 'wiki/net/facts/m.md']],
  ])('is at a loss between %j', (paths) => {
    const targets = linkTargets(paths.map((path) => ({ path })));
    expect(resolveLink('m', here, targets)).toEqual({ status: 'ambiguous', candidates: paths });
  });

  it.each([
    ['wiki/lab/facts/here', 'self'],
    ['here', 'self'],
    ['Here', 'self'],
    ['nope', 'missing'],
    ['', 'missing'],
    ['   ', 'missing'],
    ['!?', 'missing'],
    ['x'.repeat(5000), 'missing'],
    ['raw/x', 'unreviewed'],
    ['/brain/raw/x.md', 'unreviewed'],
    ['./../../../raw/x', 'unreviewed'],
    ['../../../../../raw/x', 'unreviewed'],
    ['raw\\x', 'unreviewed'],
    ['inbox/x', 'unreviewed'],
    ['sessions/x.jsonl', 'protected'],
    ['a/.hidden/x', 'protected'],
  ])('%j is %s', (target, status) => {
    const targets = linkTargets([{ path: here.path }, { path: 'raw/x.md' }, { path: 'inbox/x.md' }]);
    expect(resolveLink(target, here, targets).status).toBe(status);
  });

  it('counts Markdown links from the folder of the note first', () => {
    const targets = linkTargets([{ path: 'wiki/lab/facts/a/m.md' }, { path: 'a/m.md' }]);
    expect(resolveLink('a/m.md', here, targets, true)).toMatchObject({ path: 'wiki/lab/facts/a/m.md' });
    expect(resolveLink('a/m.md', here, targets)).toMatchObject({ path: 'a/m.md' });
    expect(resolveLink('/a/m.md', here, targets, true)).toMatchObject({ path: 'a/m.md' });
    expect(resolveLink('./a/m.md', here, targets)).toMatchObject({ path: 'wiki/lab/facts/a/m.md' });
    expect(resolveLink('a/m.md', { ...here, path: null }, targets, true)).toMatchObject({ path: 'a/m.md' });
  });

  describe('from a note of the queue', () => {
    const queued = { path: vaultPath('raw/sub/2026-01-02-x.md'), wing: null, hall: null };
    const targets = linkTargets([
      { path: 'wiki/lab/facts/mtu.md' },
      { path: 'raw/sub/mate.md' },
      { path: 'raw/other.md' },
      { path: 'knowledge/dotnet.md', title: '.NET' },
      { path: 'attachments/a.png' },
    ]);

    it.each([
      ['wiki/lab/facts/mtu.md', 'wiki/lab/facts/mtu.md'],
      ['/wiki/lab/facts/mtu.md', 'wiki/lab/facts/mtu.md'],
      ['brain/wiki/lab/facts/mtu.md', 'wiki/lab/facts/mtu.md'],
      ['../../wiki/lab/facts/mtu.md', 'wiki/lab/facts/mtu.md'],
      ['mtu.md', 'wiki/lab/facts/mtu.md'],
      ['./mtu.md', 'wiki/lab/facts/mtu.md'],
      ['facts/mtu', 'wiki/lab/facts/mtu.md'],
      ['attachments/a.png', 'attachments/a.png'],
      ['.NET', 'knowledge/dotnet.md'],
    ])('%j leads to %j: its own folder is closed, the vault is not', (target, path) => {
      expect(resolveLink(target, queued, targets, true)).toMatchObject({ status: 'resolved', path });
    });

    it.each([
      ['nowhere.md', 'missing'],
      ['mate.md', 'missing'],
      ['2026-01-02-x.md', 'self'],
      ['raw/other.md', 'unreviewed'],
      ['../raw/other.md', 'unreviewed'],
      ['../../raw/other.md', 'unreviewed'],
      ['a/../../../../raw/other.md', 'unreviewed'],
      ['brain/raw/other.md', 'unreviewed'],
      ['RAW/other.md', 'unreviewed'],
      ['../../inbox/a.pdf', 'unreviewed'],
      ['../../sessions/a.jsonl', 'protected'],
      ['../../.brain/version', 'protected'],
      ['.hidden/a.md', 'protected'],
    ])('%j is %s', (target, status) => {
      expect(resolveLink(target, queued, targets, true).status).toBe(status);
    });

    it('reaches a page of its batch that is let in', () => {
      const admits = (path: string) => (path === 'raw/sub/mate.md' ? vaultPath(path) : null);
      const mates = { ...targets, admits };
      expect(resolveLink('mate.md', queued, mates, true)).toMatchObject({ path: 'raw/sub/mate.md' });
      expect(resolveLink('../other.md', queued, mates, true).status).toBe('missing');
    });
  });

  it('never leads into a closed place but to what is let in, whatever stands where', () => {
    const isOpen = (each: string) =>
      ['wiki', 'knowledge', 'processed', 'other'].includes(zoneOf(each.toLowerCase()));
    const closed = [
      'raw',
      'inbox',
      'sessions',
      '.brain',
      '.obsidian',
      'inbox/quarantine',
      'raw/rejected',
      'Raw',
    ];
    const open = ['wiki/lab/facts', 'knowledge', 'inbox/processed/2026-01-02', 'attachments', 'brain', ''];
    const folder = fc.constantFrom(...closed, ...open, 'raw/sub', 'wiki/brain/facts', 'wiki/.x');
    const name = fc.constantFrom('mtu', 'x.md', 'a.png', 'mate.md', '.NET', 'x');
    const path = fc
      .tuple(folder, name)
      .map(([before, last]) => vaultPath([before, last].filter(Boolean).join('/')));
    const piece = fc.oneof(
      fc.constantFrom('..', '.', '', 'brain', 'raw', 'RAW', 'wiki', 'lab', 'facts', 'inbox', 'sub', '\\'),
      folder,
      name,
    );
    const target = fc.oneof(
      fc.array(piece, { maxLength: 7 }).map((pieces) => pieces.join('/')),
      path,
      fc.string(),
    );
    let [drawn, resolved] = [0, 0];
    fc.assert(
      fc.property(
        target,
        path,
        fc.func(fc.boolean()),
        fc.option(path),
        fc.boolean(),
        (link, at, has, mate, md) => {
          drawn += 1;
          const targets = {
            ...linkTargets([]),
            // A vault that has what it is asked for, wherever that is.
            has: (asked: string) => (has(asked) ? vaultPath(asked) : null),
            admits: (asked: string) => (asked === mate ? mate : null),
          };
          const found = resolveLink(link, { path: at, wing: null, hall: null }, targets, md);
          if (found.status !== 'resolved' || found.path === mate) return;
          resolved += 1;
          const isName = folderOf(found.path) === '';
          expect(isName || isOpen(found.path)).toBe(true);
        },
      ),
      { numRuns: 5000 },
    );
    expect(resolved).toBeGreaterThan(drawn / 5);
  });

  it.each([
    ['brain/facts/x', 'wiki/brain/facts/x.md'],
    ['brain/facts/x.md', 'wiki/brain/facts/x.md'],
    ['brain/wiki/net/facts/x', 'wiki/net/facts/x.md'],
    ['/brain/wiki/net/facts/x', 'wiki/net/facts/x.md'],
    ['brain/plan.png', 'brain/plan.png'],
    ['brain/wiki/plan.png', 'brain/wiki/plan.png'],
    ['brain/knowledge/x', 'knowledge/x.md'],
  ])('takes %j as it is written, and for the vault only where a folder of ours follows', (target, path) => {
    const from = { path: vaultPath('wiki/net/facts/here.md'), wing: 'net', hall: 'facts' };
    const targets = linkTargets([
      { path: 'wiki/brain/facts/x.md' },
      { path: 'wiki/net/facts/x.md' },
      { path: 'knowledge/x.md' },
      { path: 'brain/plan.png' },
      { path: 'brain/wiki/plan.png' },
    ]);
    for (const relative of [false, true])
      expect(resolveLink(target, from, targets, relative)).toMatchObject({ status: 'resolved', path });
  });

  it('finds a name in the other composition of its accents', () => {
    expect(resolveLink('Cafe\u0301', here, linkTargets([{ path: 'knowledge/Café.md' }]))).toMatchObject({
      tier: 'basename',
    });
  });
});

describe('readAddress', () => {
  it.each([
    ['https://x/a%20b?c#d', { kind: 'web', scheme: 'https' }],
    ['MAILTO:a@b', { kind: 'web', scheme: 'mailto' }],
    ['htt\tp://x', { kind: 'web', scheme: 'http' }],
    ['//x', { kind: 'host' }],
    ['/\\x', { kind: 'host' }],
    ['%2f%2fx', { kind: 'host' }],
    ['ftp://x', { kind: 'unsafe', scheme: 'ftp' }],
    [`x${'y'.repeat(9000)}`, { kind: 'unsafe', scheme: 'too-long' }],
    ['a%20b.md#c%20d', { kind: 'internal', name: 'a b.md', fragment: 'c d' }],
    ['<a b.md>', { kind: 'internal', name: 'a b.md', fragment: null }],
    ['a%23b#', { kind: 'internal', name: 'a#b', fragment: '' }],
    ['a\\(b\\).md', { kind: 'internal', name: 'a(b).md', fragment: null }],
    ['a&amp;b', { kind: 'internal', name: 'a&b', fragment: null }],
    ['100%', { kind: 'internal', name: '100%', fragment: null }],
    ['#x', { kind: 'internal', name: '', fragment: 'x' }],
    ['', { kind: 'internal', name: '', fragment: null }],
  ])('%j is %j', (raw, address) => {
    expect(readAddress(raw)).toEqual(address);
  });

  it('finds no scheme where none can be', () => {
    expect(['a/b:c', '1a:b', ':x', 'a b', '.md', 'ä:x'].map(schemeOf)).toEqual([
      null,
      null,
      null,
      null,
      null,
      null,
    ]);
  });

  it('decodes what it can of broken escapes', () => {
    expect(percentDecoded('%zz %41 %ff%42 %E6%9D%B1')).toBe('%zz A %ffB 東');
  });

  it('writes a path so that it is read again', () => {
    for (const path of ['a b/c (d).md', 'ä/100%.md', "it's #1; & [x]?.md", 'a"b<c>\\d.md']) {
      expect(readAddress(pathAddress(path))).toMatchObject({ kind: 'internal', name: path });
    }
  });
});
