import * as z from 'zod';
import type { StopSignal } from '../base/host';
import { parsedJson } from '../base/json';
import { inSlices, type Pacing } from '../base/steps';
import type { Knowledge } from '../catalog/knowledge';
import type { Embedder, FileEntry, Store } from '../ports/ports';
import { type VaultPath, vaultPath } from '../vocabulary/paths';
import type { Coverage } from './coverage';
import {
  isEmbedderDown,
  isRefused,
  retryAfter,
  type SyncError,
  type SyncProgress,
  type SyncTally,
  safeMessage,
} from './outcome';
import { embedPieces, embedTogether, type Piece, piecesHash, pieceSteps } from './pieces';
import type { EmbeddedNotes } from './roots';
import { type Maker, MakerChanged, type VectorRow, type VectorStore } from './store';

/**
 * The state of a note that this device has embedded. Derived: without it, a note whose time alone changed is embedded again.
 */
interface EmbeddedText {
  /** The hash of the pieces as they were sent. */
  readonly hash: string;
  /** The time of the row made from them. When the row has another time, this entry is void. */
  readonly at: number;
  /** The time of the file when it was read. */
  readonly mtime: number;
  readonly size: number;
}

const line = z.tuple([z.string(), z.string(), z.number(), z.number(), z.number()]);

/** The number of lines that are read or written in one piece of work. */
const LINES = 200;

type EmbeddedTextPorts = Pick<Store & Pacing, 'state' | 'device' | 'pace'>;

/** Loads the saved entries; lines that do not parse are left out. */
async function loadEmbeddedTexts(brain: EmbeddedTextPorts): Promise<Map<VaultPath, EmbeddedText>> {
  const lines = ((await brain.state.read(fileOf(brain))) ?? '').split('\n');
  const texts = new Map<VaultPath, EmbeddedText>();
  for (let from = 0; from < lines.length; from += LINES) {
    await brain.pace.run(() => {
      for (const text of lines.slice(from, from + LINES)) {
        const parsed = line.safeParse(parsedJson(text));
        if (!parsed.success) continue;
        const [path, hash, at, mtime, size] = parsed.data;
        texts.set(vaultPath(path), { hash, at, mtime, size });
      }
    });
  }
  return texts;
}

/** Replaces the saved entries. A failure is only logged: it must not hide why a sync has failed, and costs little. */
async function saveEmbeddedTexts(
  brain: EmbeddedTextPorts & Pick<Store, 'log'>,
  texts: ReadonlyMap<VaultPath, EmbeddedText>,
): Promise<void> {
  const entries = [...texts];
  const parts: string[] = [];
  try {
    for (let from = 0; from < entries.length; from += LINES) {
      await brain.pace.run(() => {
        for (const [path, { hash, at, mtime, size }] of entries.slice(from, from + LINES)) {
          parts.push(`${JSON.stringify([path, hash, at, mtime, size])}\n`);
        }
      });
    }
    await brain.state.write(fileOf(brain), parts.join(''));
  } catch (error) {
    if (!brain.pace.isStopped) brain.log.warn('embed.remember', { reason: String(error) });
  }
}

function fileOf({ device }: Pick<Store, 'device'>): string {
  return `local.${device}/embedded.jsonl`;
}

/** The parts that a sync uses. */
export interface SyncContext {
  readonly brain: Store & Pick<Knowledge & Pacing, 'catalog' | 'pace'>;
  /** The notes that get vectors. */
  readonly notes: EmbeddedNotes;
  readonly embedder: Embedder;
  readonly vectors: VectorStore;
  readonly vaultId: string;
  /** Receives the number of notes that have a vector. */
  readonly coverage: Coverage;
}

/** Returns the owner of the vectors that this service makes. */
export function indexOwner({
  embedder,
  vaultId,
}: {
  embedder: Pick<Embedder, 'maker'>;
  vaultId: string;
}): Maker {
  return { model: embedder.maker, vault: vaultId };
}

/**
 * Paths that events have reported as changed: an edit may leave size and time of a file unchanged, so an event is the only
 * evidence. A path stays until `settle` is called with a moment after its last event.
 */
export class ChangedPaths {
  readonly #moments = new Map<VaultPath, number>();
  #moment = 0;

  /** Grows with every event. */
  get moment(): number {
    return this.#moment;
  }

  add(path: VaultPath): void {
    this.#moment += 1;
    this.#moments.set(path, this.#moment);
  }

  has(path: VaultPath): boolean {
    return this.#moments.has(path);
  }

  /** Returns the paths that are not settled now. */
  paths(): VaultPath[] {
    return [...this.#moments.keys()];
  }

  /** Removes the path, unless an event came after the moment. */
  settle(path: VaultPath, moment: number): void {
    if ((this.#moments.get(path) ?? Infinity) <= moment) this.#moments.delete(path);
  }
}

/** The number of concurrent calls of the embedder: it computes one while the other travels. */
const CALLS_IN_FLIGHT = 2;
/** The number of texts of one call; they belong to any number of notes. */
const MAX_TEXTS = 32;
/** The number of rows that are written together. Written rows are kept, so a cancelled sync resumes after them. */
const BATCH = 16;
/** After this many notes in a row that found the embedder down, the others wait for the next sync. */
const MAX_DOWN = 3;
/** An embedder that asks for rests is waited for this long in a row (ms). After that the others wait for the next sync. */
const MAX_REST_MS = 60_000;

interface EmbedNotes {
  readonly files: readonly FileEntry[];
  readonly known: ReadonlyMap<VaultPath, Date>;
  /** What this device has embedded of each note; updated with every row. */
  readonly texts: Map<VaultPath, EmbeddedText>;
  /** The paths that failed last time, which come last; updated. */
  readonly failed: Set<VaultPath>;
  /** The paths reported as changed; a path is settled once its row is written. */
  readonly changed: ChangedPaths;
  readonly progress: SyncProgress;
  /** Its `added` grows with every row that is written. */
  readonly tally: SyncTally;
  readonly signal: StopSignal;
  /** Set to true while the embedder is down and does not refuse the caller for good. */
  readonly outage: { met: boolean };
  /** Resolves after this many milliseconds without keeping the process alive. */
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Receives the rows that could not be written. */
  readonly kept: RowToWrite[];
}

/** A note that was read for embedding. */
interface NoteToEmbed {
  readonly row: Omit<VectorRow, 'vector'>;
  /** The pieces to embed; null when the row was made from the same text. */
  readonly pieces: readonly Piece[] | null;
  readonly text: EmbeddedText;
  /** The note includes all changes up to this moment. */
  readonly moment: number;
}

/** A row to write; without a vector only its time changes. */
export interface RowToWrite extends NoteToEmbed {
  readonly vector: Float32Array | null;
}

/**
 * Embeds notes with two workers: each sends the texts of several notes in one call, and rows are written in batches. When such
 * a call fails, its notes are embedded one by one. A note that fails is reported and the others continue, until the embedder is
 * down.
 */
class EmbedRun {
  readonly #queue: Iterator<FileEntry, undefined>;
  readonly #errors: SyncError[] = [];
  readonly #waiting: RowToWrite[] = [];
  /** The number of notes in a row that found the embedder down. */
  #downs = 0;
  /** When the embedder first asked for a rest since the last vector; null when it has not. */
  #restsSince: number | null = null;
  /** The number of texts of one call; it shrinks when a full call takes the embedder longer than the timeout. */
  #room = MAX_TEXTS;
  #writing: Promise<void> = Promise.resolve();
  #failure: Error | null = null;

  constructor(
    private readonly parts: SyncContext,
    private readonly notes: EmbedNotes,
  ) {
    const { files, failed } = notes;
    // A note that failed may fail every time, so it must not delay the others.
    this.#queue = [...files].sort((a, b) => Number(failed.has(a.path)) - Number(failed.has(b.path))).values();
  }

  /**
   * Resolves with the errors when no work is left running. A path in `changed` whose row was not written stays in it.
   * @throws StoreDown, MakerChanged; rows of earlier batches are kept.
   */
  async run(): Promise<SyncError[]> {
    await Promise.all(Array.from({ length: CALLS_IN_FLIGHT }, () => this.#work()));
    await this.#write(1);
    if (this.#failure !== null) {
      this.notes.kept.push(...this.#waiting.filter(({ vector }) => vector !== null));
      throw this.#failure;
    }
    const left = this.notes.files.length - this.notes.progress.done;
    if (this.notes.signal.stopped) {
      this.#errors.push({
        error: `The sync was stopped; ${left} ${left === 1 ? 'note waits' : 'notes wait'} for the next one.`,
      });
    } else if (left > 0) {
      this.#errors.push({
        error: `${left} more ${left === 1 ? 'note waits' : 'notes wait'} for the embedder to answer.`,
      });
    }
    return this.#errors;
  }

  #goesOn(): boolean {
    return !this.notes.signal.stopped && this.#downs < MAX_DOWN && this.#failure === null;
  }

  async #work(): Promise<void> {
    const over: NoteToEmbed[] = [];
    while (this.#goesOn()) {
      const batch = await this.#fill(over);
      if (batch.length === 0) return;
      if (this.#goesOn()) await this.#embed(batch);
    }
  }

  /** Reads notes until their texts fill a call. One that no longer fits is kept in `over` for the next call. */
  async #fill(over: NoteToEmbed[]): Promise<NoteToEmbed[]> {
    const batch = over.splice(0);
    let texts = batch.reduce((sum, { pieces }) => sum + (pieces?.length ?? 0), 0);
    while (texts < this.#room && this.#goesOn()) {
      const { value: file } = this.#queue.next();
      if (file === undefined) break;
      try {
        const note = await readNote(this.parts, file, this.notes);
        if (note === null) {
          this.notes.failed.delete(file.path);
          this.notes.progress.done += 1;
        } else if (note.pieces === null) await this.#done(note, null);
        else if (batch.length > 0 && texts + note.pieces.length > this.#room) {
          over.push(note);
          break;
        } else {
          batch.push(note);
          texts += note.pieces.length;
        }
      } catch (error) {
        this.#fail(file.path, error);
      }
    }
    return batch;
  }

  async #embed(batch: readonly NoteToEmbed[]): Promise<void> {
    const { embedder } = this.parts;
    const { signal } = this.notes;
    let alone = batch;
    let wasSlow = false;
    if (batch.length > 1) {
      try {
        const texts = batch.map(({ pieces }) => pieces ?? []);
        const vectors = await this.#rested(() => embedTogether(embedder, texts, signal));
        alone = batch.filter((_, at) => vectors[at] === null);
        for (const [at, note] of batch.entries()) {
          const vector = vectors[at];
          if (vector !== null && vector !== undefined) await this.#done(note, vector);
        }
      } catch (error) {
        if (signal.stopped) return;
        wasSlow = isEmbedderDown(error);
      }
    }
    for (const note of alone) {
      if (!this.#goesOn()) return;
      try {
        const { pieces } = note;
        const vector = await this.#rested(() => embedPieces(embedder, pieces ?? [], 'document', signal));
        await this.#done(note, vector);
        if (wasSlow) this.#room = Math.max(1, Math.floor(this.#room / 2));
        wasSlow = false;
      } catch (error) {
        this.#fail(note.row.path, error);
      }
    }
  }

  /** Makes a call, and again after each rest that the embedder asks for, until it was waited for too long. */
  async #rested<T>(call: () => Promise<T>): Promise<T> {
    const { signal, sleep } = this.notes;
    for (;;) {
      try {
        return await call();
      } catch (error) {
        const rest = Math.ceil(retryAfter(error));
        const now = this.parts.brain.clock.now().getTime();
        if (rest > 0) this.#restsSince ??= now;
        // A clock that was set back must not prolong the wait.
        const waited = Math.abs(now - (this.#restsSince ?? now));
        if (rest <= 0 || waited + rest > MAX_REST_MS) throw error;
        let forget = (): void => undefined;
        const stopped = new Promise<void>((resolve) => (forget = signal.onStop(resolve)));
        await Promise.race([sleep(rest), stopped]);
        forget();
        if (!this.#goesOn()) throw error;
      }
    }
  }

  async #done(note: NoteToEmbed, vector: Float32Array | null): Promise<void> {
    this.notes.failed.delete(note.row.path);
    this.notes.progress.done += 1;
    if (vector !== null) {
      this.#downs = 0;
      this.#restsSince = null;
      this.notes.outage.met = false;
    }
    this.#waiting.push({ ...note, vector });
    if (this.#waiting.length >= BATCH) await this.#write(BATCH);
  }

  #fail(path: VaultPath, error: unknown): void {
    const { failed, progress, signal, outage } = this.notes;
    // A cancelled note is not done: the next sync embeds it.
    if (signal.stopped) return;
    progress.done += 1;
    failed.add(path);
    this.#errors.push({ path, error: safeMessage(error) });
    this.parts.brain.log.warn('embed.note', { path, message: String(error) });
    const isDown = isEmbedderDown(error);
    this.#downs = isDown ? this.#downs + 1 : 0;
    // Before the time that it has named, an embedder is asked nothing, also by a probe.
    outage.met = isDown && (!isRefused(error) || retryAfter(error) > 0);
  }

  /** Writes the waiting rows when there are `atLeast` of them, one batch after the other: a failure stops the next batch. */
  #write(atLeast: number): Promise<void> {
    this.#writing = this.#writing.then(async () => {
      if (this.#failure !== null || this.#waiting.length < atLeast) return;
      const batch = this.#waiting.splice(0);
      try {
        await writeRows(this.parts, batch, this.notes);
      } catch (error) {
        this.#failure = error instanceof Error ? error : new Error(String(error));
        // The database may have written some of the rows.
        for (const { row } of batch) this.notes.changed.add(row.path);
        this.#waiting.unshift(...batch);
      }
    });
    return this.#writing;
  }
}

/** Reads a note and cuts it into pieces; null when its file has just been removed. */
async function readNote(
  { brain, embedder }: SyncContext,
  { path, mtime, size }: FileEntry,
  { known, texts, changed }: EmbedNotes,
): Promise<NoteToEmbed | null> {
  // An event during the read may report a change that the text lacks, so the moment is taken before.
  const { moment } = changed;
  const updatedAt = brain.clock.now();
  const content = await brain.vault.read(path);
  if (content === null) return null;
  const pieces = await inSlices(pieceSteps(path, content), brain.pace);
  const hash = piecesHash(pieces, embedder.maker);
  const text = { hash, at: updatedAt.getTime(), mtime, size };
  const before = texts.get(path);
  // The hash is known only for a row that this device made.
  const isSame = before?.hash === hash && known.get(path)?.getTime() === before.at;
  return { row: { path, updatedAt }, pieces: isSame ? null : pieces, text, moment };
}

async function writeRows(
  parts: SyncContext,
  batch: readonly RowToWrite[],
  { known, texts, changed, tally }: Pick<EmbedNotes, 'known' | 'texts' | 'changed' | 'tally'>,
): Promise<void> {
  const { vectors, coverage } = parts;
  const maker = indexOwner(parts);
  const rows = batch.flatMap(({ row, vector }) => (vector === null ? [] : [{ ...row, vector }]));
  const moved = batch.flatMap(({ row, vector }) => (vector === null ? [row] : []));
  if (rows.length > 0) await vectors.put(rows, maker);
  // These rows are written, whatever happens to the others.
  tally.added += rows.length;
  coverage.add(rows.filter(({ path }) => !known.has(path)).length);
  if (moved.length > 0) await vectors.touch(moved, maker);
  for (const { row, text, moment } of batch) {
    texts.set(row.path, text);
    changed.settle(row.path, moment);
  }
}

/** The number of files that are checked at the same time. */
const READ_AT_ONCE = 16;

/** `wiki/` seems empty: far more often the folder is missing than a wiki without notes. */
class NothingListed extends Error {
  override readonly name = 'NothingListed';

  constructor(rows: number) {
    super(
      `The folder wiki/ is not there or holds no file, yet ${rows} ${rows === 1 ? 'note has a vector' : 'notes have vectors'}, so nothing was removed. See that the whole vault is in its place and that every folder in wiki/ can be read. If the notes are gone for good, see that the folder wiki/ stands and run backfill-embeddings, which removes their vectors.`,
    );
  }
}

interface Gone {
  /** Paths without a file, each confirmed by the vault. */
  readonly gone: readonly VaultPath[];
  /** One error for all paths that could not be checked, with the first of them. */
  readonly errors: readonly SyncError[];
}

/**
 * Returns which of the files that a listing lacks are really gone. A listing skips folders that cannot be read, whose notes
 * must keep their vectors.
 * @param outcome what happens to the vectors of paths that could not be checked, for the error message
 */
async function goneNotes(
  { vault, log }: Pick<Store, 'vault' | 'log'>,
  unlisted: readonly VaultPath[],
  outcome = 'the vectors were kept',
): Promise<Gone> {
  const gone: VaultPath[] = [];
  const hidden: { readonly path: VaultPath; readonly message: string }[] = [];
  for (let from = 0; from < unlisted.length; from += READ_AT_ONCE) {
    const paths = unlisted.slice(from, from + READ_AT_ONCE);
    await Promise.all(
      paths.map(async (path) => {
        try {
          if ((await vault.stat(path)) === null) gone.push(path);
        } catch (error) {
          hidden.push({ path, message: String(error) });
        }
      }),
    );
  }
  const [first] = hidden;
  if (first === undefined) return { gone, errors: [] };
  log.warn('embed.hidden', { ...first, notes: hidden.length });
  const what = hidden.length === 1 ? '1 note' : `${hidden.length} notes`;
  const where = hidden.every(({ path }) => path.startsWith('wiki/')) ? ' in wiki/' : '';
  const error = `${what}${where} could not be looked at and may be gone or not; ${outcome}. See that every folder there can be read.`;
  return { gone, errors: [{ path: first.path, error }] };
}

interface Comparison {
  /** Files without a row, and files that may have changed since their row was made. */
  readonly read: readonly FileEntry[];
  /** Rows whose file was not listed, except rows of other devices that are newer than `recent`. */
  readonly unlisted: readonly VaultPath[];
  /** The number of files that have a row. */
  readonly covered: number;
}

/**
 * Compares the files with the rows.
 * @param known the rows with the times at which their files were read
 * @param remembered what this device embedded; it shows a file that was replaced by one with an older time
 * @param changed files that an event reported as changed, whatever their times
 * @param recent rows of other devices that were made after this time are kept without a file (ms)
 */
function compareRows(
  files: readonly FileEntry[],
  known: ReadonlyMap<VaultPath, Date>,
  remembered: ReadonlyMap<VaultPath, EmbeddedText>,
  changed: Pick<ChangedPaths, 'has'>,
  recent: number,
): Comparison {
  const there = new Set(files.map(({ path }) => path));
  return {
    read: files.filter((file) => {
      const at = known.get(file.path)?.getTime();
      if (at === undefined || file.mtime > at || changed.has(file.path)) return true;
      const text = remembered.get(file.path);
      // The store has lost the newer row that this device made, and the older one has come back.
      if (text !== undefined && text.at > at) return true;
      // A row that another device has made since proves nothing about what this device read.
      return text?.at === at && (text.mtime !== file.mtime || text.size !== file.size);
    }),
    unlisted: [...known].flatMap(([path, at]) => {
      const isOwn = remembered.get(path)?.at === at.getTime();
      return there.has(path) || (!isOwn && at.getTime() > recent) ? [] : [path];
    }),
    covered: files.filter(({ path }) => known.has(path)).length,
  };
}

const REMOVE_BATCH = 500;
/** A row of another device is kept without its note for this long (ms): the note may not have arrived here yet. */
const LAG_MS = 24 * 3_600_000;

interface SyncOptions {
  /**
   * True when a caller requested the sync: then vectors of another model are deleted and made again, and every row whose note
   * is gone is removed. A scheduled sync keeps what may be missing only temporarily.
   */
  readonly isAsked: boolean;
  readonly signal: StopSignal;
  readonly progress: SyncProgress;
  /** Counts written and removed rows, also when the sync fails. */
  readonly tally: SyncTally;
  /** The paths that failed last time, which come last; updated. */
  readonly failed: Set<VaultPath>;
  /** The paths reported as changed; settled once written, or when a path has neither note nor row. */
  readonly changed: ChangedPaths;
  /** Set when the embedder is down. */
  readonly outage: { met: boolean };
  /** Resolves after this many milliseconds without keeping the process alive. */
  readonly sleep: (milliseconds: number) => Promise<void>;
  /**
   * The rows that the last sync could not write. They are written before anything is embedded, so that a full disk costs no
   * text twice; updated.
   */
  readonly kept: RowToWrite[];
}

/**
 * Makes the vectors match the notes that get vectors: embeds new and changed ones, removes the rows of removed ones and of
 * notes that get none any more. Takes no lock.
 * Resolves with the errors of single notes.
 * @throws StoreDown, NothingListed, MakerChanged when another device took the vectors over (in a scheduled sync also when it
 * had before), and the error of the vault when it cannot be listed
 */
export async function syncVectors(parts: SyncContext, options: SyncOptions): Promise<SyncError[]> {
  const { brain, vectors, coverage } = parts;
  const maker = indexOwner(parts);
  const { isAsked, progress, signal, tally, changed } = options;
  await vectors.open();
  const own = await vectors.known(maker);
  if (own === null && !isAsked) throw new MakerChanged();
  const known = own ?? new Map<VaultPath, Date>();
  const texts = await loadEmbeddedTexts(brain);
  const { moment } = changed;
  // Another device may have made a newer row meanwhile.
  const kept = options.kept.filter(({ row: { path, updatedAt } }) => (known.get(path) ?? 0) <= updatedAt);
  if (own !== null && kept.length > 0) {
    await writeRows(parts, kept, { known, texts, changed, tally });
    for (const { row } of kept) known.set(row.path, row.updatedAt);
    await saveEmbeddedTexts(brain, texts);
  }
  options.kept.length = 0;
  const { read, remove, listed, covered, errors } = await planSync(parts, own, texts, changed, isAsked);
  if (own === null) {
    // Cancelled in time: searches with the other model may continue.
    if (signal.stopped) throw new MakerChanged();
    await vectors.clear(maker);
    tally.deleted = remove.length;
  }
  // Rows of an earlier version without a vault become this vault's, also when nothing has changed.
  if (known.size > 0) await vectors.put([], maker);
  coverage.set(covered);
  while (tally.deleted < remove.length && !signal.stopped) {
    progress.phase = 'removing';
    const batch = remove.slice(tally.deleted, tally.deleted + REMOVE_BATCH);
    await vectors.remove(batch, maker);
    for (const path of batch) known.delete(path);
    tally.deleted += batch.length;
  }
  // A note without a row is read anyway. One that only was not listed may come back, and its change still counts.
  for (const path of changed.paths()) if (!listed.has(path) && !known.has(path)) changed.settle(path, moment);
  progress.phase = 'embedding';
  progress.total = read.length;
  try {
    return [...(await new EmbedRun(parts, { ...options, files: read, known, texts }).run()), ...errors];
  } finally {
    // Embedded rows are kept, whatever failed after them. A path with neither note nor row is forgotten.
    const isIdle = (path: VaultPath): boolean =>
      !listed.has(path) && !known.has(path) && !parts.notes.isUndecided(path);
    const idle = [...texts.keys()].filter(isIdle);
    for (const path of idle) texts.delete(path);
    if (read.length + idle.length > 0) await saveEmbeddedTexts(brain, texts);
  }
}

/**
 * Returns the work of a requested sync; changes nothing and sends no text to the embedder.
 * @throws StoreDown, NothingListed, and the error of the vault when it cannot be listed
 */
export async function previewSync(parts: SyncContext, changed: Pick<ChangedPaths, 'has'>): Promise<SyncWork> {
  const { brain, vectors } = parts;
  await vectors.open();
  const own = await vectors.known(indexOwner(parts));
  return planSync(parts, own, await loadEmbeddedTexts(brain), changed, true);
}

/** The work of a sync. */
interface SyncWork {
  readonly read: readonly FileEntry[];
  /** Rows whose file is gone, and rows of notes that get no vector any more. */
  readonly remove: readonly VaultPath[];
  /** Every listed note. */
  readonly listed: ReadonlySet<VaultPath>;
  /** The number of notes that have a row, including those of a folder that cannot be read. */
  readonly covered: number;
  /** The errors of paths that could not be checked. */
  readonly errors: readonly SyncError[];
}

/** @param own the rows with their times; null when another model made them, so that all would be made again */
async function planSync(
  { brain, notes: embedded, vectors }: Pick<SyncContext, 'brain' | 'notes' | 'vectors'>,
  own: ReadonlyMap<VaultPath, Date> | null,
  texts: ReadonlyMap<VaultPath, EmbeddedText>,
  changed: Pick<ChangedPaths, 'has'>,
  isAsked: boolean,
): Promise<SyncWork> {
  const { notes, listed, inWiki } = await listNotes(brain, embedded);
  const there = new Set(notes.map(({ path }) => path));
  const foreign = own === null ? await vectors.paths() : [];
  const rows = own === null ? foreign : [...own.keys()];
  // The setting may have changed: the text of these notes is no longer meant to be in the table.
  // Vectors of another model are of no use, whatever becomes of their notes.
  const isKept = (path: VaultPath): boolean => own !== null && embedded.isUndecided(path);
  const outside = rows.filter((path) => !embedded.has(path) && !isKept(path));
  const inside = rows.filter((path) => embedded.has(path));
  // Vectors of another model are as expensive as our own: an empty folder would only delete them.
  const isEmpty = listed === 0 || (inWiki === 0 && inside.some((path) => path.startsWith('wiki/')));
  if (isEmpty && inside.length > 0 && !(isAsked && (await wikiExists(brain))))
    throw new NothingListed(inside.length);
  const known = new Map([...(own ?? [])].filter(([path]) => embedded.has(path)));
  const recent = isAsked ? Infinity : brain.clock.now().getTime() - LAG_MS;
  const { read, unlisted, covered } = compareRows(notes, known, texts, changed, recent);
  if (own === null) {
    // All of them are removed, whether or not their notes can be read.
    const missing = inside.filter((path) => !there.has(path));
    const { gone, errors } = await goneNotes(brain, missing, 'no vectors can be made of them');
    // A folder that lists no file may hide some: then deleting the old vectors would leave nothing in their place.
    if (isEmpty && gone.length < inside.length) throw new NothingListed(inside.length);
    return { read, remove: [...outside, ...gone], listed: there, covered, errors };
  }
  const { gone, errors } = await goneNotes(brain, unlisted);
  const kept = unlisted.length - gone.length;
  return { read, remove: [...outside, ...gone], listed: there, covered: covered + kept, errors };
}

/** Returns the notes that have a vector or should have one, and the number of files beside them: of all, and in `wiki/`. */
async function listNotes(
  { vault }: Pick<SyncContext['brain'], 'vault'>,
  embedded: EmbeddedNotes,
): Promise<{ readonly notes: FileEntry[]; readonly listed: number; readonly inWiki: number }> {
  const notes: FileEntry[] = [];
  let listed = 0;
  let inWiki = 0;
  for await (const file of embedded.list(vault)) {
    listed += 1;
    if (file.path.startsWith('wiki/')) inWiki += 1;
    if (embedded.has(file.path)) notes.push(file);
  }
  return { notes, listed, inWiki };
}

/** Returns whether the folder `wiki/` exists. It is missing when the disk of the vault is not mounted. */
async function wikiExists({ vault }: Pick<SyncContext['brain'], 'vault'>): Promise<boolean> {
  return (await vault.missingFolders(vaultPath('wiki/x.md'))).length === 0;
}
