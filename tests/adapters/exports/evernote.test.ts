import { createHash } from 'node:crypto';
import { expand } from './archives';

const PICTURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 1, 2, 3]);
const REPORT = Buffer.from('%PDF-1.4 x');
const hashOf = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex');

/** An export by Evernote's export4 DTD. */
const ENEX = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE en-export SYSTEM "http://xml.evernote.com/pub/evernote-export4.dtd">
<en-export export-date="20261101T101010Z" application="Evernote" version="10.1">
<note><title>Trip to &lt;Rome&gt; &amp; back</title><created>20130730T205204Z</created><updated>20140101T000102Z</updated>
<tag>travel</tag><tag>Big Plans</tag>
<note-attributes><author>Ada</author><source-url>https://example.org/rome</source-url></note-attributes>
<content><![CDATA[<?xml version="1.0" encoding="UTF-8" standalone="no"?><!DOCTYPE en-note SYSTEM "http://xml.evernote.com/pub/enml2.dtd">
<en-note><div><b>Pack</b> a hat &amp; sun cream.</div>
<div><en-todo checked="true"/>Buy tickets</div><div><en-todo checked="false"/>Water the plants</div>
<table><tr><td>Day</td><td>Place</td></tr><tr><td>1</td><td>Forum</td></tr></table>
<div><en-media type="image/png" hash="${hashOf(PICTURE)}"/></div>
<div>See <a href="evernote:///view/1/s1/a/a/">Packing list</a> and <a href="https://example.org/x">a page</a>.</div>
<div><en-crypt hint="h">AAAA</en-crypt></div></en-note>]]></content>
<resource><data encoding="base64">
${PICTURE.toString('base64')}
</data><mime>image/png</mime><width>0</width><resource-attributes><file-name>map.png</file-name></resource-attributes></resource>
<resource><data encoding="base64">${REPORT.toString('base64')}</data><mime>application/pdf</mime></resource>
</note>
<note><title>Packing list</title><created>20130731T000000Z</created><content><![CDATA[<en-note><ul><li>Hat</li><li>Book</li></ul></en-note>]]></content>
<task><title>Call Bob</title><taskStatus>open</taskStatus><dueDate>20131224T100000Z</dueDate></task></note>
</en-export>`;

it('makes notes of an Evernote export, with what they hold', async () => {
  const { files, told, left } = await expand({ 'My notes.enex': ENEX });
  expect(told).toEqual(['Recognised: Evernote.']);
  expect(left).toEqual({});
  expect(Object.keys(files).sort()).toEqual(
    [
      'Packing list.md',
      'Trip to -Rome- & back.md',
      `attachments/${hashOf(REPORT)}.pdf`,
      'attachments/map.png',
    ].sort(),
  );
  expect(files['attachments/map.png']).toBe(PICTURE.toString('latin1'));
  const note = Buffer.from(files['Trip to -Rome- & back.md'] ?? '', 'latin1').toString('utf8');
  for (const part of [
    'title: "Trip to <Rome> & back"',
    'created: 2013-07-30T20:52:04Z',
    'modified: 2014-01-01T00:01:02Z',
    'tags: ["travel", "Big-Plans"]',
    'source: "https://example.org/rome"',
    'author: "Ada"',
    '**Pack** a hat & sun cream.',
    '- [x] Buy tickets\n- [ ] Water the plants\n',
    '| Day | Place |',
    '![[attachments/map.png]]',
    `![[attachments/${hashOf(REPORT)}.pdf]]`,
    'See [[Packing list]] and',
    '[a page](https://example.org/x)',
  ])
    expect(note).toContain(part);
  expect(files['Packing list.md']).toContain('- Hat\n');
  expect(files['Packing list.md']).toContain('- [ ] Call Bob');
});
