import fc from 'fast-check';
import { finish } from '../../../src/core/base/steps';
import { Catalog } from '../../../src/core/catalog/catalog';
import { FolderLinks } from '../../../src/core/ingest/folder-links';
import { withMarkdownLinks } from '../../../src/core/ingest/html-links';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { cpuMs } from '../../support/cpu';

/** Links between files; each has one page, whose path is made of its place. */
function linksOf(places: readonly string[], titles: Readonly<Record<string, string>> = {}, label = 'notes') {
  const pathOf = (place: string) => vaultPath(`raw/${place.replaceAll('/', '-').replaceAll('.', '_')}.md`);
  const files = places.map((place) => ({
    place,
    pages: [
      {
        path: pathOf(place),
        title: titles[place] ?? place,
        aliases: [],
        queued: true,
        facts: { headings: [], blockIds: [] },
      },
    ],
  }));
  const links = finish(FolderLinks.steps(files, label));
  return (target: string, from: string, relative = false): string | null => {
    const targets = links.targets({ place: from, queued: true })(new Catalog());
    const found = targets.within?.(target, relative, pathOf(from)) ?? null;
    if (found === null || !('path' in found)) return null;
    return places.find((place) => pathOf(place) === found.path) ?? null;
  };
}

const PLACES = [
  'index.md',
  'a/one.md',
  'a/two.html',
  'a/deep/one.md',
  'b/One Note.md',
  'b/three.pdf',
  'b/site/index.html',
  'Ünï.md',
  'b/v1.2.md',
];

const MD = true;
it.each<[target: string, from: string, expected: string | null, relative?: boolean]>([
  ['one', 'index.md', 'a/one.md'],
  ['one', 'a/deep/one.md', 'a/deep/one.md'],
  ['one', 'a/two.html', 'a/one.md'],
  ['a/deep/one', 'b/three.pdf', 'a/deep/one.md'],
  ['deep/one.md', 'b/three.pdf', 'a/deep/one.md'],
  ['../a/two.html', 'b/three.pdf', 'a/two.html', MD],
  ['two.html', 'a/one.md', 'a/two.html', MD],
  ['./two.html', 'a/one.md', 'a/two.html'],
  ['../../index.md', 'a/deep/one.md', 'index.md', MD],
  ['../../../index.md', 'a/deep/one.md', null, MD],
  ['/a/one.md', 'b/three.pdf', 'a/one.md', MD],
  ['notes/a/one', 'b/three.pdf', 'a/one.md'],
  ['ONE NOTE', 'index.md', 'b/One Note.md'],
  ['one-note', 'index.md', 'b/One Note.md'],
  ['three.pdf', 'index.md', 'b/three.pdf'],
  ['three', 'index.md', 'b/three.pdf'],
  ['b/site/', 'index.md', 'b/site/index.html', MD],
  ['U\u0308ni\u0308', 'index.md', 'Ünï.md'],
  ['v1.2', 'index.md', 'b/v1.2.md'],
  ['The third', 'index.md', 'b/three.pdf'],
  ['absent', 'index.md', null],
  ['deep', 'index.md', null],
  ['', 'index.md', null],
  ['..', 'a/one.md', 'index.md', MD],
])('finds [[%s]] from %s: %s', (target, from, expected, relative = false) => {
  expect(linksOf(PLACES, { 'b/three.pdf': 'The third' })(target, from, relative)).toBe(expected);
});

it.each<[target: string, from: string, expected: string]>([
  ['Terms', 'a/Index.md', 'Terms.md'],
  ['Index', 'a/b/c.md', 'long name/Index.md'],
  ['Index', 'long name/c.md', 'long name/Index.md'],
  ['x', 'index.md', 'a/b/x.md'],
])('chooses of several files by the rule of the app: "%s" in %s is %s', (target, from, expected) => {
  const places = ['Terms.md', 'a/Terms.md', 'much longer name/b/Index.md', 'long name/Index.md'];
  expect(linksOf([...places, 'a folder with a long name/x.md', 'a/b/x.md'])(target, from)).toBe(expected);
});

it('takes a title that several files have for none, unless one is in the same folder', () => {
  const titles = { 'a/x.md': 'Notes', 'b/y.md': 'Notes', 'b/z.md': 'Other' };
  const find = linksOf(['a/x.md', 'b/y.md', 'b/z.md', 'c.md'], titles);
  expect([find('Notes', 'c.md'), find('Notes', 'b/z.md')]).toEqual([null, 'b/y.md']);
});

it('finds every file by its path from every other one', () => {
  const name = fc.constantFrom('a', 'b', 'B c', 'ä', 'x.y');
  const place = fc
    .tuple(fc.array(name, { maxLength: 3 }), name)
    .map(([folders, file]) => [...folders, `${file}.md`].join('/'));
  fc.assert(
    fc.property(
      fc.uniqueArray(place, { minLength: 2, maxLength: 8, selector: (each) => each.toLowerCase() }),
      (places) => {
        const find = linksOf(places, {}, '');
        for (const from of places) {
          const up = '../'.repeat(from.split('/').length - 1);
          for (const to of places) expect(find(`${up}${to}`, from, true)).toBe(to);
        }
      },
    ),
  );
});

it('resolves the links of ten thousand files with one name in linear time', () => {
  const places = Array.from({ length: 10_000 }, (_, n) => `folder ${n}/README.md`);
  const page = { title: 'One title', aliases: [], queued: true, facts: null };
  const find = finish(
    FolderLinks.steps(
      places.map((place, n) => ({ place, pages: [{ ...page, path: vaultPath(`raw/${n}.md`) }] })),
      '',
    ),
  );
  const catalog = new Catalog();
  const start = cpuMs();
  for (const place of places) {
    const targets = find.targets({ place, queued: true })(catalog);
    targets.within?.('README', false, null);
    targets.within?.('absent/README', false, null);
    targets.within?.('No such title', false, null);
    targets.within?.('One title', false, null);
  }
  expect(cpuMs() - start).toBeLessThan(5000);
});

it.each([
  ['See <a href="other.md">the other</a>.', 'See [the other](<other.md>).'],
  [`<A HREF='sub/b.md#Top' class=x>B</A> and <a href=c.md>C</a>`, '[B](<sub/b.md#Top>) and [C](<c.md>)'],
  ['<a href="a%20b.md"><b>A</b> [1]</a>', '[<b>A</b> \\[1\\]](<a%20b.md>)'],
  ['<img src="pic.png" alt="A pump" width="300px">', '![A pump|300](<pic.png>)'],
  ['<a href="b.md"><img src="p.png"/></a>', '[![](<p.png>)](<b.md>)'],
  ['<p><a href="b.md">B</a></p>', '<p>\n\n[B](<b.md>)\n\n</p>'],
  ['<div>\n  <a href="b.md">B</a>\n</div>', '<div>\n  \n\n[B](<b.md>)\n\n\n</div>'],
])('makes %j a link of Markdown', (text, expected) => {
  expect(finish(withMarkdownLinks(text))).toBe(expected);
});

it.each([
  '<a href="https://example.org/b.md">B</a>',
  '<a href="//host/b.md">B</a>',
  '<a href="mailto:a@b.c">A</a>',
  '<a href="javascript:alert(1)">A</a>',
  '<a href="#top">Top</a>',
  '<a name="top"></a>',
  '<a href="b.md">open',
  '<abbr title="b.md">B</abbr>',
  '`<a href="b.md">B</a>`',
  '```\n<a href="b.md">B</a>\n```',
  '    <a href="b.md">B</a>',
  '<img src="data:image/png;base64,AA" alt="x">',
])('leaves %j as it is', (text) => {
  expect(finish(withMarkdownLinks(text))).toBe(text);
});
