import { coreProperties, docx, inXml, para, wordPart } from '../../support/made-office';
import { readAs } from '../../support/read-document';
import { refusalOf } from '../../support/refusal';

const STYLES = wordPart(
  'styles',
  [
    ['Titel', 'Title', ''],
    ['berschrift1', 'heading 1', '<w:pPr><w:outlineLvl w:val="0"/></w:pPr>'],
    ['Eigen', 'My heading', '<w:basedOn w:val="berschrift1"/>'],
    ['Zitat', 'Quote', ''],
    ['Quelltext', 'Source Code', ''],
    ['Verzeichnis1', 'toc 1', ''],
    ['Fett', 'Strong', '<w:rPr><w:b/></w:rPr>'],
  ]
    .map(([id, name, more]) => `<w:style w:styleId="${id}"><w:name w:val="${name}"/>${more}</w:style>`)
    .join(''),
);
const style = (id: string) => `<w:pStyle w:val="${id}"/>`;

const LEVELS = ['decimal %1.', 'decimal %1.%2.', 'lowerLetter %3)', 'bullet •'].map((level, at) => {
  const [format, text] = level.split(' ');
  return `<w:lvl w:ilvl="${at}"><w:start w:val="1"/><w:numFmt w:val="${format}"/><w:lvlText w:val="${text}"/></w:lvl>`;
});
const NUMBERING = wordPart(
  'numbering',
  `<w:abstractNum w:abstractNumId="7">${LEVELS.join('')}</w:abstractNum>` +
    '<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num>' +
    '<w:num w:numId="2"><w:abstractNumId w:val="7"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="5"/></w:lvlOverride></w:num>',
);
const item = (text: string, level = 0, id = 1) =>
  para(text, `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${id}"/></w:numPr>`);
const run = (text: string, look = '') =>
  `<w:r><w:rPr>${look}</w:rPr><w:t xml:space="preserve">${inXml(text)}</w:t></w:r>`;
const field = (kind: string) => `<w:r><w:fldChar w:fldCharType="${kind}"/></w:r>`;

const shown = async (
  body: string,
  parts: Parameters<typeof docx>[1] = {},
  rows: Parameters<typeof docx>[2] = [],
) =>
  (await readAs('docx', docx(body, { 'styles.xml': STYLES, 'numbering.xml': NUMBERING, ...parts }, rows)))
    .markdown;

describe('a Word document', () => {
  it.each<[string, string, string]>([
    [
      'headings by their styles, below the title',
      para('Report', style('Titel')) + para('One', style('berschrift1')) + para('Two', style('Eigen')),
      '# Report\n\n## One\n\n## Two\n',
    ],
    ['a heading by its level', para('Deep', '<w:outlineLvl w:val="2"/>'), '### Deep\n'],
    [
      'lists as they count',
      item('a') + item('b', 1) + item('c', 2) + item('d') + item('e', 3) + item('f', 0, 2),
      '1. a\n   - 1.1. b\n     - a) c\n2. d\n   - e\n5. f\n',
    ],
    [
      'a list that a paragraph interrupts',
      item('a') + para('between') + item('b'),
      '1. a\n\nbetween\n\n2. b\n',
    ],
    [
      'letters of many kinds',
      `<w:p>${run('a ')}${run('bold ', '<w:b/>')}${run('both', '<w:b/><w:i/>')}${run(', ')}${run('gone', '<w:strike/>')}${run(' H')}${run('2', '<w:vertAlign w:val="subscript"/>')}${run('O ')}${run('not', '<w:b w:val="0"/>')}</w:p>`,
      'a **bold** ***both***, ~~gone~~ H<sub>2</sub>O not\n',
    ],
    [
      'a word whole of which some letters are bold',
      `<w:p>${run('un')}${run('bel', '<w:b/>')}${run('ievable ')}${run('end:', '<w:rStyle w:val="Fett"/>')}${run('x')}</w:p>`,
      'unbelievable end:x\n',
    ],
    [
      'text that looks like markup',
      para('# no *heading* [[x]] <b> $1 $2'),
      '\\# no \\*heading\\* \\[\\[x]] \\<b> \\$1 \\$2\n',
    ],
    [
      'quotations and code',
      para('Said', style('Zitat')) + para('a = [1]', style('Quelltext')) + para('  b', style('Quelltext')),
      '> Said\n\n```\na = [1]\n  b\n```\n',
    ],
    [
      'paragraphs in the letters of code that are code',
      para('f(x) = 1;', '', '<w:rFonts w:ascii="Courier New"/>') +
        para('Dear John', '', '<w:rFonts w:ascii="Courier New"/>'),
      '```\nf(x) = 1;\n```\n\nDear John\n',
    ],
    [
      'line ends, tabs and signs',
      '<w:p><w:r><w:t>a</w:t><w:br/><w:t>b</w:t><w:tab/><w:t>c</w:t><w:noBreakHyphen/><w:t>d </w:t><w:sym w:font="Wingdings" w:char="F0FC"/></w:r></w:p>',
      'a\nb c-d ✓\n',
    ],
    [
      'what was inserted, and what stands in content controls',
      `<w:sdt><w:sdtContent><w:p><w:ins>${run('new')}</w:ins></w:p></w:sdtContent></w:sdt>`,
      'new\n',
    ],
  ])('shows %s', async (_, body, expected) => expect(await shown(body)).toBe(expected));

  it('shows tables: merged cells in each row and column, tables within cells as values', async () => {
    const cell = (text: string, properties = '') =>
      `<w:tc><w:tcPr>${properties}</w:tcPr>${para(text)}</w:tc>`;
    const row = (...all: string[]) => `<w:tr>${all.join('')}</w:tr>`;
    const table = (...rows: string[]) => `<w:tbl>${rows.join('')}</w:tbl>`;
    const [begin, more] = ['<w:vMerge w:val="restart"/>', '<w:vMerge/>'];
    const inner = table(row(cell('p'), cell('q')), row(cell('r'), cell('s')));
    const body = table(
      row(cell('Costs', '<w:gridSpan w:val="3"/>')),
      row(cell('Area'), cell('2024', '<w:gridSpan w:val="2"/>')),
      row(cell('North', begin), cell('1'), cell('a|b')),
      row(cell('', more), cell('2'), `<w:tc>${inner}<w:p/></w:tc>`),
    );
    expect(await shown(body)).toBe(
      'Costs\n\n| Area | 2024 | 2024 |\n| --- | --- | --- |\n| North | 1 | a\\|b |\n| North | 2 | p, q<br>r, s |\n',
    );
    expect(await shown(table(row(cell('A box'))))).toBe('A box\n');
  });

  it('shows links of every form, and no other addresses', async () => {
    const body = [
      `<w:hyperlink r:id="h1">${run('site')}</w:hyperlink> `,
      `<w:hyperlink w:anchor="x">${run(' place')}</w:hyperlink>`,
      `${field('begin')}<w:r><w:instrText> HYPERLINK "https://e.org/f" \\o "tip" </w:instrText></w:r>${field('separate')}${run(' field')}${field('end')}`,
      `<w:fldSimple w:instr="HYPERLINK &quot;javascript:alert(1)&quot;">${run(' bad')}</w:fldSimple>`,
      `${field('begin')}<w:r><w:instrText>XE "index"</w:instrText><w:t>unseen</w:t></w:r>${field('end')}${run(' end')}`,
    ].join('');
    expect(await shown(`<w:p>${body}</w:p>`, {}, [['h1', 'hyperlink', 'https://e.org/a?b=1&c=2']])).toBe(
      '[site](https://e.org/a?b=1&c=2) place [field](https://e.org/f) bad end\n',
    );
  });

  it('shows what follows a field that nothing ends', async () =>
    expect(await shown(`<w:p>${field('begin')}${run('lost')}</w:p>${para('kept')}`)).toBe('kept\n'));

  it('shows footnotes and comments at their places', async () => {
    const notes = wordPart(
      'footnotes',
      `<w:footnote w:id="2">${para('See *A*.')}${para('More.')}</w:footnote>`,
    );
    const comments = wordPart(
      'comments',
      `<w:comment w:id="0" w:author="Ada [B]" w:date="2024-05-06T07:08:09Z">${para('Why?')}</w:comment>`,
    );
    const body = `<w:p>${run('One')}<w:r><w:footnoteReference w:id="2"/></w:r>${run(' two')}<w:r><w:commentReference w:id="0"/></w:r>${run(' three')}<w:r><w:footnoteReference w:id="2"/></w:r></w:p>`;
    expect(await shown(body, { 'footnotes.xml': notes, 'comments.xml': comments })).toBe(
      'One[^1] two[^comment-1] three[^1]\n\n[^1]: See \\*A\\*.\n\n    More.\n\n[^comment-1]: Comment by Ada [B], 2024-05-06: Why?\n',
    );
  });

  it('shows formulas as TeX', async () => {
    const r = (text: string) => `<m:r><m:t>${inXml(text)}</m:t></m:r>`;
    const fraction = `<m:f><m:num>${r('a')}</m:num><m:den>${r('2π')}</m:den></m:f>`;
    const root = `<m:rad><m:radPr><m:degHide m:val="1"/></m:radPr><m:deg/><m:e>${r('x')}</m:e></m:rad>`;
    const sum = `<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub>${r('i=0')}</m:sub><m:sup>${r('n')}</m:sup><m:e>${r('i')}</m:e></m:nary>`;
    const power = `<m:sSup><m:e>${fraction}</m:e><m:sup>${r('2')}</m:sup></m:sSup>`;
    const inLine = `<w:p>${run('so ')}<m:oMath>${power}</m:oMath>${run(' holds')}</w:p>`;
    const alone = `<w:p><m:oMath>${root}</m:oMath><m:oMath>${sum}</m:oMath></w:p>`;
    expect(await shown(inLine + alone)).toBe(
      'so ${\\frac{a}{2\\pi}}^{2}$ holds\n\n$$\n\\sqrt{x}\n$$\n\n$$\n\\sum_{i=0}^{n} i\n$$\n',
    );
  });

  it('shows the text of boxes once, and charts as tables', async () => {
    const box = (text: string) => `<w:txbxContent>${para(text)}</w:txbxContent>`;
    const drawn = `<w:p>${run('text')}<w:r><mc:AlternateContent><mc:Choice><w:drawing>${box('in the box')}</w:drawing></mc:Choice><mc:Fallback><w:pict>${box('in the box')}</w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>`;
    const points = (...values: string[]) =>
      values.map((value, at) => `<c:pt idx="${at}"><c:v>${value}</c:v></c:pt>`).join('');
    const chart = `<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><c:chart><c:title><a:p><a:r><a:t>Flow</a:t></a:r></a:p></c:title><c:plotArea><c:barChart><c:ser><c:tx><c:strRef><c:strCache>${points('West')}</c:strCache></c:strRef></c:tx><c:cat><c:strRef><c:strCache>${points('May', 'June')}</c:strCache></c:strRef></c:cat><c:val><c:numRef><c:numCache>${points('0.30000000000000004', '2')}</c:numCache></c:numRef></c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>`;
    const drawing = `<w:p><w:r><w:drawing><c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" r:id="ch"/></w:drawing></w:r></w:p>`;
    expect(
      await shown(drawn + drawing, { 'word/charts/chart1.xml': chart }, [
        ['ch', 'chart', 'charts/chart1.xml'],
      ]),
    ).toBe(
      'text\n\nin the box\n\nBar chart: Flow\n\n|  | West |\n| --- | --- |\n| May | 0.3 |\n| June | 2 |\n',
    );
  });

  it('tells what is left out, and what it says of itself', async () => {
    const picture =
      '<w:r><w:drawing><wp:docPr descr="A pump.\nDescription automatically generated"/><a:blip/></w:drawing></w:r>';
    const body = [
      para('Contents 1', style('Verzeichnis1')),
      `<w:p>${run('seen')}<w:del><w:r><w:delText>deleted</w:delText></w:r></w:del>${run('hidden', '<w:vanish/>')}${picture}</w:p>`,
    ].join('');
    const parts = {
      'docProps/core.xml': coreProperties('Pump & co', 'Ada Brook'),
      'styles.xml': STYLES,
      'header1.xml': wordPart('hdr', para('Orchard Ltd') + para('12')),
    };
    expect(await readAs('docx', docx(body, parts, [['h', 'header', 'header1.xml']]))).toEqual({
      markdown: 'seen (Picture: A pump.)\n',
      title: 'Pump & co',
      properties: { author: 'Ada Brook', created: '2024-03-01T09:00:00Z', modified: '2024-03-02T10:30:00Z' },
      warnings: [
        'A picture was left out; the kept original has it.',
        'Text that is marked as deleted was left out (1 of its pieces).',
        'Hidden text was left out (1 of its pieces).',
        'The table of contents was left out: it repeats the headings.',
        'Headers and footers were left out: "Orchard Ltd"',
      ],
    });
  });

  it('is read whatever prefixes and form of OOXML it has', async () => {
    expect((await refusalOf(readAs('docx', docx('')))).code).toBe('no_text');
    const body =
      '<x:document xmlns:x="http://purl.oclc.org/ooxml/wordprocessingml/main"><x:body><x:p><x:r><x:t>Strict</x:t></x:r></x:p></x:body></x:document>';
    expect(await shown('', { 'document.xml': body })).toBe('Strict\n');
  });
});
