import { updateNote } from '../../../src/core/notes/update';
import { writeNote } from '../../../src/core/notes/write';
import { promoteNote } from '../../../src/core/review/promote';
import { listNotes } from '../../../src/core/search/list';
import { queryNotes } from '../../../src/core/search/query';
import { queryTool } from '../../../src/core/search/tool';
import { callerWith, openTestBrain, person, type TestBrain } from '../../support/test-brain';

const DAY_MS = 86_400_000;
const PLACE = { wing: 'zoo', hall: 'facts' } as const;
const bot = callerWith(['read', 'write'], 'bot');
const eve = callerWith(['read', 'write', 'propose'], 'eve');
const old = (slug: string): string =>
  `---\ncreated_at: 2026-11-01T09:00:00Z\norigin: mcp\nwritten_by: bot\n---\n# ${slug}\n\nAbout an owl.\n`;

/** A vault in which three notes have changed in the last day. */
async function changed(): Promise<TestBrain> {
  const world = await openTestBrain({
    'wiki/zoo/facts/old.md': old('old'),
    'wiki/zoo/facts/edited.md': old('edited'),
    'wiki/lab/facts/other.md': old('other'),
  });
  const { run, clock } = world;
  await run(
    updateNote,
    { path: 'wiki/zoo/facts/edited.md', content: '# edited\n\nThe owl.', reason: 'x' },
    eve,
  );
  clock.advance(1000);
  await run(writeNote, { ...PLACE, slug: 'new', content: '# new\n\nAn owl that is new.' }, bot);
  clock.advance(1000);
  const asked = { ...PLACE, slug: 'judged', content: '# judged\n\nThe owl was judged.' };
  const { path } = await run(writeNote, asked, callerWith(['propose'], 'eve'));
  await run(promoteNote, { path, ...PLACE, slug: 'judged' }, person);
  await run(
    writeNote,
    { slug: 'waits', content: '# waits\n\nAn owl waits.' },
    callerWith(['propose'], 'eve'),
  );
  return world;
}

const IN_ORDER = [
  ['wiki/zoo/facts/judged.md', 'promoted', 'human:me'],
  ['wiki/zoo/facts/new.md', 'new', 'bot'],
  ['wiki/zoo/facts/edited.md', 'updated', 'eve'],
];

it.each(['24h', '1d', '2026-11-20', '2026-11-20T00:00:00Z'])(
  'lists what changed since %s, with what happened and by whom, the newest first',
  async (since) => {
    const { run, close } = await changed();
    const { notes, total } = await run(listNotes, { since, order: 'recent' }, bot);
    expect([total, notes.map(({ path, what, by }) => [path, what, by])]).toEqual([3, IN_ORDER]);
    const { results } = await run(queryTool, { since }, bot);
    expect(results.map(({ path, what, by }) => [path, what, by])).toEqual(IN_ORDER);
    expect(results[1]).toMatchObject({ title: 'new', status: 'wiki', date: '2026-11-20T10:32:01Z' });
    expect(String(results[1]?.excerpt)).toContain('An owl that is new');
    await close();
  },
);

it('finds and orders by date where it searches too', async () => {
  const { run, close } = await changed();
  const query = 'owl';
  const since = await run(queryNotes, { query, since: '24h' }, bot);
  expect(since.results.map(({ path }) => path).sort()).toEqual(IN_ORDER.map(([path]) => path).sort());
  const recent = await run(queryTool, { query, order: 'recent', wing: 'zoo' }, bot);
  const dates = recent.results.map(({ date }) => String(date));
  expect([dates.length, dates]).toEqual([4, [...dates].sort().reverse()]);
  await close();
});

it('filters the list by place, state and writer, and has a beginning and an end', async () => {
  const { run, clock, refusal, close } = await changed();
  const paths = async (ask: object): Promise<unknown[]> =>
    (await run(queryTool, ask, bot)).results.map(({ path }) => path);
  expect(await paths({ wing: 'lab' })).toEqual(['wiki/lab/facts/other.md']);
  expect(await paths({ under: 'wiki/zoo', since: '24h', written_by: 'bot' })).toEqual([
    'wiki/zoo/facts/new.md',
  ]);
  expect(await paths({ status: 'raw' })).toEqual(['raw/2026-11-20-waits.md']);
  expect(await paths({ include_raw: true })).toHaveLength(6);
  expect(await paths({ limit: 1 })).toEqual(['wiki/zoo/facts/judged.md']);
  clock.advance(2 * DAY_MS);
  expect(await paths({ since: '24h' })).toEqual([]);
  for (const op of [queryTool, listNotes])
    expect(await refusal(op, { since: 'yesterday' }, bot)).toMatchObject({
      code: 'invalid_field',
      details: { field: 'since' },
    });
  expect((await refusal(queryTool, { not_stale: true }, bot)).code).toBe('missing_field');
  expect((await refusal(queryTool, { status: 'attachment' }, bot)).code).toBe('invalid_field');
  expect((await refusal(queryTool, { query: ' ' }, bot)).code).toBe('empty_query');
  expect((await refusal(queryNotes, { since: '24h' }, bot)).code).toBe('missing_field');
  await close();
});
