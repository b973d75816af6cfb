import { statSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { PGlite } from '@electric-sql/pglite';
import { pg_textsearch as textSearch } from '@electric-sql/pglite-pg_textsearch';
import { vector } from '@electric-sql/pglite-pgvector';
import { SqlLexicalIndex } from '../src/adapters/postgres/lexical-index';
import { textSearchDatabase } from '../tests/support/textsearch-database';
import { printScores, type Scores, scoresOf } from './relevance';
import {
  type Collection,
  type JudgedQuery,
  readCollection,
  knownItemCollections,
} from './relevance-collections';
import { benchFields, ours } from './search-engines';
import { ms, randomFrom, table, Timings } from './support';
import { nodePace } from '../tests/support/node-pace';

const PARTITIONS = 4;
/** Dimensions of a vector, as the service stores them. */
const DIMENSIONS = 768;
/** Real embeddings lie near a space of far fewer dimensions than they are written in; so do these. */
const INNER_DIMENSIONS = 24;
const WINGS = 40;
const WANTED = 40;
const BATCH = 200;

/** Results that are judged. */
const DEPTH = 10;
/** Documents that are put into the database at a time. */
const PUT_BATCH = 200;

/**
 * What docs/scaling.md says was tried: keyword search by a Postgres extension, alone and as the adapter of the port uses it, beside
 * the index in memory; and vectors in a partitioned table. All in the embedded Postgres, so that the figures compare with each
 * other and with nothing else.
 * @param collections judged collections `{docs, queries, qrels}` as JSON, plain or gzipped, or folders of Markdown for
 * known-item search; without any the first try is left out
 */
export async function benchScale(vectors: number, collections: readonly string[]): Promise<void> {
  if (collections.length === 0)
    console.log('## Keyword search in Postgres: left out, no --collection given\n');
  for (const path of collections) {
    const all = statSync(path).isDirectory() ? knownItemCollections(path).slice(-1) : [readCollection(path)];
    for (const collection of all) await benchKeywords(collection);
  }
  if (vectors > 0) await benchPartitions(vectors);
}

/** One way of searching: its answers to all questions, and how long they took. */
interface Asked {
  readonly name: string;
  readonly scores: Scores;
  readonly timings: Timings;
  /** What was found for each question, best first. */
  readonly found: readonly (readonly string[])[];
}

async function benchKeywords(collection: Collection): Promise<void> {
  const { name, documents, queries } = collection;
  const memory = ours.build(documents);
  const rows = [
    await ask('in memory', queries, async (query) => memory.search(query, DEPTH)),
    await askAdapter(collection),
    ...(await askExtension(collection)),
  ];
  const [base] = rows;
  console.log(`## Keyword search in Postgres, ${name}: ${documents.length} documents\n`);
  if (base !== undefined) printScores(rows, base.scores, 'the index in memory');
  table(
    ['', 'p50', 'p99', `the ${DEPTH} of the index in memory, in its order`],
    rows.map(({ name: way, timings, found }) => [
      way,
      ms(timings.quantile(0.5)),
      ms(timings.quantile(0.99)),
      `${found.filter((paths, at) => isDeepStrictEqual(paths, base?.found[at])).length} of ${found.length}`,
    ]),
  );
}

async function ask(
  name: string,
  queries: readonly JudgedQuery[],
  search: (query: string) => Promise<readonly string[]>,
): Promise<Asked> {
  const timings = new Timings();
  const found = new Map<string, readonly string[]>();
  for (const { text } of queries) found.set(text, await timings.time(() => search(text)));
  const scores = scoresOf(queries, (query) => found.get(query) ?? []);
  return { name, scores, timings, found: queries.map(({ text }) => found.get(text) ?? []) };
}

/** The adapter of the port, whose candidates come from the extension. */
async function askAdapter({ documents, queries }: Collection): Promise<Asked> {
  const sql = await textSearchDatabase();
  const index = new SqlLexicalIndex<{ readonly path: string }>(sql, {
    schema: 'public',
    pace: nodePace(),
    facetsOf: () => ({}),
    itemOf: (path) => ({ path }),
  });
  const began = performance.now();
  for (let from = 0; from < documents.length; from += PUT_BATCH) {
    await index.put(
      documents
        .slice(from, from + PUT_BATCH)
        .map((document) => ({ item: { path: document.path }, fields: benchFields(document) })),
    );
  }
  console.log(`The adapter took ${ms(performance.now() - began)} to put ${documents.length} documents.\n`);
  const asked = await ask('adapter on pg_textsearch', queries, async (query) =>
    (await index.best(query, { limit: DEPTH })).map(({ item }) => item.path),
  );
  await sql.close();
  return asked;
}

/** The extension with its own analysis of English and its own scores, in one table and in partitions. */
async function askExtension({ documents, queries }: Collection): Promise<Asked[]> {
  const db = await PGlite.create({ extensions: { textSearch } });
  await db.exec(`create extension pg_textsearch;
    create table whole (path text primary key, body text);
    create table split (path text primary key, body text) partition by hash (path);
    ${partitions('split')}`);
  const asked: Asked[] = [];
  for (const name of ['whole', 'split']) {
    for (const { path, title, headings, text } of documents)
      await db.query(`insert into ${name} values ($1, $2)`, [path, `${title} ${headings} ${text}`]);
    await db.exec(
      `create index ${name}_bm25 on ${name} using bm25 (body) with (text_config = 'english', k1 = 1.2, b = 0.75)`,
    );
    const search = async (query: string) => {
      const { rows } = await db.query<{ path: string }>(
        `select path from ${name} order by body <@> to_bm25query($1, '${name}_bm25') limit ${DEPTH}`,
        [query],
      );
      return rows.map(({ path }) => path);
    };
    const way = name === 'whole' ? 'one table' : `${PARTITIONS} partitions`;
    asked.push(await ask(`pg_textsearch alone, ${way}`, queries, search));
  }
  await db.close();
  return asked;
}

interface Row {
  readonly path: string;
  readonly wing: number;
  readonly embedding: readonly number[];
}

async function benchPartitions(count: number): Promise<void> {
  const db = await PGlite.create({ extensions: { vector } });
  await db.exec(`create extension vector;
    create table whole (path text, wing int, embedding vector(${DIMENSIONS}));
    create table split (path text, wing int, embedding vector(${DIMENSIONS})) partition by hash (wing);
    ${partitions('split')}`);
  const embedding = embeddings(7);
  const all: Row[] = Array.from({ length: count }, (_, n) => ({
    path: `note-${n}`,
    wing: n % WINGS,
    embedding: embedding(),
  }));
  for (let from = 0; from < count; from += BATCH) {
    const batch = all.slice(from, from + BATCH);
    for (const name of ['whole', 'split']) {
      await db.query(
        `insert into ${name} select * from unnest($1::text[], $2::int[], $3::text[]::vector[]) as batch`,
        [
          batch.map((row) => row.path),
          batch.map((row) => row.wing),
          batch.map((row) => literal(row.embedding)),
        ],
      );
    }
  }
  await db.exec('create index on whole using hnsw (embedding vector_cosine_ops)');
  await db.exec('create index on split using hnsw (embedding vector_cosine_ops)');
  const rows: string[][] = [];
  for (const [name, effort, wing] of [
    ['whole', 200, null],
    ['split', 200, null],
    ['split', 50, null],
    ['whole', 200, 7],
    ['split', 200, 7],
  ] as const) {
    const pool = wing === null ? all : all.filter((row) => row.wing === wing);
    const where = wing === null ? '' : `where wing = ${wing}`;
    await db.exec(`set hnsw.ef_search = ${effort}`);
    const timings = new Timings();
    let hits = 0;
    const asked = 50;
    for (let query = 0; query < asked; query += 1) {
      const wanted = embedding();
      const exact = new Set(nearest(pool, wanted));
      const { rows: found } = await timings.time(() =>
        db.query<{ path: string }>(
          `select path from ${name} ${where} order by embedding <=> $1::vector limit ${WANTED}`,
          [literal(wanted)],
        ),
      );
      hits += found.filter(({ path }) => exact.has(path)).length;
    }
    rows.push([
      name === 'whole' ? 'one table' : `${PARTITIONS} partitions`,
      String(effort),
      wing === null ? 'all' : 'one wing',
      (hits / (asked * Math.min(WANTED, pool.length))).toFixed(3),
      ms(timings.quantile(0.5)),
    ]);
  }
  await db.close();
  console.log(`## Vectors in Postgres (pgvector, HNSW), ${count} of ${DIMENSIONS} dimensions\n`);
  table(['', 'ef_search', 'asked for', `recall@${WANTED}`, 'p50'], rows);
}

function partitions(name: string): string {
  return Array.from(
    { length: PARTITIONS },
    (_, part) =>
      `create table ${name}_${part} partition of ${name} for values with (modulus ${PARTITIONS}, remainder ${part});`,
  ).join('\n');
}

function nearest(rows: readonly Row[], to: readonly number[]): string[] {
  return rows
    .map(({ path, embedding }) => ({ path, score: product(embedding, to) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, WANTED)
    .map(({ path }) => path);
}

function product(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
}

function literal(values: readonly number[]): string {
  return `[${values.map((value) => value.toFixed(6)).join(',')}]`;
}

/** Gives one seeded vector of length 1 after the other. */
function embeddings(seed: number): () => number[] {
  const random = randomFrom(seed);
  // Box and Muller, A note on the generation of random normal deviates (1958).
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const axes = Array.from({ length: INNER_DIMENSIONS }, () => Array.from({ length: DIMENSIONS }, normal));
  return () => {
    const weights = axes.map(normal);
    const values = Array.from({ length: DIMENSIONS }, (_, at) =>
      weights.reduce((sum, weight, axis) => sum + weight * (axes[axis]?.[at] ?? 0), 0.3 * normal()),
    );
    const length = Math.hypot(...values);
    return values.map((value) => value / length);
  };
}
