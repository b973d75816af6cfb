import { SCOPES } from '../../../src/core/access/tokens';
import { openTokenTable } from '../../../src/adapters/shared/store';
import { postgresSql } from '../../../src/adapters/postgres/pg';
import { describeWithPostgres } from '../../support/postgres-server';
import { withSharedStores } from '../../support/shared-stores';
import { silentLog } from '../../support/silent-log';

type Work = Parameters<Parameters<typeof withSharedStores>[1]>[0];

describeWithPostgres('the tokens of a shared vault', (postgres) => {
  /** Runs work with two servers' stores and with the table, as the command line has it. */
  const withTable = (
    work: (table: Awaited<ReturnType<typeof openTokenTable>>, stores: Work) => Promise<void>,
  ): Promise<void> =>
    withSharedStores(postgres(), async (stores) => {
      const sql = postgresSql(postgres().dsn(stores[0].database), silentLog(), 1);
      try {
        await work(await openTokenTable(sql, { makes: false }), stores);
      } finally {
        await sql.close();
      }
    });
  /** Waits until all servers know a token, or no longer do; Jest ends a test that waits in vain. */
  const until = async (stores: Work, token: string, isKnown: boolean): Promise<void> => {
    for (const { tokens } of stores) {
      while (((await tokens.verify(token)) !== null) !== isKnown)
        await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };

  it('are made and taken away for all servers', () =>
    withTable(async (table, stores) => {
      const token = (await table.add('ada', ['read', 'review'], { human: true, read: ['wiki/a'] })) ?? '';
      expect(await table.add('ada', ['read'])).toBeNull();
      await until(stores, token, true);
      for (const { tokens } of stores) {
        expect(await tokens.verify(token)).toEqual({
          ...{ name: 'ada', scopes: new Set(['read', 'review']), page: false },
          ...{ human: true, limits: { read: ['wiki/a'] } },
        });
        expect(await tokens.verify(`${token}x`)).toBeNull();
      }
      expect([await table.revoke('ada'), await table.revoke('ada')]).toEqual([true, false]);
      await until(stores, token, false);
    }));

  it('show no use of one that had the name before', () =>
    withTable(async (table, stores) => {
      const first = (await table.add('ada', ['read'])) ?? '';
      await until(stores, first, true);
      await table.revoke('ada');
      // Times are kept in whole seconds.
      await new Promise((resolve) => setTimeout(resolve, 1100));
      await table.add('ada', ['read']);
      for (const { tokens } of stores) await tokens.close();
      expect(await table.list()).toMatchObject([{ name: 'ada', last_used: null }]);
    }));

  it('are listed with what they may, and when they were last used', () =>
    withTable(async (table, [mine, other]) => {
      const token = (await table.add('b', ['read', 'write'], { writeWings: ['homelab'] })) ?? '';
      await table.add('a', [...SCOPES]);
      const { tokens } = mine;
      while ((await tokens.verify(token)) === null) await new Promise((resolve) => setTimeout(resolve, 20));
      await tokens.close();
      const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      const listed = [
        { name: 'a', scopes: [...SCOPES], created_at: time, last_used: null },
        {
          ...{ name: 'b', scopes: ['read', 'write'], created_at: time, last_used: time },
          limits: { writeWings: ['homelab'] },
        },
      ];
      expect(await table.list()).toEqual(listed);
      expect(await other.tokens.list()).toEqual(listed);
      expect(await table.revoke('no-such')).toBe(false);
    }));

  it('are in the database as hashes only', () =>
    withTable(async (table, [{ database }]) => {
      const token = (await table.add('a', ['read'])) ?? '';
      const rows = postgres().sql(database, 'SELECT * FROM brain.tokens');
      expect(rows).toMatch(/^a\|[0-9a-f]{64}\|/);
      expect(rows).not.toContain(token);
    }));

  it('never give more than was written, when a row is not understood', () =>
    withTable(async (table, stores) => {
      const token = (await table.add('a', ['read'], { read: ['wiki/a'] })) ?? '';
      await until(stores, token, true);
      postgres().sql(stores[0].database, "UPDATE brain.tokens SET read_paths = '{../b}'");
      await until(stores, token, false);
      postgres().sql(
        stores[0].database,
        "UPDATE brain.tokens SET read_paths = '{wiki/a}', scopes = '{read,all}'",
      );
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      expect(await stores[0].tokens.verify(token)).toBeNull();
    }));

  it('sign the ids of sessions with one key', () =>
    withSharedStores(postgres(), async ([mine, other]) => {
      expect(mine.tokens.sessionKey).toHaveLength(32);
      expect(other.tokens.sessionKey).toEqual(mine.tokens.sessionKey);
    }));

  it('are not gone by when they could not be read for a minute', () =>
    withTable(async (table, stores) => {
      const token = (await table.add('a', ['read'])) ?? '';
      await until(stores, token, true);
      const [{ tokens }] = stores;
      const now = performance.now();
      const clock = jest.spyOn(performance, 'now').mockReturnValue(now + 61_000);
      try {
        await expect(tokens.verify(token)).rejects.toMatchObject({ code: 'busy' });
      } finally {
        clock.mockRestore();
      }
    }));
});
