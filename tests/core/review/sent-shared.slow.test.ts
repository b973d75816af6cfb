import { systemClock } from '../../../src/adapters/host/device';
import { settleConfig } from '../../../src/core/config/config';
import { writeNote } from '../../../src/core/notes/write';
import { perform } from '../../../src/core/operation/operation';
import { listPending } from '../../../src/core/review/pending';
import { readSent } from '../../../src/core/review/sent';
import { openBrain } from '../../../src/core/vault/open';
import { fakeDocuments } from '../../support/fake-documents';
import { describeWithPostgres } from '../../support/postgres-server';
import { withSharedStores } from '../../support/shared-stores';
import { silentLog } from '../../support/silent-log';
import { callerWith, person } from '../../support/test-brain';

describeWithPostgres('what the gate changed in a note', (server) => {
  it('is told, and shown as it was sent, by every server of a shared vault', () =>
    withSharedStores(server(), async (stores) => {
      const [mine, other] = stores.map(({ vault, state, servers, device }) =>
        openBrain(
          { vault, state, servers, clock: systemClock, log: silentLog(), documents: fakeDocuments() },
          settleConfig({}, {}),
          {
            device,
            version: '0.0.0-test',
            sleep: () => new Promise(() => undefined),
            breathe: () => new Promise((resolve) => setImmediate(resolve)),
          },
        ),
      );
      const [one, two] = await Promise.all([mine, other]);
      if (one === undefined || two === undefined) throw new Error('two servers');
      await Promise.all([one.read, two.read]);
      expect(one.brain.device).not.toBe(two.brain.device);
      const content = '# Bad\n\n![x](https://example.org/x.png)\n';
      const proposer = callerWith(['read', 'propose'], 'bot');
      const note = { wing: 'net', hall: 'facts', slug: 'bad', content };
      const { path } = await perform(one.brain, writeNote, note, proposer);
      await two.brain.servers.feed?.reach(one.brain.servers.feed?.position ?? 0, 10_000);
      const { pending } = await perform(two.brain, listPending, { path }, person);
      expect(pending).toMatchObject([{ made_harmless: { count: 1, changed: false } }]);
      expect(await perform(two.brain, readSent, { path }, person)).toMatchObject({ text: content });
      await Promise.all([one.close(), two.close()]);
    }));
});
