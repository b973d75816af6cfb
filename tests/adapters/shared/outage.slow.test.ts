import { setImmediate as breathe, setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '../../../src/adapters/host/device';
import type { AuditEntry } from '../../../src/core/audit/line';
import { openAudit } from '../../../src/core/audit/log';
import { checkAudit } from '../../../src/core/audit/verify';
import { settleConfig } from '../../../src/core/config/config';
import { alone, Uncertain } from '../../../src/core/ports/ports';
import { openBrain } from '../../../src/core/vault/open';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { IS_NIGHT } from '../../support/by-night';
import { fakeDocuments } from '../../support/fake-documents';
import { describeWithCluster } from '../../support/postgres-cluster';
import { withSharedStores } from '../../support/shared-stores';
import { silentLog } from '../../support/silent-log';

/** For the tests that let the standby be away for minutes. */
const LONG_MS = IS_NIGHT ? 900_000 : 240_000;

const RESTARTS = IS_NIGHT ? 20 : 5;

const call = (id: string): AuditEntry => ({
  ...{ ts: '2026-11-27T10:00:00Z', id, tool: 'brain_write', actor: 'owner', auth: 'token', ok: true },
  ...{ args: {}, paths: [], unlinked: 0, duration_ms: 1 },
});

describeWithCluster('A store whose synchronous standby is away', (cluster) => {
  it(
    'keeps the chain of its audit log when a line arrives after it was given up',
    () =>
      withSharedStores(cluster(), async ([mine]) => {
        const { state, device } = mine;
        const audit = await openAudit({ state, device, clock: systemClock });
        await audit.record(call('one'), true);
        cluster().standby().stop();
        // No commit is acknowledged now. The driver gives up waiting before the database does.
        await expect(audit.record(call('two'), true)).rejects.toBeInstanceOf(Uncertain);
        const third = audit.record(call('three'), true).catch((error: unknown) => error);
        await wait(1_000);
        cluster().standby().start();
        await third;
        await audit.record(call('four'), true);
        expect(await checkAudit(state)).toMatchObject({ lines: 4, problems: [] });
      }),
    90_000,
  );

  // By night with the timeouts of the service, which ten minutes hold many times; by day with shorter ones.
  it.each(['directly', 'through pgbouncer'] as const)(
    'holds no more backends than its connections, whoever waits, and says that nothing is acknowledged (%s)',
    (way) => {
      const [awayMs, pace] = IS_NIGHT ? [600_000, {}] : [8_000, { renewMs: 200, timeoutMs: 1_500 }];
      return withSharedStores(
        way === 'directly' ? cluster().primary() : cluster(),
        async (stores) => {
          const { database } = stores[0];
          const count = `SELECT count(*) FROM pg_stat_activity WHERE datname = '${database}'`;
          const backends = (): number => Number(cluster().primary().sql('postgres', count));
          cluster().standby().stop();
          const until = performance.now() + awayMs;
          let most = 0;
          for (let turn = 0; performance.now() < until; turn += 1) {
            // Duties are asked for and notes are written as well.
            const asked = stores.flatMap(({ servers, vault }) => [
              servers.duty('maps'),
              vault.create(vaultPath(`wiki/net/facts/n-${turn}.md`), 'a'),
            ]);
            await Promise.all(asked.map((each) => each.catch(() => undefined)));
            most = Math.max(most, backends());
          }
          // Each store has five connections, and one more that listens.
          expect(most).toBeLessThanOrEqual(12);
          for (const {
            servers: { feed },
          } of stores) {
            expect(feed.unconfirmedMs).toBeGreaterThan(awayMs / 2);
            expect(feed.silentMs).toBeLessThan(awayMs / 2);
          }
          cluster().standby().start();
          for (const { servers } of stores) while (servers.feed.unconfirmedMs > 0) await wait(50);
          expect(await stores[0].vault.create(vaultPath('wiki/net/facts/after.md'), 'a')).toBe(true);
        },
        pace,
      );
    },
    LONG_MS,
  );
});

describeWithCluster('A vault whose database is restarted while it is read', (cluster) => {
  it(
    'is read whole all the same',
    () =>
      // Behind the pooler a statement may wait until the database is back.
      withSharedStores(cluster().primary(), async ([{ vault, state, database }]) => {
        cluster().sql(
          database,
          `INSERT INTO brain.files (path, folded, body)
             SELECT at, at, convert_to('# Note ' || n, 'UTF8') FROM generate_series(1, 600) AS n, format('wiki/net/facts/n%s.md', n) AS at`,
        );
        let restarts = 0;
        const readMany = vault.readMany?.bind(vault);
        const list = vault.list.bind(vault);
        const count = (): void => {
          if (restarts === RESTARTS) return;
          restarts += 1;
          cluster().primary().stop();
          cluster().primary().start();
        };
        Object.assign(vault, {
          list: (...given: Parameters<typeof list>) => (count(), list(...given)),
          readMany: (...given: Parameters<NonNullable<typeof readMany>>) => (count(), readMany?.(...given)),
        });
        const { brain, close } = await openBrain(
          { vault, state, clock: systemClock, log: silentLog(), documents: fakeDocuments(), servers: alone },
          settleConfig({}, {}),
          {
            device: 'test',
            version: '0.0.0-test',
            sleep: (ms) => wait(ms, undefined, { ref: false }),
            breathe,
          },
        );
        while (brain.unready() !== null) await wait(20);
        expect([restarts, brain.catalog.noteCount, brain.catalog.unreadable.size]).toEqual([
          RESTARTS,
          600,
          0,
        ]);
        await close();
      }),
    LONG_MS,
  );
});
