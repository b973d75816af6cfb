import { readCalendar } from '../../../src/adapters/document-program/calendar';
import { readCards } from '../../../src/adapters/document-program/cards';
import { readChats } from '../../../src/adapters/document-program/chats';
import { closed } from '../../../src/adapters/document-program/closed';
import { withReadableJson } from '../../../src/adapters/document-program/json';
import { readNotebook } from '../../../src/adapters/document-program/notebook';
import { readOrg } from '../../../src/adapters/document-program/org';
import { readRst } from '../../../src/adapters/document-program/rst';
import { readYaml } from '../../../src/adapters/document-program/plain';
import { readTable } from '../../../src/adapters/document-program/table';
import { readTalk } from '../../../src/adapters/document-program/talk';
import { asHtml } from '../../../src/adapters/document-program/xhtml';
import { cpuMs } from '../../support/cpu';

describe('the time to read grows with the text', () => {
  const chat = (text: string) => ({ chat_messages: [{ sender: 'human', text }], uuid: '' });
  const notebook = (source: string) => JSON.stringify({ cells: [{ cell_type: 'markdown', source }] });
  /** Returns a card with many different names. */
  const namesOf = (size: number) => {
    const names = Array.from({ length: size / 10 }, (_, at) => `w${at}`).join(' ');
    return `BEGIN:VCARD\nFN:${names}\nN:${names}\nEND:VCARD`;
  };
  it.each<[string, string, (text: string) => unknown]>([
    ['JSON that breaks off', '{"a":{"b":[', withReadableJson],
    ['JSON with strings that break off', '{"\\u00fc {', withReadableJson],
    ['JSON in JSON', '{"a":1} {"b":{"c":"\\u00fc"}}, ', withReadableJson],
    ['strings of escapes', '\\u00fc', (text) => withReadableJson(`{"a":"${text}"}`)],
    ['runs of backticks', '` `` ', closed],
    ['marks of comments', '%% $$ ', closed],
    ['code in lists', '- ```\n  a\n', closed],
    ['pictures without an end', '![a](attachment:', (text) => readNotebook(notebook(text))],
    ['brackets of pictures', '![', (text) => readNotebook(notebook(text))],
    ['HTML pictures without an end', '<img src ', (text) => readNotebook(notebook(text))],
    ['a long heading', '[a](', (text) => readNotebook(notebook(`# ${text}`))],
    [
      'carriage returns',
      'a\r',
      (text) =>
        readNotebook(
          JSON.stringify({ cells: [{ cell_type: 'code', outputs: [{ output_type: 'stream', text }] }] }),
        ),
    ],
    ['labels', '[a][1] [1\n\n[1]: x\n', (text) => readChats(JSON.stringify([chat('[1]: y'), chat(text)]))],
    ['messages', '```\n# a\n', (text) => readChats(JSON.stringify([chat(text), chat(text)]))],
    ['tags', '<a "/', (text) => asHtml(text, 'a.xhtml')],
    ['character data', '<![CDATA[a', (text) => asHtml(text, 'a.xhtml')],
    ['parameters', ';A="b"', (text) => readCards(`BEGIN:VCARD\nTEL${text}:1\nEND:VCARD`)],
    ['parameters without an end', ';A="', (text) => readCards(`BEGIN:VCARD\nTEL${text}\nEND:VCARD`)],
    ['tags in talk', '<v.a.b <i <0', (text) => readTalk(`WEBVTT\n\n00:00.000 --> 00:01.000\n${text}`)],
    ['a voice without an end', '<v ', (text) => readTalk(`WEBVTT\n\n00:00.000 --> 00:01.000\n<v ${text}`)],
    ['classes of a voice', '.a', (text) => readTalk(`WEBVTT\n\n00:00.000 --> 00:01.000\n<v${text}`)],
    ['spaces in talk', ' ', (text) => readTalk(`00:00:00,000 --> 00:00:01,000${text}a\n<v${text}b`)],
    ['times alone', '00:00:01,000 --> 00:00:02,000\n1\n', readTalk],
    ['a title of YAML', "'\\ # ", (text) => readYaml(`title: "${text}`)],
    ['cards', 'BEGIN:VCARD\nN:a;b\nEND:VCARD\n', readCards],
    ['folded lines', '\n a', (text) => readCards(`BEGIN:VCARD\nNOTE:${text}\nEND:VCARD`)],
    ['soft breaks', '=41=\n', (text) => readCards(`BEGIN:VCARD\nNOTE;QUOTED-PRINTABLE:${text}\nEND:VCARD`)],
    [
      'entries within entries',
      'BEGIN:VEVENT\nSUMMARY:a\n',
      (text) => readCalendar(`BEGIN:VCALENDAR\n${text}`),
    ],
    [
      'entries that end otherwise',
      'BEGIN:X\n',
      (text) => readCalendar(`BEGIN:VCALENDAR\n${text}${text.replace(/BEGIN:X/g, 'END:Y')}`),
    ],
    ['digits of a duration', '1', (text) => readCalendar(`BEGIN:VEVENT\nDURATION:${text}`)],
    ['sources of HTML pictures', ' src=data:', (text) => readNotebook(notebook(`<img ${text}`))],
    ['bars without an end', '|a ', (text) => readRst(`${text}b|`)],
    ['places one after another', '.. _a:\n', (text) => readRst(`${text}\nb`)],
    ['code in one line', '=a= ', readOrg],
    ['dates', '20240101,', (text) => readCalendar(`BEGIN:VCALENDAR\nBEGIN:VEVENT\nEXDATE:${text}`)],
    ['lines above a table', 'a\n\nb,c\n\n', (text) => readTable(`${text}a,b,c\n1,2,3`, 'a.csv')],
    ['quotation marks behind blanks', ', "a', (text) => readTable(text, 'a.csv')],
    ['doubled quotation marks', ', ""', (text) => readTable(text, 'a.csv')],
    ['blanks in a table', '  ', (text) => readTable(`a,${text}"`, 'a.csv')],
    ['quotation marks', '"a;', (text) => readTable(text, 'a.csv')],
    ['long names', 'a', (text) => readCards(namesOf(text.length))],
  ])('of %s', (_, piece, read) => {
    const time = (size: number) => {
      const text = piece.repeat(Math.ceil(size / piece.length));
      const start = cpuMs();
      read(text);
      return cpuMs() - start;
    };
    time(10_000);
    const small = Math.min(time(100_000), time(100_000));
    expect(small).toBeLessThan(5_000);
    const large = Math.min(time(1_000_000), time(1_000_000));
    // Ten times the text takes a hundred times as long where time is its square.
    expect(large).toBeLessThan(50 * small + 500);
  });
});
