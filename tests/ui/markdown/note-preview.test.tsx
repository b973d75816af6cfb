import * as fc from 'fast-check';
import { noteLinks } from '../../../src/ui/markdown/note-links';
import { NotePreview, PREVIEW_STEP } from '../../../src/ui/markdown/preview';
import { hostileMarkdown, plainMarkdown } from '../../support/hostile-markdown';
import { makeDom } from '../../support/ui/dom';
import { cpuMs } from '../../support/cpu';

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

/** The mark of a reference to a footnote, and the way back. */
const mark = (number: number, reference: number): string =>
  `<sup data-anchor="reference ${number} ${reference}"><button class="brain-notelink">${number}</button></sup>`;
const BACK = '<button class="brain-notelink">\u21a9</button>';
const HIDDEN = '<span class="brain-hidden"><span class="brain-sr">Comment: </span>';
const CAPTION = '<p class="brain-hidden">Comment, which the note does not show</p>';

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
      '<blockquote class="brain-callout mod-amber"><details><summary class="brain-callout-title"><span>Be <em>quick</em></span></summary><p>Now</p></details></blockquote>',
    ],
    [
      'a callout that can be folded, within one of an unknown kind without a title',
      '> [!thing|x]\n> > [!Danger]+\n> > - Now',
      '<blockquote class="brain-callout"><p class="brain-callout-title"><span>Thing</span></p><blockquote class="brain-callout mod-red"><details open=""><summary class="brain-callout-title"><span>Danger</span></summary><ul><li><p>Now</p></li></ul></details></blockquote></blockquote>',
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
      'tasks in other states, nested',
      '1. [-] a\n   - [/] b\n   - [k] c\n   - [-]d',
      '<ol start="1"><li><p><span class="brain-box mod-state" aria-hidden="true">-</span><span class="brain-sr">Cancelled: </span> a</p><ul><li><p><span class="brain-box mod-state" aria-hidden="true">/</span><span class="brain-sr">In progress: </span> b</p></li><li><p><span class="brain-box mod-state" aria-hidden="true">k</span><span class="brain-sr">State k: </span> c</p></li><li><p>[-]d</p></li></ul></li></ol>',
    ],
    [
      'the sides of the columns of a table',
      '| a | b | c | d |\n|:-|:-:|-:|-|\n| 1 | 2 | 3 | 4 |',
      '<div class="brain-note-table"><table><thead><tr><th scope="col" class="mod-left">a</th><th scope="col" class="mod-center">b</th><th scope="col" class="mod-right">c</th><th scope="col">d</th></tr></thead><tbody><tr><td class="mod-left">1</td><td class="mod-center">2</td><td class="mod-right">3</td><td>4</td></tr></tbody></table></div>',
    ],
    [
      'wikilinks',
      '[[a/b#c|d]] [[e]] [[#f]]',
      '<p><span class="brain-notelink">d</span> <span class="brain-notelink">e</span> <button class="brain-notelink">f</button></p>',
    ],
    [
      'an embed',
      '![[img/a.png|300]]',
      '<div><span class="brain-embed">img/a.png<span class="brain-muted">(embedded, not shown here)</span></span></div>',
    ],
    [
      'a local image',
      '![x](a.png)',
      '<p><span class="brain-embed">x<span class="brain-muted">(embedded, not shown here)</span></span></p>',
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
    [
      'a block of math',
      '$$\na_b\n$$',
      '<figure class="brain-source-figure"><figcaption class="brain-small brain-muted">Formula, shown as its source in TeX</figcaption><pre><code>a_b</code></pre></figure>',
    ],
    [
      'a diagram',
      '```Mermaid\ngraph LR\n```',
      '<figure class="brain-source-figure"><figcaption class="brain-small brain-muted">Mermaid diagram, shown as its source</figcaption><pre><code>graph LR</code></pre></figure>',
    ],
    [
      'footnotes, in the order of their references, the ones without a reference last',
      'a[^x] b^[of *its* own] c[^X] d[^none]\n\n[^y]: unused\n[^x]: b[^z]\n\n> [^z]: c\n> d',
      `<p>a${mark(1, 1)} b${mark(2, 1)} c${mark(1, 2)} d<sup>none</sup></p><blockquote></blockquote>` +
        '<ol class="brain-footnotes">' +
        `<li data-anchor="footnote 1">b${mark(3, 1)} ${BACK}${BACK}</li>` +
        `<li data-anchor="footnote 2">of <em>its</em> own ${BACK}</li>` +
        `<li data-anchor="footnote 3">c\nd ${BACK}</li>` +
        '<li data-anchor="footnote 4">unused </li></ol>',
    ],
    [
      'block ids',
      'a ^one\n\n- b ^two\n- [ ] c ^three\n\n## d ^four\n\n| e |\n|---|\n\n^five\n\n2^10',
      '<p data-anchor="^one">a</p><ul><li><p data-anchor="^two">b</p></li><li><p data-anchor="^three"><span class="brain-box"></span><span class="brain-sr">Open: </span> c</p></li></ul><h3 class="brain-note-h2" data-anchor="^four">d</h3><div class="brain-note-table"><table><thead><tr><th scope="col">e</th></tr></thead><tbody></tbody></table></div><p class="brain-block-id" data-anchor="^five"></p><p>2^10</p>',
    ],
    [
      'safe tags',
      '<kbd>Ctrl</kbd>+<U>a *b* <sub>c</sub></u><br>H<sub>2</sub>O<br/> <mark>d</mark> <s>e</s>',
      '<p><kbd>Ctrl</kbd>+<u>a <em>b</em> <sub>c</sub></u><br>H<sub>2</sub>O<br> <mark>d</mark> <s>e</s></p>',
    ],
    [
      'safe tags with attributes, out of order or without their pair, which stay text',
      '<u class="x">a</u> <s>b <u>c</s> d</u>',
      '<p><code class="brain-html">&lt;u class="x"&gt;</code>a<code class="brain-html">&lt;/u&gt;</code> <s>b <code class="brain-html">&lt;u&gt;</code>c</s> d<code class="brain-html">&lt;/u&gt;</code></p>',
    ],
    [
      'details',
      '<details open>\n<summary>a <kbd>b</kbd> <img></summary>\n\n**c**\n\n<details>\n\nd\n\n</details>\n\ne\n</details>\n\n<details><summary>f</summary>g <b>h</b></details>',
      '<details open=""><summary>a <kbd>b</kbd> <code class="brain-html">&lt;img&gt;</code></summary><p><strong>c</strong></p><details><summary>Details</summary><p>d</p></details><p>e</p></details><details><summary>f</summary><p>g <code class="brain-html">&lt;b&gt;</code>h<code class="brain-html">&lt;/b&gt;</code></p></details>',
    ],
    [
      'details with attributes or without an end, which stay text',
      '<details ontoggle=x>\n\na\n\n</details>\n\n<details>\n\nb',
      '<pre><code>&lt;details ontoggle=x&gt;</code></pre><p>a</p><pre><code>&lt;/details&gt;</code></pre><pre><code>&lt;details&gt;</code></pre><p>b</p>',
    ],
    ['a comment', 'a %%b%% c', `<p>a ${HIDDEN}<bdi>b</bdi></span> c</p>`],
    [
      'a comment over several paragraphs',
      '%%\na\n\nb\n%%\n\nc',
      `<div class="brain-hidden-block">${CAPTION}a\n\nb</div><p>c</p>`,
    ],
    [
      'a comment of HTML',
      '<!-- a -->\n\nb <!-- c --> d',
      `<div class="brain-hidden-block">${CAPTION}a</div><p>b ${HIDDEN}<bdi>c</bdi></span> d</p>`,
    ],
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

describe('ways within a note', () => {
  const goFrom = (body: string, button: string): Element | null => {
    const article = shown(body);
    const pressed = [...article.querySelectorAll('button')].find(
      (one) => one.textContent === button || one.getAttribute('aria-label') === button,
    );
    if (pressed === undefined) throw new Error(`There is no ${button}.`);
    // The document has no layout, in which it could scroll.
    article.ownerDocument.defaultView?.HTMLElement.prototype.scrollIntoView ?? defineScroll(article);
    pressed.click();
    return article.ownerDocument.activeElement;
  };
  const defineScroll = ({ ownerDocument }: HTMLElement): void => {
    const { HTMLElement: element } = ownerDocument.defaultView ?? {};
    if (element !== undefined) element.prototype.scrollIntoView = () => undefined;
  };

  it('lead to a block, also in a part that is folded', () => {
    const found = goFrom('[[#^b]]\n\n> [!note]- A\n> - text ^b', '^b');
    expect(found?.textContent).toBe('text');
    expect(found?.closest('details')?.open).toBe(true);
  });

  it('lead to a heading, and nowhere when there is none', () => {
    expect(goFrom('[x](#some-heading)\n\n## Some heading', 'x')?.textContent).toBe('Some heading');
    expect(goFrom('[[#None]]\n\n## Some heading', 'None')?.localName).toBe('body');
  });

  it('lead to a footnote and back', () => {
    const body = 'a[^1]\n\n[^1]: b';
    expect(goFrom(body, 'Footnote 1')?.textContent).toBe('b \u21a9');
    expect(goFrom(body, 'Back to the text')?.textContent).toBe('1');
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
  const HANGS_MS = 20_000;
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
    '<u>',
    '</u>',
    '<u><s>',
    '<details>\n\n',
    '</details>\n\n',
    '<details><summary>',
    '^[a ',
    '^[[[',
    '[^1]: [^1]',
    '[^1]:\n',
    'a ^b\n\n',
    '> [!a]-\n',
    '- [-] a\n',
  ];
  it.each(SLOW)('shows a mebibyte of %j without hanging', (fragment) => {
    // As one block, which is too long to be read, and as blocks that are just not.
    const block = `${fragment.repeat(Math.floor(3900 / fragment.length))}\n\n`;
    for (const part of [fragment, block]) {
      const body = part.repeat(Math.ceil(MIB / part.length));
      const start = cpuMs();
      const article = shown(body);
      expect(cpuMs() - start).toBeLessThan(HANGS_MS);
      expect(faults(article)).toEqual([]);
    }
  });

  it('shows a mebibyte of hostile fragments without hanging', () => {
    const parts = fc.sample(hostileMarkdown, { numRuns: 400, seed: 7 });
    const once = parts.join('\n\n');
    const body = once.repeat(Math.ceil(MIB / once.length));
    const start = cpuMs();
    const article = shown(body);
    expect(cpuMs() - start).toBeLessThan(HANGS_MS);
    expect(faults(article)).toEqual([]);
  });
});

const TAGS = new Set(
  'p em strong del mark sup sub u s kbd bdi figure figcaption details summary code pre ul ol li blockquote h3 h4 h5 h6 hr br table thead tbody tr th td div span a button svg path circle rect line polyline ellipse'.split(
    ' ',
  ),
);
const ATTRIBUTES =
  /^(?:class|title|tabindex|role|dir|aria-[a-z]+|type|scope|start|href|target|rel|viewBox|d|cx|cy|r|rx|ry|x|y|x1|x2|y1|y2|width|height|points|key|data-anchor|open)$/;

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
