import { isNote, isQueued, isRejected } from '../../src/plugin/queued-note';

it.each([
  ['raw/2026-11-14-mtu.md', true, false],
  ['raw/a b.md', true, false],
  ['raw/rejected/a.md', false, true],
  ['raw/other/a.md', false, false],
  ['raw/a.pdf', false, false],
  ['raw/rejected/a.txt', false, false],
  ['wiki/x/facts/a.md', false, false],
  ['notes/raw/a.md', false, false],
  ['raw.md', false, false],
])('%s: queued %p, rejected %p', (path, queued, rejected) => {
  expect(isQueued(path)).toBe(queued);
  expect(isRejected(path)).toBe(rejected);
});

it('takes Markdown files for notes', () => {
  expect([isNote('a/b.md'), isNote('a/b.canvas')]).toEqual([true, false]);
});
