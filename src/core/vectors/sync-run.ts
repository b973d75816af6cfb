import { noteStatus } from '../catalog/note-record';
import type { FileEntry, StopSignal } from '../ports';
import type { VaultPath } from '../rules/paths';
import { MakerChanged } from '../vector-store';
import { type EmbeddedText, loadEmbeddedTexts, saveEmbeddedTexts } from './embedded-texts';
import { embedNotes } from './embed-notes';
import { goneNotes, NothingListed } from './gone-notes';
import { planSync } from './plan-sync';
import type { SyncError, SyncOutcome } from './sync-outcome';
import type { SyncParts } from './sync-parts';
import type { SyncProgress } from './sync-state';
import type { Told } from './told';

const REMOVE_BATCH = 500;

export interface SyncOptions {
  /** Throws the vectors of another model away and makes all of them anew. */
  readonly remake: boolean;
  readonly signal: StopSignal;
  readonly progress: SyncProgress;
  /** Paths that failed last time, which come last; those that fail now are put in their place. */
  readonly failed: Set<VaultPath>;
  /** What events have told of; settled for what is written, and for what has neither note nor row. */
  readonly told: Told;
}

/**
 * Makes the vectors follow the notes of `wiki/`: embeds new and changed ones, removes the rows of those that are gone.
 * Errors of single notes are collected. Waits for nobody who writes, and nobody waits for it.
 * @throws StoreDown, NothingListed, MakerChanged when another device took the vectors over or, without `remake`, had done
 * so before, and what the vault throws when it cannot be listed.
 */
export async function syncVectors(parts: SyncParts, options: SyncOptions): Promise<SyncOutcome> {
  const { brain, vectors, coverage } = parts;
  const { maker } = parts.embedder;
  const { progress, signal, told } = options;
  await vectors.open();
  const own = await vectors.known(maker);
  if (own === null && !options.remake) throw new MakerChanged();
  const known = own ?? new Map<VaultPath, Date>();
  const texts = await loadEmbeddedTexts(brain);
  const { moment } = told;
  const { read, remove, listed, covered, errors } = await whatToDo(parts, own, texts, told);
  if (own === null) {
    // Called off in time: searches by the other model may go on with what there is.
    if (signal.stopped) throw new MakerChanged();
    await vectors.clear(maker);
  }
  coverage.set(covered);
  let deleted = 0;
  while (deleted < remove.length && !signal.stopped) {
    progress.phase = 'removing';
    const batch = remove.slice(deleted, deleted + REMOVE_BATCH);
    await vectors.remove(batch, maker);
    for (const path of batch) known.delete(path);
    deleted += batch.length;
  }
  // Who comes without a row is read anyway; a note that was only not seen may come back with what was told of it.
  for (const path of told.paths()) if (!listed.has(path) && !known.has(path)) told.settle(path, moment);
  progress.phase = 'embedding';
  progress.total = read.length;
  try {
    const embedded = await embedNotes(parts, { ...options, files: read, known, texts });
    return { added: embedded.added, deleted, errors: [...embedded.errors, ...errors] };
  } finally {
    // What was embedded stands, whatever happened after it; of what has neither note nor row nothing is to be remembered.
    const idle = [...texts.keys()].filter((path) => !listed.has(path) && !known.has(path));
    for (const path of idle) texts.delete(path);
    if (read.length + idle.length > 0) await saveEmbeddedTexts(brain, texts);
  }
}

/**
 * What a sync would do that makes vectors of another model anew; nothing is changed and no text is sent to the embedder.
 * @throws StoreDown, NothingListed, and what the vault throws when it cannot be listed.
 */
export async function previewSync(parts: SyncParts, told: Pick<Told, 'has'>): Promise<SyncWork> {
  const { brain, embedder, vectors } = parts;
  await vectors.open();
  const own = await vectors.known(embedder.maker);
  return whatToDo(parts, own, await loadEmbeddedTexts(brain), told);
}

/** What a sync has to do. */
interface SyncWork {
  readonly read: readonly FileEntry[];
  /** Rows whose file is gone. */
  readonly remove: readonly VaultPath[];
  /** Every note that was seen. */
  readonly listed: ReadonlySet<VaultPath>;
  /** How many notes have a row; those of a folder that cannot be read among them. */
  readonly covered: number;
  /** Of what could not be looked at. */
  readonly errors: readonly SyncError[];
}

/** @param own the rows with their times; null when they are those of another model, all of which would be made anew */
async function whatToDo(
  { brain, vectors }: Pick<SyncParts, 'brain' | 'vectors'>,
  own: ReadonlyMap<VaultPath, Date> | null,
  texts: ReadonlyMap<VaultPath, EmbeddedText>,
  told: Pick<Told, 'has'>,
): Promise<SyncWork> {
  // The notes are those that have a vector, or ought to.
  const notes: FileEntry[] = [];
  let listed = 0;
  for await (const file of brain.vault.list('wiki')) {
    listed += 1;
    if (noteStatus(file.path) === 'wiki') notes.push(file);
  }
  if (listed === 0) {
    // The vectors of another model are as dear as one's own: nothing would come in their place.
    const rows = own?.size ?? (await vectors.count());
    if (rows > 0) throw new NothingListed(rows);
  }
  const known = own ?? new Map<VaultPath, Date>();
  const { read, unlisted, covered } = planSync(notes, known, texts, told, brain.clock.now().getTime());
  const { gone, errors } = await goneNotes(brain, unlisted);
  return {
    read,
    remove: gone,
    listed: new Set(notes.map(({ path }) => path)),
    covered: covered + unlisted.length - gone.length,
    errors,
  };
}
