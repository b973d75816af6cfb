import { ingestFolder } from '../../../src/core/ingest/operations';
import { StopController } from '../../../src/core/base/concurrency';
import { agent, openTestBrain } from '../../support/test-brain';

it('says so when it was called off before there was a list of its files', async () => {
  const { brain } = await openTestBrain();
  const options = { destination: 'raw', force: false, dryRun: false } as const;
  const folder = { file: 'inbox', files: [] };
  const signal = new StopController();
  expect(await ingestFolder(brain, folder, options, agent, { signal })).not.toHaveProperty('cancelled');
  signal.stop();
  expect(await ingestFolder(brain, folder, options, agent, { signal })).toMatchObject({ cancelled: true });
});
