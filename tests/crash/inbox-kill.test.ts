import { runInboxKill } from './inbox-kill';

/** Fewer files and kills than `npm run crash -- inbox`, the same script. */
it('loses no file and takes none twice when it is killed in the middle of its inbox', async () => {
  const result = await runInboxKill({ rounds: 1, files: 30, kills: 3, seed: 20261120 });
  expect(result).toMatchObject({ problems: [], processed: 27, quarantined: 3 });
  expect(result.interrupted).toBeGreaterThan(0);
}, 180_000);
