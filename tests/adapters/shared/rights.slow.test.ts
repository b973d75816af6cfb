import { readFileSync } from 'node:fs';
import pg from 'pg';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { describeWithPostgres } from '../../support/postgres-server';
import { withSharedStores } from '../../support/shared-stores';

/** The statements for a reader of one wing, as the documentation gives them. */
const [, STATEMENTS = ''] =
  /```sql\n(-- A reader of the wing "sales"[^]*?)```/.exec(readFileSync('docs/scaling.md', 'utf8')) ?? [];

describeWithPostgres('A reader of one wing in the database', (postgres) => {
  it('sees the notes of the wing alone and changes nothing, and servers see and change all', () =>
    withSharedStores(postgres(), async ([mine, other]) => {
      const paths = ['wiki/sales/facts/a.md', 'wiki/sales/_index.md', 'wiki/sales-eu/facts/b.md', 'raw/c.md'];
      for (const at of paths) await mine.vault.create(vaultPath(at), `Text of ${at}`);
      await mine.state.write('history/ab/cd.md', 'An older text.');
      expect(STATEMENTS).toContain("PASSWORD 'change me'");
      postgres().sql(mine.database, STATEMENTS.replace('change me', 'secret'));
      const reader = new pg.Client({ connectionString: postgres().dsn(mine.database, 'reader_sales') });
      await reader.connect();
      try {
        const sees = async (): Promise<string[]> => {
          const { rows } = await reader.query<{ path: string; text: string }>(
            "SELECT path, convert_from(body, 'UTF8') AS text FROM brain.files ORDER BY path",
          );
          for (const { path, text } of rows) expect(text).toContain(`Text of ${path}`);
          return rows.map(({ path }) => path);
        };
        expect(await sees()).toEqual(['wiki/sales/_index.md', 'wiki/sales/facts/a.md']);
        for (const refused of [
          "INSERT INTO brain.files (path, folded, body) VALUES ('wiki/sales/facts/d.md', 'd', '')",
          "UPDATE brain.files SET body = ''",
          'DELETE FROM brain.files',
          'TRUNCATE brain.files',
          'SELECT * FROM brain.files FOR UPDATE',
          'ALTER TABLE brain.files DISABLE ROW LEVEL SECURITY',
          'CREATE TABLE brain.mine (a int)',
          ...['state', 'changes', 'folders', 'leases', 'migrations'].map(
            (name) => `SELECT * FROM brain.${name}`,
          ),
        ]) {
          await expect(reader.query(refused)).rejects.toMatchObject({ code: '42501' });
        }
        expect(
          await other.vault.create(vaultPath('wiki/sales/facts/e.md'), 'Text of wiki/sales/facts/e.md'),
        ).toBe(true);
        expect(await other.vault.edit(vaultPath('raw/c.md'), (text) => `${text}, more`)).toBe(true);
        expect(await mine.vault.read(vaultPath('raw/c.md'))).toBe('Text of raw/c.md, more');
        expect(await sees()).toHaveLength(3);
      } finally {
        await reader.end();
        postgres().sql(mine.database, 'DROP OWNED BY reader_sales; DROP ROLE reader_sales');
      }
    }));

  it('is one beside servers that do not own the tables', () =>
    withSharedStores(postgres(), async ([mine]) => {
      const { database } = mine;
      await mine.vault.create(vaultPath('raw/c.md'), 'c');
      const [, forServers = ''] =
        /```sql\n(-- Servers that connect[^]*?)```/.exec(readFileSync('docs/scaling.md', 'utf8')) ?? [];
      expect(forServers).toContain('brain_server');
      postgres().sql(
        database,
        `CREATE ROLE brain_server LOGIN PASSWORD 'secret'; GRANT USAGE ON SCHEMA brain TO brain_server;
         GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA brain TO brain_server; GRANT USAGE ON ALL SEQUENCES IN SCHEMA brain TO brain_server;`,
      );
      postgres().sql(database, STATEMENTS.replace('change me', 'secret'));
      const count = async (): Promise<unknown> => {
        const client = new pg.Client({ connectionString: postgres().dsn(database, 'brain_server') });
        await client.connect();
        const { rows } = await client.query<{ count: string }>('SELECT count(*) FROM brain.files');
        await client.end();
        return rows[0]?.count;
      };
      expect(await count()).toBe('0');
      postgres().sql(database, forServers);
      expect(await count()).toBe('1');
      postgres().sql(
        database,
        'DROP OWNED BY reader_sales, brain_server; DROP ROLE reader_sales, brain_server',
      );
    }));
});
