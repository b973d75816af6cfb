import type { OpenDocumentReader } from '../../../src/adapters/documents/reader';
import { fixture, nodeReader } from '../../support/document-readers';
import { refusalOf } from '../../support/refusal';

let reader: OpenDocumentReader;
beforeAll(() => (reader = nodeReader()));
afterAll(() => reader.close());

const NATIVE = [
  ...['report-chromium.pdf', 'tea-libreoffice.pdf', 'no-fonts.pdf'],
  ...['report.html', 'mail.eml', 'notes.org', 'manual.rst', 'costs.csv', 'trees.tsv'],
  ...['gate.xhtml', 'pump.ipynb', 'chats.json', 'people.vcf', 'orchard.ics'],
  ...['orchard.json', 'picked.jsonl', 'pump.log', 'ladder.md', 'water.txt'],
];

it.each(NATIVE)('reads %s', async (name) => {
  const { markdown, ...text } = await reader.read(fixture(name));
  expect(`${JSON.stringify(text, null, 2)}\n\n${markdown}`).toMatchSnapshot();
});

it('tells where each page of a PDF file begins', async () => {
  const { markdown, pages = [] } = await reader.read(fixture('report-chromium.pdf'));
  const begins = pages.map(({ page, from }) => [page, markdown.slice(from).split('\n')[0]]);
  expect(begins).toEqual([
    [1, '# Harvest report'],
    [2, '## Second page'],
    [3, '## Third page'],
  ]);
});

it.each([
  ['scanned.pdf', 'no_text', /likely scanned.*OCR/],
  ['locked.pdf', 'unsupported_type', /protected by a password/],
])('says what is wrong with %s', async (name, code, message) => {
  const error = await refusalOf(reader.read(fixture(name)));
  expect(error.code).toBe(code);
  expect(error.message).toMatch(message);
});

it('says that a PDF file is damaged', async () => {
  const { bytes } = fixture('locked.pdf');
  const cut = { name: 'cut.pdf', bytes: new TextEncoder().encode('%PDF-1.7\nhello') };
  for (const file of [cut, { name: 'x.pdf', bytes: bytes.slice(2000, 4000) }]) {
    const error = await refusalOf(reader.read(file));
    expect(error.code).toBe('unsupported_type');
    expect(error.message).toMatch(/damaged or no PDF file/);
  }
});

it('reads a PDF file whose table of contents points nowhere', async () => {
  const { bytes } = fixture('report-chromium.pdf');
  const text = Buffer.from(bytes)
    .toString('latin1')
    .replace(/startxref\n\d+/, 'startxref\n77');
  const { markdown } = await reader.read({
    name: 'bent.pdf',
    bytes: new Uint8Array(Buffer.from(text, 'latin1')),
  });
  expect(markdown).toContain('# Harvest report');
});

it('warns of text that it has no table of characters for', async () => {
  const plain = nodeReader(() => ({}), null);
  const { markdown, warnings } = await plain.read(fixture('no-fonts.pdf'));
  plain.close();
  expect(markdown).toBe('Plain words\n');
  expect(warnings).toEqual([expect.stringMatching(/tables of characters/)]);
});
