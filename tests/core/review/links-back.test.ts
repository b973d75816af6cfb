import { adoptNote } from '../../../src/core/review/promote';
import { unpromoteNote } from '../../../src/core/review/return';
import { undoWriter } from '../../../src/core/undo/undo';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { openTestBrain, person } from '../../support/test-brain';

const AT = { wing: 'net', hall: 'facts' } as const;

it('does not restore a link whose name another note has by now', async () => {
  const opened = await openTestBrain({ 'Deep/Y.md': 'Why.\n', 'N.md': 'See [[Y]].\n' });
  const { run, files, vault, brain } = opened;
  const { path } = await run(adoptNote, { path: 'Deep/Y.md', ...AT, slug: 'why' }, person);
  expect(files.get('N.md')).toBe('See [[why|Y]].\n');
  vault.outside('Deep/Y.md', 'Another.\n');
  brain.whole.catalog.markDirty({ path: vaultPath('Deep/Y.md'), kind: 'changed' });
  const { path: back } = await run(unpromoteNote, { path }, person);
  expect(back).toBe('Deep/Y-2.md');
  expect(files.get('N.md')).toBe('See [[Y-2|Y]].\n');
});

it('leads links to several notes that return at once', async () => {
  const opened = await openTestBrain({ 'A/Terms.md': 'One.\n', 'B/Terms.md': 'Two.\n' });
  const { run, files, vault, brain } = opened;
  await run(adoptNote, { path: 'A/Terms.md', ...AT, slug: 'a-terms' }, person);
  await run(adoptNote, { path: 'B/Terms.md', ...AT, slug: 'b-terms' }, person);
  vault.outside('N.md', '[[a-terms]] [[b-terms]]\n');
  brain.whole.catalog.markDirty({ path: vaultPath('N.md'), kind: 'changed' });
  const { plan } = await run(undoWriter, { by: 'human:me', since: '2026-01-01', dry_run: true }, person);
  await run(undoWriter, { by: 'human:me', since: '2026-01-01', plan }, person);
  expect([...files.keys()].filter((path) => path.endsWith('Terms.md'))).toEqual(['A/Terms.md', 'B/Terms.md']);
  expect(files.get('N.md')).toBe('[[Terms|a-terms]] [[B/Terms|b-terms]]\n');
});
