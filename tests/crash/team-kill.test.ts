import { describeWithPostgres } from '../support/postgres-server';
import { runTeamKill } from './team-kill';

describeWithPostgres('a team of servers', (postgres) => {
  /** Fewer hits than `npm run crash -- team`, the same script. */
  it('loses nothing that was acknowledged when servers and the database are hit', async () => {
    const result = await runTeamKill({
      postgres: postgres(),
      servers: 3,
      clients: 8,
      hits: 8,
      seed: 20261127,
    });
    expect(result.problems).toEqual([]);
    expect(result.acknowledged).toBeGreaterThan(50);
    expect(result.tools).toBeGreaterThan(10);
  }, 180_000);
});
