import { BrainError } from '../../core/base/errors';
import type { PageStart } from '../../core/documents/ports';
import { CUT_WARNING, MAX_TEXT, within } from './markup';
import { type Part, partsOf } from './pdf-layout';
import { withoutMargins } from './pdf-margins';
import { openPdf, type PageFault, type PdfDocument } from './pdf-open';
import type { TextRun } from './pdf-run';
import { rowsOf, rowText, withVerticalLines } from './pdf-rows';
import { type Block, blocksOf, bodySize, contextOf, continued } from './pdf-text';
import { sensibleTitle } from './pdf-title';
import type { Job, ReadCharacterMap, ReadText } from './protocol';

/** The number of pages that are read. */
const MAX_PAGES = 2000;
/** After this many pages one after the other that the file does not have, the rest is not asked for. */
const MAX_MISSING = 50;

/**
 * Converts a PDF file to Markdown, in the order of reading: paragraphs, headings by the size of their letters, lists, code,
 * tables, values of form fields and notes, and the start of each page. Headers and footers are left out.
 * @throws BrainError `unsupported_type` when it is damaged or needs a password, `no_text` when no page has text
 */
export async function readPdf(job: Job, characterMaps: ReadCharacterMap): Promise<ReadText> {
  const document = await openPdf(job.name, job.bytes, characterMaps);
  const read = await pagesOf(document);
  if (read.pages.every((page) => page.length === 0)) throw await refusalOf(document, read, job.name);
  const upright = read.pages.map((page) => page.map(rowsOf));
  const size = bodySize(upright.flat(2).flatMap(({ pieces }) => pieces));
  const { pages: mains, removed } = withoutMargins(
    upright.map(([main = []]) => main),
    size,
  );
  const parts = upright.map(([, ...turned], at) => [
    ...partsOf(mains[at] ?? []),
    ...turned.flatMap((rows) => partsOf(rows)),
  ]);
  const laidOut = layOut(parts);
  const title = sensibleTitle(document.title, job.name, laidOut.firstHeading, {
    author: document.author,
    firstLines: (upright[0] ?? []).flatMap((rows) => rows.map(rowText)),
  });
  return {
    markdown: laidOut.markdown,
    pages: laidOut.starts,
    ...(title !== null && { title }),
    warnings: [
      ...warningsOf(document, read),
      ...(removed.length > 0 ? [marginsNamed(removed)] : []),
      ...(read.isCut || laidOut.isCut ? [CUT_WARNING] : []),
    ],
  };
}

interface ReadPages {
  /** The runs of each page, by their direction of writing; that of most of the text first. */
  readonly pages: readonly (readonly (readonly TextRun[])[])[];
  readonly faults: ReadonlyMap<number, PageFault>;
  readonly isCut: boolean;
}

async function pagesOf(document: PdfDocument): Promise<ReadPages> {
  const pages: (readonly TextRun[])[][] = [];
  const faults = new Map<number, PageFault>();
  const last = Math.min(document.pageCount, MAX_PAGES);
  let room = MAX_TEXT;
  let missing = 0;
  for (let page = 0; page < last && room > 0 && missing < MAX_MISSING; page += 1) {
    const runs: TextRun[] = [];
    const fault = await document.runs(page, (run) => {
      runs.push(run);
      // Runs without text count as well: there may be millions.
      room -= run.text.length + 1;
      return room > 0;
    });
    if (fault !== null) faults.set(page + 1, fault);
    missing = fault === 'missing' ? missing + 1 : 0;
    pages.push(byDirection(runs));
  }
  return { pages, isCut: room <= 0, faults };
}

function byDirection(runs: readonly TextRun[]): (readonly TextRun[])[] {
  const turns = new Map<number, { runs: TextRun[]; length: number }>();
  for (const run of withVerticalLines(runs)) {
    const length = run.text.trim().length;
    const own = turns.get(run.turn ?? 0);
    if (own === undefined) turns.set(run.turn ?? 0, { runs: [run], length });
    else {
      own.runs.push(run);
      own.length += length;
    }
  }
  return [...turns.values()]
    .filter(({ length }) => length > 0)
    .sort((a, b) => b.length - a.length)
    .map((turn) => turn.runs);
}

function warningsOf(document: PdfDocument, { pages, faults }: ReadPages): string[] {
  const warnings: string[] = [];
  if (document.pageCount > MAX_PAGES)
    warnings.push(`The document has ${document.pageCount} pages, of which the first ${MAX_PAGES} were read.`);
  if (document.lacksCharacters())
    warnings.push(
      'Some text of the document is written in a way that needs tables of characters, which this program does not have here, and is missing. The server outside Obsidian has them.',
    );
  const of = (kind: PageFault) => [...faults].flatMap(([page, fault]) => (fault === kind ? [page] : []));
  const why = {
    missing: 'could not be read: the file names more pages than it has, or they are damaged.',
    damaged: 'could not be read whole: a part of the file is damaged. Compare with the original.',
    large: 'could not be read whole: a part of the file unpacks to more than 256 MiB.',
  };
  for (const kind of ['missing', 'damaged', 'large'] as const) {
    const named = of(kind);
    if (named.length > 0) warnings.push(`${pagesNamed(named)} ${why[kind]}`);
  }
  const empty = pages.flatMap((page, at) => (page.length === 0 && !faults.has(at + 1) ? [at + 1] : []));
  if (empty.length > 0)
    warnings.push(
      `${pagesNamed(empty)} ${empty.length === 1 ? 'has' : 'have'} no text; it may be a picture.`,
    );
  return warnings;
}

function marginsNamed(removed: readonly string[]): string {
  const texts = removed.filter((text) => text !== '#').map((text) => `"${within(text, 100)}"`);
  const named = [...texts.slice(0, 5), ...(texts.length > 5 ? [`${texts.length - 5} more`] : [])];
  if (texts.length < removed.length) named.push('page numbers');
  return `Lines that pages repeat at their top or bottom were left out: ${named.join(', ')}.`;
}

function layOut(pages: readonly (readonly Part[])[]): {
  markdown: string;
  starts: PageStart[];
  firstHeading: string | null;
  isCut: boolean;
} {
  const context = contextOf(pages.flat());
  const starts: PageStart[] = [];
  const taken: Block[] = [];
  const gaps: string[] = [];
  let firstHeading: string | null = null;
  let size = 0;
  let column: Part | undefined;
  for (const [at, parts] of pages.entries()) {
    let isStarted = false;
    for (const part of parts)
      for (const [place, block] of blocksOf(part, context).entries()) {
        if (at === 0) firstHeading ??= block.heading ?? null;
        const isFlow = place === 0 && (!isStarted || (isColumn(column) && isColumn(part)));
        column = part;
        const before = isStarted ? taken.length - 1 : aboveNotes(taken, block);
        const last = taken[before];
        const joined = last === undefined ? null : continued(last, block, context.hyphens, isFlow);
        let from = size;
        if (last !== undefined && joined !== null) {
          taken[before] = joined;
          size += joined.text.length - last.text.length;
          const after = taken.slice(before + 1).map(({ text }, n) => (gaps[before + 1 + n] ?? '') + text);
          from = size - after.join('').length - block.text.length;
        } else {
          const gap = taken.length === 0 ? '' : isListed(taken.at(-1), block) ? '\n' : '\n\n';
          taken.push(block);
          gaps.push(gap);
          size += gap.length + block.text.length;
          from = size - block.text.length;
        }
        if (!isStarted) starts.push({ page: at + 1, from });
        isStarted = true;
      }
    if (!isStarted) starts.push({ page: at + 1, from: size });
  }
  const markdown = taken.map(({ text }, at) => (gaps[at] ?? '') + text).join('');
  const cut = within(`${markdown}\n`);
  return {
    markdown: cut,
    starts: starts.filter(({ from }, at) => at === 0 || from < cut.length),
    firstHeading,
    isCut: cut.length <= markdown.length,
  };
}

function isListed(before: Block | undefined, block: Block): boolean {
  return before?.kind === 'item' && block.kind === 'item';
}

function isColumn(part: Part | undefined): boolean {
  return part !== undefined && 'lines' in part && part.isColumn;
}

/** The blocks at the end of a page that may be notes below its text. */
const MAX_NOTES = 10;

/** Returns the place of the block that a page may go on with: the last one, or that above the notes at the foot of the page before. */
function aboveNotes(taken: readonly Block[], { size }: Block): number {
  let at = taken.length - 1;
  while (at > 0 && taken.length - at <= MAX_NOTES && (taken[at]?.size ?? size) < 0.95 * size) at -= 1;
  return Math.abs((taken[at]?.size ?? 0) - size) > 0.1 * size ? taken.length - 1 : at;
}

function pagesNamed(pages: readonly number[]): string {
  const named = pages.slice(0, 10).join(', ');
  if (pages.length === 1) return `Page ${named}`;
  return `Pages ${named}${pages.length > 10 ? ` and ${pages.length - 10} more` : ''}`;
}

/** Says why a document has no text. */
async function refusalOf(
  document: PdfDocument,
  { pages, faults }: ReadPages,
  name: string,
): Promise<BrainError> {
  const found = new Set(faults.values());
  if (found.has('large'))
    return new BrainError(
      'too_large',
      `${name} has a part that unpacks to more than 256 MiB, and no text besides. Save its text by itself and ingest that.`,
    );
  if (found.size > 0 || !(await document.isPage(0)))
    return new BrainError(
      'unsupported_type',
      `${name} is damaged, and none of its pages can be read. Open it in a viewer, save it again, and ingest that.`,
    );
  return new BrainError(
    'no_text',
    `${name} has ${pages.length === 1 ? 'one page' : `${pages.length} pages`} and no text, so it is likely scanned. Run it through a program that recognises text (OCR), and ingest the result.`,
  );
}
