import { erase, fileAt, withHost } from './world';

const NOTE = `---
title: DNS
tags: [net]
---
# One
See [[other#part|that]], ![[pic.png]], [web](https://example.com) and [md](sub/third.md). #tag
\`\`\`
# no heading, [[no link]]
\`\`\`
## Two ##
`;

test('reads front matter, headings, links, embeds and tags with their places', () =>
  withHost({ files: { 'a.md': NOTE } }, async (host) => {
    const cache = host.app.metadataCache.getFileCache(fileAt(host, 'a.md'));
    expect(cache?.frontmatter).toEqual({ title: 'DNS', tags: ['net'] });
    expect(cache?.frontmatterPosition?.end.offset).toBe(NOTE.indexOf('# One'));
    expect(cache?.headings).toMatchObject([
      { heading: 'One', level: 1, position: { start: { line: 4, col: 0 } } },
      { heading: 'Two', level: 2, position: { start: { line: 9, col: 0 } } },
    ]);
    expect(cache?.links?.map(({ link, displayText }) => [link, displayText])).toEqual([
      ['other#part', 'that'],
      ['sub/third.md', 'md'],
    ]);
    const [first] = cache?.links ?? [];
    expect(NOTE.slice(first?.position.start.offset, first?.position.end.offset)).toBe('[[other#part|that]]');
    expect(cache?.embeds).toMatchObject([{ link: 'pic.png' }]);
    expect(cache?.tags).toMatchObject([{ tag: '#tag' }]);
  }));

test('lags behind a write, and says when it has caught up', () =>
  withHost({ files: { 'a.md': '# Old' } }, async (host) => {
    const { metadataCache, vault } = host.app;
    const file = fileAt(host, 'a.md');
    const told: string[] = [];
    metadataCache.on('changed', (changed, data, cache) => {
      told.push(`changed ${changed.path} ${data} ${cache.headings?.[0]?.heading ?? ''}`);
    });
    metadataCache.on('resolve', (resolved) => told.push(`resolve ${resolved.path}`));
    metadataCache.on('resolved', () => told.push('resolved'));
    await vault.modify(file, '# New');
    expect(metadataCache.getFileCache(file)?.headings?.[0]?.heading).toBe('Old');
    expect(told).toEqual([]);
    await host.settle();
    expect(metadataCache.getFileCache(file)?.headings?.[0]?.heading).toBe('New');
    expect(told).toEqual(['changed a.md # New New', 'resolve a.md', 'resolved']);
  }));

test('forgets a file that goes, and follows one that moves', () =>
  withHost({ files: { 'a.md': '# A', 'b.md': '# B' } }, async (host) => {
    const { metadataCache, vault } = host.app;
    const told: string[] = [];
    metadataCache.on('deleted', (file, before) => {
      told.push(`${file.path} ${before?.headings?.[0]?.heading ?? ''}`);
    });
    await erase(host, fileAt(host, 'a.md'));
    await vault.rename(fileAt(host, 'b.md'), 'c.md');
    expect(told).toEqual(['a.md A']);
    expect(metadataCache.getCache('a.md')).toBeNull();
    expect(metadataCache.getCache('c.md')?.headings?.[0]?.heading).toBe('B');
  }));

test('counts links that lead somewhere, and those that do not', () =>
  withHost(
    { files: { 'a.md': '[[b]] [[b]] [[gone]]', 'd/b.md': '' } },
    async ({ app: { metadataCache } }) => {
      expect(metadataCache.resolvedLinks['a.md']).toEqual({ 'd/b.md': 2 });
      expect(metadataCache.unresolvedLinks['a.md']).toEqual({ gone: 1 });
    },
  ));

test.each([
  ['x', 'note.md', 'x.md'],
  ['X', 'note.md', 'x.md'],
  ['a/x', 'note.md', 'a/x.md'],
  ['x', 'a/note.md', 'x.md'],
  ['y', 'note.md', 'b/y.md'],
  ['y', 'long/way/to/note.md', 'long/way/to/y.md'],
  ['b/y.md', 'note.md', 'b/y.md'],
  ['./y', 'b/note.md', 'b/y.md'],
  ['../x', 'b/note.md', 'x.md'],
  ['/y', 'note.md', null],
  ['/b/y', 'note.md', 'b/y.md'],
  ['pic.png', 'note.md', 'b/pic.png'],
  ['', 'b/y.md', 'b/y.md'],
  ['nowhere', 'note.md', null],
])('the link %s in %s leads to %s', (link, source, target) =>
  withHost(
    { files: { 'x.md': '', 'a/x.md': '', 'b/y.md': '', 'long/way/to/y.md': '', 'b/pic.png': '' } },
    async ({ app }) => {
      expect(app.metadataCache.getFirstLinkpathDest(link, source)?.path ?? null).toBe(target);
    },
  ),
);

test('a link leads to what stands there now, also in the middle of an event', () =>
  withHost({ files: { 'a.md': '[[b]]', 'd/c.md': '' } }, async (host) => {
    const { metadataCache, vault } = host.app;
    const leads = () => metadataCache.getFirstLinkpathDest('b', 'a.md')?.path ?? null;
    const seen: (string | null)[] = [leads()];
    vault.on('create', () => seen.push(leads()));
    vault.on('rename', () => seen.push(leads()));
    vault.on('delete', () => seen.push(leads()));
    await vault.create('d/b.md', '');
    await vault.rename(fileAt(host, 'd/b.md'), 'd/x.md');
    await vault.rename(fileAt(host, 'd/x.md'), 'b.md');
    await erase(host, fileAt(host, 'b.md'));
    expect(seen).toEqual([null, 'd/b.md', null, 'b.md', null]);
  }));

test('fileToLinktext is a name where that is clear, else a path', () =>
  withHost({ files: { 'a/x.md': '', 'b/x.md': '', 'a/y.md': '' } }, async (host) => {
    const { metadataCache } = host.app;
    expect(metadataCache.fileToLinktext(fileAt(host, 'a/y.md'), '')).toBe('y');
    expect(metadataCache.fileToLinktext(fileAt(host, 'a/y.md'), '', false)).toBe('y.md');
    expect(metadataCache.fileToLinktext(fileAt(host, 'a/x.md'), '')).toBe('a/x');
  }));
