import { readAs } from '../../support/read-document';

const TICKS = '```';

describe('nothing of Org text is dropped', () => {
  it.each<[string, string, string]>([
    [
      'what describes the document',
      '#+AUTHOR: Ada [[x]]\n#+date: <2026-01-01 Thu>\n#+FILETAGS: :a:b:\n#+STARTUP: overview\n#+TODO: A B\n',
      `- Author: Ada \\[\\[x]]\n- Date: <2026-01-01 Thu>\n- Filetags: :a:b:\n\n${TICKS}org\n#+STARTUP: overview\n#+TODO: A B\n${TICKS}`,
    ],
    [
      'state, priority, cookie and tags of a heading',
      '* TODO [#A] A [1/2] [50%]   :x:y:',
      '# TODO [\\#A] A [1/2] [50%] :x:y:',
    ],
    [
      'properties',
      '* A\n:PROPERTIES:\n:ID: 1\n:Note+: a *b* [[c]]\nfree text\n:END:\nb',
      '# A\n\n- ID: 1\n- Note+: a \\*b\\* \\[\\[c]]\n\nfree text\n\nb',
    ],
    [
      'notes and times of a log',
      ':LOGBOOK:\n- State "DONE" from "TODO" [2026-01-03] \\\\\n  A *note*.\nCLOCK: [2026-01-03]\n:END:',
      '- State "DONE" from "TODO" [2026-01-03]\n  A **note**.\n\nCLOCK: [2026-01-03]',
    ],
    ['other drawers', ':IDEAS:\na\n:END:', 'IDEAS:\n\na'],
    [
      'a drawer that is not closed',
      ':LOGBOOK:\na\n* B\n:PROPERTIES:\n:c: d\n:END:\ne',
      ':LOGBOOK:\na\n\n# B\n\n- c: d\n\ne',
    ],
    [
      'a block that is not closed',
      '#+begin_src a\nb\n* C\n#+begin_src d\ne\n#+end_src',
      `${TICKS}org\n#+begin_src a\n${TICKS}\n\nb\n\n# C\n\n${TICKS}d\ne\n${TICKS}`,
    ],
    [
      'footnotes',
      'a[fn:1] b[fn:: c *d* [[https://e.org][e]]] f[fn:g: h]\n\n[fn:1] i\n  j',
      'a[^1] b[^note-1] f[^g]\n\n[^1]: i\n    j\n\n[^note-1]: c **d** [e](https://e.org)\n\n[^g]: h',
    ],
    [
      'captions and names',
      '#+CAPTION[s]: A *b*\n#+NAME: c\n| 1 |',
      `s – A **b**\n\n${TICKS}org\n#+NAME: c\n${TICKS}\n\n| 1 |\n| --- |`,
    ],
    [
      'a table with formulas',
      '| a | b |\n|---+---|\n| =c= | [[d.org]] |\n#+TBLFM: $2=$1',
      `| a | b |\n| --- | --- |\n| \`c\` | [d.org](d.org) |\n\n${TICKS}org\n#+TBLFM: $2=$1\n${TICKS}`,
    ],
    [
      'arguments of code',
      '#+begin_src python -n :tangle x.py\ny\n#+end_src',
      `\`-n :tangle x.py\`\n\n${TICKS}python\ny\n${TICKS}`,
    ],
    [
      'blocks of all kinds',
      '#+begin_verse\na\n  /b/\n#+end_verse\n#+begin_center\nc\n#+end_center\n#+begin_note\nd\n#+end_note\n#+begin_export html\n<b>\n#+end_export\n#+begin_quote\n- e\n#+end_quote',
      `a\n*b*\n\nc\n\n> **Note** d\n\n${TICKS}html\n<b>\n${TICKS}\n\n> - e`,
    ],
    [
      'links',
      '[[https://e.org/a_b][c *d*]] [[file:x.org::*H i][j]] [[./k.png]] [[*L]] [[id:m][n]] <https://e.org/o_p>',
      '[c d](https://e.org/a_b) [j](x.org#H%20i) [./k.png](./k.png) L n <https://e.org/o_p>',
    ],
    [
      'addresses that no link can have',
      '[[doi:10.1/x][a]] [[~/b][c]] [[www.e.org][d]]',
      'a \\<doi:10.1/x> c <~/b> d',
    ],
    ['entities, but no paths', '\\alpha \\rarr{}b \\unknown C:\\alpha', 'α →b \\unknown C:\\alpha'],
    ['code', '=a*b*= ~c|d~ =e', '`a*b*` `c|d` =e'],
    [
      'paths and names with marks',
      '/etc/hosts and /usr/bin/ or _a_b_ or *c*d*',
      '/etc/hosts and /usr/bin/ or \\_a_b\\_ or \\*c\\*d\\*',
    ],
    [
      'code with lines like headings',
      '#+begin_src md\n* A\n#+end_src\n* B',
      `${TICKS}md\n* A\n${TICKS}\n\n# B`,
    ],
    ['emphasis in emphasis', '*a /b/ c* _d_ +e+', '**a *b* c** *d* ~~e~~'],
    [
      'formulas',
      '$a_b$ \\(c\\) \\[d\\] pay $5 or $6\n\n\\begin{align}\nx\n\\end{align}',
      '$a_b$ $c$ $d$ pay \\$5 or \\$6\n\n$$\n\\begin{align}\nx\n\\end{align}\n$$',
    ],
    [
      'items with boxes, terms and other items',
      '- [-] a [50%]\n  - [X] b\n- c :: d\n  e\n1. [@4] f\n\n   g',
      '- [ ] a [50%]\n  - [x] b\n- **c** d\n  e\n4. f\n\n   g',
    ],
    ['a tab in code', '#+begin_src make\na:\n\tb\n#+end_src', `${TICKS}make\na:\n\tb\n${TICKS}`],
    [
      'what Markdown has no word for',
      '{{{a(b)}}} <<c>> src_py{1} @@html:<b>@@ [cite:@d] <2026-01-01>',
      '{{{a(b)}}} <\\<c>> src_py{1} @@html:\\<b>@@ [cite:@d] <2026-01-01>',
    ],
    [
      'text between marks of other programs',
      '__init__.py x[["key"]] [[ -f /etc/x ]] *.txt a==b',
      '\\_\\_init\\_\\_.py x\\[\\["key"]] \\[\\[ -f /etc/x ]] \\*.txt a\\=\\=b',
    ],
  ])('%s', async (_, org, markdown) => expect((await readAs('org', org)).markdown).toBe(`${markdown}\n`));

  it('but comments, which a warning counts', async () => {
    expect(await readAs('org', '# one\n# line\nText.\n#+begin_comment\ntwo\n#+end_comment')).toEqual({
      markdown: 'Text.\n',
      warnings: ['Left out, and only in the original: 2 comments.'],
    });
  });
});

it('the title of Org text is that of its settings', async () => {
  expect(await readAs('org', '#+TITLE: A /b/\n#+title: =c=\n* D')).toEqual({
    markdown: '# A *b* `c`\n\n# D\n',
    title: 'A b c',
    warnings: [],
  });
  expect((await readAs('org', '#+TITLE: A\nIntro.\n* A')).markdown).toBe('Intro.\n\n# A\n');
  expect((await readAs('org', '  #+TITLE: A\n#+begin_src org\n#+TITLE: B\n#+end_src')).title).toBe('A');
  expect(await readAs('org', '* D')).not.toHaveProperty('title');
});

it('text in text without end stays', async () => {
  const deep = Array.from({ length: 60 }, (_, at) => `${' '.repeat(2 * at)}- level ${at}`).join('\n');
  const { markdown } = await readAs('org', deep);
  for (let at = 0; at < 60; at += 1) expect(markdown).toContain(`level ${at}`);
});
