import { expand, zip } from './archives';

const PAGE = (title: string, body: string): string =>
  `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>${title}</title></head><body>${body}</body></html>`;

it('makes a note of each chapter of a book, in the order of reading', async () => {
  const book = zip([
    { name: 'mimetype', bytes: 'application/epub+zip', method: 0 },
    {
      name: 'META-INF/container.xml',
      bytes: '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>',
    },
    {
      name: 'OEBPS/book.opf',
      bytes: `<package><metadata><dc:title>On Owls</dc:title><dc:creator>Ada &amp; Bob</dc:creator><dc:language>en</dc:language><dc:subject>Birds</dc:subject></metadata>
        <manifest><item id="b" href="two.xhtml"/><item href="one.xhtml" id="a"/><item id="c" href="owl.png"/><item id="s" href="x.css"/></manifest>
        <spine><itemref idref="a"/><itemref idref="b"/></spine></package>`,
    },
    {
      name: 'OEBPS/one.xhtml',
      bytes: PAGE('x', '<h1>First</h1><p>Owls sleep. <a href="two.xhtml">Next</a></p>'),
    },
    {
      name: 'OEBPS/two.xhtml',
      bytes: PAGE('x', '<h1>Second</h1><p>Owls hunt.</p><img src="owl.png" alt="An owl"/>'),
    },
    { name: 'OEBPS/owl.png', bytes: 'PNG' },
    { name: 'OEBPS/x.css', bytes: 'p {}' },
  ]);
  const { files, told, left } = await expand({ 'Owls.epub': book });
  expect(told).toEqual(['Recognised: EPUB e-book.']);
  expect(Object.keys(files).sort()).toEqual(['01 First.md', '02 Second.md', 'OEBPS/owl.png']);
  expect(files['01 First.md']).toContain('Owls sleep. [[02 Second|Next]]');
  expect(files['01 First.md']).toContain('author: ["Ada & Bob"]');
  expect(files['02 Second.md']).toContain('![[OEBPS/owl.png');
  expect(Object.keys(left).sort()).toEqual([
    'Owls.epub/META-INF/container.xml',
    'Owls.epub/OEBPS/book.opf',
    'Owls.epub/OEBPS/x.css',
    'Owls.epub/mimetype',
  ]);
});

it('makes a file of each mail of a mailbox, and loses no line', async () => {
  const first =
    'From: a@example.org\nSubject: Owls / barn\nDate: Tue, 03 Nov 2026 10:00:00 +0000\n\nHello.\n>From here on.\nFrom inside a paragraph.\n\n';
  const second = 'Subject: =?utf-8?q?=C3=BC?=\nDate: never\n\nBye.\n';
  const { files } = await expand({ 'all.mbox': `From a Tue Nov  3\n${first}From b\n${second}` });
  expect(Object.keys(files).sort()).toEqual(['2026-11-03 Owls - barn.eml', 'ü.eml']);
  expect(files['2026-11-03 Owls - barn.eml']).toBe(first.replace('>From here', 'From here'));
  expect(files['ü.eml']).toBe(second);
});

it('cuts a mail that is too large with a warning, and takes the next one whole', async () => {
  const lines = Buffer.alloc(256 * 1024, '\n');
  const line = Buffer.alloc(50 * 1024 * 1024, 'x');
  const { files, warnings } = await expand({
    'all.mbox': Buffer.concat([
      Buffer.from('From a\nSubject: Long\n\n'),
      lines,
      line,
      Buffer.from('\n\nFrom b\nSubject: Next\n\nBye.\n'),
    ]),
  });
  expect(files['Long.eml']?.length).toBe(50 * 1024 * 1024);
  expect(files['Next.eml']).toBe('Subject: Next\n\nBye.\n');
  expect(warnings).toEqual({ 'Long.eml': ['The mail is larger than 50 MiB. Its end was left out.'] });
});

it('gives many mails that want one name each its own', async () => {
  const { files } = await expand({ 'all.mbox': 'From a\nSubject: Same\n\n'.repeat(20_000) });
  expect(Object.keys(files)).toHaveLength(20_000);
  expect(files['Same 20000.eml']).toBe('Subject: Same\n\n');
});

it('takes each chapter of a book once, reads prefixes and both quotes, and names what is locked', async () => {
  const book = zip([
    {
      name: 'META-INF/container.xml',
      bytes: "<c:container><c:rootfiles><c:rootfile full-path='book.opf'/></c:rootfiles></c:container>",
    },
    {
      name: 'META-INF/encryption.xml',
      bytes:
        '<encryption><enc:EncryptedData><enc:CipherData><enc:CipherReference URI="two.xhtml"/></enc:CipherData></enc:EncryptedData></encryption>',
    },
    {
      name: 'book.opf',
      bytes: `<opf:package><opf:manifest><opf:item id='a' href='one.xhtml'/><opf:item id="b" href="two.xhtml"/></opf:manifest>
        <opf:spine><opf:itemref idref='a'/><opf:itemref idref="b"/>${'<opf:itemref idref="a"/>'.repeat(1000)}</opf:spine></opf:package>`,
    },
    { name: 'one.xhtml', bytes: PAGE('x', '<h1>First</h1><p>Owls sleep.</p>') },
    { name: 'two.xhtml', bytes: 'garbage' },
    { name: 'talk.ogg', bytes: 'OGG' },
  ]);
  const { files, left } = await expand({ 'Owls.epub': book });
  expect(Object.keys(files).sort()).toEqual(['01 First.md', 'talk.ogg']);
  expect(left['Owls.epub/two.xhtml']).toMatch(/locked it \(DRM\)/);
});
