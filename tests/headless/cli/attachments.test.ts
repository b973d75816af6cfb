import path from 'node:path';
import { writeFile } from 'node:fs/promises';
import { kindWords, namedIn } from '../../../src/headless/cli/attachments';
import { withTempFolder } from '../../support/temp-folder';

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
