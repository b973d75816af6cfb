import * as fc from 'fast-check';
import { timestamp } from '../../../src/core/base/time';
import { listPending } from '../../../src/core/review/pending';
import { overview } from '../../../src/core/status/overview';
import { NOW, openTestBrain } from '../../support/test-brain';

const DAY = 86_400_000;
const ago = (days: number) => timestamp(new Date(Date.parse(NOW) - days * DAY));
const note = (keys: Readonly<Record<string, string>>) =>
  `---\n${Object.entries(keys)
    .map(([key, value]) => `${key}: ${value}\n`)
    .join('')}---\n# Note\n`;

it('of an empty vault counts nothing, week after week', async () => {
  const { run } = await openTestBrain();
  const answer = await run(overview);
  expect(answer).toMatchObject({ notes: 0, added: 0, undated: 0, stale: 0 });
  expect(answer.queue).toEqual({
    count: 0,
    ages: { under_1_day: 0, days_1_to_3: 0, days_4_to_7: 0, over_7_days: 0 },
  });
  expect(answer.writes).toEqual({ notes: 0, writer_count: 0, writers: [] });
  expect(answer.growth).toHaveLength(26);
  expect(answer.growth.at(0)).toEqual({ until: ago(25 * 7), notes: 0 });
  expect(answer.growth.at(-1)).toEqual({ until: NOW, notes: 0 });
});

it('counts a note from the day on which it came into the wiki', async () => {
  const { run } = await openTestBrain({
    'wiki/a/facts/promoted.md': note({ created_at: ago(100), promoted_at: ago(2) }),
    'wiki/a/facts/old.md': note({ created_at: ago(15) }),
    'wiki/a/facts/clip.md': note({ created: ago(200) }),
    'wiki/a/facts/undated.md': '# By hand\n',
    'wiki/a/facts/future.md': note({ created_at: ago(-3) }),
    'wiki/a/_index.md': '# a\n',
    'knowledge/legacy.md': note({ created_at: ago(8) }),
    'raw/waiting.md': note({ created_at: ago(1) }),
  });
  const { notes, added, undated, growth } = await run(overview);
  expect([notes, added, undated]).toEqual([6, 2, 1]);
  expect(growth.slice(-4).map((week) => week.notes)).toEqual([2, 3, 4, 6]);
  expect(growth.at(0)?.notes).toBe(2);
});

it('counts what is past its half-life', async () => {
  const claim = { half_life: 'volatile', claim_provenance: 'asserted' };
  const { run } = await openTestBrain({
    'wiki/a/facts/old.md': note({ ...claim, created_at: ago(31) }),
    'wiki/a/facts/new.md': note({ ...claim, created_at: ago(29) }),
    'raw/old.md': note({ ...claim, created_at: ago(31) }),
  });
  expect((await run(overview)).stale).toBe(1);
});

it('sorts the queue into ages of whole days', async () => {
  const days = [0, 0.9, 1, 3.9, 4, 7.9, 8, 400, -1];
  const { run } = await openTestBrain(
    Object.fromEntries(days.map((age, n) => [`raw/n${n}.md`, note({ created_at: ago(age) })])),
  );
  expect((await run(overview)).queue).toEqual({
    count: 9,
    oldest_at: ago(400),
    ages: { under_1_day: 3, days_1_to_3: 2, days_4_to_7: 2, over_7_days: 2 },
  });
});

it('knows the last write of each note, wherever the note lies now, by its stamps', async () => {
  const { run } = await openTestBrain({
    'wiki/a/facts/a.md': note({ created_at: ago(100), updated_at: ago(1), written_by: 'laptop (codex 1)' }),
    'wiki/a/facts/promoted.md': note({ created_at: ago(30), promoted_at: ago(1), written_by: 'laptop' }),
    'wiki/a/facts/hand.md': note({ created_at: ago(1) }),
    'raw/b.md': note({ created_at: ago(2), written_by: 'human:me' }),
    'raw/c.md': note({ created_at: ago(3), written_by: 'human:me' }),
    'raw/rejected/d.md': note({ created_at: ago(3), written_by: 'desktop' }),
    'knowledge/e.md': note({ created_at: ago(7), written_by: 'desktop' }),
  });
  expect((await run(overview)).writes).toEqual({
    notes: 4,
    writer_count: 3,
    writers: [
      { written_by: 'human:me', notes: 2 },
      { written_by: 'desktop', notes: 1 },
      { written_by: 'laptop (codex 1)', notes: 1 },
    ],
  });
});

it('names twenty writers and counts them all', async () => {
  const files = Array.from({ length: 25 }, (_, n) => [
    `raw/n${n}.md`,
    note({ created_at: ago(1), written_by: `w${n}` }),
  ]);
  const { run } = await openTestBrain(Object.fromEntries(files));
  const { writes } = await run(overview);
  expect([writes.notes, writes.writer_count, writes.writers.length]).toEqual([25, 25, 20]);
});

it('adds up: growth never falls, ends at the count, and its last step is what was added', async () => {
  const age = fc.option(fc.integer({ min: -5, max: 300 }), { nil: undefined });
  await fc.assert(
    fc.asyncProperty(fc.array(age, { maxLength: 30 }), fc.array(fc.nat(30)), async (reviewed, queued) => {
      const { run } = await openTestBrain(
        Object.fromEntries([
          ...reviewed.map((days, n) => [
            `wiki/a/facts/n${n}.md`,
            days === undefined ? '# Undated\n' : note({ created_at: ago(days) }),
          ]),
          ...queued.map((days, n) => [`raw/n${n}.md`, note({ created_at: ago(days) })]),
        ]),
      );
      const { notes, added, growth, queue } = await run(overview);
      const counts = growth.map((week) => week.notes);
      expect(counts).toEqual(
        growth.map(
          ({ until }, week) =>
            reviewed.filter((days) => week === 25 || days === undefined || ago(days) <= until).length,
        ),
      );
      expect(counts.at(-1)).toBe(notes);
      expect(added).toBe(notes - (counts.at(-2) ?? 0));
      expect(Object.values(queue.ages).reduce((sum, each) => sum + each, 0)).toBe(queue.count);
      const ages = (await run(listPending)).pending.map(({ age_days }) => age_days);
      expect(queue.ages.under_1_day).toBe(ages.filter((days) => days === 0).length);
      expect(queue.ages.over_7_days).toBe(ages.filter((days) => days > 7).length);
    }),
    { numRuns: 100 },
  );
});
