import { setImmediate } from 'node:timers/promises';
import { inSlices } from '../../../src/core/base/steps';
import { updateNote } from '../../../src/core/notes/update';
import { writeNote } from '../../../src/core/notes/write';
import type { TextThreads } from '../../../src/core/ports/ports';
import { promoteNote } from '../../../src/core/review/promote';
import { replaceNote } from '../../../src/core/review/replace';
import { callerWith, openTestBrain, type TestBrain } from '../../support/test-brain';

const LONG = `# Long\n\n${'Many words of one paragraph. '.repeat(600)}\n`;
const slow = { ...callerWith(undefined, 'slow'), owner: true };
const quick = { ...callerWith(undefined, 'quick'), owner: true };
const at = { wing: 'net', hall: 'facts' };
const note = (body: string, front = '') =>
  `---\nwing: net\nhall: facts\nwritten_by: bot\n${front}---\n${body}`;

const ASKED: readonly [string, (world: TestBrain) => Promise<unknown>][] = [
  ['a new note', ({ run }) => run(writeNote, { ...at, slug: 'new', content: LONG }, slow)],
  [
    'the first note of a wing',
    ({ run }) => run(writeNote, { wing: 'first', hall: 'facts', slug: 'a', content: LONG }, slow),
  ],
  [
    'an update',
    ({ run }) => run(updateNote, { path: 'wiki/net/facts/old.md', content: LONG, reason: 'new' }, slow),
  ],
  ['a promotion', ({ run }) => run(promoteNote, { path: 'raw/2026-11-19-long.md', ...at }, slow)],
  [
    'a replacement',
    ({ run }) =>
      run(
        replaceNote,
        { path: 'raw/2026-11-19-long.md', replaces: 'wiki/net/facts/old.md', reason: 'better' },
        slow,
      ),
  ],
];

it.each(ASKED)('lets others write and promote whenever a text of %s is read', async (_, ask) => {
  // Threads in which the texts of one caller wait for the changes of another, or for a thousand turns.
  const held: string[] = [];
  const callers = new Set<string>();
  let others: (() => Promise<unknown>) | null = null;
  const threads: TextThreads = {
    async run({ task, here }, caller) {
      callers.add(caller);
      if (caller !== 'quick' && others !== null) {
        let isDone = false;
        const done = others().then(() => (isDone = true));
        for (let turns = 0; !isDone && turns < 1000; turns += 1) await setImmediate();
        if (!isDone) held.push(task);
        await Promise.race([done, setImmediate()]);
      }
      return inSlices(here(), { run: async (work) => work() });
    },
  };
  const files: Record<string, string> = {
    'wiki/net/facts/old.md': note(`# Old\n\n${'Old words. '.repeat(1600)}\n`),
    'raw/2026-11-19-long.md': note(LONG),
  };
  for (let number = 0; number < 10; number += 1) {
    files[`raw/2026-11-19-short${number}.md`] = note(`# Short ${number}\n\nA short text ${number}.\n`);
    files[`wiki/net/facts/names${number}.md`] = note(`# Names ${number}\n\n[[2026-11-19-short${number}]]\n`);
  }
  const world = await openTestBrain(files, {}, undefined, { textThreads: threads });
  let count = 0;
  callers.clear();
  others = async () => {
    world.clock.advance(1000);
    const number = count++;
    await world.run(writeNote, { ...at, slug: `w${number}`, content: `# W ${number}\n` }, quick);
    await world.run(promoteNote, { path: `raw/2026-11-19-short${number}.md`, ...at }, quick);
    const content = `${LONG}\n${number}\n`;
    await world.run(writeNote, { ...at, slug: `l${number}`, content }, quick);
  };
  await ask(world);
  others = null;
  expect({ held, count: count > 1 }).toEqual({ held: [], count: true });
  expect([...callers].sort()).toEqual(['quick', 'slow']);
  await world.close();
});

it('gives a change no earlier time than another one that came in between', async () => {
  let between: (() => Promise<unknown>) | null = null;
  const threads: TextThreads = {
    async run({ here }) {
      const others = between;
      between = null;
      await others?.();
      return inSlices(here(), { run: async (work) => work() });
    },
  };
  const path = 'wiki/net/facts/old.md';
  const world = await openTestBrain({ [path]: note('# Old\n') }, {}, undefined, { textThreads: threads });
  let first: unknown;
  between = async () => {
    world.clock.advance(5000);
    first = await world.run(updateNote, { path, content: '# First\n', reason: 'first' }, quick);
  };
  const second = await world.run(updateNote, { path, content: LONG, reason: 'second' }, slow);
  expect(first).toMatchObject({ content_hash: second.supersedes, updated_at: second.updated_at });
});
