import { capture } from '../../../src/core/notes/capture';
import { editNote } from '../../../src/core/notes/edit';
import { updateNote } from '../../../src/core/notes/update';
import { writeNote } from '../../../src/core/notes/write';
import { rejectNote } from '../../../src/core/review/reject';
import { restoreNote } from '../../../src/core/review/return';
import { agent, callerWith, openTestBrain, person, type TestBrain } from '../../support/test-brain';

const TEXT = '# Quokka\n\nThe quokka budget is 4711 euro a year. See [[nowhere]].\n';
const PLACE = { wing: 'zoo', hall: 'facts' } as const;
const OWN = '---\ncreated_at: 2026-11-04T09:00:00Z\norigin: mcp\nwritten_by: bot\n---\n# Own\n\nMine.\n';
const bot = callerWith(['read', 'write'], 'bot');
const eve = callerWith(['read', 'write'], 'eve');
const proposer = callerWith(['propose'], 'bot');
const stranger = callerWith(['propose'], 'stranger');
const limited = { ...callerWith(['read', 'write'], 'guest'), limits: { read: ['wiki'] } };
const WHY = { by: 'human:me', reason: 'wrong budget', rejected_at: '2026-11-20T10:32:00Z' };

/** Opens a vault in which a text of the bot was rejected. */
async function rejected(): Promise<TestBrain & { readonly at: string }> {
  const world = await openTestBrain({
    'wiki/zoo/facts/own.md': OWN,
  });
  const { path } = await world.run(writeNote, { ...PLACE, slug: 'quokka', content: TEXT }, proposer);
  const { rejected_path: at } = await world.run(rejectNote, { path, reason: WHY.reason }, person);
  return { ...world, at };
}

/** The text in other dresses that say the same. */
const DRESSES = [
  TEXT,
  '# QUOKKA\n\n\nThe **quokka** budget is 4711 euro  a year; see nowhere\n',
  '---\ntags: [money]\n---\n# Quokka\nThe quokka budget is 4711 euro a year.\nSee nowhere.',
];

/** The ways by which an agent puts a text into the vault. */
const WAYS = [
  [writeNote, (content: string) => ({ content })],
  [writeNote, (content: string) => ({ ...PLACE, slug: 'again', content })],
  [writeNote, (content: string) => ({ ...PLACE, slug: 'own', content, overwrite: true })],
  [capture, (text: string) => ({ text })],
  [updateNote, (content: string) => ({ path: 'wiki/zoo/facts/own.md', content, reason: 'more' })],
  [
    editNote,
    (content: string) => ({
      path: 'wiki/zoo/facts/own.md',
      replace: { old: '# Own\n\nMine.\n', new: content.replace(/^---[^]*---\n/, '') },
    }),
  ],
] as const;

it('refuses a rejected text in every dress, by every way of an agent, with the reason', async () => {
  const { refusal, close, at } = await rejected();
  for (const dress of DRESSES) {
    for (const [op, input] of WAYS) {
      for (const dry_run of [false, true]) {
        const error = await refusal(op, { ...input(dress), dry_run }, bot);
        expect(error).toMatchObject({ code: 'rejected_before', details: { ...WHY, path: at } });
        expect(error.message).toContain(WHY.reason);
      }
    }
  }
  expect(await refusal(writeNote, { content: TEXT }, eve)).toMatchObject({ details: { ...WHY, path: at } });
  await close();
});

it('tells the reason only to who may read the rejected note or proposed it', async () => {
  const { refusal, close, at } = await rejected();
  expect(await refusal(capture, { text: TEXT }, proposer)).toMatchObject({ details: { ...WHY, path: at } });
  const author = { ...bot, limits: { read: ['wiki'] } };
  expect((await refusal(capture, { text: TEXT }, author)).details).toEqual(WHY);
  for (const caller of [stranger, limited]) {
    const error = await refusal(capture, { text: TEXT }, caller);
    expect(error.code).toBe('rejected_before');
    expect(JSON.stringify(error)).not.toMatch(/wrong budget|human:me|2026-11-20|raw\//);
  }
  await close();
});

it('writes another text, and the same one for who acts for the owner, who is warned', async () => {
  const { run, close, at } = await rejected();
  await run(capture, { text: TEXT.replace('4711', '4712') }, bot);
  for (const caller of [person, agent]) {
    const { warnings } = await run(
      writeNote,
      { ...PLACE, slug: caller.name, content: TEXT, dry_run: true },
      caller,
    );
    expect(warnings.filter((each) => each.includes(at) && each.includes(WHY.reason))).toHaveLength(1);
  }
  const { warnings } = await run(
    updateNote,
    { path: 'wiki/zoo/facts/own.md', content: TEXT, reason: 'mine', dry_run: true },
    person,
  );
  expect(warnings.join()).toContain(WHY.reason);
  await close();
});

it('refuses no more once the rejection is taken back, or the text has its place', async () => {
  const { run, refusal, close, at } = await rejected();
  const again = { content: `${TEXT}\n`, slug: 'again' };
  expect((await refusal(writeNote, again, bot)).code).toBe('rejected_before');
  const { path } = await run(restoreNote, { path: at }, person);
  await run(writeNote, { ...again, dry_run: true }, bot);
  await run(rejectNote, { path, reason: 'no' }, person);
  expect((await refusal(writeNote, again, bot)).code).toBe('rejected_before');
  const mine = await run(writeNote, { content: TEXT, slug: 'mine' }, person);
  expect(mine.path).toBe('knowledge/mine.md');
  await run(writeNote, { ...again, dry_run: true }, bot);
  await close();
});

it('lets an author revise a note of the queue that says the same as another, rejected one', async () => {
  const { run, close } = await openTestBrain();
  const [one, other] = [
    await run(writeNote, { slug: 'one', content: TEXT }, proposer),
    await run(writeNote, { slug: 'other', content: TEXT }, proposer),
  ];
  await run(rejectNote, { path: one.path, reason: 'twice' }, person);
  await run(updateNote, { path: other.path, content: `${TEXT}\n\n`, reason: 'form' }, bot);
  await close();
});
