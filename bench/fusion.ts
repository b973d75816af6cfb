import { DIMENSIONS } from '../src/core/embeddings/pieces';
import { compareSearches, weightOf } from '../src/core/search/comparison';
import { perform } from '../src/core/operation/operation';
import { queryNotes } from '../src/core/search/query';
import { fakeEmbedder } from '../tests/support/fake-embedder';
import { openHybridBrain } from '../tests/support/hybrid-brain';
import { callerWith, openTestBrain } from '../tests/support/test-brain';
import { printScores, type Scores, scoresOf } from './relevance';
import { type Collection, isAnswerable, readCollection } from './relevance-collections';
import { lsaSpace } from './relevance-lsa';
import { randomFrom, table } from './support';

const LIMIT = 10;
/** The questions of a collection that are asked. */
const QUESTIONS = 400;
/** The most that fusion as it is measured may lose against words alone (nDCG@10). */
const MAX_LOSS = 0.005;

const CALLER = callerWith(['read'], 'bench');

type VectorOf = (text: string) => ArrayLike<number>;

/**
 * What words and meaning find together on judged collections, asked as the doors ask: by reciprocal ranks and as the vault measures it.
 * The vectors are latent semantic analysis of the collection, the mean of such vectors of single words (which knows no rare word from a
 * frequent one), and noise. The process ends with 1 when fusion as it is measured loses more than .005 against words.
 */
export async function benchFusion(paths: readonly string[]): Promise<void> {
  const lost: string[] = [];
  for (const path of paths) {
    const collection = readCollection(path);
    const { name, documents } = collection;
    const words = await ask(collection, null, {});
    console.log(`### ${name}: ${documents.length} notes, ${words.scores.ndcg.length} questions\n`);
    const rows = [{ name: 'words', scores: words.scores }];
    const weights: string[][] = [];
    for (const [kind, vectorOf] of Object.entries(vectorsOf(documents))) {
      const ranks = await ask(collection, vectorOf, { fusion: 'rrf' });
      const measured = await ask(collection, vectorOf, { fusion: 'measured' });
      rows.push({ name: `${kind}, reciprocal ranks`, scores: ranks.scores });
      rows.push({ name: `${kind}, measured`, scores: measured.scores });
      weights.push([kind, String(measured.weight?.toFixed(2))]);
      const loss = mean(words.scores.ndcg) - mean(measured.scores.ndcg);
      if (loss > MAX_LOSS) lost.push(`${name}, ${kind}: ${loss.toFixed(3)}`);
    }
    printScores(rows, words.scores, 'words');
    table(['vectors', 'measured weight'], weights);
  }
  for (const line of lost) console.log(`Lost against words: ${line}`);
  if (lost.length > 0) process.exitCode = 1;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

async function ask(
  { documents, queries }: Collection,
  vectorOf: VectorOf | null,
  settings: { readonly fusion?: 'rrf' | 'measured' },
): Promise<{ scores: Scores; weight: number | null }> {
  const names = new Map(documents.map(({ path }, at) => [`wiki/notes/facts/n${at}.md`, path]));
  const files = Object.fromEntries(
    documents.map(({ title, text }, at) => [`wiki/notes/facts/n${at}.md`, `# ${title}\n\n${text}\n`]),
  );
  const embed = async (texts: readonly string[]): Promise<Float32Array[]> =>
    texts.map((text) => {
      const vector = new Float32Array(DIMENSIONS);
      vector.set(vectorOf?.(text) ?? []);
      return vector;
    });
  const brain =
    vectorOf === null
      ? await openTestBrain(files)
      : await openHybridBrain(files, { ...settings, embedder: { ...fakeEmbedder(), maker: 'bench', embed } });
  let weight: number | null = null;
  if (settings.fusion === 'measured') {
    const comparison = await compareSearches(brain.brain);
    if (comparison === null) throw new Error('The embedder of this bench answers.');
    weight = weightOf(comparison);
    const at = brain.clock.now().getTime();
    brain.brain.checks.compared = {
      at,
      vectors: documents.length,
      comparison,
      isRunning: false,
      failures: 0,
    };
  }
  const asked = queries.filter(({ judged }) => isAnswerable(judged)).slice(0, QUESTIONS);
  const found = new Map<string, string[]>();
  for (const { text } of asked) {
    const { results } = await perform(brain.brain, queryNotes, { query: text, limit: LIMIT }, CALLER);
    found.set(
      text,
      results.map(({ path }) => names.get(path) ?? path),
    );
  }
  await brain.close();
  return { scores: scoresOf(asked, (query) => found.get(query) ?? []), weight };
}

function vectorsOf(documents: Collection['documents']): Record<string, VectorOf> {
  const meaning = lsaSpace(documents);
  const few = lsaSpace(documents, Math.min(60, Math.floor(documents.length / 3)));
  const known = new Map<string, Float64Array>();
  const ofWord = (word: string): Float64Array => {
    const vector = known.get(word) ?? few.vectorOf(word);
    known.set(word, vector);
    return vector;
  };
  return {
    'latent semantic analysis': meaning.vectorOf,
    'means of words': (text) => unit(sum(wordsOf(text).map(ofWord))),
    noise(text) {
      const random = randomFrom(
        Array.from(text).reduce((hash, sign) => Math.imul(hash, 31) + (sign.codePointAt(0) ?? 0), 7),
      );
      return unit(Float64Array.from({ length: 100 }, () => random() - 0.5));
    },
  };
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]{1,2}|\p{L}+/gu) ?? [];
}

function sum(vectors: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(vectors[0]?.length ?? 1);
  for (const vector of vectors) for (const [at, value] of vector.entries()) all[at] = (all[at] ?? 0) + value;
  return all;
}

function unit(vector: Float64Array): Float64Array {
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}
