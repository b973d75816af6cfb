import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { Sandbox, type ServerProcess } from './brain-process';

const sandbox = new Sandbox();
let server: ServerProcess;
let env: Record<string, string>;

beforeAll(async () => {
  server = await sandbox.serve([], {
    BRAIN_WATCH: 'off',
    BRAIN_INGEST_ROOTS: path.join(sandbox.folder, 'papers'),
  });
  env = { BRAIN_URL: server.url };
});
afterAll(() => sandbox.remove());

const brain = (args: readonly string[], input?: string | Buffer) =>
  sandbox.run(args, { env, ...(input !== undefined && { input }) });

/** Makes a file below the folder that holds the vault. */
function put(at: string, text: string | Uint8Array): string {
  const full = path.join(sandbox.folder, at);
  mkdirSync(path.dirname(full), { recursive: true });
  writeFileSync(full, text);
  return full;
}

const rawNames = () => readdirSync(path.join(sandbox.vault, 'raw')).filter((name) => name.endsWith('.md'));
const rawNote = (part: string) => {
  const name = rawNames().find((each) => each.includes(part)) ?? 'absent';
  return readFileSync(path.join(sandbox.vault, 'raw', name), 'utf8');
};

describe('a text', () => {
  it('is ingested as it stands on the command line', async () => {
    const { code, stdout, stderr } = await brain([
      'ingest',
      'The tunnel needs 1412 bytes.',
      '--title',
      'Tunnel',
    ]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^Text: 1 page, as it is\n {2}wrote raw\/\d{4}-\d\d-\d\d-tunnel\.md {2}Tunnel\n/);
    expect(stdout).toMatch(/\n {2}original: inbox\/processed\/\S+\.txt\n$/);
    expect(rawNote('tunnel')).toContain('The tunnel needs 1412 bytes.');
  });

  it.each([[[]], [['-']]])('is read from standard input, with %j', async (args) => {
    const text = `# Router ${args.length}\n\nFirmware 7.2${args.length}.\n`;
    const { code, stdout } = await brain(['ingest', ...args, '--source', 'https://example.org/router'], text);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^https:\/\/example\.org\/router: 1 page/)]);
    expect(rawNote(`router-${args.length}`)).toContain('https://example.org/router');
  });

  it('is not taken twice', async () => {
    const before = rawNames();
    const { code, stdout } = await brain(['ingest', 'The tunnel needs 1412 bytes.', '--title', 'Tunnel']);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^Text: known already, nothing done\n/)]);
    expect(rawNames()).toEqual(before);
  });

  it('is only shown by a dry run', async () => {
    const before = rawNames();
    const { stdout } = await brain(['ingest', 'Another thought.', '--dry-run']);
    expect(stdout).toMatch(/\n {2}would write raw\/\S+another-thought\.md {2}Another thought/);
    expect(rawNames()).toEqual(before);
  });

  it('answers in JSON when asked for it', async () => {
    const { stdout } = await brain(['ingest', 'A thought in JSON.', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ extraction: 'passthrough', counts: { written: 1 } });
  });

  it.each<[string, string[], string]>([
    ['one word that looks like a path', ['notes/absent.md'], 'There is no file or folder'],
    ['a file name that leads nowhere', ['absent.pdf'], 'There is no file or folder'],
    ['one with spaces', ['my report of May.pdf'], 'There is no file or folder'],
    ['a file of the inbox that is not there', ['inbox/my report.pdf'], 'source_missing'],
    ['nothing', [' '], 'The text is empty'],
    ['a hall that is none', ['a text', '--hall', 'rumours'], 'invalid_hall'],
  ])('is refused when it is %s', async (_, args, words) => {
    const { code, stdout, stderr } = await brain(['ingest', ...args]);
    expect([code, stdout, stderr]).toEqual([words.includes('_') ? 1 : 2, '', expect.stringContaining(words)]);
  });
});

describe('a file', () => {
  it('of the inbox is named by its path here, or by its path in the vault', async () => {
    const full = put('vault/inbox/mail.txt', 'Dear all, the lift is broken.\n');
    const { code, stdout } = await brain(['ingest', full]);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^inbox\/mail\.txt: 1 page, as it is\n/)]);
    expect((await brain(['ingest', 'inbox/mail.txt'])).stdout).toMatch(/^inbox\/mail\.txt: known already/);
    expect((await brain(['ingest', 'inbox/absent.txt'])).stderr).toMatch(/\(source_missing\)\n$/);
    expect(readFileSync(full, 'utf8')).toContain('the lift');
  });

  it('of any other folder is sent as it is', async () => {
    const html = '<h1>Rent</h1><p>It rises in <b>June</b>.</p>\r\n';
    const full = put('elsewhere/rent.html', html);
    const { code, stdout, stderr } = await brain(['ingest', full]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/^rent\.html: 1 page, as it is\n/);
    expect(rawNote('rent')).toContain('It rises in **June**.');
    const original = /original: (\S+)/.exec(stdout)?.[1] ?? 'absent';
    expect(readFileSync(path.join(sandbox.vault, original), 'utf8')).toBe(html);
    expect((await brain(['ingest', full])).stdout).toMatch(/^rent\.html: known already/);
  });

  it('that is sent takes a title and a source', async () => {
    const full = put('elsewhere/titled.txt', 'A text of a page.\n');
    const args = ['--title', 'The page', '--source', 'https://example.org/page'];
    const { stdout } = await brain(['ingest', full, ...args]);
    expect(stdout).toContain('The page');
    expect(rawNote('the-page')).toContain('https://example.org/page');
  });

  it.each<[string, string, string | Uint8Array, string]>([
    ['damaged', 'broken.pdf', '%PDF-1.4', 'no_text|unsupported_type'],
    ['no text', 'broken.md', Uint8Array.of(0xff, 0xfe, 0xfd, 0x00, 0x81), 'unsupported_type'],
    ['empty', 'empty.md', '', 'empty_content'],
    ['of an unknown kind', 'tool.exe', 'MZ', 'unsupported_type'],
  ])('that is %s is refused', async (_, name, bytes, codes) => {
    const { code, stdout, stderr } = await brain(['ingest', put(`elsewhere/${name}`, bytes)]);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(new RegExp(`\\((?:${codes})\\)\\n$`));
  });
});

describe('a folder', () => {
  it('is sent as one batch, told in one line, and ends with 1 when a file failed', async () => {
    put('papers/tax/a.md', '# Tax of 2025\n\nPaid, see [[b]].\n');
    put('papers/tax/deep/b.csv', 'year,sum\n2025,12\n');
    put('papers/tax/c.exe', 'MZ');
    put('papers/tax/d.md', '');
    put('papers/tax/e.docx', 'PK');
    put('papers/tax/f.pdf', 'no PDF');
    const folder = path.join(sandbox.folder, 'papers/tax');
    const { code, stdout, stderr } = await brain(['ingest', folder]);
    expect([code, stderr]).toEqual([1, 'brain: 1 file failed.\n']);
    expect(stdout).toMatch(
      /^f\.pdf: .* \(unsupported_type\)\ne\.docx: not read: .*\nc\.exe: not read: .*\nd\.md: not read: it holds no text\n/,
    );
    expect(stdout).toMatch(
      /\n2 pages made, 1 needs a converter \(\.docx 1\), 1 of kinds that are not read \(\.exe 1\), 1 empty, 1 failed: f\.pdf\n$/,
    );
    expect(rawNote('tax-of-2025')).toMatch(/Paid, see \[\[raw\/\d{4}-\d\d-\d\d-b\|b\]\]\./);
    const again = await brain(['ingest', folder, '--no-recursive', '--json']);
    expect(JSON.parse(again.stdout)).toMatchObject({
      counts: { files: 2, ingested: 0, unchanged: 1, failed: 1 },
      not_sent: { needs_converter: ['e.docx'], not_read: ['c.exe'], empty: ['d.md'] },
    });
  });

  it('sends the files that its notes link, and says how many there are of each kind', async () => {
    put('trip/trip.md', '# Trip 25\n\n![[big shot.png]] ![](img/t%C3%A4p%20a.jpg) [costs](costs.xlsx)\n');
    put('trip/page.html', '<h1>Trip page</h1><p><a href="talk&#46;mp3">talk</a></p>');
    put('trip/img/big shot.png', 'PNG');
    put('trip/img/other shot.png', 'PNG other');
    put('trip/img/täp a.jpg', 'JPG');
    put('trip/talk.mp3', 'MP3');
    put('trip/costs.xlsx', 'PK');
    put('trip/unused.gif', 'GIF');
    put('trip/tool.exe', 'MZ');
    const folder = path.join(sandbox.folder, 'trip');
    const { code, stdout, stderr } = await brain(['ingest', folder]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(
      'costs.xlsx: not read: only a converter reads this kind of file, and none that does is set (CONVERTER_URL; local: is the built-in one, for Office files)\n' +
        'tool.exe: not read: this kind of file cannot be read; save it as text or PDF\n' +
        '2 pages made, 2 pictures, 1 recording, 1 other file kept, 2 not linked (.gif 1, .png 1), 1 needs a converter (.xlsx 1), 1 of kinds that are not read (.exe 1)\n',
    );
    expect(rawNote('trip-25')).toMatch(
      /!\[\[(inbox\/processed\/[-\d]+)\/big shot\.png\]\] !\[\[\1\/täp a\.jpg\]\] \[\[\1\/costs\.xlsx\|costs\]\]/,
    );
    const again = await brain(['ingest', folder, '--json']);
    expect(JSON.parse(again.stdout)).toMatchObject({
      counts: { unchanged: 2, attached: 4, not_linked: 1, failed: 0 },
      not_sent: { not_linked: ['unused.gif'], needs_converter: ['costs.xlsx'], not_read: ['tool.exe'] },
    });
  });

  it('without a file that can be read makes nothing, says why, and ends with 1', async () => {
    put('nothing/x.exe', 'MZ');
    const { code, stdout, stderr } = await brain(['ingest', path.join(sandbox.folder, 'nothing')]);
    expect([code, stderr]).toEqual([1, 'brain: Nothing was read of 1 file.\n']);
    expect(stdout).toBe(
      'x.exe: not read: this kind of file cannot be read; save it as text or PDF\n0 pages made, 1 of kinds that are not read (.exe 1)\n',
    );
  });

  it('that cannot be read is refused', async () => {
    const { code, stderr } = await brain(['ingest', path.join(sandbox.folder, 'absent/')]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('There is no file or folder')]);
  });
});

it('adds references to notes that lack them', async () => {
  await brain(
    ['write', 'homelab', 'facts', 'mtu'],
    '---\nsource_url: https://example.org/mtu\n---\n# MTU\n\n1412.\n',
  );
  const dry = await brain(['backfill-refs', '--wing', 'homelab', '--dry-run']);
  expect(dry).toMatchObject({ code: 0, stderr: '' });
  expect(dry.stdout).toContain('wiki/homelab/facts/mtu.md\n  source: https://example.org/mtu\n');
  expect(dry.stdout).toMatch(/\n1 note: 1 would change, 0 had theirs, 0 without proof\n$/);
  expect((await brain(['backfill-refs'])).stdout).toMatch(/: 1 changed, /);
  expect(readFileSync(path.join(sandbox.vault, 'wiki/homelab/facts/mtu.md'), 'utf8')).toContain('sources:');
  expect((await brain(['backfill-refs', '--wing', 'homelab'])).stdout).toBe(
    '1 note: 0 changed, 1 had theirs, 0 without proof\n',
  );
});

describe('Ctrl-C', () => {
  it('calls the job off and tells what was done by then', async () => {
    // A language model that never answers holds the second file up.
    const asked: string[] = [];
    const model = createServer((request) => void asked.push(request.url ?? '')).listen(0, '127.0.0.1');
    await once(model, 'listening');
    const { port } = model.address() as AddressInfo; // A TCP server's address is always an object.
    const slow = new Sandbox();
    try {
      const { url } = await slow.serve([], {
        BRAIN_WATCH: 'off',
        BRAIN_LLM_URL: `http://127.0.0.1:${port}`,
        BRAIN_LLM_MODEL: 'silent',
      });
      writeFileSync(path.join(slow.vault, 'inbox/a.md'), '# A\n\nWords.\n');
      writeFileSync(path.join(slow.vault, 'inbox/b.md'), '# B\n\nWords.\n');
      const child = slow.start(['ingest', 'inbox'], { BRAIN_URL: url });
      let stderr = '';
      child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
      while (asked.length === 0 && child.exitCode === null)
        await new Promise((resolve) => setImmediate(resolve));
      child.kill('SIGINT');
      const [code] = await once(child, 'close');
      expect([code, stderr]).toEqual([130, expect.stringContaining('Cancelled: 2 files not touched.')]);
      expect(readdirSync(path.join(slow.vault, 'raw'))).toEqual([]);
    } finally {
      await slow.remove();
      model.closeAllConnections();
      model.close();
    }
  });
});
