import { compareText } from '../../core/base/text';
import { DIMENSIONS } from '../../core/embeddings/pieces';
import {
  type Maker,
  MakerChanged,
  StoreDown,
  type VectorRow,
  type VectorStore,
} from '../../core/embeddings/store';
import type { VectorFilter } from '../../core/ports/ports';
import { type VaultPath, vaultPath } from '../../core/vocabulary/paths';
import { identifier, literal, type Query, type Row, type Sql } from './sql';

const UNTRUSTED =
  'shows a certificate that this machine does not trust. Name the certificate of its authority with sslrootcert in BRAIN_PG_DSN, or use sslmode=no-verify where the way to it is safe.';

/** What the codes of Postgres and of the system mean for the owner; nothing that the driver says is passed on. */
const MEANINGS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses connections. See that it runs.',
  ENOTFOUND: 'cannot be found. See that the name of the host is right.',
  EAI_AGAIN: 'cannot be found now. See that this machine is online.',
  ETIMEDOUT: 'does not answer. See that it runs and that nothing stands between.',
  EHOSTUNREACH:
    'cannot be reached from this machine. See that the address is right and that both are online.',
  ENETUNREACH: 'cannot be reached from this machine. See that the address is right and that both are online.',
  ENOENT:
    'has no socket there, or a file that sslrootcert, sslcert or sslkey names is gone. See that it runs and where its socket is.',
  EACCES: 'has a socket that this user may not use.',
  ECONNRESET: 'has ended the connection. It is tried again.',
  EPIPE: 'has ended the connection. It is tried again.',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  ERR_TLS_CERT_ALTNAME_INVALID:
    'shows a certificate for another name. Use a name that stands in the certificate in BRAIN_PG_DSN.',
  CERT_HAS_EXPIRED: 'shows a certificate that has expired. Renew it there.',
  CERT_NOT_YET_VALID: 'shows a certificate that is not valid yet. See that both clocks are right.',
  '28P01': 'does not take the user and password of BRAIN_PG_DSN.',
  '28000':
    'does not let this user in: either there is no such user who may log in, or its pg_hba.conf has no line for this user, database and machine, perhaps because that asks for TLS (sslmode in BRAIN_PG_DSN) or for the user of the system.',
  '3D000': 'does not have the database that BRAIN_PG_DSN names. Make it there, or correct the name.',
  '25006':
    'can only be read, as a standby. Searches go on there; to make and change vectors, give the address of the primary.',
  '42501':
    'does not let this user do that. To search it needs SELECT on the table and USAGE on its schema, to embed notes also INSERT, UPDATE and DELETE. To make the table it needs CREATE on the schema, and to take over the vectors of another model it has to own the table.',
  '42P01': 'has lost its table. It is made again.',
  '53100': 'has no room left on its disk.',
  '53300': 'has too many connections.',
  '57014': 'took too long.',
  '57P01': 'is shutting down.',
  '57P03': 'is starting up.',
};

/** The driver gives these no code. */
const WITHOUT_CODE: readonly (readonly [said: RegExp, meaning: string])[] = [
  [
    /does not support SSL/i,
    'does not speak TLS, which sslmode in BRAIN_PG_DSN asks for. Switch it on there, or use sslmode=disable where the way to it is safe.',
  ],
  [/password must be a/i, 'asks for a password, and BRAIN_PG_DSN has none.'],
  [/timeout|terminated/i, MEANINGS.ETIMEDOUT ?? ''],
];

/** What went wrong with the database, as a sentence that is safe to show. */
export function explain(error: unknown, place: string): string {
  const code = codeOf(error);
  const said = error instanceof Error ? error.message : '';
  const meaning =
    MEANINGS[code] ??
    (/^(?:ERR_(?:TLS|SSL|OSSL)|CERT_|EPROTO|UNABLE_TO)/.test(code)
      ? `cannot be talked to over TLS (${code}). See that its certificate and sslmode, sslrootcert, sslcert and sslkey in BRAIN_PG_DSN fit.`
      : WITHOUT_CODE.find(([words]) => words.test(said))?.[1]) ??
    `cannot be used (${code === '' ? 'no code' : code}). Its own log says why.`;
  return `The database at ${place} ${meaning}`;
}

/** True when the database does not let this user in: a wrong name or password, or too many connections. */
function isRefusal(error: unknown): boolean {
  return ['28P01', '28000', '53300'].includes(codeOf(error));
}

/** True when the table was taken away after it had been seen. */
export function isMissingTable(error: unknown): boolean {
  return codeOf(error) === '42P01';
}

/** True when others keep the table for now, or this user may not do that to it. */
function isInTheWay(error: unknown): boolean {
  return ['55P03', '42501'].includes(codeOf(error));
}

/** True when this user, or this server, may only read: no right to make something, or a standby. */
function isReadOnly(error: unknown): boolean {
  return ['42501', '25006'].includes(codeOf(error));
}

export function codeOf(error: unknown): string {
  // Several addresses were tried, each with its own error.
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : '';
}

/** The table, with names that mean the same whatever the search path of the connection is. */
interface Table {
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
async function ensureTable(sql: Sql, schema: string): Promise<Table> {
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

/**
 * An expression for who made the rows, or null: the comment of the table, which has no column for it. A query in itself, so
 * that it is worked out once and not for every row.
 */
function indexOwner({ name }: Table): string {
  return `(SELECT obj_description(${literal(name)}::regclass, 'pg_class'))`;
}

/** Who is noted in a comment. Earlier versions noted no vault: theirs belong to whichever writes first. */
interface Noted {
  readonly model: string;
  readonly vault: string | null;
}

const COMMENT = new RegExp(`^vault ([0-9a-z]+); ${DIMENSIONS} dimensions; ([^]*)$`);

function notedIn(comment: unknown): Noted | null {
  if (typeof comment !== 'string') return null;
  const [, vault, model] = COMMENT.exec(comment) ?? [];
  return vault === undefined || model === undefined ? { model: comment, vault: null } : { model, vault };
}

/** Whether a comment says that the rows are this maker's. @throws StoreDown when they are another vault's. */
function isNoted(comment: unknown, { model, vault }: Maker, { name }: Table, place: string): boolean {
  const noted = notedIn(comment);
  if (noted !== null && noted.vault !== null && noted.vault !== vault) {
    throw new StoreDown(
      `The table ${name} at ${place} holds the vectors of another vault, so nothing of it is read or changed. Set BRAIN_PG_SCHEMA to a schema for this vault alone; or drop that table if no vault uses it any more.`,
      true,
    );
  }
  return noted?.model === model;
}

/**
 * Whether the rows are this maker's, or there are none and nobody is noted.
 * @throws StoreDown when they are another vault's.
 */
async function isMadeBy(query: Query, table: Table, maker: Maker, place: string): Promise<boolean> {
  const [row] = await query(
    `SELECT ${indexOwner(table)} AS maker, EXISTS (SELECT FROM ${table.name}) AS filled`,
  );
  if (isNoted(row?.maker, maker, table, place)) return true;
  return notedIn(row?.maker) === null && row?.filled !== true;
}

/**
 * Sees to it that the rows are this maker's until the transaction ends. To be called first in it: what it locks keeps out
 * whoever empties the table for another maker, and nobody who writes rows or reads them.
 * @throws MakerChanged when they are another's, StoreDown when they are another vault's.
 */
async function lockOwner(query: Query, table: Table, maker: Maker, place: string): Promise<void> {
  await query(`LOCK TABLE ${table.name} IN ROW EXCLUSIVE MODE`);
  if (!(await isMadeBy(query, table, maker, place))) throw new MakerChanged();
}

/** The same, and notes maker and vault where they are not. @throws MakerChanged, StoreDown */
export async function claimMaker(query: Query, table: Table, maker: Maker, place: string): Promise<void> {
  await lockOwner(query, table, maker, place);
  const [row] = await query(`SELECT ${indexOwner(table)} AS maker`);
  const noted = notedIn(row?.maker);
  // Another model of the same vault may have been noted since the look above: the table was nobody's then.
  if (noted?.vault === maker.vault && noted.model === maker.model) return;
  // Whoever else would be noted waits here, and looks again when it is decided.
  await query(`LOCK TABLE ${table.name} IN SHARE UPDATE EXCLUSIVE MODE`);
  await lockOwner(query, table, maker, place);
  await noteMaker(query, table, maker);
}

/** Notes who makes the rows, for whoever looks after this transaction. */
async function noteMaker(query: Query, { name }: Table, { model, vault }: Maker): Promise<void> {
  const comment = `vault ${vault}; ${DIMENSIONS} dimensions; ${model}`;
  await query(`COMMENT ON TABLE ${name} IS ${literal(comment)}`);
}

/** A statement that takes longer is given up by the server. */
const STATEMENT_TIMEOUT = "SET LOCAL statement_timeout = '10s'";
/** Up to so many candidates a filtered search looks at each one: the index would filter after its scan and miss some. */
const EXACT_ROWS = 20_000;
/**
 * So many entries of the index are looked at for one result, at least; more find more and take longer. With 2 no more than 0.91
 * of the nearest were found once every row had been replaced, with 4 0.97, with 5 0.98, in 1.4 times the time.
 */
const SCAN_FACTOR = 5;
const MIN_SCAN = 40;
/** The most that pgvector takes. */
const MAX_SCAN = 1000;
/** A scan that has met too few rows goes on through the index up to here. */
const MAX_SCAN_TUPLES = 200_000;
/** What a row takes in an index that has just been made, in bytes: two of 768 dimensions fill a page. */
const INDEX_ROW_BYTES = 4096;
/** An index of more than so many times the size that its rows need is made anew. */
const WORN = 3;
/** Whoever reads keeps the table for moments only; after this one does not wait longer to empty it at once. */
const LOCK_TIMEOUT = "SET LOCAL lock_timeout = '2s'";

/** Vectors in a table of Postgres with pgvector, the specified one: `brain_embeddings`, by cosine with an HNSW index. */
export function sqlVectorStore(sql: Sql, schema: string): VectorStore {
  const { place } = sql;
  let opening: Promise<Table> | null = null;

  /** Runs `work` on the table, which is made first when this process has not seen it yet. */
  async function on<T>(work: (query: Query, table: Table) => Promise<T>): Promise<T> {
    try {
      opening ??= ensureTable(sql, schema);
      const table = await opening;
      return await sql.transaction(async (query) => {
        await query(STATEMENT_TIMEOUT);
        return work(query, table);
      });
    } catch (error) {
      // Whoever comes next looks anew: the server may be back by then, or the table be gone.
      if (opening !== null && (isMissingTable(error) || !(await opened(opening)))) opening = null;
      if (error instanceof StoreDown || error instanceof MakerChanged) throw error;
      throw new StoreDown(explain(error, place), isRefusal(error));
    }
  }

  return {
    open: () => on(async () => undefined),
    known: (maker) =>
      on(async (query, table) => {
        const { name } = table;
        if (!(await isMadeBy(query, table, maker, place))) return null;
        const rows = await query(
          `SELECT path, (extract(epoch FROM updated_at) * 1000)::float8 AS at FROM ${name}`,
        );
        return new Map(rows.map((row) => [pathOf(row), new Date(Math.floor(Number(row.at)))]));
      }),
    paths: () => on(async (query, { name }) => (await query(`SELECT path FROM ${name}`)).map(pathOf)),
    put: (rows, maker) =>
      on(async (query, table) => {
        const { name, vector } = table;
        await claimMaker(query, table, maker, place);
        for (const part of inParts(inOrder(rows), sql.writeRows)) {
          await query(
            `INSERT INTO ${name} (path, embedding, updated_at)
             SELECT path, embedding::${vector}, updated_at
             FROM unnest($1::text[], $2::text[], $3::timestamptz[]) AS t (path, embedding, updated_at)
             ON CONFLICT (path) DO UPDATE SET embedding = excluded.embedding, updated_at = excluded.updated_at`,
            [
              part.map(({ path }) => path),
              part.map(({ vector: values }) => textOf(values)),
              part.map(timeOf),
            ],
          );
        }
      }),
    touch: (rows, maker) =>
      on(async (query, table) => {
        await lockOwner(query, table, maker, place);
        const moved = inOrder(rows);
        await query(
          `WITH ${held(table)} UPDATE ${table.name} AS e SET updated_at = ($2::timestamptz[])[held.at]
           FROM held WHERE e.path = held.path`,
          [moved.map(({ path }) => path), moved.map(timeOf)],
        );
      }),
    remove: (paths, maker) =>
      on(async (query, table) => {
        await lockOwner(query, table, maker, place);
        await query(
          `WITH ${held(table)} DELETE FROM ${table.name} AS e USING held WHERE e.path = held.path`,
          [[...paths].sort(compareText)],
        );
      }),
    clear: (maker) =>
      on(async (query, table) => {
        // Looked at again once nobody else can note another one.
        await isMadeBy(query, table, maker, place);
        await empty(query, table);
        await isMadeBy(query, table, maker, place);
        await noteMaker(query, table, maker);
      }),
    nearest: (vector, limit, filter, maker) =>
      on(async (query, table) => {
        const { where, params } = conditions(filter, 3);
        await prepare(query, table, { limit, where, params });
        // Sorted once more because the index leaves the order of equal distances open. The maker is read by the same
        // statement, so that it is the one of just these rows.
        const rows = await query(
          `SELECT found.path, ${indexOwner(table)} AS maker FROM (SELECT) AS one LEFT JOIN (
             SELECT path, embedding ${table.distance} $1::${table.vector} AS distance
             FROM ${table.name} ${where} ORDER BY embedding ${table.distance} $1::${table.vector} LIMIT $2
           ) AS found ON true ORDER BY distance, path COLLATE "C"`,
          [textOf(vector), limit, ...params],
        );
        if (!isNoted(rows[0]?.maker, maker, table, place))
          return (await isMadeBy(query, table, maker, place)) ? [] : null;
        return rows.filter(({ path }) => path !== null).map(pathOf);
      }),
    count: (maker) =>
      on(async (query, table) => {
        await isMadeBy(query, table, maker, place);
        const [row] = await query(`SELECT count(*)::int AS rows FROM ${table.name}`);
        return Number(row?.rows ?? 0);
      }),
    advice: () =>
      on(async (_, { name, isPlain }) =>
        isPlain ? null : `ALTER TABLE ${name} ALTER COLUMN embedding SET STORAGE PLAIN; VACUUM FULL ${name};`,
      ),
    tidy: async () => {
      const { alone } = sql;
      if (alone === undefined) return;
      const table = await on(async (query, known) => ((await makeAnew(query, known)) ? known : null));
      if (table === null) return;
      try {
        await alone(`VACUUM ${table.name}`);
      } catch (error) {
        throw new StoreDown(explain(error, place));
      }
    },
    lease: async ({ vault }, device) => {
      try {
        return (await sql.hold?.(`brain_embeddings ${schema} ${vault}`, device)) ?? null;
      } catch (error) {
        throw new StoreDown(explain(error, place), isRefusal(error));
      }
    },
    close: () => sql.close(),
  };
}

/**
 * In the one order in which all that write take their rows, on every device and whatever the collation of the database: two
 * that took the same rows in different orders would wait for each other, and Postgres would end one of them (40P01).
 */
function inOrder<T extends Pick<VectorRow, 'path'>>(rows: readonly T[]): readonly T[] {
  return [...rows].sort((a, b) => compareText(a.path, b.path));
}

/** The rows of the paths in `$1`, `held` in the order that these stand in, each with its place there. */
function held({ name }: Table): string {
  return `held AS (SELECT e.path, t.at FROM unnest($1::text[]) WITH ORDINALITY AS t (path, at)
           JOIN ${name} AS e ON e.path = t.path ORDER BY t.at FOR UPDATE OF e)`;
}

/** Removes every row: at once, or one by one where somebody keeps the table or this user may not do the other. */
async function empty(query: Query, { name }: Table): Promise<void> {
  await query('SET LOCAL statement_timeout = 0');
  await query('SAVEPOINT filled');
  try {
    await query(LOCK_TIMEOUT);
    await query(`TRUNCATE ${name}`);
  } catch (error) {
    if (!isInTheWay(error)) throw error;
    await query('ROLLBACK TO SAVEPOINT filled');
    // Readers may stay; who writes would add rows of the old maker.
    await query(`LOCK TABLE ${name} IN SHARE ROW EXCLUSIVE MODE`, [], true);
    await query(`DELETE FROM ${name}`, [], true);
  }
}

/**
 * Makes the index anew when most of it stands for rows that are gone; false when it needs none of that. VACUUM would mend the
 * graph of the index around each of those, which takes six times as long as making it and nearly as long as putting all rows.
 */
async function makeAnew(query: Query, { name, index }: Table): Promise<boolean> {
  const [row] = await query(
    `SELECT pg_relation_size(${literal(index)}::regclass)::float8 AS bytes, (SELECT count(*) FROM ${name})::float8 AS rows`,
  );
  const needed = INDEX_ROW_BYTES * (Number(row?.rows) + 100);
  if (Number(row?.bytes) <= WORN * needed) return false;
  await query('SET LOCAL statement_timeout = 0');
  await query(`REINDEX INDEX ${index}`, [], true);
  return true;
}

/** Chooses how the search that follows in this transaction finds its rows. */
async function prepare(
  query: Query,
  { name, iterates }: Table,
  { limit, where, params }: { limit: number; where: string; params: readonly unknown[] },
): Promise<void> {
  // A scan of the index yields no more rows than this, and 40 unless it is told.
  const scan = Math.min(MAX_SCAN, Math.max(MIN_SCAN, SCAN_FACTOR * limit));
  await query(`SET LOCAL hnsw.ef_search = ${scan}`);
  const goOn = async () => {
    await query('SET LOCAL hnsw.iterative_scan = strict_order');
    await query(`SET LOCAL hnsw.max_scan_tuples = ${MAX_SCAN_TUPLES}`);
  };
  if (where === '') {
    // Rows that were replaced stay in the index until the database clears them away, and a scan that meets them ends early.
    if (iterates) await goOn();
    return;
  }
  if (!iterates) {
    await query('SET LOCAL enable_indexscan = off');
    return;
  }
  const [row] = await query(
    `SELECT count(*)::int AS rows FROM (SELECT FROM ${name} ${shifted(where)} LIMIT ${EXACT_ROWS + 1}) AS candidates`,
    params,
  );
  if (Number(row?.rows ?? 0) <= EXACT_ROWS) {
    await query('SET LOCAL enable_indexscan = off');
  } else {
    await goOn();
  }
}

/** The condition of a filter with its parameters, which count from `first`; empty when everything passes. */
function conditions(filter: VectorFilter, first: number): { where: string; params: unknown[] } {
  const params: unknown[] = [];
  const param = (value: unknown): string => `$${first - 1 + params.push(value)}`;
  const { prefixes, hall, only, except } = filter;
  const all = [
    ...(prefixes === undefined
      ? []
      : [`(${['false', ...prefixes.map((prefix) => `starts_with(path, ${param(prefix)})`)].join(' OR ')})`]),
    ...(hall === undefined ? [] : [`split_part(path, '/', 3) = ${param(hall)}`]),
    ...(only === undefined ? [] : [`path = ANY(${param([...only])}::text[])`]),
    ...(except === undefined || except.length === 0 ? [] : [`path <> ALL(${param([...except])}::text[])`]),
  ];
  return { where: all.length === 0 ? '' : `WHERE ${all.join(' AND ')}`, params };
}

/** The same condition for a statement whose parameters are those of the filter alone. */
function shifted(where: string): string {
  return where.replace(/\$(\d+)/g, (_, number: string) => `$${Number(number) - 2}`);
}

async function opened(opening: Promise<unknown>): Promise<boolean> {
  return opening.then(
    () => true,
    () => false,
  );
}

function pathOf(row: Row): VaultPath {
  return vaultPath(String(row.path));
}

function timeOf({ updatedAt }: Pick<VectorRow, 'updatedAt'>): string {
  return updatedAt.toISOString();
}

/** As pgvector reads it. */
function textOf(vector: Float32Array): string {
  return `[${vector.join(',')}]`;
}

function* inParts<T>(items: readonly T[], size: number): Iterable<readonly T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}
