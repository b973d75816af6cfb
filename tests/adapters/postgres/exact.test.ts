import type { Sql } from '../../../src/adapters/postgres/sql';
import { sqlVectorStore } from '../../../src/adapters/postgres/vector-store';
import type { VectorFilter } from '../../../src/core/ports/ports';
import { vaultPath } from '../../../src/core/vocabulary/paths';
import type { VectorStore } from '../../../src/core/embeddings/store';
import { DIMENSIONS } from '../../../src/core/embeddings/pieces';
import { type MemoryVectors, memoryVectors, nearPaths } from '../../support/memory-vectors';
import { randomNumbers } from '../../support/random-vectors';
import { connect, type SocketDatabase, socketDatabase } from '../../support/vector-databases';
import { nodePace } from '../../support/node-pace';

/** As many candidates as a search with a filter looks at one by one. */
const EXACT = 20_000;
const QUESTIONS = 3;
const LIMIT = 40;
const MAKER = { model: 'some-model', vault: 'v' };
const INDEX = 'brain_embeddings_embedding_idx';

const random = randomNumbers(11);
/** In few directions, and so written in few characters. */
const vectorOf = () =>
  Float32Array.from({ length: DIMENSIONS }, (_, at) => (at < 8 ? Math.round(1000 * (random() - 0.5)) : 0));

const rows = (wing: string, count: number) =>
  Array.from({ length: count }, (_, at) => ({
    path: vaultPath(`wiki/${wing}/facts/${at}.md`),
    vector: vectorOf(),
    updatedAt: new Date(0),
  }));

describe('a search with a filter, in a table whose index finds little of what is near', () => {
  let database: SocketDatabase;
  let sql: Sql;
  let store: VectorStore;
  let oracle: MemoryVectors;
  beforeAll(async () => {
    database = await socketDatabase();
    sql = connect(database.dsn);
    store = sqlVectorStore(connect(database.dsn), 'public', nodePace());
    oracle = memoryVectors();
    await store.open();
    // The server of the test may be slow to make the index.
    const ask = (text: string) => sql.transaction((query) => query(text, [], true));
    await ask(`DROP INDEX ${INDEX}`);
    for (const some of [rows('large', EXACT), rows('small', 1)]) {
      await store.put(some, MAKER);
      await oracle.put(some, MAKER);
    }
    await ask(
      `CREATE INDEX ${INDEX} ON brain_embeddings USING hnsw (embedding vector_cosine_ops) WITH (m = 2, ef_construction = 4)`,
    );
    // The planner may pass over an index, which would hide what the index misses. All connections are one session.
    await ask('SET enable_seqscan = off');
  }, 300_000);
  afterAll(async () => {
    await store.close();
    await sql.close();
    await database.close();
  });

  /** The share of the truly nearest that the store finds, and whether all of its answers are the exact ones. */
  async function compare(filter: VectorFilter): Promise<{ isExact: boolean; recall: number }> {
    let [isExact, found] = [true, 0];
    for (let asked = 0; asked < QUESTIONS; asked += 1) {
      const question = vectorOf();
      const given = (await nearPaths(store, question, LIMIT, filter, MAKER)) ?? [];
      const exact = (await nearPaths(oracle, question, LIMIT, filter, MAKER)) ?? [];
      isExact &&= given.join() === exact.join();
      found += given.filter((path) => exact.includes(path)).length;
    }
    return { isExact, recall: found / (QUESTIONS * LIMIT) };
  }

  it('is exact among 20,000 candidates, whatever limits them', async () => {
    const filters: VectorFilter[] = [
      { prefixes: ['wiki/large/'] },
      { hall: 'facts', except: [vaultPath('wiki/small/facts/0.md')] },
    ];
    for (const filter of filters) expect(await compare(filter)).toEqual({ isExact: true, recall: 1 });
  });

  // Or else the test above would prove nothing.
  it('has an index to be misled by', async () => {
    expect((await compare({})).recall).toBeLessThan(0.9);
  });
});
