import * as fc from 'fast-check';
import Papa from 'papaparse';
import { fenced, markdownTables, MAX_TEXT } from '../../../src/adapters/document-program/markup';
import { readLog, readPlain } from '../../../src/adapters/document-program/plain';
import { extensionOf } from '../../../src/core/documents/formats';
import { refusalOf } from '../../support/refusal';
import { readAs } from '../../support/read-document';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('the extension of a name', () => {
  it.each([
    ['a.md', 'md'],
    ['A.PDF', 'pdf'],
    ['a.b/c', ''],
    ['a.b/c.txt', 'txt'],
    ['.md', ''],
    ['a.', ''],
    ['a', ''],
    ['a.tar.gz', 'gz'],
  ])('of %s is "%s"', (name, extension) => expect(extensionOf(name)).toBe(extension));
});

describe('text', () => {
  it.each([
    ['UTF-8', bytes('é\r\nb\rc')],
    ['UTF-8 with its mark', new Uint8Array([0xef, 0xbb, 0xbf, ...bytes('é\nb\nc')])],
    ['UTF-16, small end first', new Uint8Array([0xff, 0xfe, ...Buffer.from('é\nb\nc', 'utf16le')])],
    ['UTF-16, big end first', new Uint8Array([0xfe, 0xff, ...Buffer.from('é\nb\nc', 'utf16le').swap16()])],
  ])('is read as %s', async (_, file) =>
    expect((await readAs('markdown', file, 'a.txt')).markdown).toBe('é\nb\nc'),
  );

  it.each([
    ['mostly no text', Uint8Array.of(0xff, 0xfe, 0xfd, 0x00, 0x81)],
    ['an archive', new Uint8Array([0x50, 0x4b, 3, 4, 0x14, 0, 6, 0, 8, 0, 0, 0, 0x21, 0, 0x9b, 0xff, 1, 2])],
    [
      'a picture',
      new Uint8Array([
        0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 1,
      ]),
    ],
  ])('that is %s is refused with a way out', async (_, file) => {
    const error = await refusalOf(readAs('text', file, 'a.txt'));
    expect(error.code).toBe('unsupported_type');
    expect(error.message).toBe(
      'a.txt is no text in an encoding that is known here. Save it as UTF-8 and ingest it again.',
    );
  });

  it('is cut at the limit, never within a character', () => {
    const { markdown, warnings } = readPlain(`${'x'.repeat(MAX_TEXT - 1)}😀 more`);
    expect(markdown).toBe('x'.repeat(MAX_TEXT - 1));
    expect(warnings).toEqual([expect.stringContaining('2,000,000')]);
    expect(readPlain('x'.repeat(MAX_TEXT)).warnings).toEqual([]);
  });
});

describe('a block of code', () => {
  it('shows any text letter by letter', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('`', '~', '\n', 'a', ' ')).map((all) => all.join('')),
        (text) => {
          const { markdown } = fenced(text, 'text');
          const [, fence = '', shown] = /^(`+|~+)text\n([^]*)\n(?:`+|~+)\n$/.exec(markdown) ?? [];
          expect(shown).toBe(text.replace(/^\n+/, '').trimEnd());
          expect(markdown.split('\n').filter((line) => line.trimEnd().startsWith(fence))).toHaveLength(2);
        },
      ),
      { numRuns: 1000 },
    );
  });
  it('stays whole when its text is cut', () => {
    const { markdown, warnings } = readLog('`'.repeat(MAX_TEXT + 10));
    expect(markdown.length).toBeLessThanOrEqual(MAX_TEXT);
    expect(markdown).toMatch(/^~~~text\n[^]*\n~~~\n$/);
    expect(warnings).toHaveLength(1);
  });
});

describe('a table', () => {
  it('keeps every value, whatever its shape', () => {
    const value = fc.constantFrom('', 'a', 'b|c', 'd\\', '\\|', 'x y', '"', "it's");
    const rows = fc.array(fc.array(value, { maxLength: 45 }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(rows, (table) => {
        const shown = [...markdownTables(table)].join('');
        const cells = shown
          .split('\n')
          .filter((line) => line.startsWith('|'))
          .flatMap(cellsOf);
        const wanted = table.flat().filter((one) => one !== '');
        for (const one of new Set(wanted)) {
          const count = (all: readonly string[]) => all.filter((other) => other === one).length;
          expect(count(cells)).toBeGreaterThanOrEqual(count(wanted));
        }
        const widths = shown.split('\n\n').map(
          (part) =>
            new Set(
              part
                .split('\n')
                .filter((line) => line.startsWith('|'))
                .map((line) => cellsOf(line).length),
            ),
        );
        for (const width of widths) expect(width.size).toBeLessThanOrEqual(1);
      }),
      { numRuns: 1000 },
    );
  });

  it.each([
    ['commas', 'a,b\n1,2', 'x.csv'],
    ['semicolons', 'a;b\n1;2', 'x.csv'],
    ['tabs', 'a\tb\n1\t2', 'x.tsv'],
    ['a comma in a value between tabs', 'a\tb\n1\t2', 'x.TSV'],
  ])('is read with %s', async (_, text, name) => {
    expect((await readAs('table', text, name)).markdown).toBe('| a | b |\n| --- | --- |\n| 1 | 2 |\n');
  });

  it('takes rows of any length and lines within a value', async () => {
    expect((await readAs('table', 'a,b\n"x\ny",2,3\n\n4', 'a.csv')).markdown).toBe(
      '| a | b |  |\n| --- | --- | --- |\n| x<br>y | 2 | 3 |\n| 4 |  |  |\n',
    );
  });

  it('says that quotation marks are missing', async () => {
    expect((await readAs('table', 'a,b\n"x,2\n', 'a.csv')).warnings).toEqual([
      expect.stringMatching(/quotation mark/),
    ]);
  });

  it('goes on in another table when it is long', async () => {
    const { markdown } = await readAs(
      'table',
      Papa.unparse(Array.from({ length: 1002 }, (_, at) => [at, at])),
      'a.csv',
    );
    expect(markdown.match(/^\*.*\*$/gm)).toEqual([
      '*Rows 1 to 500 of 1001*',
      '*Rows 501 to 1000 of 1001*',
      '*Rows 1001 to 1001 of 1001*',
    ]);
    expect(markdown.match(/^\| 0 \| 0 \|$/gm)).toHaveLength(3);
  });
});

describe('JSON', () => {
  it('says the same as the file', async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), async (text) => {
        const { markdown, warnings } = await readAs('json', text);
        expect(warnings).toEqual([]);
        const shown = markdown.replace(/^(`+|~+)json\n/, '').replace(/\n(`+|~+)\n$/, '');
        expect(shown).toBe(
          reference(text)
            .replace(/(?<!\\)((?:\\\\)*)\\n/g, '$1\n')
            .replace(/(?<!\\)((?:\\\\)*)\\t/g, '$1\t'),
        );
      }),
      { numRuns: 1000 },
    );
  });
  it('shows the characters that escapes mean', async () => {
    const line = '{"t":"Z\\u00fcrich\\nnext \\ud83d\\ude00 \\\\u0041 \\u0000 \\u0022"}';
    const shown = '"Zürich\nnext 😀 \\\\u0041 \\u0000 \\""';
    expect((await readAs('json', line)).markdown).toContain(shown);
    expect((await readAs('jsonl', line)).markdown).toContain(shown);
    expect((await readAs('json', '"\\ud83d"')).markdown).toContain('"\\ud83d"');
  });
  it('keeps digits and names that come twice', async () => {
    expect((await readAs('json', '{"a":12345678901234567890.10,"a":"\\u0041\\""}')).markdown).toBe(
      '```json\n{\n  "a": 12345678901234567890.10,\n  "a": "A\\""\n}\n```\n',
    );
  });
  it('that is none is kept with a warning', async () => {
    expect(await readAs('json', '{a:1}')).toEqual({
      markdown: '```text\n{a:1}\n```\n',
      warnings: ['The file is no valid JSON; its text was taken as it stands.'],
    });
    expect((await readAs('jsonl', '1\n{\n}\n')).warnings).toEqual([
      '2 lines are no valid JSON and were kept as they stand.',
    ]);
  });
});

describe('HTML', () => {
  it.each<[string, string, string]>([
    [
      'leaves out what is no text',
      '<head><style>x</style></head><script>x</script><nav>x</nav><p>a<button>x</button></p><!-- x --><p hidden>x</p><p style="color:red;display: none">x</p>',
      'a',
    ],
    [
      'takes all of a short page but its footer, whatever it marks as its main part',
      '<header>a</header><main><p>b</p></main><footer>x</footer>',
      'a\n\nb',
    ],
    [
      'keeps links that lead somewhere',
      '<a href="https://e.org/a(b)">a</a> <a href="/x">b</a> <a href="#c">c</a> <a href="javascript:x">d</a> <a href=" ">e</a>',
      '[a](https://e.org/a%28b%29) [b](/x) c d e',
    ],
    [
      'takes links from where the page says',
      '<base href="https://e.org/x/"><a href="y">a</a> <a href="//f.org">b</a>',
      '[a](https://e.org/x/y) [b](https://f.org/)',
    ],
    [
      'fetches no picture',
      '<img src="https://e.org/a.png" alt="A tree"><img src="data:image/png;base64,xx" alt="none">',
      '[A tree](https://e.org/a.png)none',
    ],
    [
      'writes code as it stands',
      '<pre class="language-js"><span>let</span> a\n  = `b`;</pre><pre>x</pre>',
      '```js\nlet a\n  = `b`;\n```\n\n```\nx\n```',
    ],
    [
      'writes lists',
      '<ul><li>a<ul><li>b</li></ul></li></ul><ol start="3"><li>c</li><li>d</li></ol>',
      '- a\n  - b\n\n3. c\n4. d',
    ],
    [
      'writes tables',
      '<table><caption>T</caption><thead><tr><th>a<th>b</tr></thead><tr><td colspan=2>1|2</td></tr><tr><td><p>x</p><p>y</p><td><a href="https://e.org">z</a></table>',
      'T\n\n| a | b |\n| --- | --- |\n| 1\\|2 |  |\n| x<br>y | [z](https://e.org) |',
    ],
    [
      'sees through tables that only place things',
      '<table><tr><td><p>a</p></td></tr><tr><td><table><tr><td>b<td>c</table></td></tr></table>',
      'a\n\n| b | c |\n| --- | --- |',
    ],
    ['escapes what would be Markdown', '<p># a *b* [c]</p>', '\\# a \\*b\\* [c]'],
    ['a tag in whose name another begins', '<p>a <x<b>b</b> c</x<b></p>', 'a b c'],
  ])('%s', async (_, html, markdown) => expect((await readAs('html', html)).markdown).toBe(markdown));

  it('has the title of the page', async () => {
    expect((await readAs('html', '<title> A\n b </title><p>x')).title).toBe('A b');
    expect(await readAs('html', '<p>x')).not.toHaveProperty('title');
  });

  it('may say in which encoding it is written', async () => {
    const latin = (head: string) => new Uint8Array(Buffer.from(`${head}<p>Größe`, 'latin1'));
    const late = `<!-- ${'x'.repeat(5000)} -->`;
    for (const head of [
      '<meta charset="iso-8859-1">',
      '<meta http-equiv="Content-Type" content="text/html; charset=windows-1252">',
      `${late}<meta charset=latin1>`,
      '<?xml version="1.0" encoding="ISO-8859-1"?>',
    ])
      expect(await readAs('html', latin(head))).toEqual({ markdown: 'Größe', warnings: [] });
    for (const head of ['', '<meta charset="no-such">', '<meta charset="utf-8">'])
      expect(await readAs('html', latin(head))).toEqual({
        markdown: 'Größe',
        warnings: [expect.stringContaining('read as windows-1252')],
      });
  });
});

describe('Org text', () => {
  it.each([
    ['* A\n** B', '# A\n## B\n'],
    ['2*3*4 and a/b/c', '2\\*3\\*4 and a/b/c\n'],
    ['=a*b*= and ~c~', '`a*b*` and `c`\n'],
    ['[[https://e.org]] [[id:1][x]]', '<https://e.org> x\n'],
    ['#+BEGIN_SRC\n,* no heading\n#+END_SRC', '```\n* no heading\n```\n'],
    ['#+begin_src sh\nopen', '```org\n#+begin_src sh\n```\n\nopen\n'],
    ['a [fn:1]\n[fn:1] note', 'a [^1]\n\n[^1]: note\n'],
    ['-----\n+gone+', '---\n\n~~gone~~\n'],
  ])('%j', async (org, markdown) => expect((await readAs('org', org)).markdown).toBe(markdown));
});

describe('reStructuredText', () => {
  it.each([
    ['A\n=\n', '# A\n'],
    ['Abc\n===\n\nB b\n---\n\nC c\n===', '# Abc\n\n## B b\n\n# C c\n'],
    ['a `b`_ c_\n\n.. _b: https://e.org\n.. _c: /x', 'a [b](https://e.org) c\n\n- c: /x\n'],
    ['x::\n\n  code\n\n  more\n\ny', 'x:\n\n```\ncode\n\nmore\n```\n\ny\n'],
    [':ref:`A <a>` and :func:`~b.c`', 'A and b.c\n'],
    ['.. image:: a.png\n   :alt: A tree', '[A tree](a.png)\n'],
    ['.. [1] note', '[^1]: note\n'],
    ['+---+\n| a |\n+---+', '| a |\n| --- |\n'],
    [':Author: Ada', '- Author: Ada\n'],
  ])('%j', async (rst, markdown) => expect((await readAs('rst', rst)).markdown).toBe(markdown));

  it('is read also when one block of code has hundreds of thousands of lines', async () => {
    const { markdown } = await readAs('rst', `::\n\n${'  x\n'.repeat(200_000)}`);
    expect(markdown).toContain('```\nx\nx\n');
  });
});

/** Reads a row as GFM does: a backslash before a pipe or another backslash is an escape. */
function cellsOf(line: string): string[] {
  const cells: string[] = [];
  let cell = '';
  for (let at = 1; at < line.length; at += 1) {
    const character = line[at] ?? '';
    const next = line[at + 1] ?? '';
    if (character === '\\' && (next === '|' || next === '\\')) {
      cell += next;
      at += 1;
    } else if (character === '|') {
      cells.push(cell.trim());
      cell = '';
    } else cell += character;
  }
  return cells;
}

/** What `JSON.stringify` lays out, with the file's own way of writing values: those that it writes alike. */
function reference(text: string): string {
  return JSON.stringify(JSON.parse(text), null, 2);
}
