import type { DocumentFile, DocumentReader } from '../../src/core/documents/ports';
import { EXTENSIONS } from '../../src/core/documents/formats';
import { StopController } from '../../src/core/base/concurrency';
import { document, nodeReader } from '../support/document-readers';
import { fakeDocuments } from '../support/fake-documents';
import { refusalOf } from '../support/refusal';

describe.each<[string, () => DocumentReader]>([
  ['the reader with threads', () => nodeReader()],
  ['a fake', () => fakeDocuments()],
])('a DocumentReader: %s', (_, open) => {
  it('tells from a name alone whether it can read a file', () => {
    const reader = open();
    expect(['a.md', 'B.PDF', 'c.d.html', 'x/y.eml'].map((name) => reader.readability(name))).toEqual(
      Array(4).fill('native'),
    );
    expect(['a.docx', 'b.PNG', 'c.jpeg', 'd.odt', 'e.rtf'].map((name) => reader.readability(name))).toEqual(
      Array(5).fill('no_converter'),
    );
    expect(
      ['a', '.md', 'a.', 'a.exe', 'a.md.zip', 'a.constructor'].map((name) => reader.readability(name)),
    ).toEqual(Array(6).fill('unknown'));
    expect(EXTENSIONS.map((one) => reader.readability(`a.${one}`))).not.toContain('unknown');
  });

  it('reads text as it is', async () => {
    const text = '# Größe\n\n東京 [[A]]\n';
    expect(await open().read(document('a.md', text))).toEqual({
      markdown: text,
      converted: false,
      warnings: [],
    });
  });

  it('leaves the bytes to the caller', async () => {
    const file = document('a.csv', 'a,b\n1,2\n');
    await open().read(file);
    expect(new TextDecoder().decode(file.bytes)).toBe('a,b\n1,2\n');
  });

  it.each<[string, DocumentFile]>([
    ['unsupported_type', document('a.exe', 'x')],
    ['unsupported_type', document('a.docx', 'x')],
    [
      'unsupported_type',
      { name: 'a.md', bytes: new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13, 0xc3]) },
    ],
    ['no_text', document('a.txt', ' \n\t')],
  ])('refuses with %s', async (code, file) => {
    const error = await refusalOf(open().read(file));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(/\.$/);
  });

  it('begins nothing when it is already called off', async () => {
    const stop = new StopController();
    stop.stop();
    expect((await refusalOf(open().read(document('a.csv', 'a,b\n'), stop))).code).toBe('busy');
  });
});
