import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { describeInBrowser } from '../support/browser';
import { documentProgram } from '../support/document-program';
import { fixture, nodeReader } from '../support/document-readers';
import { pageOf, pdfWithPages } from '../support/made-pdf';

interface Outcome {
  readonly text?: {
    readonly markdown: string;
    readonly title?: string;
    readonly warnings: readonly string[];
  };
  readonly error?: { readonly code: string; readonly message: string };
  readonly block: number;
  readonly ms: number;
}

const words = (count: number, seed: number) =>
  Array.from(
    { length: count },
    (_, at) => ['tree', 'ladder', 'autumn', 'of', 'fruit', 'water'][(at * 7 + seed * 5) % 6],
  );
const MADE: Readonly<Record<string, () => Uint8Array>> = {
  // Read in a quarter of the time that a document has: a busy machine must not fail the test.
  'book.pdf': () =>
    pdfWithPages(
      Array.from({ length: 80 }, (_, page) =>
        pageOf(Array.from({ length: 45 }, (_, line) => words(14, page + line).join(' '))),
      ),
    ),
  'many.pdf': () => pdfWithPages([`BT /F 9 Tf ${'1 0 0 1 50 700 Tm (x) Tj '.repeat(3_000_000)} ET`]),
  'asks.html': () =>
    new TextEncoder().encode(
      '<base href="/x/"><img src="/files/beacon"><link rel=stylesheet href="/files/beacon"><p>text',
    ),
};

describeInBrowser('reading documents in a window', (browser) => {
  let server: Server;
  let page: Page;
  const asked: string[] = [];
  const complaints: string[] = [];

  beforeAll(async () => {
    const { outputFiles } = await build({
      entryPoints: ['tests/browser/documents-entry.ts'],
      bundle: true,
      format: 'iife',
      write: false,
      define: { DOCUMENT_PROGRAM: JSON.stringify(documentProgram()) },
    });
    const script = outputFiles[0]?.text ?? '';
    server = createServer((req, res) => {
      const url = req.url ?? '';
      asked.push(url);
      if (url === '/')
        res.setHeader('content-type', 'text/html').end('<!doctype html><script src="/script.js"></script>');
      else if (url === '/script.js') res.setHeader('content-type', 'text/javascript').end(script);
      else if (url.startsWith('/files/')) {
        const name = url.replace('/files/', '');
        res.end(MADE[name]?.() ?? fixture(name).bytes);
      } else res.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo; // Only a pipe's address is text.
    page = await browser().newPage();
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(`http://127.0.0.1:${port}/`);
  });
  afterAll(async () => {
    await page.close();
    await new Promise((resolve) => server.close(resolve));
  });

  const read = (name: string): Promise<Outcome> =>
    page.evaluate(
      (file) => (window as unknown as { read(name: string): Promise<Outcome> }).read(file), // The entry puts it there.
      name,
    );

  it.each([
    'report-chromium.pdf',
    'tea-libreoffice.pdf',
    'report.html',
    'mail.eml',
    'costs.csv',
    'notes.org',
  ])('reads %s as the server does', async (name) => {
    const reader = nodeReader();
    expect((await read(name)).text).toEqual(await reader.read(fixture(name)));
    reader.close();
  });

  it('refuses as the server does', async () => {
    expect((await read('locked.pdf')).error).toMatchObject({ code: 'unsupported_type' });
    expect((await read('scanned.pdf')).error).toMatchObject({ code: 'no_text' });
    const { text } = await read('no-fonts.pdf');
    expect(text?.warnings).toEqual([expect.stringMatching(/tables of characters/)]);
  });

  it('keeps the window alive while it reads a book', async () => {
    const { text, block, ms } = await read('book.pdf');
    expect(text?.markdown.length).toBeGreaterThan(200_000);
    console.log(
      `80 pages in ${Math.round(ms)} ms, the window stood still for ${Math.round(block)} ms at most`,
    );
    expect(block).toBeLessThan(Math.max(500, ms / 2));
  });

  it('gives up what takes too long, and leaves no worker behind', async () => {
    const { block, ms } = await read('many.pdf');
    expect(block).toBeLessThan(Math.max(500, ms / 2));
    await Promise.all(page.workers().map((worker) => worker.waitForEvent('close')));
    expect(page.workers()).toEqual([]);
  });

  it('asks nobody for anything', async () => {
    asked.length = 0;
    expect((await read('asks.html')).text?.markdown).toMatch(/^text/);
    expect(asked).toEqual(['/files/asks.html']);
    expect(complaints).toEqual([]);
  });
});
