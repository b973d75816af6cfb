import { benchAnswering } from './ingest-answering';
import { benchMarkdown } from './ingest-markdown';
import { benchPdfText, makePdfs } from './ingest-pdf';
import { withFolder } from './support';

/** Pages of a PDF file. */
const PAGES = 300;
/** Such files: text is read of all, and each is ingested while the server answers. */
const PDFS = 3;

/**
 * What ingesting costs: Markdown files against their bare file operations, PDF text against pdftotext, and others who ask
 * meanwhile.
 */
export async function benchIngest(files: number, notes: number): Promise<void> {
  await benchMarkdown(files);
  await withFolder(async (folder) => {
    const pdfs = await makePdfs(folder, PDFS, PAGES);
    if (pdfs === null) {
      console.log('PDF files: skipped, because there is no Chromium to make them. Set CHROMIUM_PATH.\n');
      return;
    }
    await benchPdfText(pdfs, PAGES);
    await benchAnswering(pdfs, PAGES, notes);
  });
}
