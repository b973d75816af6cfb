import { partsOf } from '../../../src/adapters/document-program/pdf-layout';
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
