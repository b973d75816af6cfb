import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { postgresSql } from '../src/adapters/postgres/pg';
import { pgliteSql } from '../src/adapters/postgres/pglite';
import type { Sql } from '../src/adapters/postgres/sql';
import { sqlVectorStore } from '../src/adapters/postgres/vector-store';
import type { VectorFilter } from '../src/core/ports';
import { type VaultPath, vaultPath } from '../src/core/rules/paths';
import { memoryVectors } from '../tests/support/memory-vectors';
import { topicalVectors } from '../tests/support/random-vectors';
import { silentLog } from '../tests/support/silent-log';
import { Timings } from './support';

const WINGS = 100;
const LIMIT = 200;
const QUESTIONS = 100;
const INDEX = 'brain_embeddings_embedding_idx';

/**
 * Recall and speed of the vector store against an exact search over the same vectors, on `BRAIN_PG_TEST_DSN` in a schema that
 * is dropped afterwards, else on PGlite. The vectors are made up, with topics and with most of their spread in few
 * directions, as embeddings have them. Rows are loaded first and indexed then, which makes the same index faster.
 */
export async function benchVectors(count: number): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'brain-bench-'));
  const dsn = process.env.BRAIN_PG_TEST_DSN;
  const schema = `brain_bench_${process.pid}`;
  const sql = dsn === undefined ? pgliteSql(path.join(folder, 'data')) : postgresSql(dsn, silentLog());
  console.log(`## Vectors: ${count} of 768 dimensions in ${dsn === undefined ? 'PGlite' : 'Postgres'}\n`);
  try {
    await measure(sql, schema, count);
  } finally {
    await sql.transaction((query) => query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`));
    await sql.close();
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(sql: Sql, schema: string, count: number): Promise<void> {
  const store = sqlVectorStore(sql, schema);
  const exact = memoryVectors();
  const vectors = topicalVectors(count + QUESTIONS, 42, 200);
  const updatedAt = new Date();
  const rows = vectors
    .slice(0, count)
    .map((vector, at) => ({ path: vaultPath(`wiki/w${at % WINGS}/facts/n${at}.md`), vector, updatedAt }));
  const singles = new Timings();
  await store.open();
  for (let at = 0; at < 64; at += 16) await singles.time(() => store.put(rows.slice(at, at + 16)));
  await sql.transaction((query) => query(`DROP INDEX ${schema}.${INDEX}`));
  const load = await seconds(async () => {
    for (let at = 64; at < count; at += 1000) await store.put(rows.slice(at, at + 1000));
  });
  const index = await seconds(() => sqlVectorStore(sql, schema).open());
  await exact.put(rows);
  const questions = vectors.slice(count);
  const all = await compare(store, exact, questions, () => ({}));
  const wing = await compare(store, exact, questions, (at) => ({ prefixes: [`wiki/w${at % WINGS}/`] }));
  const half = rows.filter((_, at) => at % 2 === 0).map(({ path: each }) => each);
  const listed = await compare(store, exact, questions.slice(0, 20), () => ({ only: half }));
  console.log(`row into the index, in batches of 16: ${(singles.mean / 16).toFixed(1)} ms`);
  console.log(`load without index: ${load.toFixed(1)} s; index of all: ${index.toFixed(1)} s\n`);
  console.log(`| top ${LIMIT} | recall | p50 ms | p99 ms |\n|---|---|---|---|`);
  for (const [name, { recall, times }] of Object.entries({
    'whole vault, HNSW': all,
    [`one wing of ${WINGS}, exact`]: wing,
    'a list of half the notes, exact': listed,
  })) {
    console.log(
      `| ${name} | ${recall.toFixed(4)} | ${times.quantile(0.5).toFixed(1)} | ${times.quantile(0.99).toFixed(1)} |`,
    );
  }
  console.log('');
}

type Nearest = Pick<ReturnType<typeof memoryVectors>, 'nearest'>;

async function compare(
  store: Nearest,
  exact: Nearest,
  questions: readonly Float32Array[],
  filterOf: (at: number) => VectorFilter,
): Promise<{ recall: number; times: Timings }> {
  const times = new Timings();
  let [found, there] = [0, 0];
  for (const [at, question] of questions.entries()) {
    const filter = filterOf(at);
    const expected = new Set<VaultPath>(await exact.nearest(question, LIMIT, filter));
    const paths = await times.time(() => store.nearest(question, LIMIT, filter));
    found += paths.filter((each) => expected.has(each)).length;
    there += expected.size;
  }
  return { recall: found / there, times };
}

async function seconds(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}
