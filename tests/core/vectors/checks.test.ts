import { status } from '../../../src/core/notes/status';
import { backfillEmbeddings } from '../../../src/core/vectors/backfill-embeddings';
import { type HybridBrain, openHybridBrain } from '../../support/hybrid-brain';
import { memoryVectors } from '../../support/memory-vectors';

const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`wiki/a/facts/n${at}.md`, `Note ${at}.`]));

describe('a look at the vectors', () => {
  const look = async ({ run }: HybridBrain) =>
    (await run(status)).checks.find(({ name }) => name === 'vectors');

  it('fails when they are those of another model', async () => {
    const vectors = memoryVectors();
    const brain = await openHybridBrain(many(3), { vectors });
    await vectors.mark('model-of-another-device');
    expect(await look(brain)).toEqual({
      name: 'vectors',
      state: 'failed',
      message: 'The vectors were made by another model. Run backfill-embeddings to make them anew.',
      fix: 'Or set the model back to the one that made them. Until then, search goes by words alone.',
    });
  });

  it('warns when too few notes have one', async () => {
    const brain = await openHybridBrain();
    brain.vectors.isDown = true;
    for (const [path, text] of Object.entries(many(201))) brain.vault.outside(path, text);
    await brain.run(backfillEmbeddings);
    brain.vectors.isDown = false;
    expect(await look(brain)).toEqual({
      name: 'vectors',
      state: 'warning',
      message: '0 of 201 notes in wiki/ have a vector; from 1 on, search goes by meaning too.',
      fix: expect.stringContaining('backfill-embeddings tries at once'),
    });
  });
});
