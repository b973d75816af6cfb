import { moveNote } from '../../../src/core/review/move';
import { adoptNote } from '../../../src/core/review/promote';
import { unpromoteNote } from '../../../src/core/review/return';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { openTestBrain, person } from '../../support/test-brain';

const AT = { wing: 'net', hall: 'facts' } as const;
const BOARD = `{
\t"nodes":[
\t\t{"id":"a","type":"file","file":"Deep/Ü \\"Y\\".md","subpath":"#Part","x":0,"y":0},
\t\t{"id":"b","type":"file","file" : "Deep/Z.md","x":0,"y":1},
\t\t{"id":"c","type":"text","text":"as \\"file\\":\\"Deep/Z.md\\" it stands","x":0,"y":2}
\t],
\t"edges":[]
}`;
const FILES = { 'Deep/Ü "Y".md': 'Why.\n', 'Deep/Z.md': 'Zed.\n', 'Board.canvas': BOARD };

it('leads the cards of a canvas with a note, and gives every byte back', async () => {
  const { run, files } = await openTestBrain(FILES);
  const { path } = await run(adoptNote, { path: 'Deep/Z.md', ...AT, slug: 'zed' }, person);
  expect(files.get('Board.canvas')).toBe(
    BOARD.replace('"file" : "Deep/Z.md"', '"file" : "wiki/net/facts/zed.md"'),
  );
  const { path: other } = await run(adoptNote, { path: 'Deep/Ü "Y".md', ...AT, slug: 'y' }, person);
  const { path: moved } = await run(moveNote, { path, slug: 'z-2' }, person);
  expect(files.get('Board.canvas')).toContain('"file":"wiki/net/facts/y.md","subpath":"#Part"');
  expect(files.get('Board.canvas')).toContain('"file" : "wiki/net/facts/z-2.md"');
  await run(unpromoteNote, { path: moved }, person);
  await run(unpromoteNote, { path: other }, person);
  expect(files.get('Board.canvas')).toBe(BOARD);
});

it('shows a note that returns under another name', async () => {
  const { run, files, vault, brain } = await openTestBrain(FILES);
  const { path } = await run(adoptNote, { path: 'Deep/Z.md', ...AT, slug: 'zed' }, person);
  vault.outside('Deep/Z.md', 'Another.\n');
  brain.whole.catalog.markDirty({ path: vaultPath('Deep/Z.md'), kind: 'changed' });
  const { path: back } = await run(unpromoteNote, { path }, person);
  expect(files.get('Board.canvas')).toContain(`"file" : "${back}"`);
  expect(back).not.toBe('Deep/Z.md');
});

it('stays as it is when no card shows the note', async () => {
  const { run, files } = await openTestBrain({ ...FILES, 'wiki/net/facts/zed.md': 'Zed.\n' });
  const { relinked } = await run(moveNote, { path: 'wiki/net/facts/zed.md', slug: 'zed-2' }, person);
  expect(relinked).toBe(0);
  expect(files.get('Board.canvas')).toBe(BOARD);
});
