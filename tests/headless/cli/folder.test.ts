import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { mkdir, writeFile } from 'node:fs/promises';
import { sendFolder } from '../../../src/headless/cli/folder';
import { CommandError } from '../../../src/headless/terminal/io';
import { Client } from '../../../src/headless/terminal/client';
import { withTempFolder } from '../../support/temp-folder';

const io = () => ({
  env: {},
  stdin: Readable.from([]),
  stdout: new PassThrough(),
  stderr: new PassThrough(),
  command: 'brain',
  program: [],
});

it('drops the batch of a folder that cannot be sent, and sends no further file', () =>
  withTempFolder(async (top) => {
    const folder = path.join(top, 'files');
    await mkdir(folder);
    for (let n = 0; n < 40; n += 1) await writeFile(path.join(folder, `${n}.md`), `# ${n}\n`);
    const client = new Client(new URL('http://127.0.0.1:1'), 'token', 'brain');
    const calls: string[] = [];
    jest.spyOn(client, 'call').mockImplementation((name: string) => {
      calls.push(name);
      const value = { batch: 'b', reads: ['md'], needs_converter: [] };
      return Promise.resolve({ value, text: '' });
    });
    let sent = 0;
    jest.spyOn(client, 'sendFile').mockImplementation(() => {
      sent += 1;
      return Promise.reject(new CommandError('The token was withdrawn.', 'unauthorized'));
    });
    await expect(sendFolder(io(), client, folder, { recursive: true })).rejects.toThrow('withdrawn');
    expect(calls).toEqual(['openBatch', 'dropBatch']);
    expect(sent).toBeLessThanOrEqual(4);
  }));

/** Sends a folder with these files to a service that reads Markdown; returns what was printed, and the failure. */
async function sending(names: readonly string[], outcome: object) {
  return withTempFolder(async (top) => {
    for (const name of names) await writeFile(path.join(top, name), name.startsWith('empty') ? '' : 'x');
    const client = new Client(new URL('http://127.0.0.1:1'), 'token', 'brain');
    jest.spyOn(client, 'call').mockImplementation((name: string) => {
      const opened = { batch: 'b', reads: ['md'], needs_converter: ['docx', 'png'] };
      // The answer of the operation that is called.
      return Promise.resolve({ value: (name === 'openBatch' ? opened : outcome) as never, text: '' });
    });
    jest.spyOn(client, 'sendFile').mockImplementation((_name, _ask, file) => {
      if (!(file.stream instanceof Readable)) throw new Error('a file is sent as a stream');
      file.stream.destroy();
      // Nobody reads the answer for one file.
      return Promise.resolve({ value: {} as never, text: '' });
    });
    const out = io();
    const failed: unknown = await sendFolder(out, client, top, { recursive: true }).then(
      () => null,
      (error: unknown) => error,
    );
    return {
      lines: String(out.stdout.read() ?? '')
        .trimEnd()
        .split('\n'),
      failed,
    };
  });
}
const NONE = { ingested: 0, unchanged: 0, empty: 0, failed: 0, pages: 0, duplicates: 0, rejected_before: 0 };
const batchOf = (counts: object) => ({
  ...{ batch: 'f', files: [], attachments: [], errors: [], warnings: [], links: { kept: 0, removed: 0 } },
  counts: { ...NONE, attached: 0, not_linked: 0, ...counts },
});
const KIND = 'not read: this kind of file cannot be read; save it as text or PDF';

it('tells of a folder in which nothing is read each file with the reason, and fails', async () => {
  const { lines, failed } = await sending(
    ['a.enex', 'b.zip', 'c.mobi', 'd.docx', 'e.sh', 'f.png', 'empty.md'],
    {},
  );
  expect(lines.slice(0, -1).sort()).toEqual([
    `a.enex: ${KIND}`,
    `b.zip: ${KIND}`,
    `c.mobi: ${KIND}`,
    'd.docx: not read: only a converter reads this kind of file, and none that does is set (CONVERTER_URL; local: is the built-in one, for Office files)',
    `e.sh: ${KIND}`,
    'empty.md: not read: it holds no text',
    `f.png: ${KIND}`,
  ]);
  expect(failed).toEqual(new CommandError('Nothing was read of 7 files.'));
});

it('tells beside what was read which documents were not, and succeeds', async () => {
  const { lines, failed } = await sending(
    ['a.md', 'b.zip', 'c.png'],
    batchOf({ files: 1, ingested: 1, pages: 1 }),
  );
  expect(lines).toEqual([`b.zip: ${KIND}`, '1 page made, 2 not linked (.png 1, .zip 1)']);
  expect(failed).toBeNull();
});

it.each([
  ['what is known already', ['a.md'], batchOf({ files: 1, unchanged: 1 })],
  ['an empty folder', [], {}],
])('%s is no failure', async (_, names, outcome) => {
  expect((await sending(names, outcome)).failed).toBeNull();
});

it('names no more than twenty of them', async () => {
  const { lines } = await sending(
    Array.from({ length: 25 }, (_, n) => `${n}.zip`),
    {},
  );
  expect(lines.filter((line) => line.endsWith(KIND))).toHaveLength(20);
  expect(lines.at(-2)).toBe('and 5 more that were not read');
});
