import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '../../../src/adapters/host/device';
import type { AuditEntry } from '../../../src/core/audit/line';
import { openAudit } from '../../../src/core/audit/log';
import { checkAudit } from '../../../src/core/audit/verify';
import { Uncertain } from '../../../src/core/ports/ports';
import { describeWithCluster } from '../../support/postgres-cluster';
import { withSharedStores } from '../../support/shared-stores';

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
});
