import { finish } from '../../../src/core/base/steps';
import { withMarkdownLinks } from '../../../src/core/ingest/html-links';

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
