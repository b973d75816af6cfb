import { readFileSync } from 'node:fs';
import { OfficePackage } from '../../../src/adapters/document-program/office-package';
import { xmlEvents } from '../../../src/adapters/document-program/xml';
import { cells, docx, para, relations, wordPart, xlsx, zipped } from '../../support/made-office';
import { readAs } from '../../support/read-document';
import { refusalOf } from '../../support/refusal';

const fixture = (name: string) => new Uint8Array(readFileSync(`tests/fixtures/documents/${name}`));

/** Returns an archive whose directory names other sizes of unpacked entries (bytes). */
function withSizes(archive: Uint8Array<ArrayBuffer>, size: number): Uint8Array<ArrayBuffer> {
  const view = new DataView(archive.slice().buffer);
  for (let at = 0; at + 46 < view.byteLength; at += 1)
    if (view.getUint32(at, true) === 0x02014b50) view.setUint32(at + 24, size, true);
  return new Uint8Array(view.buffer);
}

describe('a hostile Office file', () => {
  it.each<[string, () => Uint8Array, string, RegExp]>([
    ['that is text', () => new TextEncoder().encode('hello'), 'unsupported_type', /no Office file/],
    ['with a password', () => Uint8Array.of(0xd0, 0xcf, 0x11, 0xe0, 0xa1), 'unsupported_type', /password/],
    ['without the part that holds the text', () => zipped({ 'a.txt': 'x' }), 'no_text', /no text/],
    [
      'that says it unpacks to 4 GB',
      () => withSizes(docx(para('x')), 0xffff_fff0),
      'too_large',
      /unpacks to more than 256 MiB/,
    ],
  ])('%s is refused', async (_, make, code, message) => {
    const error = await refusalOf(readAs('docx', make()));
    expect([error.code, error.message]).toEqual([code, expect.stringMatching(message)]);
  });

  // The thread answers these errors as `too_large` and as damage (`program.ts`).
  it.each<[string, () => Uint8Array, RegExp]>([
    ['cut in the middle', () => fixture('minutes.docx').slice(0, 3000), /invalid zip data/],
    ['nested 10,000 deep', () => docx('<w:sdt>'.repeat(10_000)), /too many parts/],
    ['with tables nested 300 deep', () => docx('<w:tbl><w:tr><w:tc>'.repeat(300)), /too many parts/],
    ['with two million elements', () => docx('<w:p/>'.repeat(1_100_000)), /too many parts/],
  ])('%s ends with an error', async (_, make, message) =>
    expect(readAs('docx', make())).rejects.toThrow(message),
  );

  it('that names too small sizes unpacks to these alone', () => {
    const file = new OfficePackage(
      withSizes(docx(para('x'.repeat(10_000))), 100),
      'a.docx',
      /document\.xml$/,
    );
    expect(file.text('word/document.xml')).toHaveLength(100);
  });

  it('expands no entity and asks for nothing outside', async () => {
    const evil = `<!DOCTYPE d [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]>`;
    const body = wordPart('document', `<w:body>${para('x')}<w:p><w:r><w:t>&b;&c;</w:t></w:r></w:p></w:body>`);
    const fetched = jest.spyOn(globalThis, 'fetch');
    const text = await readAs(
      'docx',
      docx('', { 'document.xml': body.replace('?>', `?>${evil}`) }, [
        ['o', 'oleObject', 'http://127.0.0.1:9/x.bin'],
        ['i', 'image', 'http://127.0.0.1:9/x.png'],
        ['s', 'styles', 'http://127.0.0.1:9/styles.xml'],
        ['t', 'attachedTemplate', 'file:///c:/evil.dotm'],
      ]),
    );
    expect(text.markdown).toBe('x\n\n&amp;b;&amp;c;\n');
    expect(fetched).not.toHaveBeenCalled();
    fetched.mockRestore();
  });

  it('with macros and embedded files is read without them', async () => {
    const parts = { 'vbaProject.bin': new Uint8Array(1000), 'embeddings/a.xlsx': fixture('costs.xlsx') };
    expect((await readAs('docx', docx(para('text'), parts))).markdown).toBe('text\n');
  });

  it('whose parts refer to themselves ends', async () => {
    const styles = wordPart(
      'styles',
      '<w:style w:styleId="a"><w:basedOn w:val="b"/></w:style><w:style w:styleId="b"><w:basedOn w:val="a"/></w:style>',
    );
    const notes = wordPart(
      'footnotes',
      '<w:footnote w:id="1"><w:p><w:r><w:t>n</w:t><w:footnoteReference w:id="1"/></w:r></w:p></w:footnote>',
    );
    const body = `<w:p><w:pPr><w:pStyle w:val="a"/></w:pPr><w:r><w:t>x</w:t><w:footnoteReference w:id="1"/></w:r></w:p>`;
    const text = await readAs('docx', docx(body, { 'styles.xml': styles, 'footnotes.xml': notes }));
    expect(text.markdown).toBe('x[^1]\n\n[^1]: n[^1]\n');
  });

  it('with a cell in the last row and column of a sheet costs no more than its cells', async () => {
    const far = '<c r="XFD1048576" t="str"><v>far</v></c>';
    const rows = cells([['near', far]]).replace('<row>', '<dimension ref="A1:XFD1048576"/><row>');
    const merges = '<mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>';
    const { markdown } = await readAs('xlsx', xlsx([{ name: 'S', xml: rows + merges }]));
    expect(markdown).toBe('## S\n\nnear\n\nfar\n\n');
  });

  it('with more cells than a document has text is cut, with a warning', async () => {
    const row = `<row>${'<c><v>1234567</v></c>'.repeat(20)}</row>`;
    const { markdown, warnings } = await readAs(
      'xlsx',
      xlsx([{ name: 'S', xml: `<sheetData>${row.repeat(15_000)}</sheetData>` }]),
    );
    expect(markdown).toHaveLength(2_000_000);
    expect(warnings).toEqual([expect.stringMatching(/more text than is read/)]);
  });

  it('with numbers that are none is read', async () => {
    const xml = `<sheetData><row r="-5"><c r="ZZZZ1" t="s"><v>99999</v></c><c s="x"><v>1e999</v></c><c r="A0"><v>NaN</v></c></row></sheetData>`;
    const strings = {
      'xl/_rels/workbook.xml.rels': relations(['r1', 'worksheet', '/xl/worksheets/sheet1.xml']),
    };
    expect((await readAs('xlsx', xlsx([{ name: 'S', xml }], strings))).markdown).toContain('Infinity');
  });
});

it('XML takes linear time in marks that nothing ends', () => {
  for (const part of [
    '<',
    '<a ',
    '<a "',
    "<a b='",
    '<!--',
    '<![CDATA[',
    '<!',
    '<?',
    '</',
    '&',
    '&#',
    '<a b=c d e f g ',
    '<a xmlns:b="c">',
  ]) {
    let count = 0;
    // A reader that takes the square of it would not end within the time that a test may take.
    for (const event of xmlEvents(part.repeat(100_000))) count += event.kind === 'open' ? 1 : 0;
    expect(count).toBeLessThanOrEqual(100_000);
  }
});
