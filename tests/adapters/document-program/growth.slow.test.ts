import * as fc from 'fast-check';
import { readHtml } from '../../../src/adapters/document-program/html';
import { readMail } from '../../../src/adapters/document-program/mail';
import { mailTextToMarkdown } from '../../../src/adapters/document-program/mail-text';
import { cell, markdownTables } from '../../../src/adapters/document-program/markup';
import { readOrg } from '../../../src/adapters/document-program/org';
import { partsOf } from '../../../src/adapters/document-program/pdf-layout';
import { withoutMargins } from '../../../src/adapters/document-program/pdf-margins';
import { rowsOf } from '../../../src/adapters/document-program/pdf-rows';
import { blocksOf, contextOf } from '../../../src/adapters/document-program/pdf-text';
import { readRst } from '../../../src/adapters/document-program/rst';
import { readTable } from '../../../src/adapters/document-program/table';
import { cpuMs } from '../../support/cpu';

/** So long that whatever takes the square of it takes some 20 s and more, and anything else a second at most. */
const LONG = 200_000;
const spaces = ' '.repeat(LONG);

/** What comes of a document that is read in time. */
function timely(read: () => string): string {
  const start = cpuMs();
  const markdown = read();
  expect(cpuMs() - start).toBeLessThan(10_000);
  return markdown;
}

describe('a long page of HTML is read completely', () => {
  const numbers = (count: number) => Array.from({ length: count }, (_, at) => at + 1);

  it('with the 4,000 rows of a table', () => {
    const rows = numbers(4000).map(
      (at) => `<tr><td>row ${at}</td><td>${at * 2}</td><td>note ${at}</td></tr>`,
    );
    const markdown = timely(
      () => readHtml(`<table><tr><th>a<th>b<th>c</tr>${rows.join('')}</table>`).markdown,
    );
    expect(markdown.match(/(?<=^\| row )\d+(?= \|)/gm)?.map(Number)).toEqual(numbers(4000));
  });
  it.each<[string, string, number]>([
    ['check boxes in one item', '<input type=checkbox>', 5000],
    ['text without scripts', '<noscript>All of the text is here.</noscript>', 5000],
    ['lines of code in spans', '<pre><span class=line>a</span><span class=line>b</span></pre>', 2000],
    ['links around headings', '<a href="/a"><h2>a</h2></a>', 5000],
    ['formulas', '<math><msup><mi>x</mi><mn>2</mn></msup></math>', 5000],
    ['shadow trees', '<x-a><template shadowrootmode=open>a<slot></slot></template>b</x-a>', 5000],
    ['hidden boxes', '<div hidden>a<p style=display:none>b</p></div><b hidden>c</b>', 5000],
    ['boxes with names', '<div id=related class=teaser><h2>Related</h2><p>a', 5000],
  ])('with many %s', (_, part, count) => {
    expect(timely(() => readHtml(`<ul><li>${part.repeat(count)}`).markdown)).not.toBe('');
  });
  it('with cells that span columns and rows', () => {
    const wide = `<tr>${'<td rowspan=0 colspan=100>a'.repeat(100)}</tr>`;
    const rows = '<tr><td>b</tr>'.repeat(2000);
    expect(timely(() => readHtml(`<table>${wide}${rows}</table>`).markdown)).toContain('b');
  });
  it('with the 30,000 items of a list', () => {
    const items = numbers(30_000).map((at) => `<li>item ${at}</li>`);
    const markdown = timely(() => readHtml(`<ol>${items.join('')}</ol>`).markdown);
    expect(markdown).toBe(
      numbers(30_000)
        .map((at) => `${at}. item ${at}`)
        .join('\n'),
    );
  });
});

it.each<[string, () => string, string]>([
  ['code in HTML', () => readHtml(`<pre>a${spaces}b</pre>`).markdown, `\`\`\`\na${spaces}b\n\`\`\``],
  [
    'code in HTML before a space of another kind',
    () => readHtml(`<pre>a${spaces}\u00a0</pre>`).markdown,
    '```\na\n```',
  ],
  ['text in HTML', () => readHtml(`<p>a${'&nbsp;'.repeat(LONG)}b`).markdown, `a${'\u00a0'.repeat(LONG)}b`],
  [
    'code within a line of HTML',
    () => readHtml(`<code><br>${'a'.repeat(LONG)}</code>`).markdown,
    `\`   ${'a'.repeat(LONG)}\``,
  ],
  [
    'a cell',
    () => readTable(`a,b\nx${spaces}x,2`, 'a.csv').markdown,
    '| a | b |\n| --- | --- |\n| x x | 2 |\n',
  ],
  ['a link in reStructuredText', () => readRst(`\`${spaces}x`).markdown, `\\\`${spaces}x\n`],
  ['colons in reStructuredText', () => readRst(`a${':'.repeat(LONG)}x`).markdown, `a${':'.repeat(LONG)}x\n`],
  ['names in reStructuredText', () => readRst('a.'.repeat(LONG / 2)).markdown, `${'a.'.repeat(LONG / 2)}\n`],
  [
    'a role in reStructuredText',
    () => readRst(`:r:\`x${'<'.repeat(LONG)}\``).markdown,
    `x${'<'.repeat(LONG)}\n`,
  ],
  ['a heading in Org', () => readOrg(`* a${spaces}b`).markdown, `# a${spaces}b\n`],
  ['an item in Org', () => readOrg(`- a${spaces}b`).markdown, `- a${spaces}b\n`],
  [
    'blocks in Org',
    () => readOrg(`${'#+begin_quote\n'.repeat(60_000)}a\n#+end_quote`).markdown,
    `${'> ```org\n> #+begin_quote\n> ```\n>\n'.repeat(59_999)}> a\n`,
  ],
])('%s may be long', (_, read, markdown) => {
  // Compared apart from the matcher, which would show the difference of two long texts.
  expect(timely(read) === markdown).toBe(true);
});

it('short rows of a table are not asked again for each of the columns that only one row has', () => {
  let asked = 0;
  const short = new Proxy(['a', 'b'], {
    get(row, key) {
      if (key === 'length') asked += 1;
      return Reflect.get(row, key) as unknown;
    },
  });
  const rows = [Array<string>(20_000).fill('x'), ...Array<readonly string[]>(2000).fill(short)];
  for (const piece of markdownTables(rows)) expect(piece).not.toBe('');
  expect(asked).toBeLessThan(10 * rows.length);
});

describe('what is quick says the same as what was plain', () => {
  const texts = (...pieces: string[]) =>
    fc.array(fc.constantFrom(...pieces), { maxLength: 14 }).map((all) => all.join(''));

  it('of cells', () => {
    fc.assert(
      fc.property(texts('a', ' ', '\n', '\t', '\u00a0', '|', '\\', '\r'), (text) => {
        const plain = text
          .trim()
          .replace(/\\(?=\||$)/g, '\\\\')
          .replace(/\|/g, '\\|')
          .replace(/\s*\n\s*/g, '<br>')
          .replace(/\s+/g, ' ');
        expect(cell(text)).toBe(plain);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('a PDF page of 20,000 runs is read in time', () => {
  const run = (text: string, x: number, down: number) => ({
    ...{ text, x, y: 1_000_000 - down },
    ...{ width: 5 * text.length, size: 10 },
  });
  it.each<[string, (at: number) => ReturnType<typeof run>]>([
    ['prose', (at) => run('a line of prose that reaches to the edge of its page', 50, 12 * at)],
    ['items of a list', (at) => run('• item', 50 + 10 * (at % 7), 12 * at)],
    ['cells of a table', (at) => run('cell', 50 + 60 * (at % 8), 14 * Math.floor(at / 8))],
    ['columns with other baselines', (at) => run('some text', 50 + 200 * (at % 2), 6 * at)],
    ['one row', (at) => run('x', 50 + 50 * at, 0)],
    ['one place', () => run('x', 50, 0)],
    ['Hebrew letters', (at) => run('ש', 50 + 5 * (at % 90), 12 * Math.floor(at / 90))],
  ])('%s', (_, make) => {
    const runs = Array.from({ length: 20_000 }, (__, at) => make(at));
    const text = timely(() => {
      const rows = rowsOf(runs);
      const parts = partsOf(withoutMargins([rows], 10).pages[0] ?? []);
      const context = contextOf(parts);
      return parts
        .flatMap((part) => blocksOf(part, context))
        .map((block) => block.text)
        .join('');
    });
    expect(text.length).toBeGreaterThan(0);
  });
});

describe('a long mail is read in time', () => {
  const parts = (count: number, part: string) =>
    `Content-Type: multipart/alternative; boundary=b\n\n${`--b\n${part}\n`.repeat(count)}`;
  it.each<[string, string]>([
    ['a long subject', `Subject: ${'=?utf-8?Q?a?= '.repeat(50_000)}\n\nx`],
    ['a long subject that is cut', `Subject: ${'=?utf-8?Q?'.repeat(50_000)}\n\nx`],
    ['many addresses', `To: ${'"a" <a@e.org>, '.repeat(20_000)}\n\nx`],
    ['many parameters', `Content-Type: text/plain; ${'a="b\\"; '.repeat(50_000)}\n\nx`],
    ['white space around a boundary', `Content-Type: multipart/mixed; boundary${spaces}= \xff\n\nx`],
    ['many parts', parts(5000, 'Content-Type: text/plain\n\nhello')],
    ['many alternatives of HTML', parts(500, 'Content-Type: text/html\n\n<p>hello')],
    ['many parts with header fields in no encoding', parts(5000, 'Subject: \xff\n\nhello')],
    [
      'delimiters that are none',
      `Content-Type: multipart/mixed; boundary=b\n\n${'--b \xff\n'.repeat(LONG / 4)}`,
    ],
    ['quotations that change', `Content-Type: text/plain\n\n${'> a\n>> b\n'.repeat(LONG / 10)}`],
    ['deep quotations', `Content-Type: text/plain\n\n${'>'.repeat(LONG)}\n${'>> '.repeat(LONG)}`],
    ['one paragraph', `Content-Type: text/plain; format=flowed\n\n${'word \n'.repeat(LONG / 5)}`],
    ['rules of a reply', `Content-Type: text/plain\n\na\n${'-'.repeat(LONG)}\n${`-----${spaces}`.repeat(3)}`],
    ['tags of enriched text', `Content-Type: text/enriched\n\n${'<param>'.repeat(LONG)}`],
    ['letters of UTF-7', `Content-Type: text/plain; charset=utf-7\n\n${'+AOk'.repeat(LONG)}`],
    [
      'Base64 in one line',
      `Content-Transfer-Encoding: base64\n\n${'QUFB'.repeat(LONG)}${spaces}${'QUFB'.repeat(LONG)}`,
    ],
    ['footers', `${parts(1, '\nx')}--b--\n${'MIME\n \n'.repeat(LONG / 4)}`],
  ])('with %s', async (_, mail) => {
    const start = cpuMs();
    const bytes = Uint8Array.from(mail, (one) => one.charCodeAt(0));
    expect((await readMail(bytes, 'a.eml')).markdown).not.toBe('');
    expect(cpuMs() - start).toBeLessThan(10_000);
  });
  it('and its paragraphs are those that were written', () => {
    const wrap = (text: string) => text.replace(/(.{1,60}) /g, '$1 \n');
    const paragraph = fc
      .array(fc.stringMatching(/^[a-z]{1,9}$/), { minLength: 1, maxLength: 60 })
      .map((words) => words.join(' '));
    fc.assert(
      fc.property(fc.array(paragraph, { minLength: 1, maxLength: 5 }), (paragraphs) => {
        const markdown = mailTextToMarkdown(paragraphs.map(wrap).join('\n\n'), {
          flowed: true,
          delSp: false,
        });
        expect(markdown).toBe(`${paragraphs.join('\n\n')}\n`);
      }),
    );
  });
});
