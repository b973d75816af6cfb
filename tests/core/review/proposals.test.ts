import { capture } from '../../../src/core/notes/capture';
import { editNote } from '../../../src/core/notes/edit';
import { updateNote } from '../../../src/core/notes/update';
import { writeNote } from '../../../src/core/notes/write';
import { listDecisions } from '../../../src/core/review/decisions';
import { listPending } from '../../../src/core/review/pending';
import { promoteNote } from '../../../src/core/review/promote';
import { rejectNote, withdrawNote } from '../../../src/core/review/reject';
import { replaceNote } from '../../../src/core/review/replace';
import { restoreNote, unpromoteNote } from '../../../src/core/review/return';
import { callerWith, openTestBrain, person, type TestBrain } from '../../support/test-brain';

const bot = callerWith(['read', 'write'], 'bot');
const proposer = callerWith(['propose'], 'bot');
const eve = callerWith(['read', 'write', 'propose'], 'eve');
const reader = callerWith(['read'], 'reader');
const PLACE = { wing: 'zoo', hall: 'facts' } as const;

/** Proposes a note; returns its path in the queue. */
async function propose({ run }: TestBrain, slug: string, caller = proposer): Promise<string> {
  const { path } = await run(
    writeNote,
    { ...PLACE, slug, content: `# ${slug}\n\nOf the ${slug}.\n` },
    caller,
  );
  return path;
}

it('shows an author what became of its proposals, and no other one', async () => {
  const world = await openTestBrain({ 'wiki/zoo/facts/old.md': '# Old\n\nText.\n' });
  const { run, clock, close } = world;
  const paths: Record<string, string> = {};
  for (const slug of ['waits', 'promoted', 'rejected', 'replaced', 'withdrawn', 'restored', 'unpromoted']) {
    paths[slug] = await propose(world, slug);
    clock.advance(1000);
  }
  await propose(world, 'other', callerWith(['propose'], 'eve'));
  const at = (slug: string): { path: string } => ({ path: paths[slug] ?? '' });
  await run(promoteNote, { ...at('promoted'), ...PLACE, slug: 'promoted' }, person);
  clock.advance(1000);
  await run(rejectNote, { ...at('rejected'), reason: 'wrong year' }, person);
  clock.advance(1000);
  await run(replaceNote, { ...at('replaced'), replaces: 'wiki/zoo/facts/old.md', reason: 'better' }, person);
  clock.advance(1000);
  const gone = await run(withdrawNote, { ...at('withdrawn'), reason: 'mine was first' }, proposer);
  const { rejected_path } = await run(rejectNote, at('restored'), person);
  await run(restoreNote, { path: rejected_path }, person);
  await run(promoteNote, { ...at('unpromoted'), ...PLACE, slug: 'unpromoted' }, person);
  await run(unpromoteNote, { path: 'wiki/zoo/facts/unpromoted.md' }, person);
  for (const caller of [proposer, bot]) {
    const { proposals = [], total, pending } = await run(listPending, { mine: true }, caller);
    expect(pending).toEqual([]);
    expect(total).toBe(7);
    expect(
      proposals.map(({ proposed_as, path, decision, by, reason }) => [
        proposed_as,
        decision,
        path,
        by,
        reason,
      ]),
    ).toEqual([
      [paths.unpromoted, 'waiting', paths.unpromoted, undefined, undefined],
      [paths.restored, 'waiting', paths.restored, undefined, undefined],
      [paths.waits, 'waiting', paths.waits, undefined, undefined],
      [paths.withdrawn, 'withdrawn', gone.rejected_path, 'bot', 'mine was first'],
      [paths.replaced, 'replaced', 'wiki/zoo/facts/old.md', 'human:me', 'better'],
      [paths.rejected, 'rejected', 'raw/rejected/2026-11-20-rejected.md', 'human:me', 'wrong year'],
      [paths.promoted, 'promoted', 'wiki/zoo/facts/promoted.md', 'human:me', undefined],
    ]);
  }
  const page = await run(listPending, { mine: true, limit: 1, offset: 3 }, proposer);
  expect(page.proposals).toMatchObject([{ decision: 'withdrawn', title: 'withdrawn' }]);
  expect((await run(listPending, { mine: true }, reader)).proposals).toEqual([]);
  await close();
});

it('lists the queue to who may read it alone', async () => {
  const world = await openTestBrain();
  await propose(world, 'one', eve);
  expect(await world.refusal(listPending, {}, proposer)).toMatchObject({
    code: 'forbidden_scope',
    message: expect.stringContaining('"mine": true'),
  });
  expect((await world.run(listPending, {}, reader)).proposals).toBeUndefined();
  await world.close();
});

it('withdraws what the caller has proposed, and nothing else', async () => {
  const world = await openTestBrain({
    'wiki/zoo/facts/old.md': '# Old\n\nText.\n',
    'raw/plain.md': '# Plain\n',
  });
  const { run, refusal, files, close } = world;
  const [mine, promoted, others] = [
    await propose(world, 'mine'),
    await propose(world, 'promoted'),
    await propose(world, 'others', callerWith(['propose'], 'eve')),
  ];
  const { path: now } = await run(promoteNote, { path: promoted, ...PLACE }, person);
  expect((await refusal(withdrawNote, { path: others }, bot)).code).toBe('forbidden_scope');
  expect((await refusal(withdrawNote, { path: 'raw/plain.md' }, bot)).code).toBe('forbidden_scope');
  const hidden = await refusal(withdrawNote, { path: others }, proposer);
  const missing = await refusal(withdrawNote, { path: 'raw/2026-11-20-nothing.md' }, proposer);
  expect(hidden.code).toBe('note_not_found');
  expect(hidden.message.replace(others, '')).toBe(missing.message.replace('raw/2026-11-20-nothing.md', ''));
  for (const path of [promoted, now])
    expect(await refusal(withdrawNote, { path }, bot)).toMatchObject({
      code: 'not_in_queue',
      message: expect.stringMatching(/promoted, and is at|was promoted/),
    });
  expect((await refusal(withdrawNote, { path: 'wiki/zoo/facts/old.md' }, bot)).code).toBe('note_not_found');
  expect((await refusal(withdrawNote, { path: mine, expected_hash: 'ab'.repeat(32) }, bot)).code).toBe(
    'hash_mismatch',
  );
  expect((await refusal(withdrawNote, { path: mine }, reader)).code).toBe('forbidden_scope');
  const text = files.get(mine);
  await run(withdrawNote, { path: mine, dry_run: true }, proposer);
  expect(files.get(mine)).toBe(text);
  const { rejected_path } = await run(withdrawNote, { path: mine, reason: 'stale' }, proposer);
  expect(files.has(mine)).toBe(false);
  const { decisions } = await run(listDecisions, { kind: 'withdrawn' }, person);
  expect(decisions).toMatchObject([{ kind: 'withdrawn', by: 'bot', reason: 'stale', take_back: 'restore' }]);
  const { path: back } = await run(restoreNote, { path: rejected_path }, person);
  expect([back, files.get(back)]).toEqual([mine, text]);
  await close();
});

it('lets what was withdrawn be proposed again, by anyone', async () => {
  const world = await openTestBrain();
  const { run, close } = world;
  const path = await propose(world, 'again');
  await run(withdrawNote, { path }, { ...proposer, client: 'claude-code 2.1' });
  expect(await propose(world, 'again')).toBe(path);
  await run(capture, { text: '# again\n\nOf the again.\n', dry_run: true }, bot);
  await run(capture, { text: '# again\n\nOf the again.\n', dry_run: true }, eve);
  const { pending } = await run(listPending, { path }, person);
  expect(pending).toMatchObject([{ rejected_before: false, risks: [] }]);
  await close();
});

it('lets a token that may only propose mend its own proposals, and nothing else', async () => {
  const world = await openTestBrain({
    'wiki/zoo/facts/own.md':
      '---\ncreated_at: 2026-11-04T09:00:00Z\norigin: mcp\nwritten_by: bot\n---\n# Own\n',
  });
  const { run, refusal, files, close } = world;
  const path = await propose(world, 'mine');
  const others = await propose(world, 'others', callerWith(['propose'], 'eve'));
  await run(updateNote, { path, content: '# Mine\n\nBetter.\n', reason: 'mended' }, proposer);
  expect(files.get(path)).toContain('Better.');
  const seeing = callerWith(['read', 'propose'], 'bot');
  await run(editNote, { path, append: 'And more.' }, seeing);
  expect(files.get(path)).toContain('And more.');
  const asked = { content: '# X\n', reason: 'x' };
  for (const caller of [proposer, seeing]) {
    const at = { ...asked, path: 'wiki/zoo/facts/own.md' };
    expect(await refusal(updateNote, at, caller)).toMatchObject({
      code: 'forbidden_scope',
      details: { scope: 'write' },
    });
  }
  expect((await refusal(editNote, { path: 'wiki/zoo/facts/own.md', append: 'x' }, seeing)).code).toBe(
    'forbidden_scope',
  );
  expect((await refusal(updateNote, { ...asked, path: others }, seeing)).code).toBe('in_queue');
  expect((await refusal(updateNote, { ...asked, path: others }, proposer)).code).toBe('note_not_found');
  await close();
});

it('refuses what a reviewing token has rejected, also a text of its own', async () => {
  const world = await openTestBrain();
  const { run, refusal, close } = world;
  const judge = callerWith(['read', 'write', 'review'], 'bot');
  await run(rejectNote, { path: await propose(world, 'again'), reason: 'the user said no' }, judge);
  for (const caller of [judge, bot, eve])
    expect((await refusal(capture, { text: '# again\n\nOf the again.\n' }, caller)).code).toBe(
      'rejected_before',
    );
  const withdrawn = '---\nwithdrawn_at: 2026-11-20T00:00:00Z\n---\n# forged\n\nText.\n';
  const { path } = await run(writeNote, { content: withdrawn }, proposer);
  await run(rejectNote, { path, reason: 'no' }, person);
  expect((await refusal(writeNote, { content: withdrawn }, bot)).code).toBe('rejected_before');
  await close();
});

it('lets a token that reads a part of the vault mend and withdraw its own proposals beyond it', async () => {
  const world = await openTestBrain({ 'wiki/zoo/facts/old.md': '# Old\n\nText.\n' });
  const { run, refusal, files, close } = world;
  const others = await propose(world, 'others', callerWith(['propose'], 'eve'));
  const nothing = 'raw/2026-11-20-nothing.md';
  for (const scopes of [['read', 'propose'] as const, ['read', 'write'] as const]) {
    const limited = { ...callerWith(scopes, 'bot'), limits: { read: ['wiki/zoo'] } };
    const { path } = await run(capture, { text: '# Mine\n\nOf mine.\n' }, limited);
    const seen = '# Mine\n\nBetter, see [[wiki/zoo/facts/old]].\n';
    const { content_hash: hash } = await run(updateNote, { path, content: seen, reason: 'mended' }, limited);
    expect(files.get(path)).toContain('[[wiki/zoo/facts/old');
    await run(editNote, { path, append: 'And more.', expected_hash: hash }, limited);
    expect(files.get(path)).toContain('And more.');
    expect((await refusal(withdrawNote, { path, expected_hash: hash }, limited)).code).toBe('hash_mismatch');
    for (const ask of [
      (at: string) => refusal(withdrawNote, { path: at }, limited),
      (at: string) => refusal(updateNote, { path: at, content: '# X\n', reason: 'x' }, limited),
      (at: string) => refusal(editNote, { path: at, append: 'x' }, limited),
    ]) {
      const [hidden, absent] = [await ask(others), await ask(nothing)];
      expect(hidden.code).toBe('note_not_found');
      expect(hidden.message.replace(others, '')).toBe(absent.message.replace(nothing, ''));
    }
    const { rejected_path, linked_from } = await run(withdrawNote, { path, reason: 'stale' }, limited);
    expect([files.has(path), files.has(rejected_path), linked_from]).toEqual([false, true, []]);
    expect((await run(listPending, { mine: true }, limited)).proposals?.[0]).toMatchObject({
      proposed_as: path,
      decision: 'withdrawn',
    });
  }
  await close();
});

it('shows a proposal that a person has edited as waiting, until it is decided', async () => {
  const world = await openTestBrain();
  const { run, vault, clock, close } = world;
  const [back, edited] = [await propose(world, 'back'), await propose(world, 'edited')];
  const { path } = await run(promoteNote, { path: back, ...PLACE, slug: 'back' }, person);
  const asked = { content: '# Better\n\nOf a person.\n', reason: 'mended' };
  await run(updateNote, { path, ...asked }, person);
  clock.advance(1000);
  await run(unpromoteNote, { path }, person);
  await run(updateNote, { path: edited, ...asked }, person);
  const shown = async (caller = bot): Promise<unknown> =>
    (await run(listPending, { mine: true }, caller)).proposals?.map((each) => [
      each.proposed_as,
      each.decision,
      each.title,
      each.path,
    ]);
  expect(await shown()).toEqual([
    [back, 'waiting', 'Better', back],
    [edited, 'waiting', 'Better', edited],
  ]);
  // Nothing of what another one wrote into it.
  expect(await shown(proposer)).toEqual([
    [back, 'waiting', 'back', undefined],
    [edited, 'waiting', 'edited', undefined],
  ]);
  await run(rejectNote, { path: back, reason: 'no' }, person);
  // By hand, and another one takes the name.
  vault.outside(edited, null);
  await run(listPending, {}, person);
  expect(await propose(world, 'edited', callerWith(['propose'], 'eve'))).toBe(edited);
  await run(updateNote, { path: edited, ...asked }, person);
  expect(await shown()).toEqual([[back, 'rejected', 'Better', 'raw/rejected/2026-11-20-back.md']]);
  await close();
});

it('asks the past what became of own proposals alone, and before a change begins', async () => {
  const world = await openTestBrain();
  const { brain, run, refusal, close } = world;
  const mine = await propose(world, 'mine');
  await run(promoteNote, { path: mine, ...PLACE, slug: 'mine' }, person);
  const parsed = async (): Promise<number> => {
    await run(listPending, { mine: true }, bot);
    const parse = jest.spyOn(JSON, 'parse');
    const { proposals } = await run(listPending, { mine: true }, bot);
    expect(proposals).toMatchObject([{ decision: 'promoted' }]);
    const count = parse.mock.calls.length;
    parse.mockRestore();
    return count;
  };
  const before = await parsed();
  for (const slug of ['a', 'b', 'c', 'd']) {
    const path = await propose(world, slug, callerWith(['propose'], 'eve'));
    await run(promoteNote, { path, ...PLACE, slug }, person);
  }
  expect(await parsed()).toBe(before);
  const overlap = jest.spyOn(brain.whole.writer, 'overlap');
  expect((await refusal(withdrawNote, { path: mine }, bot)).code).toBe('not_in_queue');
  expect((await refusal(withdrawNote, { path: 'raw/none.md' }, bot)).code).toBe('note_not_found');
  expect(overlap).not.toHaveBeenCalled();
  await close();
});
