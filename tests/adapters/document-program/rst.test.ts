import { readAs } from '../../support/read-document';

const TICKS = '```';

describe('nothing of reStructuredText is dropped', () => {
  it.each<[string, string, string]>([
    [
      'a footnote of several paragraphs',
      'a [1]_\n\n.. [1] one\n   line\n\n   second\n\nb',
      'a [^1]\n\n[^1]: one\n    line\n\n    second\n\nb',
    ],
    [
      'footnotes without numbers, and labels',
      'a [#]_ [#x]_ [*]_ [9]_\n\n.. [#] one\n.. [#x] two\n.. [*] three',
      'a [^1] [^x] [^symbol-1] [9]\n\n[^1]: one\n\n[^x]: two\n\n[^symbol-1]: three',
    ],
    ['a footnote before a colon', '[1]_: a\n\n.. [1] b', '[^1]\\: a\n\n[^1]: b'],
    ['a citation', 'a [Ref24]_\n\n.. [Ref24] The *book*.', 'a [Ref24]\n\n**\\[Ref24\\]** The *book*.'],
    [
      'a list of fields, with text below them',
      ':Author: Ada\n:Long name:\n   one\n   two\n\n   three\n:orphan:',
      '- Author: Ada\n- Long name: one\n  two\n\n  three\n\n- orphan:',
    ],
    [
      'the body of a function',
      '.. py:function:: f(*a, **b)\n   :async:\n\n   Does it.\n\n   :param a: some\n\n   ::\n\n      f(1)',
      `> **py:function** \`f(*a, **b)\`\n>\n> \`:async:\`\n>\n> Does it.\n>\n> - param a: some\n>\n> ${TICKS}\n> f(1)\n> ${TICKS}`,
    ],
    [
      'options of a block of code',
      '.. code-block:: python\n   :caption: The *main* part\n   :emphasize-lines: 1,2\n\n   x = 1\n',
      `The *main* part\n\n\`:emphasize-lines: 1,2\`\n\n${TICKS}python\nx = 1\n${TICKS}`,
    ],
    [
      'text for one output alone',
      '.. only:: html and draft\n\n   Secret.',
      '> **only** html and draft\n>\n> Secret.',
    ],
    [
      'substitutions',
      '|a| |b| |c|_ |d| |e|\n\n.. |a| replace:: an *em*\n.. |b| unicode:: U+00A9 .. sign\n.. |c| image:: c.png\n   :alt: Logo\n.. |d| date:: %Y\n.. |f| replace:: unused\n.. _c: https://e.org',
      `an *em* © [Logo](https://e.org) |d| |e|\n\n${TICKS}rst\n.. |d| date:: %Y\n${TICKS}\n\n${TICKS}rst\n.. |f| replace:: unused\n${TICKS}`,
    ],
    [
      'formulas',
      ':math:`a_b*c`\n\n.. math:: x\n   :label: eq\n\n   y',
      '$a_b*c$\n\n`:label: eq`\n\n$$\nx\n$$\n\n$$\ny\n$$',
    ],
    [
      'a table of values',
      '.. csv-table:: The *title*\n   :header: "a", "b"\n   :widths: 1, 2\n\n   "x, y", ``z``\n   1,',
      '**The title**\n\n`:widths: 1, 2`\n\n| a | b |\n| --- | --- |\n| x, y | `z` |\n| 1 |  |',
    ],
    [
      'a table of lists',
      '.. list-table::\n\n   * - a\n     - b\n   * - *c*\n     - d\n\n       e',
      '| a | b |\n| --- | --- |\n| *c* | d<br>e |',
    ],
    [
      'files that are included',
      '.. literalinclude:: a.py\n   :lines: 1-3\n\n.. include:: b.rst',
      `${TICKS}rst\n.. literalinclude:: a.py\n   :lines: 1-3\n${TICKS}\n\n${TICKS}rst\n.. include:: b.rst\n${TICKS}`,
    ],
    [
      'a tree of documents',
      '.. toctree::\n   :caption: All\n\n   a\n   Title <b/c>\n   d/*',
      '`:caption: All`\n\n- [a](a.rst)\n- [Title](b/c.rst)\n- d/\\*',
    ],
    [
      'directives in directives',
      '.. note::\n\n   a\n\n   .. tip:: b\n\n      c\n\n      .. code:: sh\n\n         d',
      `> **Note**\n>\n> a\n>\n> > **Tip** b\n> >\n> > c\n> >\n> > ${TICKS}sh\n> > d\n> > ${TICKS}`,
    ],
    [
      'directives and roles that are not known',
      '.. my-thing:: one\n   :opt: two\n\n   three\n\n:my-role:`four <five>`',
      '> **my-thing** one\n>\n> `:opt: two`\n>\n> three\n\nfour \\<five>',
    ],
    ['lines', '| one\n|   two\n  more\n|\n| three', 'one\ntwo more\n\nthree'],
    [
      'options of a command',
      '-a  one\n--b=C, -d  two\n    three\n/V  four',
      '- `-a` one\n- `--b=C, -d` two\n  three\n- `/V` four',
    ],
    [
      'definitions',
      'Term : kind\n   one\n\n   two\nOther\n   three',
      '- Term : kind\n\n  one\n\n  two\n\n- Other\n\n  three',
    ],
    [
      'a grid table with spans',
      '+---+---+\n| a | b |\n+===+===+\n| c     |\n+---+---+\n| d | e |\n|   +---+\n|   | f |\n+---+---+',
      '| a | b |\n| --- | --- |\n| c |  |\n| d | e |\n|  | f |',
    ],
    [
      'a simple table with spans',
      '== == ==\n ab   c\n----- --\na  b  c\n== == ==\n1  2  3\n      4\n\n5     6\n== == ==',
      '| ab |  | c |\n| --- | --- | --- |\n| a | b | c |\n| 1 | 2 | 3 4 |\n| 5 |  | 6 |',
    ],
    ['a table that is damaged', '+---+\n| a\n+---+', `${TICKS}text\n+---+\n| a\n+---+\n${TICKS}`],
    ['a table with wide letters', '+----+\n| 日 |\n+----+', '| 日 |\n| --- |'],
    ['code for one output', '.. raw:: html\n\n   <b>x</b>', `${TICKS}html\n<b>x</b>\n${TICKS}`],
    [
      'addresses that no link uses, and that no link can have',
      'a_\n\n.. _a: irc://e.org\n.. _b: https://e.org/b\n\n__ https://e.org/c',
      'a\n\n- a: irc://e.org\n- [b](https://e.org/b)\n- <https://e.org/c>',
    ],
    ['text behind two dots alone', '..\n\n   a', '> a'],
    ['code behind marks', 'a::\n\n> b\n> c', `a:\n\n${TICKS}\n> b\n> c\n${TICKS}`],
    ['items of all kinds', '3. a\n4. b\n\n(i) c\n\na) d\n\n#. e', '3. a\n4. b\n- (i) c\n- a) d\n5. e'],
    ['a quotation', 'a\n\n  b\n\n  -- C', 'a\n\n> b\n>\n> -- C'],
    ['marks that are no markup', 'a_b *.txt 2*3 ``a `b |c', 'a_b \\*.txt 2\\*3 \\`\\`a \\`b |c'],
    ['links to files', '`a <b.rst>`_ :doc:`c` :download:`d <e.zip>`', '[a](b.rst) [c](c.rst) [d](e.zip)'],
    [
      'chained and indirect targets',
      'a_ `b c`_\n\n.. _a:\n.. _x: https://e.org\n.. _b c: x_',
      '[a](https://e.org) [b c](https://e.org)',
    ],
    [
      'anonymous targets in order',
      '`a`__ b__\n\n__ https://e.org/1\n__ https://e.org/2',
      '[a](https://e.org/1) [b](https://e.org/2)',
    ],
    [
      'examples in code',
      'x::\n\n  .. _a: https://e.org\n  __ https://e.org',
      `x:\n\n${TICKS}\n.. _a: https://e.org\n__ https://e.org\n${TICKS}`,
    ],
  ])('%s', async (_, rst, markdown) => expect((await readAs('rst', rst)).markdown).toBe(`${markdown}\n`));

  it('but comments and names of places, which a warning counts', async () => {
    expect(await readAs('rst', '.. a comment\n   of two lines\n\n.. _here:\n\nText.\n\n.. another')).toEqual({
      markdown: 'Text.\n',
      warnings: [
        'Left out, and only in the original: 2 comments and the names of places to which links lead (here).',
      ],
    });
  });
});

describe('a title of reStructuredText', () => {
  it.each<[string, string, string | undefined]>([
    ['====\nA *b*\n====\n\nC_d\n----\n', '# A *b*\n\n## C_d\n', 'A b'],
    ['Longer than it\n====\n', '# Longer than it\n', 'Longer than it'],
    ['日本語\n======\n', '# 日本語\n', '日本語'],
    ['a\n\n----\n\nb', 'a\n\n---\n\nb\n', undefined],
    ['1. A_b\n======', '# 1. A_b\n', '1. A_b'],
  ])('%j', async (rst, markdown, title) => {
    const read = await readAs('rst', rst);
    expect(read.markdown).toBe(markdown);
    expect(read.title).toBe(title);
  });
});

it('substitutions add no more text than they may', async () => {
  const long = `.. |a| replace:: ${'x '.repeat(900)}\n\n${'|a| '.repeat(5000)}`;
  expect((await readAs('rst', long)).markdown.length).toBeLessThan(1_000_000);
  const nested = Array.from({ length: 30 }, (_, at) => `.. |a${at}| replace:: |a${at + 1}| |a${at + 1}|`);
  expect((await readAs('rst', `${nested.join('\n')}\n\n|a0|`)).markdown).toContain('|a3|');
});

it('text in text without end stays', async () => {
  const deep = Array.from({ length: 60 }, (_, at) => `${' '.repeat(2 * at)}- level ${at}`).join('\n\n');
  const { markdown } = await readAs('rst', deep);
  for (let at = 0; at < 60; at += 1) expect(markdown).toContain(`level ${at}`);
});
