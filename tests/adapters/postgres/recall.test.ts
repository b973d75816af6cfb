import { sqlVectorStore } from '../../../src/adapters/postgres/vector-store';
import { identifier, type Sql } from '../../../src/adapters/postgres/sql';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import type { VectorStore } from '../../../src/core/embeddings/store';
import { memoryVectors, nearPaths } from '../../support/memory-vectors';
import { topicalVectors } from '../../support/random-vectors';
import { connect, type SocketDatabase, socketDatabase } from '../../support/vector-databases';
import { nodePace } from '../../support/node-pace';

const ROWS = 400;
const QUESTIONS = 10;
const LIMIT = 200;
const MAKER = { model: 'some-model', vault: 'v' };
const VECTORS = topicalVectors(ROWS + QUESTIONS, 7);

const rowsOf = (vectors: readonly Float32Array[]) =>
  vectors.map((vector, at) => ({ path: vaultPath(`wiki/a/facts/${at}.md`), vector, updatedAt: new Date(0) }));

/** The share of the truly nearest rows that the store finds. */
async function recall(store: VectorStore): Promise<number> {
  const exact = memoryVectors();
  await exact.put(rowsOf(VECTORS.slice(0, ROWS)), MAKER);
  let found = 0;
  for (const question of VECTORS.slice(ROWS)) {
    const expected = new Set(await nearPaths(exact, question, LIMIT, {}, MAKER));
    const given = (await nearPaths(store, question, LIMIT, {}, MAKER)) ?? [];
    found += given.filter((path) => expected.has(path)).length;
  }
  return found / (QUESTIONS * LIMIT);
}

describe('an index that nobody has cleared of what is gone', () => {
  let database: SocketDatabase;
  let sql: Sql;
  let store: VectorStore;
  beforeAll(async () => {
    database = await socketDatabase();
    sql = connect(database.dsn);
    store = sqlVectorStore(connect(database.dsn), 'public', nodePace());
    await store.open();
    // A small table is read whole, which finds everything; a large one is not. All connections of it are one session.
    await sql.transaction((query) => query('SET enable_seqscan = off'));
    // So that the rows of this test are all that clears the index.
    await sql.transaction((query) => query('ALTER TABLE brain_embeddings SET (autovacuum_enabled = off)'));
  }, 60_000);
  afterAll(async () => {
    await store.close();
    await sql.close();
    await database.close();
  });

  const planOfSearch = () =>
    sql.transaction(async (query) => {
      const rows = await query(
        `EXPLAIN SELECT path FROM brain_embeddings ORDER BY embedding <=> (SELECT embedding FROM brain_embeddings LIMIT 1) LIMIT ${LIMIT}`,
      );
      return rows.map((row) => String(row['QUERY PLAN'])).join('\n');
    });

  it('finds what is near after every row was replaced several times', async () => {
    // An edit gives another vector; the index keeps the same one for rows that have it.
    for (let seed = 100; seed < 103; seed += 1) await store.put(rowsOf(topicalVectors(ROWS, seed)), MAKER);
    await store.put(rowsOf(VECTORS.slice(0, ROWS)), MAKER);
    expect(await planOfSearch()).toContain('Index Scan using brain_embeddings_embedding_idx');
    expect(await recall(store)).toBeGreaterThanOrEqual(0.98);
  }, 120_000);

  it('finds what is near after the table was emptied and filled again', async () => {
    await store.clear(MAKER);
    await store.put(rowsOf(topicalVectors(ROWS, 200)), MAKER);
    await store.clear(MAKER);
    await store.put(rowsOf(VECTORS.slice(0, ROWS)), MAKER);
    expect(await recall(store)).toBeGreaterThanOrEqual(0.98);
  }, 120_000);

  it('leaves nothing in the index when the table is emptied', async () => {
    await store.clear(MAKER);
    const [row] = await sql.transaction((query) =>
      query(`SELECT pg_relation_size('brain_embeddings_embedding_idx')::int AS bytes`),
    );
    expect(row?.bytes).toBeLessThanOrEqual(2 * 8192);
  });
});

describe('an index of half precision, which the owner makes as the guide says', () => {
  const SCHEMA = 'Half "precision"';
  let database: SocketDatabase;
  let sql: Sql;
  const opened: VectorStore[] = [];
  const open = (): VectorStore => {
    const store = sqlVectorStore(connect(database.dsn), SCHEMA, nodePace());
    opened.push(store);
    return store;
  };
  const ask = (text: string) => sql.transaction((query) => query(text));
  const indexes = async () => {
    await ask('SELECT pg_stat_force_next_flush()');
    return new Map(
      (await ask(`SELECT indexrelname::text AS name, idx_scan::int AS scans FROM pg_stat_user_indexes`)).map(
        ({ name, scans }) => [String(name), Number(scans)],
      ),
    );
  };
  beforeAll(async () => {
    database = await socketDatabase();
    sql = connect(database.dsn);
    // A small table is read whole. All connections are one session.
    await ask('SET enable_seqscan = off');
    await open().put(rowsOf(VECTORS.slice(0, ROWS)), MAKER);
    await ask(`SET search_path = ${identifier(SCHEMA)}, public`);
    await ask(
      'CREATE INDEX brain_embeddings_halfvec_idx ON brain_embeddings USING hnsw ((embedding::halfvec(768)) halfvec_cosine_ops)',
    );
    await ask('RESET search_path');
  }, 120_000);
  afterAll(async () => {
    await Promise.all(opened.map((store) => store.close()));
    await sql.close();
    await database.close();
  });

  it('is used beside the whole one and without it, which no start makes again', async () => {
    const before = (await indexes()).get('brain_embeddings_embedding_idx');
    expect(await recall(open())).toBeGreaterThanOrEqual(0.98);
    const both = await indexes();
    expect(both.get('brain_embeddings_halfvec_idx')).toBeGreaterThanOrEqual(QUESTIONS);
    expect(both.get('brain_embeddings_embedding_idx')).toBe(before);
    await ask(`DROP INDEX ${identifier(SCHEMA)}.brain_embeddings_embedding_idx`);
    expect(await recall(open())).toBeGreaterThanOrEqual(0.98);
    expect([...(await indexes()).keys()].sort()).toEqual([
      'brain_embeddings_halfvec_idx',
      'brain_embeddings_pkey',
    ]);
  }, 120_000);

  it('leaves a search with a filter exact', async () => {
    const exact = memoryVectors();
    await exact.put(rowsOf(VECTORS.slice(0, ROWS)), MAKER);
    const store = open();
    for (const question of VECTORS.slice(ROWS)) {
      const asked = [question, 20, { hall: 'facts' }, MAKER] as const;
      expect(await nearPaths(store, ...asked)).toEqual(await nearPaths(exact, ...asked));
    }
  }, 120_000);
});
