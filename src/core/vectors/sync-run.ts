import { noteStatus } from '../catalog/note-record';
import type { FileEntry, StopSignal } from '../ports';
import type { VaultPath } from '../rules/paths';
import { hasSameMaker } from './check-maker';
import { loadEmbeddedTexts, saveEmbeddedTexts } from './embedded-texts';
import { embedNotes } from './embed-notes';
import { planSync, type SyncPlan } from './plan-sync';
import type { SyncOutcome } from './sync-outcome';
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
 * @throws StoreDown, MakerChanged unless `remake`, and what the vault throws when it cannot be listed.
 */
export async function syncVectors(parts: SyncParts, options: SyncOptions): Promise<SyncOutcome> {
  const { brain, embedder, vectors } = parts;
  const { progress, signal } = options;
  await vectors.open();
  if (!(await hasSameMaker(vectors, embedder))) {
    if (!options.remake) throw new MakerChanged();
    await vectors.clear();
    await vectors.mark(embedder.maker);
  }
  const known = await vectors.known();
  const texts = await loadEmbeddedTexts(brain);
  const { read, remove } = planSync(await wikiFiles(parts), known, texts);
  for (let from = 0; from < remove.length && !signal.stopped; from += REMOVE_BATCH) {
    progress.phase = 'removing';
    await vectors.remove(remove.slice(from, from + REMOVE_BATCH));
  }
  progress.phase = 'embedding';
  progress.total = read.length;
  try {
    const { added, errors } = await embedNotes(parts, { ...options, files: read, known, texts });
    return { added, deleted: remove.length, errors };
  } finally {
    // What was embedded stands, whatever happened after it.
    for (const path of remove) texts.delete(path);
    if (read.length > 0 || remove.length > 0) await saveEmbeddedTexts(brain, texts);
  }
}

/**
 * What a sync would do that makes vectors of another model anew; nothing is changed and no text is sent to the embedder.
 * @throws StoreDown, and what the vault throws when it cannot be listed.
 */
export async function previewSync(parts: SyncParts): Promise<SyncPlan> {
  const { brain, embedder, vectors } = parts;
  await vectors.open();
  const files = await wikiFiles(parts);
  if ((await vectors.maker()) !== embedder.maker) return { read: files, remove: [] };
  return planSync(files, await vectors.known(), await loadEmbeddedTexts(brain));
}

/** The notes that have a vector, or ought to. */
async function wikiFiles({ brain }: Pick<SyncParts, 'brain'>): Promise<FileEntry[]> {
  const files: FileEntry[] = [];
  for await (const file of brain.vault.list('wiki')) if (noteStatus(file.path) === 'wiki') files.push(file);
  return files;
}
