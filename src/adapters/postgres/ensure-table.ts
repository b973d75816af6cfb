import { StoreDown } from '../../core/vector-store';
import { DIMENSIONS } from '../../core/vectors/pool';
import { identifier, literal, type Query, type Sql } from './sql';

/** The table, with names that mean the same whatever the search path of the connection is. */
export interface Table {
  readonly name: string;
  readonly index: string;
  /** The type of a vector and the operator of cosine distance. */
  readonly vector: string;
  readonly distance: string;
  /** False for a pgvector before 0.8, whose index filters after its scan and has no way to go on. */
  readonly iterates: boolean;
}

const INDEX = 'brain_embeddings_embedding_idx';

/** One lock for all that make the table, in any database: two servers that start at once would trip over each other. */
const LOCK = 0x6272_6169; // "brai"

/**
 * Makes extension, schema, table and index as far as they are missing, and answers their names. Safe to run at any time.
 * @throws StoreDown when pgvector is not there or the table is another one; what the driver throws otherwise.
 */
export function ensureTable(sql: Sql, schema: string): Promise<Table> {
  const inSchema = identifier(schema);
  return sql.transaction(async (query) => {
    // Building the index of a table that someone else has filled may take longer than any search may.
    await query('SET LOCAL statement_timeout = 0');
    await query(`SELECT pg_advisory_xact_lock(${LOCK})`);
    const { schema: home, version } = await pgvector(query, sql.place);
    const extension = identifier(home);
    const table: Table = {
      name: `${inSchema}.brain_embeddings`,
      index: `${inSchema}.${INDEX}`,
      vector: `${extension}.vector`,
      distance: `OPERATOR(${extension}.<=>)`,
      iterates: !/^0\.[0-7](?:\.|$)/.test(version),
    };
    // Asked first: who may use a schema may not always make one.
    const [known] = await query('SELECT 1 AS found FROM pg_namespace WHERE nspname = $1', [schema]);
    if (known === undefined) await query(`CREATE SCHEMA IF NOT EXISTS ${inSchema}`);
    if (!(await hasTable(query, table, sql.place))) {
      await query(
        `CREATE TABLE ${table.name} (path text PRIMARY KEY, embedding ${table.vector}(${DIMENSIONS}) NOT NULL, updated_at timestamptz NOT NULL)`,
      );
    }
    await query(
      `CREATE INDEX IF NOT EXISTS ${INDEX} ON ${table.name} USING hnsw (embedding ${extension}.vector_cosine_ops)`,
      [],
      true,
    );
    return table;
  });
}

/** Where the extension is and which version of it, which is installed when it is missing. */
async function pgvector(query: Query, place: string): Promise<{ schema: string; version: string }> {
  const find = async () => {
    const [row] = await query(
      `SELECT n.nspname::text AS schema, e.extversion AS version FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector'`,
    );
    return row === undefined ? null : { schema: String(row.schema), version: String(row.version) };
  };
  const there = await find();
  if (there !== null) return there;
  try {
    await query('CREATE EXTENSION IF NOT EXISTS vector');
  } catch (error) {
    const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : '';
    if (code === '42501') {
      throw new StoreDown(
        `The database at ${place} does not let this user install pgvector. Let its owner run: CREATE EXTENSION vector;`,
      );
    }
    if (code !== '0A000' && code !== '58P01') throw error;
    throw new StoreDown(
      `The database at ${place} has no pgvector. Install it on that server, then run: CREATE EXTENSION vector;`,
    );
  }
  return (await find()) ?? { schema: 'public', version: '' };
}

async function hasTable(query: Query, { name }: Table, place: string): Promise<boolean> {
  const [row] = await query(
    `SELECT (SELECT format_type(atttypid, atttypmod) FROM pg_attribute
             WHERE attrelid = c.oid AND attname = 'embedding' AND NOT attisdropped) AS type
     FROM (SELECT to_regclass(${literal(name)}) AS oid) AS c WHERE c.oid IS NOT NULL`,
  );
  if (row === undefined) return false;
  if (!String(row.type).endsWith(`vector(${DIMENSIONS})`)) {
    throw new StoreDown(
      `The table ${name} at ${place} is not the one of this service: its column embedding is ${String(row.type)} and not vector(${DIMENSIONS}). Choose another schema with BRAIN_PG_SCHEMA.`,
    );
  }
  return true;
}
