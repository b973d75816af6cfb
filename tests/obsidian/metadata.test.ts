import { erase, fileAt, withHost } from './world';

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
