import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { gunzipSync } from 'node:zlib';
import * as z from 'zod';
import type { BenchDocument } from './corpus';
import type { Judgements } from './relevance-metrics';

export interface JudgedQuery {
  readonly text: string;
  readonly judged: Judgements;
}

/** Documents with questions of which someone said what answers them. */
export interface Collection {
  readonly name: string;
  /** What it is and how its questions were made. */
  readonly says: string;
  readonly documents: readonly BenchDocument[];
  readonly queries: readonly JudgedQuery[];
}

const collectionShape = z.object({
  name: z.string().optional(),
  about: z.string().default('questions with judgements by people'),
  docs: z.array(
    z.object({
      id: z.coerce.string(),
      title: z.string(),
      headings: z.string().default(''),
      text: z.string(),
    }),
  ),
  queries: z.array(z.object({ id: z.coerce.string(), text: z.string() })),
  qrels: z.record(z.string(), z.record(z.string(), z.number())),
});

/** Reads a judged collection `{docs, queries, qrels}`, as JSON or gzipped JSON. Throws when the file has another shape. */
export function readCollection(file: string): Collection {
  const bytes = readFileSync(file);
  const source = file.endsWith('.gz') ? gunzipSync(bytes) : bytes;
  const { name, about, docs, queries, qrels } = collectionShape.parse(JSON.parse(source.toString('utf8')));
  return {
    name: name ?? basename(file).replace(/\..*$/, ''),
    says: about,
    documents: docs.map(({ id, ...fields }) => ({ path: id, ...fields })),
    queries: queries.map(({ id, text }) => ({ text, judged: qrels[id] ?? {} })),
  };
}
