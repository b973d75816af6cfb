import { bodySize, Hyphens, linesOf, type PageLine, pageText, sensibleTitle } from './pdf-lines';
import { BrainError } from '../../core/base/errors';
import type { PageStart } from '../../core/documents/ports';
import { CUT_WARNING, MAX_TEXT, within } from './markup';
import { openPdf, type PdfDocument, type TextRun } from './pdf-open';
import type { Job, ReadCharacterMap, ReadText } from './protocol';

/** The number of pages that are read. */
const MAX_PAGES = 2000;

/**
 * Converts a PDF file to Markdown, in the order of the file: paragraphs, headings by the size of their letters, and the
 * start of each page.
 * @throws BrainError `unsupported_type` when it is damaged or needs a password, `no_text` when no page has text
 */
export async function readPdf(job: Job, characterMaps: ReadCharacterMap): Promise<ReadText> {
  const document = await openPdf(job.name, job.bytes, characterMaps);
  const { pages, isCut, damaged } = await pagesOf(document);
  const warnings: string[] = [];
  if (document.pageCount > MAX_PAGES)
    warnings.push(`The document has ${document.pageCount} pages, of which the first ${MAX_PAGES} were read.`);
  if (document.lacksCharacters())
    warnings.push(
      'Some text of the document is written in a way that needs tables of characters, which this program does not have here, and is missing. The server outside Obsidian has them.',
    );
  if (damaged.length > 0) warnings.push(`${pagesNamed(damaged)} could not be read whole.`);
  const empty = pages.flatMap(({ lines }, at) => (lines.length === 0 ? [at + 1] : []));
  if (empty.length === pages.length) throw noText(job.name, pages.length);
  if (empty.length > 0)
    warnings.push(
      `${pagesNamed(empty)} ${empty.length === 1 ? 'has' : 'have'} no text; it may be a picture.`,
    );
  const laidOut = layOut(pages);
  if (isCut || laidOut.isCut) warnings.push(CUT_WARNING);
  const title = sensibleTitle(document.title, job.name, laidOut.firstHeading, {
    author: document.author,
    firstLines: (pages[0]?.lines ?? []).map(({ text }) => text),
  });
  return { markdown: laidOut.markdown, pages: laidOut.starts, ...(title !== null && { title }), warnings };
}

interface Page {
  readonly lines: readonly PageLine[];
}

async function pagesOf(
  document: PdfDocument,
): Promise<{ pages: readonly Page[]; isCut: boolean; damaged: readonly number[] }> {
  const pages: Page[] = [];
  const damaged: number[] = [];
  const last = Math.min(document.pageCount, MAX_PAGES);
  let room = MAX_TEXT;
  for (let page = 0; page < last && room > 0; page += 1) {
    const runs: TextRun[] = [];
    try {
      await document.runs(page, (run) => {
        runs.push(run);
        // Runs without text count as well: there may be millions.
        room -= run.text.length + 1;
        return room > 0;
      });
    } catch {
      damaged.push(page + 1); // The text before the damage is kept.
    }
    pages.push({ lines: linesOf(runs) });
  }
  return { pages, isCut: room <= 0, damaged };
}

function layOut(pages: readonly Page[]): {
  markdown: string;
  starts: PageStart[];
  firstHeading: string | null;
  isCut: boolean;
} {
  const body = bodySize(pages.flatMap(({ lines }) => lines));
  const hyphens = new Hyphens(pages.flatMap(({ lines }) => lines.map(({ text }) => text)));
  const starts: PageStart[] = [];
  let firstHeading: string | null = null;
  let markdown = '';
  for (const [at, { lines }] of pages.entries()) {
    const text = pageText(lines, body, hyphens);
    if (markdown !== '' && text !== '') markdown += '\n\n';
    starts.push({ page: at + 1, from: markdown.length });
    markdown += text;
    firstHeading ??= at === 0 ? (/^#+ (.+)$/m.exec(text)?.[1] ?? null) : null;
  }
  const taken = within(`${markdown}\n`);
  return {
    markdown: taken,
    starts: starts.filter(({ from }, at) => at === 0 || from < taken.length),
    firstHeading,
    isCut: taken.length <= markdown.length,
  };
}

function pagesNamed(pages: readonly number[]): string {
  const named = pages.slice(0, 10).join(', ');
  if (pages.length === 1) return `Page ${named}`;
  return `Pages ${named}${pages.length > 10 ? ` and ${pages.length - 10} more` : ''}`;
}

function noText(name: string, pages: number): BrainError {
  return new BrainError(
    'no_text',
    `${name} has ${pages === 1 ? 'one page' : `${pages} pages`} and no text, so it is likely scanned. Run it through a program that recognises text (OCR), and ingest the result.`,
  );
}
