import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { PGlite } from '@electric-sql/pglite';
import { pg_textsearch as textSearch } from '@electric-sql/pglite-pg_textsearch';
import { vector } from '@electric-sql/pglite-pgvector';
import * as z from 'zod';
import { ms, randomFrom, table, Timings } from './support';

const PARTITIONS = 4;
/** Dimensions of a vector, as the service stores them. */
const DIMENSIONS = 768;
/** Real embeddings lie near a space of far fewer dimensions than they are written in; so do these. */
const INNER_DIMENSIONS = 24;
const WINGS = 40;
const WANTED = 40;
const BATCH = 200;

const collectionShape = z.object({
  docs: z.array(z.object({ id: z.coerce.string(), title: z.string(), text: z.string() })),
  queries: z.array(z.object({ id: z.coerce.string(), text: z.string() })),
  qrels: z.record(z.string(), z.record(z.string(), z.number())),
});

/**
 * What docs/scaling.md says was tried: keyword search by a Postgres extension, and vectors in a partitioned table, both in the
 * embedded Postgres, so that the figures compare with each other and with nothing else.
 * @param collection a judged collection `{docs, queries, qrels}` as JSON, plain or gzipped; without one the first try is left
 * out
 */
export async function benchScale(vectors: number, collection: string | undefined): Promise<void> {
  if (collection === undefined)
    console.log('## Keyword search in Postgres: left out, no --collection given\n');
  else await benchKeywords(collection);
  await benchPartitions(vectors);
}

async function benchKeywords(file: string): Promise<void> {
  const bytes = await readFile(file);
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
  const { docs, queries, qrels } = collectionShape.parse(JSON.parse(text));
  const db = await PGlite.create({ extensions: { textSearch } });
  await db.exec(`create extension pg_textsearch;
    create table whole (path text primary key, body text);
    create table split (path text primary key, body text) partition by hash (path);
    ${partitions('split')}`);
  for (const { id, title, text: body } of docs) {
    for (const name of ['whole', 'split'])
      await db.query(`insert into ${name} values ($1, $2)`, [id, `${title} ${body}`]);
  }
  const rows: string[][] = [];
  for (const name of ['whole', 'split']) {
    await db.exec(
      `create index ${name}_bm25 on ${name} using bm25 (body) with (text_config = 'english', k1 = 1.2, b = 0.75)`,
    );
    const timings = new Timings();
    const gains: number[] = [];
    for (const query of queries) {
      const judged = qrels[query.id];
      if (judged === undefined || !Object.values(judged).some((gain) => gain > 0)) continue;
      const { rows: found } = await timings.time(() =>
        db.query<{ path: string }>(
          `select path from ${name} order by body <@> to_bm25query($1, '${name}_bm25') limit 10`,
          [query.text],
        ),
      );
      gains.push(
        normalised(
          found.map(({ path }) => judged[path] ?? 0),
          judged,
        ),
      );
    }
    const mean = gains.reduce((sum, gain) => sum + gain, 0) / gains.length;
    rows.push([
      name === 'whole' ? 'one table' : `${PARTITIONS} partitions`,
      mean.toFixed(3),
      ms(timings.quantile(0.5)),
      ms(timings.quantile(0.99)),
    ]);
  }
  await db.close();
  console.log(`## Keyword search in Postgres (pg_textsearch), ${docs.length} documents\n`);
  table(['', 'nDCG@10', 'p50', 'p99'], rows);
}

/** Järvelin and Kekäläinen, Cumulated gain-based evaluation of IR techniques (2002), cut at ten. */
function normalised(found: readonly number[], judged: Readonly<Record<string, number>>): number {
  const sum = (gains: readonly number[]) =>
    gains.slice(0, 10).reduce((total, gain, at) => total + Math.max(0, gain) / Math.log2(at + 2), 0);
  return sum(found) / sum(Object.values(judged).sort((a, b) => b - a));
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
