import { setImmediate } from 'node:timers/promises';
import { performance } from 'node:perf_hooks';
import type { OpenDocumentReader } from '../../../src/adapters/documents/reader';
import { StopController } from '../../../src/core/base/concurrency';
import { BrainError } from '../../../src/core/base/errors';
import type { DocumentFile, DocumentText } from '../../../src/core/documents/ports';
import { document, nodeReader } from '../../support/document-readers';
import { docx, xlsx } from '../../support/made-office';
import { pageOf, pdfWithPages } from '../../support/made-pdf';
import { refusalOf } from '../../support/refusal';

jest.setTimeout(120_000);

let reader: OpenDocumentReader;
/** Gives no document up for its time: a machine that has much to do takes longer than the limit. */
let patient: OpenDocumentReader;
/** Reads Office files with the built-in converter. */
let office: OpenDocumentReader;
beforeAll(async () => {
  reader = nodeReader();
  patient = nodeReader(undefined, undefined, () => new Promise(() => undefined));
  office = nodeReader(() => ({ url: 'local:' }));
  await reader.read(document('first.csv', 'a,b')); // The program is made.
});
afterAll(() => {
  reader.close();
  patient.close();
  office.close();
});

/** What comes of a document, and the longest time for which nobody else had their turn meanwhile, in milliseconds. */
async function reading(
  file: DocumentFile,
  by = reader,
): Promise<{ outcome: DocumentText | BrainError; block: number; ms: number }> {
  let block = 0;
  let last = performance.now();
  const ticks = setInterval(() => {
    block = Math.max(block, performance.now() - last);
    last = performance.now();
  }, 5);
  const start = performance.now();
  try {
    const outcome = await by.read(file).catch((error: unknown) => {
      if (error instanceof BrainError) return error;
      throw error;
    });
    return { outcome, block, ms: performance.now() - start };
  } finally {
    clearInterval(ticks);
  }
}

const deep = (open: string, close: string, count: number) =>
  open.repeat(count) + 'deep down' + close.repeat(count);

/** The reader of a document whose text must come, however long that takes here. */
const BY_PATIENT = () => patient;

describe.each<
  [string, () => DocumentFile, (outcome: DocumentText | BrainError) => void, (() => OpenDocumentReader)?]
>([
  [
    'a PDF file of a few kilobytes that unpacks to 300 MB',
    () => ({ name: 'bomb.pdf', bytes: pdfWithPages([Buffer.alloc(300_000_000, ' ')], 2) }),
    (outcome) => expect(outcome).toMatchObject({ code: expect.stringMatching(/^(?:no_text|too_large)$/) }),
  ],
  [
    'a Word file of 300 kB that unpacks to 300 MB',
    () => ({ name: 'bomb.docx', bytes: docx('', { 'document.xml': new Uint8Array(300_000_000) }) }),
    (outcome) => expect(outcome).toMatchObject({ code: 'too_large' }),
    () => office,
  ],
  [
    'a workbook of 3 MB with twelve million cells',
    () => ({
      name: 'cells.xlsx',
      bytes: xlsx([
        {
          name: 'S',
          xml: `<sheetData>${`<row>${'<c><v>1</v></c>'.repeat(1000)}</row>`.repeat(12_000)}</sheetData>`,
        },
      ]),
    }),
    (outcome) => expect(codeOrCut(outcome)).toMatch(/^(?:too_large|cut)$/),
    () => office,
  ],
  [
    'a PDF file with three million pieces of text',
    () => ({
      name: 'many.pdf',
      bytes: pdfWithPages([`BT /F 9 Tf ${'1 0 0 1 50 700 Tm (x) Tj '.repeat(3_000_000)} ET`]),
    }),
    (outcome) => expect(codeOrCut(outcome)).toMatch(/^(?:too_large|cut|whole)$/),
  ],
  [
    'HTML nested 5,000 deep',
    () =>
      document('deep.html', `<p>top</p>${deep('<div><blockquote>', '</blockquote></div>', 2500)}<p>end</p>`),
    (outcome) => expect('markdown' in outcome && /top[^]*deep down[^]*end/.test(outcome.markdown)).toBe(true),
  ],
  [
    'HTML nested 200,000 deep',
    () => document('deeper.html', deep('<div><blockquote>', '</blockquote></div>', 100_000)),
    (outcome) => expect(codeOrCut(outcome)).toMatch(/^(?:too_large|whole)$/),
  ],
  [
    'HTML with 50,000 tables in tables',
    () => document('tables.html', deep('<table><tr><td>', '</td></tr></table>', 50_000)),
    (outcome) => expect(codeOrCut(outcome)).toMatch(/^(?:too_large|whole)$/),
  ],
  [
    'one line of 5 MB',
    () => document('line.txt', 'word '.repeat(1_000_000)),
    (outcome) => expect(codeOrCut(outcome)).toBe('cut'),
    BY_PATIENT,
  ],
  [
    'one line of 5 MB of HTML',
    () => document('line.html', `<p>${'word '.repeat(1_000_000)}`),
    (outcome) => expect(codeOrCut(outcome)).toBe('cut'),
    BY_PATIENT,
  ],
  [
    'a table with 10,000 columns',
    () =>
      document(
        'wide.csv',
        Array.from({ length: 8 }, (_, row) =>
          Array.from({ length: 10_000 }, (_, at) => `${row}.${at}`).join(','),
        ).join('\n'),
      ),
    (outcome) => {
      expect(codeOrCut(outcome)).toBe('whole');
      // Short answers, for the texts are too long to be shown.
      expect('markdown' in outcome && outcome.markdown.includes('| 7.9999 |')).toBe(true);
    },
    BY_PATIENT,
  ],
  [
    'a table with one wide row and 300,000 narrow ones',
    () => document('ragged.csv', `${'x,'.repeat(10_000)}\n${'a,b\n'.repeat(300_000)}`),
    (outcome) => expect(codeOrCut(outcome)).toMatch(/^(?:cut|whole|too_large)$/),
  ],
  [
    'JSON nested 1,000,000 deep',
    () => document('deep.json', deep('[', ']', 1_000_000).replace('deep down', '1')),
    (outcome) => expect(codeOrCut(outcome)).toMatch(/^(?:cut|too_large|whole)$/),
  ],
  [
    'a mail with 1,000 parts in parts',
    () => document('parts.eml', `${nestedMail(1000)}\n\nhello`),
    (outcome) => expect(outcome).toMatchObject({ code: 'unsupported_type' }),
  ],
  [
    'a mail with 10,000 attachments',
    () =>
      document(
        'many.eml',
        `Content-Type: multipart/mixed; boundary=b\n\n${'--b\nContent-Type: text/csv; name=a.csv\n\na,b\n'.repeat(10_000)}`,
      ),
    (outcome) => expect(outcome).toMatchObject({ attachments: { length: 50 } }),
  ],
  [
    'a mail whose headers have 20 MB',
    () => document('headers.eml', `${'X-A: b\n'.repeat(3_000_000)}\nhello`),
    (outcome) => expect(outcome).toMatchObject({ code: 'unsupported_type' }),
  ],
  [
    'a notebook with 200,000 cells',
    () =>
      document(
        'cells.ipynb',
        `{"cells":[${'{"cell_type":"code","source":"x","outputs":[{"output_type":"stream","text":"y"}]},'.repeat(200_000)}0]}`,
      ),
    (outcome) => expect(codeOrCut(outcome)).toMatch(/^(?:cut|too_large)$/),
  ],
  [
    'a notebook with an output nested 500,000 deep',
    () =>
      document(
        'deep.ipynb',
        `{"cells":[{"cell_type":"code","outputs":[{"data":{"application/json":${deep('[', ']', 500_000).replace('deep down', '1')}}}]}]}`,
      ),
    (outcome) => expect(codeOrCut(outcome)).toMatch(/^(?:no_text|too_large|whole)$/),
  ],
  [
    'conversations of 40 MB',
    () => document('conversations.json', manyConversations(400)),
    (outcome) => expect(codeOrCut(outcome)).toBe('cut'),
    BY_PATIENT,
  ],
  [
    'a card of 300,000 lines',
    () => document('lines.vcf', `BEGIN:VCARD\n${'item1.TEL;TYPE=a,b:1\nFN:x y\n'.repeat(150_000)}END:VCARD`),
    (outcome) => expect(codeOrCut(outcome)).toMatch(/^(?:cut|whole)$/),
    BY_PATIENT,
  ],
  [
    'a calendar whose entries never end',
    () => document('open.ics', `BEGIN:VCALENDAR\n${'BEGIN:VEVENT\nSUMMARY:x\n'.repeat(150_000)}`),
    (outcome) => expect(codeOrCut(outcome)).toMatch(/^(?:cut|whole)$/),
    BY_PATIENT,
  ],
  [
    'a log whose JSON breaks off 300,000 times',
    () => document('broken.log', '{"a":{"b\\u00fc":[{"c":1,\n'.repeat(300_000)),
    (outcome) => expect(codeOrCut(outcome)).toBe('cut'),
    BY_PATIENT,
  ],
  [
    'XHTML of 300,000 elements without an end',
    () => document('ends.xhtml', '<a id="x"/><div/>'.repeat(150_000) + 'end'),
    (outcome) => expect(codeOrCut(outcome)).toMatch(/^(?:whole|too_large)$/),
  ],
  [
    'Org text of 40,000 blocks that are never closed',
    () => document('blocks.org', '#+begin_src a\n'.repeat(40_000)),
    (outcome) => expect(codeOrCut(outcome)).toMatch(/^(?:no_text|too_large|whole)$/),
  ],
  [
    'marks of emphasis without an end',
    () => document('marks.org', '*a /b _c +d =e ~f '.repeat(100_000)),
    (outcome) => expect(codeOrCut(outcome)).toMatch(/^(?:whole|cut|too_large)$/),
  ],
  [
    'back quotes without an end',
    () => document('quotes.rst', '`a <b `` '.repeat(100_000)),
    (outcome) => expect(codeOrCut(outcome)).toMatch(/^(?:whole|cut|too_large)$/),
  ],
])('%s', (_, make, check, by = () => reader) => {
  it('ends in time, and holds up nobody meanwhile', async () => {
    const file = make();
    const { outcome, block, ms } = await reading(file, by());
    check(outcome);
    // Twice the limit, after which a busy machine may take long to end the thread.
    expect(ms).toBeLessThan(40_000);
    // Read in this thread, it would be all of the time; a machine that has much to do holds everybody up for a while.
    expect(block).toBeLessThan(Math.max(2_000, ms / 2));
  });
});

it('reads 2,000 pages of a PDF file with 3,000, in ten times the time of 200', async () => {
  const withPages = (count: number) => ({
    name: 'pages.pdf',
    bytes: pdfWithPages(Array.from({ length: count }, (_, at) => pageOf([`Page ${at + 1}`]))),
  });
  await reading(withPages(10), patient);
  const few = await reading(withPages(200), patient);
  const many = await reading(withPages(3000), patient);
  expect(many.outcome).toMatchObject({
    warnings: [expect.stringMatching(/3000 pages, of which the first 2000/)],
  });
  expect('pages' in many.outcome && many.outcome.pages).toHaveLength(2000);
  expect(many.ms).toBeLessThan(40 * few.ms);
  expect(many.block).toBeLessThan(Math.max(2_000, many.ms / 2));
});

it('gives up a document that needs more memory than it may have', async () => {
  // Small elements by the million: each becomes an object of its own.
  const error = await refusalOf(reader.read(document('fat.html', '<b>x</b>'.repeat(5_500_000))));
  expect(error.code).toBe('too_large');
});

it('gives up what is not read in time', async () => {
  let used = 0;
  const slow = nodeReader(
    () => ({}),
    null,
    () => setImmediate(undefined),
    () => (used += 1000),
  );
  const read = slow.read({ name: 'many.pdf', bytes: pdfWithPages([`BT ${'(x) Tj '.repeat(3_000_000)} ET`]) });
  const error = await refusalOf(read);
  expect(error).toMatchObject({ code: 'too_large', message: expect.stringContaining('within 20 s') });
  slow.close();
});

it('is called off in the middle, by its caller or because the vault is closed', async () => {
  const file = { name: 'many.pdf', bytes: pdfWithPages([`BT ${'(x) Tj '.repeat(3_000_000)} ET`]) };
  const stop = new StopController();
  const [first, second] = [reader.read(file, stop), nodeReader()];
  const other = second.read(file);
  other.catch(() => undefined);
  stop.stop();
  second.close();
  expect((await refusalOf(first)).code).toBe('busy');
  expect((await refusalOf(other)).code).toBe('busy');
  expect((await refusalOf(second.read(file))).code).toBe('busy');
});

it('reads two at once and the others after them', async () => {
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const { documentReader } = await import('../../../src/adapters/documents/reader');
  const one = documentReader({
    startThread: () => ({
      read(job) {
        const name = 'name' in job ? job.name : '';
        started.push(name);
        return new Promise((resolve) => ends.push(() => resolve({ text: { markdown: name, warnings: [] } })));
      },
      end: () => undefined,
    }),
    http: { send: () => Promise.reject(new Error('not asked')) },
    settings: () => ({}),
    used: () => 0,
    sleep: () => new Promise(() => undefined),
    breathe: async () => undefined,
  });
  const reads = ['a.csv', 'b.csv', 'c.csv'].map((name) => one.read(document(name, 'x')));
  await Promise.resolve();
  expect(started).toEqual(['a.csv', 'b.csv']);
  ends[0]?.();
  await reads[0];
  await Promise.resolve();
  expect(started).toEqual(['a.csv', 'b.csv', 'c.csv']);
  ends[1]?.();
  ends[2]?.();
  expect((await Promise.all(reads)).map(({ markdown }) => markdown)).toEqual(['a.csv', 'b.csv', 'c.csv']);
});

function codeOrCut(outcome: DocumentText | BrainError): string {
  if (outcome instanceof BrainError) return outcome.code;
  return outcome.warnings.some((warning) => warning.includes('2,000,000')) ? 'cut' : 'whole';
}

/** An export of ChatGPT with so many conversations of 100 KB. */
function manyConversations(count: number): string {
  const parts = [`How? ${'word '.repeat(20_000)}`];
  const message = { author: { role: 'user' }, content: { content_type: 'text', parts } };
  const node = { id: 'a', parent: null, children: [], message };
  const one = JSON.stringify({ title: 'T', mapping: { a: node }, current_node: 'a' });
  return `[${Array.from({ length: count }, () => one).join(',')}]`;
}

function nestedMail(count: number): string {
  return Array.from(
    { length: count },
    (_, at) => `Content-Type: multipart/mixed; boundary="b${at}"\n\n--b${at}`,
  ).join('\n');
}
