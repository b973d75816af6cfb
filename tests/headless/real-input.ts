import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import type { ConverterTurn } from '../support/scripted-converter';
import { likeMarkitdown } from '../support/scripted-converter';
import { hostileMarkdown } from '../support/hostile-markdown';
import { pageOf, pdfWithPages } from '../support/made-pdf';

/** What is to become of a file that is put into the inbox. */
type Fate =
  /** Pages that a search for this word finds. */
  | { readonly becomes: 'page'; readonly word: string; readonly page?: number }
  | { readonly becomes: 'quarantine'; readonly code: string; readonly message: RegExp }
  /** It is no business of the service, or cannot be read by it. */
  | { readonly becomes: 'nothing' };

export interface RealFile {
  /** Below the inbox. */
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly fate: Fate;
}

const FIXTURES = 'tests/fixtures/documents';
const fixture = (name: string) => new Uint8Array(readFileSync(`${FIXTURES}/${name}`));
const encoded = (text: string) => new TextEncoder().encode(text);

/** Words that stand nowhere else, one for each number. */
function wordOf(n: number): string {
  const syllables = ['bra', 'dul', 'fep', 'gim', 'jov', 'kur', 'lem', 'nax', 'piv', 'zod'];
  return `qu${String(n + 100)
    .split('')
    .map((digit) => syllables[Number(digit)])
    .join('')}`;
}

let words = 0;
function text(name: string, make: (word: string) => string | Uint8Array): RealFile {
  const word = wordOf(words++);
  const made = make(word);
  const bytes = typeof made === 'string' ? encoded(made) : made;
  return { name, bytes, fate: { becomes: 'page', word } };
}

function known(name: string, word: string, page?: number): RealFile {
  return {
    name,
    bytes: fixture(name),
    fate: { becomes: 'page', word, ...(page !== undefined && { page }) },
  };
}

function fails(name: string, bytes: Uint8Array, code: string, message: RegExp): RealFile {
  return { name, bytes, fate: { becomes: 'quarantine', code, message } };
}

function stays(name: string, bytes = encoded('Nobody reads this.\n')): RealFile {
  return { name, bytes, fate: { becomes: 'nothing' } };
}

function utf16(text: string, isBig: boolean): Uint8Array {
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
  return new Uint8Array(isBig ? bytes.swap16() : bytes);
}

/** Texts in which everything is tried that a page must not do, each beginning with its own word. */
function hostileNotes(): RealFile[] {
  const bodies = fc.sample(fc.array(hostileMarkdown, { minLength: 20, maxLength: 20 }), {
    numRuns: 8,
    seed: 5,
  });
  return bodies.map((parts, n) =>
    // A lone half of a character cannot stand in a file.
    text(`hostile-${n}.md`, (word) => `# ${word}\n\n${parts.join('\n\n').replace(/\p{Cs}/gu, '?')}\n`),
  );
}

const HANDBOOK = ['Chapter one tells of buckets.', 'Chapter two tells of spades.', 'Chapter three ends.'];

const PDFS: readonly RealFile[] = [
  known('report-chromium.pdf', 'Bramley', 1),
  known('tea-libreoffice.pdf', '龙井茶', 1),
  known('no-fonts.pdf', '日本語', 1),
  {
    name: 'papers/handbook.pdf',
    bytes: pdfWithPages(HANDBOOK.map((line) => pageOf([line]))),
    fate: { becomes: 'page', word: 'spades', page: 1 },
  },
  fails('scanned.pdf', fixture('scanned.pdf'), 'no_text', /scanned/),
  fails('locked.pdf', fixture('locked.pdf'), 'unsupported_type', /password/),
  fails('cut.pdf', fixture('report-chromium.pdf').slice(0, 900), 'unsupported_type', /damaged/),
  fails('renamed.pdf', encoded('This is no PDF at all.\n'), 'unsupported_type', /damaged/),
];

/** What the converter makes of the documents that it can read, by their name in the fixtures. */
const CONVERTED: Readonly<Record<string, string>> = {
  'minutes.docx': '# Minutes of the garden club\n\nThe fence is painted in May. Größe und Straße: 東京.\n',
  'costs.xlsx': '## Sheet1\n| Item | Month | Cost |\n| --- | --- | --- |\n| Mangold | March | 12.5 |\n',
  'slides.pptx':
    '<!-- Slide number: 1 -->\n# Garden plan\n\n![](https://example.org/track.png)\nNothing follows peppermint.\n',
  'scan.jpg': '# Description\nA page that was scanned upside down.\n',
};

/** A converter like markitdown-mcp, with a model that sees pictures; it knows the documents by their bytes. */
export const convertFixtures: ConverterTurn = (asked) => {
  const bytes = asked.file?.bytes;
  if (bytes === undefined) return likeMarkitdown;
  for (const [name, markdown] of Object.entries(CONVERTED)) {
    if (bytes.equals(readFileSync(`${FIXTURES}/${name}`))) {
      return { text: markdown, as: name.endsWith('pptx') ? 'sse' : 'json' };
    }
  }
  if (bytes.includes('broken')) {
    return { toolError: 'Error executing tool convert_to_markdown: File is not a zip file' };
  }
  return { text: '' };
};

const OFFICE: readonly RealFile[] = [
  known('minutes.docx', 'garden'),
  known('costs.xlsx', 'Mangold'),
  known('slides.pptx', 'peppermint'),
  { ...known('scan.jpg', 'upside'), name: 'pictures/scan.jpg' },
  // The converter knows it by its bytes, and these are no others.
  fails('scan.png', fixture('scan.png'), 'converter_error', /no text in it.*OCR/),
  fails('broken.docx', encoded('broken'), 'converter_error', /not a zip file/),
];

const TABLES_AND_DATA: readonly RealFile[] = [
  known('costs.csv', 'Hose'),
  known('trees.tsv', 'Trees'),
  text('semicolons.csv', (word) => `Größe;Maß;Wort\n1,5;"a ""b""";${word}\n`),
  text(
    'long.csv',
    (word) => `n,word\n${Array.from({ length: 500 }, (_, n) => `${n},${word}-${n}`).join('\n')}\n`,
  ),
  known('orchard.json', 'orchard'),
  text('nested.json', (word) => JSON.stringify({ a: [{ b: { c: ['<script>', word, { d: null }] } }] })),
  text('broken.json', (word) => `{"word": "${word}", `),
  known('picked.jsonl', 'picked'),
  known('pump.ipynb', 'IndexError'),
  known('chats.json', 'impeller'),
  known('people.vcf', 'Wells'),
  known('orchard.ics', 'gloves'),
  text('events.jsonl', (word) =>
    Array.from({ length: 50 }, (_, n) => JSON.stringify({ n, word })).join('\n'),
  ),
];

const MAIL_AND_MARKUP: readonly RealFile[] = [
  known('mail.eml', 'nineteen'),
  text(
    'plain.eml',
    (word) =>
      `From: a@example.org\r\nSubject: =?utf-8?B?${Buffer.from(`天気 ${word}`).toString('base64')}?=\r\n\r\nSee <script>x</script> you.\r\n`,
  ),
  known('report.html', 'beekeepers'),
  known('gate.xhtml', 'dusk'),
  text(
    'hostile.html',
    (word) =>
      `<!doctype html><title>T</title><p>${word}</p><script>steal()</script><iframe src="https://evil.example"></iframe>` +
      `<img src="https://evil.example/pixel"><a href="javascript:x()">click</a><p>&lt;script&gt;alert(1)&lt;/script&gt; <%tp.x%></p>`,
  ),
  text(
    'umlauts.htm',
    (word) =>
      new Uint8Array(Buffer.from(`<meta charset="iso-8859-1"><h1>Größe</h1><p>${word} Maß</p>`, 'latin1')),
  ),
  known('notes.org', 'secateurs'),
  known('manual.rst', 'loam'),
  known('pump.log', 'pressure'),
  text('long.log', (word) =>
    Array.from({ length: 3000 }, (_, n) => `2026-11-20T10:00:00Z info ${word} ${n} [[x]] <b>`).join('\n'),
  ),
];

const PLAIN: readonly RealFile[] = [
  known('water.txt', 'Water'),
  // The same bytes under another name are the same source.
  { ...known('water.txt', 'Water'), name: 'again/water (copy).txt' },
  // The same words in other bytes are another source of the same page.
  {
    ...known('water.txt', 'Water'),
    name: 'again/water.md',
    bytes: encoded('Water the **young** trees on\nMondays.'),
  },
  text('emoji 🌱.txt', (word) => `Seedlings 🌱 and ${word} 👩‍🌾.\n`),
  text('zero-width.txt', (word) => `Hid\u200bden \u202eand turned, ${word}.\n`),
  text('little-endian.txt', (word) => utf16(`Größe 東京 ${word}\r\nzweite Zeile\r\n`, false)),
  text('big-endian.txt', (word) => utf16(`東京 ${word}\n`, true)),
  text('windows.txt', (word) => `\ufeffOne ${word}\r\n\r\nTwo\r\n`),
  text('one-line.txt', (word) => `${word} ${'lorem ipsum dolor '.repeat(25_000)}`),
  text('Größe & Maß.txt', (word) => `Straße, Übergröße und ${word}.\n`),
  text('東京の天気.txt', (word) => `今日の天気は晴れです。${word}\n`),
  text(`e\u0301te\u0301.text`, (word) => `Un mot ${word} en été.\n`),
  text('names [of] #1 | things^.txt'.replace('|', '-'), (word) => `A name full of marks, ${word}.\n`),
  text(`${'very-long-name-'.repeat(15)}.txt`, (word) => `${word}\n`),
  text('a/b/c/deep.txt', (word) => `Far down, ${word}.\n`),
  text('a/b/deep.txt', (word) => `Less far down, ${word}.\n`),
  text('latin1.txt', (word) => new Uint8Array(Buffer.from(`Größe und Maß, ${word}.\n`, 'latin1'))),
  fails('zeros.txt', encoded('a\0b'), 'unsupported_type', /no text in an encoding/),
  fails('blank.txt', encoded(' \n\n\t\n'), 'no_text', /has no text/),
];

const MARKDOWN: readonly RealFile[] = [
  known('ladder.md', 'ladder'),
  text(
    'clipped.md',
    (word) =>
      `---\ntitle: "Clipped: a page"\nsource: https://example.org/a?utm_source=x\nauthor:\n  - "[[Ada]]"\ncreated: 2026-11-01\ntags: [clippings, deep/er]\n---\n${word} from the web.\n`,
  ),
  text(
    'liar.md',
    (word) =>
      `---\nwing: homelab\nhall: facts\norigin: obsidian\nwritten_by: human:owner\ncreated_at: 1999-01-01\npromoted_at: 1999-01-01\nsource_hash: ${'0'.repeat(64)}\nsources: ["[[wiki/x|y]]"]\n---\n# Liar\n\n${word}\n`,
  ),
  text('script-block.md', (word) => `---js\n{ x: process.exit(1) }\n---\n${word}\n`),
  text('broken-block.md', (word) => `---\n: [\n  - a: }\n---\n# Broken\n\n${word}\n`),
  text('unclosed.md', (word) => `---\ntitle: never closed\n\n${word}\n`),
  text('Übersicht.markdown', (word) => `# Übersicht\n\nÄpfel und ${word}.\n\n- [ ] tun\n- [x] getan\n`),
  text('日本語.md', (word) => `# 日本語のメモ\n\n緑茶と紅茶。${word}\n`),
  text(
    'active.md',
    (word) =>
      `# Active ${word}\n\n<script>x</script>\n<iframe src="https://evil.example"></iframe>\n![p](https://evil.example/p.png)\n[j](javascript:x)\n\n\`\`\`dataviewjs\ndv.x\n\`\`\`\n\n<% tp.file.x %>\n\n![[https://evil.example/x.png]]\n`,
  ),
  text(
    'links.md',
    (word) => `${word} [[Nowhere]] and [[Ladder]] and ![[no such.png]] [t](../../etc/passwd)\n`,
  ),
  text(
    'structure.md',
    (word) =>
      `# A\n\n${'> '.repeat(40)}${word}\n\n${'  '.repeat(20)}- ${word}\n\n| a | b |\n|---|---|\n| ${word} | 2 |\n`,
  ),
];

const LEFT: readonly RealFile[] = [
  stays('film.mp4'),
  stays('LICENSE'),
  stays('archive.zip'),
  stays('empty.txt', new Uint8Array()),
  stays('download.pdf.part'),
  stays('~$minutes.docx'),
  stays('.hidden.md'),
  stays('notes.sync-conflict-20261120-101010-ABCDEFG.md'),
];

/** Everything that is put into the inbox. */
export const REAL_FILES: readonly RealFile[] = [
  ...PDFS,
  ...OFFICE,
  ...TABLES_AND_DATA,
  ...MAIL_AND_MARKUP,
  ...PLAIN,
  ...MARKDOWN,
  ...hostileNotes(),
  ...LEFT,
];
