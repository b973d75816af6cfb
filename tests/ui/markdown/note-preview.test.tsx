import * as fc from 'fast-check';
import { noteLinks } from '../../../src/ui/markdown/note-links';
import { NotePreview, PREVIEW_STEP } from '../../../src/ui/markdown/preview';
import { hostileMarkdown, plainMarkdown } from '../../support/hostile-markdown';
import { makeDom } from '../../support/ui/dom';

const dom = makeDom();

function shown(body: string, extra: Partial<Parameters<typeof NotePreview>[0]> = {}): HTMLElement {
  dom.show(null);
  dom.show(<NotePreview body={body} {...extra} />);
  const article = dom.container.querySelector('article');
  if (article === null) throw new Error('Nothing was rendered.');
  return article;
}

/** The markup without what decorates it. */
function html(body: string, extra: Partial<Parameters<typeof NotePreview>[0]> = {}): string {
  return shown(body, extra)
    .innerHTML.replace(/<svg.*?<\/svg>/g, '')
    .replace(/ (?:tabindex|title|target|rel|role|aria-label|type|dir)="[^"]*"/g, '');
}

describe('what Markdown and Obsidian mean', () => {
  const CASES: readonly (readonly [name: string, body: string, html: string])[] = [
    ['a paragraph', 'One\ntwo', '<p>One\ntwo</p>'],
    ['emphasis', '*a* **b** ~~c~~ ==d==', '<p><em>a</em> <strong>b</strong> <del>c</del> <mark>d</mark></p>'],
    ['nested emphasis', '**a *b* c**', '<p><strong>a <em>b</em> c</strong></p>'],
    ['inline code', '`a *b*`', '<p><code>a *b*</code></p>'],
    ['escapes and references', '\\*a\\* &amp; &lt;b&gt;', '<p>*a* &amp; &lt;b&gt;</p>'],
    ['a hard break', 'a  \nb', '<p>a<br>b</p>'],
    [
      'headings below those of the screen',
      '# A\n\n## B',
      '<h3 class="brain-note-h1">A</h3><h4 class="brain-note-h2">B</h4>',
    ],
    ['a heading that skips levels', '##### A', '<h3 class="brain-note-h5">A</h3>'],
    [
      'a bullet list',
      '- a\n- b\n  - c',
      '<ul><li><p>a</p></li><li><p>b</p><ul><li><p>c</p></li></ul></li></ul>',
    ],
    ['a numbered list', '3. a\n4. b', '<ol start="3"><li><p>a</p></li><li><p>b</p></li></ol>'],
    ['a quote', '> a\n> b', '<blockquote><p>a\nb</p></blockquote>'],
    [
      'a callout',
      '> [!warning]- Be *quick*\n> Now',
      '<blockquote class="brain-callout"><p class="brain-callout-title">Be *quick*</p><p>Now</p></blockquote>',
    ],
    [
      'a callout without a title',
      '> [!note]\n> Now',
      '<blockquote class="brain-callout"><p class="brain-callout-title">note</p><p>Now</p></blockquote>',
    ],
    ['code', '```js\nlet a;\n\nb\n```', '<pre><code>let a;\n\nb</code></pre>'],
    ['code in a quote', '> ```\n> a\n> b\n> ```', '<blockquote><pre><code>a\nb</code></pre></blockquote>'],
    ['indented code', '    a', '<pre><code>a</code></pre>'],
    ['a rule', 'a\n\n---\n\nb', '<p>a</p><hr><p>b</p>'],
    [
      'a table with an empty cell',
      '| a | b |\n|---|---|\n| c |  |\n| *d* | [[e]] |',
      '<div class="brain-note-table"><table><thead><tr><th scope="col">a</th><th scope="col">b</th></tr></thead><tbody><tr><td>c</td><td></td></tr><tr><td><em>d</em></td><td><span class="brain-notelink">e</span></td></tr></tbody></table></div>',
    ],
    [
      'tasks',
      '- [x] a\n- [ ] b',
      '<ul><li><p><span class="brain-box is-on"></span><span class="brain-sr">Done: </span> a</p></li><li><p><span class="brain-box"></span><span class="brain-sr">Open: </span> b</p></li></ul>',
    ],
    [
      'wikilinks',
      '[[a/b#c|d]] [[e]] [[#f]]',
      '<p><span class="brain-notelink">d</span> <span class="brain-notelink">e</span> <span class="brain-notelink">f</span></p>',
    ],
    [
      'an embed',
      '![[img/a.png|300]]',
      '<p><span class="brain-embed">300<span class="brain-sr"> (embedded, not shown here)</span></span></p>',
    ],
    [
      'a local image',
      '![x](a.png)',
      '<p><span class="brain-embed">x<span class="brain-sr"> (embedded, not shown here)</span></span></p>',
    ],
    ['a link to a note', '[x](b.md)', '<p><span class="brain-notelink">x</span></p>'],
    [
      'a link',
      '[*x*](https://example.org/a)',
      '<p><a class="external-link" href="https://example.org/a"><em>x</em></a></p>',
    ],
    [
      'a mail address',
      '[x](mailto:a@example.org)',
      '<p><a class="external-link" href="mailto:a@example.org">x</a></p>',
    ],
    [
      'a bare address',
      'https://example.org/a and <https://example.org/b>',
      '<p><a class="external-link" href="https://example.org/a">https://example.org/a</a> and <a class="external-link" href="https://example.org/b">https://example.org/b</a></p>',
    ],
    [
      'a reference link',
      '[x][r] [r]\n\n[r]: https://example.org/',
      '<p><a class="external-link" href="https://example.org/">x</a> <a class="external-link" href="https://example.org/">r</a></p><p>[r]: https://example.org/</p>',
    ],
    ['brackets that are no link', '[x] and [y][z]', '<p>[x] and [y][z]</p>'],
    ['tags', 'a #b/c and #12 c#d', '<p>a <span class="brain-hashtag">#b/c</span> and #12 c#d</p>'],
    [
      'math',
      '$x^2$ and $5 or 6$',
      '<p><code class="brain-math">x^2</code> and <code class="brain-math">5 or 6</code></p>',
    ],
    ['money, which is no math', 'from $5 to 6$7', '<p>from $5 to 6$7</p>'],
    ['a block of math', '$$\na_b\n$$', '<pre><code>a_b</code></pre>'],
    ['footnotes', 'a[^1]\n\n[^1]: b', '<p>a<sup>1</sup></p><p><sup>1</sup>: b</p>'],
    ['a comment', 'a %%b%% c', '<p>a <span class="brain-hidden">comment</span> c</p>'],
    [
      'a comment over several paragraphs',
      '%%\na\n\nb\n%%\n\nc',
      '<p><span class="brain-hidden">comment</span></p><p>c</p>',
    ],
    ['a comment of HTML', '<!-- a -->\n\nb', '<p><span class="brain-hidden">comment</span></p><p>b</p>'],
  ];
  it.each(CASES)('%s', (_name, body, expected) => {
    expect(html(body)).toBe(expected);
  });

  it('closes a heading before its closing marks', () => {
    expect(html('## A ##')).toBe('<h3 class="brain-note-h2">A </h3>');
  });

  it('leaves out a first heading that says what stands above', () => {
    expect(html('# Title\n\nText', { title: 'Title' })).toBe('<p>Text</p>');
    expect(html('Text\n\n# Title', { title: 'Title' })).toContain('Title');
  });
});

describe('what could run or load', () => {
  const CASES: readonly (readonly [name: string, body: string])[] = [
    ['a script', '<script>window.ran = true</script>'],
    ['a handler', 'a <b onclick="ran()">b</b>'],
    ['an image of HTML', '<img src="https://evil.example/a.png" onerror="ran()">'],
    ['an image within text', 'a <img src=https://evil.example/a.png> b'],
    ['a frame', '<iframe src="https://evil.example/"></iframe>'],
    ['an object', '<object data="https://evil.example/"></object><embed src=x>'],
    ['a style', '<style>body { background: url(https://evil.example/) }</style>'],
    ['a form', '<form action="https://evil.example/"><button>x</button></form>'],
    ['a remote image', '![x](https://evil.example/a.png)'],
    ['a remote image by reference', '![x][r]\n\n[r]: https://evil.example/a.png'],
    ['a remote embed', '![[https://evil.example/a.png]]'],
    ['a script address', '[x](javascript:ran())'],
    [
      'a script address in disguise',
      '[x](java&#x73;cript:ran()) [y](<java\tscript:ran()>) [z](&#1;javascript:ran())',
    ],
    ['a script address by reference', '[x][r]\n\n[r]: javascript:ran()'],
    ['a script address in angle brackets', '<javascript:ran()>'],
    ['a data address', '[x](data:text/html,<script>ran()</script>)'],
    ['an address of the app', '[x](obsidian://open?vault=a)'],
    ['a file address', '[x](file:///etc/passwd) [y](//evil.example/a) [z](\\\\evil.example\\a)'],
    ['queries that other plugins run', '```dataviewjs\nran()\n```\n\n`$= ran()` `= ran()`\n\n<% ran() %>'],
    [
      'SVG and math of HTML',
      '<svg onload="ran()"><a href="javascript:ran()">x</a></svg>\n\n<math href="javascript:ran()">x</math>',
    ],
  ];
  it.each(CASES)('%s stays text', (_name, body) => {
    expect(faults(shown(body))).toEqual([]);
  });

  it('shows a remote image as a link with its words, and nothing else', () => {
    expect(html('![speed graph](https://img.example/a.png)')).toBe(
      '<p><a class="external-link" href="https://img.example/a.png">speed graph</a></p>',
    );
  });

  it('opens links in a window of their own that knows nothing of this one', () => {
    const link = shown('[x](https://example.org)').querySelector('a');
    expect(link?.getAttribute('target')).toBe('_blank');
    expect(link?.getAttribute('rel')).toBe('noopener noreferrer nofollow');
  });

  it('holds for whatever a note is made of', () => {
    fc.assert(
      fc.property(fc.oneof(hostileMarkdown, plainMarkdown), (body) => {
        expect(faults(shown(body))).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });
});

describe('links of the vault', () => {
  const links = noteLinks([
    {
      target: 'dns',
      text: 'dns',
      line: 1,
      kind: 'wikilink',
      unlinked: false,
      resolved: 'wiki/net/facts/dns.md',
    },
    { target: 'gone', text: 'gone', line: 1, kind: 'wikilink', unlinked: true, reason: 'missing' },
  ]);

  it('opens a note that is known', () => {
    const opened: string[] = [];
    const article = shown('[[dns#Records|here]]', { links, onOpen: (path) => opened.push(path) });
    article.querySelector('button')?.click();
    expect(opened).toEqual(['wiki/net/facts/dns.md']);
  });

  it('marks one that leads nowhere, and says why', () => {
    const removed = shown('[[gone]]', { links }).querySelector('.brain-removed');
    expect(removed?.getAttribute('title')).toBe('Leads nowhere: no note has this name');
    expect(removed?.textContent).toContain('gone');
  });
});

describe('a note that is very long or made to be slow', () => {
  it('shows a part, says how much is left, and more of it when asked', async () => {
    const body = `${'word '.repeat(30)}\n\n`.repeat(490);
    expect(shown(body).textContent.length).toBeLessThan(PREVIEW_STEP + 100);
    const more = dom.container.querySelector('.brain-more');
    expect(more?.textContent).toMatch(/^3\d,\d\d\d more characters\./);
    more?.querySelector('button')?.click();
    await dom.settle();
    expect(dom.container.querySelector('.brain-more')).toBeNull();
    expect(dom.container.textContent.match(/word/g)).toHaveLength(14_700);
  });

  it('says when the note goes on beyond what was read of it', () => {
    shown('Text', { cut: true });
    expect(dom.container.textContent).toContain('The note goes on.');
  });

  const MIB = 1024 * 1024;
  /** Quadratic work on a mebibyte takes minutes; on a busy machine the linear may take more than its one second. */
  const HANGS_MS = 5_000;
  const SLOW = [
    '[',
    '![',
    '[[',
    '*a ',
    '**a _b ',
    '`a ',
    '<a ',
    '](',
    '*[a](',
    '> ',
    '- ',
    '|a',
    '$a ',
    '%% ',
    '==a ',
    '&#',
    '[a]: b\n',
    'a\n=\n',
    '- a\n',
    '> a\n',
    '```\n',
    '1. a\n   ',
    '| a |\n|---|\n',
  ];
  it.each(SLOW)('shows a mebibyte of %j without hanging', (fragment) => {
    // As one block, which is too long to be read, and as blocks that are just not.
    const block = `${fragment.repeat(Math.floor(3900 / fragment.length))}\n\n`;
    for (const part of [fragment, block]) {
      const body = part.repeat(Math.ceil(MIB / part.length));
      const start = performance.now();
      const article = shown(body);
      expect(performance.now() - start).toBeLessThan(HANGS_MS);
      expect(faults(article)).toEqual([]);
    }
  });

  it('shows a mebibyte of hostile fragments without hanging', () => {
    const parts = fc.sample(hostileMarkdown, { numRuns: 400, seed: 7 });
    const once = parts.join('\n\n');
    const body = once.repeat(Math.ceil(MIB / once.length));
    const start = performance.now();
    const article = shown(body);
    expect(performance.now() - start).toBeLessThan(HANGS_MS);
    expect(faults(article)).toEqual([]);
  });
});

const TAGS = new Set(
  'p em strong del mark sup sub code pre ul ol li blockquote h3 h4 h5 h6 hr br table thead tbody tr th td div span a button svg path circle rect line polyline ellipse'.split(
    ' ',
  ),
);
const ATTRIBUTES =
  /^(?:class|title|tabindex|role|dir|aria-[a-z]+|type|scope|start|href|target|rel|viewBox|d|cx|cy|r|rx|ry|x|y|x1|x2|y1|y2|width|height|points|key)$/;

/** Everything in rendered content that could load or run something. */
function faults(root: HTMLElement): string[] {
  const found: string[] = [];
  for (const element of root.querySelectorAll('*')) {
    const tag = element.tagName.toLowerCase();
    if (!TAGS.has(tag)) found.push(`<${tag}>`);
    for (const { name, value } of element.attributes) {
      if (!ATTRIBUTES.test(name)) found.push(`${tag} ${name}`);
      if (name === 'href' && (tag !== 'a' || !/^(?:https?|mailto):/.test(value))) found.push(`href ${value}`);
    }
    if (tag === 'a' && element.getAttribute('rel') !== 'noopener noreferrer nofollow') found.push('rel');
  }
  return found;
}
