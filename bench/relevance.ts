import { statSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Collection,
  type JudgedQuery,
  readCollection,
  knownItemCollections,
  type Estimate,
  estimate,
  isAnswerable,
  ndcg,
  recall,
  reciprocalRank,
} from './relevance-collections';
import { installed, sayEngines } from './search-engines';
import { table } from './support';

/** Results that count for nDCG and recall. */
const DEPTH = 10;
/** The first relevant result counts for the reciprocal rank down to here: the most that one answer of the product holds. */
const DEEPEST = 50;
/** Shipped with the project, so that everyone can run the bench. */
const OWN_COLLECTION = join('bench', 'relevance-homelab.json');

/** What one way of searching is worth, a value for each question. */
export interface Scores {
  readonly ndcg: readonly number[];
  readonly recall: readonly number[];
  readonly reciprocal: readonly number[];
}

/** Asks every answerable question of a collection. */
export function scoresOf(
  queries: readonly JudgedQuery[],
  search: (query: string, limit: number) => readonly string[],
): Scores {
  const answers = queries
    .filter(({ judged }) => isAnswerable(judged))
    .map(({ text, judged }) => ({ found: search(text, DEEPEST), judged }));
  return {
    ndcg: answers.map(({ found, judged }) => ndcg(found, judged, DEPTH)),
    recall: answers.map(({ found, judged }) => recall(found, judged, DEPTH)),
    reciprocal: answers.map(({ found, judged }) => reciprocalRank(found, judged)),
  };
}

/**
 * How good the first results are, on every collection: our engine beside its peers, then vectors and the fusion of both.
 * @param args `--collection PATH…`: judged collections as JSON, or folders of Markdown for known-item search; without it
 * the collection that the project ships
 */
export async function benchRelevance(args: readonly string[]): Promise<void> {
  const at = args.indexOf('--collection');
  const paths = at < 0 ? [OWN_COLLECTION] : args.slice(at + 1);
  const { engines, missing } = installed();
  console.log(
    `## Relevance\n\nEvery engine gets the same fields (title, headings, text) and answers any of the words. In brackets 95 % bootstrap intervals of 1,000 resamples; the difference is taken question by question.\n\n${sayEngines(engines)}\n`,
  );
  if (missing !== null) console.log(`${missing}\n`);
  for (const path of paths) {
    for (const collection of statSync(path).isDirectory()
      ? knownItemCollections(path)
      : [readCollection(path)])
      compare(collection, engines);
  }
}

function compare(collection: Collection, engines: ReturnType<typeof installed>['engines']): void {
  const { name, says, documents, queries } = collection;
  const all = engines.map((kind) => {
    const engine = kind.build(documents);
    return { name: kind.name, scores: scoresOf(queries, (query, limit) => engine.search(query, limit)) };
  });
  const [own] = all;
  if (own === undefined) return;
  console.log(`### ${name}: ${documents.length} documents, ${own.scores.ndcg.length} questions\n\n${says}\n`);
  printScores(all, own.scores, 'ours');
}

/** Prints a row for each way of searching, with the paired difference of nDCG against one of them. */
export function printScores(
  rows: readonly { readonly name: string; readonly scores: Scores }[],
  base: Scores,
  baseName: string,
): void {
  table(
    ['engine', 'nDCG@10', 'recall@10', 'MRR', `nDCG@10 less that of ${baseName}`],
    rows.map(({ name, scores }) => [
      name,
      sayEstimate(estimate(scores.ndcg)),
      sayEstimate(estimate(scores.recall)),
      sayEstimate(estimate(scores.reciprocal)),
      scores === base
        ? ''
        : sayEstimate(estimate(scores.ndcg.map((value, index) => value - (base.ndcg[index] ?? 0)))),
    ]),
  );
}

function sayEstimate({ mean, low, high }: Estimate): string {
  return `${mean.toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}]`;
}
