import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { performance } from 'node:perf_hooks';
import { documentProgram } from '../tests/support/document-program';
import { nodeReader } from '../tests/support/document-readers';
import { BrainError } from '../src/core/base/errors';
import { peerFile, peerVersion, requirePeer, ms, randomFrom, table, textOf } from './support';
import { pageOf, pdfWithPages } from '../tests/support/made-pdf';
import { readDocument } from '../src/adapters/document-program/program';
import { formatOf } from '../src/core/documents/formats';

/** A reader of documents; `read` resolves with Markdown or plain text, or null when it refuses the file. */
export interface BenchReader {
  readonly name: string;
  read(path: string): Promise<string | null>;
  /** Reads the file in another order, where the program has a choice of two. */
  readonly readOtherwise?: (path: string) => Promise<string | null>;
}

/** Our reader with its thread, as the server has it. `refusals` holds the code for each file that it refused. */
export interface OwnReader extends BenchReader {
  readonly refusals: ReadonlyMap<string, string>;
  close(): void;
}

export function ownReader(): OwnReader {
  // The build puts the program of the thread into the server; here it is made for the run.
  Reflect.set(globalThis, 'DOCUMENT_PROGRAM', documentProgram());
  const reader = nodeReader();
  const refusals = new Map<string, string>();
  return {
    name: 'ours, with its thread',
    refusals,
    async read(path) {
      try {
        const bytes = new Uint8Array(readFileSync(path));
        return (await reader.read({ name: basename(path), bytes })).markdown;
      } catch (error) {
        if (!(error instanceof BrainError)) throw error;
        refusals.set(path, error.code);
        return null;
      }
    },
    close: () => reader.close(),
  };
}

/** The members of the peers that the bench uses. */
interface Readability {
  Readability: new (document: unknown) => { parse(): { content?: string | null } | null };
}
interface Turndown {
  new (options: object): { turndown(html: string): string };
}
interface Jsdom {
  JSDOM: new (html: string, options: object) => { window: { document: unknown; close(): void } };
  VirtualConsole: new () => object;
}
interface Linkedom {
  parseHTML(html: string): { document: unknown };
}
interface Defuddle {
  Defuddle(document: unknown, url: string | undefined, options: object): Promise<{ content: string }>;
}

const TURNDOWN = { headingStyle: 'atx', codeBlockStyle: 'fenced' };

/** The readers of HTML in `bench/peers` that are installed. */
export function htmlPeers(addressOf: (path: string) => string | undefined): BenchReader[] {
  const readability = peerVersion('@mozilla/readability');
  const defuddle = peerVersion('defuddle');
  return [
    ...(readability === undefined ? [] : [readabilityReader(readability, addressOf)]),
    ...(defuddle === undefined ? [] : [defuddleReader(defuddle, addressOf)]),
  ];
}

function readabilityReader(version: string, addressOf: (path: string) => string | undefined): BenchReader {
  const { Readability }: Readability = requirePeer('@mozilla/readability');
  const { JSDOM, VirtualConsole }: Jsdom = requirePeer('jsdom');
  const TurndownService: Turndown = requirePeer('turndown');
  const service = new TurndownService(TURNDOWN);
  // It drops what jsdom says about style sheets.
  const virtualConsole = new VirtualConsole();
  return {
    name: `readability ${version} on jsdom, with turndown`,
    async read(path) {
      const url = addressOf(path);
      const { window } = new JSDOM(readFileSync(path, 'utf8'), {
        virtualConsole,
        ...(url !== undefined && { url }),
      });
      try {
        const article = new Readability(window.document).parse();
        return typeof article?.content === 'string' ? service.turndown(article.content) : null;
      } finally {
        window.close();
      }
    },
  };
}

function defuddleReader(version: string, addressOf: (path: string) => string | undefined): BenchReader {
  const { Defuddle }: Defuddle = requirePeer(peerFile('defuddle', 'dist/node.js'));
  const { parseHTML }: Linkedom = requirePeer('linkedom');
  return {
    name: `defuddle ${version} on linkedom`,
    async read(path) {
      const { document } = parseHTML(readFileSync(path, 'utf8'));
      // Without `useAsync: false` it asks services of the network about pages that it cannot read.
      const { content } = await Defuddle(document, addressOf(path), { markdown: true, useAsync: false });
      return content;
    },
  };
}

/** pdftotext, with its process; null where it is not installed. */
export function pdftotext(): BenchReader | null {
  const version = /pdftotext version (\S+)/.exec(
    spawnSync('pdftotext', ['-v'], { encoding: 'utf8' }).stderr ?? '',
  )?.[1];
  if (version === undefined) return null;
  return {
    name: `pdftotext ${version}, with its process`,
    read: async (path) => outputOf('pdftotext', ['-enc', 'UTF-8', path, '-']),
    readOtherwise: async (path) => outputOf('pdftotext', ['-layout', '-enc', 'UTF-8', path, '-']),
  };
}

/**
 * pandoc with plain output, with its process; null where it is not installed. It opens no other file. The numbers are removed that
 * it gives to items and to deep headings.
 */
export function pandoc(from: string): BenchReader | null {
  const version = /pandoc (\S+)/.exec(
    spawnSync('pandoc', ['--version'], { encoding: 'utf8' }).stdout ?? '',
  )?.[1];
  if (version === undefined) return null;
  return {
    name: `pandoc ${version}, with its process`,
    async read(path) {
      const text = outputOf('pandoc', ['--sandbox', '--from', from, '--to', 'plain', '--wrap=none', path]);
      return text === null ? null : withoutRepeatedNotes(text.replace(/^\s*\d+\.\s{2}/gm, ''));
    },
  };
}

/** Removes copies of footnotes: pandoc prints one for each reference, with a number of its own. */
function withoutRepeatedNotes(text: string): string {
  const seen = new Set<string>();
  const parts = text.split(/^(?=\[\d+\] )/m).filter((part) => {
    const note = part.replace(/^\[\d+\] /, '').trim();
    if (note === part.trim() || !seen.has(note)) {
      seen.add(note);
      return true;
    }
    return false;
  });
  return parts.join('');
}

function outputOf(program: string, args: readonly string[]): string | null {
  const { status, stdout } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 });
  return status === 0 ? stdout : null;
}

/** The sizes of the texts (characters), each ten times the one before. */
const SIZES = [10_000, 100_000, 1_000_000] as const;
/** A text is read this often, and the shortest time counts. */
const ROUNDS = 5;
const LINES_PER_PAGE = 40;

/** Writes paragraphs as a file, by its extension. */
const WRITERS: Readonly<Record<string, (paragraphs: readonly string[]) => string | Uint8Array>> = {
  md: (paragraphs) => paragraphs.join('\n\n'),
  txt: (paragraphs) => paragraphs.map((text, at) => (at % 4 === 0 ? `- ${text}` : text)).join('\n\n'),
  log: (paragraphs) => paragraphs.join('\n'),
  html: (paragraphs) =>
    `<!doctype html><title>Report</title><body>${paragraphs
      .map((text, at) =>
        at % 4 === 0
          ? `<h2>Part ${at}</h2><ul><li>${text}<li><a href="/${at}">link</a></ul>`
          : `<p>${text} <b>end</b></p>`,
      )
      .join('')}`,
  csv: (paragraphs) => paragraphs.map((text) => text.split(/\s+/).slice(0, 20).join(',')).join('\n'),
  json: (paragraphs) => JSON.stringify(paragraphs.map((text, at) => ({ at, text }))),
  jsonl: (paragraphs) => paragraphs.map((text, at) => JSON.stringify({ at, text })).join('\n'),
  eml: (paragraphs) =>
    `From: a@example.org\nTo: b@example.org\nSubject: Report\nContent-Type: text/plain; charset=utf-8\n\n${paragraphs.join('\n\n')}`,
  org: (paragraphs) =>
    paragraphs.map((text, at) => (at % 4 === 0 ? `* Part ${at}\n- ${text}` : text)).join('\n\n'),
  rst: (paragraphs) =>
    paragraphs.map((text, at) => (at % 4 === 0 ? `Part ${at}\n==========\n\n- ${text}` : text)).join('\n\n'),
  ipynb: (paragraphs) =>
    JSON.stringify({
      ...{ nbformat: 4, nbformat_minor: 5, metadata: {} },
      cells: paragraphs.map((text) => ({ cell_type: 'code', metadata: {}, source: [text], outputs: [] })),
    }),
  vcf: (paragraphs) =>
    paragraphs
      .map((text, at) => `BEGIN:VCARD\nVERSION:4.0\nFN:Person ${at}\nNOTE:${text}\nEND:VCARD\n`)
      .join(''),
  ics: (paragraphs) =>
    `BEGIN:VCALENDAR\nVERSION:2.0\n${paragraphs
      .map(
        (text, at) =>
          `BEGIN:VEVENT\nUID:${at}\nDTSTART:20260302T090000Z\nSUMMARY:Part ${at}\nDESCRIPTION:${text}\nEND:VEVENT\n`,
      )
      .join('')}END:VCALENDAR\n`,
  pdf: (paragraphs) => {
    const lines = paragraphs.flatMap((text) => [...(text.match(/.{1,85}(?:\s|$)/g) ?? []), '']);
    const pages: string[] = [];
    for (let at = 0; at < lines.length; at += LINES_PER_PAGE)
      pages.push(pageOf(lines.slice(at, at + LINES_PER_PAGE)));
    return pdfWithPages(pages);
  },
};

function paragraphsOf(size: number): string[] {
  // A word has seven characters on average.
  const text = textOf(Math.ceil(size / 5), randomFrom(7)).slice(0, size);
  return text.split('\n\n').map((paragraph) => paragraph.trim());
}

/**
 * Prints the time that each reader takes for a text of 10 KB, 100 KB and 1 MB, and the exponent by which it grows: 1 is linear, 2
 * is quadratic. Only PDF files take a thread, so that the time is that of the reader.
 */
export async function benchGrowth(): Promise<void> {
  console.log(
    '## Growth: generated text in each format\n\nThe shortest of five times, PDF with the start of its thread. Exponent: the time grows by the size to the power of it, over each step of ten and over both.\n',
  );
  const reader = nodeReader();
  const read = async (name: string, bytes: Uint8Array<ArrayBuffer>) => {
    const format = formatOf(name);
    // pdf.js is in the program of the thread alone.
    if (name.endsWith('.pdf') || format === null || !('native' in format)) await reader.read({ name, bytes });
    else await readDocument({ kind: format.native, name, bytes }, async () => null);
  };
  const rows: string[][] = [];
  try {
    for (const [extension, write] of Object.entries(WRITERS)) {
      const times: number[] = [];
      for (const size of SIZES) {
        const written = write(paragraphsOf(size));
        const bytes =
          typeof written === 'string' ? new TextEncoder().encode(written) : new Uint8Array(written);
        let least = Infinity;
        // The first round warms up.
        for (let round = 0; round <= ROUNDS; round += 1) {
          const start = performance.now();
          await read(`report.${extension}`, bytes);
          if (round > 0) least = Math.min(least, performance.now() - start);
        }
        times.push(least);
      }
      const [small = 0, middle = 0, large = 0] = times;
      const exponents = [middle / small, large / middle].map((ratio) => Math.log10(ratio));
      const whole = exponents.reduce((sum, each) => sum + each, 0) / exponents.length;
      rows.push([extension, ...times.map(ms), ...[...exponents, whole].map((each) => each.toFixed(2))]);
    }
  } finally {
    reader.close();
  }
  table(['format', '10 KB', '100 KB', '1 MB', 'to 100 KB', 'to 1 MB', 'exponent of both'], rows);
}
