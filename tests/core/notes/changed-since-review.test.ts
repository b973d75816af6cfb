import { answerNotes } from '../../../src/core/answer/operation';
import { getNote } from '../../../src/core/notes/get';
import { updateNote } from '../../../src/core/notes/update';
import { promoteNote } from '../../../src/core/review/promote';
import { queryNotes } from '../../../src/core/search/query';
import { openTestBrain } from '../../support/test-brain';

it('is said of a promoted note that was updated, wherever it is read, and of no other', async () => {
  const world = await openTestBrain({ 'raw/quokka.md': 'The quokka budget is 4711 euro.\n' });
  const { run } = world;
  const { path } = await run(promoteNote, { path: 'raw/quokka.md', wing: 'zoo', hall: 'facts' });
  const all = async () => {
    const [result] = (await run(queryNotes, { query: 'quokka budget' })).results;
    const { citations } = await run(answerNotes, { query: 'What is the quokka budget?' });
    return [await run(getNote, { path }), result, citations[0]].map((one) => one?.changed_since_review);
  };
  expect(await all()).toEqual([undefined, undefined, undefined]);
  world.clock.advance(60_000);
  await run(updateNote, { path, content: 'The quokka budget is 9 euro.\n', reason: 'less' });
  expect(await all()).toEqual([true, true, true]);
});
