import { noteStatus } from '../catalog/note-record';
import type { FileEntry, StopSignal } from '../ports';
import type { VaultPath } from '../rules/paths';
import { hasSameMaker } from './check-maker';
import { type EmbeddedText, loadEmbeddedTexts, saveEmbeddedTexts } from './embedded-texts';
import { embedNotes } from './embed-notes';
import { goneNotes, NothingListed } from './gone-notes';
import { planSync } from './plan-sync';
import type { SyncError, SyncOutcome } from './sync-outcome';
import type { SyncParts } from './sync-parts';
import type { SyncProgress } from './sync-state';

const REMOVE_BATCH = 500;

/** The vectors were made by another model, and a sync by itself does not throw them away. */
export class MakerChanged extends Error {
  override readonly name = 'MakerChanged';
}

export interface SyncOptions {
  /** Throws the vectors of another model away and makes all of them anew. */
  readonly remake: boolean;
  readonly signal: StopSignal;
  readonly progress: SyncProgress;
  /** Paths that failed last time, which come last; those that fail now are put in their place. */
  readonly failed: Set<VaultPath>;
}

/**
 * Makes the vectors follow the notes of `wiki/`: embeds new and changed ones, removes the rows of those that are gone.
 * Errors of single notes are collected. Waits for nobody who writes, and nobody waits for it.
 * @throws StoreDown, MakerChanged unless `remake`, NothingListed, and what the vault throws when it cannot be listed.
 */
export async function syncVectors(parts: SyncParts, options: SyncOptions): Promise<SyncOutcome> {
  const { brain, embedder, vectors, coverage } = parts;
  const { progress, signal } = options;
  await vectors.open();
  if (!(await hasSameMaker(vectors, embedder))) {
    if (!options.remake) throw new MakerChanged();
    await vectors.clear();
    await vectors.mark(embedder.maker);
  }
  const known = await vectors.known();
  const texts = await loadEmbeddedTexts(brain);
  const { read, remove, covered, errors } = await whatToDo(parts, known, texts);
  coverage.set(covered);
  let deleted = 0;
  while (deleted < remove.length && !signal.stopped) {
    progress.phase = 'removing';
    const batch = remove.slice(deleted, deleted + REMOVE_BATCH);
    await vectors.remove(batch);
    deleted += batch.length;
  }
  progress.phase = 'embedding';
  progress.total = read.length;
  try {
    const embedded = await embedNotes(parts, { ...options, files: read, known, texts });
    return { added: embedded.added, deleted, errors: [...embedded.errors, ...errors] };
  } finally {
    // What was embedded stands, whatever happened after it.
    for (const path of remove.slice(0, deleted)) texts.delete(path);
    if (read.length > 0 || deleted > 0) await saveEmbeddedTexts(brain, texts);
  }
}

/**
 * What a sync would do that makes vectors of another model anew; nothing is changed and no text is sent to the embedder.
 * @throws StoreDown, NothingListed, and what the vault throws when it cannot be listed.
 */
export async function previewSync(parts: SyncParts): Promise<SyncWork> {
  const { brain, embedder, vectors } = parts;
  await vectors.open();
  const isOfAnother = (await vectors.maker()) !== embedder.maker;
  const known = isOfAnother ? new Map<VaultPath, Date>() : await vectors.known();
  return whatToDo(parts, known, await loadEmbeddedTexts(brain));
}

/** What a sync has to do. */
interface SyncWork {
  readonly read: readonly FileEntry[];
  /** Rows whose file is gone. */
  readonly remove: readonly VaultPath[];
  /** How many notes have a row; those of a folder that cannot be read among them. */
  readonly covered: number;
  /** Of what could not be looked at. */
  readonly errors: readonly SyncError[];
}

async function whatToDo(
  { brain }: Pick<SyncParts, 'brain'>,
  known: ReadonlyMap<VaultPath, Date>,
  texts: ReadonlyMap<VaultPath, EmbeddedText>,
): Promise<SyncWork> {
  // The notes are those that have a vector, or ought to.
  const notes: FileEntry[] = [];
  let listed = 0;
  for await (const file of brain.vault.list('wiki')) {
    listed += 1;
    if (noteStatus(file.path) === 'wiki') notes.push(file);
  }
  if (listed === 0 && known.size > 0) throw new NothingListed(known.size);
  const { read, unlisted, covered } = planSync(notes, known, texts, brain.clock.now().getTime());
  const { gone, errors } = await goneNotes(brain, unlisted);
  return { read, remove: gone, covered: covered + unlisted.length - gone.length, errors };
}
