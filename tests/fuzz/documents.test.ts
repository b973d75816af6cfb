import { readdirSync, readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { MAX_TEXT } from '../../src/adapters/document-program/markup';
import { BrainError } from '../../src/core/base/errors';
import { formatOf, type NativeKind } from '../../src/core/documents/formats';
import { nodeReader } from '../support/document-readers';
import { cpuMs } from '../support/cpu';
import { FACTOR, fuzz } from './fuzz';
import { mutated, mutatedBytes, repeated } from './mutations';
import { readAs } from '../support/read-document';

const FOLDER = 'tests/fixtures/documents';
const REFUSALS = ['unsupported_type', 'no_text', 'too_large'];
/** Small documents take milliseconds; this says only that reading ends. */
const LIMIT_MS = 5000;

interface Sample {
  readonly name: string;
  readonly kind: NativeKind;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

const samples = readdirSync(FOLDER).flatMap((name): Sample[] => {
  const format = formatOf(name);
  if (format === null || !('native' in format) || name === 'README.md') return [];
  return [{ name, kind: format.native, bytes: new Uint8Array(readFileSync(`${FOLDER}/${name}`)) }];
});
const texts = samples.filter(({ kind }) => kind !== 'pdf');
const pdfs = samples.filter(({ kind, bytes }) => kind === 'pdf' && bytes.length < 40_000);

const PIECES: Readonly<Partial<Record<NativeKind, readonly string[]>>> = {
  html: [
    '<',
    '>',
    '</',
    '<!--',
    '-->',
    '<table>',
    '<tr>',
    '<td>',
    '<pre>',
    '<script>',
    '</script>',
    '<![CDATA[',
    '&',
    '&#x0;',
    '&amp',
    '<li>',
    '<a href="javascript:x">',
    '<img src=//x>',
    '<template>',
    '<svg>',
    '<meta charset="utf-16">',
    '"',
    "'",
    '\0',
    '<p>',
    '<h1>',
    '<title>',
  ],
  mail: [
    'From: ',
    'Subject: =?utf-8?B?',
    '?=',
    '\r\n',
    '\n\n',
    'Content-Type: multipart/mixed; boundary=""',
    '--',
    '--b--',
    'Content-Transfer-Encoding: base64',
    'quoted-printable',
    '=\n',
    '=3D',
    '=ZZ',
    'charset=utf-16',
    'Content-Disposition: attachment; filename="../x"',
    ';',
    ' ',
  ],
  json: [
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '\\',
    '\\u',
    '\\ud800',
    'null',
    '1e999',
    '-',
    '{"__proto__":',
    '0x',
    'NaN',
    '/*',
    "'",
  ],
  notebook: [
    '{"cells":[',
    '"worksheets":[{',
    '"cell_type":"code"',
    '"outputs":[',
    '"text/html":"<table>"',
    '"image/png"',
    '![a](attachment:b)',
    '```',
    '"source":[',
    ']',
    '}',
    '"',
    ',',
    '\\r',
    '\\u001b[',
  ],
  cards: [
    'BEGIN:VCARD\n',
    'END:VCARD\n',
    'VERSION:2.1\n',
    'N:',
    'FN:',
    ';ENCODING=QUOTED-PRINTABLE',
    ';CHARSET=x',
    '=\n',
    '=C3',
    '\n ',
    ';',
    ':',
    '"',
    ',',
    '\\',
    'item1.',
    'X-ABLabel:',
  ],
  calendar: [
    'BEGIN:VEVENT\n',
    'END:VEVENT\n',
    'BEGIN:VALARM\n',
    'END:',
    'DTSTART:',
    'DTEND;VALUE=DATE:00000000',
    'T999999Z',
    'RRULE:UNTIL=',
    'ATTENDEE;CN="',
    ';',
    ':',
    '"',
    '\\n',
    '\n ',
    'X-ALT-DESC:<p>',
  ],
  log: ['{"', '\\u00fc', '":', '{', '}', '[', ']', '"', '\\', ',', '1'],
  table: [
    ',',
    'sep=;\n',
    '# ',
    '\n\n',
    '"',
    '""',
    ';',
    '\t',
    '\n',
    '\r',
    '|',
    '=cmd()',
    '\0',
    '\uFEFF',
    '"\n',
  ],
  org: [
    '*',
    '* ',
    '#+begin_src',
    '#+end_src',
    '#+TITLE:',
    '[[',
    '][',
    ']]',
    '|',
    '|-',
    ':PROPERTIES:',
    ':END:',
    '=',
    '~',
    '/',
    '<2026-01-01>',
    '%%',
    '#+INCLUDE: /etc/passwd',
  ],
  rst: [
    '.. ',
    '::',
    '`',
    '``',
    '`_',
    '__',
    '===',
    '---',
    '.. include:: /etc/passwd',
    '.. image:: http://x',
    '|',
    '+--',
    ':ref:`',
    '*',
    '**',
    '\\',
    '    ',
  ],
  markdown: ['---\n', '```', '<', '[', '](', '`', '<%', '#', '|', '\r', '\0'],
};
const common = ['\n', ' ', '\uFEFF', '\u2028', '\ud800', 'x', '\0', '<', '`', '---\n', '<%', '[[', '\u202e'];

async function read(kind: NativeKind, name: string, bytes: Uint8Array): Promise<string | null> {
  const start = cpuMs();
  try {
    const { markdown, title, warnings } = await readAs(kind, bytes, name);
    expect(markdown.trim()).not.toBe('');
    expect(markdown.length).toBeLessThanOrEqual(MAX_TEXT);
    expect(markdown).not.toContain('\0');
    expect([
      typeof title === 'string' || title === undefined,
      warnings.every((each) => typeof each === 'string'),
    ]).toEqual([true, true]);
    return markdown;
  } catch (error) {
    // What is nested too deep for the stack; the thread tells it as too large.
    if (error instanceof RangeError) return null;
    if (!(error instanceof BrainError)) throw error;
    expect(REFUSALS).toContain(error.code);
    return null;
  } finally {
    expect(cpuMs() - start).toBeLessThan(LIMIT_MS);
  }
}

describe.each(texts)('a document like $name', ({ kind, name, bytes }) => {
  const pieces = [...(PIECES[kind] ?? []), ...common];
  const text = Buffer.from(bytes).toString('utf8');

  fuzz(
    'with other text in it is read or refused',
    60,
    fc.asyncProperty(mutated(fc.constant(text), pieces, 10), async (changed) => {
      await read(kind, name, Buffer.from(changed));
    }),
  );

  fuzz(
    'with other bytes in it is read or refused',
    40,
    fc.asyncProperty(fc.oneof(mutatedBytes([bytes]), fc.uint8Array({ maxLength: 300 })), async (changed) => {
      await read(kind, name, changed);
    }),
  );

  fuzz(
    'that says one thing over and over is read or refused soon',
    4,
    fc.asyncProperty(repeated(pieces, 100_000), async (long) => {
      await read(kind, name, Buffer.from(long));
    }),
  );
});

fuzz(
  'a page of HTML brings no element along that runs or fetches',
  150,
  fc.asyncProperty(
    mutated(
      fc.constantFrom(
        '<h1>T</h1><p>a <b onclick=x>b</b> <a href="javascript:x">c</a></p>',
        '<p>x<script>alert(1)</script><iframe src=//x></iframe></p>',
      ),
      PIECES.html ?? [],
      6,
    ),
    async (html) => {
      const markdown = await read('html', 'page.html', Buffer.from(html));
      if (markdown === null) return;
      // What is left of tags is text with its brackets escaped, or code.
      const prose = markdown.replace(/```[^]*?(?:```|$)|`[^`]*`|\\[^]/g, '');
      expect(prose).not.toMatch(/<(?:script|iframe|img|svg|object|b onclick)/i);
    },
  ),
);

it(
  'PDF files with other bytes in them are read or refused, each in a thread that ends',
  async () => {
    const reader = nodeReader();
    try {
      const changed = fc.oneof(
        mutatedBytes(
          pdfs.map(({ bytes }) => bytes),
          20,
        ),
        fc
          .uint8Array({ maxLength: 200 })
          .map((bytes) => new Uint8Array(Buffer.concat([Buffer.from('%PDF-1.7\n'), bytes]))),
      );
      const property = fc.asyncProperty(changed, async (bytes) => {
        const outcome = await reader
          .read({ name: 'changed.pdf', bytes: new Uint8Array(bytes) })
          .catch((error: unknown) => error);
        if (outcome instanceof BrainError) expect(REFUSALS).toContain(outcome.code);
        else expect(outcome).toMatchObject({ markdown: expect.any(String) });
      });
      await fc.assert(property, { numRuns: Math.max(1, Math.round(10 * FACTOR)) });
    } finally {
      reader.close();
    }
  },
  240_000 * Math.max(1, FACTOR),
);
