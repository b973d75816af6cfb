import { describeWithCluster } from '../support/postgres-cluster';
import { runTeamKill } from './team-kill';

describeWithCluster('a team of servers', (cluster) => {
  /** Fewer hits than `npm run crash -- team`, the same script. */
  it('loses nothing that was acknowledged when servers and the database are hit, and a standby takes over', async () => {
    const result = await runTeamKill({
      cluster: cluster(),
      servers: 3,
      clients: 8,
      hits: 8,
      seed: 20261127,
    });
    expect(result.problems).toEqual([]);
    expect(result.hits.failover).toBe(1);
    expect(result.acknowledged).toBeGreaterThan(50);
    expect(result.tools).toBeGreaterThan(10);
  }, 400_000);
});
