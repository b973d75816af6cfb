import { readingOrder } from '../../../src/adapters/document-program/pdf-bidi';
import { partsOf } from '../../../src/adapters/document-program/pdf-layout';
import { withoutMargins } from '../../../src/adapters/document-program/pdf-margins';
import { normalise, rowsOf } from '../../../src/adapters/document-program/pdf-rows';
import type { TextRun } from '../../../src/adapters/document-program/pdf-run';
import { blocksOf, contextOf, Hyphens } from '../../../src/adapters/document-program/pdf-text';
import { sensibleTitle } from '../../../src/adapters/document-program/pdf-title';

describe('text as a person would have typed it', () => {
  it.each([
    ['ligatures', 'eﬃcient ﬂight', 'efficient flight'],
    ['radicals for whole characters', '⽇本', '日本'],
    ['forms of Arabic letters', 'ﺳﻼم', 'سلام'],
    ['kinds of spaces', 'a\u00a0b\u2009c', 'a b c'],
    ['an accent by itself', 'e\u0301', 'é'],
    ['no plainer character for what means something', 'x² ½ ™ ， ｱ', 'x² ½ ™ ， ｱ'],
    ['control characters', 'a\u0000\u200bb', 'ab'],
  ])('%s', (_, text, plain) => expect(normalise(text)).toBe(plain));
});

describe('two lines of one paragraph', () => {
  it.each([
    ['words', 'one', 'two', [], 'one two'],
    ['a word that was parted', 'a har-', 'vest of', [], 'a harvest of'],
    ['a word that stands elsewhere in one piece', 'the re-', 'form is', ['the reform'], 'the reform is'],
    [
      'a word that stands elsewhere with its hyphen',
      'a well-',
      'known man',
      ['well-known'],
      'a well-known man',
    ],
    ['a name', 'Smith-', 'Jones', [], 'Smith-Jones'],
    ['a number', 'in 1914-', '1918', [], 'in 1914-1918'],
    ['a chain', 'state-of-', 'the-art', [], 'state-of-the-art'],
    ['a dash', 'so -', 'it was', [], 'so - it was'],
    ['a soft hyphen', 'har\u00ad', 'vest', [], 'harvest'],
    ['Japanese', '抹', '茶は', [], '抹茶は'],
    ['Korean', '차밭은', '언덕을', [], '차밭은 언덕을'],
    ['wide letters', 'ｗａｔｅｒ', 'ａｎｄ', [], 'ｗａｔｅｒ ａｎｄ'],
  ])('%s', (_, line, next, elsewhere, joined) => {
    expect(new Hyphens([line, next, ...elsewhere]).join(line, next)).toBe(joined);
  });
});

describe('the title', () => {
  it.each([
    ['Harvest report', 'x.pdf', 'Heading', 'Harvest report'],
    ['  Harvest\u0000 \n report ', 'x.pdf', null, 'Harvest report'],
    ['', 'x.pdf', 'Heading', 'Heading'],
    ['', 'x.pdf', null, null],
    ['Microsoft Word - draft3.docx', 'x.pdf', 'Heading', 'Heading'],
    ['untitled', 'x.pdf', 'Heading', 'Heading'],
    ['thesis_final.tex', 'x.pdf', null, null],
    ['Scan-2026', 'scan-2026.pdf', null, null],
    ['C:\\texts\\annual report', 'x.pdf', 'Heading', 'Heading'],
    ['/home/ada/report', 'x.pdf', 'Heading', 'Heading'],
    ['Präsentation1', 'x.pdf', 'Heading', 'Heading'],
    ['Layout 1', 'x.pdf', null, null],
    ['annual_report_final', 'x.pdf', 'Heading', 'Heading'],
    ['12345', 'x.pdf', null, null],
    ['x'.repeat(201), 'x.pdf', null, null],
  ])('of metadata %j in %s under %j is %j', (metadata, name, heading, title) => {
    expect(sensibleTitle(metadata, name, heading)).toBe(title);
  });

  it.each<[metadata: string, heading: string | null, author: string, lines: string[], title: string | null]>([
    ['Ada Lovelace', 'On engines', 'Ada Lovelace', [], 'On engines'],
    ['ada@example.org', 'On engines', '', [], 'On engines'],
    ['Ada Lovelace', 'On engines', '', ['On engines', 'Ada Lovelace', 'Text.'], 'On engines'],
    ['Annual Report', 'Contents', '', ['Annual Report', 'Contents', 'Text.'], 'Annual Report'],
    ['Annual Report', 'Annual Report', '', ['Annual Report', 'Annual Report'], 'Annual Report'],
    ['Ada Lovelace', null, 'Ada Lovelace', [], 'Ada Lovelace'],
    ['Documentation of engines', 'Heading', '', [], 'Documentation of engines'],
    ['Dokument1', 'Heading', '', [], 'Heading'],
  ])('takes no author for one: %j under %j by %j', (metadata, heading, author, firstLines, title) => {
    expect(sensibleTitle(metadata, 'x.pdf', heading, { author, firstLines })).toBe(title);
  });
});

describe('a page', () => {
  const run = (text: string, x: number, y: number, more: Partial<TextRun> = {}): TextRun => ({
    text,
    x,
    y,
    width: 5 * text.length,
    size: 10,
    ...more,
  });
  const page = (...runs: TextRun[]) => {
    const parts = partsOf(rowsOf(runs));
    const context = contextOf(parts);
    return parts
      .flatMap((part) => blocksOf(part, context))
      .map(({ text }) => text)
      .join('\n\n');
  };
  const FULL = 'a line that reaches to the very right edge of the page here';

  it('joins lines into paragraphs, which end where the next word had room', () => {
    expect(page(run(FULL, 50, 700), run('and on.', 50, 688), run(FULL, 50, 676))).toBe(
      `${FULL} and on.\n\n${FULL}`,
    );
  });
  it('parts paragraphs at a gap', () => {
    expect(page(run(FULL, 50, 700), run(FULL, 50, 688), run(FULL, 50, 660), run(FULL, 50, 648))).toBe(
      `${FULL} ${FULL}\n\n${FULL} ${FULL}`,
    );
  });
  it('tells headings by their size', () => {
    const body = Array.from({ length: 6 }, (_, at) => run(FULL, 50, 640 - 12 * at));
    expect(
      page(
        run('Title', 50, 700, { size: 20 }),
        run('Part', 50, 670, { size: 14 }),
        run('Small', 50, 656, { size: 12 }),
        ...body,
      ),
    ).toBe(`# Title\n\n## Part\n\n### Small\n\n${Array(6).fill(FULL).join(' ')}`);
  });
  it('keeps what is set high or low in its line', () => {
    expect(page(run('x', 50, 700), run('2', 55, 704, { size: 6 }), run(' is', 60, 700))).toBe('x2 is');
  });
  it.each([
    ['a heading', '# 12', '\\# 12'],
    ['a rule', '---', '\\---'],
    ['a fence', '```', '\\`\\`\\`'],
    ['a quote', '> 5 people', '\\> 5 people'],
    ['a tag of HTML', 'ssh <user>@<server> if a < b', 'ssh \\<user>@\\<server> if a < b'],
    ['an entity', 'AT&T wrote &amp; here', 'AT&T wrote &amp;amp; here'],
    ['a comment', '%% x %% is 50%', '\\%\\% x \\%\\% is 50%'],
    ['a link', 'x[["key"]] and a[0](b)', 'x\\[\\["key"]] and a[0\\](b)'],
    ['emphasis', '*.txt and 2 * 3 and a*b*c', '\\*.txt and 2 * 3 and a\\*b\\*c'],
    ['a strong word', '__init__.py of snake_case_name', '\\_\\_init\\_\\_.py of snake_case_name'],
    ['a tag', 'see #tag and C# and https://e.org/#x', 'see \\#tag and C# and https://e.org/#x'],
    ['a path', 'C:\\files\\x and \\*', 'C:\\files\\x and \\\\\\*'],
    ['a formula', 'from $5 and $x^2$ or $1,299.00', 'from \\$5 and \\$x^2\\$ or \\$1,299.00'],
  ])('makes no Markdown of %s', (_, text, markdown) => expect(page(run(text, 50, 700))).toBe(markdown));
});

/** A run whose letters are half as wide as their size. */
function run(text: string, x: number, y: number, more: Partial<TextRun> = {}): TextRun {
  return { text, x, y, width: 0.5 * (more.size ?? 10) * text.length, size: 10, ...more };
}

/** Lines below each other, from the top. */
const column = (x: number, top: number, lines: readonly string[], more: Partial<TextRun> = {}): TextRun[] =>
  lines.map((text, at) => run(text, x, top - 12 * at, more));

function page(runs: readonly TextRun[]): string {
  const parts = partsOf(rowsOf(runs));
  const context = contextOf(parts);
  return parts
    .flatMap((part) => blocksOf(part, context))
    .map(({ text }) => text)
    .join('\n\n');
}

const PROSE = [
  'A paragraph of the page has lines that reach to the right edge of it,',
  'so that the next word would not have fitted into the line before, and',
  'it ends with a short line.',
];
const JOINED = PROSE.join(' ');
const NARROW = [
  [
    'The first column holds text',
    'that goes on line by line',
    'until it comes to its end,',
    'which is here.',
  ],
  ['A second one is beside it', 'and is read when the first', 'one has been read to its', 'very last line.'],
] as const;
const [LEFT, RIGHT] = NARROW;
const shuffled = <T>(all: readonly T[]): T[] =>
  [...all].sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));

describe('lines that end where their writer ended them stay lines', () => {
  it.each<[string, readonly string[]]>([
    ['an address', ['Brain Server Incorporated', '5 Elm Street', 'Springfield, IL 62704']],
    [
      'a poem',
      [
        'Two roads diverged in a yellow wood,',
        'And sorry I could not travel both',
        'And be one traveler, long I stood',
      ],
    ],
    ['a list without marks', ['apples', 'pears', 'quinces and medlars', 'plums']],
    ['names and values', ['Name: Ada Lovelace', 'Born: 1815', 'Field: mathematics of machines']],
  ])('%s', (_, lines) => {
    const runs = [...column(50, 700, PROSE), ...column(50, 640, lines), ...column(50, 540, PROSE)];
    expect(page(runs)).toBe(`${JOINED}\n\n${lines.join('\n')}\n\n${JOINED}`);
    expect(page(column(50, 640, lines))).toBe(lines.join('\n'));
  });

  it('an address on the right side of the page', () => {
    const lines = ['Acme Corporation', '500 Main Street', 'Springfield'];
    expect(page([...column(300, 760, lines), ...column(50, 700, PROSE)])).toBe(
      `${lines.join('\n')}\n\n${JOINED}`,
    );
  });

  it.each<[string, readonly string[], string]>([
    ['bullets', ['• one', '• two that is longer', '• three'], '- one\n\n- two that is longer\n\n- three'],
    ['numbers', ['1. Wash', '2. Peel the fruit', '3. Slice'], '1. Wash\n\n2. Peel the fruit\n\n3. Slice'],
    ['letters', ['a) first', 'b) second'], 'a) first\n\nb) second'],
    ['dashes', ['- salt', '- pepper of the south'], '- salt\n\n- pepper of the south'],
    ['boxes', ['☐ open', '☒ done'], '- [ ] open\n\n- [x] done'],
  ])('items with %s', (_, lines, markdown) => {
    expect(page([...column(50, 700, PROSE), ...column(50, 640, lines)])).toBe(`${JOINED}\n\n${markdown}`);
  });
  it('prose that is set in from the text around it is joined', () => {
    const quote = ['words that are set in on both sides of the page,', 'and go on with this line.'];
    expect(page([...column(50, 700, PROSE), ...column(80, 640, quote)])).toBe(
      `${JOINED}\n\n${quote.join(' ')}`,
    );
  });
  it('an item of several lines is one item', () => {
    const lines = [`• ${PROSE[0] ?? ''}`, ...PROSE.slice(1), '• short'];
    expect(page(column(50, 700, lines))).toBe(`- ${JOINED}\n\n- short`);
  });
  it('a mark far from its item is its mark', () => {
    const runs = ['one', 'two'].flatMap((text, at) => [
      run('•', 50, 700 - 12 * at),
      run(text, 80, 700 - 12 * at),
    ]);
    expect(page(runs)).toBe('- one\n\n- two');
  });
  it('code keeps its lines, its indentation and its blank lines', () => {
    const code = { isMono: true };
    const runs = [
      run('function greet(name) {', 50, 600, code),
      run('if (name === "") {', 60, 588, code),
      run('return null;', 70, 576, code),
      run('}', 60, 564, code),
      run('return name;', 60, 540, code),
      run('}', 50, 528, code),
    ];
    expect(page([...column(50, 700, PROSE), ...runs])).toBe(
      `${JOINED}\n\n\`\`\`\nfunction greet(name) {\n  if (name === "") {\n    return null;\n  }\n\n  return name;\n}\n\`\`\``,
    );
    expect(page(runs)).toContain('```\nfunction greet(name) {\n  if');
  });
  it('a typewriter writes prose as well', () => {
    expect(page(column(50, 700, PROSE, { isMono: true }))).toBe(JOINED);
  });
});

describe('tables', () => {
  const rows = (all: readonly (readonly string[])[], xs: readonly number[], pitch = 14) =>
    all.flatMap((cells, row) =>
      cells.map((text, at) => run(text, xs[at] ?? 0, 700 - pitch * row)).filter(({ text }) => text !== ''),
    );
  const FRUIT = [
    ['Fruit', 'Price', 'Stock'],
    ['Apple', '1.20', 'high'],
    ['Pear', '2.50', 'none'],
  ];
  const TABLE =
    '| Fruit | Price | Stock |\n| --- | --- | --- |\n| Apple | 1.20 | high |\n| Pear | 2.50 | none |';

  it('are tables, whatever the order in which they are drawn', () => {
    const runs = rows(FRUIT, [50, 150, 250]);
    expect(page(runs)).toBe(TABLE);
    expect(page([...runs].reverse())).toBe(TABLE);
    expect(page([...runs].sort((a, b) => a.x - b.x))).toBe(TABLE);
  });
  it('keep empty cells', () => {
    expect(page(rows([...FRUIT, ['Plum', '', 'low']], [50, 150, 250]))).toBe(`${TABLE}\n| Plum |  | low |`);
  });
  it('have cells of several lines', () => {
    const [head = [], ...rest] = FRUIT;
    const runs = [
      ...rows([head], [50, 150, 250]),
      ...[
        ...column(50, 686, ['Golden', 'Delicious']),
        run('1.20', 150, 686),
        ...column(250, 686, ['as many as the', 'store can hold']),
      ],
      ...rest.slice(1).flatMap((cells) => cells.map((text, at) => run(text, [50, 150, 250][at] ?? 0, 655))),
    ];
    expect(page(runs)).toBe(
      '| Fruit | Price | Stock |\n| --- | --- | --- |\n| Golden Delicious | 1.20 | as many as the store can hold |\n| Pear | 2.50 | none |',
    );
  });
  it('end where prose begins', () => {
    expect(page([...rows(FRUIT, [50, 150, 250]), ...column(50, 640, PROSE)])).toBe(`${TABLE}\n\n${JOINED}`);
  });
  it('of names and values', () => {
    expect(
      page(
        rows(
          [
            ['Paint', '40'],
            ['Seeds', '12'],
          ],
          [50, 200],
        ),
      ),
    ).toBe('| Paint | 40 |\n| --- | --- |\n| Seeds | 12 |');
  });
  it('of labels and what they name, drawn column by column', () => {
    const [labels, values] = [
      ['Name:', 'Town:', 'Trade:'],
      ['Ada Lovelace', 'London', 'Mathematics'],
    ];
    expect(page([...column(50, 700, labels), ...column(200, 700, values)])).toBe(
      '| Name: | Ada Lovelace |\n| --- | --- |\n| Town: | London |\n| Trade: | Mathematics |',
    );
  });
  it('of labels and values of form fields', () => {
    const [labels, values] = [
      ['Name', 'Town', 'Trade'],
      ['Ada Lovelace', 'London', 'Mathematics'],
    ];
    expect(page([...column(50, 700, labels), ...column(200, 699, values, { isValue: true })])).toBe(
      '| Name | Ada Lovelace |\n| --- | --- |\n| Town | London |\n| Trade | Mathematics |',
    );
  });
  it('a lone wide gap makes none', () => {
    expect(page([run('Zurich', 50, 700), run('5 May', 400, 700), ...column(50, 660, PROSE)])).toBe(
      `Zurich 5 May\n\n${JOINED}`,
    );
  });
});

describe('the order of reading', () => {
  const READ = `${LEFT.join(' ')}\n\n${RIGHT.join(' ')}`;
  const [left, right] = [column(50, 700, LEFT), column(220, 700, RIGHT)];
  it.each<[string, TextRun[]]>([
    ['column by column', [...left, ...right]],
    ['row by row', left.flatMap((each, at) => [each, ...right.slice(at, at + 1)])],
    ['from the bottom', [...left, ...right].reverse()],
    ['in no order', shuffled([...left, ...right])],
    ['with other baselines', [...left, ...right.map((each) => ({ ...each, y: each.y - 5 }))]],
  ])('of two columns that are drawn %s', (_, runs) => expect(page(runs)).toBe(READ));

  it('of columns between lines of the whole width', () => {
    const below = column(50, 640, PROSE);
    expect(page([...left, ...right, ...below, ...column(50, 760, PROSE)])).toBe(
      `${JOINED}\n\n${READ}\n\n${JOINED}`,
    );
  });
  it('of lines that are drawn from the bottom', () => {
    expect(page([...column(50, 700, PROSE)].reverse())).toBe(JOINED);
  });
  it('of words that are drawn one by one, in any order', () => {
    const words = PROSE.flatMap((line, at) =>
      [...line.matchAll(/\S+/g)].map(({ 0: word, index }) => run(word, 50 + 5 * index, 700 - 12 * at)),
    );
    expect(page(shuffled(words))).toBe(JOINED);
  });
  it('of letters that are drawn twice to be bold', () => {
    expect(
      page(PROSE.flatMap((text, at) => [run(text, 50, 700 - 12 * at), run(text, 50.3, 700 - 12 * at)])),
    ).toBe(JOINED);
  });
});

describe('text from right to left', () => {
  // As a page shows it, from left to right.
  const shown = (text: string) => [...text].reverse().join('');
  it.each([
    ['Hebrew', shown('שלום עולם'), 'שלום עולם'],
    ['Arabic', shown('مرحبا بالعالم'), 'مرحبا بالعالم'],
    ['a number', `${shown('אחרי כן')} 1984 ${shown('בשנת')}`, 'בשנת 1984 אחרי כן'],
    ['a time', `10:30 ${shown('בשעה')}`, 'בשעה 10:30'],
    ['English words', `${shown('באמצע')} Hello World ${shown('ויש מילים')}`, 'ויש מילים Hello World באמצע'],
    ['brackets', `(${shown('בסוגריים')}) ${shown('באמצע')}`, 'באמצע (בסוגריים)'],
    ['a word in English', `One word ${shown('שלום טוב')} of it`, 'One word שלום טוב of it'],
    ['marks of vowels', shown('שָׁלוֹם'), 'שָׁלוֹם'],
    ['English alone', 'plain (text) 12', 'plain (text) 12'],
  ])('with %s', (_, line, read) => expect(readingOrder(line)).toBe(read));

  it('is read from the right, also when each letter is placed alone', () => {
    const letters = [...'שלום עולם'].flatMap((letter, at) =>
      letter === ' ' ? [] : [run(letter, 300 - 5 * at, 700)],
    );
    expect(page(letters)).toBe('שלום עולם');
    expect(page([...letters].reverse())).toBe('שלום עולם');
  });
  it('takes the direction of its page where a line has more other letters', () => {
    const line = `${shown('אחרי')} someone@example.org ${shown('כתבו אל')}`;
    expect(
      page([...column(50, 700, Array<string>(4).fill(shown('שורה של טקסט בעברית'))), run(line, 50, 600)]),
    ).toMatch(/כתבו אל someone@example\.org אחרי$/);
  });
  it('with a telephone number beside Arabic letters', () => {
    expect(readingOrder(`0958-7946-020 ${shown('اتصل')}`)).toBe('اتصل 020-7946-0958');
  });
  it('keeps the marks of vowels at their letters', () => {
    const [he, bet] = [run('ה', 65, 700), run('ב', 50, 700)];
    const mark = (text: string, x: number) => run(text, x, 700, { width: 0 });
    const marks = [
      mark('\u05b8', 50.4),
      bet,
      run(' ', 60, 700, { width: 0 }),
      mark('\u05b7', 65.2),
      run(' ', 65, 700),
      he,
    ];
    expect(page(marks)).toBe('ה\u05b7 ב\u05b8');
  });
  it('has letters for their presentation forms', () => {
    expect(page([run('ﻡﻼﺳ', 50, 700)])).toBe('سلام');
  });
  it('stays as it is where it is in the order of reading already', () => {
    expect(page([run('שלום עולם', 50, 700)])).toBe('שלום עולם');
  });
  it('joins lines that reach to the left edge', () => {
    const lines = [
      'שורה אחת של טקסט ארוך שמגיעה עד הקצה השמאלי של העמוד',
      'ועוד שורה אחת של טקסט ארוך שמגיעה עד הקצה השמאלי גם',
      'והסוף כאן.',
    ];
    const runs = lines.map((text, at) => run(shown(text), 400 - 5 * text.length, 700 - 12 * at));
    expect(page(runs)).toBe(lines.join(' '));
  });
});

describe('headers and footers', () => {
  const bodies = ['apples', 'pears', 'plums', 'figs'].map((fruit) => [
    `All about ${fruit}.`,
    `More of ${fruit}.`,
    `The end of ${fruit}.`,
  ]);
  const read = (make: (page: number) => readonly TextRun[], count = 4) => {
    const pages = bodies
      .slice(0, count)
      .map((body, at) => rowsOf([...column(50, 700, body), ...make(at + 1)]));
    const { pages: left, removed } = withoutMargins(pages, 10);
    return {
      texts: left.map((rows) => rows.map(({ pieces }) => pieces.map(({ text }) => text).join(' '))),
      removed,
    };
  };

  it.each<[string, (page: number) => TextRun[], string[]]>([
    ['a header', () => [run('Annual report', 50, 780)], ['Annual report']],
    ['a footer', () => [run('Brain Ltd, Zurich', 50, 20)], ['Brain Ltd, Zurich']],
    ['page numbers', (at) => [run(`${at + 4}`, 290, 20)], ['#']],
    ['page numbers with words', (at) => [run(`Page ${at} of 9`, 290, 20)], ['Page # of #']],
    ['page numbers on the outer side', (at) => [run(`${at}`, at % 2 === 0 ? 50 : 500, 20)], ['#']],
    ['Roman page numbers', (at) => [run(['i', 'ii', 'iii', 'iv'][at - 1] ?? '', 290, 20)], ['#']],
    ['a header with the page number', (at) => [run('Report', 50, 780), run(`${at}`, 500, 780)], ['Report #']],
    ['a header with a rule', (at) => [run(`Report | ${at}`, 50, 780)], ['Report | #']],
    ['page numbers in German', (at) => [run(`- Seite ${at} von 9 -`, 50, 20)], ['- Seite # von # -']],
    ['two lines', () => [run('Report', 50, 780), run('of 2026', 50, 768)], ['Report', 'of 2026']],
  ])('%s is left out', (_, make, removed) => {
    expect(read(make)).toEqual({ texts: bodies, removed });
    expect(read(make, 2)).toEqual({ texts: bodies.slice(0, 2), removed });
  });

  it.each<[string, (page: number) => TextRun[]]>([
    ['a line of the text at its top', () => [run('Answer yes or no.', 50, 712)]],
    ['a line of the text at its end', () => [run('So far the report.', 50, 664)]],
    ['a line of one page', (at) => (at === 2 ? [run('Only here', 50, 780)] : [])],
    ['a line at another place', (at) => [run('Total', 50, 790 - 10 * at)]],
    ['other numbers', (at) => [run(`Total ${at * at * 17}`, 50, 20)]],
    ['numbers of chapters', (at) => [run(`Chapter ${at}`, 50, 780)]],
    ['text that counts with the pages', (at) => [run(`Line 1 of page ${at}, and more`, 50, 20)]],
    ['headings', () => [run('Contents', 50, 780, { size: 18 })]],
  ])('%s stays', (_, make) => {
    const { texts, removed } = read(make);
    expect(removed).toEqual([]);
    expect(texts.flat()).toHaveLength(12 + [1, 2, 3, 4].flatMap(make).length);
  });
  it('the head of a table that goes on stays', () => {
    const table = (at: number) => [
      ...[run('Fruit', 50, 780), run('Price', 200, 780)],
      ...[run(`Kind ${at}`, 50, 766), run(`${at}.50`, 200, 766)],
    ];
    expect(read(table).removed).toEqual([]);
  });
  it('a page that is there twice stays twice', () => {
    const rows = rowsOf(column(50, 700, ['Invoice 7', 'Apples', 'Pears', 'Total 12']));
    expect(
      withoutMargins([rows, rowsOf(column(50, 700, ['Invoice 7', 'Apples', 'Pears', 'Total 12']))], 10)
        .removed,
    ).toEqual([]);
  });
});
