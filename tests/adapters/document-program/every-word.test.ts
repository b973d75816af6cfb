/**
 * One property of all readers of documents: each word of a source is in the text that the search reads, written as it is there,
 * and the search finds it. FORMATS has a row for each way to write words into a file, and FIXTURES one for each file of
 * `tests/fixtures/documents` that has text. A new reader adds a row to both.
 */
import * as fc from 'fast-check';
import { readFileSync } from 'node:fs';
import type { OpenDocumentReader } from '../../../src/adapters/documents/reader';
import { formatOf } from '../../../src/core/documents/formats';
import { Analyser } from '../../../src/core/fulltext/terms';
import { queryNotes } from '../../../src/core/search/query';
import { nodeReader } from '../../support/document-readers';
import { pageOf, pdfWithPages } from '../../support/made-pdf';
import { ODD_TEXTS, ODD_TOKENS, shownText } from '../../support/odd-texts';
import { openTestBrain } from '../../support/test-brain';
import { readAs } from '../../support/read-document';

jest.setTimeout(60_000);

interface Format {
  /** Says what the words are in, after the extension of the file. */
  readonly as: string;
  readonly extension: string;
  /** Writes lines as a file. */
  readonly write: (lines: readonly string[]) => string | Uint8Array<ArrayBuffer>;
  /** Returns a word as its reader shows it; as it is by default. */
  readonly shown?: (word: string) => string;
  /** Returns what of a line the format holds; all of it by default. */
  readonly held?: (line: string) => string;
  /** True for a format that takes a thread of its own for each file, so that few are read. */
  readonly isSlow?: boolean;
}

const inHtml = (text: string) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
const html = (lines: readonly string[], before: string, after: string) =>
  `<!doctype html><body><h1>Words</h1>${lines.map((line) => before + inHtml(line) + after).join('')}`;
/** The gate parts the beginning of a template in code, which template plugins would run there too. */
const inCode = (word: string) => word.replace(/<%/g, '<\\%');
/** A string of JSON keeps the escapes of quotes and backslashes. */
const inJson = (word: string) => inCode(word.replace(/["\\]/g, '\\$&'));
/** Marks of lists, which readers write anew. */
const withoutMarks = (line: string) =>
  line.replace(/^(?:\s*(?:[-*+]|\d+[.)])(?=\s|$))+/, ' ').replace(/^\s*\[[ xX]\](?=\s)/, ' ');

const mail = (type: string, body: string) =>
  `From: a@example.org\r\nTo: b@example.org\r\nSubject: Words\r\nMIME-Version: 1.0\r\nContent-Type: ${type}; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n${body}\r\n`;
const notebook = (cell: object) =>
  JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells: [cell] });
/** Escapes a value of a card or a calendar. */
const inCard = (text: string) => text.replace(/[\\,;]/g, '\\$&');

/** Returns a time of subtitles, twenty seconds later for each line. */
const timeOf = (at: number) =>
  new Date(at * 20_000).toISOString().slice('1970-01-01T'.length, -'.000Z'.length);

const FORMATS: readonly Format[] = [
  { as: 'lines', extension: 'txt', write: (lines) => lines.join('\n'), held: withoutMarks },
  { as: 'lines', extension: 'log', write: (lines) => lines.join('\n'), shown: inCode },
  {
    as: 'values',
    extension: 'csv',
    write: (lines) => ['name,value', ...lines.map((line) => `a,"${line.replace(/"/g, '""')}"`)].join('\n'),
  },
  { as: 'a string', extension: 'json', write: (lines) => JSON.stringify({ lines }), shown: inJson },
  {
    as: 'strings',
    extension: 'jsonl',
    write: (lines) => lines.map((line) => JSON.stringify({ line })).join('\n'),
    shown: inJson,
  },
  { as: 'paragraphs', extension: 'html', write: (lines) => html(lines, '<p>', '</p>') },
  { as: 'lines of a paragraph', extension: 'html', write: (lines) => html(lines, '', '<br>') },
  { as: 'items', extension: 'html', write: (lines) => html(lines, '<ul><li>', '</li></ul>') },
  { as: 'headings', extension: 'html', write: (lines) => html(lines, '<h2>', '</h2><p>x</p>') },
  {
    as: 'links',
    extension: 'html',
    write: (lines) => html(lines, '<p>x! [<a href="https://e.org">', '</a>]</p>'),
  },
  {
    as: 'letters of many kinds',
    extension: 'html',
    write: (lines) => html(lines, '<p><b>x</b> <i>', '</i> y</p>'),
  },
  {
    as: 'cells',
    extension: 'html',
    write: (lines) =>
      `<table><tr><th>a<th>b${lines.map((line) => `<tr><td>x<td>${inHtml(line)}`).join('')}</table>`,
  },
  { as: 'code', extension: 'html', write: (lines) => html(lines, '<pre>', '</pre>'), shown: inCode },
  {
    as: 'paragraphs',
    extension: 'xhtml',
    write: (lines) =>
      `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body>${lines.map((line) => `<p>${inHtml(line)}</p>`).join('<br/>')}</body></html>`,
  },
  {
    as: 'plain text',
    extension: 'eml',
    write: (lines) => mail('text/plain', lines.join('\r\n')),
    held: (line) => withoutMarks(line.replace(/^(?:>(?!From ) ?)+/, '')),
  },
  { as: 'HTML', extension: 'eml', write: (lines) => mail('text/html', html(lines, '<p>', '</p>')) },
  {
    as: 'code',
    extension: 'ipynb',
    write: (lines) =>
      notebook({ cell_type: 'code', metadata: {}, source: lines.map((line) => `${line}\n`), outputs: [] }),
    shown: inCode,
  },
  {
    as: 'output',
    extension: 'ipynb',
    write: (lines) => {
      const outputs = [{ output_type: 'stream', name: 'stdout', text: lines.map((line) => `${line}\n`) }];
      return notebook({ cell_type: 'code', metadata: {}, source: ['run()'], outputs });
    },
    shown: inCode,
  },
  {
    as: 'notes',
    extension: 'vcf',
    write: (lines) =>
      lines
        .map((line) => `BEGIN:VCARD\r\nVERSION:4.0\r\nFN:Ada\r\nNOTE:${inCard(line)}\r\nEND:VCARD\r\n`)
        .join(''),
    held: withoutMarks,
  },
  {
    as: 'descriptions',
    extension: 'ics',
    write: (lines) => {
      const events = lines.map(
        (line, at) =>
          `BEGIN:VEVENT\r\nUID:${at}\r\nDTSTART:20260302T090000Z\r\nSUMMARY:Words\r\nDESCRIPTION:${inCard(line)}\r\nEND:VEVENT\r\n`,
      );
      return `BEGIN:VCALENDAR\r\nVERSION:2.0\r\n${events.join('')}END:VCALENDAR\r\n`;
    },
    held: withoutMarks,
  },
  {
    as: 'what is said',
    extension: 'vtt',
    write: (lines) =>
      `WEBVTT\n\n${lines.map((line, at) => `${timeOf(at)}.000 --> ${timeOf(at)}.500\n${inHtml(line)}`).join('\n\n')}\n`,
  },
  {
    as: 'what is said',
    extension: 'srt',
    write: (lines) =>
      lines.map((line, at) => `${at}\n${timeOf(at)},000 --> ${timeOf(at)},500\n${inHtml(line)}\n\n`).join(''),
  },
  { as: 'lines', extension: 'yaml', write: (lines) => lines.join('\n'), shown: inCode },
  {
    as: 'lines of a page',
    extension: 'pdf',
    write: (lines) => {
      const pages: Buffer[] = [];
      for (let at = 0; at < lines.length; at += 40) {
        const shown = lines.slice(at, at + 40).map((line) => line.replace(/\s+/g, ' '));
        pages.push(Buffer.from(pageOf(shown), 'latin1'));
      }
      return pdfWithPages(pages);
    },
    held: withoutMarks,
    isSlow: true,
  },
];

let threads: OpenDocumentReader;
beforeAll(() => (threads = nodeReader()));
afterAll(() => threads.close());

async function read(extension: string, content: string | Uint8Array<ArrayBuffer>): Promise<string> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const name = `made.${extension}`;
  const format = formatOf(name);
  if (format === null || !('native' in format)) throw new Error(`${name} is not read here`);
  // pdf.js is in the program of the thread alone.
  if (extension === 'pdf') return (await threads.read({ name, bytes })).markdown;
  return (await readAs(format.native, bytes, name)).markdown;
}

const analyser = new Analyser();

/** Returns the words that the text does not show as they are written, and the terms that the search does not find in it. */
function lost(lines: readonly string[], markdown: string, shown = (word: string) => word): string[] {
  const text = shownText(markdown);
  const words = lines.flatMap((line) => line.split(/\s+/)).filter((word) => word !== '');
  const found = new Set(analyser.all(text));
  return [
    ...words.filter((word) => !text.includes(shown(word))),
    ...lines.flatMap((line) => analyser.all(line)).filter((term) => !found.has(term)),
  ];
}

const linesOf = (text: string) => text.split('\n').filter((line) => line.trim() !== '');

describe.each(FORMATS)('words in $extension as $as', (format) => {
  const { extension, write, shown, held = (line) => line, isSlow = false } = format;
  const lostOf = async (text: string) => {
    const lines = linesOf(text);
    return lost(lines.map(held), await read(extension, write(lines)), shown);
  };

  it('are shown and found where they look like markup', async () => {
    const all = isSlow ? [ODD_TEXTS.join('\n')] : ODD_TEXTS;
    const found = await Promise.all(all.map(async (text) => ({ text, lost: await lostOf(text) })));
    expect(found.filter(({ lost: words }) => words.length > 0)).toEqual([]);
  });

  it('are shown and found, whatever they are', async () => {
    const composed = fc
      .array(fc.constantFrom(...ODD_TOKENS), { maxLength: 24 })
      .map((all) => `words ${all.join('')}`);
    await fc.assert(
      fc.asyncProperty(composed, async (text) => expect(await lostOf(text)).toEqual([])),
      { numRuns: isSlow ? 6 : 60 },
    );
  });

  it('are found by a query, whose excerpt shows them', async () => {
    const { run, close } = await openTestBrain({
      'knowledge/made.md': await read(extension, write(ODD_TEXTS.flatMap(linesOf))),
    });
    const words = ODD_TEXTS.flatMap((text) => held(text).match(/[\p{L}\p{N}]{3,}/gu) ?? []);
    for (const word of new Set(words)) {
      const { results } = await run(queryNotes, { query: word });
      expect({ word, excerpts: results.map(({ excerpt }) => excerpt) }).toEqual({
        word,
        excerpts: [expect.stringMatching(new RegExp(word, 'i'))],
      });
    }
    await close();
  });
});

/** Returns the text of HTML without tags and entities. */
const textOfHtml = (page: string) =>
  page
    .replace(/^[^]*<body>/, '')
    .replace(/<[^>]*>/g, '\n')
    .replace(/&amp;/g, '&');
const source = (name: string) => readFileSync(`tests/fixtures/documents/${name}`, 'utf8');
const withoutColours = (text: string) => text.replace(/\p{Cc}\[\d*m/gu, '');

/** The words of each fixture, by what its author wrote. */
const FIXTURES: readonly (readonly [name: string, text: () => string])[] = [
  ['water.txt', () => source('water.txt')],
  ['ladder.md', () => source('ladder.md').replace(/[#*_`>[\]()|-]/g, ' ')],
  ['pump.log', () => withoutColours(source('pump.log'))],
  ['costs.csv', () => source('costs.csv').replace(/[",]/g, ' ')],
  ['trees.tsv', () => source('trees.tsv')],
  ['orchard.json', () => source('orchard.json').replace(/[{}[\]:,]/g, ' ')],
  ['picked.jsonl', () => source('picked.jsonl')],
  ['report.html', () => textOfHtml(source('report.html'))],
  ['gate.xhtml', () => textOfHtml(source('gate.xhtml').replace(/<!\[CDATA\[|\]\]>/g, ''))],
  [
    'pump.ipynb',
    () => 'Pump log Flow of the west pump, see flow = [12.5, 13.0] print("mean", sum(flow) / 2) mean 12.75',
  ],
  [
    'people.vcf',
    () =>
      'Ada Brook Orchard Ltd Cider 7946 Wells BA5 Knows the *west* pump. Call before noon, please or write. Müller Jörg 0170 1234567 Fährt gern nach Köln',
  ],
  [
    'orchard.ics',
    () =>
      'Pruning, first rows West gate; by the pump Bring: saws *gloves* Call Ada if it rains. Order crates',
  ],
  ['chats.json', () => 'A pump that hums\nWhy does my pump hum?\nMaybe air.'],
  ['mail.eml', () => 'Dear Brook,\nthe trees came on Monday – all nineteen.\nDid the ladder come too?\nYes.'],
  ['report-chromium.pdf', () => textOfHtml(source('report.html'))],
];

it.each(FIXTURES)('no word of %s is lost', async (name, text) => {
  const bytes = new Uint8Array(readFileSync(`tests/fixtures/documents/${name}`));
  expect(lost(linesOf(text()), await read(name.replace(/^.*\./, ''), bytes))).toEqual([]);
});
