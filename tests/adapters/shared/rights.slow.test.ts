import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { postgresSql } from '../../../src/adapters/postgres/pg';
import type { Sql } from '../../../src/adapters/postgres/sql';
import { type Mirrored, mirrorFolder } from '../../../src/adapters/shared/mirror';
import { openShared, openTokenTable } from '../../../src/adapters/shared/store';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import { describeWithPostgres } from '../../support/postgres-server';
import { withSharedStores } from '../../support/shared-stores';
import { silentLog } from '../../support/silent-log';

/** The script that makes the roles of a vault. */
const ROLES = readFileSync('docs/roles.sql', 'utf8');

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
      postgres().sql(database, ROLES);
      postgres().sql(database, "ALTER ROLE brain_server PASSWORD 'secret'");
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
      postgres().sql(database, 'DROP OWNED BY reader_sales; DROP ROLE reader_sales');
    }));
});

describeWithPostgres('The three roles', (postgres) => {
  const NAMES = ['brain_migrations', 'brain_server', 'brain_reader'] as const;
  const openAs = (database: string, role: (typeof NAMES)[number]): Sql =>
    postgresSql(postgres().dsn(database, role), silentLog(), 2);
  const made = (database: string): void => {
    postgres().makeDatabase(database, false);
    postgres().sql(database, ROLES);
    for (const name of NAMES) postgres().sql(database, `ALTER ROLE ${name} PASSWORD 'secret'`);
  };
  /** Removes a database, and with it the roles, which belong to the whole cluster. */
  const removed = async (database: string): Promise<void> => {
    await postgres().drop(database);
    for (const name of NAMES) postgres().sql('postgres', `DROP ROLE ${name}`);
  };
  const options = {
    log: silentLog(),
    sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms).unref()),
    onLost: () => undefined,
  };

  it('are enough: one makes the tables, one serves, one reads notes and no tokens', async () => {
    made('three');
    await expect(openShared(openAs('three', 'brain_server'), options)).rejects.toThrow();
    const migrations = openAs('three', 'brain_migrations');
    await (await openTokenTable(migrations, { makes: true })).add('claude', ['read']);
    await migrations.close();
    postgres().sql('three', ROLES);
    const store = await openShared(openAs('three', 'brain_server'), options);
    const { vault, state, servers, tokens } = store;
    expect(await vault.create(vaultPath('wiki/net/facts/a.md'), 'A')).toBe(true);
    expect(await vault.move(vaultPath('wiki/net/facts/a.md'), vaultPath('wiki/net/facts/b.md'))).toBe(true);
    await state.append('log.jsonl', 'a line\n', true);
    await state.write('whole', 'x');
    await servers.jobs.save({ id: '1', owner: 'me', isEnded: false, told: {} });
    expect((await tokens.list()).map(({ name }) => name)).toEqual(['claude']);
    const reader = openAs('three', 'brain_reader');
    const root = mkdtempSync(path.join(tmpdir(), 'brain-mirror-'));
    const shown: Mirrored[] = [];
    await mirrorFolder(reader, root, {
      log: silentLog(),
      isOnce: true,
      signal: new AbortController().signal,
      onRound: (round) => shown.push(round),
      onAway: () => undefined,
    });
    expect(shown).toMatchObject([{ written: 1 }]);
    for (const refused of [
      'SELECT * FROM brain.tokens',
      'SELECT * FROM brain.keys',
      'DELETE FROM brain.files',
    ])
      await expect(reader.statement(refused)).rejects.toMatchObject({ code: '42501' });
    await reader.close();
    rmSync(root, { recursive: true });
    await store.close();
    await removed('three');
  }, 60_000);

  it.each([
    ['USAGE ON ALL SEQUENCES IN SCHEMA brain', 'USAGE on the sequence brain.parts'],
    ['INSERT ON brain.state', 'INSERT, UPDATE and DELETE, on the table brain.state'],
    ['USAGE ON SCHEMA brain', 'USAGE on the schema brain'],
  ])(
    'have a right less, which the message names: %s',
    async (right, named) => {
      made('less');
      const migrations = openAs('less', 'brain_migrations');
      await openTokenTable(migrations, { makes: true });
      await migrations.close();
      const store = await openShared(openAs('less', 'brain_server'), options);
      postgres().sql('less', `REVOKE ${right} FROM brain_server`);
      const refusal = store.state.append('log.jsonl', 'a line\n', true);
      await expect(refusal).rejects.toThrow(
        `lacks ${named.startsWith('INSERT') ? 'SELECT, and to change anything ' : ''}${named}`,
      );
      await expect(refusal).rejects.toThrow('docs/roles.sql');
      await store.close();
      await removed('less');
    },
    60_000,
  );
});
