import { runKillLoop } from './kill-loop';

/** Fewer rounds than `npm run crash`, the same script. */
it('loses nothing that was acknowledged when it is killed in the middle of writes', async () => {
  const result = await runKillLoop({ rounds: 3, writesPerRound: 200, clients: 8, seed: 20261120 });
  expect(result.problems).toEqual([]);
  expect(result.acknowledged).toBeGreaterThan(100);
  expect(result.tools).toBeGreaterThan(30);
  for (const count of Object.values(result.byKind)) expect(count).toBeGreaterThan(0);
}, 180_000);
