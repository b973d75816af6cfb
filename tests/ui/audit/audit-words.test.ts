import { agentOf, type AuditCall, outcomeOf, subjectOf } from '../../../src/ui/audit/words';
import { byDay, countSlots } from '../../../src/ui/audit/calls';
import { TOOLS } from '../../../src/doors/mcp/tools';

const call = (given: Partial<AuditCall> = {}): AuditCall => ({
  v: 1,
  ts: '2026-11-20T12:05:58Z',
  seq: 1,
  id: 'r1',
  tool: 'brain_update',
  actor: 'laptop',
  auth: 'read write',
  ok: true,
  args: {},
  paths: [],
  unlinked: 0,
  duration_ms: 4,
  ...given,
});

describe('outcome', () => {
  it('agrees with every tool about whether it changes anything', () => {
    for (const { name, operation } of TOOLS) {
      const { kind } = outcomeOf(call({ tool: name }));
      expect([name, kind]).toEqual([name, operation.mutates ? 'changed' : 'read']);
    }
  });

  it('says in words why a call failed, and is not a change when it was a dry run', () => {
    expect(outcomeOf(call({ ok: false, error: 'note_exists' }))).toEqual({
      kind: 'failed',
      words: 'Note exists',
    });
    expect(outcomeOf(call({ ok: false }))).toEqual({ kind: 'failed', words: 'Failed' });
    expect(outcomeOf(call({ args: { dry_run: true } }))).toMatchObject({ kind: 'tried' });
  });
});

it.each([
  [{ actor: 'laptop', client: { name: 'claude-code', version: '2.1' } }, 'laptop', 'claude-code 2.1'],
  [{ actor: 'laptop', client: { name: 'cursor' } }, 'laptop', 'cursor'],
  [{ actor: 'human:me' }, 'me', undefined],
])('agent of %j', (given, name, claim) => {
  expect(agentOf(call(given))).toEqual({ name, ...(claim !== undefined && { claim }) });
});

const PATH = 'wiki/homelab/facts/zfs-arc-size.md';
it.each<[string, Partial<AuditCall>, ReturnType<typeof subjectOf>]>([
  ['a query', { tool: 'brain_query', args: { query: 'nas wakes' }, paths: [PATH] }, { main: '“nas wakes”' }],
  ['a long query', { args: { query: { chars: 300, sha256: 'ab' } } }, { main: 'A query of 300 characters' }],
  ['one note', { paths: [PATH] }, { main: 'zfs-arc-size', aside: 'homelab / facts', path: PATH }],
  [
    'several notes',
    { paths: [PATH, 'raw/b.md', 'raw/c.md'] },
    { main: 'zfs-arc-size', aside: 'and 2 more', path: PATH },
  ],
  [
    'a failed call by path',
    { ok: false, args: { path: 'raw/x.md' } },
    { main: 'x', aside: 'raw', path: 'raw/x.md' },
  ],
  [
    'a failed call by address',
    { ok: false, args: { wing: 'ops', hall: 'failures', slug: 'deploy' } },
    { main: 'deploy', aside: 'ops / failures' },
  ],
  ['a wing', { args: { wing: 'ops' } }, { main: 'ops' }],
  ['a session', { args: { skill: 'refactor' } }, { main: 'refactor', aside: 'skill' }],
  ['nothing', {}, { main: '' }],
])('subject of %s', (_, given, expected) => {
  expect(subjectOf(call(given))).toEqual(expected);
});

it('puts calls under the day on which the person saw them', () => {
  const calls = ['2026-11-20T12:00:00Z', '2026-11-20T11:00:00Z', '2026-11-18T10:00:00Z'].map((ts) =>
    call({ ts }),
  );
  expect(byDay(calls).map(({ day, calls: of }) => [day, of.length])).toEqual([
    ['2026-11-20', 2],
    ['2026-11-18', 1],
  ]);
});

it('counts calls in slots, both ends included', () => {
  const from = new Date('2026-11-20T00:00:00Z');
  const to = new Date('2026-11-20T04:00:00Z');
  const at = (ts: string, ok = true) => call({ ts, ok });
  const slots = countSlots(
    [
      at('2026-11-20T00:00:00Z'),
      at('2026-11-20T01:30:00Z', false),
      at('2026-11-20T04:00:00Z'),
      at('2026-11-20T04:00:01Z'),
      at('2026-11-19T23:59:59Z'),
    ],
    from,
    to,
    4,
  );
  expect(slots.map(({ passed, failed }) => [passed, failed])).toEqual([
    [1, 0],
    [0, 1],
    [0, 0],
    [1, 0],
  ]);
  expect(slots[1]?.from).toEqual(new Date('2026-11-20T01:00:00Z'));
});
