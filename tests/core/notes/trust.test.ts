import { answerNotes } from '../../../src/core/answer/operation';
import { sha256 } from '../../../src/core/base/hash';
import { getNote } from '../../../src/core/notes/get';
import { updateNote } from '../../../src/core/notes/update';
import { writeNote } from '../../../src/core/notes/write';
import type { Caller } from '../../../src/core/access/tokens';
import { promoteNote } from '../../../src/core/review/promote';
import { listNotes } from '../../../src/core/search/list';
import { queryNotes } from '../../../src/core/search/query';
import { callerWith, NOW, openTestBrain, person } from '../../support/test-brain';

const PLACE = { wing: 'zoo', hall: 'facts' } as const;
const bot = callerWith(['read', 'write'], 'bot');
const proposer = callerWith(['read', 'propose'], 'bot');
const BODY =
  '# Quokka budget\n\nThe quokka budget of the northern enclosure is 4711 euro a year, says the board.\n';

/** A vault with a note that a person took over, one that an agent wrote, one of the owner, and one that waits. */
async function zoo() {
  const world = await openTestBrain({
    'Plans/quokka.md': '---\ncreated_at: 2020-01-01\n---\nThe owner plans a quokka budget.\n',
  });
  const { run } = world;
  const { path } = await run(writeNote, { ...PLACE, slug: 'quokka', content: BODY }, proposer);
  await run(promoteNote, { path, ...PLACE, slug: 'quokka' }, person);
  await run(
    writeNote,
    { wing: 'zoo', hall: 'hypotheses', slug: 'guess', content: '# Guess\n\nThe quokka budget may be 9.\n' },
    bot,
  );
  await run(writeNote, { ...PLACE, slug: 'later', content: '# Quokka budget\n\nIt is 10.\n' }, proposer);
  return world;
}
const REVIEWED = ['Plans/quokka.md', 'wiki/zoo/facts/quokka.md'];

it.each<[string, object]>([
  ['a field', { query: 'quokka budget', reviewed: true }],
  ['an operator', { query: 'quokka budget reviewed:true' }],
  ['an operator alone', { query: 'Reviewed:true' }],
])(
  'a search for reviewed notes by %s finds those and the notes of the owner, also where fewer are asked for',
  async (_, asked) => {
    const { run } = await zoo();
    const pathsOf = async (limit: number) =>
      (await run(queryNotes, { ...asked, limit })).results.map(({ path }) => path);
    const all = await pathsOf(10);
    expect([...all].sort()).toEqual(REVIEWED);
    expect(await pathsOf(1)).toEqual(all.slice(0, 1));
  },
);

it('a search for reviewed notes leaves out one that was rewritten since, whatever stands before it', async () => {
  const world = await openTestBrain();
  const { run } = world;
  for (let at = 0; at < 12; at += 1) {
    const slug = `quokka-${at}`;
    const content = `# Enclosure ${at}\n\n${'quokka '.repeat(12 - at)}has ${at} keepers.\n`;
    const { path } = await run(writeNote, { ...PLACE, slug, content }, proposer);
    await run(promoteNote, { path, ...PLACE, slug }, person);
    if (at < 9)
      await run(
        updateNote,
        { path: `wiki/zoo/facts/${slug}.md`, content: `${content}And more.\n`, reason: 'r' },
        bot,
      );
  }
  const { results } = await run(queryNotes, { query: 'quokka keepers', reviewed: true, limit: 2 });
  expect(results.map(({ path }) => path)).toEqual([
    'wiki/zoo/facts/quokka-9.md',
    'wiki/zoo/facts/quokka-10.md',
  ]);
});

it('`reviewed:true` is a word where notes are found by it alone, and -reviewed:true filters nothing', async () => {
  const { run } = await openTestBrain({
    'wiki/zoo/facts/flag.md': '# Flag\n\nSet -reviewed:true to skip.\n',
  });
  const { results, parsed } = await run(queryNotes, { query: 'flag -reviewed:true' });
  expect([results.length, parsed]).toEqual([1, undefined]);
});

it('the date of a note of the owner is that of its file, and lists go by it', async () => {
  const { run, clock, vault, brain, files } = await zoo();
  clock.advance(86_400_000);
  vault.outside('Plans/quokka.md', `${files.get('Plans/quokka.md')}More.\n`);
  await brain.refresh();
  expect(await run(getNote, { path: 'Plans/quokka.md' })).toMatchObject({ date: '2026-11-21T10:32:00Z' });
  expect(await run(getNote, { path: 'wiki/zoo/facts/quokka.md' })).toMatchObject({ date: NOW });
  const { notes } = await run(listNotes, { order: 'recent' });
  expect(notes[0]).toMatchObject({ path: 'Plans/quokka.md', changed_at: '2026-11-21T10:32:00Z' });
});

it('an older version says so, and names the note as it is now', async () => {
  const { run, files } = await zoo();
  const path = 'wiki/zoo/facts/quokka.md';
  const hash = sha256(files.get(path) ?? '');
  expect(await run(getNote, { hash })).not.toHaveProperty('current_hash');
  await run(updateNote, { path, content: BODY.replace('4711', '4712'), reason: 'more' }, bot);
  const current = sha256(files.get(path) ?? '');
  const old = await run(getNote, { hash });
  expect(old).toMatchObject({ path, superseded_by: path, current_hash: current });
  expect(await run(getNote, { path })).not.toHaveProperty('superseded_by');
});

it('a read tells of a reviewed note that says nearly the same under another title', async () => {
  const { run } = await zoo();
  const content = BODY.replace('# Quokka budget', '# Money of the quokkas').replace('says', 'tells');
  await run(writeNote, { wing: 'zoo', hall: 'hypotheses', slug: 'money', content }, bot);
  expect(await run(getNote, { path: 'wiki/zoo/hypotheses/money.md' })).toMatchObject({
    reviewed: null,
    same_subject: 'wiki/zoo/facts/quokka.md',
  });
  expect(await run(getNote, { path: 'wiki/zoo/facts/quokka.md' })).not.toHaveProperty('same_subject');
});

it('a read counts the notes of the queue with the same title', async () => {
  const { run } = await zoo();
  expect(await run(getNote, { path: 'wiki/zoo/facts/quokka.md' })).toMatchObject({ waiting: 1 });
  expect(await run(getNote, { path: 'wiki/zoo/hypotheses/guess.md' })).not.toHaveProperty('waiting');
});

it('a view names no note and no reviewer of a note that it does not hold', async () => {
  const { run, files, vault, brain } = await zoo();
  const text = files.get('wiki/zoo/facts/quokka.md') ?? '';
  // A copy of the reviewed text, without the stamps of its promotion; and a note that a hidden one supersedes.
  const bare = text.replace(/^promoted_.*\n/gm, '');
  vault.outside('wiki/open/facts/copy.md', bare);
  vault.outside(
    'wiki/open/facts/old.md',
    '---\nsuperseded_by: "[[wiki/zoo/facts/quokka]]"\n---\n# Old\n\nA quokka budget.\n',
  );
  await brain.refresh();
  const narrow: Caller = { ...bot, limits: { read: ['wiki/open'] } };
  const told = async (caller: Caller) => [
    await run(getNote, { path: 'wiki/open/facts/copy.md' }, caller),
    await run(getNote, { path: 'wiki/open/facts/old.md' }, caller),
    await run(queryNotes, { query: 'quokka budget' }, caller),
    await run(answerNotes, { query: 'What is the quokka budget?' }, caller),
  ];
  expect(JSON.stringify(await told(bot))).toContain('"superseded_by":"wiki/zoo/facts/quokka.md"');
  expect(JSON.stringify(await told(bot))).toContain('"same_subject":"wiki/zoo/facts/quokka.md"');
  const narrowly = JSON.stringify(await told(narrow));
  for (const mark of ['quokka.md', 'human:me', 'waiting', 'same_subject'])
    expect(narrowly).not.toContain(mark);
});
