import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isPathLike } from '../../../src/headless/cli/arguments';
import { kindWords, namedIn } from '../../../src/headless/cli/attachments';
import { doctorLines } from '../../../src/headless/cli/doctor';
import { barOf, outcomeLines } from '../../../src/headless/cli/embeddings';
import { rendered } from '../../../src/headless/terminal/output';
import { withTempFolder } from '../../support/temp-folder';

it('doctor prints the worst first, with the sentence and the command that put it right', () => {
  const lines = doctorLines({
    version: '1.2.3',
    checks: [
      { name: 'version', state: 'ok', message: 'Brain Server 1.2.3.' },
      {
        name: 'maps',
        state: 'warning',
        message: 'Wings without.',
        fix: 'Rebuild.',
        action: 'rebuild-index',
      },
      {
        name: 'folder rights',
        state: 'failed',
        message: 'No.',
        fix: 'Change them.',
        command: 'chmod wiki',
      },
    ],
  });
  expect(lines.map((line) => rendered(line, false))).toEqual([
    'Brain Server 1.2.3',
    'FAILED  folder rights: No.',
    '        Change them.',
    '        $ chmod wiki',
    'LOOK    maps: Wings without.',
    '        Rebuild.',
    'ok      version: Brain Server 1.2.3.',
  ]);
  expect(rendered(lines[1] ?? '', true)).toBe('\u001b[31mFAILED \u001b[39m folder rights: No.');
});

it('embeddings shows how far it is on one line of the same length', () => {
  const line = (done: number, total: number) => barOf({ phase: 'embedding', done, total });
  expect(line(0, 0)).toBe(`embedding [${' '.repeat(30)}] 0/0`);
  expect(line(10, 40)).toBe(`embedding [${'#'.repeat(8)}${' '.repeat(22)}] 10/40`);
  expect(line(40, 40)).toBe(`embedding [${'#'.repeat(30)}] 40/40`);
});

it('embeddings says what was done and what was not, and lets no note speak to the terminal', () => {
  expect(
    outcomeLines({
      added: 1,
      deleted: 2,
      errors: [{ path: 'wiki/a/facts/\u001b[2Jx.md', error: 'HTTP 500.' }, { error: '3 more notes wait.' }],
    }),
  ).toEqual([
    '1 note embedded, 2 vectors removed.',
    '  wiki/a/facts/[2Jx.md: HTTP 500.',
    '  3 more notes wait.',
  ]);
});

it.each([
  ['shot.png', '![[shot.png]]'],
  ['img/My Shot 1.PNG', '![](../img/my%20shot%201.png)'],
  ['Pasted image (2).png', '![[Pasted image (2).png|300]]'],
  ['ta\u0308p.jpg', '![[t\u00e4p.jpg]]'],
  ['täp.jpg', '<img src="t%C3%A4p.jpg">'],
  ['a_b.png', '![x](a\\_b.png)'],
  ['_b.png', '![x](img\\_b.png)'],
  ['talk.mp3', '<a href="talk&#x2e;mp3">'],
  ['a%20b.gif', '![[a%20b.gif]]'],
  ['data.tar.gz', 'See [data](./data.tar.gz).'],
  ['図 1.webp', '図を見る![[図 1.webp]]次'],
  ['v1.2/pump😀.png', '![[pump😀.png]]'],
])('finds that %j is named in %j', (place, text) =>
  withTempFolder(async (top) => {
    const note = { full: path.join(top, 'note.md'), place: 'note.md' };
    const wide = { full: path.join(top, 'wide.md'), place: 'wide.md' };
    await writeFile(note.full, text);
    await writeFile(wide.full, `\ufeff${text}`, 'utf16le');
    const [file, other] = [
      { full: '', place },
      { full: '', place: 'elsewhere/unused.png' },
    ];
    expect([...(await namedIn([note], [file, other]))]).toEqual([file]);
    expect([...(await namedIn([wide], [file, other]))]).toEqual([file]);
  }),
);

it('finds nothing in documents that are gone', async () => {
  const gone = { full: '/nowhere/at/all.md', place: 'all.md' };
  expect((await namedIn([gone], [{ full: '', place: 'all.png' }])).size).toBe(0);
});

it('counts files by kind', () => {
  expect(kindWords(['a.png', 'b.JPG', 'c.mp3', 'd.mp4', 'e.canvas', 'f.canvas', 'g.zip'])).toBe(
    '2 pictures, 1 recording, 1 video, 2 canvases, 1 other file',
  );
});

it.each([
  './fan',
  '../my notes',
  '~/notes',
  '/srv/notes',
  'C:\\notes',
  'C:/my notes/fan',
  'notes/fan',
  'notes\\fan',
  'my folder/',
  'my folder/missing file',
  'report.pdf',
  'my report of the year 2026 in words.pdf',
  'report.xyz',
  '.hidden/fan',
])('takes %s for a path', (text) => {
  expect(isPathLike(text)).toBe(true);
});

it.each([
  'WireGuard',
  'The tunnel wants an MTU of 1420/1380 bytes',
  'Use TCP/IP here.',
  'It rattles.',
  'Either / or',
  'The price is 3.50',
  '3.50',
  '# Fan\n\nSee notes/fan.md',
  'and so on ...',
])('takes %s for a text', (text) => {
  expect(isPathLike(text)).toBe(false);
});
