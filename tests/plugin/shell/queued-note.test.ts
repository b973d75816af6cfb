import { noteStatus } from '../../../src/core/catalog/record';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { isInWiki, isNote, isQueued, isRejected } from '../../../src/plugin/shell/commands';

it.each([
  ['raw/2026-11-14-mtu.md', true, false],
  ['raw/a b.md', true, false],
  ['raw/rejected/a.md', false, true],
  ['raw/other/a.md', true, false],
  ['raw/Rejected/a.md', false, true],
  ['Raw/a.md', false, false],
  ['raw/rejected.md', true, false],
  ['raw/_index.md', false, false],
  ['raw/.hidden/a.md', false, false],
  ['raw/A.MD', false, false],
  ['raw/a.pdf', false, false],
  ['raw/rejected/a.txt', false, false],
  ['wiki/x/facts/a.md', false, false],
  ['notes/raw/a.md', false, false],
  ['raw.md', false, false],
])('%s: queued %p, rejected %p', (path, queued, rejected) => {
  expect(isQueued(path)).toBe(queued);
  expect(isRejected(path)).toBe(rejected);
  const status = noteStatus(vaultPath(path));
  expect([status === 'raw', status === 'rejected']).toEqual([queued, rejected]);
});

it.each([
  'wiki/x/facts/a.md',
  'wiki/a.md',
  'wiki/x/_index.md',
  'wiki/.x/a.md',
  'wiki/a.pdf',
  'Wiki/a.md',
  'knowledge/a.md',
])('knows whether %s is a note of the wiki', (path) => {
  expect(isInWiki(path)).toBe(noteStatus(vaultPath(path)) === 'wiki');
});

it('takes Markdown files for notes', () => {
  expect([isNote('a/b.md'), isNote('a/b.canvas')]).toEqual([true, false]);
});
