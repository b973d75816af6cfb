import { readAs } from '../../support/read-document';

const markdown = async (html: string) => (await readAs('html', html)).markdown;

describe('text that is not in plain elements', () => {
  it.each<[string, string, string]>([
    [
      'a folded part and a dialog, apart from what is around them',
      'a<details><summary>b</summary>c</details>d<dialog open>e</dialog>f<legend>g</legend>h',
      'a\n\nb\n\nc\n\nd\n\ne\n\nf\n\ng\n\nh',
    ],
    [
      'parts of a line that are blocks by their style',
      'a<span style="display: block">b</span>c',
      'a\n\nb\n\nc',
    ],
    ['a shadow tree', '<x-a><template shadowrootmode=open><p>a</p></template></x-a>', 'a'],
    [
      'a shadow tree with a slot',
      '<x-a><template shadowrootmode=open><h2>T</h2><slot></slot><p>end</p></template><p>b</p></x-a>',
      '## T\n\nb\n\nend',
    ],
    [
      'slots with names',
      '<x-a><template shadowroot=closed><slot name=t></slot>: <slot>none</slot></template><b slot=t>a</b><i>b</i></x-a>',
      '**a**: *b*',
    ],
    [
      'a slot that nothing fills',
      '<x-a><template shadowrootmode=open>(<slot>none</slot>)</template></x-a>',
      '(none)',
    ],
    [
      'a host without a slot',
      '<x-a><template shadowrootmode=open><p>a</p></template><p>b</p></x-a>',
      'a\n\nb',
    ],
    [
      'shadow trees in one another',
      '<x-a><template shadowrootmode=open><x-b><template shadowrootmode=open><p>a</p></template></x-b></template></x-a>',
      'a',
    ],
    ['a template for scripts', '<template><p>x</p></template>a', 'a'],
    [
      'a story without scripts',
      '<div id=root></div><noscript><h1>T</h1><p>The story.</p></noscript>',
      '# T\n\nThe story.',
    ],
    [
      'a story without scripts beside a part that loads',
      '<p>Loading…</p><noscript>All of it.</noscript>',
      'Loading…\n\nAll of it.',
    ],
    ['a request for scripts', '<noscript>You need to enable JavaScript to run this app.</noscript>a', 'a'],
    ['a picture without scripts', '<p>a<noscript><img src=b.png></noscript></p>', 'a'],
    ['an open dialog', '<dialog open><p>a</p></dialog>', 'a'],
    ['a closed dialog', '<dialog><p>x</p></dialog>a', 'a'],
    [
      'a question in a button',
      '<h3><button>Why?</button></h3><p>So.</p><button>x</button>',
      '### Why?\n\nSo.',
    ],
    ['details', '<details><summary>Why?</summary><p>So.</p></details>', 'Why?\n\nSo.'],
  ])('is that of %s', async (_, html, text) => expect(await markdown(html)).toBe(text));
});

describe('lines of code', () => {
  const code = (...lines: readonly string[]) => `\`\`\`\n${lines.join('\n')}\n\`\`\``;

  it.each<[string, string]>([
    ['line breaks', '<pre>a<br>  b<br>c</pre>'],
    ['line breaks in code', '<pre><code>a<br/>  b<br/>c</code></pre>'],
    ['a box a line', '<pre><div>a</div><div>  b</div><div>c</div></pre>'],
    [
      'a span a line',
      '<pre><code><span class=line>a</span><span class=line>  b</span><span class=line>c</span></code></pre>',
    ],
    [
      'a span and a break a line',
      '<pre><span class="line">a</span>\n<span class="line">  <i>b</i></span>\n<span class="line">c</span>\n</pre>',
    ],
    [
      'a span that its style makes a line',
      '<pre><span style="display: block">a</span><span style="display:block">  b</span><span style="display:block">c</span></pre>',
    ],
    ['an item a line', '<pre><ol><li>a</li><li>  b</li><li>c</li></ol></pre>'],
    [
      'code elements with a class a line',
      '<pre><code class="code-line">a</code><code class="code-line">  b</code><code class="code-line">c</code></pre>',
    ],
    [
      'numbers in spans',
      '<pre><span class=lineno>1</span>a\n<span class=lineno>2</span>  b\n<span class=lineno>3</span>c</pre>',
    ],
    [
      'a table with numbers',
      '<pre><table><tr><td>1</td><td>a</td></tr><tr><td>2</td><td>  b</td></tr><tr><td>3</td><td>c</td></tr></table></pre>',
    ],
    [
      'a gutter and a block',
      '<table class=highlighttable><tr><td class=linenos><pre>1\n2\n3</pre></td><td><pre>a\n  b\nc</pre></td></tr></table>',
    ],
    [
      'a table of code cells',
      '<table><tr><td class=blob-num data-line-number=1></td><td class="blob-code">a</td></tr><tr><td class=blob-num></td><td class="blob-code">  b</td></tr><tr><td class=blob-num></td><td class="blob-code">c</td></tr></table>',
    ],
    [
      'a table in code with a name like that of its numbers',
      '<pre><code class=hljs><table class="hljs-ln"><tr><td class="hljs-ln-numbers"><div class="hljs-ln-n" data-line-number=1></div></td><td class="hljs-ln-code">a</td></tr><tr><td class="hljs-ln-numbers">2</td><td class="hljs-ln-code">  b</td></tr><tr><td class="hljs-ln-numbers">3</td><td class="hljs-ln-code">c</td></tr></table></code></pre>',
    ],
    ['a box that keeps white space', '<div style="font-family:mono; white-space: pre">a\n  b\nc</div>'],
    ['code that keeps white space', '<p><code style="white-space:pre">a\n  b\nc</code></p>'],
    ['code that is a paragraph', '<p><code>a<br>  b<br>c</code></p>'],
    ['an old element', '<xmp>a\n  b\nc</xmp>'],
  ])('are kept with %s', async (_, html) => expect(await markdown(html)).toBe(code('a', '  b', 'c')));

  it.each<[string, string, string]>([
    [
      'an empty line of spans',
      '<pre><span class=line>a</span><span class=line></span><span class=line>c</span></pre>',
      code('a', '', 'c'),
    ],
    ['an empty line of breaks', '<pre>a<br><br>c</pre>', code('a', '', 'c')],
    ['an empty line of boxes', '<pre><div>a</div><div><br></div><div>c</div></pre>', code('a', '', 'c')],
    [
      'a word with a class',
      '<pre>a <span class=linear>b</span> <span class=inline>c</span></pre>',
      code('a b c'),
    ],
    ['tokens', '<pre><span>let</span> <span>a</span>\n<span>b</span></pre>', code('let a', 'b')],
    ['a verse that keeps its lines', '<p style="white-space:pre-line">a\nb</p>', 'a  \nb'],
    ['code within a line', '<p>run <code>a<br>b</code> now', 'run `a   b` now'],
  ])('are as written with %s', async (_, html, text) => expect(await markdown(html)).toBe(text));
});

describe('an element', () => {
  it.each<[string, string, string]>([
    ['raised', 'x<sup>2</sup> and H<sub>2</sub>O', 'x<sup>2</sup> and H<sub>2</sub>O'],
    ['raised with a note', 'a<sup><a href="#n1">[1]</a></sup>', 'a<sup>\\[1\\]</sup>'],
    ['raised and empty', 'a<sup></sup>b', 'ab'],
    ['a heading in a link', '<a href="https://e.org/a"><h2>T</h2></a>', '## [T](https://e.org/a)'],
    [
      'a heading and text in a link',
      '<a href="https://e.org/a"><h3>T</h3><p>b</p></a>',
      '### [T](https://e.org/a)\n\nb',
    ],
    [
      'headings in a link',
      '<a href="https://e.org/a"><h3>T</h3><h4>U</h4></a>',
      '### [T](https://e.org/a)\n\n#### [U](https://e.org/a)',
    ],
    ['a link in a heading', '<h2><a href="https://e.org/a">T</a></h2>', '## [T](https://e.org/a)'],
    ['a heading of two lines', '<h2>a<br>b</h2>', '## a b'],
    ['a link of a heading to itself', '<h2>T<a class=headerlink href="#t">¶</a></h2><p>a', '## T\n\na'],
    ['one of a sign without words', '<h2><a href="/page#t"><svg></svg></a>T</h2><p>a', '## T\n\na'],
    [
      'what edits below a heading',
      '<h2><span>T</span><span class="mw-editsection">[<a href="/w?edit">edit</a>]</span></h2><p>a',
      '## T\n\na',
    ],
    [
      'a heading of a sign alone, and of a link to a part',
      '<h2>#</h2><h3><a href="#t">Part</a></h3>',
      '## \\#\n\n### Part',
    ],
    [
      'a late picture',
      '<img data-src="https://e.org/a.png" src="data:image/gif;base64,x" alt=A>',
      '[A](https://e.org/a.png)',
    ],
    [
      'a late picture with a stand-in',
      '<img data-original="https://e.org/a.png" src="https://e.org/blank.gif" alt=A>',
      '[A](https://e.org/a.png)',
    ],
    [
      'a late set of pictures',
      '<img data-srcset="https://e.org/s.png 300w, https://e.org/l.png 900w" alt=A>',
      '[A](https://e.org/l.png)',
    ],
    [
      'a picture of sources',
      '<picture><source srcset="https://e.org/a.webp 2x"><img alt=A></picture>',
      '[A](https://e.org/a.webp)',
    ],
    [
      'a picture in a link',
      '<a href="https://e.org/a"><img src="https://e.org/a.png" alt=A></a>',
      '[A](https://e.org/a)',
    ],
    [
      'a task',
      '<ul><li><input type=checkbox checked> a</li><li><input type="checkbox" disabled> b</li></ul>',
      '- [x] a\n- [ ] b',
    ],
    ['a task with a label', '<ul><li><label><input type=checkbox checked>a</label></li></ul>', '- [x] a'],
    [
      'a task by its role',
      '<ul><li role=checkbox aria-checked=true>a</li><li role=checkbox aria-checked=false>b</li></ul>',
      '- [x] a\n- [ ] b',
    ],
    ['a check box in text', '<p><input type=checkbox checked> a <input type=checkbox> b', '☑ a ☐ b'],
  ])('%s is shown', async (_, html, text) => expect(await markdown(html)).toBe(text));
});

describe('a value of a table stays in its column', () => {
  it.each<[string, string, readonly string[]]>([
    [
      'below heads of two rows',
      '<tr><th rowspan=2>Name<th colspan=2>2024</tr><tr><th>Q1<th>Q2</tr><tr><td>A<td>1<td>2</tr>',
      ['| Name | 2024 |  |', '|  | Q1 | Q2 |', '| A | 1 | 2 |'],
    ],
    [
      'beside a value of two rows',
      '<tr><th>a<th>b</tr><tr><td rowspan=2>N<td>1</tr><tr><td>2</tr>',
      ['| N | 1 |', '|  | 2 |'],
    ],
    [
      'between values of two rows',
      '<tr><th>a<th>b<th>c</tr><tr><td rowspan=2>N<td>1<td rowspan=2>M</tr><tr><td>2</tr><tr><td>x<td>y<td>z</tr>',
      ['| N | 1 | M |', '|  | 2 |  |', '| x | y | z |'],
    ],
    [
      'beside a value of all rows',
      '<tr><th>a<th>b</tr><tr><td rowspan=0>N<td>1</tr><tr><td>2</tr><tr><td>3</tr>',
      ['| N | 1 |', '|  | 2 |', '|  | 3 |'],
    ],
    [
      'after a value of two columns and rows',
      '<tr><td>a<td>b<td>c</tr><tr><td rowspan=2 colspan=2>N<td>1</tr><tr><td>2</tr>',
      ['| N |  | 1 |', '|  |  | 2 |'],
    ],
    [
      'with spans that are no numbers',
      '<tr><td>a<td>b</tr><tr><td rowspan=x colspan=-2>c<td>d</tr>',
      ['| c | d |'],
    ],
  ])('%s', async (_, rows, lines) => {
    const shown = await markdown(`<table>${rows}</table>`);
    for (const line of lines) expect(shown.split('\n')).toContain(line);
  });
});

describe('a formula is TeX', () => {
  it.each<[string, string, string]>([
    ['of a script', '<p>As <script type="math/tex">a_1 * b</script> is', 'As $a_1 * b$ is'],
    [
      'of a script for a block',
      '<p>As</p><script type="math/tex; mode=display">\\frac{a}{b}</script>',
      'As\n\n$$\n\\frac{a}{b}\n$$',
    ],
    [
      'of an annotation',
      '<math><semantics><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></semantics></math>',
      '$x^2$',
    ],
    [
      'of KaTeX, once',
      '<span class=katex><span class=katex-mathml><math><semantics><mi>x</mi><annotation encoding="application/x-tex">x_1</annotation></semantics></math></span><span class=katex-html aria-hidden=true>x1</span></span>',
      '$x_1$',
    ],
    ['of its text', '<math alttext="{\\displaystyle E=mc^2}"><mi>E</mi></math>', '${\\displaystyle E=mc^2}$'],
    [
      'of a fraction',
      '<math><mfrac><mi>a</mi><mrow><mi>b</mi><mo>+</mo><mn>1</mn></mrow></mfrac></math>',
      '$\\frac{a}{b + 1}$',
    ],
    [
      'of powers',
      '<math><msup><mi>x</mi><mn>2</mn></msup><mo>≤</mo><msub><mi>y</mi><mi>i</mi></msub></math>',
      '$x^{2} \\le y_{i}$',
    ],
    [
      'of a root',
      '<math><msqrt><mn>2</mn></msqrt><mroot><mi>x</mi><mn>3</mn></mroot></math>',
      '$\\sqrt{2} \\sqrt[3]{x}$',
    ],
    [
      'of a sum',
      '<math display=block><munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>0</mn></mrow><mi>n</mi></munderover><mi>α</mi></math>',
      '$$\n\\sum_{i = 0}^{n} \\alpha\n$$',
    ],
    [
      'of a matrix',
      '<math><mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr></mtable></math>',
      '$\\begin{matrix} a & b \\\\ 1 & 2 \\end{matrix}$',
    ],
    [
      'of a function and words',
      '<math><mi>sin</mi><mi>x</mi><mtext>if even</mtext></math>',
      '$\\sin x \\text{if even}$',
    ],
    ['of a vector', '<math><mover><mi>v</mi><mo>→</mo></mover></math>', '$\\vec{v}$'],
    ['of a bar', '<math><mover><mi>x</mi><mo>¯</mo></mover><mn>12.5</mn></math>', '$\\bar{x} 12.5$'],
    [
      'in a cell',
      '<table><tr><td>a<td><math display=block><mi>x</mi></math></tr></table>',
      '| a | $x$ |\n| --- | --- |',
    ],
    ['of nothing', '<p>a<math></math>b', 'ab'],
  ])('%s', async (_, html, text) => expect(await markdown(html)).toBe(text));
});

describe('text is no Markdown', () => {
  it.each<[string, string, string]>([
    ['prices', '<p>from $5 to <b>$6</b></p>', 'from \\$5 to **\\$6**'],
    ['one price', '<p>$5, or 4 €</p>', '$5, or 4 €'],
    ['a price beside a formula', '<p>$5 for <math><mi>x</mi></math>', '\\$5 for $x$'],
    ['a tag of two elements', '<p>&lt;<var>name</var>&gt;', '\\<name>'],
    [
      'an exclamation before a link',
      '<p>Look!<a href="https://e.org/a.png">there</a>',
      'Look\\![there](https://e.org/a.png)',
    ],
    ['a citation', '<p>so [<a href="https://e.org">1</a>]', 'so \\[[1](https://e.org)]'],
    ['brackets in a link', '<a href="https://e.org/a">a]b [c]</a>', '[a\\]b \\[c\\]](https://e.org/a)'],
    [
      'an address in a link',
      '<a href="https://e.org/a">https://e.org/_a_</a>',
      '[https://e.org/\\_a\\_](https://e.org/a)',
    ],
    [
      'marks in a description',
      '<img src="https://e.org/a.png" alt="a *b* [c]">',
      '[a \\*b\\* \\[c\\]](https://e.org/a.png)',
    ],
    ['a list after a line break', '<p>a<br>- b<br>1. c<br># d', 'a  \n\\- b  \n1\\. c  \n\\# d'],
    ['dashes within a line', '<p><b>a</b> - b # c', '**a** - b # c'],
    ['a heading that ends with a sign', '<h2>About C #</h2>', '## About C \\#'],
    ['a bar in a cell', '<table><tr><td>a<td>|</tr></table>', '| a | \\| |\n| --- | --- |'],
    ['names of two elements', '<p>#<span>tag</span> [<span>[x]</span>]', '\\#tag \\[\\[x]]'],
    ['code', '<p><code>a_b*c $x$ &lt;y&gt;</code>', '`a_b*c $x$ <y>`'],
  ])('of %s', async (_, html, text) => expect(await markdown(html)).toBe(text));
});

describe('what a page hides', () => {
  const prose = (about: string) =>
    `<p>All of the ${about} is told here, in a sentence or two of some length.</p>`;
  it.each<[string, string, string]>([
    ['all of it', `<body><div hidden>${prose('story')}</div>`, 'story'],
    [
      'all of it by style',
      `<div style="display: none">${prose('story')}</div><noscript>Enable scripts</noscript>`,
      'story',
    ],
    [
      'all of it, but a note that it loads',
      `<p>Loading…</p><main hidden>${prose('story').repeat(9)}</main>`,
      'story',
    ],
    ['a short text', '<div id=app hidden><h1>T</h1>story</div>', 'story'],
    [
      'text that can be searched',
      `${prose('rest').repeat(40)}<div hidden=until-found>${prose('story')}</div>`,
      'story',
    ],
    [
      'the answer to a question',
      `${prose('rest').repeat(40)}<h3><button aria-controls=a1>Why?</button></h3><div id=a1 hidden>${prose('story')}</div>`,
      'story',
    ],
    [
      'a tab',
      `${prose('rest').repeat(40)}<div role=tabpanel style="display:none">${prose('story')}</div>`,
      'story',
    ],
  ])('is kept: %s', async (_, html, word) => expect(await markdown(html)).toContain(word));

  it.each<[string, string]>([
    ['a part beside a story', `${prose('rest').repeat(9)}<div hidden>${prose('story')}</div>`],
    [
      'more than a long story',
      `${prose('rest').repeat(40)}<div style="display:none">${prose('story').repeat(200)}</div>`,
    ],
    ['a word beside a word', '<p>rest<span hidden>story</span>'],
  ])('is left out: %s', async (_, html) => {
    expect(await markdown(html)).not.toContain('story');
    expect(await markdown(html)).toContain('rest');
  });
});

describe('the reading of a word stands behind the word', () => {
  it.each([
    ['<ruby>子<rp>(</rp><rt>こ</rt><rp>)</rp></ruby>ども', '子ども（こども）'],
    ['<ruby>子<rt>こ</rt></ruby><ruby>供<rt>ども</rt></ruby>は', '子供（こども）は'],
    ['<ruby>子<rt>こ</rt>供<rt>ども</rt></ruby>', '子供（こども）'],
    [
      '<ruby><rb>東京</rb><rp>（</rp><rt>とうきょう</rt><rp>）</rp></ruby>に<ruby>行<rt>い</rt></ruby>く。',
      '東京（とうきょう）に行く（いく）。',
    ],
    ['<ruby>食<rt>た</rt></ruby>べる', '食べる（たべる）'],
    ['<ruby><b>漢</b><rt>hàn</rt><b>字</b><rt>zì</rt></ruby>', '**漢字**（hàn zì）'],
    ['The <ruby>WWW<rt>World Wide Web</rt></ruby> is', 'The WWW (World Wide Web) is'],
    ['<ruby>空<rt></rt></ruby>', '空'],
    [
      '<ruby>\n <rbc><rb>子</rb><rb>供</rb></rbc>\n <rtc><rt>こ</rt><rt>ども</rt></rtc>\n</ruby>',
      '子供（こども）',
    ],
  ])('%s', async (html, shown) => expect((await markdown(`<p>${html}</p>`)).replace('****', '')).toBe(shown));
});
