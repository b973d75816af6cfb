import { readFileSync } from 'node:fs';
import { answerTo, open, type Question, questions, record, type Recorded } from './answers';
import { live } from './live';
import { start, type World } from './world';

const lines = readFileSync('tests/fixtures/histories/histories.jsonl', 'utf8').trimEnd().split('\n');
const RECORDED = lines.map((line): Recorded => JSON.parse(line));

async function answersTo(world: World, asked: readonly Question[]): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const question of asked) answers.push([...question, await answerTo(world, ...question)]);
  return answers;
}

const words = (text: string): string[] => text.split(' ');

/** What a recorded line has only after certain steps. */
const TOLD = [
  ...words('promoted rejected restored adopted returned replaced confirmed moved undone').map(
    (kind) => `"kind":"${kind}"`,
  ),
  ...words('revert queue unpromote restore sources root').map((action) => `"action":"${action}"`),
  ...words('changed_since edited_since not_ours in_queue').map((reason) => `"reason":"${reason}"`),
  ...words('written duplicate rejected_before').map((status) => `"status":"${status}"`),
  ...words('"rejected_before":true "snoozed_until" "taken_back" "last_at" "ready":[{ ,"cut"] ["tear"'),
];
const DONE = words(
  'adopt backfillRefs capture confirm editRoot ingest ingestRaw move promote reject replace restore setRule snooze ' +
    'tunnels undo undoBack unpromote update write',
);

describe('recorded histories', () => {
  it('together have everything that a past may hold', () => {
    expect(RECORDED).toHaveLength(38);
    const file = lines.join('');
    expect(TOLD.filter((told) => !file.includes(told))).toEqual([]);
    const done = RECORDED.flatMap(({ steps }) => steps.filter(({ length }) => length === 3));
    expect([...new Set(done.map(([, name]) => name))].sort()).toEqual(DONE);
  });

  it.each(RECORDED.map((history) => [history.seed, history] as const))(
    'are told as they were: %i',
    async (_, history) => {
      const world = await open(history);
      const asked = history.answers.map(([who, name, input]): Question => [who, name, input]);
      // An answer may say more than it did, and nothing else.
      expect(await answersTo(world, asked)).toMatchObject(history.answers);
      await world.opened.close();
    },
  );
});

describe('a history that is lived now', () => {
  it('is the same for the same seed', async () => {
    const seed = 1001;
    expect(JSON.stringify(await record(seed))).toBe(JSON.stringify(await record(seed)));
  });

  it.each([1002, 1003])('is told alike before and after a start: %i', async (seed) => {
    const lived = await live(seed);
    const asked: Question[] = [];
    for await (const question of questions(lived, lived)) asked.push(question);
    const before = await answersTo(lived, asked);
    await lived.opened.close();
    const again = await start(lived, lived.state.files, lived.device);
    expect(await answersTo(again, asked)).toEqual(before);
    await again.opened.close();
  });
});
