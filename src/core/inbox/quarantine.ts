import { BrainError, called } from '../base/errors';
import { utf8Length } from '../base/hash';
import { isRecord } from '../base/json';
import { localDate, timestamp } from '../base/time';
import { isInboxFile, QUARANTINE } from '../documents/paths';
import type { QuarantinedFile } from '../documents/ports';
import type { Brain } from '../operation/context';
import { checkStorePath } from '../ports/ports';
import { fileName, folderOf, type VaultPath, vaultPath } from '../vocabulary/paths';

/** The failure of a file. */
interface Failure {
  readonly code: string;
  readonly message: string;
  readonly attempts: number;
  /** Null when the file could not be read. */
  readonly sourceHash: string | null;
}

type Note = Omit<QuarantinedFile, 'path'>;

const NOTE_END = '.error.json';
/** The beginning and the end of the text of an error note. */
const NOTE_BEGIN = '{\n  "file": ';
const NOTE_STOP = '\n}\n';
const MAX_NOTE_BYTES = 64 * 1024;
/** The largest number that a taken name gets. */
const MAX_NUMBER = 10_000;
/** The longest file name; file systems allow 255 bytes. */
const MAX_NAME_BYTES = 230;

/**
 * Files that could not be ingested, each with an error note, `<name>.error.json`. The note is created before the file moves
 * here and removed after it has moved back, so that after a crash at any point the file has one place, or `settle` gives it
 * one.
 */
export class Quarantine {
  /** Error notes by the path of their file, as last read. */
  readonly #notes = new Map<VaultPath, Note | null>();

  constructor(private readonly brain: Pick<Brain, 'vault' | 'catalog' | 'writer' | 'clock' | 'log'>) {}

  /** Moves a file here with its error note; resolves with its new path, or null when it is gone. */
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
   * Moves a file back into `inbox`, to its former name or the next free one; resolves with the new path. A dry run moves
   * nothing.
   * @throws BrainError `source_missing` when there is no such file, `busy` when it cannot be moved
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

  /** Lists the files in quarantine, by path. */
  async list(): Promise<QuarantinedFile[]> {
    const files = this.brain.catalog.pathsBelow(`${QUARANTINE}/`).filter((path) => !path.endsWith(NOTE_END));
    const found: QuarantinedFile[] = [];
    for (const path of files) found.push({ path, ...(await this.#noteAt(path)) });
    return found;
  }

  /** Drops the cached note of a changed file. */
  changed(path: VaultPath): void {
    if (path.startsWith(`${QUARANTINE}/`)) this.#notes.delete(vaultPath(path.replace(/\.error\.json$/, '')));
  }

  /** Completes interrupted moves: a file with both names moves here, and a note without a file is removed. */
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

  /** Returns false also for a path that is invalid on this disk: a note may come from another device. */
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

  /** Returns null when there is no error note, or the file is none. */
  async #readNote(path: VaultPath): Promise<Note | null> {
    try {
      return parseNote(JSON.parse((await this.brain.vault.read(noteOf(path))) ?? 'null'));
    } catch (error) {
      if (error instanceof SyntaxError || error instanceof BrainError) return null;
      throw error;
    }
  }

  /** Returns true for an error note that a crash truncated, as an app that writes in place may leave it. */
  async #isTorn(at: VaultPath): Promise<boolean> {
    const bytes = await this.brain.vault.readBytes(at, MAX_NOTE_BYTES).catch(() => null);
    if (bytes === null) return false;
    const begin = String.fromCharCode(...bytes.subarray(0, NOTE_BEGIN.length));
    const isWhole = String.fromCharCode(...bytes.subarray(-NOTE_STOP.length)) === NOTE_STOP;
    return NOTE_BEGIN.startsWith(begin) && !isWhole;
  }

  /** Updates the catalog at once instead of after the events. */
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

/** Returns a name that no error note can have. */
function noNote(name: string): string {
  return name.endsWith(NOTE_END) ? `${name.slice(0, -NOTE_END.length)}-error.json` : name;
}

/** Returns the former path in a note; null when it has none, or the path is not allowed. */
function placeIn(note: Note | null): VaultPath | null {
  if (note?.file === undefined) return null;
  try {
    // Some disks have names that a caller may not give.
    checkStorePath(note.file, false);
    return vaultPath(note.file);
  } catch (error) {
    if (error instanceof BrainError) return null; // The note is foreign or damaged.
    throw error;
  }
}

/** Returns true for a note with all fields of an error note. */
function isWhole(note: Note | null): boolean {
  return [note?.file, note?.code, note?.message, note?.at, note?.attempts].every(
    (value) => value !== undefined,
  );
}

/** Numbers a name: `report.pdf` becomes `report-2.pdf`; a long name is shortened to leave room for the suffix of its note. */
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
    `There is no file in quarantine at "${path}". It is in ${called('status', 'the status')} which files are.`,
    { path },
  );
}
