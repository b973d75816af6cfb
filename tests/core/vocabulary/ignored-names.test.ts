import fc from 'fast-check';
import { isConflictName, isIgnoredName } from '../../../src/core/vocabulary/paths';

it.each([
  'a.sync-conflict-20261120-103200-ABCDEFG.md',
  "a (Anna's conflicted copy 2026-11-20).md",
  "a (Anna's conflicted copy 2026-11-20 1).md",
  'a (conflicted copy 2026-11-20 103200).md',
  'a (conflicted copy anna 2026-11-20 103200).md',
  'a (Conflicted copy laptop 202611201032).md',
  'mtu (Conflicted copy MacBook (work) 202611201032).md',
  "mtu (Anna (Laptop)'s conflicted copy 2026-11-20).md",
  'mtu (2026) (conflicted copy (work) anna 2026-11-20 103200) (1).md',
  'plan_conflict-20261120-101112.md',
  'plan (SFConflict a@b.c 2026-11-20-10-11-12).md',
  'plan.md (SFConflict 2026-11-20-10-11-12)',
  'plan (Case Conflict).md',
  'plan (Case Conflict 1).md',
  'plan (Unicode Encoding Conflict 2).md',
  'plan (case clash from Anna).md',
  'plan.Conflict.md',
  'plan.Conflict2.md',
  'plan.md.Conflict',
  'plan (conflict 1 from laptop).md',
  'plan (conflict #2 from laptop on 2026-11-20).md',
  'plan (copy: conflict on 2026-11-20).md',
  'plan (conflicted).md',
  'plan [conflicted].md',
  'plan [Conflict].md',
  'plan_conf(1).md',
  'plan (Conflict_anna (Web browser)_2026-11-20-10-11-12).md',
  'plan (Anna Conflict 2026-11-20 10-11-12).md',
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
  'a (2025) on a conflicted copy of 2026-11-20 (draft).md',
  'a conflicted copy (of 2026-11-20).md',
  'a (old) conflicted copy 2026-11-20).md',
  'sync-conflict.md',
  'plan (1).md',
  'plan-LAPTOP.md',
  'plan copy.md',
  'conflict.md',
  'Conflict.md',
  'The Conflict.2026.md',
  'war and conflict.md',
  'plan (conflict of interest 2026-11-20).md',
  'plan (conflicted feelings).md',
  'plan (conflict on Monday).md',
  'conflict 1 from the archive.md',
  'plan_conflict-2026.md',
  'app_conf.md',
  'SFConflict.md',
  'a.sync-conflict-x.md',
  'how to solve a sync-conflict-20261120.md',
])('%p is a name like any other', (name) => {
  expect(isConflictName(name)).toBe(false);
  expect(isIgnoredName(name)).toBe(false);
});

it('knows a conflict copy whatever brackets the names of person and device have', () => {
  const words = fc.string({ unit: fc.constantFrom('a', 'é', ' ', "'", '-', '2', '.'), maxLength: 8 });
  const name = fc
    .array(
      fc.oneof(
        words,
        words.map((inner) => `(${inner})`),
      ),
      { maxLength: 4 },
    )
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(words, name, (stem, who) => {
      expect(isConflictName(`${stem} (Conflicted copy ${who} 202611201032).md`)).toBe(true);
      expect(isConflictName(`${stem} (${who}'s conflicted copy 2026-11-20).md`)).toBe(true);
      expect(isConflictName(`${stem} (${who}) conflicted copy 2026-11-20 (${who}).md`)).toBe(false);
    }),
  );
});

it.each(['(', '(a ', '(a conflicted copy ', '(conflicted copy 20261120 ', ' conflicted copy 20261120', '()'])(
  'is not held up by a name that goes on for ever: %p',
  (part) => {
    const began = performance.now();
    for (const name of [`(${part.repeat(1000 / part.length)}`, part.repeat(1000 / part.length)])
      isIgnoredName(name);
    expect(performance.now() - began).toBeLessThan(1_000);
  },
);
