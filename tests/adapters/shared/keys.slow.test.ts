import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { systemClock } from '../../../src/adapters/host/device';
import type { Sql } from '../../../src/adapters/postgres/sql';
import type { SharedStore } from '../../../src/adapters/shared/store';
import { settleConfig } from '../../../src/core/config/config';
import { changeVault } from '../../../src/core/operation/change';
import type { Brain } from '../../../src/core/operation/context';
import { operation, perform } from '../../../src/core/operation/operation';
import { openBrain } from '../../../src/core/vault/open';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { fakeDocuments } from '../../support/fake-documents';
import { describeWithPostgres } from '../../support/postgres-server';
import { refusalOf } from '../../support/refusal';
import { withSharedStores } from '../../support/shared-stores';
import { silentLog } from '../../support/silent-log';
import { callerWith } from '../../support/test-brain';

/** Writes a note under a new name at every call, so that two servers never meet but by the key. */
const add = operation({
  name: 'add',
  scope: 'write',
  mutates: true,
  input: z.strictObject({ text: z.string() }),
  output: z.object({ path: z.string() }),
  run: (brain, { text }) =>
    changeVault(brain, async () => {
      const path = vaultPath(`wiki/net/facts/${randomBytes(6).toString('hex')}.md`);
      return { plan: { op: 'add', steps: [{ kind: 'create', path, text }] }, result: { path } };
    }),
});

/** Lets `work` ask each of two servers, and count the notes that they have made. */
async function onBoth(
  [mine, other]: readonly [SharedStore, SharedStore],
  work: (brains: readonly [Brain, Brain], notes: () => Promise<number>) => Promise<void>,
): Promise<void> {
  const open = ({ vault, state, servers, device }: SharedStore) =>
    openBrain(
      { vault, state, servers, clock: systemClock, log: silentLog(), documents: fakeDocuments() },
      settleConfig({}, { rateLimit: 0 }),
      {
        ...{ device, version: '0.0.0-test' },
        sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms).unref()),
        breathe: () => new Promise((resolve) => setImmediate(resolve)),
      },
    );
  const [a, b] = [await open(mine), await open(other)];
  await Promise.all([a.loaded, b.loaded]);
  const notes = async (): Promise<number> => {
    let count = 0;
    for await (const { path } of mine.vault.list('wiki')) if (!path.endsWith('_index.md')) count += 1;
    return count;
  };
  try {
    await work([a.brain, b.brain], notes);
  } finally {
    await a.close();
    await b.close();
  }
}

async function ask(brain: Brain, key: string, text = '# A\n') {
  let isReplayed = false;
  const answer = await perform(brain, add, { text }, callerWith(), {
    key,
    replayed: () => void (isReplayed = true),
  });
  return { answer, isReplayed };
}

describeWithPostgres('a key at several servers', (postgres) => {
  it('lets one of them make the change, and both give its answer', () =>
    withSharedStores(postgres(), (stores) =>
      onBoth(stores, async ([mine, other], notes) => {
        for (let round = 1; round <= 10; round += 1) {
          const [a, b] = await Promise.all([ask(mine, `k-${round}`), ask(other, `k-${round}`)]);
          expect(a.answer).toEqual(b.answer);
          expect([a.isReplayed, b.isReplayed].sort()).toEqual([false, true]);
          expect(await notes()).toBe(round);
          expect(await ask(other, `k-${round}`)).toEqual({ answer: a.answer, isReplayed: true });
        }
        expect((await refusalOf(ask(other, 'k-1', '# B\n'))).code).toBe('key_reused');
      }),
    ));

  it('finds the change whose commit was answered to nobody', async () => {
    let isCut = false;
    const cutting = (sql: Sql): Sql =>
      Object.assign(Object.create(sql) as Sql, {
        transaction: async <T>(work: Parameters<typeof sql.transaction<T>>[0]) => {
          const result = await sql.transaction(work);
          if (isCut) throw Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
          return result;
        },
        statement: sql.statement.bind(sql),
        close: () => sql.close(),
      });
    await withSharedStores(
      postgres(),
      (stores) =>
        onBoth(stores, async ([mine, other], notes) => {
          isCut = true;
          expect((await refusalOf(ask(mine, 'k-1'))).message).toContain('may have been made');
          isCut = false;
          const found = await ask(other, 'k-1');
          expect(found).toEqual({ answer: { path: expect.any(String) }, isReplayed: true });
          expect(await ask(mine, 'k-1')).toEqual(found);
          expect(await notes()).toBe(1);
        }),
      { through: cutting },
    );
  });
});
