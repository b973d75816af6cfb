import { postgresSql } from '../../../src/adapters/postgres/pg';
import type { Sql } from '../../../src/adapters/postgres/sql';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { describeWithPostgres } from '../../support/postgres-server';
import { withSharedStores } from '../../support/shared-stores';
import { silentLog } from '../../support/silent-log';

const A = vaultPath('wiki/net/facts/connection-timeout.md');

describeWithPostgres('an edit of a note in tables of Postgres', (postgres) => {
  it('builds on what another transaction commits meanwhile', () =>
    withSharedStores(postgres(), async ([{ vault, database }]) => {
      await vault.create(A, 'one');
      const sql = postgresSql(postgres().dsn(database), silentLog(), 3);
      const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      try {
        const edits: Promise<boolean>[] = [];
        await sql.transaction(async (query) => {
          await query('UPDATE brain.files SET body = $2 WHERE path = $1', [A, Buffer.from('two')]);
          edits.push(vault.edit(A, (old) => `${old}!`));
          while ((await sql.statement(waiting, [])).length === 0);
        });
        expect(await Promise.all(edits)).toEqual([true]);
        expect(await vault.read(A)).toBe('two!');
      } finally {
        await sql.close();
      }
    }));

  it('is made again when another transaction was in its way', async () => {
    const refusals: string[] = [];
    const refuse = (text: string): void => {
      const code = text.includes('brain.files') ? refusals.pop() : undefined;
      if (code !== undefined) throw Object.assign(new Error('could not serialize access'), { code });
    };
    const crowded = (sql: Sql): Sql => {
      const begin: Sql['transaction'] = sql.transaction.bind(sql);
      const transaction: Sql['transaction'] = (work) =>
        begin((query) =>
          work(async (...statement) => {
            refuse(statement[0]);
            return query(...statement);
          }),
        );
      return Object.assign(sql, { transaction });
    };
    await withSharedStores(
      postgres(),
      async ([{ vault }]) => {
        await vault.create(A, '');
        for (const code of ['40001', '40P01', '23505']) {
          refusals.push(code);
          expect(await vault.edit(A, (old) => `${old}${code};`)).toBe(true);
          expect(refusals).toEqual([]);
        }
        expect(await vault.read(A)).toBe('40001;40P01;23505;');
      },
      { through: crowded },
    );
  });
});
