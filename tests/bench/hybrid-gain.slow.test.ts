import { join } from 'node:path';
import { printScores, type Scores, scoresOf } from '../../bench/relevance';
import { type JudgedQuery, readCollection, estimate } from '../../bench/relevance-collections';
import { lsaSpace } from '../../bench/relevance-lsa';
import { DIMENSIONS } from '../../src/core/embeddings/pieces';
import { isStopWord } from '../../src/core/fulltext/stop-words';
import { Analyser } from '../../src/core/fulltext/terms';
import { queryNotes } from '../../src/core/search/query';
import { fakeEmbedder } from '../support/fake-embedder';
import { openHybridBrain } from '../support/hybrid-brain';
import { openTestBrain } from '../support/test-brain';

/** Not many more than the notes have themes: with as many as there are words, each word would mean itself alone. */
const DIRECTIONS = 16;
/** As many results as are measured, and how many candidates the vectors give for them. */
const LIMIT = 10;
const VECTOR_LIMIT = 200;

const household = readCollection(join('tests', 'bench', 'household.json'));
const otherWords = readCollection(join('tests', 'bench', 'household-other-words.json'));
const homelab = readCollection(join('bench', 'relevance-homelab.json'));
const documents = [...household.documents, ...homelab.documents];
const byPath = new Map(documents.map((document) => [document.path, document]));

type Brains = Awaited<ReturnType<typeof openBrains>>;
let brains: Brains;
beforeAll(async () => {
  brains = await openBrains();
});
afterAll(() => Promise.all([brains.plain.close(), brains.both.close()]));

/**
 * One brain without vectors and one with them, over the same notes. The embedder is latent semantic analysis of these notes:
 * it knows which words stand in the same company, and was told nothing of any question.
 */
async function openBrains() {
  const files = Object.fromEntries(
    documents.map(({ path, title, text }) => [`wiki/notes/facts/${path}.md`, `# ${title}\n\n${text}\n`]),
  );
  const space = lsaSpace(documents, DIRECTIONS);
  const embed = async (texts: readonly string[]): Promise<Float32Array[]> =>
    texts.map((text) => {
      const vector = new Float32Array(DIMENSIONS);
      vector.set(space.vectorOf(text));
      return vector;
    });
  const plain = await openTestBrain(files);
  const both = await openHybridBrain(files, { embedder: { ...fakeEmbedder(), maker: 'lsa', embed } });
  return { plain, both };
}

/** What each arm is worth, all asked as the doors ask; printed as a table. Fails when an arm did not answer as itself. */
async function compare(title: string, queries: readonly JudgedQuery[]) {
  const [bm25, vectors, hybrid] = [answers(), answers(), answers()];
  for (const { text } of queries) {
    const lexical = await brains.plain.run(queryNotes, { query: text, limit: LIMIT });
    const fused = await brains.both.run(queryNotes, { query: text, limit: LIMIT });
    const near = (await brains.both.hybrid.nearest(text, VECTOR_LIMIT, () => Promise.resolve({}))) ?? [];
    expect([lexical.mode, fused.mode, fused.degraded]).toEqual(['bm25', 'hybrid', false]);
    expect(near).toHaveLength(documents.length);
    bm25.set(
      text,
      lexical.results.map(({ path }) => idOf(path)),
    );
    hybrid.set(
      text,
      fused.results.map(({ path }) => idOf(path)),
    );
    vectors.set(
      text,
      near.slice(0, LIMIT).map(({ path }) => idOf(path)),
    );
  }
  const scores = (found: ReadonlyMap<string, string[]>) =>
    scoresOf(queries, (query, limit) => (found.get(query) ?? []).slice(0, limit));
  const arms = { bm25: scores(bm25), vectors: scores(vectors), hybrid: scores(hybrid) };
  const print = jest.spyOn(console, 'log').mockImplementation((line) => process.stdout.write(`${line}\n`));
  console.log(`\n### ${title}: ${documents.length} notes, ${arms.bm25.ndcg.length} questions\n`);
  const rows = [
    { name: 'BM25', scores: arms.bm25 },
    { name: 'LSA vectors', scores: arms.vectors },
    { name: 'hybrid', scores: arms.hybrid },
  ];
  printScores(rows, arms.bm25, 'BM25');
  print.mockRestore();
  return arms;
}

function answers(): Map<string, string[]> {
  return new Map();
}

function idOf(path: string): string {
  return path.replace(/^.*\/|\.md$/g, '');
}

function mean(values: readonly number[]): number {
  return estimate(values).mean;
}

/** How much more the first is worth, question by question. */
function gain(better: Scores, base: Scores, measure: 'ndcg' | 'recall') {
  return estimate(better[measure].map((value, index) => value - (base[measure][index] ?? 0)));
}

/** The words that tell something, as the search takes them. */
function wordsOf(text: string): Set<string> {
  return new Set(new Analyser().all(text).filter((term) => !isStopWord(term)));
}

it('asks in other words: at most one of a question stands in the note that answers it', () => {
  expect(otherWords.queries).toHaveLength(42);
  const shared = otherWords.queries.flatMap(({ text, judged }) => {
    const [answer] = Object.keys(judged).filter((id) => judged[id] === 2);
    const note = byPath.get(answer ?? '');
    if (note === undefined) return [`${text}: no note answers it`];
    const held = wordsOf(`${note.title}\n${note.text}`);
    const both = [...wordsOf(text)].filter((word) => held.has(word));
    return both.length > 1 ? [`${text}: ${both.join(', ')}`] : [];
  });
  expect(shared).toEqual([]);
});

it('finds by words and meaning what words alone do not find, when a question is put in other words', async () => {
  const { bm25, vectors, hybrid } = await compare('Questions in other words', otherWords.queries);
  // Words alone find some of it, by the one word that is shared; were it none or most, the comparison would say nothing.
  expect(mean(bm25.recall)).toBeGreaterThan(0.15);
  expect(mean(bm25.recall)).toBeLessThan(0.5);
  expect(mean(vectors.recall)).toBeGreaterThan(mean(bm25.recall));
  // The lower bound: not by the luck of a few questions.
  expect(gain(hybrid, bm25, 'recall').low).toBeGreaterThan(0);
  expect(gain(hybrid, bm25, 'ndcg').low).toBeGreaterThan(0);
});

it.each([household, homelab])(
  'costs little where the question has the words of the note: $name',
  async (set) => {
    const { bm25, hybrid } = await compare(`Ordinary questions, ${set.name}`, set.queries);
    expect(mean(bm25.ndcg)).toBeGreaterThan(0.9);
    // Vectors that are worse than the words cost something; this says how much, and that it stays little.
    expect(gain(hybrid, bm25, 'ndcg').mean).toBeGreaterThan(-0.05);
    expect(gain(hybrid, bm25, 'recall').mean).toBeGreaterThan(-0.05);
  },
);
