import { answerNotes } from '../../../src/core/answer/operation';
import { queryNotes } from '../../../src/core/search/query';
import { openTestBrain } from '../../support/test-brain';

const FILES = {
  'wiki/homelab/facts/ups.md': '# UPS\n\nThe battery holds the server for nine minutes.\n',
  'raw/2026-11-01-zeppelin.md': '# Zeppelin hangar\n\nThe zeppelin hangar door is blue.\n',
  'raw/2026-11-02-zeppelin.md': '# Zeppelin\n\nA zeppelin lands at noon.\n',
};

it.each([
  ['what waits', { query: 'zeppelin' }, 2, undefined],
  ['what waits, and a word of no note', { query: 'the hangar of Bergen' }, 1, ['Bergen']],
  ['nothing where the queue is searched', { query: 'zeppelin', include_raw: true }, undefined, undefined],
  [
    'nothing that is worth less than what was found',
    { query: 'battery server minutes door' },
    undefined,
    undefined,
  ],
  ['nothing of a wing', { query: 'zeppelin', wing: 'homelab' }, undefined, undefined],
])('a search tells of %s', async (_, raw, waiting, missing) => {
  const { run } = await openTestBrain(FILES);
  const found = await run(queryNotes, raw);
  expect([found.waiting, found.missing_words]).toEqual([waiting, missing]);
});

it('an answer tells of it only where it is not sure', async () => {
  const { run } = await openTestBrain(FILES);
  const none = await run(answerNotes, { query: 'Which colour has the hangar in Bergen?' });
  expect(none).toMatchObject({ abstained: true, waiting: 1, missing_words: ['colour', 'Bergen'] });
  const sure = await run(answerNotes, { query: 'How long does the battery hold the server?' });
  expect(sure.abstained).toBe(false);
  expect(sure).not.toHaveProperty('waiting');
});
