import { inSlices, ITEMS_PER_STEP, type Pace, type Steps } from '../../core/base/steps';
import { compareText } from '../../core/base/text';
import { DIMENSIONS } from '../../core/embeddings/pieces';
import {
  type Maker,
  MakerChanged,
  type NearRow,
  StoreDown,
  type VectorRow,
  type VectorStore,
} from '../../core/embeddings/store';
import type { VectorFilter } from '../../core/ports/ports';
import { type VaultPath, vaultPath } from '../../core/vocabulary/paths';
import { identifier, literal, type Query, type Row, type Sql } from './sql';

const UNTRUSTED =
  'shows a certificate that this machine does not trust. Name the certificate of its authority with sslrootcert in BRAIN_PG_DSN, or use sslmode=no-verify where the way to it is safe.';

/** The error codes of Postgres and of the system, explained to the owner. The driver's own message is never shown. */
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
  '57P04': 'has dropped the database that BRAIN_PG_DSN names. Make it there, or correct the name.',
};

/** Errors of the driver that have no code. */
const WITHOUT_CODE: readonly (readonly [text: RegExp, meaning: string])[] = [
  [
    /does not support SSL/i,
    'does not speak TLS, which sslmode in BRAIN_PG_DSN asks for. Switch it on there, or use sslmode=disable where the way to it is safe.',
  ],
  [/password must be a/i, 'asks for a password, and BRAIN_PG_DSN has none.'],
  [/timeout|terminated/i, MEANINGS.ETIMEDOUT ?? ''],
];

/**
 * Says which right a role of a store lacks, by what PostgreSQL says in English. A server that speaks another language, and one that
 * lacks none of these, get them all.
 */
function missingRight(text: string): string {
  const [, kind = '', name = ''] = /^permission denied for (\w+) "?(.+?)"?$/.exec(text) ?? [];
  const rights: Readonly<Record<string, string>> = {
    sequence: `USAGE on the sequence brain.${name}`,
    table: `SELECT, and to change anything INSERT, UPDATE and DELETE, on the table brain.${name}`,
    schema: `USAGE on the schema ${name}`,
    database: `CREATE on the database ${name}, which the first start and an update of the tables need`,
    function: `EXECUTE on the function ${name}`,
  };
  const [, owned] = /^must be owner of (.+)$/.exec(text) ?? [];
  if (owned !== undefined) return `the ownership of ${owned}, which an update of the tables needs`;
  if (/row-level security/.test(text))
    return 'a policy that lets it read and change every row (row-level security)';
  return (
    rights[kind] ??
    'CREATE on the database for the first start, else USAGE on the schema brain, SELECT, INSERT, UPDATE and DELETE on its tables, or USAGE on its sequences'
  );
}

/** Explains an error of the database in a sentence that is safe to show; `variable` is the setting with its address. */
export function explain(error: unknown, place: string, variable = 'BRAIN_PG_DSN'): string {
  const code = codeOf(error);
  const text = error instanceof Error ? error.message : '';
  const store =
    code === '42501' && variable === 'BRAIN_STORE'
      ? `does not let this user do that: it lacks ${missingRight(text)}. The script docs/roles.sql makes a role for migrations, one for servers and one for readers.`
      : undefined;
  const meaning =
    store ??
    MEANINGS[code] ??
    (/^(?:ERR_(?:TLS|SSL|OSSL)|CERT_|EPROTO|UNABLE_TO)/.test(code)
      ? `cannot be talked to over TLS (${code}). See that its certificate and sslmode, sslrootcert, sslcert and sslkey in BRAIN_PG_DSN fit.`
      : WITHOUT_CODE.find(([words]) => words.test(text))?.[1]) ??
    `cannot be used (${code === '' ? 'no code' : code}). Its own log says why.`;
  return `The database at ${place} ${meaning.replaceAll('BRAIN_PG_DSN', variable)}`;
}

/** Returns true for a server that offers no TLS, or whose certificate is not trusted. */
export function isUnverified(error: unknown): boolean {
  const text = error instanceof Error ? error.message : '';
  return (
    /does not support SSL/i.test(text) ||
    /^(?:ERR_(?:TLS|SSL|OSSL)|CERT_|EPROTO|UNABLE_TO|\w*SELF_SIGNED)/.test(codeOf(error))
  );
}

/** Returns true when the database refuses this user: a wrong name or password, or too many connections. */
function isRefusal(error: unknown): boolean {
  return ['28P01', '28000', '53300'].includes(codeOf(error));
}

/**
 * Whether another try may succeed, by the code of the system, or by the state of Postgres or the class of states. What is not
 * listed is final.
 */
const PASSES: Readonly<Record<string, boolean>> = {
  ...{ ECONNREFUSED: true, ECONNRESET: true, ECONNABORTED: true, EPIPE: true, ETIMEDOUT: true, ENOENT: true },
  ...{ ENOTFOUND: true, EAI_AGAIN: true, EADDRNOTAVAIL: true, EMFILE: true, ENFILE: true },
  ...{ EHOSTUNREACH: true, ENETUNREACH: true, EHOSTDOWN: true, ENETDOWN: true, ENETRESET: true },
  // Lost connections, no resources, shutting down or starting up.
  ...{ '08': true, '53': true, '57': true },
  // Took too long, and may do so each time.
  '57014': false,
  // The database is dropped.
  '57P04': false,
  // A standby that is about to become the primary.
  '25006': true,
  // A transaction of a machine that slept.
  '25P03': true,
};

function passes(code: string): boolean {
  return PASSES[code] ?? (/^[0-9A-Z]{5}$/.test(code) && PASSES[code.slice(0, 2)] === true);
}

/** Returns true for an error that passes without anybody changing an address or a right: the database is away. */
export function isAway(error: unknown): boolean {
  const code = codeOf(error);
  if (code !== '') return passes(code);
  // The driver gives no code to a connection that it has lost or never had.
  return error instanceof Error && /timeout|connection (?:terminated|error)/i.test(error.message);
}

/** Returns true when the table does not exist (any more). */
export function isMissingTable(error: unknown): boolean {
  return codeOf(error) === '42P01';
}

/** Returns true when another transaction holds the table, or this user lacks the right. */
function isUnavailable(error: unknown): boolean {
  return ['55P03', '42501'].includes(codeOf(error));
}

/** Returns true when this user lacks the right to create, or the server is a read-only standby. */
function isReadOnly(error: unknown): boolean {
  return ['42501', '25006'].includes(codeOf(error));
}

export function codeOf(error: unknown): string {
  if (error instanceof AggregateError) {
    // The driver has tried several addresses, each with its own error: one that passes may be the right one.
    const codes = error.errors.map(codeOf);
    return codes.find(passes) ?? codes[0] ?? '';
  }
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : '';
}

/** The table. Its names are qualified, so that they do not depend on the connection's search path. */
interface Table {
  readonly name: string;
  /** The type of a vector and the operator of cosine distance. */
  readonly vector: string;
  readonly distance: string;
  /** The type of the vectors in an index of half precision; null when the index has whole ones. */
  readonly half: string | null;
  /** False for a pgvector before 0.8, whose index filters after its scan and cannot continue the scan. */
  readonly iterates: boolean;
  /** False while the table has no index for searches. */
  readonly hasIndex: boolean;
  /** False where vectors are stored outside their rows (TOAST), as in tables of earlier versions. */
  readonly isPlain: boolean;
}

const TABLE = 'brain_embeddings';
const INDEX = 'brain_embeddings_embedding_idx';
/** An index of half precision, which takes half the memory. The owner of a very large table makes it, and may drop the other one. */
const HALF_INDEX = 'brain_embeddings_halfvec_idx';

/** The advisory lock for making the table: two servers that start at the same time would conflict. */
const LOCK = 0x6272_6169; // "brai"

/**
 * Finds the table with its index, makes those of extension, schema, table and index that are missing, and returns their names.
 * Safe to run at any time. When nothing is missing it makes and locks nothing, so that a user who may only read can search.
 * Such a user searches without an index, slower, where the index is missing.
 * @throws StoreDown when pgvector is missing or the table has other columns; else the error of the driver.
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
    // The index of a table that another client has filled may take longer to build than the timeout of a search.
    await query('SET LOCAL statement_timeout = 0');
    await query(`SELECT pg_advisory_xact_lock(${LOCK})`);
    const extension = identifier((await pgvector(query)).schema ?? (await installPgvector(query, sql.place)));
    // Checked first: a user who may use the schema may lack the right to create one.
    const [known] = await query('SELECT 1 AS found FROM pg_namespace WHERE nspname = $1', [schema]);
    if (known === undefined) await query(`CREATE SCHEMA IF NOT EXISTS ${inSchema}`);
    if ((await findTable(query, schema, sql.place)) === null) {
      await query(
        `CREATE TABLE ${inSchema}.${TABLE} (path text PRIMARY KEY, embedding ${extension}.vector(${DIMENSIONS}) NOT NULL, updated_at timestamptz NOT NULL)`,
      );
      // Stored in the row: out of it (TOAST), every comparison would have to fetch the vector.
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

/** Reads the table from the system catalog, which every user may read; null when the table or pgvector is missing. */
async function findTable(query: Query, schema: string, place: string): Promise<Table | null> {
  const { schema: home, version } = await pgvector(query);
  const [row] = await query(
    `SELECT format_type(a.atttypid, a.atttypmod) AS type, a.attstorage::text AS storage,
       ARRAY(SELECT x.relname::text FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid
             WHERE i.indrelid = c.oid AND i.indisvalid) AS indexes
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'embedding' AND NOT a.attisdropped
     WHERE n.nspname = $1 AND c.relname = '${TABLE}'`,
    [schema],
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
  const indexes = Array.isArray(row.indexes) ? row.indexes : [];
  const isHalf = indexes.includes(HALF_INDEX);
  return {
    name,
    hasIndex: isHalf || indexes.includes(INDEX),
    vector: `${extension}.vector`,
    half: isHalf ? `${extension}.halfvec(${DIMENSIONS})` : null,
    distance: `OPERATOR(${extension}.<=>)`,
    iterates: !/^0\.[0-7](?:\.|$)/.test(version),
    isPlain: row.storage === 'p',
  };
}

/** Returns the schema of the extension, null when it is missing, and its version. */
async function pgvector(query: Query): Promise<{ schema: string | null; version: string }> {
  const [row] = await query(
    `SELECT n.nspname::text AS schema, e.extversion AS version FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector'`,
  );
  return row === undefined
    ? { schema: null, version: '' }
    : { schema: String(row.schema), version: String(row.version) };
}

/** Installs the extension and returns its schema. */
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
 * Returns an SQL expression for the maker of the rows, or null. The comment of the table records it, as no column does. The
 * expression is a subquery, so that it is evaluated once and not for every row.
 */
function makerQuery({ name }: Table): string {
  return `(SELECT obj_description(${literal(name)}::regclass, 'pg_class'))`;
}

/** The maker in the table's comment. Earlier versions recorded no vault: such a table belongs to the vault that writes first. */
interface RecordedMaker {
  readonly model: string;
  readonly vault: string | null;
}

const COMMENT = new RegExp(`^vault ([0-9a-z]+); ${DIMENSIONS} dimensions; ([^]*)$`);

function recordedMaker(comment: unknown): RecordedMaker | null {
  if (typeof comment !== 'string') return null;
  const [, vault, model] = COMMENT.exec(comment) ?? [];
  return vault === undefined || model === undefined ? { model: comment, vault: null } : { model, vault };
}

/** Returns true when the comment names this maker. @throws StoreDown when it names another vault. */
function isRecordedMaker(comment: unknown, { model, vault }: Maker, { name }: Table, place: string): boolean {
  const recorded = recordedMaker(comment);
  if (recorded !== null && recorded.vault !== null && recorded.vault !== vault) {
    throw new StoreDown(
      `The table ${name} at ${place} holds the vectors of another vault, so nothing of it is read or changed. Set BRAIN_PG_SCHEMA to a schema for this vault alone; or drop that table if no vault uses it any more.`,
      true,
    );
  }
  return recorded?.model === model;
}

/**
 * Returns true when the rows are this maker's, or when the table is empty and records no maker.
 * @throws StoreDown when they are another vault's.
 */
async function isMadeBy(query: Query, table: Table, maker: Maker, place: string): Promise<boolean> {
  const [row] = await query(
    `SELECT ${makerQuery(table)} AS maker, EXISTS (SELECT FROM ${table.name}) AS filled`,
  );
  if (isRecordedMaker(row?.maker, maker, table, place)) return true;
  return recordedMaker(row?.maker) === null && row?.filled !== true;
}

/**
 * Checks that the rows are this maker's, and keeps them so until the transaction ends. Call it first in a transaction: its lock
 * blocks a client that empties the table for another maker, and lets others read and write rows.
 * @throws MakerChanged when they are another maker's, StoreDown when they are another vault's.
 */
async function lockOwner(query: Query, table: Table, maker: Maker, place: string): Promise<void> {
  await query(`LOCK TABLE ${table.name} IN ROW EXCLUSIVE MODE`);
  if (!(await isMadeBy(query, table, maker, place))) throw new MakerChanged();
}

/**
 * Does `lockOwner`, and records maker and vault where they are not recorded.
 * @throws MakerChanged, StoreDown as `lockOwner`.
 */
export async function claimMaker(query: Query, table: Table, maker: Maker, place: string): Promise<void> {
  await lockOwner(query, table, maker, place);
  const [row] = await query(`SELECT ${makerQuery(table)} AS maker`);
  const recorded = recordedMaker(row?.maker);
  // Another model of this vault may have been recorded since the check above, when no maker was recorded.
  if (recorded?.vault === maker.vault && recorded.model === maker.model) return;
  // Another client that would record its maker waits here, and checks again once it has the lock.
  await query(`LOCK TABLE ${table.name} IN SHARE UPDATE EXCLUSIVE MODE`);
  await lockOwner(query, table, maker, place);
  await recordMaker(query, table, maker);
}

/** Records the maker of the rows. Others see it after this transaction. */
async function recordMaker(query: Query, { name }: Table, { model, vault }: Maker): Promise<void> {
  const comment = `vault ${vault}; ${DIMENSIONS} dimensions; ${model}`;
  await query(`COMMENT ON TABLE ${name} IS ${literal(comment)}`);
}

/** The server cancels a statement that takes longer. */
const STATEMENT_TIMEOUT = "SET LOCAL statement_timeout = '10s'";
/** A filtered search of at most this many candidates is exact: the index filters after its scan and would miss some. */
const EXACT_ROWS = 20_000;
/**
 * The entries of the index that are scanned for one result, at least. A larger factor finds more and takes longer: with every
 * row replaced once, the recall was 0.91 with 2, 0.97 with 4, and 0.98 with 5, in 1.4 times the time.
 */
const SCAN_FACTOR = 5;
const MIN_SCAN = 40;
/** The maximum of pgvector. */
const MAX_SCAN = 1000;
/** An iterative scan that has found too few rows ends after this many tuples. */
const MAX_SCAN_TUPLES = 200_000;
/** The rows of one statement that writes, at most. */
const WRITE_ROWS = 64;
/** The wait for readers, which hold the table for moments only, before rows are deleted one by one. */
const LOCK_TIMEOUT = "SET LOCAL lock_timeout = '2s'";

/**
 * Returns the vector store in the table `brain_embeddings` of a schema, by pgvector: cosine distance with an HNSW index.
 */
export function sqlVectorStore(sql: Sql, schema: string, pace: Pick<Pace, 'run'>): VectorStore {
  return new SqlVectorStore(sql, schema, pace);
}

class SqlVectorStore implements VectorStore {
  readonly healthy = 'The database answers';
  readonly #sql: Sql;
  readonly #schema: string;
  readonly #pace: Pick<Pace, 'run'>;
  #opening: Promise<Table> | null = null;

  constructor(sql: Sql, schema: string, pace: Pick<Pace, 'run'>) {
    this.#sql = sql;
    this.#schema = schema;
    this.#pace = pace;
  }

  get #place(): string {
    return this.#sql.place;
  }

  /** Runs `work` in a transaction on the table, which is made first when this process has not seen it yet. */
  async #transaction<T>(work: (query: Query, table: Table) => Promise<T>): Promise<T> {
    try {
      this.#opening ??= ensureTable(this.#sql, this.#schema);
      const table = await this.#opening;
      return await this.#sql.transaction(async (query) => {
        await query(STATEMENT_TIMEOUT);
        return work(query, table);
      });
    } catch (error) {
      // The next call looks for the table again: the server may be back by then, or the table may be gone.
      if (this.#opening !== null && (isMissingTable(error) || !(await isFulfilled(this.#opening))))
        this.#opening = null;
      if (error instanceof StoreDown || error instanceof MakerChanged) throw error;
      throw new StoreDown(explain(error, this.#place), isRefusal(error));
    }
  }

  open(): Promise<void> {
    return this.#transaction(async () => undefined);
  }

  known(maker: Maker): Promise<Map<VaultPath, Date> | null> {
    return this.#transaction(async (query, table) => {
      if (!(await isMadeBy(query, table, maker, this.#place))) return null;
      const rows = await query(
        `SELECT path, (extract(epoch FROM updated_at) * 1000)::float8 AS at FROM ${table.name}`,
      );
      return new Map(rows.map((row) => [pathOf(row), new Date(Math.floor(Number(row.at)))]));
    });
  }

  paths(): Promise<VaultPath[]> {
    return this.#transaction(async (query, { name }) =>
      (await query(`SELECT path FROM ${name}`)).map(pathOf),
    );
  }

  put(rows: readonly VectorRow[], maker: Maker): Promise<void> {
    return this.#transaction(async (query, table) => {
      await claimMaker(query, table, maker, this.#place);
      for (const batch of batches(sortedByPath(rows), WRITE_ROWS)) await upsert(query, table, batch);
    });
  }

  touch(rows: readonly Pick<VectorRow, 'path' | 'updatedAt'>[], maker: Maker): Promise<void> {
    return this.#transaction(async (query, table) => {
      await lockOwner(query, table, maker, this.#place);
      const moved = sortedByPath(rows);
      await query(
        `WITH ${lockedRows(table)} UPDATE ${table.name} AS e SET updated_at = ($2::timestamptz[])[held.at]
           FROM held WHERE e.path = held.path`,
        [moved.map(({ path }) => path), moved.map(timeText)],
      );
    });
  }

  remove(paths: readonly VaultPath[], maker: Maker): Promise<void> {
    return this.#transaction(async (query, table) => {
      await lockOwner(query, table, maker, this.#place);
      await query(
        `WITH ${lockedRows(table)} DELETE FROM ${table.name} AS e USING held WHERE e.path = held.path`,
        [[...paths].sort(compareText)],
      );
    });
  }

  clear(maker: Maker): Promise<void> {
    return this.#transaction(async (query, table) => {
      // Checked again after `empty`, whose lock keeps another maker from being recorded.
      await isMadeBy(query, table, maker, this.#place);
      await empty(query, table);
      await isMadeBy(query, table, maker, this.#place);
      await recordMaker(query, table, maker);
    });
  }

  async nearest(
    vector: Float32Array,
    limit: number,
    filter: VectorFilter,
    maker: Maker,
  ): Promise<NearRow[] | null> {
    const { where, params } = await inSlices(conditionSteps(filter), this.#pace);
    return this.#transaction(async (query, table) => {
      const isByIndex = await planSearch(query, table, { limit, where, params });
      const { half } = table;
      const nearness =
        half !== null && isByIndex
          ? `embedding::${half} ${table.distance} $1::${table.vector}::${half}`
          : 'distance';
      // Sorted again because the index leaves the order of equal distances open, and one of half precision rounds them. The
      // same statement reads the maker, so that it is the maker of these very rows.
      const rows = await query(
        `SELECT found.path, found.distance, ${makerQuery(table)} AS maker FROM (SELECT) AS one LEFT JOIN (
             SELECT path, embedding ${table.distance} $1::${table.vector} AS distance
             FROM ${table.name} ${where} ORDER BY ${nearness} LIMIT $2
           ) AS found ON true ORDER BY distance, path COLLATE "C"`,
        [vectorText(vector), limit, ...params],
      );
      if (!isRecordedMaker(rows[0]?.maker, maker, table, this.#place))
        return (await isMadeBy(query, table, maker, this.#place)) ? [] : null;
      return rows
        .filter(({ path }) => path !== null)
        .map((row) => ({ path: pathOf(row), cosine: 1 - Number(row.distance) }));
    });
  }

  count(maker: Maker): Promise<number> {
    return this.#transaction(async (query, table) => {
      await isMadeBy(query, table, maker, this.#place);
      const [row] = await query(`SELECT count(*)::int AS rows FROM ${table.name}`);
      return Number(row?.rows ?? 0);
    });
  }

  advice(): Promise<string | null> {
    return this.#transaction(async (_, { name, isPlain }) =>
      isPlain ? null : `ALTER TABLE ${name} ALTER COLUMN embedding SET STORAGE PLAIN; VACUUM FULL ${name};`,
    );
  }

  /** Does nothing: the server removes dead rows itself (autovacuum). */
  tidy(): Promise<void> {
    return Promise.resolve();
  }

  async lease({ vault }: Maker, device: string): Promise<string | null> {
    try {
      return await this.#sql.hold(`brain_embeddings ${this.#schema} ${vault}`, device);
    } catch (error) {
      throw new StoreDown(explain(error, this.#place), isRefusal(error));
    }
  }

  close(): Promise<void> {
    return this.#sql.close();
  }
}

/** Adds rows, or replaces those of the same paths. */
async function upsert(query: Query, { name, vector }: Table, rows: readonly VectorRow[]): Promise<void> {
  await query(
    `INSERT INTO ${name} (path, embedding, updated_at)
             SELECT path, embedding::${vector}, updated_at
             FROM unnest($1::text[], $2::text[], $3::timestamptz[]) AS t (path, embedding, updated_at)
             ON CONFLICT (path) DO UPDATE SET embedding = excluded.embedding, updated_at = excluded.updated_at`,
    [rows.map(({ path }) => path), rows.map(({ vector: values }) => vectorText(values)), rows.map(timeText)],
  );
}

/**
 * Returns the rows in the order in which every writer locks them, on every device and whatever the database's collation. Two
 * writers that lock the same rows in different orders would deadlock, and Postgres would abort one of them (40P01).
 */
function sortedByPath<T extends Pick<VectorRow, 'path'>>(rows: readonly T[]): readonly T[] {
  return [...rows].sort((a, b) => compareText(a.path, b.path));
}

/** Returns a WITH query, `held`, that locks the rows of the paths in `$1` in their order; `at` is the index of a path. */
function lockedRows({ name }: Table): string {
  return `held AS (SELECT e.path, t.at FROM unnest($1::text[]) WITH ORDINALITY AS t (path, at)
           JOIN ${name} AS e ON e.path = t.path ORDER BY t.at FOR UPDATE OF e)`;
}

/** Removes every row: by TRUNCATE, or by DELETE where another client holds the table or this user may not truncate. */
async function empty(query: Query, { name }: Table): Promise<void> {
  await query('SET LOCAL statement_timeout = 0');
  await query('SAVEPOINT filled');
  try {
    await query(LOCK_TIMEOUT);
    await query(`TRUNCATE ${name}`);
  } catch (error) {
    if (!isUnavailable(error)) throw error;
    await query('ROLLBACK TO SAVEPOINT filled');
    // This lock lets readers in and keeps out writers, which would add rows of the old maker.
    await query(`LOCK TABLE ${name} IN SHARE ROW EXCLUSIVE MODE`, [], true);
    await query(`DELETE FROM ${name}`, [], true);
  }
}

/** Chooses between index and exact search for the next query of this transaction; resolves true for the index. */
async function planSearch(
  query: Query,
  { name, iterates }: Table,
  { limit, where, params }: { limit: number; where: string; params: readonly unknown[] },
): Promise<boolean> {
  // A scan of the index yields at most this many rows; the default is 40.
  const scan = Math.min(MAX_SCAN, Math.max(MIN_SCAN, SCAN_FACTOR * limit));
  await query(`SET LOCAL hnsw.ef_search = ${scan}`);
  const iterate = async () => {
    await query('SET LOCAL hnsw.iterative_scan = strict_order');
    await query(`SET LOCAL hnsw.max_scan_tuples = ${MAX_SCAN_TUPLES}`);
  };
  if (where === '') {
    // Replaced rows stay in the index until VACUUM, and a scan that meets them ends early.
    if (iterates) await iterate();
    return true;
  }
  if (!iterates) {
    await query('SET LOCAL enable_indexscan = off');
    return false;
  }
  const [row] = await query(
    `SELECT count(*)::int AS rows FROM (SELECT FROM ${name} ${shifted(where)} LIMIT ${EXACT_ROWS + 1}) AS candidates`,
    params,
  );
  const isExact = Number(row?.rows ?? 0) <= EXACT_ROWS;
  await (isExact ? query('SET LOCAL enable_indexscan = off') : iterate());
  return !isExact;
}

/** Returns the WHERE clause of a filter and its parameters, numbered from `$3` on; empty when everything passes. */
function* conditionSteps({
  prefixes,
  hall,
  only,
  except = [],
}: VectorFilter): Steps<{ where: string; params: readonly string[] }> {
  const params: string[] = [];
  const param = (value: string): string => `$${2 + params.push(value)}`;
  const all: string[] = [];
  if (prefixes !== undefined) {
    const tests = prefixes.map((prefix) => `starts_with(path, ${param(prefix)})`);
    all.push(`(${['false', ...tests].join(' OR ')})`);
  }
  if (hall !== undefined) all.push(`split_part(path, '/', 3) = ${param(hall)}`);
  if (only !== undefined) all.push(`path = ANY(${pathsIn(param(yield* joinSteps(only)))})`);
  if (except.length > 0) all.push(`path <> ALL(${pathsIn(param(yield* joinSteps(except)))})`);
  return { where: all.length === 0 ? '' : `WHERE ${all.join(' AND ')}`, params };
}

/** What no path contains. */
const SEPARATOR = '//';

/**
 * Joins paths to one text, as a list of half the vault may have 50,000. The driver would quote each of an array in one go, and
 * hold the thread for tens of milliseconds.
 */
function* joinSteps(paths: readonly VaultPath[]): Steps<string> {
  const texts: string[] = [];
  for (const batch of batches(paths, ITEMS_PER_STEP)) {
    texts.push(batch.join(SEPARATOR));
    yield;
  }
  return texts.join(SEPARATOR);
}

function pathsIn(joined: string): string {
  return `string_to_array(${joined}, '${SEPARATOR}')`;
}

/** Renumbers the parameters of a WHERE clause for a statement that has no others. */
function shifted(where: string): string {
  return where.replace(/\$(\d+)/g, (_, number: string) => `$${Number(number) - 2}`);
}

async function isFulfilled(opening: Promise<unknown>): Promise<boolean> {
  return opening.then(
    () => true,
    () => false,
  );
}

function pathOf(row: Row): VaultPath {
  return vaultPath(String(row.path));
}

function timeText({ updatedAt }: Pick<VectorRow, 'updatedAt'>): string {
  return updatedAt.toISOString();
}

/** Returns a vector in pgvector's text format. */
function vectorText(vector: Float32Array): string {
  return `[${vector.join(',')}]`;
}

function* batches<T>(items: readonly T[], size: number): Iterable<readonly T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}
