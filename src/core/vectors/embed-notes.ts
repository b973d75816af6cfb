import type { FileEntry } from '../ports';
import type { StopSignal } from '../host';
import type { VaultPath } from '../rules/paths';
import { inSlices } from '../steps';
import type { VectorRow } from '../vector-store';
import { embedPieces, embedTogether } from './embed-pieces';
import { type Piece, pieceSteps, piecesHash } from './embed-text';
import type { EmbeddedText } from './embedded-texts';
import { isEmbedderDown, isSentAway, type SyncError, type SyncTally, wordsOf } from './sync-outcome';
import { makerOf, type SyncParts } from './sync-parts';
import type { SyncProgress } from './sync-state';
import type { Told } from './told';

/** Calls of the embedder at the same time: one is computed while the next one travels. */
const AT_ONCE = 2;
/** Texts sent in one call, of as many notes as they belong to. */
const MAX_TEXTS = 32;
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
  /** Told when the embedder was down at the end, for as long as it did not send away whoever asks. */
  readonly outage: { met: boolean };
}

/** A note that was read. */
interface Read {
  readonly row: Omit<VectorRow, 'vector'>;
  /** What is to be embedded; null when its row is of the same text. */
  readonly pieces: readonly Piece[] | null;
  readonly text: EmbeddedText;
  /** What was told up to this moment is in it. */
  readonly moment: number;
}

/** A row that is to be written, or only moved when its text is the old one. */
interface Waiting extends Read {
  readonly vector: Float32Array | null;
}

/**
 * Embeds the notes in the files, the texts of several in one call and two calls at a time, and writes their rows in batches. When
 * such a call fails its notes are embedded one by one. A note that fails is told of and the others go on, until the embedder
 * serves nobody. Resolves with what went wrong, when nothing is under way any more. What was told of a note that was not written
 * stays told, however it ends.
 * @throws StoreDown, MakerChanged; rows of earlier batches stand.
 */
export async function embedNotes(parts: SyncParts, notes: EmbedNotes): Promise<SyncError[]> {
  const { files, failed, told, progress, signal, outage } = notes;
  const { embedder } = parts;
  const errors: SyncError[] = [];
  const waiting: Waiting[] = [];
  let downs = 0;
  /** Texts of one call; fewer when so many take the embedder longer than is waited for. */
  let room = MAX_TEXTS;
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

  const done = async (note: Read, vector: Float32Array | null): Promise<void> => {
    failed.delete(note.row.path);
    progress.done += 1;
    if (vector !== null) {
      downs = 0;
      outage.met = false;
    }
    waiting.push({ ...note, vector });
    if (waiting.length >= BATCH) await write(BATCH);
  };

  const fail = (path: VaultPath, error: unknown): void => {
    // What was called off is not done: it waits with the rest.
    if (signal.stopped) return;
    progress.done += 1;
    failed.add(path);
    errors.push({ path, error: wordsOf(error) });
    parts.brain.log.warn('embed.note', { path, message: String(error) });
    const isDown = isEmbedderDown(error);
    downs = isDown ? downs + 1 : 0;
    outage.met = isDown && !isSentAway(error);
  };

  /** Reads notes until their texts fill a call. One that no longer fits waits in `over` for the next one. */
  async function fill(over: Read[]): Promise<Read[]> {
    const batch = over.splice(0);
    let texts = batch.reduce((sum, { pieces }) => sum + (pieces?.length ?? 0), 0);
    while (texts < room && goesOn()) {
      const { value: file } = queue.next();
      if (file === undefined) break;
      try {
        const note = await read(parts, file, notes);
        if (note === null) {
          failed.delete(file.path);
          progress.done += 1;
        } else if (note.pieces === null) await done(note, null);
        else if (batch.length > 0 && texts + note.pieces.length > room) {
          over.push(note);
          break;
        } else {
          batch.push(note);
          texts += note.pieces.length;
        }
      } catch (error) {
        fail(file.path, error);
      }
    }
    return batch;
  }

  async function embed(batch: readonly Read[]): Promise<void> {
    let alone = batch;
    let wasSlow = false;
    if (batch.length > 1) {
      try {
        const texts = batch.map(({ pieces }) => pieces ?? []);
        const vectors = await embedTogether(embedder, texts, 'document', signal);
        alone = batch.filter((_, at) => vectors[at] === null);
        for (const [at, note] of batch.entries()) {
          const vector = vectors[at];
          if (vector !== null && vector !== undefined) await done(note, vector);
        }
      } catch (error) {
        if (signal.stopped) return;
        wasSlow = isEmbedderDown(error);
      }
    }
    for (const note of alone) {
      if (!goesOn()) return;
      try {
        await done(note, await embedPieces(embedder, note.pieces ?? [], 'document', signal));
        if (wasSlow) room = Math.max(1, Math.floor(room / 2));
        wasSlow = false;
      } catch (error) {
        fail(note.row.path, error);
      }
    }
  }

  const worker = async () => {
    const over: Read[] = [];
    while (goesOn()) {
      const batch = await fill(over);
      if (batch.length === 0) return;
      if (goesOn()) await embed(batch);
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

/** What a note says now; null when its file has just gone. */
async function read(
  { brain, embedder }: SyncParts,
  { path, mtime, size }: FileEntry,
  { known, texts, told }: EmbedNotes,
): Promise<Read | null> {
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
  return { row: { path, updatedAt }, pieces: isSame ? null : pieces, text, moment };
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
