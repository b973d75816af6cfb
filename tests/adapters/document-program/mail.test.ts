import { markdownFacts } from '../../../src/core/markdown/facts';
import { readAs } from '../../support/read-document';

/** The bytes of a text whose characters are bytes. */
const bytesOf = (text: string) => Uint8Array.from(text, (one) => one.charCodeAt(0));
const read = (mail: string | Uint8Array) => readAs('mail', mail, 'a.eml');
const bodyOf = async (mail: string | Uint8Array) =>
  (await read(mail)).markdown.replace(/^(?:- .*\n)*\n/, '').trimEnd();

/** A mail of parts, each with its header fields and its text. */
function multipart(kind: string, ...parts: string[]): string {
  const all = parts.map((part) => `--b\n${part}\n`).join('');
  return `Subject: A\nMIME-Version: 1.0\nContent-Type: multipart/${kind}; boundary=b\n\n${all}--b--\n`;
}
const plain = (text: string) => `Content-Type: text/plain; charset=utf-8\n\n${text}`;
const html = (text: string) => `Content-Type: text/html; charset=utf-8\n\n${text}`;
const words = (count: number, word = 'word') => Array.from({ length: count }, (_, at) => word + at).join(' ');

describe('the header', () => {
  it.each([
    ['Subject: =?iso-8859-1?Q?Gr=FC=DFe?= =?utf-8?B?w6Q=?=', '- Subject: Grüßeä'],
    ['From: =?utf-8?q?Ad=C3=A8le?= <a@e.org>', '- From: Adèle (a@e.org)'],
    ['Subject: =?utf-8?Q?=C3?= =?utf-8?Q?=84pfel?= =?windows-1252?Q?_=80?=', '- Subject: Äpfel €'],
    ['To: "B, C" <b@e.org>,\n d@e.org', '- To: B, C (b@e.org), d@e.org'],
    ['To: a@e.org\nTo: b@e.org', '- To: a@e.org, b@e.org'],
    ['From: a@e.org, b@e.org', '- From: a@e.org, b@e.org'],
    ['Cc: Team: a@e.org, b@e.org;', '- Cc: a@e.org, b@e.org'],
    ['Date: Tue, 3 Mar 2026 09:15:00 +0100', '- Date: 2026-03-03T08:15:00.000Z'],
    ['Date: some day', '- Date: some day'],
    ['Subject: # [[x]] <b> *y* %%z%%', '- Subject: # \\[\\[x]] \\<b> \\*y\\* \\%\\%z\\%\\%'],
  ])('%j becomes %j', async (header, line) =>
    expect((await read(`${header}\n\nText`)).markdown.split('\n')[0]).toBe(line),
  );
  it.each([
    ['names its encoding', 'Subject: Gr\xfc\xdfe\nContent-Type: text/plain; charset=iso-8859-1\n\nx', 0],
    ['names none', 'Subject: Gr\xfc\xdfe\n\nx', 1],
  ])('in another encoding that %s is read', async (_, mail, told) => {
    const { markdown, title, warnings } = await read(bytesOf(mail));
    expect(markdown).toMatch(/^- Subject: Grüße\n/);
    expect(title).toBe('Grüße');
    expect(warnings).toHaveLength(told);
  });
  it.each([
    ['Shift_JIS', '\x93\x8c\x8b\x9e\x82\xcc\x93\x56\x8b\x43', '東京の天気'],
    ['GB18030', '\xc4\xe3\xba\xc3\xa3\xac\xca\xc0\xbd\xe7', '你好，世界'],
    ['KOI8-R', '\xf0\xd2\xc9\xd7\xc5\xd4', 'Привет'],
    ['ISO-2022-JP', '\x1b$B$3$s$K$A$O\x1b(B', 'こんにちは'],
  ])('in %s that is not named is read, with a warning', async (_, subject, title) => {
    const mail = await read(bytesOf(`From: a@e.org\nSubject: ${subject}\nTo: b@e.org\n\nx`));
    expect(mail).toMatchObject({ title, warnings: [expect.stringMatching(/names no encoding/)] });
  });
  it('names many addressees in short', async () => {
    const to = Array.from({ length: 30 }, (_, at) => `p${at}@e.org`).join(', ');
    expect((await read(`To: ${to}\n\nx`)).markdown).toMatch(/p19@e\.org and 10 more\n/);
  });
  it.each([
    ['a byte order mark and empty lines', '\ufeff\n\r\nSubject: A\n\nText'],
    ['line ends of old machines', 'Subject: A\r\rText'],
    ['a line of a mailbox', 'From a@e.org Tue Mar  3 09:15:00 2026\nSubject: A\n\nText'],
  ])('is found behind %s', async (_, mail) => {
    expect((await read(mail)).markdown).toBe('- Subject: A\n\nText\n');
  });
});

describe('of the alternatives', () => {
  it.each([
    ['HTML when the text is empty', ['', '<p>Hello you</p>'], 'Hello you'],
    [
      'HTML when the text says that it is not shown',
      ['Your mail program does not show HTML.', '<p>We meet at 3.'],
      'We meet at 3.',
    ],
    [
      'HTML when the text only leads to a page',
      [
        'Read this message in your browser: https://e.org/a',
        '<p>The trees come on Monday, all nineteen of them.',
      ],
      'The trees come on Monday, all nineteen of them.',
    ],
    ['HTML when the text is cut', [words(10), `<p>${words(40)}</p>`], words(40)],
    ['the text when HTML is cut', [words(40), `<p>${words(10)}</p>`], words(40)],
    ['the text when HTML is empty', ['Hello', '<img src=a.png>'], 'Hello'],
    [
      'the text when HTML is only layout',
      [words(20), `<table><tr><td>${words(20)}</td><td></td></tr></table>`],
      words(20),
    ],
    [
      'HTML with the table that the text lists',
      ['Item\nCost\nTree\n9', '<table><tr><th>Item<th>Cost<tr><td>Tree<td>9</table>'],
      '| Item | Cost |\n| --- | --- |\n| Tree | 9 |',
    ],
    [
      'HTML with addresses that the text lacks',
      [
        words(5),
        `<p><a href=https://e.org/1>word0</a> word1 word2 word3 <a href=https://e.org/2>word4</a> ${'<a href=https://e.org/3>more</a> '.repeat(3)}`,
      ],
      /e\.org\/1.*e\.org\/2/,
    ],
  ] satisfies [string, [string, string], string | RegExp][])(
    '%s is taken',
    async (_, [text, rich], expected) => {
      for (const parts of [
        [plain(text), html(rich)],
        [html(rich), plain(text)],
      ]) {
        const body = await bodyOf(multipart('alternative', ...parts));
        if (typeof expected === 'string') expect(body).toBe(expected);
        else expect(body).toMatch(expected);
      }
    },
  );
  it('one is taken with a warning when they say different things', async () => {
    const mail = (text: string) => multipart('alternative', plain(text), html(`<p>${words(60)}`));
    expect((await read(mail(words(40, 'other')))).warnings).toEqual([expect.stringMatching(/two forms/)]);
    expect((await read(mail(words(40)))).warnings).toEqual([]);
    const told = async (text: string) => (await read(mail(text))).warnings.length;
    expect(await told('Please restart your browser and come to room twelve.')).toBe(1);
    expect(await told('Ihr Mail-Programm kann HTML nicht anzeigen.')).toBe(0);
  });
  it('none is read twice, and text beside them stays', async () => {
    const inner = multipart('alternative', plain('Hello'), html('<p>Hello')).replace(/^Subject.*\n/, '');
    const mail = multipart('mixed', inner.replace(/\bb\b/g, 'c'), plain('A footer'));
    expect(await bodyOf(mail)).toBe('Hello\n\nA footer');
  });
  it('all of HTML is kept, with its boxes', async () => {
    const page = `<div class=nav>To the shop</div><p>${words(80)}</p><div id=footer>Our address</div>`;
    expect(await bodyOf(`Content-Type: text/html\n\n${page}`)).toMatch(/^To the shop[^]*Our address$/);
  });
});

describe('text of a mail', () => {
  const flowed = 'Content-Type: text/plain; format=flowed; charset=utf-8\n\n';
  it.each([
    ['Hi,\n\n> a\n> b\n\nYes', 'Hi,\n\n> [!quote]-\n> a\n> b\n\nYes\n'],
    [
      'On Monday A wrote:\n> b\n>> c\n> > d\n> e',
      'On Monday A wrote:\n\n> [!quote]-\n> b\n>\n> > c\n> > d\n>\n> e\n',
    ],
    ['> a\n\n> b', '> [!quote]-\n> a\n>\n> b\n'],
    ['>From here on', '\\>From here on\n'],
    ['Bye\n-- \nA\n# B', 'Bye\n\\--\nA\n\\# B\n'],
    [
      'Yes\n\n-----Original Message-----\nFrom: a\n\n# No',
      'Yes\n\n-----Original Message-----\n\n> [!quote]-\n> From: a\n>\n> \\# No\n',
    ],
    [
      'Yes\n\nFrom: a\nSent: Monday\nTo: b\nSubject: c\n\nx\n> y',
      'Yes\n\n> [!quote]-\n> From: a\n> Sent: Monday\n> To: b\n> Subject: c\n>\n> x\n>\n> > y\n',
    ],
    ['Yes\nFrom: a\nTo: b', 'Yes\nFrom: a\nTo: b\n'],
    ['From: a\nSent: b\nSubject: c\nx', 'From: a\nSent: b\nSubject: c\nx\n'],
    ['-----Original Message-----\nFrom: a', '-----Original Message-----\nFrom: a\n'],
    [
      'Yes\n________________________________\nVon: a\nx',
      'Yes\n\\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\\_\n\n> [!quote]-\n> Von: a\n> x\n',
    ],
  ])('%j becomes %j', async (text, markdown) => expect(await bodyOf(plain(text))).toBe(markdown.trimEnd()));
  it.each([
    ['a \nb\nc', 'a b\nc\n'],
    [' From me\n  two', 'From me\n two\n'],
    ['> a \n> b\n>> c \n> d', '> [!quote]-\n> a b\n>\n> > c\n>\n> d\n'],
    ['a \n-- \nB \nC', 'a\n\\--\nB C\n'],
    ['a \n\nb', 'a\n\nb\n'],
  ])('flowed %j becomes %j', async (text, markdown) =>
    expect(await bodyOf(flowed + text)).toBe(markdown.trimEnd()),
  );
  it('is unwrapped by what the part says', async () =>
    expect(await bodyOf('Content-Type: text/plain; Format="Flowed"; DelSp=yes\n\n東 \n京 \nx')).toBe(
      '東京x',
    ));
  it('keeps quotations of any depth', async () => {
    const markdown = await bodyOf(plain(`${'>'.repeat(30)} deep`));
    expect(markdown).toContain('deep');
    expect(markdownFacts(markdown).searchText).toContain('deep');
  });
  it('of HTML has its quotations folded too', async () =>
    expect(
      await bodyOf(
        'Content-Type: text/html\n\n<p>Yes<blockquote type=cite><p>a<blockquote>b</blockquote></blockquote>',
      ),
    ).toBe('Yes\n\n> [!quote]-\n> a\n> \n> > b'));
});

it('folds the mail that is answered in HTML without marks', async () => {
  const reply =
    '<div><b>Von:</b> a<br><b>Gesendet:</b> Montag<br><b>Betreff:</b> c</div><p>x<blockquote>y</blockquote>';
  const body = await bodyOf(`Content-Type: text/html\n\n<p>Yes</p>${reply}`);
  expect(body).toBe(
    'Yes\n\n> [!quote]-\n> **Von:** a  \n> **Gesendet:** Montag  \n> **Betreff:** c\n>\n> x\n>\n> > y',
  );
  expect(await bodyOf(`Content-Type: text/html\n\n${reply}`)).toMatch(/^\*\*Von:/);
});

describe('the encoding of a text', () => {
  const latin = 'Gr\xfc\xdfe aus K\xf6ln, \x80 5';
  const russian = '\xcf\xf0\xe8\xe2\xe5\xf2, \xea\xe0\xea \xe4\xe5\xeb\xe0?';
  const japanese = '\x1b$B$3$s$K$A$O\x1b(B';
  it.each([
    ['named', 'charset=iso-8859-1', latin, 'Grüße aus Köln, € 5', 0],
    ['named by another label', 'charset=cp1252', latin, 'Grüße aus Köln, € 5', 0],
    ['not named', '', latin, 'Grüße aus Köln, € 5', 1],
    ['named US-ASCII', 'charset=us-ascii', russian, 'Привет, как дела?', 1],
    ['wrongly named UTF-8', 'charset=utf-8', latin, 'Grüße aus Köln, € 5', 1],
    ['wrongly named a Western one', 'charset=iso-8859-1', russian, 'Привет, как дела?', 1],
    ['UTF-8 whatever it names', 'charset=iso-8859-1', 'K\xc3\xb6ln', 'Köln', 1],
    ['UTF-8 and not named', '', 'K\xc3\xb6ln', 'Köln', 0],
    ['UTF-8 named US-ASCII', 'charset=us-ascii', 'K\xc3\xb6ln', 'Köln', 0],
    ['unknown by name', 'charset=x-mail', russian, 'Привет, как дела?', 1],
    ['of a mailbox in Japan', 'charset=iso-2022-jp', japanese, 'こんにちは', 0],
    ['of a mailbox in Japan that is not named', '', japanese, 'こんにちは', 1],
    ['UTF-8 named as one of Japan', 'charset=iso-2022-jp', 'K\xc3\xb6ln', 'Köln', 1],
    ['UTF-8 named UTF-16', 'charset=utf-16', 'Hello K\xc3\xb6ln', 'Hello Köln', 1],
    ['UTF-7', 'charset=utf-7', 'K+APY-ln +-', 'Köln +', 0],
    ['GB2312 whose words are UTF-8 by chance', 'charset=gb2312', '\xc4\xa3\xca\xbd', '模式', 0],
    [
      'named with a bad byte',
      'charset=gb2312',
      `${'\xc4\xe3\xba\xc3'.repeat(20)}\xc4`,
      `${'你好'.repeat(20)}\ufffd`,
      1,
    ],
  ])('%s is found', async (_, charset, text, expected, told) => {
    const mail = bytesOf(`Content-Type: text/plain; ${charset}\nContent-Transfer-Encoding: 8bit\n\n${text}`);
    expect(await bodyOf(mail)).toBe(expected);
    expect((await read(mail)).warnings).toHaveLength(told);
  });
  it('may be UTF-16 in Base64', async () =>
    expect(
      await bodyOf(
        'Content-Type: text/plain; charset=utf-16le\nContent-Transfer-Encoding: base64\n\nSAD2AA==',
      ),
    ).toBe('Hö'));
  it('that is not named is that of another part or header field', async () => {
    const polish = 'Za\xbf\xf3\xb3\xe6 g\xea\xb6l\xb1 ja\xbc\xf1';
    const part = 'Content-Type: text/plain';
    for (const mail of [
      `Subject: =?iso-8859-2?Q?A?=\n${part}\n\n${polish}`,
      multipart('mixed', `${part}\n\n${polish}`, `${part}; charset=iso-8859-2\n\nx`),
    ]) {
      const { markdown, warnings } = await read(bytesOf(mail));
      expect(markdown).toContain('Zażółć gęślą jaźń');
      expect(warnings).toEqual([expect.stringMatching(/names no encoding; it was read as iso-8859-2/)]);
    }
  });
  it('of HTML may be in its head', async () =>
    expect(await bodyOf(bytesOf(`Content-Type: text/html\n\n<meta charset=windows-1251><p>${russian}`))).toBe(
      'Привет, как дела?',
    ));
});

describe('an attachment', () => {
  const attached = (fields: string, text = 'x') => multipart('mixed', plain('See.'), `${fields}\n\n${text}`);
  it.each([
    ['Content-Type: application/pdf; name="a b.pdf"', 'a b.pdf'],
    ["Content-Type: text/plain\nContent-Disposition: attachment; filename*=utf-8''%C3%9C.txt", 'Ü.txt'],
    [
      'Content-Type: text/plain\nContent-Disposition: attachment; filename*0*=utf-8\'\'%C3; filename*1*=%9C; filename*2="b.txt"',
      'Üb.txt',
    ],
    ['Content-Type: text/plain\nContent-Disposition: attachment; filename="=?utf-8?Q?=C3=9C.txt?="', 'Ü.txt'],
    ['Content-Type: text/plain\nContent-Disposition: inline; filename=notes.txt', 'notes.txt'],
    ['Content-Type: text/x-diff; name=a.patch', 'a.patch.txt'],
    ['Content-Type: text/calendar; method=REQUEST', 'calendar.ics'],
    ['Content-Type: message/rfc822', 'message.eml'],
    ['Content-Type: message/delivery-status', 'delivery-status.txt'],
    ['Content-Type: application/zip; name=../../a.zip', 'a.zip'],
    ['Content-Type: application/octet-stream; name=a.csv', 'a.csv'],
  ])('%j is a file named %s', async (fields, name) => {
    const { files, markdown } = await read(attached(fields));
    expect(files?.map((file) => file.name)).toEqual([name]);
    expect(markdown).toBe('- Subject: A\n\nSee.\n');
  });
  it('with an encoding becomes UTF-8', async () => {
    const { files = [] } = await read(
      attached(
        'Content-Type: text/csv; charset=iso-8859-1; name=a.csv\nContent-Transfer-Encoding: base64',
        'ROlq',
      ),
    );
    expect(new TextDecoder().decode(files[0]?.bytes)).toBe('Déj');
  });
  it('that nothing reads has no bytes, and a picture within the text is none', async () => {
    const picture =
      'Content-Type: image/png\nContent-ID: <a>\nContent-Disposition: inline; filename=a.png\n\nx';
    const zip = 'Content-Type: application/zip; name=a.zip\n\nx';
    const { files = [] } = await read(multipart('mixed', plain('See.'), picture, zip));
    expect(files).toEqual([{ name: 'a.zip', bytes: new Uint8Array() }]);
  });
  it('is one calendar when an invitation holds it twice', async () => {
    const event = 'BEGIN:VCALENDAR\nEND:VCALENDAR';
    const file = `Content-Type: application/ics; name=invite.ics\nContent-Transfer-Encoding: base64\n\n${btoa(event.replace(/\n/g, '\r\n'))}`;
    const mail = multipart(
      'mixed',
      plain('See.'),
      `Content-Type: text/calendar; charset=utf-8\n\n${event}`,
      file,
    );
    expect((await read(mail)).files?.map(({ name }) => name)).toEqual(['calendar.ics']);
  });
  it('is no signature of the mail', async () => {
    const signature = 'Content-Type: application/pgp-signature; name=signature.asc\n\nx';
    expect((await read(multipart('signed', plain('See.'), signature))).files).toBeUndefined();
  });
  it('is no text of another type that begins the mail', async () =>
    expect(await bodyOf('Content-Type: text/x-note\n\nText')).toBe('Text'));
  it('may be all of the mail', async () => {
    const mail = 'Content-Type: text/csv; name=a.csv\n\na,b\n';
    expect(await read(mail)).toMatchObject({ files: [{ name: 'a.csv' }] });
  });
});

describe('a damaged mail', () => {
  it.each([
    [
      'has text behind its Base64',
      'Content-Transfer-Encoding: base64\n\nVGV4dCBvZiB0\naGUgbWFpbA==\n\n_______\nThe list of all\n',
      'Text of the mail\n\n\\_\\_\\_\\_\\_\\_\\_\nThe list of all',
    ],
    [
      'is not in Base64 although it says so',
      'Content-Transfer-Encoding: base64\n\nPlain text.',
      'Plain text.',
    ],
    [
      'has alternatives that it does not name',
      multipart('mixed', plain('All of us.'), html('<p>All of us.')),
      'All of us.',
    ],
    ['has no end', 'Content-Type: multipart/mixed; boundary=b\n\n--b\n\nText', 'Text'],
    ['names a boundary that it lacks', 'Content-Type: multipart/mixed; boundary=b\n\nText', 'Text'],
    ['names no boundary', 'Content-Type: multipart/mixed\n\n--b\n\nText', '--b\n\nText'],
    ['has no type', 'Content-Type: text\n\nText', 'Text'],
    [
      'has text behind its parts',
      `${multipart('mixed', plain('Text'))}\nFooter of the list`,
      'Text\n\nFooter of the list',
    ],
    [
      'has no header',
      'Only a few words\nin this file\n\nand more',
      'Only a few words\nin this file\n\nand more',
    ],
    ['is in a mailbox', 'From a@b Mon Jan 1 10:00:00 2024\nX-A: b\n\nText', 'Text'],
    [
      'has text on MIME behind its parts',
      `${multipart('mixed', plain('Text'))}\nThe list takes no MIME attachments.`,
      'Text\n\nThe list takes no MIME attachments.',
    ],
    [
      'tells old programs what it is',
      multipart('mixed', plain('Text')).replace(
        '\n\n--b',
        '\n\nThis is a multi-part message in MIME format.\n--b',
      ),
      'Text',
    ],
  ])('that %s is read', async (_, mail, body) => expect(await bodyOf(mail)).toBe(body));
});
