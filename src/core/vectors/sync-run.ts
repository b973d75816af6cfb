import { noteStatus } from '../catalog/note-record';
import type { FileEntry } from '../ports';
import type { StopSignal } from '../host';
import { type VaultPath, vaultPath } from '../rules/paths';
import { MakerChanged } from '../vector-store';
import { type EmbeddedText, loadEmbeddedTexts, saveEmbeddedTexts } from './embedded-texts';
import { embedNotes } from './embed-notes';
import { goneNotes, NothingListed } from './gone-notes';
import { planSync } from './plan-sync';
import type { SyncError, SyncTally } from './sync-outcome';
import { makerOf, type SyncParts } from './sync-parts';
import type { SyncProgress } from './sync-state';
import type { Told } from './told';

const REMOVE_BATCH = 500;
/** A row of another device stays so long, in milliseconds, without its note: that may still be on its way to this one. */
const LAG_MS = 24 * 3_600_000;

export interface SyncOptions {
  /**
   * Whoever asks for a sync means it: vectors of another model are thrown away and all made anew, and every row goes whose
   * note is gone. One that runs by itself leaves alone what may only be missing for now.
   */
  readonly isAsked: boolean;
  readonly signal: StopSignal;
  readonly progress: SyncProgress;
  /** Counts what stands, also when the sync breaks off. */
  readonly tally: SyncTally;
  /** Paths that failed last time, which come last; those that fail now are put in their place. */
  readonly failed: Set<VaultPath>;
  /** What events have told of; settled for what is written, and for what has neither note nor row. */
  readonly told: Told;
  /** Told when the embedder is down. */
  readonly outage: { met: boolean };
}

/**
 * Makes the vectors follow the notes of `wiki/`: embeds new and changed ones, removes the rows of those that are gone.
 * Resolves with what went wrong with single notes. Waits for nobody who writes, and nobody waits for it.
 * @throws StoreDown, NothingListed, MakerChanged when another device took the vectors over or, where nobody asked, had done
 * so before, and what the vault throws when it cannot be listed.
 */
export async function syncVectors(parts: SyncParts, options: SyncOptions): Promise<SyncError[]> {
  const { brain, vectors, coverage } = parts;
  const maker = makerOf(parts);
  const { isAsked, progress, signal, tally, told } = options;
  await vectors.open();
  const own = await vectors.known(maker);
  if (own === null && !isAsked) throw new MakerChanged();
  const known = own ?? new Map<VaultPath, Date>();
  const texts = await loadEmbeddedTexts(brain);
  const { moment } = told;
  const { read, remove, listed, covered, errors } = await whatToDo(parts, own, texts, told, isAsked);
  if (own === null) {
    // Called off in time: searches by the other model may go on with what there is.
    if (signal.stopped) throw new MakerChanged();
    await vectors.clear(maker);
    tally.deleted = remove.length;
  }
  // The rows of a version that noted no vault become this one's, also where nothing has changed.
  if (known.size > 0) await vectors.put([], maker);
  coverage.set(covered);
  while (tally.deleted < remove.length && !signal.stopped) {
    progress.phase = 'removing';
    const batch = remove.slice(tally.deleted, tally.deleted + REMOVE_BATCH);
    await vectors.remove(batch, maker);
    for (const path of batch) known.delete(path);
    tally.deleted += batch.length;
  }
  // Who comes without a row is read anyway; a note that was only not seen may come back with what was told of it.
  for (const path of told.paths()) if (!listed.has(path) && !known.has(path)) told.settle(path, moment);
  progress.phase = 'embedding';
  progress.total = read.length;
  try {
    return [...(await embedNotes(parts, { ...options, files: read, known, texts })), ...errors];
  } finally {
    // What was embedded stands, whatever happened after it; of what has neither note nor row nothing is to be remembered.
    const idle = [...texts.keys()].filter((path) => !listed.has(path) && !known.has(path));
    for (const path of idle) texts.delete(path);
    if (read.length + idle.length > 0) await saveEmbeddedTexts(brain, texts);
  }
}

/**
 * What a sync would do that somebody asks for; nothing is changed and no text is sent to the embedder.
 * @throws StoreDown, NothingListed, and what the vault throws when it cannot be listed.
 */
export async function previewSync(parts: SyncParts, told: Pick<Told, 'has'>): Promise<SyncWork> {
  const { brain, vectors } = parts;
  await vectors.open();
  const own = await vectors.known(makerOf(parts));
  return whatToDo(parts, own, await loadEmbeddedTexts(brain), told, true);
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
  isAsked: boolean,
): Promise<SyncWork> {
  // The notes are those that have a vector, or ought to.
  const notes: FileEntry[] = [];
  let listed = 0;
  for await (const file of brain.vault.list('wiki')) {
    listed += 1;
    if (noteStatus(file.path) === 'wiki') notes.push(file);
  }
  const there = new Set(notes.map(({ path }) => path));
  const foreign = own === null ? await vectors.paths() : [];
  // The vectors of another model are as dear as one's own: nothing would come in their place.
  const rows = own?.size ?? foreign.length;
  if (listed === 0 && rows > 0 && !(isAsked && (await stands(brain)))) throw new NothingListed(rows);
  const known = own ?? new Map<VaultPath, Date>();
  const young = isAsked ? Infinity : brain.clock.now().getTime() - LAG_MS;
  const { read, unlisted, covered } = planSync(notes, known, texts, told, young);
  if (own === null) {
    // All of them go, whatever can be seen of their notes.
    const missing = foreign.filter((path) => !there.has(path));
    const { gone, errors } = await goneNotes(brain, missing, 'no vectors can be made of them');
    // Nothing would come in their place, unless every note is gone: a folder that shows no file may hide some.
    if (listed === 0 && gone.length < foreign.length) throw new NothingListed(rows);
    return { read, remove: gone, listed: there, covered, errors };
  }
  const { gone, errors } = await goneNotes(brain, unlisted);
  return { read, remove: gone, listed: there, covered: covered + unlisted.length - gone.length, errors };
}

/** Whether the folder `wiki/` is there: a vault whose disk is missing has lost it. */
async function stands({ vault }: Pick<SyncParts['brain'], 'vault'>): Promise<boolean> {
  return (await vault.missingFolders(vaultPath('wiki/x.md'))).length === 0;
}
