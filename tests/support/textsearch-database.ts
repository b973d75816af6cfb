import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pgliteSql } from '../../src/adapters/postgres/pglite';
import type { Sql } from '../../src/adapters/postgres/sql';

/** An embedded Postgres with pg_textsearch, empty, in a folder that goes with it. */
export async function textSearchDatabase(): Promise<Sql> {
  const folder = await mkdtemp(path.join(tmpdir(), 'brain-words-'));
  const sql = pgliteSql(folder, {
    module: require.resolve('@electric-sql/pglite-pg_textsearch'),
    name: 'pg_textsearch',
  });
  await sql.statement('CREATE EXTENSION pg_textsearch');
  return {
    ...sql,
    async close() {
      await sql.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
