import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import * as z from 'zod';
import { type BenchDocument, markdownDocument, markdownPaths } from './corpus';
import { randomFrom } from './support';

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
      wing: z.string().optional(),
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

const SEED = 20;
/** Words of a snippet. */
const SNIPPET = 5;
const SNIPPETS_A_NOTE = 2;

/**
 * Known-item search over a folder of notes, for people who look for a note that they know: the one right answer is the note
 * that the query was taken from. Three kinds, a collection each and one of all, none of them the title:
 * - an alias that says something else than the title; no engine indexes aliases here, so the note must be found by its other words
 * - a heading below the title that no other note has
 * - five words in a row from the text, at a seeded place, that occur nowhere else
 */
export function knownItemCollections(folder: string): Collection[] {
  const notes = markdownPaths(folder).map((path) => {
    const source = readFileSync(join(folder, path), 'utf8');
    return { document: markdownDocument(path, source), aliases: aliasesOf(source) };
  });
  const documents = notes.map(({ document }) => document);
  const name = basename(folder);
  const collection = (kind: string, queries: JudgedQuery[]): Collection => ({
    name: `${name}, ${kind}`,
    says: `known-item search: the query is ${kind} of one note, the one right answer is that note`,
    documents,
    queries,
  });
  const ask = (document: BenchDocument, text: string) => ({ text, judged: { [document.path]: 1 } });
  const byAlias = notes.flatMap(({ document, aliases }) =>
    aliases.filter((alias) => fold(alias) !== fold(document.title)).map((alias) => ask(document, alias)),
  );
  const kinds = [
    collection('an alias', byAlias),
    collection('a heading', headingQueries(documents, ask)),
    collection('five words of the text', snippetQueries(documents, ask)),
  ];
  const all = kinds.flatMap(({ queries }) => queries);
  return [...kinds, collection('any of these', all)];
}

function headingQueries(
  documents: readonly BenchDocument[],
  ask: (document: BenchDocument, text: string) => JudgedQuery,
): JudgedQuery[] {
  const homes = new Map<string, number>();
  for (const { headings, title } of documents)
    for (const heading of new Set([title, ...headings.split('\n')].map(fold)))
      homes.set(heading, (homes.get(heading) ?? 0) + 1);
  return documents.flatMap((document) => {
    const own = document.headings.split('\n').filter((heading) => {
      return segments(heading).length >= 2 && homes.get(fold(heading)) === 1;
    });
    const [first] = own;
    return first === undefined ? [] : [ask(document, first)];
  });
}

function snippetQueries(
  documents: readonly BenchDocument[],
  ask: (document: BenchDocument, text: string) => JudgedQuery,
): JudgedQuery[] {
  const random = randomFrom(SEED);
  return documents.flatMap((document) => {
    const lines = document.text.split('\n').filter((line) => /^\p{L}/u.test(line));
    const snippets = Array.from({ length: SNIPPETS_A_NOTE }, () => {
      const line = lines[Math.floor(random() * lines.length)] ?? '';
      const words = segments(line);
      const from = words[Math.floor(random() * Math.max(1, words.length - SNIPPET + 1))];
      const to = from === undefined ? undefined : words[words.indexOf(from) + SNIPPET - 1];
      return from === undefined || to === undefined
        ? ''
        : line.slice(from.index, to.index + to.segment.length);
    });
    return snippets
      .filter(
        (snippet) => snippet !== '' && documents.filter(({ text }) => text.includes(snippet)).length === 1,
      )
      .map((snippet) => ask(document, snippet));
  });
}

/** The words of a text in any script, with their places. */
function segments(text: string): Intl.SegmentData[] {
  return [...new Intl.Segmenter(undefined, { granularity: 'word' }).segment(text)].filter(
    ({ isWordLike }) => isWordLike === true,
  );
}

/** The list `aliases` of a front matter, of which a path keeps its last part. */
function aliasesOf(source: string): string[] {
  const list = /^---\r?\n(?:[\s\S]*?\r?\n)?aliases:[ \t]*\r?\n((?:[ \t]*-[ \t].*\r?\n)+)/.exec(source)?.[1];
  const lines = list?.trim().split('\n') ?? [];
  const aliases = lines.map((line) =>
    line
      .replace(/^\s*-\s+/, '')
      .replace(/^(['"])(.*)\1\s*$/, '$2')
      .trim(),
  );
  return [...new Set(aliases.map((alias) => alias.split('/').at(-1) ?? ''))].filter(Boolean);
}

function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase().trim();
}

/** Gains of the documents that someone judged for one query; a document that is missing counts 0. */
export type Judgements = Readonly<Record<string, number>>;

/** True when at least one document is of use; other queries tell nothing about a ranking and are left out. */
export function isAnswerable(judged: Judgements): boolean {
  return Object.values(judged).some((gain) => gain > 0);
}

/**
 * Normalised discounted cumulative gain of the first `depth` results, 0 to 1: linear gains, discount log2(rank + 1), ideal
 * order over all judged documents (Järvelin and Kekäläinen 2002, in the form that trec_eval computes). A document that is
 * listed twice counts once.
 */
export function ndcg(found: readonly string[], judged: Judgements, depth: number): number {
  const gains = firstOf(found, depth).map((path) => Math.max(0, judged[path] ?? 0));
  const ideal = Object.values(judged)
    .filter((gain) => gain > 0)
    .sort((a, b) => b - a)
    .slice(0, depth);
  const best = discounted(ideal);
  return best === 0 ? 0 : discounted(gains) / best;
}

/** The share, 0 to 1, of the relevant documents that stand among the first `depth` results. */
export function recall(found: readonly string[], judged: Judgements, depth: number): number {
  const relevant = Object.values(judged).filter((gain) => gain > 0).length;
  const hit = firstOf(found, depth).filter((path) => (judged[path] ?? 0) > 0).length;
  return relevant === 0 ? 0 : hit / relevant;
}

/** 1 / the rank of the first relevant result, counted from 1; 0 when there is none. */
export function reciprocalRank(found: readonly string[], judged: Judgements): number {
  const at = found.findIndex((path) => (judged[path] ?? 0) > 0);
  return at < 0 ? 0 : 1 / (at + 1);
}

export interface Estimate {
  readonly mean: number;
  /** Bounds of the interval. */
  readonly low: number;
  readonly high: number;
}

/**
 * Mean of one value a query, with the bounds between which 95 of 100 bootstrap means lie (Efron's percentile interval).
 * Drawn with a fixed seed, so a run repeats. For the difference of two engines pass the differences query by query.
 */
export function estimate(values: readonly number[], seed = 1, resamples = 1000): Estimate {
  const random = randomFrom(seed);
  const count = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const means: number[] = [];
  for (let n = 0; n < resamples; n += 1) {
    let sum = 0;
    for (let k = 0; k < count; k += 1) sum += values[Math.floor(random() * count)] ?? 0;
    means.push(sum / count);
  }
  means.sort((a, b) => a - b);
  const at = (share: number): number => means[Math.round(share * (means.length - 1))] ?? mean;
  return { mean, low: at(0.025), high: at(0.975) };
}

function firstOf(found: readonly string[], depth: number): string[] {
  return [...new Set(found)].slice(0, depth);
}

function discounted(gains: readonly number[]): number {
  return gains.reduce((sum, gain, index) => sum + gain / Math.log2(index + 2), 0);
}
