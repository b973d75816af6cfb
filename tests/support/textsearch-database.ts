import type { Sql } from '../../src/adapters/postgres/sql';
import { connect, socketDatabase } from './vector-databases';

/** A Postgres with pg_textsearch, empty and in memory, which ends when it is closed. */
export async function textSearchDatabase(): Promise<Omit<Sql, 'hold' | 'listen'>> {
  const database = await socketDatabase('pg_textsearch');
  const sql = connect(database.dsn);
  await sql.statement('CREATE EXTENSION pg_textsearch');
  return {
    place: sql.place,
    transaction: (work) => sql.transaction(work),
    statement: (...asked) => sql.statement(...asked),
    async close() {
      await sql.close();
      await database.close();
    },
  };
}
