import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openNodeState, prepareState } from '../src/adapters/files/state-folder';
import { systemClock, useNodeDigest } from '../src/adapters/host/device';
import { localVectorStore } from '../src/adapters/local/vector-store';
import type { Sql } from '../src/adapters/postgres/sql';
import { sqlVectorStore } from '../src/adapters/postgres/vector-store';
import { Pace, type PaceWatch } from '../src/core/base/steps';
import type { VectorFilter } from '../src/core/ports/ports';
import { type VaultPath, vaultPath } from '../src/core/vocabulary/paths';
import { memoryVectors, nearPaths } from '../tests/support/memory-vectors';
import { topicalVectors } from '../tests/support/random-vectors';
import { connect, socketDatabase } from '../tests/support/vector-databases';
import { silentLog } from '../tests/support/silent-log';
import { ms, Timings } from './support';
import { summary, ThreadWatch } from './thread-watch';
import { nodePace } from '../tests/support/node-pace';

/**
 * Recall and speed of the vectors in files of this device, in a folder that is removed afterwards. Opening reads all of them anew;
 * memory is that of the arrays and of the heap, after a collection where the process may ask for one.
 */
export async function benchLocalVectors(count: number): Promise<void> {
  console.log(`## Vectors: ${count} of 768 dimensions in files of this device\n`);
  // Both hosts hash with it.
  useNodeDigest();
  const folder = await mkdtemp(path.join(tmpdir(), 'brain-bench-'));
  await prepareState(folder, { device: 'bench' });
  const state = await openNodeState(folder, { device: 'bench' });
  const open = (watch?: PaceWatch) =>
    localVectorStore({
      state,
      device: 'bench',
      log: silentLog(),
      pace: new Pace(() => new Promise((resolve) => setImmediate(resolve)), systemClock, watch),
    });
  try {
    const vectors = topicalVectors(count + QUESTIONS, 42, 200);
    const updatedAt = new Date();
    const rows = vectors
      .slice(0, count)
      .map((vector, at) => ({ path: vaultPath(`wiki/w${at % WINGS}/facts/n${at}.md`), vector, updatedAt }));
    const exact = memoryVectors();
    await exact.put(rows, MAKER);
    const puts = new Timings();
    const store = open();
    for (let at = 0; at < count; at += 16) await puts.time(() => store.put(rows.slice(at, at + 16), MAKER));
    await store.close();
    const before = memoryUsed();
    const again = open();
    const opening = await seconds(() => again.open());
    const memory = memoryUsed() - before;
    const { recall, times } = await compare(again, exact, vectors.slice(count), () => ({}));
    console.log(
      `put of 16 rows: p50 ${puts.quantile(0.5).toFixed(1)} ms, p95 ${puts.quantile(0.95).toFixed(1)} ms`,
    );
    console.log(
      `opening: ${(1000 * opening).toFixed(0)} ms; memory: ${(memory / count).toFixed(0)} bytes a row`,
    );
    console.log(
      `nearest ${LIMIT}: recall ${recall.toFixed(4)}, p50 ${times.quantile(0.5).toFixed(1)} ms, p95 ${times.quantile(0.95).toFixed(1)} ms`,
    );
    const watch = new ThreadWatch();
    const touched = open(watch);
    await touched.touch(rows, MAKER);
    await touched.tidy();
    await touched.remove(
      rows.filter((_, at) => at % 2 === 0).map(({ path: each }) => each),
      MAKER,
    );
    await touched.tidy();
    const { times: slices } = summary((await watch.end()).slices);
    console.log(
      `opening, new times for all rows, and half of them removed: longest slice ${ms(slices[2] ?? NaN)}, the work alone ${ms(slices[3] ?? NaN)}\n`,
    );
  } finally {
    await state.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the memory of arrays and heap (bytes). */
function memoryUsed(): number {
  globalThis.gc?.();
  const { arrayBuffers, heapUsed } = process.memoryUsage();
  return arrayBuffers + heapUsed;
}

const MAKER = { model: 'bench', vault: 'v' };
const WINGS = 100;
const LIMIT = 200;
const QUESTIONS = 100;
const INDEX = 'brain_embeddings_embedding_idx';
/** The share of the truly nearest that has to be found. */
const MIN_RECALL = 0.98;

/**
 * Recall and speed of the vector store against an exact search over the same vectors, on `BRAIN_PG_TEST_DSN` in a schema that
 * is dropped afterwards, else on PGlite. The vectors are made up, with topics and with most of their spread in few
 * directions, as embeddings have them. Rows are loaded first and indexed then, which makes the same index faster; then every
 * row is put once more with another vector, as after an edit of every note. Fails the process when the index finds too few.
 */
export async function benchVectors(count: number): Promise<void> {
  const dsn = process.env.BRAIN_PG_TEST_DSN;
  const schema = `brain_bench_${process.pid}`;
  const database = dsn === undefined ? await socketDatabase() : null;
  const sql = connect(dsn ?? database?.dsn ?? '');
  console.log(`## Vectors: ${count} of 768 dimensions in ${dsn === undefined ? 'PGlite' : 'Postgres'}\n`);
  try {
    await measure(sql, schema, count);
  } finally {
    await sql.transaction((query) => query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`));
    await sql.close();
    await database?.close();
  }
}

async function measure(sql: Sql, schema: string, count: number): Promise<void> {
  const store = sqlVectorStore(sql, schema, nodePace());
  const exact = memoryVectors();
  const vectors = topicalVectors(2 * count + QUESTIONS, 42, 200);
  const updatedAt = new Date();
  const rowsFrom = (from: number) =>
    vectors
      .slice(from, from + count)
      .map((vector, at) => ({ path: vaultPath(`wiki/w${at % WINGS}/facts/n${at}.md`), vector, updatedAt }));
  const rows = rowsFrom(0);
  const singles = new Timings();
  await store.open();
  for (let at = 0; at < 64; at += 16) await singles.time(() => store.put(rows.slice(at, at + 16), MAKER));
  await sql.transaction((query) => query(`DROP INDEX ${schema}.${INDEX}`));
  const load = await seconds(async () => {
    for (let at = 64; at < count; at += 1000) await store.put(rows.slice(at, at + 1000), MAKER);
  });
  const index = await seconds(() => sqlVectorStore(sql, schema, nodePace()).open());
  await exact.put(rows, MAKER);
  const questions = vectors.slice(2 * count);
  const all = await byIndex(sql, () => compare(store, exact, questions, () => ({})));
  const wing = await compare(store, exact, questions, (at) => ({ prefixes: [`wiki/w${at % WINGS}/`] }));
  const half = rows.filter((_, at) => at % 2 === 0).map(({ path: each }) => each);
  const listed = await compare(store, exact, questions.slice(0, 20), () => ({ only: half }));
  const edited = rowsFrom(count);
  const again = await seconds(async () => {
    for (let at = 0; at < count; at += 16) await store.put(edited.slice(at, at + 16), MAKER);
  });
  await exact.put(edited, MAKER);
  const after = await byIndex(sql, () => compare(store, exact, questions, () => ({})));
  const tidying = await seconds(() => store.tidy());
  console.log(`row into the index, in batches of 16: ${(singles.mean / 16).toFixed(1)} ms`);
  console.log(`load without index: ${load.toFixed(1)} s; index of all: ${index.toFixed(1)} s`);
  console.log(`every row put again: ${again.toFixed(1)} s; tidied: ${tidying.toFixed(1)} s`);
  const plan = await planOf(sql, schema);
  console.log(`of its own accord the database searches the whole vault by: ${plan}\n`);
  console.log(`| top ${LIMIT} | recall | p50 ms | p99 ms |\n|---|---|---|---|`);
  for (const [name, { recall, times }] of Object.entries({
    'whole vault, HNSW': all,
    'whole vault, HNSW, every row put twice': after,
    [`one wing of ${WINGS}, exact`]: wing,
    'a list of half the notes, exact': listed,
  })) {
    console.log(
      `| ${name} | ${recall.toFixed(4)} | ${times.quantile(0.5).toFixed(1)} | ${times.quantile(0.99).toFixed(1)} |`,
    );
  }
  console.log('');
  const worst = Math.min(all.recall, after.recall);
  if (worst < MIN_RECALL) {
    console.error(`Recall is ${worst.toFixed(4)}; it has to be ${MIN_RECALL} at least.`);
    process.exitCode = 1;
  }
}

/**
 * Measures the index also where PGlite would rather read a whole table of this size, which finds everything. A server, of which
 * this reaches one connection of several, takes the index of a large table anyway.
 */
async function byIndex<T>(sql: Sql, work: () => Promise<T>): Promise<T> {
  await sql.transaction((query) => query('SET enable_seqscan = off'));
  try {
    return await work();
  } finally {
    await sql.transaction((query) => query('RESET enable_seqscan'));
  }
}

/** How the database goes about a search without a filter: a small table it may read whole. */
async function planOf(sql: Sql, schema: string): Promise<string> {
  const rows = await sql.transaction(async (query) => {
    await query(`SET LOCAL hnsw.ef_search = ${5 * LIMIT}`);
    return query(
      `EXPLAIN SELECT path FROM ${schema}.brain_embeddings ORDER BY embedding <=> array_fill(1::real, ARRAY[768])::vector LIMIT ${LIMIT}`,
    );
  });
  const plan = rows.map((row) => String(row['QUERY PLAN'])).join('\n');
  return /(?:Index|Seq) Scan(?: using \S+)?/.exec(plan)?.[0] ?? plan;
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
    const expected = new Set<VaultPath>(await nearPaths(exact, question, LIMIT, filter, MAKER));
    const paths = await times.time(() => nearPaths(store, question, LIMIT, filter, MAKER));
    if (paths === null) throw new Error('The vectors are those of this run.');
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
