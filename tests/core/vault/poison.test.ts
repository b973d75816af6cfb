import { inSlices } from '../../../src/core/base/steps';
import { writeNote } from '../../../src/core/notes/write';
import { perform } from '../../../src/core/operation/operation';
import { TextFailed, type TextThreads } from '../../../src/core/ports/ports';
import { listRules, setRule } from '../../../src/core/rules/operations';
import { listPending } from '../../../src/core/review/pending';
import { statusChecks } from '../../../src/core/status/checks';
import { indexWings } from '../../../src/core/wings/operations';
import { inboxWorld } from '../../support/inbox-world';
import { agent, callerWith, openTestBrain, person } from '../../support/test-brain';
import { about, RULE, rulesWorld } from '../rules/rules-world';

const FILLER = 'word '.repeat(4000);
const poison = (title: string): string => `# ${title}\n\nENDS ${FILLER}\n`;
const FINE = `# Fine\n\n${FILLER}\n`;

/** Threads that end at a text with a word, until they are mended. */
function endingThreads(word = 'ENDS') {
  const state = { isMended: false, ends: 0 };
  const threads: TextThreads = {
    async run({ text, here }) {
      if (!state.isMended && text.includes(word)) {
        state.ends += 1;
        throw new TextFailed('out of memory');
      }
      return inSlices(here(), { run: async (work) => work() });
    },
  };
  return { state, threads };
}

const PLACES = ['Own/p.md', 'knowledge/p.md', 'raw/2026-11-01-p.md', 'wiki/net/facts/p.md'];

it('passes over a note that ends its thread, wherever it stands, until someone tries again', async () => {
  const { state, threads } = endingThreads();
  const files = {
    ...Object.fromEntries(PLACES.map((path) => [path, poison(path)])),
    'raw/2026-11-01-fine.md': FINE,
  };
  const world = await openTestBrain(files, {}, undefined, { textThreads: threads });
  const { brain } = world;
  const queue = async () => (await world.run(listPending, {})).pending.map(({ path }) => path).sort();
  const check = async () => (await statusChecks(brain)).find(({ name }) => name === 'unreadable files');
  expect([...brain.catalog.unreadable.keys()].sort()).toEqual(PLACES);
  expect(await queue()).toEqual(['raw/2026-11-01-fine.md']);
  const found = await check();
  expect(found).toMatchObject({ state: 'warning', action: 'try-texts-again' });
  for (const path of PLACES) expect(found?.message).toContain(path);
  // Each text ended two threads, and no more from then on.
  expect(state.ends).toBe(2 * PLACES.length);
  brain.catalog.markDirty({ kind: 'changed', path: brain.catalog.unreadable.keys().next().value ?? never() });
  await brain.refresh();
  expect(state.ends).toBe(2 * PLACES.length);

  state.isMended = true;
  await world.run(indexWings, {}, callerWith(['read', 'write']));
  expect((await check())?.state).toBe('warning');
  await world.run(indexWings, {}, agent);
  expect((await check())?.state).toBe('ok');
  expect(await queue()).toHaveLength(2);
  for (const path of PLACES) expect(world.files.get(path)).toContain('ENDS');
});

/** Threads of which only the look for what acts ends, once it is to. */
function lookOnly(threads: TextThreads, ends: { readonly now: boolean }): TextThreads {
  return {
    run: (call, caller) =>
      ends.now && call.task === 'acting'
        ? threads.run(call, caller)
        : inSlices(call.here(), { run: async (w) => w() }),
  };
}

it('lists a queued note without facts when only the look for what acts ends the thread, and then passes over it', async () => {
  const ends = { now: false };
  const { threads } = endingThreads();
  const files = { 'raw/2026-11-01-p.md': `${poison('P')}\n<b>x</b>\n`, 'raw/2026-11-01-fine.md': FINE };
  const world = await openTestBrain(files, {}, undefined, { textThreads: lookOnly(threads, ends) });
  ends.now = true;
  const first = await world.run(listPending, {});
  const listed = first.pending.find(({ path }) => path.endsWith('-p.md'));
  expect(listed?.risks).toContain('active_content');
  expect((await world.run(listPending, {})).pending.map(({ path }) => path)).toEqual([
    'raw/2026-11-01-fine.md',
  ]);
  expect([...world.brain.catalog.unreadable.values()]).toMatchObject([{ entangled: true }]);
});

it('tries a text again that only the view of a limited token has passed over', async () => {
  const { threads, state } = endingThreads();
  const ends = { now: false };
  const path = 'raw/2026-11-01-p.md';
  const files = { [path]: `${poison('P')}\n<b>x</b>\n` };
  const world = await openTestBrain(files, {}, undefined, { textThreads: lookOnly(threads, ends) });
  const limited = { ...callerWith(['read']), limits: { read: ['raw'] } };
  const queue = async () => (await world.run(listPending, {}, limited)).pending.map((note) => note.path);
  ends.now = true;
  expect(await queue()).toEqual([path]);
  expect(await queue()).toEqual([]);
  state.isMended = true;
  await world.run(indexWings, {}, agent);
  expect(await queue()).toEqual([path]);
});

it('refuses such a text and writes nothing, also in a dry run', async () => {
  const { threads } = endingThreads();
  const world = await openTestBrain({}, {}, undefined, { textThreads: threads });
  const sent = { content: poison('Sent'), wing: 'net', hall: 'facts', filename: 'sent' };
  for (const more of [{}, { dry_run: true }]) {
    const refused = await world.refusal(writeNote, { ...sent, ...more });
    expect(refused).toMatchObject({
      code: 'too_entangled',
      message: expect.stringContaining('Split it') as string,
    });
  }
  await perform(world.brain, writeNote, { ...sent, content: FINE }, agent);
  const [list] = [...world.state.files].flatMap(([path, text]) => (path.endsWith('texts.log') ? [text] : []));
  const marks =
    list
      ?.trim()
      .split('\n')
      .map(([mark]) => mark) ?? [];
  expect(marks.length).toBeGreaterThan(0);
  expect(marks.filter((mark) => mark === '-')).toHaveLength(marks.length / 2);
});

it('puts a file of the inbox that ends its thread into quarantine, and takes the next one', async () => {
  const { threads } = endingThreads();
  const world = inboxWorld({}, undefined, threads);
  await world.start('on');
  world.drop('inbox/p.md', poison('P'));
  world.drop('inbox/fine.md', FINE);
  for (let minute = 0; minute < 10; minute += 1) await world.pass(60_000);
  expect(world.quarantined).toMatchObject([{ from: 'inbox/p.md', code: 'too_entangled' }]);
  expect(world.paths('raw')).toHaveLength(1);
  await world.stop();
});

it.each(['facts', 'acting', 'gate', 'gate of the promotion'])(
  'lets a rule go on past a note whose %s end the thread, until someone tries again',
  async (ending) => {
    const [task = ''] = ending.split(' ');
    let [ends, calls] = [Infinity, 0];
    const threads: TextThreads = {
      async run(call) {
        const isPoison = call.task === task && call.text.includes('ENDS');
        if (isPoison && (calls += 1) > ends) throw new TextFailed('out of memory');
        return inSlices(call.here(), { run: async (work) => work() });
      },
    };
    const world = await rulesWorld({}, threads);
    const { queued, dryRun, act, files, run, brain } = world;
    const at = (name: string): boolean => files.has(`wiki/net/facts/${name}.md`);
    await world.propose('alder', about('Alder'));
    if (task !== 'gate') ends = 0;
    const path = await queued('poison', `${poison('Poison')}\nSome \`code\`.\n`);
    await world.propose('birch', about('Birch'));
    const { tried } = await dryRun();
    // A run asks the gate as often as this look does, and then promotes.
    if (task === 'gate') ends = ending === 'gate' ? 0 : calls;
    calls = 0;
    await run(setRule, { ...RULE, on: true, tried }, person);
    for (let runs = 0; runs < 4; runs += 1) await act();
    expect([at('alder'), at('poison'), at('birch')]).toEqual([true, false, true]);
    expect((await run(listRules, {}, person)).rules).toMatchObject([{ on: true, failures: 0 }]);
    const named = (await statusChecks(brain)).find(({ name }) => name === 'unreadable files');
    expect(named?.message).toContain(path);
    expect(calls).toBeLessThanOrEqual(ends + 2);

    ends = Infinity;
    await run(indexWings, {}, agent);
    await act();
    expect(at('poison')).toBe(true);
  },
);

function never(): never {
  throw new Error('No note is unreadable.');
}
