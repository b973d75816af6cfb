import type { OpenDocumentReader } from '../../../src/adapters/documents/reader';
import { fixture, nodeReader } from '../../support/document-readers';
import { pageOf, pdfOf, pdfWithNotes, pdfWithPages, streamOf, textAt } from '../../support/made-pdf';
import { refusalOf } from '../../support/refusal';
import { cpuMs } from '../../support/cpu';

let reader: OpenDocumentReader;
beforeAll(() => (reader = nodeReader()));
afterAll(() => reader.close());

const read = (bytes: Uint8Array<ArrayBuffer>) => reader.read({ name: 'made.pdf', bytes });

describe('the form fields and notes of a page are text', () => {
  const widget = (rect: string, more: string) =>
    `<< /Type /Annot /Subtype /Widget /Rect [${rect}] /F 4 /DA (/F 10 Tf 0 g) ${more} >>`;
  it.each<[string, string, string[], string]>([
    [
      'a text',
      'Name:',
      [widget('100 695 300 711', '/FT /Tx /T (n) /V (Ada Lovelace)')],
      'Name: Ada Lovelace',
    ],
    [
      'several lines',
      'Address',
      [widget('50 600 300 690', '/FT /Tx /T (a) /Ff 4096 /V (5 Elm Street\\r02-092 Springfield)')],
      'Address\n\n5 Elm Street\n02-092 Springfield',
    ],
    [
      'a choice, by what is shown',
      'Country:',
      [
        widget(
          '110 695 300 711',
          '/FT /Ch /T (c) /Ff 131072 /Opt [[(ch) (Switzerland)] [(de) (Germany)]] /V (ch)',
        ),
      ],
      'Country: Switzerland',
    ],
    [
      'several choices',
      'Fruit:',
      [
        widget(
          '100 695 300 711',
          '/FT /Ch /T (f) /Ff 2097152 /Opt [(apple) (pear) (plum)] /V [(apple) (plum)]',
        ),
      ],
      'Fruit: apple, plum',
    ],
    [
      'a box that is checked',
      'I agree',
      [
        widget(
          '100 698 110 708',
          '/FT /Btn /T (b) /V /Yes /AS /Yes /AP << /N << /Yes 4 0 R /Off 4 0 R >> >>',
        ),
      ],
      'I agree ☒',
    ],
    [
      'a box that is not',
      'I agree',
      [
        widget(
          '100 698 110 708',
          '/FT /Btn /T (b) /V /Off /AS /Off /AP << /N << /Yes 4 0 R /Off 4 0 R >> >>',
        ),
      ],
      'I agree ☐',
    ],
    [
      'a note on the page',
      'Text.',
      [
        '<< /Type /Annot /Subtype /FreeText /Rect [50 600 300 650] /F 4 /DA (/F 10 Tf 0 g) /Contents (Call the printer) >>',
      ],
      'Text.\n\nCall the printer',
    ],
    ['no password', 'Key:', [widget('100 695 300 711', '/FT /Tx /T (p) /Ff 8192 /V (hunter2)')], 'Key:'],
    [
      'no hidden field',
      'Key:',
      [widget('100 695 300 711', '/FT /Tx /T (h) /V (secret)').replace('/F 4', '/F 2')],
      'Key:',
    ],
    ['no empty field', 'Name:', [widget('100 695 300 711', '/FT /Tx /T (n) /V ()')], 'Name:'],
  ])('%s', async (_, text, notes, markdown) => {
    expect(await read(pdfWithNotes(textAt(50, 700, text), notes))).toMatchObject({
      markdown: `${markdown}\n`,
      warnings: [],
    });
  });

  it('also of a page without other text', async () => {
    const { markdown } = await read(pdfWithNotes('', [widget('100 695 300 711', '/FT /Tx /T (n) /V (Ada)')]));
    expect(markdown).toBe('Ada\n');
  });
});

describe('a damaged tree of pages', () => {
  const PAGE =
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 5 0 R /Resources << /Font << /F 3 0 R >> >> >>';
  const fileOf = (pages: string, page = PAGE, catalogue = '<< /Type /Catalog /Pages 2 0 R >>') =>
    pdfOf([
      catalogue,
      pages,
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
      page,
      streamOf(textAt(50, 700, 'Hello words')),
    ]);

  it.each<[string, Uint8Array<ArrayBuffer>]>([
    ['that contains itself', fileOf('<< /Type /Pages /Kids [2 0 R] /Count 1 >>')],
    [
      'whose nodes contain each other',
      fileOf('<< /Type /Pages /Kids [4 0 R] /Count 3 >>', '<< /Type /Pages /Kids [2 0 R] /Count 3 >>'),
    ],
    ['whose page is not in the file', fileOf('<< /Type /Pages /Kids [99 0 R] /Count 1 >>')],
    ['whose page is nothing', fileOf('<< /Type /Pages /Kids [null] /Count 1 >>')],
    ['whose page is a text', fileOf('<< /Type /Pages /Kids [4 0 R] /Count 1 >>', '(x)')],
    ['whose list is none', fileOf('<< /Type /Pages /Kids << >> /Count 1 >>')],
    ['that is empty', fileOf('<< /Type /Pages /Kids [] /Count 0 >>')],
    ['that counts pages and has none', fileOf('<< /Type /Pages /Kids [] /Count 5 >>')],
    ['that is not in the file', fileOf('<< >>', PAGE, '<< /Type /Catalog /Pages 99 0 R >>')],
    ['that is the catalogue', fileOf('<< >>', PAGE, '<< /Type /Catalog /Pages 1 0 R >>')],
    ['that is missing', fileOf('<< >>', PAGE, '<< /Type /Catalog >>')],
  ])('%s is refused at once', async (_, bytes) => {
    const start = cpuMs();
    const error = await refusalOf(read(bytes));
    expect(error.code).toBe('unsupported_type');
    expect(error.message).toMatch(/made\.pdf is damaged/);
    expect(cpuMs() - start).toBeLessThan(20_000);
  });

  it.each<[string, string]>([
    ['counts too many', '<< /Type /Pages /Kids [4 0 R] /Count 1000000 >>'],
    ['counts less than none', '<< /Type /Pages /Kids [4 0 R] /Count -1 >>'],
    ['counts none', '<< /Type /Pages /Kids [4 0 R] >>'],
  ])('is read where it only %s', async (_, pages) => {
    expect((await read(fileOf(pages))).markdown).toBe('Hello words\n');
  });

  it.each<[string, string, RegExp]>([
    ['the first one', '99 0 R 4 0 R', /^Page 1 /],
    ['one between others', '4 0 R 99 0 R 6 0 R', /^Page 2 /],
    ['nothing between others', '4 0 R null 6 0 R', /^Page 2 /],
    ['itself between others', '4 0 R 2 0 R 6 0 R', /^Page 2 /],
  ])('is read where %s is no page', async (_, kids, warning) => {
    const bytes = pdfOf([
      '<< /Type /Catalog /Pages 2 0 R >>',
      `<< /Type /Pages /Kids [${kids}] /Count ${kids.split(/ (?!\d+ R|R)/).length} >>`,
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
      PAGE,
      streamOf(textAt(50, 700, 'Hello words')),
      PAGE.replace('5 0 R', '7 0 R'),
      streamOf(textAt(50, 700, 'The last page.')),
    ]);
    const { markdown, warnings } = await read(bytes);
    expect(markdown).toContain('Hello words');
    expect(markdown.includes('The last page.')).toBe(kids.includes('6 0 R'));
    expect(warnings).toEqual([expect.stringMatching(warning)]);
  });

  it('is read as far as it goes, and says which page is missing', async () => {
    const { markdown, warnings } = await read(fileOf('<< /Type /Pages /Kids [4 0 R 99 0 R] /Count 2 >>'));
    expect(markdown).toBe('Hello words\n');
    expect(warnings).toEqual([expect.stringMatching(/^Page 2 could not be read: /)]);
  });
});

it('says which page could not be read whole', async () => {
  const whole = pdfWithPages([
    pageOf(['The first page.']),
    pageOf(Array.from({ length: 40 }, (_, at) => `Line ${at} of ${at * at * 17} words`)),
  ]);
  const text = Buffer.from(whole).toString('latin1');
  // The packed text of the second page ends before its end.
  const from = text.lastIndexOf('stream\n', text.lastIndexOf('endstream') - 1) + 'stream\n'.length;
  const bytes = new Uint8Array(whole);
  bytes.fill(0xff, from + 200, text.indexOf('\nendstream', from));
  const { markdown, warnings } = await read(bytes);
  expect(markdown).toContain('The first page.');
  expect(warnings[0]).toMatch(/^Page 2 could not be read whole: a part of the file is damaged/);
});

describe('text that goes on over pages', () => {
  const LONG = 'Words of a paragraph that reaches to the end of its page and goes on';
  it.each([
    [
      'a sentence',
      ['First.', `${LONG} in the`],
      ['middle of a sentence. Then it ends.'],
      `First.\n${LONG} in the middle of a sentence. Then it ends.`,
    ],
    ['a word', [`${LONG} in the har-`], ['vest of the year.'], `${LONG} in the harvest of the year.`],
    [
      'a name',
      [`${LONG} with Mr Smith-`],
      ['Jones of the town.'],
      `${LONG} with Mr Smith-Jones of the town.`,
    ],
    ['two sentences', [`${LONG}.`], ['Another one.'], `${LONG}.\n\nAnother one.`],
  ])('%s', async (_, first, second, markdown) => {
    const { markdown: text, pages = [] } = await read(pdfWithPages([pageOf(first), pageOf(second)]));
    expect(text).toBe(`${markdown}\n`);
    expect(pages.map(({ page, from }) => [page, text.slice(from).split(' ')[0]?.split('\n')[0]])).toEqual([
      [1, first[0]?.split(' ')[0]],
      [2, second[0]?.split(' ')[0]],
    ]);
  });

  it('with headers, footers and page numbers between', async () => {
    const page = (at: number, lines: readonly string[]) =>
      [textAt(50, 780, 'The annual report'), textAt(290, 20, `Page ${at} of 2`), pageOf(lines)].join('\n');
    const bytes = pdfWithPages([page(1, ['Start.', `${LONG} in the`]), page(2, ['middle of a sentence.'])]);
    expect(await read(bytes)).toMatchObject({
      markdown: `Start.\n${LONG} in the middle of a sentence.\n`,
      warnings: [
        'Lines that pages repeat at their top or bottom were left out: "The annual report", "Page # of #".',
      ],
    });
  });
});

it('reads what Chromium has printed in Arabic and Hebrew', async () => {
  const { markdown } = await reader.read(fixture('rtl-chromium.pdf'));
  expect(markdown).toMatchSnapshot();
});

it('tells of a part of a page that is missing, although the rest can be read', async () => {
  const page = `${pageOf(['Words of the page.'])}\n/Ghost Do`;
  const text = Buffer.from(pdfWithPages([page], 0)).toString('latin1');
  const broken = text.replace('/Resources << ', '/Resources << /XObject << /Ghost 3 0 R >> ');
  expect(await read(new Uint8Array(Buffer.from(broken, 'latin1')))).toMatchObject({
    markdown: 'Words of the page.\n',
    warnings: [expect.stringMatching(/^Page 1 could not be read whole/)],
  });
});

it('goes on with a sentence above the notes at the foot of a page', async () => {
  const lines = (x: number, y: number, all: readonly string[], size = 11) =>
    all.map((text, at) => textAt(x, y - 14 * at, text, 'F', size)).join('\n');
  const first = [
    'The committee met on Tuesday to discuss the budget for the coming year and the',
    'plans for the new building, which will be opened by the mayor in the autumn of',
  ];
  const { markdown, pages } = await read(
    pdfWithPages([
      lines(50, 700, first) + lines(50, 60, ['1 See the report.'], 8),
      lines(50, 750, ['next year if all goes well.', 'Another sentence.']),
    ]),
  );
  expect(markdown).toBe(
    `${first.join(' ')} next year if all goes well.\nAnother sentence.\n\n1 See the report.\n`,
  );
  const [, second] = pages ?? [];
  expect(markdown.slice(second?.from)).toMatch(/^ ?next year/);
});

it('does not join a full line to a heading below a gap', async () => {
  const full = 'The committee met on Tuesday to discuss the budget for the coming year and the';
  const { markdown } = await read(
    pdfWithPages([textAt(50, 700, full) + textAt(50, 686, full) + textAt(50, 620, 'Introduction')]),
  );
  expect(markdown).toBe(`${full} ${full}\n\nIntroduction\n`);
});

describe('letters that are drawn again nearly at their place', () => {
  const text = 'BOLD letters will fill: a bill, 1100';
  // The widths of Helvetica, in thousandths of the size.
  const WIDTHS: Readonly<Record<string, number>> = { B: 667, O: 778, L: 556, D: 722, i: 222, l: 222, t: 278 };
  const drawn = (word: string, offset: number, size: number) => {
    let x = 50;
    return [...word]
      .map((letter) => {
        const both = textAt(x, 700, letter, 'F', size) + textAt(x + offset * size, 700, letter, 'F', size);
        x += ((WIDTHS[letter] ?? 556) * size) / 1000;
        return both;
      })
      .join('\n');
  };
  it('are read once', async () => {
    const cases = ['BOLD', 'Bill', 'till'].flatMap((word) =>
      [0.01, 0.03, 0.08].flatMap((offset) =>
        [8, 24].map((size) => [word, drawn(word, offset, size)] as const),
      ),
    );
    const twice = textAt(50, 700, text) + textAt(50.3, 699.8, text) + textAt(50.6, 700.2, text);
    const all = [...cases, [text, twice] as const];
    const { markdown, pages } = await read(pdfWithPages(all.map(([, content]) => content)));
    const shown = (pages ?? []).map(({ from }, at) => markdown.slice(from, pages?.[at + 1]?.from).trim());
    expect(shown.map((one) => one.replace(/^#+ /, ''))).toEqual(all.map(([word]) => word));
  });
});
