import { foldLink, LINK_TIERS, resolveLink, titleKey } from '../../../src/core/rules/links';
import { pathAddress, percentDecoded, readAddress, schemeOf } from '../../../src/core/rules/links-address';
import { vaultPath } from '../../../src/core/rules/paths';
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
