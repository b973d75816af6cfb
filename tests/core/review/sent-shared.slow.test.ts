import { writeNote } from '../../../src/core/notes/write';
import { perform } from '../../../src/core/operation/operation';
import { listPending } from '../../../src/core/review/pending';
import { readSent } from '../../../src/core/review/sent';
import { describeWithPostgres } from '../../support/postgres-server';
import { withSharedBrains } from '../../support/shared-stores';
import { callerWith, person } from '../../support/test-brain';

describeWithPostgres('what the gate changed in a note', (server) => {
  it('is told, and shown as it was sent, by every server of a shared vault', () =>
    withSharedBrains(server(), async (one, two) => {
      expect(one.brain.device).not.toBe(two.brain.device);
      const content = '# Bad\n\n![x](https://example.org/x.png)\n';
      const proposer = callerWith(['read', 'propose'], 'bot');
      const note = { wing: 'net', hall: 'facts', slug: 'bad', content };
      const { path } = await perform(one.brain, writeNote, note, proposer);
      await two.brain.servers.feed?.reach(one.brain.servers.feed?.position ?? 0, 10_000);
      const { pending } = await perform(two.brain, listPending, { path }, person);
      expect(pending).toMatchObject([{ made_harmless: { count: 1, changed: false } }]);
      expect(await perform(two.brain, readSent, { path }, person)).toMatchObject({ text: content });
    }));
});
