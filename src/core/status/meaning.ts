import { inSlices, ITEMS_PER_STEP, keepBest, type Steps } from '../base/steps';
import { compareText } from '../base/text';
import type { NoteRecord } from '../catalog/record';
import { embeddedRecords } from '../embeddings/roots';
import type { Brain } from '../operation/context';
import type { Compared, Comparison, Score } from '../operation/memory';
import { retrieve } from '../search/retrieve';
import type { Check } from '../vocabulary/check';
import type { VaultPath } from '../vocabulary/paths';

const NAME = 'search by meaning';
/** The number of questions of one comparison, and the least that say anything. */
const QUESTIONS = 60;
const MIN_QUESTIONS = 20;
/** The rest after each question (ms), so that the embedder and the thread are free for what people ask meanwhile. */
const REST_MS = 100;
/** Hits beyond this rank count as not found, as in nDCG@10. */
const DEPTH = 10;
/** The loss of nDCG@10 from which the embedder makes search worse: some four right notes in sixty fall from first to second. */
const MAX_LOSS = 0.03;
/** A comparison is valid for a day (ms), and as long as the number of vectors changes by less than a tenth. */
const VALID_MS = 86_400_000;
/**
 * One that the embedder did not see to its end is tried again after this long (ms); the time doubles with each failure in a row,
 * up to a day.
 */
const RETRY_MS = 600_000;

/** A question whose only right answer is known: the note that it was taken from. */
interface Question {
  readonly text: string;
  readonly path: VaultPath;
}

/**
 * Tells whether search by meaning helps on the notes of this vault: their titles and headings are the questions, and the note
 * that a question was taken from is the right answer. The comparison asks the embedder sixty times, so it runs in the background,
 * at most once a day; until it has ended, the check says so. Returns nothing while search goes by words alone.
 */
export function meaningCheck(brain: Brain): Check[] {
  const { hybrid, checks } = brain;
  if (hybrid?.isAnswering !== true) return [];
  const vectors = hybrid.sync.state.vectors ?? 0;
  const now = brain.clock.now().getTime();
  let last = checks.compared;
  const isDue = last === null || (!last.isRunning && isOutdated(last, vectors, now));
  // While notes get their vectors, the next look would compare anew.
  if (isDue && hybrid.sync.state.progress === null) {
    const failures = last === null || last.comparison !== null ? 0 : last.failures + 1;
    last = checks.compared = { at: now, vectors, comparison: null, isRunning: true, failures };
    void fill(brain, last);
  }
  if (last === null) return [];
  return [last.comparison === null ? unknownCheck(last) : comparisonCheck(last.comparison)];
}

function isOutdated({ at, vectors, comparison, failures }: Compared, current: number, now: number): boolean {
  const age = now - at;
  const valid = comparison === null ? Math.min(RETRY_MS * 2 ** failures, VALID_MS) : VALID_MS;
  if (age < 0 || age > valid) return true;
  return comparison !== null && Math.abs(current - vectors) > vectors / 10;
}

async function fill(brain: Brain, result: Compared): Promise<void> {
  try {
    result.comparison = await compareSearches(brain, () => brain.sleep(REST_MS));
  } catch (error) {
    if (!brain.pace.isStopped) brain.log.warn('status.meaning', { message: String(error) });
  } finally {
    result.isRunning = false;
  }
}

function unknownCheck({ isRunning }: Compared): Check {
  const message = isRunning
    ? 'Search by meaning is being compared with search by words; look again in a minute.'
    : 'The embedder did not answer every question, so search by meaning is compared another time.';
  return { name: NAME, state: 'ok', message };
}

function comparisonCheck({ questions, words, both }: Comparison): Check {
  if (questions < MIN_QUESTIONS) {
    const message =
      'The vault has too few notes with a title or heading of its own to compare with search by words.';
    return { name: NAME, state: 'ok', message };
  }
  const found = `Of ${questions} titles and headings of your notes, the note that each is from comes first ${both.first} times; by words alone ${words.first} times.`;
  if (both.ndcg >= words.ndcg - MAX_LOSS) return { name: NAME, state: 'ok', message: found };
  return {
    name: NAME,
    state: 'warning',
    message: `The embedding model makes search worse here. ${found}`,
    fix: 'Choose another embedding model, one that knows the language of your notes, or turn search by meaning off.',
    action: 'open-settings',
  };
}

/**
 * Asks the vault for notes by their own titles and headings, by words and by both. Resolves with null when the embedder or the
 * vectors fail on a question.
 *
 * @param rest is waited for after each question
 */
export async function compareSearches(
  brain: Brain,
  rest: () => Promise<void> = async () => undefined,
): Promise<Comparison | null> {
  const notes = embeddedRecords(brain.catalog, brain.config.embedRoots);
  const questions = await inSlices(questionSteps(notes), brain.pace);
  const ranks = { words: [] as number[], both: [] as number[] };
  for (const { text, path } of questions) {
    const byBoth = await retrieve(brain, { query: text, limit: DEPTH, aside: true });
    if (byBoth.mode !== 'hybrid') return null;
    const byWords = await retrieve({ ...brain, hybrid: null }, { query: text, limit: DEPTH });
    for (const [list, hits] of [
      [ranks.both, byBoth.hits],
      [ranks.words, byWords.hits],
    ] as const)
      list.push(hits.findIndex(({ record }) => record.path === path) + 1);
    await rest();
  }
  return { questions: questions.length, words: scoreOf(ranks.words), both: scoreOf(ranks.both) };
}

/** @param ranks the ranks of the right notes, from 1; 0 for one that was not found */
function scoreOf(ranks: readonly number[]): Score {
  const gains = ranks.map((rank) => (rank === 0 ? 0 : 1 / Math.log2(1 + rank)));
  return {
    ndcg: gains.reduce((sum, gain) => sum + gain, 0) / Math.max(1, gains.length),
    first: ranks.filter((rank) => rank === 1).length,
  };
}

/**
 * Takes questions from notes, one a note: for half of the notes a heading, for the others the title, of two words at least. A
 * text that two notes share is no question. The hashes of the notes choose, so the questions are spread over the vault and the
 * same every time.
 */
function* questionSteps(notes: readonly NoteRecord[]): Steps<Question[]> {
  const homes = new Map<string, number>();
  for (const [at, { title, headings }] of notes.entries()) {
    for (const text of new Set([title, ...headings].map(key))) homes.set(text, (homes.get(text) ?? 0) + 1);
    if (at % ITEMS_PER_STEP === 0) yield;
  }
  const chosen: (Question & { readonly order: string })[] = [];
  const byOrder = (a: { readonly order: string }, b: { readonly order: string }) =>
    compareText(a.order, b.order);
  for (const [at, { path, title, headings, content_hash: order }] of notes.entries()) {
    const own = [...headings.filter((heading) => key(heading) !== key(title)), title].filter(
      (text) => /\S\s+\S/.test(text) && homes.get(key(text)) === 1,
    );
    const text = parseInt(order.slice(-1), 16) % 2 === 0 ? own[0] : own.at(-1);
    if (text !== undefined) keepBest(chosen, { text, path, order }, QUESTIONS, byOrder);
    if (at % ITEMS_PER_STEP === 0) yield;
  }
  return chosen;
}

function key(text: string): string {
  return text.normalize('NFKC').toLowerCase().trim();
}
