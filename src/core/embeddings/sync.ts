import * as z from 'zod';
import type { StopSignal } from '../base/host';
import { inSlices, type Pacing } from '../base/steps';
import type { Knowledge } from '../catalog/knowledge';
import { noteStatus } from '../catalog/record';
import type { Embedder, FileEntry, Store } from '../ports/ports';
import { type VaultPath, vaultPath } from '../vocabulary/paths';
import type { Coverage } from './coverage';
import {
  isEmbedderDown,
  isRefused,
  type SyncError,
  type SyncProgress,
  type SyncTally,
  wordsOf,
} from './outcome';
import { embedPieces, embedTogether, type Piece, piecesHash, pieceSteps } from './pieces';
import { type Maker, MakerChanged, type VectorRow, type VectorStore } from './store';

/** What this device embedded of a note. Derived: without it a note that was only touched is embedded once more. */
interface EmbeddedText {
  /** Of the pieces as they were sent. */
  readonly hash: string;
  /** The time of the row that was made of it; when the row has another one by now, this says nothing. */
  readonly at: number;
  /** Of the file as it stood. */
  readonly mtime: number;
  readonly size: number;
}

const line = z.tuple([z.string(), z.string(), z.number(), z.number(), z.number()]);

/** Lines that are read or written in one piece of work. */
const LINES = 200;

type Keeping = Pick<Store & Pacing, 'state' | 'device' | 'pace'>;

/** What was saved last; lines that cannot be read are left out. */
async function loadEmbeddedTexts(brain: Keeping): Promise<Map<VaultPath, EmbeddedText>> {
  const lines = ((await brain.state.read(fileOf(brain))) ?? '').split('\n');
  const texts = new Map<VaultPath, EmbeddedText>();
  for (let from = 0; from < lines.length; from += LINES) {
    await brain.pace.run(() => {
      for (const text of lines.slice(from, from + LINES)) {
        const parsed = line.safeParse(json(text));
        if (!parsed.success) continue;
        const [path, hash, at, mtime, size] = parsed.data;
        texts.set(vaultPath(path), { hash, at, mtime, size });
      }
    });
  }
  return texts;
}

/** Saves them in place of those that were saved before. */
async function saveEmbeddedTexts(brain: Keeping, texts: ReadonlyMap<VaultPath, EmbeddedText>): Promise<void> {
  const entries = [...texts];
  const parts: string[] = [];
  for (let from = 0; from < entries.length; from += LINES) {
    await brain.pace.run(() => {
      for (const [path, { hash, at, mtime, size }] of entries.slice(from, from + LINES)) {
        parts.push(`${JSON.stringify([path, hash, at, mtime, size])}\n`);
      }
    });
  }
  await brain.state.write(fileOf(brain), parts.join(''));
}

function fileOf({ device }: Pick<Store, 'device'>): string {
  return `local.${device}/embedded.jsonl`;
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // Torn or damaged: the note is embedded once more.
  }
}

/** What a sync works with. */
export interface SyncContext {
  readonly brain: Store & Pick<Knowledge & Pacing, 'catalog' | 'pace'>;
  readonly embedder: Embedder;
  readonly vectors: VectorStore;
  /** The id of the vault. */
  readonly vaultId: string;
  /** Told how many notes have a vector. */
  readonly coverage: Coverage;
}

/** Whose the vectors are that this service makes. */
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
 * Paths of which an event has said that they changed: an edit may leave size and time of a file as they were, so nothing
 * else may ever tell of it. Each stays until somebody says that what was told up to a moment is dealt with; what has been
 * told of it since then stays all the same.
 */
export class ChangedPaths {
  readonly #moments = new Map<VaultPath, number>();
  #moment = 0;

  /** Grows with everything that is told. */
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

  /** Those of which something was told, as they are now. */
  paths(): VaultPath[] {
    return [...this.#moments.keys()];
  }

  /** Forgets what was told of the path up to the moment. */
  settle(path: VaultPath, moment: number): void {
    if ((this.#moments.get(path) ?? Infinity) <= moment) this.#moments.delete(path);
  }
}

/** Calls of the embedder at the same time: one is computed while the next one travels. */
const CALLS_IN_FLIGHT = 2;
/** Texts sent in one call, of as many notes as they belong to. */
const MAX_TEXTS = 32;
/** Rows written together. What is written stands, so a sync that is cut goes on from there. */
const BATCH = 16;
/** After so many notes in a row that found the embedder down, the rest is left for the next sync. */
const MAX_DOWN = 3;

interface EmbedNotes {
  readonly files: readonly FileEntry[];
  readonly known: ReadonlyMap<VaultPath, Date>;
  /** What this device embedded of each note; kept up to date. */
  readonly texts: Map<VaultPath, EmbeddedText>;
  /** Paths that failed last time, which come last; those that fail now are added. */
  readonly failed: Set<VaultPath>;
  /** What events have told of; settled for a path once its row is written, and not before. */
  readonly told: ChangedPaths;
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
 * Embeds notes with two workers: each sends the texts of several notes in one call, and rows are written in batches. When such
 * a call fails, its notes are embedded one by one. A note that fails is reported and the others continue, until the embedder is
 * down.
 */
class EmbedRun {
  readonly #queue: Iterator<FileEntry, undefined>;
  readonly #errors: SyncError[] = [];
  readonly #waiting: Waiting[] = [];
  /** The number of notes in a row that found the embedder down. */
  #downs = 0;
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
    if (this.#failure !== null) throw this.#failure;
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
    const over: Read[] = [];
    while (this.#goesOn()) {
      const batch = await this.#fill(over);
      if (batch.length === 0) return;
      if (this.#goesOn()) await this.#embed(batch);
    }
  }

  /** Reads notes until their texts fill a call. One that no longer fits is kept in `over` for the next call. */
  async #fill(over: Read[]): Promise<Read[]> {
    const batch = over.splice(0);
    let texts = batch.reduce((sum, { pieces }) => sum + (pieces?.length ?? 0), 0);
    while (texts < this.#room && this.#goesOn()) {
      const { value: file } = this.#queue.next();
      if (file === undefined) break;
      try {
        const note = await read(this.parts, file, this.notes);
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

  async #embed(batch: readonly Read[]): Promise<void> {
    const { embedder } = this.parts;
    const { signal } = this.notes;
    let alone = batch;
    let wasSlow = false;
    if (batch.length > 1) {
      try {
        const texts = batch.map(({ pieces }) => pieces ?? []);
        const vectors = await embedTogether(embedder, texts, 'document', signal);
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
        await this.#done(note, await embedPieces(embedder, note.pieces ?? [], 'document', signal));
        if (wasSlow) this.#room = Math.max(1, Math.floor(this.#room / 2));
        wasSlow = false;
      } catch (error) {
        this.#fail(note.row.path, error);
      }
    }
  }

  async #done(note: Read, vector: Float32Array | null): Promise<void> {
    this.notes.failed.delete(note.row.path);
    this.notes.progress.done += 1;
    if (vector !== null) {
      this.#downs = 0;
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
    this.#errors.push({ path, error: wordsOf(error) });
    this.parts.brain.log.warn('embed.note', { path, message: String(error) });
    const isDown = isEmbedderDown(error);
    this.#downs = isDown ? this.#downs + 1 : 0;
    outage.met = isDown && !isRefused(error);
  }

  /** Writes the waiting rows when there are `atLeast` of them, one batch after the other: a failure stops the next batch. */
  #write(atLeast: number): Promise<void> {
    this.#writing = this.#writing.then(async () => {
      if (this.#failure !== null || this.#waiting.length < atLeast) return;
      const batch = this.#waiting.splice(0);
      try {
        await store(this.parts, batch, this.notes);
      } catch (error) {
        this.#failure = error instanceof Error ? error : new Error(String(error));
        // The database may have written some of the rows.
        for (const { row } of batch) this.notes.told.add(row.path);
      }
    });
    return this.#writing;
  }
}

/** What a note says now; null when its file has just gone. */
async function read(
  { brain, embedder }: SyncContext,
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
  parts: SyncContext,
  batch: readonly Waiting[],
  { known, texts, told, tally }: EmbedNotes,
): Promise<void> {
  const { vectors, coverage } = parts;
  const maker = indexOwner(parts);
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

/** Files that are asked for at the same time. */
const READ_AT_ONCE = 16;

/** `wiki/` looks as if it were empty, which is far more often a folder that is not there now than a wiki without notes. */
class NothingListed extends Error {
  override readonly name = 'NothingListed';

  constructor(rows: number) {
    super(
      `The folder wiki/ is not there or holds no file, yet ${rows} ${rows === 1 ? 'note has a vector' : 'notes have vectors'}, so nothing was removed. See that the whole vault is in its place and that every folder in wiki/ can be read. If the notes are gone for good, see that the folder wiki/ stands and run backfill-embeddings, which removes their vectors.`,
    );
  }
}

interface Gone {
  /** Paths where no file stands, as the vault itself has said of each. */
  readonly gone: readonly VaultPath[];
  /** Tells of those that could not be looked at, once for all of them, with the path of one. */
  readonly errors: readonly SyncError[];
}

/**
 * Which of the files that a listing did not show are really gone: it passes over folders that cannot be read, whose notes
 * must not lose their vectors for that.
 * @param outcome what becomes of the vectors of those that could not be looked at, for the error that tells of them
 */
export async function goneNotes(
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
  const error = `${what} in wiki/ could not be looked at and may be gone or not; ${outcome}. See that every folder there can be read.`;
  return { gone, errors: [{ path: first.path, error }] };
}

interface SyncPlan {
  /** Files without a row, and files that may say something else than when their row was made. */
  readonly read: readonly FileEntry[];
  /** Rows whose file was not listed, except rows of other devices that are newer than `young`. */
  readonly unlisted: readonly VaultPath[];
  /** How many of the files have a row. */
  readonly covered: number;
}

/**
 * What there is to do so that the vectors follow the files.
 * @param known the rows with the time at which their file was read
 * @param remembered what this device embedded, which also tells of a file that was put back with its old time
 * @param told files of which an event has said that they changed, whatever their times say
 * @param young rows of other devices that were made after this time stay without a file; in milliseconds
 */
function planSync(
  files: readonly FileEntry[],
  known: ReadonlyMap<VaultPath, Date>,
  remembered: ReadonlyMap<VaultPath, EmbeddedText>,
  told: Pick<ChangedPaths, 'has'>,
  young: number,
): SyncPlan {
  const there = new Set(files.map(({ path }) => path));
  return {
    read: files.filter((file) => {
      const at = known.get(file.path)?.getTime();
      if (at === undefined || file.mtime > at || told.has(file.path)) return true;
      const text = remembered.get(file.path);
      // A row that another device has made since says nothing of what this one saw.
      return text?.at === at && (text.mtime !== file.mtime || text.size !== file.size);
    }),
    unlisted: [...known].flatMap(([path, at]) => {
      const isOwn = remembered.get(path)?.at === at.getTime();
      return there.has(path) || (!isOwn && at.getTime() > young) ? [] : [path];
    }),
    covered: files.filter(({ path }) => known.has(path)).length,
  };
}

const REMOVE_BATCH = 500;
/** A row of another device stays so long, in milliseconds, without its note: that may still be on its way to this one. */
const LAG_MS = 24 * 3_600_000;

interface SyncOptions {
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
  readonly told: ChangedPaths;
  /** Told when the embedder is down. */
  readonly outage: { met: boolean };
}

/**
 * Makes the vectors follow the notes of `wiki/`: embeds new and changed ones, removes the rows of those that are gone.
 * Resolves with what went wrong with single notes. Waits for nobody who writes, and nobody waits for it.
 * @throws StoreDown, NothingListed, MakerChanged when another device took the vectors over or, where nobody asked, had done
 * so before, and what the vault throws when it cannot be listed.
 */
export async function syncVectors(parts: SyncContext, options: SyncOptions): Promise<SyncError[]> {
  const { brain, vectors, coverage } = parts;
  const maker = indexOwner(parts);
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
    return [...(await new EmbedRun(parts, { ...options, files: read, known, texts }).run()), ...errors];
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
export async function previewSync(parts: SyncContext, told: Pick<ChangedPaths, 'has'>): Promise<SyncWork> {
  const { brain, vectors } = parts;
  await vectors.open();
  const own = await vectors.known(indexOwner(parts));
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
  { brain, vectors }: Pick<SyncContext, 'brain' | 'vectors'>,
  own: ReadonlyMap<VaultPath, Date> | null,
  texts: ReadonlyMap<VaultPath, EmbeddedText>,
  told: Pick<ChangedPaths, 'has'>,
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
async function stands({ vault }: Pick<SyncContext['brain'], 'vault'>): Promise<boolean> {
  return (await vault.missingFolders(vaultPath('wiki/x.md'))).length === 0;
}
