import { readAs } from '../../support/read-document';

const XHTML = '<html xmlns="http://www.w3.org/1999/xhtml">';
const rest = '<p>after</p><h2>End</h2><p>last</p>';

describe('a page goes on after', () => {
  it.each<[string, string]>([
    ['a script whose section is escaped', '<script>// <![CDATA[\nif (a < b) go("<p>");\n// ]]&gt;</script>'],
    ['a script whose section has no end', '<script type="text/javascript"><![CDATA[ go(); </script>'],
    ['a script in an old comment', '<script><!--//--><![CDATA[//><!--\ngo();\n//--><!]]></script>'],
    ['a style whose section has no end', '<style>/*<![CDATA[*/ p { color: red }</style>'],
    ['a section without an end', '<p>before <![CDATA[ x & y</p>'],
    ['sections of which one has no end', '<p><![CDATA[ x</p><p><![CDATA[ y ]]></p>'],
    ['a comment without an end', '<!-- note '],
    ['a comment on a line without an end', '<!-- note\n'],
    ['a style without an end', '<style>p { color: red }'],
    ['a script without an end', '<script src="x.js">'],
    ['a text field without an end', '<textarea>'],
    ['a frame without an end', '<iframe src="https://example.org/">'],
    ['a template without an end', '<template><p>x</p>'],
    ['old code without an end', '<xmp>'],
    ['noscript without an end', '<noscript><img src="x.gif" alt="">'],
    ['plain text', '<plaintext>'],
  ])('%s', async (_, broken) => {
    for (const start of ['<html>', XHTML])
      for (const kind of ['html', 'mail'] as const) {
        const head = kind === 'mail' ? 'Content-Type: text/html\n\n' : '';
        const page = `${head}${start}<body>${broken}${rest}</body></html>`;
        const { markdown } = await readAs(kind, page);
        expect(markdown).toContain('after\n\n## End\n\nlast');
        expect(markdown).not.toMatch(/color|go\(|\]\]/);
      }
  });

  it.each(['<title>A title<body>', '<title>A title</head><body>', '<style>p {}</head><body>'])(
    'a head without an end: %s',
    async (head) =>
      expect((await readAs('html', `<html><head>${head}${rest}`)).markdown).toBe('after\n\n## End\n\nlast'),
  );

  it('a template that has its end, without what it holds', async () =>
    expect(
      (await readAs('html', `<template><p>x<template>y</template></p></template>${rest}`)).markdown,
    ).not.toContain('x'));

  it.each([XHTML, '<html>'])('data that are text, and keeps them: %s', async (start) =>
    expect((await readAs('html', `${start}<body><p>a <![CDATA[b c]]> d</p>`)).markdown).toBe('a b c d'),
  );
});
