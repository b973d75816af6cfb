import { isConflictName, isIgnoredName } from '../../src/core/ignored-names';

it.each([
  'a.sync-conflict-20261120-103200-ABCDEFG.md',
  "a (Anna's conflicted copy 2026-11-20).md",
  "a (Anna's conflicted copy 2026-11-20 1).md",
  'a (conflicted copy 2026-11-20 103200).md',
  'a (conflicted copy anna 2026-11-20 103200).md',
  'a (Conflicted copy laptop 202611201032).md',
])('%p is the copy of a sync program', (name) => {
  expect(isConflictName(name)).toBe(true);
  expect(isIgnoredName(name)).toBe(true);
});

it.each([
  'my conflicted copy.md',
  'conflicted copy 2026-11-20.md',
  'a (conflicted copy).md',
  'a (about a conflicted copy of 2026).md',
  'a (unconflicted copy 2026-11-20).md',
  'sync-conflict.md',
  'a.sync-conflict-x.md',
  'how to solve a sync-conflict-20261120.md',
])('%p is a name like any other', (name) => {
  expect(isConflictName(name)).toBe(false);
  expect(isIgnoredName(name)).toBe(false);
});
