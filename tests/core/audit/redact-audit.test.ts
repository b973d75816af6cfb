import { AUDIT_FOLDER, openAudit, redactAudit } from '../../../src/core/audit/log';
import type { AuditEntry } from '../../../src/core/audit/line';
import { checkAudit, checkAuditEnd } from '../../../src/core/audit/verify';
import type { AuditEnds } from '../../../src/core/operation/audit-ends';
import { fixedClock } from '../../support/fixed-clock';
import { createMemoryState } from '../../support/memory-state';
import { nodePace } from '../../support/node-pace';

const FILE = 'audit/2026-11.ab12cd34.jsonl';
const NOTE = 'wiki/lab/facts/quokka.md';
const names = (value: unknown): boolean => JSON.stringify(value)?.includes(NOTE) === true;

function entry(id: string, paths: readonly string[]): AuditEntry {
  return {
    ...{ ts: '2026-11-20T10:32:00Z', id, tool: 'brain_query', actor: 'laptop', auth: 'read', ok: true },
    ...{ args: { query: `words ${id}`, limit: 3 }, paths: [...paths], unlinked: 0, duration_ms: 1 },
  };
}

async function logged() {
  const state = createMemoryState();
  const ends: AuditEnds = new Map();
  const ports = { state, clock: fixedClock('2026-11-20T10:32:00Z'), device: 'ab12cd34', ends };
  const log = await openAudit(ports);
  for (const [id, paths] of [
    ['a', []],
    ['b', [NOTE, 'wiki/x.md']],
    ['c', []],
    ['d', [NOTE]],
  ] as const)
    await log.record(entry(id, paths), true);
  return {
    state,
    ends,
    log,
    ports: { ...ports, auditEnds: ends, pace: nodePace() },
  };
}

it('takes a note out of calls, and the chain tells where', async () => {
  const { state, ends, log, ports } = await logged();
  const before = state.files.get(FILE)?.split('\n') ?? [];
  await redactAudit(ports, names);
  const text = state.files.get(FILE) ?? '';
  expect(text).not.toContain('quokka');
  expect(text).not.toContain('words b');
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines[1]).toMatchObject({ id: 'b', paths: ['wiki/x.md'], args: { limit: 3 }, seq: 2 });
  expect(lines[1]?.args).toMatchObject({
    query: { chars: 7, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
  });
  expect(lines[4]).toMatchObject({ tool: 'forget', args: { 2: expect.any(String), 4: expect.any(String) } });
  expect(text.split('\n')[0]).toBe(before[0]);
  // The log goes on, also after another start.
  await log.record(entry('e', []), true);
  await (await openAudit({ ...ports, ends: new Map() })).record(entry('f', []), true);
  expect(await checkAudit(state, undefined, ends)).toMatchObject({ problems: [], redacted: 2, lines: 7 });
  expect(await checkAuditEnd(state, 'ab12cd34')).toMatchObject({ problems: [] });
  await redactAudit(ports, names);
  expect(ends.get(AUDIT_FOLDER)?.seq).toBe(6);
});

it('takes it also out of a call that ends meanwhile', async () => {
  const { state, ends, log, ports } = await logged();
  const { read } = state;
  let isFirst = true;
  state.read = async (path) => {
    const text = await read.call(state, path);
    if (isFirst && path === FILE) void log.record(entry('late', [NOTE]), true);
    isFirst &&= path !== FILE;
    return text;
  };
  await redactAudit(ports, names);
  expect(state.files.get(FILE)).toContain('"id":"late"');
  expect(state.files.get(FILE)).not.toContain('quokka');
  expect(await checkAudit(state, undefined, ends)).toMatchObject({ problems: [], redacted: 3 });
});

it('is no way to change a line unseen', async () => {
  const { state, ports } = await logged();
  await redactAudit(ports, names);
  const forged = (state.files.get(FILE) ?? '').replace(
    '"actor":"laptop","auth":"read","ok":true,"args":{"query":{"chars"',
    '"actor":"other","auth":"read","ok":true,"args":{"query":{"chars"',
  );
  state.files.set(FILE, forged);
  const { problems } = await checkAudit(state);
  expect(problems).toEqual([{ file: FILE, line: 2, problem: 'This line was changed.' }]);
});
