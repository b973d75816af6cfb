import { auditLine, NO_LINE } from '../../../src/core/audit/line';
import { listAudit } from '../../../src/core/audit/list';
import type { OperationName } from '../../../src/core/operation/descriptors';
import type { Answer, Ask, BrainClient } from '../../../src/core/registry/client';
import { TOOLS } from '../../../src/doors/mcp/tools';
import { byDay, countSlots } from '../../../src/ui/audit/calls';
import { filterFromParams, isNarrowed, matchesText, noteFilter, sinceOf } from '../../../src/ui/audit/filter';
import { MOST_CALLS, readCalls } from '../../../src/ui/audit/use-audit';
import { agentOf, type AuditCall, dayWords, outcomeOf, subjectOf } from '../../../src/ui/audit/words';
import { openTestBrain } from '../../support/test-brain';

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

it('begins with the last day, and with all time for one note', () => {
  expect(filterFromParams({})).toEqual({
    agent: null,
    tool: null,
    time: 'day',
    note: '',
    path: null,
    outcome: 'all',
  });
  expect(filterFromParams({ agent: 'ci', time: 'week' })).toMatchObject({ agent: 'ci', time: 'week' });
  expect(filterFromParams({ note: 'wiki/a/facts/b.md' })).toMatchObject({
    time: 'all',
    path: 'wiki/a/facts/b.md',
  });
  expect(filterFromParams({ time: 'toString' })).toMatchObject({ time: 'day' });
});

it.each([
  ['wiki/a/facts/b.md', 'wiki/a/facts/b.md'],
  [' raw/b.md ', 'raw/b.md'],
  ['zfs', null],
  ['wiki/a/facts/b', null],
  ['wiki/a:b/c.md', null],
])('%j names the path %j', (note, path) => {
  expect(noteFilter(note)).toEqual({ note, path });
});

it.each<[string, Partial<ReturnType<typeof filterFromParams>>, Partial<AuditCall>, boolean]>([
  ['all', {}, {}, true],
  ['typed letters of the note', { note: 'ARC' }, { paths: [PATH] }, true],
  ['other letters', { note: 'dns' }, { paths: [PATH] }, false],
  ['letters of a query', { note: 'wakes' }, { args: { query: 'NAS wakes' } }, true],
])('shows %s', (_, filter, given, expected) => {
  expect(matchesText({ ...filterFromParams({}), ...filter }, call(given))).toBe(expected);
});

it('leaves to the service what names a path', () => {
  expect(matchesText({ ...filterFromParams({}), ...noteFilter('wiki/x/facts/y.md') }, call())).toBe(true);
});

it('knows when a filter narrows', () => {
  expect(isNarrowed(filterFromParams({}))).toBe(false);
  expect(isNarrowed(filterFromParams({ time: 'all' }))).toBe(false);
  for (const params of [{ agent: 'a' }, { tool: 'a' }, { note: 'a' }])
    expect(isNarrowed(filterFromParams(params))).toBe(true);
});

it('counts the chosen time back from now', () => {
  const now = new Date('2026-11-20T12:00:00Z');
  expect(sinceOf('week', now)).toEqual(new Date('2026-11-13T12:00:00Z'));
  expect(sinceOf('all', now)).toBeNull();
});

it.each([
  ['2026-11-20T00:00:01Z', 'Today, 20 Nov 2026'],
  ['2026-11-19T23:59:59Z', 'Yesterday, 19 Nov 2026'],
  ['2026-11-18T12:00:00Z', '18 Nov 2026'],
])('calls the day of %s "%s"', (time, expected) => {
  expect(dayWords(time, new Date('2026-11-20T12:00:00Z'))).toBe(expected);
});

const LINES = 3_000;
const NOW = new Date('2026-11-20T12:00:00Z');

/** A log of 3,000 calls: every third one changed something, and the ten oldest failed. */
async function clientOfLongLog() {
  const { run, state } = await openTestBrain();
  const lines = Array.from({ length: LINES }, (_, index) => {
    const ok = index >= 10;
    const entry = {
      id: `r${index}`,
      ts: new Date(NOW.getTime() - (LINES - index) * 1000).toISOString().replace('.000', ''),
      tool: ok && index % 3 === 0 ? 'brain_write' : 'brain_query',
      actor: 'laptop',
      auth: 'read',
      ok,
      args: {},
      paths: [],
      unlinked: 0,
      duration_ms: 1,
    };
    return `${auditLine(entry, index + 1, NO_LINE)}\n`;
  });
  state.files.set('audit/2026-11.aaaa0000.jsonl', lines.join(''));
  const asked: unknown[] = [];
  const client: Pick<BrainClient, 'call'> = {
    async call<Name extends OperationName>(name: Name, ask: Ask<Name>) {
      if (name !== 'audit') throw new Error(`${name} is not asked here.`);
      asked.push(ask);
      const answer: unknown = await run(listAudit, ask);
      return answer as Answer<Name>; // The one operation that was let through.
    },
  };
  return { client, asked };
}

it('reads the newest thousand and knows how many there are', async () => {
  const { client } = await clientOfLongLog();
  const read = await readCalls(client, filterFromParams({}), NOW);
  expect([read.calls.length, read.total]).toEqual([MOST_CALLS, LINES]);
  expect(read.calls[0]?.id).toBe(`r${LINES - 1}`);
});

it('finds failed calls that lie far behind the newest thousand', async () => {
  const { client } = await clientOfLongLog();
  const { calls, total } = await readCalls(client, { ...filterFromParams({}), outcome: 'failed' }, NOW);
  expect(calls.map(({ id }) => id)).toEqual(['r9', 'r8', 'r7', 'r6', 'r5', 'r4', 'r3', 'r2', 'r1', 'r0']);
  expect(total).toBe(10);
});

it('finds every call that changed something, and only those', async () => {
  const { client } = await clientOfLongLog();
  const { calls, total } = await readCalls(client, { ...filterFromParams({}), outcome: 'changed' }, NOW);
  expect([calls.length, total]).toEqual([996, 996]);
  expect(new Set(calls.map(({ tool }) => tool))).toEqual(new Set(['brain_write']));
  expect(calls.at(-1)?.id).toBe('r12');
});
