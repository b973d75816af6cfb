import { finishForgetting, forget } from '../../../src/core/forget/forget';
import { capture } from '../../../src/core/notes/capture';
import { getNote } from '../../../src/core/notes/get';
import { updateNote } from '../../../src/core/notes/update';
import { perform } from '../../../src/core/operation/operation';
import { promoteNote } from '../../../src/core/review/promote';
import { queryNotes } from '../../../src/core/search/query';
import { describeWithPostgres } from '../../support/postgres-server';
import { withSharedBrains } from '../../support/shared-stores';
import { callerWith, person } from '../../support/test-brain';

const writer = callerWith(['read', 'write'], 'intern');

describeWithPostgres('a note that is forgotten', (server) => {
  it('is in no row of a shared vault, and no server finds it', () =>
    withSharedBrains(server(), async (one, two, stores) => {
      const follow = () => two.brain.servers.feed?.reach(one.brain.servers.feed?.position ?? 0, 10_000);

      const text = '# Quokka plan\n\nFirst xylograph words. ![[https://e.org/quokka.png]]\n';
      const { path: queued } = await perform(one.brain, capture, { text, wing: 'lab' }, writer);
      const place = { path: queued, wing: 'lab', hall: 'facts', slug: 'quokka-plan' };
      const { path } = await perform(one.brain, promoteNote, place, person);
      await follow();
      const { content_hash: hash } = await perform(two.brain, getNote, { path }, person);
      const update = {
        path,
        content: '# Quokka plan\n\nMore xylograph.\n',
        expected_hash: hash,
        reason: 'more',
      };
      await perform(two.brain, updateNote, update, writer, { key: 'k-1' });
      await one.brain.servers.feed?.reach(two.brain.servers.feed?.position ?? 0, 10_000);

      const { plan } = await perform(one.brain, forget, { path, dry_run: true }, person);
      await perform(one.brain, forget, { path, plan, reason: 'Asked for' }, person);
      await follow();
      await finishForgetting(two.brain);
      const found = await perform(two.brain, queryNotes, { query: 'xylograph', include_raw: true }, person);
      expect(found.results).toEqual([]);
      const { state, vault } = stores[0];
      for (const file of await state.list(''))
        expect([file, await state.read(file)]).not.toEqual([
          file,
          expect.stringMatching(/xylograph|quokka/i),
        ]);
      for await (const { path: left } of vault.list(''))
        expect([left, await vault.read(left)]).not.toEqual([
          left,
          expect.stringMatching(/xylograph|quokka/i),
        ]);
    }));
});
