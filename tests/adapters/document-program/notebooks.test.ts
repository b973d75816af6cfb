import * as fc from 'fast-check';
import { markdownFacts } from '../../../src/core/markdown/facts';
import { readAs } from '../../support/read-document';

const notebook = (cells: readonly object[], metadata: object = {}) =>
  JSON.stringify({
    nbformat: 4,
    nbformat_minor: 5,
    metadata: { language_info: { name: 'python' }, ...metadata },
    cells,
  });
const markdown = (source: string | readonly string[]) => ({ cell_type: 'markdown', metadata: {}, source });
const code = (source: string | readonly string[], ...outputs: object[]) => ({
  cell_type: 'code',
  metadata: {},
  source,
  outputs,
});
const data = (forms: object) => ({ output_type: 'execute_result', data: forms, metadata: {} });
const read = async (...cells: object[]) => (await readAs('notebook', notebook(cells))).markdown;

describe('a notebook', () => {
  it.each<[string, object[], string]>([
    ['its Markdown as it is', [markdown(['# T\n', '\n', '*a* [[b]] $x$'])], '# T\n\n*a* [[b]] $x$\n\n'],
    ['code in the language of its kernel', [code('x = 1\n')], '```python\nx = 1\n```\n\n'],
    [
      'what code prints',
      [code('x', { output_type: 'stream', name: 'stdout', text: ['a\n', '*b*\n'] })],
      '```python\nx\n```\n\n```text\na\n*b*\n```\n\n',
    ],
    [
      'bars of progress at their end',
      [code('', { output_type: 'stream', text: ' 10%\r 50%\r100%\nok\r\n' })],
      '```text\n100%\nok\n```\n\n',
    ],
    [
      'errors without terminal codes',
      [
        code('', {
          output_type: 'error',
          ename: 'E',
          evalue: 'v',
          traceback: ['\u001b[0;31mE\u001b[0m', 'line 1'],
        }),
      ],
      '```text\nE\nline 1\n```\n\n',
    ],
    [
      'errors without a trace',
      [code('', { output_type: 'error', ename: 'E', evalue: 'v', traceback: [] })],
      '```text\nE: v\n```\n\n',
    ],
    ['results', [code('', data({ 'text/plain': ["'[[a]]'"] }))], "```text\n'[[a]]'\n```\n\n"],
    [
      'results in Markdown',
      [code('', data({ 'text/markdown': '**a**', 'text/plain': '<Markdown>' }))],
      '**a**\n\n',
    ],
    [
      'tables of results',
      [
        code(
          '',
          data({
            'text/html':
              '<div><style scoped>x</style><table><tr><th></th><th>a</th></tr><tr><td>0</td><td>1</td></tr></table></div>',
            'text/plain': '   a\n0  1',
          }),
        ),
      ],
      '|  | a |\n| --- | --- |\n| 0 | 1 |\n\n',
    ],
    [
      'results in HTML that have no better text',
      [code('', data({ 'text/html': '<b>a</b>', 'text/plain': '<HTML object>' }))],
      '**a**\n\n',
    ],
    [
      'results in JSON',
      [code('', data({ 'application/json': { a: 'ä' } }))],
      '```json\n{\n  "a": "ä"\n}\n```\n\n',
    ],
    [
      'raw cells',
      [{ cell_type: 'raw', metadata: { raw_mimetype: 'text/latex' }, source: '\\x' }],
      '```latex\n\\x\n```\n\n',
    ],
    ['cells of a kind to come', [{ cell_type: 'new', source: 'words' }], '```text\nwords\n```\n\n'],
    [
      'the cell after a block of code without an end',
      [markdown('```js\na'), markdown('b')],
      '```js\na\n```\n\nb\n\n',
    ],
    ['the cell after a comment without an end', [markdown('<!-- a'), markdown('b')], '<!-- a\n-->\n\nb\n\n'],
    ['words about magics', [markdown('use %%time'), markdown('b')], 'use \\%\\%time\n\nb\n\n'],
  ])('keeps %s', async (_, cells, shown) => expect(await read(...cells)).toBe(shown));

  it('leaves out pictures, with a warning, and no link to them', async () => {
    const all = notebook([
      markdown(
        'a ![A tree](attachment:tree.png) ![](attachment:b.png "t") <img alt="c" src="data:image/png;base64,xx"> ![d](https://e.org/d.png)\n```\n![A](attachment:x)\n```',
      ),
      code('', data({ 'image/png': 'xx', 'text/plain': ['<Figure size 1x1>'] })),
      code('', data({ 'image/png': 'xx' })),
    ]);
    expect(await readAs('notebook', all)).toEqual({
      markdown:
        'a A tree *b.png* c ![d](https://e.org/d.png)\n```\n![A](attachment:x)\n```\n\n```text\n<Figure size 1x1>\n```\n\n',
      warnings: [expect.stringMatching(/^5 pictures and other outputs are no text/)],
    });
  });

  it('leaves out pictures that are defined elsewhere in their cell', async () => {
    const all = notebook([
      markdown('![A tree][t] ![t][] ![b][c]\n\n[t]: attachment:t.png\n[c]: https://e.org/c.png'),
    ]);
    expect(await readAs('notebook', all)).toEqual({
      markdown: 'A tree t ![b][c]\n\n\n[c]: https://e.org/c.png\n\n',
      warnings: [expect.stringMatching(/^2 pictures and other outputs are no text/)],
    });
  });

  it('keeps the labels of its cells apart', async () => {
    expect(
      await read(
        markdown('[a][1] [^n]\n\n[1]: https://e.org/a\n[^n]: N'),
        markdown(
          '```\n[1]: x\n```\n[b][1] [1] [1][] `[1]` [1](x) [c][2] [^n]\n\n[1]: https://e.org/b\n[^n]: M',
        ),
        markdown('[d][1]\n\n[1]: https://e.org/a'),
      ),
    ).toBe(
      '[a][1] [^n]\n\n[1]: https://e.org/a\n[^n]: N\n\n' +
        '```\n[1]: x\n```\n[b][1-1] [1][1-1] [1][1-1] `[1]` [1](x) [c][2] [^n-2]\n\n[1-1]: https://e.org/b\n[^n-2]: M\n\n' +
        '[d][1]\n\n[1]: https://e.org/a\n\n',
    );
  });

  it('cuts a long output, with a warning', async () => {
    const { markdown: shown, warnings } = await readAs(
      'notebook',
      notebook([code('', { output_type: 'stream', text: 'x'.repeat(30_000) }), markdown('end')]),
    );
    expect(shown).toBe(`\`\`\`text\n${'x'.repeat(20_000)}\n\`\`\`\n\nend\n\n`);
    expect(warnings).toEqual([expect.stringMatching(/^One output has more than 20,000 characters/)]);
  });

  it('of the third format is read', async () => {
    const old = {
      nbformat: 3,
      metadata: { name: '' },
      worksheets: [
        {
          cells: [
            { cell_type: 'heading', level: 2, source: ['T'] },
            {
              cell_type: 'code',
              language: 'python',
              input: ['x'],
              outputs: [
                { output_type: 'stream', stream: 'stdout', text: ['a\n'] },
                { output_type: 'pyout', text: ['1'], prompt_number: 1 },
                { output_type: 'display_data', png: 'xx' },
                { output_type: 'pyerr', ename: 'E', evalue: 'v', traceback: ['E: v'] },
              ],
            },
          ],
        },
      ],
    };
    expect(await readAs('notebook', JSON.stringify(old))).toEqual({
      markdown: '## T\n\n```python\nx\n```\n\n```text\na\n```\n\n```text\n1\n```\n\n```text\nE: v\n```\n\n',
      title: 'T',
      warnings: [expect.stringMatching(/^A picture or other output is no text/)],
    });
  });

  it.each<[string, object[], object, string | undefined]>([
    ['its first heading', [markdown('a\n```\n# no\n```\n### A `b` [c](d) ##')], {}, 'A b c'],
    ['its first underlined heading', [markdown('A b\n===\n\n## c')], {}, 'A b'],
    ['its own title', [markdown('# A')], { title: 'T' }, 'T'],
    ['no property', [markdown('---\nx: y\n---\n\n## A')], {}, 'A'],
    ['nothing', [markdown('a')], {}, undefined],
  ])('has the title of %s', async (_, cells, metadata, title) =>
    expect((await readAs('notebook', notebook(cells, metadata))).title).toBe(title),
  );

  it.each<[string, string, RegExp]>([
    ['no JSON', '{a', /no valid JSON/],
    ['other JSON', '{"a":1}', /no notebook.*as JSON/],
    ['a list', '[1]', /no notebook.*as JSON/],
  ])('that is %s is read as text, with a warning', async (_, text, warning) => {
    const { markdown: shown, warnings } = await readAs('notebook', text);
    expect(shown).toContain(text.slice(1, 2));
    expect(warnings).toEqual([expect.stringMatching(warning)]);
  });

  it('keeps the words of every cell, whatever stands before it', async () => {
    const source = fc.constantFrom(
      '```',
      '~~~~',
      '- ```js\n  a',
      '> ```\n> a',
      '<!-- x',
      '<pre>',
      '%%',
      '$$',
      '`a',
      '    ```',
      '1. x',
      '# h',
      'text',
      '~~~\n```',
      '',
    );
    const cell = fc.oneof(
      source.map(markdown),
      source.map((text) => code(text)),
      source.map((text) => ({ cell_type: 'raw', source: text })),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(cell, { maxLength: 6 }), async (cells) => {
        // A heading below them is a heading: nothing is open.
        const { markdown: shown } = await readAs('notebook', notebook([...cells, markdown('## the end')]));
        expect(headings(shown)).toContain('the end');
      }),
      { numRuns: 1000 },
    );
  });
});

/** The headings that are shown. */
function headings(text: string): string[] {
  return markdownFacts(text).headings.map(({ text: words }) => words);
}
