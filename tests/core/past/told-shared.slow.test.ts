import { sha256 } from '../../../src/core/base/hash';
import { history } from '../../../src/core/notes/history';
import { editRoot } from '../../../src/core/notes/root';
import { writeNote } from '../../../src/core/notes/write';
import { perform } from '../../../src/core/operation/operation';
import { listPending } from '../../../src/core/review/pending';
import { snoozeNote } from '../../../src/core/review/snooze';
import { listUndos } from '../../../src/core/undo/record';
import { redo } from '../../../src/core/undo/redo';
import { undoWriter } from '../../../src/core/undo/undo';
import type { OpenedBrain } from '../../../src/core/vault/open';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { describeWithPostgres } from '../../support/postgres-server';
import { withSharedBrains } from '../../support/shared-stores';
import { callerWith, person } from '../../support/test-brain';

const ROOT = 'AGENTS.md';

describeWithPostgres('what changes say besides their notes', (server) => {
  it('is known to every server of a shared vault, and what one has undone another takes back', () =>
    withSharedBrains(server(), async (one, two) => {
      const follow = (from: OpenedBrain, to: OpenedBrain) =>
        to.brain.servers.feed?.reach(from.brain.servers.feed?.position ?? 0, 10_000);
      const rogue = callerWith(['read', 'propose', 'admin'], 'rogue');

      const { path } = await perform(one.brain, writeNote, { content: '# Idea\n\nA text.\n' }, rogue);
      const { snoozed_until: until } = await perform(one.brain, snoozeNote, { path }, person);
      await follow(one, two);
      const { pending } = await perform(two.brain, listPending, { path }, person);
      expect(pending).toMatchObject([{ snoozed_until: until }]);

      const first = await perform(one.brain, editRoot, { content: '# One\n', reason: 'first' }, person);
      const second = { content: '# Two\n', reason: 'second', expected_hash: first.content_hash };
      await perform(one.brain, editRoot, second, rogue);
      await follow(one, two);
      expect(await perform(two.brain, history, { path: ROOT }, person)).toMatchObject({
        versions: [
          { hash: sha256('# Two\n'), reason: 'second', written_by: 'rogue' },
          { hash: sha256('# One\n'), reason: 'first' },
        ],
      });

      const scope = { by: 'rogue', since: '1d' };
      const { plan } = await perform(two.brain, undoWriter, { ...scope, dry_run: true }, person);
      const { undo = '' } = await perform(two.brain, undoWriter, { ...scope, plan }, person);
      await follow(two, one);
      expect((await one.brain.vault.read(vaultPath(ROOT))) ?? '').toBe('# One\n');
      expect((await perform(one.brain, listUndos, {}, person)).undos).toMatchObject([{ undo, by: 'rogue' }]);
      await perform(one.brain, redo, { undo }, person);
      await follow(one, two);
      expect((await two.brain.vault.read(vaultPath(ROOT))) ?? '').toBe('# Two\n');
      expect((await perform(two.brain, listUndos, {}, person)).undos).toMatchObject([
        { undo, taken_back: expect.any(String) as string },
      ]);
    }));
});
