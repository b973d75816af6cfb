import { backfillEmbeddings } from '../../../src/core/search/backfill';
import { openHybridBrain } from '../../support/hybrid-brain';
import { memoryVectors } from '../../support/memory-vectors';
import { openTestBrain } from '../../support/test-brain';

const FILES = { 'wiki/a/facts/car.md': '# Car', 'wiki/a/facts/rain.md': '# Rain', 'wiki/a/_index.md': '# a' };
const dry = { dry_run: true };

describe('a dry run of the backfill', () => {
  it('counts what the backfill then does, embedding nothing and removing nothing', async () => {
    const { run, vault, vectors, embedder } = await openHybridBrain(FILES);
    vault.outside('wiki/a/facts/car.md', null);
    vault.outside('wiki/a/facts/snow.md', '# Snow');
    const [rows, calls] = [new Map(vectors.rows), embedder.calls.length];
    const answer = { added: 1, deleted: 1, errors: [] };
    expect(await run(backfillEmbeddings, dry)).toEqual(answer);
    expect([vectors.rows, embedder.calls.length]).toEqual([rows, calls]);
    expect(await run(backfillEmbeddings)).toEqual(answer);
    expect(await run(backfillEmbeddings, dry)).toEqual({ added: 0, deleted: 0, errors: [] });
  });

  it('counts every note when another model made the vectors, and keeps those', async () => {
    const vectors = memoryVectors();
    await (await openHybridBrain(FILES, { vectors })).close();
    await vectors.mark('another-model');
    const { run } = await openHybridBrain(FILES, { vectors });
    const rows = new Map(vectors.rows);
    expect(await run(backfillEmbeddings, dry)).toEqual({ added: 2, deleted: 0, errors: [] });
    expect([vectors.rows, await vectors.maker()]).toEqual([rows, 'another-model']);
    expect(await run(backfillEmbeddings)).toEqual({ added: 2, deleted: 0, errors: [] });
  });

  it('tells of a database that is down, and is refused where there is none', async () => {
    const { run, vectors } = await openHybridBrain(FILES);
    vectors.isDown = true;
    const errors = [{ error: 'The database in memory refuses connections.' }];
    expect(await run(backfillEmbeddings, dry)).toEqual({ added: 0, deleted: 0, errors });
    const { refusal } = await openTestBrain();
    expect(await refusal(backfillEmbeddings, dry)).toMatchObject({ code: 'hybrid_not_configured' });
  });
});
