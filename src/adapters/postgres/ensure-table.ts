import { StoreDown } from '../../core/vector-store';
import { DIMENSIONS } from '../../core/vectors/pool';
import { codeOf, isReadOnly } from './explain';
import { identifier, type Query, type Sql } from './sql';

/** The table, with names that mean the same whatever the search path of the connection is. */
export interface Table {
  readonly name: string;
  readonly index: string;
  /** The type of a vector and the operator of cosine distance. */
  readonly vector: string;
  readonly distance: string;
  /** False for a pgvector before 0.8, whose index filters after its scan and has no way to go on. */
  readonly iterates: boolean;
  /** False while searches have no index to go by. */
  readonly hasIndex: boolean;
  /** False where vectors are kept beside their rows, as tables of earlier versions do. */
  readonly isPlain: boolean;
}

const TABLE = 'brain_embeddings';
const INDEX = 'brain_embeddings_embedding_idx';

/** One lock for all that make the table, in any database: two servers that start at once would trip over each other. */
const LOCK = 0x6272_6169; // "brai"

/**
 * Finds the table with its index, makes what is missing of extension, schema, table and index, and answers their names. Safe to
 * run at any time. Where everything is there nothing is made or locked, so that whoever may only read can search; without the
 * index and the right to make it searches are slower, and go on.
 * @throws StoreDown when pgvector is not there or the table is another one; what the driver throws otherwise.
 */
export async function ensureTable(sql: Sql, schema: string): Promise<Table> {
  const found = await sql.transaction((query) => findTable(query, schema, sql.place));
  if (found?.hasIndex === true) return found;
  try {
    return await makeTable(sql, schema);
  } catch (error) {
    if (found !== null && isReadOnly(error)) return found;
    throw error;
  }
}

function makeTable(sql: Sql, schema: string): Promise<Table> {
  const inSchema = identifier(schema);
  return sql.transaction(async (query) => {
    // Building the index of a table that someone else has filled may take longer than any search may.
    await query('SET LOCAL statement_timeout = 0');
    await query(`SELECT pg_advisory_xact_lock(${LOCK})`);
    const extension = identifier((await pgvector(query)).schema ?? (await installPgvector(query, sql.place)));
    // Asked first: who may use a schema may not always make one.
    const [known] = await query('SELECT 1 AS found FROM pg_namespace WHERE nspname = $1', [schema]);
    if (known === undefined) await query(`CREATE SCHEMA IF NOT EXISTS ${inSchema}`);
    if ((await findTable(query, schema, sql.place)) === null) {
      await query(
        `CREATE TABLE ${inSchema}.${TABLE} (path text PRIMARY KEY, embedding ${extension}.vector(${DIMENSIONS}) NOT NULL, updated_at timestamptz NOT NULL)`,
      );
      // Kept in the row and not beside it, where every comparison would have to fetch it.
      await query(`ALTER TABLE ${inSchema}.${TABLE} ALTER COLUMN embedding SET STORAGE PLAIN`);
    }
    await query(
      `CREATE INDEX IF NOT EXISTS ${INDEX} ON ${inSchema}.${TABLE} USING hnsw (embedding ${extension}.vector_cosine_ops)`,
      [],
      true,
    );
    const table = await findTable(query, schema, sql.place);
    if (table === null) throw new StoreDown(`The database at ${sql.place} has not kept the table it made.`);
    return table;
  });
}

/** The table as it is, by the catalog alone, which everybody may read; null when it or pgvector is not there. */
async function findTable(query: Query, schema: string, place: string): Promise<Table | null> {
  const { schema: home, version } = await pgvector(query);
  const [row] = await query(
    `SELECT format_type(a.atttypid, a.atttypmod) AS type, a.attstorage::text AS storage,
       EXISTS (SELECT FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid
               WHERE i.indrelid = c.oid AND x.relname = $2) AS indexed
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'embedding' AND NOT a.attisdropped
     WHERE n.nspname = $1 AND c.relname = '${TABLE}'`,
    [schema, INDEX],
  );
  if (row === undefined) return null;
  const name = `${identifier(schema)}.${TABLE}`;
  if (!String(row.type).endsWith(`vector(${DIMENSIONS})`)) {
    throw new StoreDown(
      `The table ${name} at ${place} is not the one of this service: its column embedding is ${String(row.type)} and not vector(${DIMENSIONS}). Choose another schema with BRAIN_PG_SCHEMA.`,
    );
  }
  if (home === null) return null;
  const extension = identifier(home);
  return {
    name,
    index: `${identifier(schema)}.${INDEX}`,
    hasIndex: row.indexed === true,
    vector: `${extension}.vector`,
    distance: `OPERATOR(${extension}.<=>)`,
    iterates: !/^0\.[0-7](?:\.|$)/.test(version),
    isPlain: row.storage === 'p',
  };
}

/** Where the extension is, null when it is missing, and which version of it. */
async function pgvector(query: Query): Promise<{ schema: string | null; version: string }> {
  const [row] = await query(
    `SELECT n.nspname::text AS schema, e.extversion AS version FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector'`,
  );
  return row === undefined
    ? { schema: null, version: '' }
    : { schema: String(row.schema), version: String(row.version) };
}

/** Installs the extension, and answers where it is. */
async function installPgvector(query: Query, place: string): Promise<string> {
  try {
    await query('CREATE EXTENSION IF NOT EXISTS vector');
  } catch (error) {
    const code = codeOf(error);
    const how =
      'let a superuser, or the administrator of a managed service, run in it: CREATE EXTENSION vector;';
    if (code === '42501') {
      throw new StoreDown(
        `The database at ${place} has no pgvector, and this user may not install it. To mend that, ${how}`,
      );
    }
    if (code !== '0A000' && code !== '58P01') throw error;
    throw new StoreDown(
      `The database at ${place} has no pgvector, nor has its server. Install the extension on that machine, then ${how}`,
    );
  }
  return (await pgvector(query)).schema ?? 'public';
}
