import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromiumPath, launchBrowser } from '../tests/support/browser';
import { documentProgram } from '../tests/support/document-program';
import { nodeReader } from '../tests/support/document-readers';
import { agreement, fScore, wordsOf } from './documents-words';
import { ms, randomFrom, table, textOf, Timings } from './support';

const WORDS_PER_PAGE = 350;
const ROUNDS = 3;

/** Has Chromium print so many files of so many pages; null when there is no Chromium. */
export async function makePdfs(folder: string, count: number, pages: number): Promise<string[] | null> {
  if (chromiumPath === null) return null;
  const browser = await launchBrowser();
  try {
    const paths: string[] = [];
    for (let n = 0; n < count; n += 1) {
      const random = randomFrom(100 + n);
      const sections = Array.from({ length: pages }, (_, at) => {
        const paragraphs = textOf(WORDS_PER_PAGE, random).split('\n\n');
        return `<section><h2>Chapter ${at + 1} of ${n}</h2>${paragraphs.map((text) => `<p>${text}</p>`).join('')}<ul><li>first ${at}</li><li>second</li></ul></section>`;
      });
      const page = await browser.newPage();
      await page.setContent(
        `<!doctype html><html lang="en"><title>Report ${n}</title><style>section{break-after:page}body{font:11pt serif}</style>${sections.join('')}</html>`,
      );
      const path = join(folder, `report-${n}.pdf`);
      await writeFile(path, await page.pdf({ format: 'A4', margin: { top: '20mm', left: '20mm' } }));
      await page.close();
      paths.push(path);
    }
    return paths;
  } finally {
    await browser.close();
  }
}

/** Reads the text of each file as the server does, and with pdftotext where that is installed. */
export async function benchPdfText(pdfs: readonly string[], pages: number): Promise<void> {
  console.log(
    `## Text of PDF files: ${pdfs.length} of ${pages} pages of about ${WORDS_PER_PAGE} words, printed by Chromium\n\n` +
      'Similarity: of the words of both texts, in lower case and with how often each comes, the share that they have in common.\n',
  );
  const version = /pdftotext version (\S+)/.exec(
    spawnSync('pdftotext', ['-v'], { encoding: 'utf8' }).stderr ?? '',
  )?.[1];
  // The build puts the program of the thread into the server; here it is made for the run.
  Reflect.set(globalThis, 'DOCUMENT_PROGRAM', documentProgram());
  const reader = nodeReader();
  const [ours, theirs] = [new Timings(), new Timings()];
  const likeness = new Timings();
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const path of pdfs) {
      const bytes = new Uint8Array(await readFile(path));
      const { markdown } = await ours.time(() => reader.read({ name: 'report.pdf', bytes }));
      if (version === undefined) continue;
      const text = await theirs.time(async () => {
        const { stdout, status } = spawnSync('pdftotext', ['-enc', 'UTF-8', path, '-'], {
          encoding: 'utf8',
          maxBuffer: 64 * 1024 * 1024,
        });
        if (status !== 0) throw new Error(`pdftotext ended with ${status}`);
        return stdout;
      });
      likeness.add(fScore(agreement(wordsOf(markdown), wordsOf(text))));
    }
  }
  reader.close();
  const row = (name: string, timings: Timings) => [
    name,
    ms(timings.quantile(0.5)),
    ((1000 * pages) / timings.quantile(0.5)).toFixed(0),
    (timings.quantile(0.5) / theirs.quantile(0.5)).toFixed(2),
  ];
  if (version === undefined)
    console.log('pdftotext is not installed (poppler-utils), so nothing is compared.\n');
  const peers = version === undefined ? [] : [row(`pdftotext ${version}, with its process`, theirs)];
  table(
    ['reader', 'a file, p50', 'pages per second', 'time to pdftotext'],
    [...peers, row('ours, with its thread', ours)],
  );
  if (version !== undefined)
    console.log(
      `Similarity of the texts: ${likeness.quantile(0.5).toFixed(4)}, lowest ${likeness.quantile(0).toFixed(4)}.\n`,
    );
}
