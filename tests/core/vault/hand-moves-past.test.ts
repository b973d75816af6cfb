import { history } from '../../../src/core/notes/history';
import { updateNote } from '../../../src/core/notes/update';
import { writeNote } from '../../../src/core/notes/write';
import { mendLinks } from '../../../src/core/review/left-links';
import { adoptNote, promoteNote } from '../../../src/core/review/promote';
import { unpromoteNote } from '../../../src/core/review/return';
import { undoWriter } from '../../../src/core/undo/undo';
import { openFollowed } from '../../support/followed-brain';
import { agent, person } from '../../support/test-brain';

const PLAN = '# Plan\n\nThe plan.\n';

it('gives a promoted note back to the queue after a move by hand, byte for byte', async () => {
  const { run, files, move, pass } = await openFollowed({ 'raw/plan.md': PLAN });
  const { path } = await run(promoteNote, { path: 'raw/plan.md', wing: 'w', hall: 'facts' }, person);
  move(path, 'wiki/w/facts/moved.md');
  await pass();
  const back = await run(unpromoteNote, { path: 'wiki/w/facts/moved.md' }, person);
  expect([back.path, files.get(back.path)]).toEqual(['raw/plan.md', PLAN]);
});

it('gives an adopted note back after a move by hand', async () => {
  const { run, files, move, pass } = await openFollowed({
    'Projects/plan.md': PLAN,
    'Own/A.md': '[[plan]]\n',
  });
  const { path } = await run(adoptNote, { path: 'Projects/plan.md', wing: 'w', hall: 'facts' }, person);
  move(path, 'wiki/w/facts/moved.md');
  await pass();
  const back = await run(unpromoteNote, { path: 'wiki/w/facts/moved.md' }, person);
  expect([back.path, files.get(back.path)]).toEqual(['Projects/plan.md', PLAN]);
  expect(files.get('Own/A.md')).toBe('[[plan]]\n');
});

it('keeps the history of a note over a move by hand', async () => {
  const { run, move, pass } = await openFollowed({});
  const { path } = await run(writeNote, { wing: 'w', hall: 'facts', slug: 'a', content: PLAN });
  move(path, 'wiki/w/facts/b.md');
  await pass();
  await run(updateNote, { path: 'wiki/w/facts/b.md', content: '# Plan\n\nAnother.\n', reason: 'new' });
  const past = await run(history, { path: 'wiki/w/facts/b.md' });
  expect(past).toMatchObject({ versions: [{ reason: 'new' }, {}] });
});

it('takes back what a writer did to a note before a move by hand', async () => {
  const { run, files, move, pass } = await openFollowed({});
  const { path } = await run(writeNote, { wing: 'w', hall: 'facts', slug: 'a', content: PLAN }, person);
  const before = files.get(path);
  await run(updateNote, { path, content: '# Plan\n\nWrong.\n', reason: 'x' });
  move(path, 'wiki/w/facts/b.md');
  await pass();
  const asked = { by: agent.name, since: '1d' };
  const { plan, count } = await run(undoWriter, { ...asked, dry_run: true });
  expect(count).toBe(1);
  await run(undoWriter, { ...asked, plan });
  expect(files.get('wiki/w/facts/b.md')?.split('---\n')[2]).toBe(before?.split('---\n')[2]);
});

it('keeps the texts before links were mended', async () => {
  const list = 'See [[Films/Solaris]].\n';
  const { run, move, pass } = await openFollowed({ 'Films/Solaris.md': 'S.\n', 'Own/A.md': list });
  move('Films/Solaris.md', 'Cinema/Solaris.md');
  await pass();
  await run(mendLinks, {}, person);
  const past = await run(history, { path: 'Own/A.md' });
  expect(past).toMatchObject({ versions: [{ reason: 'mend-links' }, { bytes: list.length }] });
});
