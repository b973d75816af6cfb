import { BrainError } from '../base/errors';
import { utf8Length } from '../base/hash';
import { isRecord } from '../base/json';
import { localDate, timestamp } from '../base/time';
import { isInboxFile, QUARANTINE } from '../documents/paths';
import type { QuarantinedFile } from '../documents/ports';
import type { Brain } from '../operation/context';
import { checkStorePath } from '../ports/ports';
import { fileName, folderOf, type VaultPath, vaultPath } from '../vocabulary/paths';

/** Why a file could not be taken in. */
interface Failure {
  readonly code: string;
  readonly message: string;
  readonly attempts: number;
  /** Null when the file could not even be read. */
  readonly sourceHash: string | null;
}

type Note = Omit<QuarantinedFile, 'path'>;

const NOTE_END = '.error.json';
/** How the text of every note of ours begins and ends. */
const NOTE_BEGIN = '{\n  "file": ';
const NOTE_STOP = '\n}\n';
const MAX_NOTE_BYTES = 64 * 1024;
/** A name that is taken gets a number; nobody has so many files of one name on one day. */
const MAX_NUMBER = 10_000;
/** File systems allow 255 bytes for a name. */
const MAX_NAME_BYTES = 230;

/**
 * Files that could not be taken in, each with a note of the reason beside it, `<name>.error.json`. The note is made before
 * the file moves and goes after it has moved back, so that wherever this is cut, the file has one place or `settle` gives
 * it one.
 */
export class Quarantine {
  /** Notes by the path of their file, as they were last read. */
  readonly #notes = new Map<VaultPath, Note | null>();

  constructor(private readonly brain: Pick<Brain, 'vault' | 'catalog' | 'writer' | 'clock' | 'log'>) {}

  /** Moves a file here and says why; resolves with its new path, or null when it is gone. */
  async put(from: VaultPath, failure: Failure): Promise<VaultPath | null> {
    return this.brain.writer.run(async () => {
      const { vault, clock } = this.brain;
      const now = clock.now();
      const note: Note = {
        file: from,
        code: failure.code,
        message: failure.message,
        at: timestamp(now),
        attempts: failure.attempts,
        ...(failure.sourceHash !== null && { source_hash: failure.sourceHash }),
      };
      const folder = `${QUARANTINE}/${localDate(now)}`;
      for (let number = 1; number <= MAX_NUMBER; number += 1) {
        const to = vaultPath(`${folder}/${numbered(noNote(fileName(from)), number)}`);
        if ((await vault.stat(to)) !== null || !(await vault.create(noteOf(to), textOf(note)))) continue;
        if (await vault.move(from, to)) {
          this.#notes.set(to, note);
          this.#tellMoved(from, to);
          return to;
        }
        await vault.remove(noteOf(to));
        if ((await vault.stat(from)) === null) return null;
      }
      throw new BrainError('busy', `${from} finds no free name in ${folder}. Empty that folder.`);
    });
  }

  /**
   * Puts a file back into `inbox`, under the name that it had there or the next that is free; resolves with the new path. A
   * dry run moves nothing.
   * @throws BrainError `source_missing` when there is no such file, `busy` when it cannot be moved.
   */
  async giveBack(path: VaultPath, inbox: VaultPath, dryRun = false): Promise<VaultPath> {
    return this.brain.writer.run(async () => {
      const { vault } = this.brain;
      if (!isQuarantined(path) || (await vault.stat(path)) === null) throw missing(path);
      const note = await this.#noteAt(path);
      const from = placeIn(note);
      const was = from !== null && isInboxFile(inbox, from) ? from : `${inbox}/${fileName(path)}`;
      for (let number = 1; number <= MAX_NUMBER; number += 1) {
        const to = vaultPath(`${folderOf(was)}/${numbered(fileName(was), number)}`);
        if (dryRun) {
          if ((await vault.stat(to)) !== null) continue;
          return to;
        }
        if (!(await vault.move(path, to))) {
          if ((await vault.stat(path)) === null) throw missing(path);
          continue;
        }
        await vault.remove(noteOf(path));
        this.#notes.delete(path);
        this.#tellMoved(path, to);
        return to;
      }
      throw new BrainError('busy', `${path} finds no free name in ${inbox}. Empty that folder.`);
    });
  }

  /** Every file here, by path. */
  async list(): Promise<QuarantinedFile[]> {
    const files = this.brain.catalog.pathsBelow(`${QUARANTINE}/`).filter((path) => !path.endsWith(NOTE_END));
    const found: QuarantinedFile[] = [];
    for (const path of files) found.push({ path, ...(await this.#noteAt(path)) });
    return found;
  }

  /** Takes note that something has happened to a file: what is known of it may have changed. */
  changed(path: VaultPath): void {
    if (path.startsWith(`${QUARANTINE}/`)) this.#notes.delete(vaultPath(path.replace(/\.error\.json$/, '')));
  }

  /**
   * Ends what an earlier run was cut off in: a file that stands in the inbox and here moves here, and a note without a file
   * goes, whose file was never moved or has been given back.
   */
  async settle(): Promise<void> {
    const { vault, writer, log } = this.brain;
    const notes: VaultPath[] = [];
    for await (const { path } of vault.list(QUARANTINE)) if (path.endsWith(NOTE_END)) notes.push(path);
    for (const at of notes.sort()) {
      const path = vaultPath(at.slice(0, -NOTE_END.length));
      const note = await this.#noteAt(path);
      const from = placeIn(note);
      const isOurs = isWhole(note) || (await this.#isTorn(at));
      await writer.run(async () => {
        if ((await vault.stat(path)) !== null) {
          if (from === null || !(await this.#stands(from)) || !(await vault.move(from, path))) return;
        } else if (isOurs) await vault.remove(at);
        else return;
        log.info('inbox.settled', { path });
      });
    }
  }

  /** False also for a path that is none on this disk: a note may have come from another device. */
  async #stands(path: VaultPath): Promise<boolean> {
    try {
      return (await this.brain.vault.stat(path)) !== null;
    } catch (error) {
      if (error instanceof BrainError) return false;
      throw error;
    }
  }

  async #noteAt(path: VaultPath): Promise<Note | null> {
    const known = this.#notes.get(path);
    if (known !== undefined) return known;
    const note = await this.#readNote(path);
    this.#notes.set(path, note);
    return note;
  }

  /** Null when there is none, or what stands there is none of ours. */
  async #readNote(path: VaultPath): Promise<Note | null> {
    try {
      return parseNote(JSON.parse((await this.brain.vault.read(noteOf(path))) ?? 'null'));
    } catch (error) {
      if (error instanceof SyntaxError || error instanceof BrainError) return null;
      throw error;
    }
  }

  /** True for a note of ours of which a cut has left only the beginning, as the app does that writes files in place. */
  async #isTorn(at: VaultPath): Promise<boolean> {
    const bytes = await this.brain.vault.readBytes(at, MAX_NOTE_BYTES).catch(() => null);
    if (bytes === null) return false;
    const begin = String.fromCharCode(...bytes.subarray(0, NOTE_BEGIN.length));
    const isWhole = String.fromCharCode(...bytes.subarray(-NOTE_STOP.length)) === NOTE_STOP;
    return NOTE_BEGIN.startsWith(begin) && !isWhole;
  }

  /** The catalog would learn of it by itself, but a little later. */
  #tellMoved(from: VaultPath, to: VaultPath): void {
    this.brain.catalog.markDirty({ kind: 'removed', path: from });
    this.brain.catalog.markDirty({ kind: 'changed', path: to });
  }
}

function noteOf(path: VaultPath): VaultPath {
  return vaultPath(path + NOTE_END);
}

function isQuarantined(path: VaultPath): boolean {
  return path.startsWith(`${QUARANTINE}/`) && !path.endsWith(NOTE_END);
}

/** A name that cannot be taken for that of a note of ours. */
function noNote(name: string): string {
  return name.endsWith(NOTE_END) ? `${name.slice(0, -NOTE_END.length)}-error.json` : name;
}

/** Where a note says that its file stood; null when it does not, or no file of the vault can stand there. */
function placeIn(note: Note | null): VaultPath | null {
  if (note?.file === undefined) return null;
  try {
    // Names that a caller may not give stand on some disks.
    checkStorePath(note.file, false);
    return vaultPath(note.file);
  } catch (error) {
    if (error instanceof BrainError) return null; // Not written here: somebody's own, or damaged.
    throw error;
  }
}

/** True for a note that says everything that one of ours does. */
function isWhole(note: Note | null): boolean {
  return [note?.file, note?.code, note?.message, note?.at, note?.attempts].every(
    (value) => value !== undefined,
  );
}

/** `report.pdf` as `report-2.pdf`, and a long name shortened, so that a note beside it has room for its own ending. */
function numbered(name: string, number: number): string {
  const dot = name.lastIndexOf('.');
  const end = dot > 0 ? name.slice(dot) : '';
  const stem = Array.from(dot > 0 ? name.slice(0, dot) : name);
  while (stem.length > 1 && utf8Length(stem.join('') + end) > MAX_NAME_BYTES) stem.pop();
  return `${stem.join('')}${number === 1 ? '' : `-${number}`}${end}`;
}

function textOf(note: Note): string {
  return `${JSON.stringify({ ...note, source_hash: note.source_hash ?? null }, null, 2)}\n`;
}

function parseNote(data: unknown): Note | null {
  if (!isRecord(data) || typeof data.file !== 'string') return null;
  const { file, code, message, at, attempts, source_hash } = data;
  return {
    file,
    ...(typeof code === 'string' && { code }),
    ...(typeof message === 'string' && { message }),
    ...(typeof at === 'string' && { at }),
    ...(typeof attempts === 'number' && Number.isInteger(attempts) && { attempts }),
    ...(typeof source_hash === 'string' && { source_hash }),
  };
}

function missing(path: VaultPath): BrainError {
  return new BrainError(
    'source_missing',
    `There is no file in quarantine at "${path}". Ask the status for those that are.`,
    { path },
  );
}
