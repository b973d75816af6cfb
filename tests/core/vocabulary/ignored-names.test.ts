import fc from 'fast-check';
import { isConflictName, isIgnoredName } from '../../../src/core/vocabulary/paths';
import { cpuMs } from '../../support/cpu';

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
  // Synology Drive and Qsync, with the host and the date before the word
  'plan_HOST_Nov-20-2026_Conflict.md',
  'plan_HOST_Nov-20-1032-2026_Conflict.md',
  "plan_Anna's MacBook_Nov-20-103200-2026_Conflict.md",
  'my_long_plan_DESKTOP-4F2_Mai-04-103200-2026_Conflict (2).md',
  'plan_HOST_Nov-20-2026_CaseConflict.md',
  'plan_HOST_Mär-20-103200-2026_Konflikt.md',
  'plan_HOST_févr.-20-2026_Conflit.md',
  'plan_HOST_11月-20-2026_衝突.md',
  'plan_HOST_2026-11-20-103200_conflict.md',
  // Dropbox in other languages
  'Plan (In Konflikt stehende Kopie von Anna 2026-11-20).md',
  'Plan (Annas in Konflikt stehende Kopie 2026-11-20).md',
  'plan (Copie en conflit de HOST 2026-11-20).md',
  'plan (Copia en conflicto de HOST 2026-11-20).md',
  'plan (Copia in conflitto di HOST 2026-11-20).md',
  'plan (Co\u0301pia em conflito de HOST 2026-11-20).md',
  'plan (Conflicterende kopie van HOST 2026-11-20).md',
  'plan (kopia powodująca konflikt HOST 2026-11-20).md',
  'plan (HOSTs konfliktkopia 2026-11-20).md',
  'plan (Salinan konflik HOST 2026-11-20).md',
  'plan (конфликтующая копия HOST 2026-11-20).md',
  'plan (HOST の競合コピー 2026-11-20).md',
  'plan (HOST의 충돌된 사본 2026-11-20).md',
  'plan（HOST 的冲突副本 2026-11-20）.md',
  'plan(HOST的冲突文件2026-11-20).md',
  'plan (conflicting copy HOST 2026-11-20).md',
  'plan (# Edit conflict 2026-11-20 aBcD #).md',
  'plan (# Name clash 2026-11-20 aBcD #).md',
  'plan (Conflict 1, uploaded by Anna).md',
  'plan (Conflict 2026-11-20 10_11).md',
  'plan.conflict1.md',
  'plan.conflict-20261120-101112.md',
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
  'Conflict resolution 2026.md',
  'The conflict of 1914.md',
  'The conflict of 1914-07-28.md',
  '2026-11-20 conflict with Anna.md',
  '2026-11-20_conflict.md',
  'meeting_team_2026-11-20_conflict.md',
  'plan_HOST_Nov-20-2026.md',
  'plan_Nov-20-2026_Conflict.md',
  'plan_HOST_Nov-20-2026_Conflict of interest.md',
  'Konflikt mit Kopie 2026-11-20.md',
  'plan (Konflikt mit Anna 2026-11-20).md',
  'plan (Conflict 2026-11-20).md',
  'plan (Conflict 2026-11-20 Anna).md',
  'plan (a copy of the conflict map 2026-11-20).md',
  'Salinan konflik 2026-11-20.md',
  'コピーの競合 2026-11-20.md',
  '冲突 2026-11-20.md',
  'the.conflict.md',
  'A conflict, uploaded by Anna.md',
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
    const began = cpuMs();
    for (const name of [`(${part.repeat(1000 / part.length)}`, part.repeat(1000 / part.length)])
      isIgnoredName(name);
    expect(cpuMs() - began).toBeLessThan(5_000);
  },
);
