import { performance } from 'node:perf_hooks';
import { pageOf, pdfWithPages } from '../tests/support/made-pdf';
import { nodeReader } from '../tests/support/document-readers';
import { readDocument } from '../src/adapters/document-program/program';
import { formatOf } from '../src/core/documents/formats';
import { ms, randomFrom, table, textOf } from './support';

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
