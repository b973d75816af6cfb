import type { OpenDocumentReader } from '../../../src/adapters/documents/reader';
import { Attachments, type ReadFile } from '../../../src/adapters/documents/attachments';
import { BrainError } from '../../../src/core/base/errors';
import { type DocumentFile, MAX_TEXT } from '../../../src/core/documents/ports';
import { document, fixture, nodeReader } from '../../support/document-readers';
import { refusalOf } from '../../support/refusal';

const never = () => new Promise<void>(() => undefined);
const file = (name: string): DocumentFile => ({ name, bytes: new Uint8Array([1]) });
const mail = (...names: string[]): ReadFile => ({
  markdown: 'Hello\n',
  converted: false,
  warnings: [],
  files: names.map(file),
});
const says = (markdown: string): ReadFile => ({ markdown, converted: false, warnings: [] });

describe('the attachments of a mail', () => {
  it('are read in order, those of attached mails too', async () => {
    const read = async ({ name }: DocumentFile) => (name === 'b.eml' ? mail('c.txt') : says(name));
    expect(await new Attachments(read, never).read(mail('a.txt', 'b.eml'))).toEqual({
      ...says('Hello\n'),
      attachments: [
        { name: 'a.txt', text: says('a.txt') },
        {
          name: 'b.eml',
          text: { ...says('Hello\n'), attachments: [{ name: 'c.txt', text: says('c.txt') }] },
        },
      ],
    });
  });
  it('that cannot be read are named, with the reason', async () => {
    const read = () => Promise.reject(new BrainError('unsupported_type', 'It is damaged.'));
    expect(await new Attachments(read, never).read(mail('![[x]] <b>_a_ #t.pdf'))).toEqual({
      ...says('Hello\n\nAttachments (not read): !\\[\\[x]] \\<b>\\_a\\_ \\#t.pdf\n'),
      warnings: [
        'It is damaged.',
        'An attachment was not read: ![[x]] <b>_a_ #t.pdf. Save what matters and ingest it by itself.',
      ],
    });
  });
  it('have their warnings told with their names', async () => {
    const read = async () => ({ ...says('a'), warnings: ['It was cut.'] });
    const { warnings } = await new Attachments(read, never).read(mail('a.txt'));
    expect(warnings).toEqual(['a.txt: It was cut.']);
  });
  it('are read within limits of number, depth, time and text', async () => {
    const names = Array.from({ length: 60 }, (_, at) => `${at}.txt`);
    const many = await new Attachments(async () => says('x'), never).read(mail(...names));
    expect(many.attachments).toHaveLength(50);
    expect(many.markdown).toMatch(/not read\): 50\.txt, .*59\.txt\n$/);

    let count = 0;
    const nested = await new Attachments(async () => {
      count += 1;
      return mail('a.eml');
    }, never).read(mail('a.eml'));
    expect(count).toBe(5);
    expect(nested.attachments).toHaveLength(1);

    const large = await new Attachments(async ({ name }) => says(name.repeat(MAX_TEXT / 5)), never).read(
      mail('a.txt', 'b.txt', 'c.txt'),
    );
    expect(large.attachments?.map(({ name }) => name)).toEqual(['a.txt']);
    expect(large.warnings).toEqual([
      expect.stringMatching(/^b\.txt has more text/),
      expect.stringMatching(/^c\.txt has more text/),
      expect.stringMatching(/^2 attachments were not read: b\.txt, c\.txt/),
    ]);

    const late = await new Attachments(
      async () => says('x'),
      () => Promise.resolve(),
    ).read(mail('a', 'b', 'c'));
    expect(late.attachments?.length ?? 0).toBeLessThan(3);
  });
  it('are given up when the work is called off', async () => {
    const read = () => Promise.reject(new BrainError('busy', 'It was called off.'));
    expect((await refusalOf(new Attachments(read, never).read(mail('a.txt')))).code).toBe('busy');
  });
});

describe('the reader', () => {
  let reader: OpenDocumentReader;
  beforeAll(() => (reader = nodeReader()));
  afterAll(() => reader.close());

  const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replace(/.{76}/g, '$&\n');
  const mailWith = (...parts: string[]) =>
    document(
      'a.eml',
      `Subject: Plan\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nSee.\n${parts.map((part) => `--b\n${part}\n`).join('')}--b--\n`,
    );
  const attachment = (name: string, bytes: Uint8Array) =>
    `Content-Type: application/octet-stream\nContent-Disposition: attachment; filename=${name}\nContent-Transfer-Encoding: base64\n\n${base64(bytes)}`;

  it('reads attached files of all kinds by their names', async () => {
    const names = ['report-chromium.pdf', 'costs.csv', 'mail.eml', 'report.html'];
    const { attachments = [] } = await reader.read(
      mailWith(...names.map((name) => attachment(name, fixture(name).bytes))),
    );
    expect(attachments.map(({ name }) => name)).toEqual(names);
    for (const { name, text } of attachments)
      if (name !== 'mail.eml') expect(text).toEqual(await reader.read(fixture(name)));
  });
  it('reads the others when one is damaged or of no kind', async () => {
    const { attachments, markdown, warnings } = await reader.read(
      mailWith(
        attachment('a.pdf', new TextEncoder().encode('%PDF-1.7\nhello')),
        attachment('a.zip', new Uint8Array([1, 2])),
        attachment('a.txt', new TextEncoder().encode('# Text')),
      ),
    );
    expect(attachments).toMatchObject([{ name: 'a.txt', text: { markdown: '\\# Text\n' } }]);
    expect(markdown).toMatch(/\nAttachments \(not read\): a\.pdf, a\.zip\n$/);
    expect(warnings).toEqual([
      expect.stringMatching(/^a\.pdf is damaged/),
      expect.stringMatching(/^2 attachments were not read: a\.pdf, a\.zip\. /),
    ]);
  });
});
