import { sha256 } from '../../../src/core/base/hash';
import { updateNote } from '../../../src/core/notes/update';
import { writeNote } from '../../../src/core/notes/write';
import { confirmNote } from '../../../src/core/review/confirm';
import { listDecisions } from '../../../src/core/review/decisions';
import { adoptNote, promoteNote } from '../../../src/core/review/promote';
import { rejectNote } from '../../../src/core/review/reject';
import { restoreNote, unpromoteNote } from '../../../src/core/review/return';
import { undoWriter } from '../../../src/core/undo/undo';
import { type Caller } from '../../../src/core/access/tokens';
import { agent, openTestBrain, person } from '../../support/test-brain';

const NET = { wing: 'net', hall: 'facts' } as const;
const FILES = {
  'raw/2026-11-01-dns.md': '---\nwritten_by: ci-bot\n---\n# Dual stack DNS\n\nText.\n',
  'raw/2026-11-02-noise.md': 'Noise\n',
  'Own/plan.md': '---\ntitle: "The plan"\n---\nText\n',
};

async function world() {
  const test = await openTestBrain(FILES);
  const act = async (op: Parameters<typeof test.run>[0], input: unknown, caller: Caller = person) => {
    test.clock.advance(1000);
    await test.run(op, input, caller);
  };
  return { ...test, act };
}

it('lists every decision with who, why and where, newest first', async () => {
  const { run, act } = await world();
  await act(promoteNote, { path: 'raw/2026-11-01-dns.md', ...NET });
  await act(rejectNote, { path: 'raw/2026-11-02-noise.md', reason: 'Says nothing' });
  await act(adoptNote, { path: 'Own/plan.md', ...NET }, agent);
  await act(unpromoteNote, { path: 'wiki/net/facts/plan.md' });
  await act(restoreNote, { path: 'raw/rejected/2026-11-02-noise.md' });
  const { decisions, total } = await run(listDecisions);
  expect(total).toBe(5);
  expect(decisions).toEqual([
    {
      at: '2026-11-20T10:32:05Z',
      by: 'human:me',
      kind: 'restored',
      path: 'raw/2026-11-02-noise.md',
      from: 'raw/rejected/2026-11-02-noise.md',
      title: 'noise',
      restorable: false,
    },
    {
      at: '2026-11-20T10:32:04Z',
      by: 'human:me',
      kind: 'returned',
      path: 'Own/plan.md',
      from: 'wiki/net/facts/plan.md',
      title: 'The plan',
      restorable: false,
    },
    {
      at: '2026-11-20T10:32:03Z',
      by: 'laptop',
      kind: 'adopted',
      path: 'wiki/net/facts/plan.md',
      from: 'Own/plan.md',
      title: 'The plan',
      restorable: false,
    },
    {
      at: '2026-11-20T10:32:02Z',
      by: 'human:me',
      kind: 'rejected',
      path: 'raw/rejected/2026-11-02-noise.md',
      from: 'raw/2026-11-02-noise.md',
      title: 'noise',
      reason: 'Says nothing',
      restorable: false,
    },
    {
      at: '2026-11-20T10:32:01Z',
      by: 'human:me',
      kind: 'promoted',
      path: 'wiki/net/facts/dns.md',
      from: 'raw/2026-11-01-dns.md',
      title: 'Dual stack DNS',
      restorable: false,
      take_back: 'unpromote',
    },
  ]);
});

it('filters by kind, by writer and by note, and pages', async () => {
  const { run, act } = await world();
  await act(promoteNote, { path: 'raw/2026-11-01-dns.md', ...NET }, { ...agent, client: 'claude-code 2' });
  await act(rejectNote, { path: 'raw/2026-11-02-noise.md' });
  const kinds = async (input: object) => {
    const { decisions, total } = await run(listDecisions, input);
    return [total, ...decisions.map(({ kind }) => kind)];
  };
  expect(await kinds({ kind: 'rejected' })).toEqual([1, 'rejected']);
  expect(await kinds({ by: 'laptop' })).toEqual([1, 'promoted']);
  expect(await kinds({ by: 'lap' })).toEqual([0]);
  expect(await kinds({ path: 'raw/2026-11-02-noise.md' })).toEqual([1, 'rejected']);
  expect(await kinds({ path: 'wiki/net/facts/dns' })).toEqual([1, 'promoted']);
  expect(await kinds({ limit: 1, offset: 1 })).toEqual([2, 'promoted']);
});

it.each([
  ['promoted', 'raw/2026-11-01-dns.md', promoteNote, 'wiki/net/facts/dns.md'],
  ['adopted', 'Own/plan.md', adoptNote, 'wiki/net/facts/plan.md'],
] as const)('says that a note can go back while it is as it was %s', async (_, path, decide, to) => {
  const { run, act, vault, clock } = await world();
  await act(decide, { path, ...NET });
  const back = async () => (await run(listDecisions)).decisions[0]?.take_back;
  expect(await back()).toBe('unpromote');
  clock.advance(1000);
  vault.outside(to, 'Other');
  expect(await back()).toBeUndefined();
});

it('says that a rejected note can be restored while it is as it was rejected', async () => {
  const { run, act, vault, clock } = await world();
  await act(rejectNote, { path: 'raw/2026-11-02-noise.md' });
  expect((await run(listDecisions)).decisions[0]?.restorable).toBe(true);
  clock.advance(1000);
  vault.outside('raw/rejected/2026-11-02-noise.md', 'Other');
  expect((await run(listDecisions)).decisions[0]?.restorable).toBe(false);
});

it('takes who and why from the note where a line of an earlier version has neither', async () => {
  const text = '---\nrejected_at: 2026-11-10T10:00:00Z\nrejected_by: human:me\nreject_reason: No\n---\nX\n';
  const { run, state } = await openTestBrain({ 'raw/rejected/x.md': text });
  const line = (ts: string) => ({ ts, op: 'reject', notes: [['raw/rejected/x.md', null, sha256(text)]] });
  const lines = [line('2026-11-10T10:00:01Z'), line('2026-11-09T10:00:00Z'), { ts: 'x' }, { op: 'reject' }];
  const log = lines.map((each) => JSON.stringify(each)).join('\n');
  await state.append(
    'changes/2026-11.other.jsonl',
    `${log}\n{"ts":"2026-11-10T10:00:01Z","op":"reject`,
    false,
  );
  expect((await run(listDecisions)).decisions).toEqual([
    expect.objectContaining({ by: 'human:me', reason: 'No', title: 'x', restorable: true }),
    expect.not.objectContaining({ by: expect.anything() }),
  ]);
});

it('lists an undo of a writer once', async () => {
  const { run, act } = await world();
  await act(promoteNote, { path: 'raw/2026-11-01-dns.md', ...NET }, agent);
  await act(rejectNote, { path: 'raw/2026-11-02-noise.md' }, agent);
  const scope = { by: 'laptop', since: '2026-11-20' };
  const { plan } = await run(undoWriter, { ...scope, dry_run: true }, person);
  await act(undoWriter, { ...scope, plan });
  const { decisions } = await run(listDecisions, { kind: 'undone' });
  expect(decisions).toMatchObject([{ by: 'human:me', reason: expect.stringContaining('2 notes of laptop') }]);
});

it('says of an undone note only where that note was', async () => {
  const { run, act } = await world();
  const content = '# A\n\nOne.\n';
  const { path } = await run(writeNote, { wing: 'a', hall: 'facts', slug: 'a', content }, person);
  await act(updateNote, { path, content: '# A\n\nTwo.\n', reason: 'x' }, agent);
  await act(promoteNote, { path: 'raw/2026-11-01-dns.md', ...NET }, agent);
  const scope = { by: 'laptop', since: '2026-11-20' };
  const { plan, items } = await run(undoWriter, { ...scope, dry_run: true }, person);
  expect(items.map((item) => item.path)).toEqual([path, 'wiki/net/facts/dns.md']);
  await act(undoWriter, { ...scope, plan });
  const { decisions } = await run(listDecisions, { kind: 'undone' });
  expect(decisions).toEqual([expect.objectContaining({ path })]);
  expect(decisions[0]).not.toHaveProperty('from');
});

it('lists a confirmation that is taken back as returned', async () => {
  const { run, act } = await world();
  await act(promoteNote, { path: 'raw/2026-11-01-dns.md', ...NET });
  const path = 'wiki/net/facts/dns.md';
  const { previous_hash: undo, content_hash } = await run(confirmNote, { path }, person);
  await act(confirmNote, { path, undo, expected_hash: content_hash });
  const { decisions } = await run(listDecisions, { path });
  expect(decisions.map(({ kind }) => kind)).toEqual(['returned', 'confirmed', 'promoted']);
});

it('tells a token nothing of a decision about a note that it may not read', async () => {
  const { run, act } = await world();
  await act(promoteNote, { path: 'raw/2026-11-01-dns.md', wing: 'secret', hall: 'facts' });
  await act(rejectNote, { path: 'raw/2026-11-02-noise.md' });
  const all: Caller = { ...agent, limits: { read: ['wiki/secret', 'raw'] } };
  const some: Caller = { ...agent, limits: { read: ['raw'] } };
  expect((await run(listDecisions, {}, all)).total).toBe(2);
  expect(await run(listDecisions, {}, some)).toMatchObject({ total: 1, decisions: [{ kind: 'rejected' }] });
});
