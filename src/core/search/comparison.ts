import { inSlices, ITEMS_PER_STEP, keepBest, type Steps } from '../base/steps';
import { compareText, DENSE_SCRIPTS } from '../base/text';
import { facetFilter } from '../catalog/note-search';
import { textsOf } from '../catalog/prose';
import type { NoteRecord } from '../catalog/record';
import { embeddedRecords } from '../embeddings/roots';
import type { Brain } from '../operation/context';
import type { Compared, Comparison, Score } from '../operation/memory';
import type { VaultPath } from '../vocabulary/paths';
import { fuse } from './fusion';

/** The number of questions of one comparison, and the least that say anything. */
const QUESTIONS = 60;
export const MIN_QUESTIONS = 20;
/** The notes whose text is looked at for a question: some are too short for one. */
const LOOKED_AT = 3 * QUESTIONS;
/** The words of a question, and the least. */
const WORDS = 16;
const MIN_WORDS = 6;
/** A word; scripts without spaces are cut into pieces of four characters, and a very long word into several. */
const WORD = new RegExp(`[${DENSE_SCRIPTS}]{1,4}|[\\p{L}\\p{M}\\p{N}]{1,40}`, 'gu');
/** The part of a note in which its question is looked for (UTF-16 units). */
const REACH = 8192;
/** The loss of nDCG@10 from which the vectors make search worse: some four right notes in sixty fall from first to second. */
const MAX_LOSS = 0.03;
/** The rest after each question (ms), so that the embedder and the thread are free for what people ask meanwhile. */
const REST_MS = 100;
/** Hits beyond this rank count as not found, as in nDCG@10. */
const DEPTH = 10;
/** The candidates by words and by meaning, as a search takes them. */
const CANDIDATES = 50;
const NEAREST = 200;
/** A comparison is valid for a day (ms), and as long as the number of vectors changes by less than a tenth. */
const VALID_MS = 86_400_000;
/**
 * One that the embedder did not see to its end is tried again after this long (ms); the time doubles with each failure in a row,
 * up to a day.
 */
const RETRY_MS = 600_000;
/**
 * The weight of meaning beside words for vectors that find every fragment, and for a vault with too few notes to measure. On seven
 * collections with vectors by latent semantic analysis and by means of word vectors, weights from .1 to .3 were never below
 * words alone; with random vectors .1 lost up to .003 of nDCG@10.
 */
const MOST_WEIGHT = 0.3;
const UNMEASURED_WEIGHT = 0.1;
/**
 * Vectors that find less than this share of what words find are not used. There, the ones that helped had .67 or more, and random
 * ones .14 or less.
 */
const LEAST_SHARE = 0.5;

/** A question whose only right answer is known: the note that it was taken from. */
interface Question {
  readonly text: string;
  readonly path: VaultPath;
}

/**
 * Returns the last comparison of search by words and search by meaning, on fragments from the middle of notes, and begins a new one in
 * the background when that is due: at most once a day, while search by meaning answers and no notes get their vectors. Null before the
 * first. It is about the whole vault, whoever asks.
 */
export function comparison({ whole: brain }: Pick<Brain, 'whole'>): Compared | null {
  const { hybrid, checks } = brain;
  if (hybrid?.isAnswering !== true) return checks.compared;
  const vectors = hybrid.sync.state.vectors ?? 0;
  const now = brain.clock.now().getTime();
  const last = checks.compared;
  const isDue = last === null || (!last.isRunning && isOutdated(last, vectors, now));
  // While notes get their vectors, the next look would compare anew.
  if (!isDue || hybrid.sync.state.progress !== null) return last;
  // What was measured before counts until there is something newer.
  const { comparison: former = null, failures = 0 } = last ?? {};
  const next: Compared = { at: now, vectors, comparison: former, isRunning: true, failures };
  checks.compared = next;
  void fill(brain, next);
  return next;
}

/**
 * Returns the weight of meaning beside words that the vault has measured, from 0 (vectors are not used) to 0.3; 0.1 while it is not
 * known.
 */
export function measuredWeight(brain: Pick<Brain, 'whole'>): number {
  const found = comparison(brain)?.comparison ?? null;
  return found === null ? UNMEASURED_WEIGHT : weightOf(found);
}

/** Returns the weight of meaning that a comparison gives, as `measuredWeight`. */
export function weightOf({ questions, words, meaning }: Comparison): number {
  if (questions < MIN_QUESTIONS) return UNMEASURED_WEIGHT;
  const share = Math.min(1, meaning.ndcg / Math.max(words.ndcg, Number.EPSILON));
  return share < LEAST_SHARE ? 0 : MOST_WEIGHT * share;
}

function isOutdated({ at, vectors, failures }: Compared, current: number, now: number): boolean {
  const age = now - at;
  const valid = failures === 0 ? VALID_MS : Math.min(RETRY_MS * 2 ** (failures - 1), VALID_MS);
  if (age < 0 || age > valid) return true;
  return failures === 0 && Math.abs(current - vectors) > vectors / 10;
}

async function fill(brain: Brain, result: Compared): Promise<void> {
  let made: Comparison | null = null;
  try {
    made = await compareSearches(brain, () => brain.sleep(REST_MS));
  } catch (error) {
    if (!brain.pace.isStopped) brain.log.warn('search.comparison', { message: String(error) });
  }
  result.comparison = made ?? result.comparison;
  result.failures = made === null ? result.failures + 1 : 0;
  result.isRunning = false;
}

/**
 * Asks the vault for notes by fragments from their middle: by words, by meaning and by both with reciprocal ranks. Resolves with null
 * when the embedder or the vectors fail on a question.
 *
 * @param rest is waited for after each question
 */
export async function compareSearches(
  brain: Brain,
  rest: () => Promise<void> = async () => undefined,
): Promise<Comparison | null> {
  const { hybrid } = brain;
  if (hybrid === null) return null;
  const questions = await questionsOf(brain);
  const ranks: Readonly<Record<'words' | 'meaning' | 'both', number>>[] = [];
  for (const { text, path } of questions) {
    const near = await hybrid.nearest(text, NEAREST, async () => ({}), true);
    if (near === null) return null;
    const hits = await brain.index.best(text, { ...facetFilter({}), limit: CANDIDATES });
    const byWords = hits.map(({ item }) => item.path);
    const byMeaning = near.map((row) => row.path);
    ranks.push(ranksOf(path, byWords, byMeaning));
    await rest();
  }
  return compared(ranks);
}

/** Returns the rank of a note, from 1, by words, by meaning and by the ranks of both; 0 where it was not found. */
export function ranksOf(path: VaultPath, words: readonly VaultPath[], meaning: readonly VaultPath[]) {
  const both = fuse(words, meaning).map((hit) => hit.path);
  return { words: words.indexOf(path) + 1, meaning: meaning.indexOf(path) + 1, both: both.indexOf(path) + 1 };
}

function scoreOf(ranks: readonly number[]): Score {
  const gains = ranks.map((rank) => (rank === 0 || rank > DEPTH ? 0 : 1 / Math.log2(1 + rank)));
  return {
    ndcg: gains.reduce((sum, gain) => sum + gain, 0) / Math.max(1, gains.length),
    first: ranks.filter((rank) => rank === 1).length,
  };
}

/**
 * Returns a fragment each from the middle of at most sixty notes that have vectors. The hashes of the notes choose, so the notes are
 * spread over the vault and the same every time.
 */
async function questionsOf(brain: Brain): Promise<Question[]> {
  const notes = await inSlices(
    chosenSteps(embeddedRecords(brain.catalog, brain.config.embedRoots)),
    brain.pace,
  );
  const questions: Question[] = [];
  for (const note of notes) {
    if (questions.length === QUESTIONS) break;
    const text = fragmentOf((await textsOf(brain, note, REACH))?.prose ?? '');
    if (text !== null) questions.push({ text, path: note.path });
  }
  return questions;
}

function* chosenSteps(notes: readonly NoteRecord[]): Steps<NoteRecord[]> {
  const chosen: NoteRecord[] = [];
  for (const [at, note] of notes.entries()) {
    keepBest(chosen, note, LOOKED_AT, (a, b) => compareText(a.content_hash, b.content_hash));
    if (at % ITEMS_PER_STEP === 0) yield;
  }
  return chosen;
}

/** Returns the worth of three ways of searching, by the ranks (from 1; 0 for not found) of the right notes of the same questions. */
export function compared(
  ranks: readonly Readonly<Record<'words' | 'meaning' | 'both', number>>[],
): Comparison {
  const of = (way: 'words' | 'meaning' | 'both'): Score => scoreOf(ranks.map((each) => each[way]));
  return { questions: ranks.length, words: of('words'), meaning: of('meaning'), both: of('both') };
}

/** True when words and meaning together, by reciprocal ranks, put the right notes lower than words alone. */
export function isHarmful({ words, both }: Comparison): boolean {
  return both.ndcg < words.ndcg - MAX_LOSS;
}

/**
 * Returns the words in the middle of a text, with a blank behind the last so that it is no beginning of another; null for a short text.
 * Signs are left out, among them those that a query would take for quotes and operators.
 */
export function fragmentOf(prose: string): string | null {
  const words = prose.slice(0, REACH).match(WORD) ?? [];
  if (words.length < 2 * MIN_WORDS) return null;
  const count = Math.min(WORDS, Math.floor(words.length / 2));
  const from = Math.floor((words.length - count) / 2);
  return `${words.slice(from, from + count).join(' ')} `;
}
