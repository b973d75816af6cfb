import { auditLine, NO_LINE } from '../../../src/core/audit/line';
import { listAudit } from '../../../src/core/audit/list';
import type { Answer, Ask, BrainClient } from '../../../src/core/registry/client';
import type { OperationName } from '../../../src/core/operation/descriptors';
import { filterFromParams } from '../../../src/ui/audit/filter';
import { MOST_CALLS, readCalls } from '../../../src/ui/audit/use-audit';
import { openTestBrain } from '../../support/test-brain';

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
