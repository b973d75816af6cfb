import type { VectorFilter } from '../../core/ports';
import { type VaultPath, vaultPath } from '../../core/rules/paths';
import { compareText } from '../../core/rules/text';
import { MakerChanged, StoreDown, type VectorRow, type VectorStore } from '../../core/vector-store';
import { ensureTable, type Table } from './ensure-table';
import { explain, isInTheWay, isMissingTable, isRefusal } from './explain';
import { claimMaker, holdMaker, isMadeBy, isNoted, makerOf, noteMaker } from './maker';
import { type Query, type Row, type Sql, literal } from './sql';

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
        await holdMaker(query, table, maker, place);
        const moved = inOrder(rows);
        await query(
          `WITH ${held(table)} UPDATE ${table.name} AS e SET updated_at = ($2::timestamptz[])[held.at]
           FROM held WHERE e.path = held.path`,
          [moved.map(({ path }) => path), moved.map(timeOf)],
        );
      }),
    remove: (paths, maker) =>
      on(async (query, table) => {
        await holdMaker(query, table, maker, place);
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
          `SELECT found.path, ${makerOf(table)} AS maker FROM (SELECT) AS one LEFT JOIN (
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
