import { builtInFormat, formattedNumber } from '../../../src/adapters/document-program/number-format';
import { cells, coreProperties, relations, sheetPart, xlsx } from '../../support/made-office';
import { readAs } from '../../support/read-document';

const shown = async (...args: Parameters<typeof xlsx>) => (await readAs('xlsx', xlsx(...args))).markdown;
const sheet = (xml: string) => [{ name: 'One', xml }];
const at = (place: string, text: string) => `<c r="${place}" t="str"><v>${text}</v></c>`;

describe('a workbook', () => {
  it('shows what its cells show: texts, numbers, dates, truth, errors, formulas by their values', async () => {
    const styles = sheetPart(
      'styleSheet',
      '<numFmts><numFmt numFmtId="164" formatCode="[$-409]d\\ mmm\\ yyyy;@"/><numFmt numFmtId="165" formatCode="#,##0.00\\ &quot;€&quot;"/></numFmts>' +
        '<cellXfs><xf numFmtId="0"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="10"/></cellXfs>',
    );
    const strings = sheetPart(
      'sst',
      '<si><t>Ladder *</t></si><si><r><t>wa</t></r><r><t>ter</t></r><rPh><t>ミズ</t></rPh></si>',
    );
    const xml = cells([
      ['<c t="s"><v>0</v></c>', '<c t="s"><v>1</v></c>', 'a|b\nc', '<c t="b"><v>1</v></c>'],
      [
        '<c s="1"><v>45293</v></c>',
        '<c s="2"><v>-1234.5</v></c>',
        '<c s="3"><v>0.125</v></c>',
        '<c t="e"><v>#DIV/0!</v></c>',
      ],
      [
        '<c><f>A1+1</f><v>0.1</v></c>',
        '<c t="str"><f>X</f><v>text</v></c>',
        '<c><v>0.30000000000000004</v></c>',
        '<c t="d"><v>2024-05-06T00:00:00</v></c>',
      ],
    ]);
    const parts = { 'xl/styles.xml': styles, 'xl/sharedStrings.xml': strings };
    expect(await shown(sheet(xml), parts)).toBe(
      [
        '## One\n',
        '| Ladder \\* | water | a\\|b<br>c | TRUE |',
        '| --- | --- | --- | --- |',
        '| 2 Jan 2024 | -1,234.50 € | 12.50% | \\#DIV/0! |',
        '| 0.1 | text | 0.3 | 2024-05-06 |\n\n',
      ].join('\n'),
    );
  });

  it('shows a formula that has no value, and says so', async () => {
    const { markdown, warnings } = await readAs(
      'xlsx',
      xlsx(sheet(cells([['<c><f>SUM(B1:B2)</f></c>', 'x']]))),
    );
    expect(markdown).toContain('| =SUM(B1:B2) | x |');
    expect(warnings).toEqual([expect.stringMatching(/^A cell shows its formula/)]);
  });

  it('shows each block of rows as a table, titles above it, and tables that stand side by side', async () => {
    const rows = [
      [at('B2', 'Harvest')],
      [at('B3', 'Row'), at('C3', 'kg')],
      [at('B4', 'North'), at('C4', '5'), at('G4', 'Tree'), at('H4', 'Age')],
      [at('G5', 'Quince'), at('H5', '9')],
      [at('B7', 'Note')],
    ];
    expect(await shown(sheet(cells(rows)))).toBe(
      '## One\n\nHarvest\n\n| Row | kg |\n| --- | --- |\n| North | 5 |\n\n| Tree | Age |\n| --- | --- |\n| Quince | 9 |\n\nNote\n\n',
    );
  });

  it('fills merged cells where a row has other values', async () => {
    const rows = [
      [at('A1', 'All of it')],
      [at('A2', ''), at('B2', '2024')],
      [at('A3', 'Area'), at('B3', 'May'), at('C3', 'June')],
      [at('A4', 'North'), at('B4', '1'), at('C4', '2')],
      [at('B5', '3'), at('C5', '4')],
    ];
    const merges = ['A1:C1', 'B2:C2', 'A4:A5', 'bad', 'A9:XFD1048576'].map(
      (ref) => `<mergeCell ref="${ref}"/>`,
    );
    expect(await shown(sheet(`${cells(rows)}<mergeCells>${merges.join('')}</mergeCells>`))).toBe(
      '## One\n\nAll of it\n\n2024\n\n| Area | May | June |\n| --- | --- | --- |\n| North | 1 | 2 |\n| North | 3 | 4 |\n\n',
    );
  });

  it('shows links, comments with their authors, text boxes and charts', async () => {
    const xml = `${cells([['site', 'x']])}<hyperlinks><hyperlink ref="A1" r:id="h"/><hyperlink ref="B1" location="Two!A1"/></hyperlinks>`;
    const drawing =
      '<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><xdr:sp><xdr:txBody><a:p><a:r><a:t>Look here</a:t></a:r></a:p></xdr:txBody></xdr:sp></xdr:wsDr>';
    const parts = {
      'xl/worksheets/_rels/sheet1.xml.rels': relations(
        ['h', 'hyperlink', 'https://e.org/a_b'],
        ['c', 'comments', '../comments1.xml'],
        ['t', 'threadedComment', '../threadedComments/threadedComment1.xml'],
        ['d', 'drawing', '../drawings/drawing1.xml'],
      ),
      'xl/comments1.xml': sheetPart(
        'comments',
        '<authors><author>Ada</author></authors><commentList><comment ref="A1" authorId="0"><text><r><t>Ada:</t></r><r><t>\nWhy?</t></r></text></comment><comment ref="B1" authorId="0"><text><t>[Threaded comment]</t></text></comment></commentList>',
      ),
      'xl/threadedComments/threadedComment1.xml':
        '<ThreadedComments><threadedComment ref="B1" personId="{1}" dT="2024-05-06T07:08:09.1"><text>Which &lt;b&gt;?</text></threadedComment></ThreadedComments>',
      'xl/persons/person.xml': '<personList><person id="{1}" displayName="Brook"/></personList>',
      'xl/drawings/drawing1.xml': drawing,
    };
    expect(await shown(sheet(xml), parts)).toBe(
      '## One\n\n| [site](https://e.org/a_b) | x |\n| --- | --- |\n\n- B1: Comment by Brook, 2024-05-06: Which \\<b>?\n- A1: Comment by Ada: Why?\n\nLook here\n\n',
    );
  });

  it('reads hidden sheets and names them, leaves out empty ones, and says who wrote it', async () => {
    const sheets = [
      { name: 'Seen', xml: cells([['a']]) },
      { name: 'Empty', xml: '<sheetData/>' },
      { name: 'Lists', state: 'veryHidden', xml: cells([['b']]) },
    ];
    expect(
      await readAs(
        'xlsx',
        xlsx(sheets, { 'docProps/core.xml': coreProperties('Costs of 2024', 'openpyxl') }),
      ),
    ).toEqual({
      markdown: '## Seen\n\na\n\n## Lists (hidden)\n\nb\n\n',
      title: 'Costs of 2024',
      properties: { created: '2024-03-01T09:00:00Z', modified: '2024-03-02T10:30:00Z' },
      warnings: ['Hidden sheets were read as well: Lists'],
    });
  });

  it('of few cells far apart is a list', async () => {
    const far = Array.from({ length: 2000 }, (_, row) => {
      const column =
        String.fromCharCode(65 + (row % 26)) + String.fromCharCode(65 + (Math.floor(row / 26) % 26));
      return [at(`${column}${String.fromCharCode(65 + Math.floor(row / 676))}${row + 1}`, `v${row}`)];
    });
    const markdown = await shown(sheet(cells(far)));
    expect(markdown).toContain('- AAA1: v0\n- BAA2: v1\n');
    expect(markdown.match(/^- /gm)).toHaveLength(2000);
  });
});

describe('a number', () => {
  it.each<[number, string, string]>([
    [0.1 + 0.2, 'General', '0.3'],
    [1e21, '0', '1e+21'],
    [1234567.891, '#,##0.00', '1,234,567.89'],
    [-5, '#,##0;(#,##0)', '(5)'],
    [0, '0;-0;"none"', 'none'],
    [0.5, '#.##', '.5'],
    [12, '0.0##', '12.0'],
    [7, '000', '007'],
    [0.256, '0.0%', '25.6%'],
    [12345, '0.00E+00', '1.23E+04'],
    [1234567, '#,##0.0,,"M"', '1.2M'],
    [5, '"km "0', 'km 5'],
    [5, '[Red]0.0', '5.0'],
    [5, '[$€-407] #,##0', '€ 5'],
    [0.5, '# ?/?', '0.5'],
    [5551234, '000-0000', '5551234'],
    [-0.001, '0.00', '0.00'],
    [3, '_(* #,##0_);_(* (#,##0)', '3'],
  ])('%d by %s is %s', (value, format, text) => expect(formattedNumber(value, format)).toBe(text));

  it.each<[number, string, string]>([
    [1, 'yyyy-mm-dd', '1900-01-01'],
    [61, 'yyyy-mm-dd', '1900-03-01'],
    [45351, 'dddd, d mmmm yyyy', 'Thursday, 29 February 2024'],
    [45351.75, 'dd/mm/yy hh:mm AM/PM', '29/02/24 06:00 PM'],
    [0.999988426, 'h:mm:ss', '23:59:59'],
    [0.5 + 1 / 86400, 'mm:ss', '00:01'],
    [1.5, '[h]:mm', '36:00'],
    [45351.123456, 'ss.00', '46.60'],
    [-1, 'yyyy', '-1'],
    [3e6, 'yyyy', '3000000'],
    [45351, builtInFormat(14), '2024-02-29'],
  ])('of a day %d by %s is %s', (value, format, text) => expect(formattedNumber(value, format)).toBe(text));

  it('counts days from 1904 where the workbook says so', () =>
    expect(formattedNumber(0, 'yyyy-mm-dd', true)).toBe('1904-01-01'));
});
