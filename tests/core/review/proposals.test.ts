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
