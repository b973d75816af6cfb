import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { byDay } from '../support/by-night';
import { startScriptedConverter, type ScriptedConverter } from '../support/scripted-converter';
import { buildSimulator, headless, plugins, present, type RunningHost } from './host';

/** Documents of every kind, read by the built programs in threads as each host has them. */
const HOSTS = present([headless, ...byDay(1, plugins)]);
const FILES = [
  ['report-chromium.pdf', /# Harvest report/],
  ['tea-libreoffice.pdf', /龙井茶产于杭州/],
  ['report.html', /\| 1 \| Bramley \| 413 \|/],
  ['mail.eml', /the trees came on Monday/],
  ['minutes.docx', /bytes of application\/vnd\.openxml/],
] as const;

buildSimulator();

describe.each(HOSTS)('$name', (host) => {
  let folder: string;
  let running: RunningHost;
  let converter: ScriptedConverter;

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'brain-documents-'));
    const inbox = path.join(folder, 'vault', 'inbox');
    mkdirSync(inbox, { recursive: true });
    for (const name of [...FILES.map(([file]) => file), 'scanned.pdf', 'locked.pdf'])
      copyFileSync(path.join('tests/fixtures/documents', name), path.join(inbox, name));
    // Those that are no sources stay where they stand, and are searched.
    const papers = path.join(folder, 'vault', 'Papers');
    mkdirSync(papers);
    for (const name of ['report-chromium.pdf', 'locked.pdf'])
      copyFileSync(path.join('tests/fixtures/documents', name), path.join(papers, name));
    writeFileSync(path.join(papers, 'damaged.pdf'), Buffer.alloc(100_000, 'endobj'));
    writeFileSync(path.join(papers, 'board.canvas'), '{"nodes":[{"type":"text","text":"Quittenmarmelade"}]}');
    // The PDF was printed from the page, and what says the same makes no second note.
    const page = path.join(inbox, 'report.html');
    writeFileSync(page, readFileSync(page, 'utf8').replace('412', '413'));
    converter = await startScriptedConverter();
    running = await host.start(path.join(folder, 'vault'), folder, {
      CONVERTER_URL: converter.url,
      BRAIN_WATCH: 'off',
      BRAIN_ATTACHMENTS: 'on',
    });
  }, 60_000);
  afterAll(async () => {
    await running.stop();
    await converter.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function ingest(name: string): Promise<{ status: number; body: Record<string, unknown> }> {
    const answer = await fetch(`${running.url}/ingest-path`, {
      method: 'POST',
      headers: { authorization: `Bearer ${running.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ path: `inbox/${name}` }),
    });
    return { status: answer.status, body: await answer.json() };
  }

  async function call(route: string, body?: object): Promise<Record<string, unknown>> {
    const answer = await fetch(`${running.url}${route}`, {
      headers: { authorization: `Bearer ${running.token}`, 'content-type': 'application/json' },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    });
    return answer.json();
  }

  it('finds the words of PDF files and canvases that stand in the vault, and tells which have none', async () => {
    const message = async (): Promise<string> => {
      const { checks } = await call('/status');
      const found = Array.isArray(checks) ? checks.find(({ name }) => name === 'attachments') : {};
      return String(found?.message);
    };
    while ((await message()).includes('to be read') || (await message()).startsWith('Searched: 0'))
      await new Promise((resolve) => setTimeout(resolve, 200));
    expect(await message()).toMatch(
      /^Searched: 1 PDF file and 1 canvas\. 2 files cannot be read: Papers\/d.*locked/,
    );
    expect(await call('/query', { query: 'harvest report orchard' })).toMatchObject({
      results: [{ path: 'Papers/report-chromium.pdf', status: 'attachment', page: 1 }],
    });
    expect(await call('/query', { query: 'quittenmarmelade' })).toMatchObject({
      results: [{ path: 'Papers/board.canvas', excerpt: 'Quittenmarmelade' }],
    });
    const read = await call('/note?path=Papers/report-chromium.pdf');
    expect(read).toMatchObject({
      status: 'attachment',
      page: 1,
      body: expect.stringContaining('Harvest report'),
    });
  }, 60_000);

  it.each(FILES)('makes a note of %s', async (name, text) => {
    const { status, body } = await ingest(name);
    expect(body).toMatchObject({ pages: [{ status: 'written' }] });
    expect(status).toBe(200);
    const [page] = Array.isArray(body.pages) ? body.pages : [];
    expect(readFileSync(path.join(folder, 'vault', String(page?.path)), 'utf8')).toMatch(text);
  });

  it.each([
    ['scanned.pdf', 400, 'no_text'],
    ['locked.pdf', 400, 'unsupported_type'],
  ])('refuses %s', async (name, status, code) => {
    const answer = await ingest(name);
    expect([answer.status, answer.body]).toMatchObject([status, { error: { code } }]);
  });
});
