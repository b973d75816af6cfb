import type { StopSignal } from '../base/host';
import { inSlices, type Pace } from '../base/steps';
import { compareText } from '../base/text';
import type { Config } from '../config/config';
import { embedPieces, pieceSteps } from '../embeddings/pieces';
import { isEmbeddedStatus } from '../embeddings/roots';
import type { Embedder } from '../ports/ports';
import { type Answer, type BrainClient, CallError } from '../registry/client';
import type { Comparison } from '../operation/memory';
import { compared, fragmentOf, isHarmful, ranksOf } from '../search/comparison';
import { fuse } from '../search/fusion';
import { type VaultPath, vaultPath } from '../vocabulary/paths';

/** The most notes that one try-out sends to the embedder. */
const MAX_NOTES = 200;
/** The most pieces of one note that it sends: some 12,000 characters. */
const MAX_PIECES = 4;
/** The candidates by words, as many as a hybrid search takes. */
const DEPTH = 50;
/** The fragments of the notes that are asked for, to compare the ways of searching. */
const MEASURED = 20;
/** Fewer say nothing. */
const MIN_MEASURED = 10;
/** The hits of each list. */
const SHOWN = 10;

/** A note that was found. */
interface TriedHit {
  readonly path: VaultPath;
  readonly title: string;
}

/** What one question finds in three ways, each list the best first and of at most ten notes. */
export interface TriedSearch {
  readonly words: readonly TriedHit[];
  readonly meaning: readonly TriedHit[];
  readonly both: readonly TriedHit[];
  /** The number of notes whose text the embedder got, and the number of all that would get a vector. */
  readonly looked: number;
  readonly of: number;
  /** The three ways with fragments from the middle of notes that were looked at; null where the notes are too short. */
  readonly measured: Comparison | null;
  /** True when words alone measure better than both by ranks, so that fusion as it is measured is the better choice. */
  readonly isHarmful: boolean;
}

/** An embedder: the program's interface, its address, and the model. */
export interface EmbedderChoice {
  readonly api: 'ollama' | 'openai';
  readonly url: string;
  readonly model: string;
}

/** The address at which a server of this machine usually answers, by its interface. */
export const USUAL_URLS: Readonly<Record<EmbedderChoice['api'], string>> = {
  ollama: 'http://127.0.0.1:11434',
  openai: 'http://127.0.0.1:1234/v1',
};

/** The command that brings a model for an Ollama that has none. */
export const PULL_COMMAND = 'ollama pull nomic-embed-text';

/** Returns true for a text that has the form of an address that the setting "Embedder" takes. */
export function isEmbedderUrl(url: string): boolean {
  return /^https?:\/\/[^\s\\]+$/i.test(url);
}

/** A server of this machine that may embed. */
export interface FoundEmbedder {
  readonly api: EmbedderChoice['api'];
  /** The name of the program. */
  readonly name: string;
  /** Its address, as an `EmbedderChoice` has it. */
  readonly url: string;
  /** False when nothing answers there. */
  readonly runs: boolean;
  /** Its models that embed. */
  readonly models: readonly string[];
}

export interface TryParts {
  readonly client: Pick<BrainClient, 'call'>;
  readonly embedder: Embedder;
  readonly pace: Pick<Pace, 'run'>;
  /** The notes that would get vectors. */
  readonly roots: Config['embedRoots'];
  readonly signal?: StopSignal | undefined;
  /** Told after every note that the embedder has read. */
  readonly onProgress?: (done: number, total: number) => void;
}

/**
 * Shows what search by meaning would find for a question before it is turned on: the embedder gets the question and the text of
 * at most 200 notes, those that the words find and then the last changed. Nothing is kept. In a larger vault the notes beyond
 * these are found by their words alone, so `looked` and `of` belong beside the lists.
 * @throws BrainError `embed_error` when the embedder fails or `signal` stops, CallError when the vault cannot be asked
 */
export async function trySearch(parts: TryParts, question: string): Promise<TriedSearch> {
  const { client, embedder, pace, roots, signal, onProgress } = parts;
  const found = await client.call('query', { query: question, limit: DEPTH, max_tokens: 0 });
  const byWords = found.results.filter(
    ({ status }) => status !== 'attachment' && isEmbeddedStatus(roots, status),
  );
  const { notes, total } = await recentNotes(client, roots);
  const titles = new Map<VaultPath, string>();
  for (const { path, title } of [...byWords, ...notes]) {
    if (titles.size < MAX_NOTES) titles.set(vaultPath(path), title);
  }
  const asked = await embedPieces(embedder, [{ head: '', body: question }], 'query', signal);
  const looked: Looked[] = [];
  let done = 0;
  for (const path of titles.keys()) {
    const text = await textAt(client, path);
    if (text === null) continue;
    const pieces = (await inSlices(pieceSteps(path, text), pace)).slice(0, MAX_PIECES);
    const vector = await embedPieces(embedder, pieces, 'document', signal);
    looked.push({ path, vector, fragment: fragmentOf(text.replace(/^---\n[^]*?\n---\n/, '')) });
    onProgress?.((done += 1), titles.size);
  }
  const words = byWords.map(({ path }) => vaultPath(path));
  const meaning = nearestOf(looked, asked);
  const measured = await measure(parts, looked);
  const shown = (paths: readonly VaultPath[]) =>
    paths.slice(0, SHOWN).map((path) => ({ path, title: titles.get(path) ?? path }));
  return {
    words: shown(words),
    meaning: shown(meaning),
    both: shown(fuse(words, meaning).map(({ path }) => path)),
    looked: titles.size,
    of: total,
    measured,
    isHarmful: measured !== null && measured.questions >= MIN_MEASURED && isHarmful(measured),
  };
}

/** A note with its vector, and a fragment from its middle; null when the note is too short for one, or is not asked for. */
interface Looked {
  readonly path: VaultPath;
  readonly vector: Float32Array;
  readonly fragment: string | null;
}

function nearestOf(looked: readonly Looked[], asked: Float32Array): VaultPath[] {
  return looked
    .map(({ path, vector }) => ({
      path,
      cosine: vector.reduce((sum, value, at) => sum + value * (asked[at] ?? 0), 0),
    }))
    .sort((a, b) => b.cosine - a.cosine || compareText(a.path, b.path))
    .map(({ path }) => path);
}

/** Asks for some of the notes by fragments of theirs, in three ways. Both ways count among the notes at hand. */
async function measure(
  { client, embedder, signal }: TryParts,
  looked: readonly Looked[],
): Promise<Comparison | null> {
  const ranks: Parameters<typeof compared>[0][number][] = [];
  const paths = new Set(looked.map(({ path }) => path));
  for (const { path, fragment } of looked) {
    if (fragment === null || ranks.length === MEASURED) continue;
    const asked = await embedPieces(embedder, [{ head: '', body: fragment }], 'query', signal);
    const { results } = await client.call('query', { query: fragment, limit: DEPTH });
    const words = results.map((hit) => vaultPath(hit.path)).filter((at) => paths.has(at));
    ranks.push(ranksOf(path, words, nearestOf(looked, asked)));
  }
  return ranks.length === 0 ? null : compared(ranks);
}

/** Says in a sentence what a try-out has measured. */
export function measuredWords({ questions, words, meaning, both }: Comparison): string {
  const fragments = questions === 1 ? 'fragment' : 'fragments';
  return `Of ${questions} ${fragments} from the middle of these notes, the right note comes first ${words.first} times by words, ${meaning.first} times by meaning and ${both.first} times by both.`;
}

/** Lists the notes that would get vectors, the last changed first, as far as a try-out needs them, and counts all. */
async function recentNotes(client: TryParts['client'], roots: Config['embedRoots']) {
  const notes: Answer<'notes'>['notes'] = [];
  let total = 0;
  for (let offset = 0; ;) {
    const page = await client.call('notes', { order: 'recent', limit: 500, offset });
    const own = page.notes.filter(({ status }) => isEmbeddedStatus(roots, status));
    notes.push(...own.slice(0, MAX_NOTES - notes.length));
    total += own.length;
    offset += page.count;
    if (page.count === 0 || offset >= page.total) return { notes, total };
  }
}

/** Reads a note as far as its vector needs it: title, tags, summary and body. Null for one that was removed since. */
async function textAt(client: TryParts['client'], path: VaultPath): Promise<string | null> {
  const note = await client.call('note', { path }).catch((error: unknown) => {
    if (error instanceof CallError && error.code === 'note_not_found') return null;
    throw error;
  });
  if (note === null) return null;
  const { title, frontmatter, body } = note;
  const { tags, summary, description } = frontmatter;
  const lines = Object.entries({ title, tags, summary: summary ?? description })
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return `---\n${lines.join('\n')}\n---\n${body}`;
}
