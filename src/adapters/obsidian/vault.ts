import {
  type App,
  type DataAdapter,
  type EventRef,
  type FileStats,
  type TAbstractFile,
  TFile,
  TFolder,
  type Vault,
} from 'obsidian';
import { KeyedMutex } from '../../core/base/concurrency';
import { BrainError } from '../../core/base/errors';
import { utf8Length } from '../../core/base/hash';
import type { Unsubscribe } from '../../core/base/host';
import {
  type FileEntry,
  type FileStat,
  notAllowed,
  type StateStore,
  tooLarge,
  type VaultChange,
  type VaultStore,
} from '../../core/ports/ports';
import { readHistory } from '../../core/storage/history';
import { journalPath, openRecords } from '../../core/storage/journal';
import { wingOfPath } from '../../core/vocabulary/address';
import { checkTextSize } from '../../core/vocabulary/limits';
import {
  fileName,
  fold,
  folderOf,
  isIgnoredName,
  type VaultPath,
  vaultPath,
} from '../../core/vocabulary/paths';
import { isCutMap } from '../../core/wings/map';
import { notText } from '../files/whole-file';
import { type Durable, expectLonger, expectWhole, isAbsence, syncIfPresent, removePartial } from './durable';
import { checkPath, Folders } from './folders';
import { dropCutCharacter, dropCutEnd, NewBytes } from './truncated';

/**
 * Returns the text of a file, a BOM included, or null when `read` does not find the file.
 * @throws BrainError `unsupported_type` when the bytes are not UTF-8, or more than a note may have; those are not read.
 */
export async function readText(
  file: TFile,
  read: (file: TFile) => Promise<ArrayBuffer | null>,
): Promise<string | null> {
  checkTextSize(file.path, file.stat.size);
  const bytes = await read(file);
  if (bytes === null) return null;
  // The file may have grown since the app last read its size.
  checkTextSize(file.path, bytes.byteLength);
  return decode(bytes, file.path);
}

function decode(bytes: ArrayBuffer, at: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw notText(at, 'is not UTF-8 text'); // The decoder has no other error.
  }
}

/** Yields every file below a folder of the app's tree, without hidden, temporary and conflict files and what `skip` names. */
function* filesBelow(folder: TFolder, skip?: (path: string) => boolean): Generator<TFile> {
  for (const child of [...folder.children]) {
    if (isIgnoredName(child.name) || skip?.(vaultPath(child.path)) === true) continue;
    if (child instanceof TFile) yield child;
    else if (child instanceof TFolder) yield* filesBelow(child, skip);
  }
}

/** Yields the files below a folder as entries of a listing. */
function* entriesBelow(folder: TFolder, skip?: (path: string) => boolean): Generator<FileEntry> {
  for (const { path, stat } of filesBelow(folder, skip)) yield { path: vaultPath(path), ...toStat(stat) };
}

/** Converts the app's stat. Its `ctime` is the time of creation, or 0 where the system does not report one. */
function toStat({ mtime, ctime, size }: FileStats): FileStat {
  return { mtime, size, ...(ctime > 0 && { born: ctime }) };
}

/**
 * Calls `listener` for every change of a file, from when the app has loaded its tree; until then the app announces every
 * existing file. A change may be announced several times, and so are changes of this process: the listener compares
 * contents, never times.
 */
function subscribe(
  { vault, workspace }: Pick<App, 'vault' | 'workspace'>,
  listener: (change: VaultChange) => void,
): Unsubscribe {
  const announce = (kind: VaultChange['kind'], path: string): void => {
    if (!path.split('/').some(isIgnoredName)) listener({ kind, path: vaultPath(path) });
  };
  const onWrite = (file: TAbstractFile): void => {
    if (file instanceof TFile) announce('changed', file.path);
  };
  const onDelete = (file: TAbstractFile): void => {
    if (file instanceof TFile) announce('removed', file.path);
    else if (file instanceof TFolder) for (const each of filesBelow(file)) announce('removed', each.path);
  };
  const onRename = (file: TAbstractFile, oldPath: string): void => {
    const files = file instanceof TFolder ? [...filesBelow(file)] : file instanceof TFile ? [file] : [];
    for (const { path } of files) {
      // The app announces a file that is not yet at its new path by itself, later.
      if (!`${path}/`.startsWith(`${file.path}/`)) continue;
      announce('removed', oldPath + path.slice(file.path.length));
      announce('changed', path);
    }
  };
  let refs: EventRef[] | null = [];
  workspace.onLayoutReady(() => {
    refs?.push(
      vault.on('create', onWrite),
      vault.on('modify', onWrite),
      vault.on('delete', onDelete),
      vault.on('rename', onRename),
    );
  });
  return () => {
    for (const ref of refs ?? []) vault.offref(ref);
    refs = null;
  };
}

/**
 * Moves a file durably, by the app's own rename, which leaves links alone; resolves false, with nothing made, when there is
 * no such file. The caller has checked that the new path is free.
 */
async function moveFile(
  vault: Pick<Vault, 'getFileByPath' | 'rename' | 'adapter'>,
  folders: Folders,
  from: VaultPath,
  to: VaultPath,
): Promise<boolean> {
  const file = vault.getFileByPath(from);
  if (file === null) return false;
  const made = await folders.make(to);
  try {
    await vault.rename(file, to);
  } catch (error) {
    await folders.giveBack(made);
    if (!(await vault.adapter.exists(from))) return false; // The app still shows a file that is gone.
    throw error;
  }
  await folders.sync(to);
  await folders.sync(from);
  return true;
}

/** Returns an ArrayBuffer of exactly these bytes, as the app takes one: a view may cover a part of its buffer. */
function bufferOf(bytes: Uint8Array<ArrayBuffer>): ArrayBuffer {
  const isWhole = bytes.byteLength === bytes.buffer.byteLength;
  return isWhole ? bytes.buffer : bytes.slice().buffer;
}

/** Removes half a character from the end of a file that was cut off while `text` was written to it. */
type DropCutEnd = (path: VaultPath, text: string) => Promise<void>;

/**
 * Makes every file of an unfinished plan in the journal end with a whole character, so that the core can recognize the file
 * and complete or undo it.
 */
async function mendJournaled(state: StateStore, device: string, dropEnd: DropCutEnd): Promise<void> {
  for (const { steps, undo } of openRecords((await state.read(journalPath(device))) ?? '')) {
    for (const step of steps) {
      if (step.kind !== 'remove') await dropEnd(step.path, step.text);
      // An undo may have been cut off as well, while it wrote the previous text.
      const previous = undo === null || step.kind === 'create' ? null : await readHistory(state, step.before);
      if (previous !== null) await dropEnd(step.path, previous);
    }
  }
}

/** Makes every map of a wing end with a whole character. No record names them: the core recognizes a cut map and remakes it. */
async function mendMaps(vault: Vault): Promise<void> {
  for (const folder of vault.getFolderByPath('wiki')?.children ?? []) {
    const at = vaultPath(`${folder.path}/_index.md`);
    const wing = wingOfPath(at);
    if (wing !== null) await dropCutCharacter(vault, at, (beginning) => isCutMap(wing, beginning));
  }
}

/**
 * The record of the derived file that is being replaced, when it holds a person's own words: the app writes in place, so a
 * crash would leave only the beginning of the text. Plans are recorded in the journal; derived files are not.
 */
class DerivedRecord {
  readonly #state: Pick<StateStore, 'read' | 'write' | 'remove'>;
  readonly #file: string;
  #failed = false;

  constructor(state: Pick<StateStore, 'read' | 'write' | 'remove'>, device: string) {
    this.#state = state;
    this.#file = `local.${device}/derived.json`;
  }

  /** Runs `write`, which makes the file hold `text`, with a record from which a cut can be mended. */
  async around<T>(path: VaultPath, text: string, write: () => Promise<T>): Promise<T> {
    await this.#state.write(this.#file, JSON.stringify({ path, text }));
    try {
      const written = await write();
      await this.#state.remove(this.#file);
      return written;
    } catch (error) {
      this.#failed = true;
      throw error;
    }
  }

  /** Settles when a write has failed since the last time: a new record would overwrite the one of that write. */
  async settleFailed(vault: Pick<VaultStore, 'edit'>, dropEnd: DropCutEnd): Promise<void> {
    if (this.#failed) await this.settle(vault, dropEnd);
  }

  /** Completes the file of the record; leaves it alone when it holds anything but the beginning of the text. */
  async settle(vault: Pick<VaultStore, 'edit'>, dropEnd: DropCutEnd): Promise<void> {
    const record = parse(await this.#state.read(this.#file));
    if (record === null) {
      this.#failed = false;
      return;
    }
    const { path, text } = record;
    await dropEnd(path, text);
    try {
      await vault.edit(path, (now) => (now !== text && text.startsWith(now) ? text : null));
    } catch (error) {
      // A file that is not text cannot be the beginning of this one. It is left to a person and does not stop the start.
      if (!(error instanceof BrainError && error.code === 'unsupported_type')) throw error;
    }
    await this.#state.remove(this.#file);
    this.#failed = false;
  }
}

function parse(record: string | null): { path: VaultPath; text: string } | null {
  if (record === null) return null;
  const data: unknown = JSON.parse(record);
  if (typeof data !== 'object' || data === null || !('path' in data) || !('text' in data)) return null;
  const { path, text } = data;
  return typeof path === 'string' && typeof text === 'string' ? { path: vaultPath(path), text } : null;
}

/** The number of times that a note is read again when it changes between reading and replacing. */
const MAX_TRIES = 5;
const BOM = /^\uFEFF/;

/** What became of the replacement of a text: written, left alone by the caller, or changed by someone else meanwhile. */
type Outcome = 'written' | 'left' | 'raced';

interface VaultOptions {
  readonly app: Pick<App, 'vault' | 'workspace' | 'fileManager'>;
  readonly durable: Durable;
  readonly state: StateStore;
  readonly device: string;
  /** Rejects once the vault is not this process's own any more; called right before each change. */
  readonly check?: (() => Promise<void>) | undefined;
}

export interface ObsidianVault extends VaultStore {
  /** Makes those of the folders that are missing in the vault, durably. */
  makeFolders(names: readonly string[]): Promise<void>;
  /** Completes the writes that an earlier run was cut off in and that no journal records. Call it before anything else. */
  settle(): Promise<void>;
}

/**
 * Returns the open vault of the app. It uses the app's own calls, so that editors and caches stay right: the app's loaded
 * tree says which files there are, the disk says what they hold. The app writes in place, so a crash may leave the beginning
 * of a text.
 */
export function createVault(options: VaultOptions): ObsidianVault {
  return new AppVault(options);
}

class AppVault implements ObsidianVault {
  readonly atomicWrites = false;
  readonly #app: VaultOptions['app'];
  readonly #vault: Vault;
  readonly #adapter: DataAdapter;
  readonly #durable: Durable;
  readonly #state: StateStore;
  readonly #device: string;
  readonly #folders: Folders;
  readonly #derived: DerivedRecord;
  readonly #newBytes: NewBytes;
  readonly #check: VaultOptions['check'];
  /** One writer at a time: the app orders writes by file, so two that make the same file would both find it missing. */
  readonly #writes = new KeyedMutex();

  constructor({ app, durable, state, device, check }: VaultOptions) {
    this.#app = app;
    this.#vault = app.vault;
    this.#adapter = app.vault.adapter;
    this.#durable = durable;
    this.#state = state;
    this.#device = device;
    this.#check = check;
    this.#folders = new Folders(app.vault, durable);
    this.#derived = new DerivedRecord(state, device);
    this.#newBytes = new NewBytes(state, device);
  }

  async *list(folder: string, skip?: (path: string) => boolean): AsyncGenerator<FileEntry> {
    if (folder !== '') checkPath(folder);
    const top = this.#vault.getFolderByPath(folder || '/');
    if (top !== null) yield* entriesBelow(top, skip);
  }

  async stat(at: VaultPath): Promise<FileStat | null> {
    checkPath(at);
    const found = this.#vault.getFileByPath(at) && (await this.#adapter.stat(at));
    return found?.type === 'file' ? toStat(found) : null;
  }

  async read(at: VaultPath): Promise<string | null> {
    checkPath(at);
    const file = this.#vault.getFileByPath(at);
    return file && this.#textOf(file);
  }

  async readBytes(at: VaultPath, maxBytes: number): Promise<Uint8Array<ArrayBuffer> | null> {
    checkPath(at);
    const file = this.#vault.getFileByPath(at);
    if (file === null || !(await this.#durable.isOwn(at))) return null;
    // The app reads whole files only, so the size is checked first.
    if (((await this.#adapter.stat(at))?.size ?? 0) > maxBytes) throw tooLarge(at, maxBytes);
    const bytes = await this.#bytesOf(file);
    if (bytes !== null && bytes.byteLength > maxBytes) throw tooLarge(at, maxBytes);
    return bytes && new Uint8Array(bytes);
  }

  create(
    at: VaultPath,
    text: string,
    meanwhile?: readonly (() => void)[],
    like?: VaultPath,
  ): Promise<boolean> {
    return this.#createUnlessTaken(at, () => this.#make(at, text, meanwhile, like));
  }

  createBytes(at: VaultPath, bytes: Uint8Array<ArrayBuffer>): Promise<boolean> {
    return this.#createUnlessTaken(at, () => this.#newBytes.around(at, bytes, () => this.#make(at, bytes)));
  }

  async move(from: VaultPath, to: VaultPath, noted?: Promise<unknown>): Promise<boolean> {
    // Outside the lock, as the caller may need it to settle `noted`.
    await noted;
    return this.#exclusive(to, async () => {
      checkPath(from);
      await this.#folders.missing(to);
      return !(await this.#isTaken(to)) && moveFile(this.#vault, this.#folders, from, to);
    });
  }

  edit(at: VaultPath, change: (old: string) => string | null, like?: VaultPath): Promise<boolean> {
    return this.#exclusive(at, async () => {
      for (let tries = 0; tries < MAX_TRIES; tries += 1) {
        const file = this.#vault.getFileByPath(at);
        const text = file && (await this.#textOf(file));
        if (file === null || text === null) return false;
        if (like !== undefined) await this.#durable.rights(at, like, true);
        const outcome = await this.#replace(file, text, change);
        if (outcome === 'written') return syncIfPresent(this.#durable, this.#adapter, at);
        if (outcome === 'left') return false;
      }
      throw busy(at, 'is being changed by someone else');
    });
  }

  remove(at: VaultPath, expected?: string): Promise<boolean> {
    return this.#exclusive(at, async () => {
      const found = this.#vault.getAbstractFileByPath(at);
      if (found instanceof TFolder) throw notAllowed(at, 'is no regular file');
      if (expected !== undefined && found instanceof TFile) {
        const text = await this.#textOf(found);
        if (text !== null && text !== expected) return false;
      }
      try {
        if (found !== null) await this.#app.fileManager.trashFile(found);
      } catch (error) {
        // The app may fail after it has removed the file, which counts as removed.
        if (await this.#adapter.exists(at, true)) throw error;
      }
      if (await this.#adapter.exists(at, true)) throw busy(at, 'could not be removed');
      // Also when it was gone before: an earlier removal may have been cut off before it reached the disk.
      await this.#folders.sync(at);
      return true;
    });
  }

  async putDerived(
    at: VaultPath,
    text: string,
    { was, durable }: Parameters<VaultStore['putDerived']>[2],
  ): Promise<boolean> {
    await this.#derived.settleFailed(this, this.#dropCutEnd);
    return this.#exclusive(at, async () => {
      const file = this.#vault.getFileByPath(at);
      if (file === null || was === null) {
        if (file !== null || was !== null) return false;
        await this.#makeUnseen(at, text);
        return true;
      }
      const write = async (): Promise<boolean> => {
        const isWritten = (await this.#replace(file, was, () => text)) === 'written';
        return isWritten && (!durable || syncIfPresent(this.#durable, this.#adapter, at));
      };
      return durable ? this.#derived.around(at, text, write) : write();
    });
  }

  append(at: VaultPath, text: string): Promise<void> {
    return this.#exclusive(at, async () => {
      const file = this.#vault.getFileByPath(at);
      if (file === null) return this.#makeUnseen(at, text);
      const before = (await this.#adapter.stat(at))?.size ?? 0;
      await this.#vault.append(file, text);
      await expectLonger(this.#adapter, at, { before, added: utf8Length(text) });
      await this.#durable.file(at);
    });
  }

  async missingFolders(at: VaultPath): Promise<string[]> {
    checkPath(at);
    return this.#folders.missing(at);
  }

  async subfolders(folder: string): Promise<string[]> {
    return this.#folders.below(folder);
  }

  removeEmptyFolders(folders: readonly string[]): Promise<void> {
    return this.#writes.run('', () => this.#folders.removeEmpty(folders));
  }

  changes(listener: (change: VaultChange) => void): Unsubscribe {
    return subscribe(this.#app, listener);
  }

  makeFolders(names: readonly string[]): Promise<void> {
    return this.#writes.run('', async () => {
      for (const name of names) {
        await this.#folders.make(`${name}/`);
        await this.#durable.folder(name);
      }
    });
  }

  async settle(): Promise<void> {
    await mendJournaled(this.#state, this.#device, this.#dropCutEnd);
    await this.#derived.settle(this, this.#dropCutEnd);
    await this.#newBytes.settle(this);
    await mendMaps(this.#vault);
  }

  /** Runs `work` when no other change of the vault runs. @throws BrainError `path_not_allowed`. */
  #exclusive<T>(at: VaultPath, work: () => Promise<T>): Promise<T> {
    return this.#writes.run('', async () => {
      checkPath(at);
      await this.#check?.();
      return work();
    });
  }

  /** Returns the bytes of a file, or null when it is gone and the app still shows it. */
  readonly #bytesOf = async (file: TFile): Promise<ArrayBuffer | null> => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#vault.readBinary(file);
      } catch (error) {
        if ((await this.#adapter.stat(file.path)) === null) return null;
        if (tries === MAX_TRIES) throw error; // The file may have come back between the two calls.
      }
    }
  };

  #textOf(file: TFile): Promise<string | null> {
    return readText(file, this.#bytesOf);
  }

  /** Returns true when a new file may not have this path, on this disk or on another one that the vault is synced to. */
  async #isTaken(at: VaultPath): Promise<boolean> {
    const siblings = this.#vault.getFolderByPath(folderOf(at) || '/')?.children ?? [];
    const folded = fold(fileName(at));
    return siblings.some(({ name }) => fold(name) === folded) || this.#adapter.exists(at, false);
  }

  /** Runs `make` for a path that is free; resolves false when the path is taken. */
  #createUnlessTaken(at: VaultPath, make: () => Promise<boolean>): Promise<boolean> {
    return this.#exclusive(at, async () => {
      await this.#folders.missing(at); // Refuses a path that leads through a file.
      if (await this.#isTaken(at)) {
        // Its writer may have been cut off before the file was on the disk.
        if ((await this.#adapter.stat(at))?.type === 'file') await this.#durable.file(at);
        return false;
      }
      return make();
    });
  }

  /** Makes a file at a free path, with its folders; resolves false, with nothing made, when someone else was faster. */
  async #make(
    at: VaultPath,
    content: string | Uint8Array<ArrayBuffer>,
    meanwhile: readonly (() => void)[] = [],
    like?: VaultPath,
  ): Promise<boolean> {
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
    const made = await this.#folders.make(at);
    try {
      if (typeof content === 'string') await this.#vault.create(at, content);
      else await this.#vault.createBinary(at, bufferOf(content));
      await expectWhole(this.#adapter, at, bytes);
      // The app makes every file with the same rights, so for a moment the file has those.
      if (like !== undefined) await this.#durable.rights(at, like, false);
      const synced = this.#durable.file(at);
      for (const piece of meanwhile) piece();
      await synced;
      return true;
    } catch (error) {
      // A failure of the cleanup must not hide the first one.
      const isOwn = await removePartial(this.#adapter, at, bytes).catch(() => true);
      await this.#folders.giveBack(made);
      if (isOwn) throw error;
      return false;
    }
  }

  /** Makes a file that the app does not show. @throws BrainError `busy` when it exists on the disk all the same. */
  async #makeUnseen(at: VaultPath, text: string): Promise<void> {
    if ((await this.#adapter.exists(at, false)) || !(await this.#make(at, text)))
      throw busy(at, 'stands on disk, and the app does not show it');
  }

  /** Replaces `text` by `change(text)`, atomically for everything inside the app. */
  async #replace(file: TFile, text: string, change: (old: string) => string | null): Promise<Outcome> {
    // An error in the callback keeps the app from writing. Its reason is kept here, as the app may replace the error.
    const stopped: { by: 'left' | 'raced' | { readonly thrown: unknown } | null } = { by: null };
    let made: string | null = null;
    const stop = (by: NonNullable<typeof stopped.by>): never => {
      stopped.by = by;
      throw new Error('Nothing is written.');
    };
    // Much may have been read, and in several tries, since the change began.
    await this.#check?.();
    try {
      await this.#vault.process(file, (now) => {
        // The app may drop a BOM when it reads, so a BOM makes no difference.
        if (now.replace(BOM, '') !== text.replace(BOM, '')) return stop('raced');
        made = attempt(() => change(text), stop);
        return made ?? stop('left');
      });
      await expectWhole(this.#adapter, file.path, new TextEncoder().encode(made ?? text));
      return 'written';
    } catch (error) {
      if (stopped.by === null) {
        // The app still shows a file that is gone.
        if (made === null && (isAbsence(error) || !(await this.#adapter.exists(file.path).catch(() => true))))
          return 'raced';
        // A failure of the cleanup must not hide the first one.
        await dropCutEnd(this.#vault, file.path, made ?? '').catch(() => undefined);
        throw error;
      }
      if (typeof stopped.by === 'object') throw stopped.by.thrown;
      return stopped.by;
    }
  }

  readonly #dropCutEnd: DropCutEnd = async (at, text) => {
    if (await dropCutEnd(this.#vault, at, text)) await this.#durable.file(at);
  };
}

/** Returns the result of `work`; passes an error of it to `stop`. */
function attempt<T>(work: () => T, stop: (by: { readonly thrown: unknown }) => never): T {
  try {
    return work();
  } catch (thrown) {
    return stop({ thrown });
  }
}

function busy(at: VaultPath, problem: string): BrainError {
  return new BrainError('busy', `${at} ${problem}. Try again in a few seconds.`, {
    path: at,
    retry_after: 2,
  });
}
