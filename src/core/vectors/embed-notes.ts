import type { FileEntry, StopSignal } from '../ports';
import type { VaultPath } from '../rules/paths';
import { inSlices } from '../steps';
import type { VectorRow } from '../vector-store';
import { embedPieces } from './embed-pieces';
import { pieceSteps, piecesHash } from './embed-text';
import type { EmbeddedText } from './embedded-texts';
import { isEmbedderDown, type SyncError, type SyncTally, wordsOf } from './sync-outcome';
import { makerOf, type SyncParts } from './sync-parts';
import type { SyncProgress } from './sync-state';
import type { Told } from './told';

/** Notes embedded at the same time: one is computed while the next one travels. */
const AT_ONCE = 2;
/** Rows written together. What is written stands, so a sync that is cut goes on from there. */
const BATCH = 16;
/** After so many notes in a row that found the embedder down, the rest is left for the next sync. */
const MAX_DOWN = 3;

export interface EmbedNotes {
  readonly files: readonly FileEntry[];
  readonly known: ReadonlyMap<VaultPath, Date>;
  /** What this device embedded of each note; kept up to date. */
  readonly texts: Map<VaultPath, EmbeddedText>;
  /** Paths that failed last time, which come last; those that fail now are added. */
  readonly failed: Set<VaultPath>;
  /** What events have told of; settled for a path once its row is written, and not before. */
  readonly told: Told;
  readonly progress: SyncProgress;
  /** Its `added` grows with every row that stands. */
  readonly tally: SyncTally;
  readonly signal: StopSignal;
}

/** A row that is to be written, or only moved when its text is the old one. */
interface Waiting {
  readonly row: Omit<VectorRow, 'vector'>;
  readonly vector: Float32Array | null;
  readonly text: EmbeddedText;
  /** What was told up to this moment is in it. */
  readonly moment: number;
}

/**
 * Embeds the notes in the files, two at a time, and writes their rows in batches. A note that fails is told of and the others
 * go on, until the embedder serves nobody. Resolves with what went wrong, when nothing is under way any more. What was told
 * of a note that was not written stays told, however it ends.
 * @throws StoreDown, MakerChanged; rows of earlier batches stand.
 */
export async function embedNotes(parts: SyncParts, notes: EmbedNotes): Promise<SyncError[]> {
  const { files, failed, told, progress, signal } = notes;
  const errors: SyncError[] = [];
  const waiting: Waiting[] = [];
  let downs = 0;
  let writing: Promise<void> = Promise.resolve();
  const broken: Error[] = [];
  const goesOn = () => !signal.stopped && downs < MAX_DOWN && broken.length === 0;
  // What failed once may fail always: it must not stand before the others.
  const queue = [...files].sort((a, b) => Number(failed.has(a.path)) - Number(failed.has(b.path))).values();

  const write = (atLeast: number): Promise<void> => {
    // One batch after the other, so that a failure is met before the next one begins.
    writing = writing.then(async () => {
      if (broken.length > 0 || waiting.length < atLeast) return;
      const batch = waiting.splice(0);
      try {
        await store(parts, batch, notes);
      } catch (error) {
        broken.push(error instanceof Error ? error : new Error(String(error)));
        // What of it was written is not known.
        for (const { row } of batch) told.add(row.path);
      }
    });
    return writing;
  };

  async function one(file: FileEntry): Promise<void> {
    const { path } = file;
    try {
      const found = await embedOne(parts, file, notes);
      failed.delete(path);
      progress.done += 1;
      if (found === null) return;
      if (found.vector !== null) downs = 0;
      waiting.push(found);
      if (waiting.length >= BATCH) await write(BATCH);
    } catch (error) {
      // What was called off is not done: it waits with the rest.
      if (signal.stopped) return;
      progress.done += 1;
      failed.add(path);
      errors.push({ path, error: wordsOf(error) });
      parts.brain.log.warn('embed.note', { path, message: String(error) });
      downs = isEmbedderDown(error) ? downs + 1 : 0;
    }
  }

  const worker = async () => {
    for (const file of queue) {
      await one(file);
      if (!goesOn()) return;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  await write(1);
  const [failure] = broken;
  if (failure !== undefined) throw failure;
  const left = files.length - progress.done;
  if (signal.stopped) {
    errors.push({
      error: `The sync was stopped; ${left} ${left === 1 ? 'note waits' : 'notes wait'} for the next one.`,
    });
  } else if (left > 0) {
    errors.push({
      error: `${left} more ${left === 1 ? 'note waits' : 'notes wait'} for the embedder to answer.`,
    });
  }
  return errors;
}

/** What is to be written of one note; null when its file has just gone. */
async function embedOne(
  { brain, embedder }: SyncParts,
  { path, mtime, size }: FileEntry,
  { known, texts, told, signal }: EmbedNotes,
): Promise<Waiting | null> {
  // An event that comes while the file is read may tell of what was not read.
  const { moment } = told;
  const updatedAt = brain.clock.now();
  const content = await brain.vault.read(path);
  if (content === null) return null;
  const pieces = await inSlices(pieceSteps(path, content), brain.pace);
  const hash = piecesHash(pieces, embedder.maker);
  const text = { hash, at: updatedAt.getTime(), mtime, size };
  const before = texts.get(path);
  // Only of a row that this device made is it known from what.
  const isSame = before?.hash === hash && known.get(path)?.getTime() === before.at;
  const vector = isSame ? null : await embedPieces(embedder, pieces, 'document', signal);
  return { row: { path, updatedAt }, vector, text, moment };
}

async function store(
  parts: SyncParts,
  batch: readonly Waiting[],
  { known, texts, told, tally }: EmbedNotes,
): Promise<void> {
  const { vectors, coverage } = parts;
  const maker = makerOf(parts);
  const rows = batch.flatMap(({ row, vector }) => (vector === null ? [] : [{ ...row, vector }]));
  const moved = batch.flatMap(({ row, vector }) => (vector === null ? [row] : []));
  if (rows.length > 0) await vectors.put(rows, maker);
  // They stand, whatever becomes of the others.
  tally.added += rows.length;
  coverage.add(rows.filter(({ path }) => !known.has(path)).length);
  if (moved.length > 0) await vectors.touch(moved, maker);
  for (const { row, text, moment } of batch) {
    texts.set(row.path, text);
    told.settle(row.path, moment);
  }
}
