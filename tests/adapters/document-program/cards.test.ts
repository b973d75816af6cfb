import { readAs } from '../../support/read-document';

const card = (...lines: string[]) => ['BEGIN:VCARD', ...lines, 'END:VCARD', ''].join('\n');
const event = (...lines: string[]) => calendar('BEGIN:VEVENT', 'SUMMARY:S', ...lines, 'END:VEVENT');
const calendar = (...lines: string[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', ...lines, 'END:VCALENDAR', ''].join('\n');

describe('a vCard', () => {
  it.each<[string, string[], string]>([
    [
      'an address',
      ['ADR;TYPE=HOME:;;1 Main St\\, Flat 2;London;;N1;UK'],
      '- Address (home): 1 Main St, Flat 2, London, N1, UK\n',
    ],
    [
      'kinds of numbers',
      ['TEL;TYPE=WORK,VOICE:+44 20', 'tel;VALUE=uri;TYPE="cell,voice":tel:+1-555'],
      '- Phone (work): +44 20\n- Phone (cell): +1-555\n',
    ],
    ['an organization', ['ORG:A;B'], '- Organization: A, B\n'],
    [
      'labels of Apple',
      ['item1.URL:https://e.org/a', 'item1.X-ABLabel:_$!<HomePage>!$_'],
      '- Web (HomePage): https://e.org/a\n',
    ],
    ['a folded value', ['NICKNAME:a', ' b', '\tc'], '- Nickname: abc\n'],
    [
      'a text',
      ['NOTE:One\\nTwo *x* \\, [[y]]\\; C:\\\\new'],
      '\nNote:\n\nOne\nTwo \\*x\\* , \\[\\[y]]; C:\\new\n',
    ],
    [
      'other properties by their names',
      ['X-SKYPE:ada_l', 'BDAY:1815-12-10'],
      '- X-SKYPE: ada_l\n- Birthday: 1815-12-10\n',
    ],
    ['names that the shown one lacks', ['N:L;A;King;Dr.;'], '- Name: L A King Dr.\n'],
    ['a line that is no property', ['NOTE:One', 'Two'], '\nNote:\n\nOne\nTwo\n'],
  ])('shows %s', async (_, lines, shown) =>
    expect(await readAs('cards', card('VERSION:3.0', 'FN:A L', ...lines))).toEqual({
      markdown: `# A L\n\n${shown}\n`,
      title: 'A L',
      warnings: [],
    }),
  );

  it('of version 2.1 is read', async () => {
    const old = card(
      'VERSION:2.1',
      'N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;J=C3=B6rg',
      'NOTE;ENCODING=QUOTED-PRINTABLE;CHARSET=ISO-8859-1:Gr=FC=DFe=0D=0Aaus =',
      'K=F6ln',
      'TEL;CELL:0170',
      'TITLE:C:\\new',
    );
    expect((await readAs('cards', old)).markdown).toBe(
      '# Jörg Müller\n\n- Phone (cell): 0170\n- Title: C:\\new\n\nNote:\n\nGrüße\naus Köln\n\n',
    );
  });

  it('is one of several, without their pictures', async () => {
    const all =
      card('FN:A', 'PHOTO;ENCODING=b;TYPE=JPEG:/9j/4A', ' AQSk') +
      card('FN:B', 'PHOTO;JPEG;BASE64:', ' /9j/', '') +
      card('FN:C', 'PHOTO:data:image/png;base64,xx', 'LOGO:https://e.org/l.png');
    expect(await readAs('cards', all)).toEqual({
      markdown: '## A\n\n\n## B\n\n\n## C\n\n- LOGO: https://e.org/l.png\n\n',
      warnings: [expect.stringMatching(/^3 pictures, sounds or keys were left out/)],
    });
  });

  it('has a name in any case', async () => {
    const name = async (...lines: string[]) => (await readAs('cards', card(...lines))).title;
    expect([await name('ORG:A;B'), await name('EMAIL:a@e.org'), await name('X:1')]).toEqual([
      'A, B',
      'a@e.org',
      'Card without a name',
    ]);
  });

  it('that is none is text, with a warning', async () => {
    expect(await readAs('cards', '##fileformat=VCFv4.2\n#CHROM\tPOS\n')).toEqual({
      markdown: '```text\n##fileformat=VCFv4.2\n#CHROM\tPOS\n```\n',
      warnings: [expect.stringMatching(/no vCard/)],
    });
  });
});

describe('text outside', () => {
  it('of a card is told, and a card goes on behind one within it', async () => {
    const text = `Our team\n${card('VERSION:2.1', 'N:A', 'AGENT:', card('N:B', 'TEL:2').trim(), 'TEL:1')}bye\n`;
    expect(await readAs('cards', text)).toEqual({
      markdown: '## A\n\n- Phone: 1\n\n## B\n\n- Phone: 2\n\n',
      warnings: ['The text outside of the cards was left out; the kept original has it.'],
    });
  });
  it('of a calendar is told', async () =>
    expect(await readAs('calendar', `Our dates\n${event('LOCATION:L')}bye\n`)).toEqual({
      markdown: '# S\n\n- Location: L\n\n',
      title: 'S',
      warnings: ['The text outside of the calendar was left out; the kept original has it.'],
    }));
});

describe('a calendar', () => {
  it.each<[string, string[], string]>([
    [
      'times in their zone',
      ['DTSTART;TZID=Europe/Berlin:20240301T100000', 'DTEND:20240301T103015Z'],
      '- Starts: 2024-03-01 10:00 (Europe/Berlin)\n- Ends: 2024-03-01 10:30:15 UTC\n',
    ],
    [
      'days, with the last one',
      ['DTSTART;VALUE=DATE:20240229', 'DTEND;VALUE=DATE:20240302'],
      '- Starts: 2024-02-29\n- Ends: 2024-03-01\n',
    ],
    [
      'one day that a program ends with itself',
      ['DTSTART;VALUE=DATE:20240105', 'DTEND;VALUE=DATE:20240105'],
      '- Starts: 2024-01-05\n- Ends: 2024-01-05\n',
    ],
    [
      'early years, and days that do not exist as written',
      ['DTSTART;VALUE=DATE:00010203', 'DUE;VALUE=DATE:20241332'],
      '- Starts: 0001-02-03\n- Due: 20241332\n',
    ],
    ['durations', ['DURATION:P1DT1H30M'], '- Lasts: 1 days 1 h 30 min\n'],
    ['durations back in time', ['DURATION:-PT1H'], '- Lasts: -1 h\n'],
    [
      'people',
      ['ORGANIZER;CN="L, Ada":mailto:ada@e.org', 'ATTENDEE;PARTSTAT=NEEDS-ACTION:MAILTO:b@e.org'],
      '- Organizer: L, Ada (ada@e.org)\n- Attendee: b@e.org, needs action\n',
    ],
    [
      'rules',
      ['RRULE:FREQ=WEEKLY;BYDAY=MO;UNTIL=20241231T000000Z', 'EXDATE:20240308,20240315'],
      '- Repeats: FREQ=WEEKLY; BYDAY=MO; UNTIL=2024-12-31 00:00 UTC\n- Except on: 2024-03-08, 2024-03-15\n',
    ],
    ['places', ['LOCATION:Room 1\\; *left*'], '- Location: Room 1; \\*left\\*\n'],
    [
      'a description',
      ['DESCRIPTION:Agenda:\\n- one\\N# two \\, <b>', ' x'],
      '\nDescription:\n\nAgenda:\n- one\n\\# two , \\<b>x\n',
    ],
    [
      'a description in HTML, if it has no other',
      ['X-ALT-DESC;FMTTYPE=text/html:<p>Hello <b>you</b></p>'],
      '\nHello **you**\n',
    ],
    [
      'no alarm and nothing for programs',
      ['UID:1', 'X-MOZ-GENERATION:2', 'BEGIN:VALARM', 'DESCRIPTION:x', 'END:VALARM', 'STATUS:CONFIRMED'],
      '- Status: CONFIRMED\n',
    ],
  ])('shows %s', async (_, lines, shown) =>
    expect(await readAs('calendar', event(...lines))).toEqual({
      markdown: `# S\n\n${shown}\n`,
      title: 'S',
      warnings: [],
    }),
  );

  it('has its name, and a heading for each entry', async () => {
    const all = calendar(
      'X-WR-CALNAME:Team',
      'BEGIN:VTIMEZONE',
      'TZID:x',
      'END:VTIMEZONE',
      ...['BEGIN:VEVENT', 'SUMMARY:A\\, *b*', 'ATTACH;ENCODING=BASE64;VALUE=BINARY:xx', 'END:VEVENT'],
      ...['BEGIN:VTODO', 'DUE:20240401T120000', 'END:VTODO'],
      ...['BEGIN:VJOURNAL', 'DESCRIPTION:Dear', 'END:VJOURNAL'],
    );
    expect(await readAs('calendar', all)).toEqual({
      markdown:
        '## A, \\*b\\*\n\n\n## Task\n\n- Due: 2024-04-01 12:00\n\n## Journal\n\n\nDescription:\n\nDear\n\n',
      title: 'Team',
      warnings: [expect.stringMatching(/^An attached file was left out/)],
    });
  });

  it('that is none is text, with a warning', async () => {
    expect(await readAs('calendar', 'hello')).toEqual({
      markdown: '```text\nhello\n```\n',
      warnings: [expect.stringMatching(/no calendar/)],
    });
  });
});

it.each([
  ['cards', 'a.vcf', 'BEGIN:VCARD\r\nFN:A\r\nNICKNAME:'],
  ['calendar', 'a.ics', 'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nLOCATION:'],
] as const)('lines of %s may be folded within a character', async (kind, name, begin) => {
  const word = 'Größe 😀';
  const bytes = [...Buffer.from(word)].flatMap((byte) => [byte, 13, 10, 32]);
  const file = new Uint8Array(Buffer.concat([Buffer.from(begin), Buffer.from(bytes)]));
  const { markdown, warnings } = await readAs(kind, file, name);
  expect(markdown).toContain(word);
  expect(warnings).toEqual([]);
});
