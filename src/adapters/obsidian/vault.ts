import {
  type App,
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
import { type Durable, expectLonger, expectWhole, isAbsence, settled, takeAway } from './durable';
import { checkPath, Folders } from './folders';
import { dropCutCharacter, dropCutEnd, NewBytes } from './truncated';

/**
 * The text of a file, a BOM included; null when `read` finds it gone.
 * @throws BrainError `unsupported_type` when the bytes are not UTF-8, or too many; those are not read.
 */
export async function readText(
  file: TFile,
  read: (file: TFile) => Promise<ArrayBuffer | null>,
): Promise<string | null> {
  checkTextSize(file.path, file.stat.size);
  const bytes = await read(file);
  if (bytes === null) return null;
  // It may have grown, and the app has not heard of it yet.
  checkTextSize(file.path, bytes.byteLength);
  return decode(bytes, file.path);
}

function decode(bytes: ArrayBuffer, at: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw notText(at, 'is not UTF-8 text'); // The decoder knows no other failure.
  }
}

function notText(at: string, problem: string): BrainError {
  return new BrainError('unsupported_type', `${at} ${problem}, so it cannot be read as a note.`, {
    path: at,
  });
}

/** Every file below a folder of the app's tree, without hidden, temporary and conflict files. */
function* filesBelow(folder: TFolder): Generator<TFile> {
  for (const child of [...folder.children]) {
    if (isIgnoredName(child.name)) continue;
    if (child instanceof TFile) yield child;
    else if (child instanceof TFolder) yield* filesBelow(child);
  }
}

/** The same as the core's listings show them. */
function* entriesBelow(folder: TFolder): Generator<FileEntry> {
  for (const { path, stat } of filesBelow(folder)) yield { path: vaultPath(path), ...toStat(stat) };
}

/** What the app tells of a file. Its `ctime` is when the file was made, or 0 where the system does not say. */
function toStat({ mtime, ctime, size }: FileStats): FileStat {
  return { mtime, size, ...(ctime > 0 && { born: ctime }) };
}

/**
 * Tells `listener` of every change of a file, from when the app has loaded its tree: before, it announces every file that
 * stands there. A change may be told several times, and our own are told as well: whoever listens compares contents, never
 * times.
 */
function listenTo(
  { vault, workspace }: Pick<App, 'vault' | 'workspace'>,
  listener: (change: VaultChange) => void,
): Unsubscribe {
  const tell = (kind: VaultChange['kind'], path: string): void => {
    if (!path.split('/').some(isIgnoredName)) listener({ kind, path: vaultPath(path) });
  };
  const written = (file: TAbstractFile): void => {
    if (file instanceof TFile) tell('changed', file.path);
  };
  const removed = (file: TAbstractFile): void => {
    if (file instanceof TFile) tell('removed', file.path);
    else if (file instanceof TFolder) for (const each of filesBelow(file)) tell('removed', each.path);
  };
  const renamed = (file: TAbstractFile, oldPath: string): void => {
    const files = file instanceof TFolder ? [...filesBelow(file)] : file instanceof TFile ? [file] : [];
    for (const { path } of files) {
      // What does not lie there yet is told by itself when it does.
      if (!`${path}/`.startsWith(`${file.path}/`)) continue;
      tell('removed', oldPath + path.slice(file.path.length));
      tell('changed', path);
    }
  };
  let refs: EventRef[] | null = [];
  workspace.onLayoutReady(() => {
    refs?.push(
      vault.on('create', written),
      vault.on('modify', written),
      vault.on('delete', removed),
      vault.on('rename', renamed),
    );
  });
  return () => {
    for (const ref of refs ?? []) vault.offref(ref);
    refs = null;
  };
}

/**
 * Gives a file another path, durably, by the app's own rename, which leaves links alone; resolves false, with nothing made,
 * when there is no such file. The caller has seen that the path is free.
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
    if (!(await vault.adapter.exists(from))) return false; // Gone, and the app has not heard of it yet.
    throw error;
  }
  await folders.sync(to);
  await folders.sync(from);
  return true;
}

/** The bytes as the app takes them: alone, for they may be a part of a larger memory. */
function bufferOf(bytes: Uint8Array<ArrayBuffer>): ArrayBuffer {
  const isWhole = bytes.byteLength === bytes.buffer.byteLength;
  return isWhole ? bytes.buffer : bytes.slice().buffer;
}

/**
 * Makes every file that a journaled plan was cut in hold whole characters, which the core can tell and complete or take back.
 */
async function settleJournaled(
  state: StateStore,
  device: string,
  whole: (at: VaultPath, text: string) => Promise<void>,
): Promise<void> {
  for (const { steps, undo } of openRecords((await state.read(journalPath(device))) ?? '')) {
    for (const step of steps) {
      if (step.kind !== 'remove') await whole(step.path, step.text);
      // What was being taken back may have been cut as well, while the former text was written.
      const former = undo === null || step.kind === 'create' ? null : await readHistory(state, step.before);
      if (former !== null) await whole(step.path, former);
    }
  }
}

/** The same for maps of wings, of which no record is made: the core tells one that was cut, and makes it again. */
async function settleMaps(vault: Vault): Promise<void> {
  for (const folder of vault.getFolderByPath('wiki')?.children ?? []) {
    const at = vaultPath(`${folder.path}/_index.md`);
    const wing = wingOfPath(at);
    if (wing !== null) await dropCutCharacter(vault, at, (beginning) => isCutMap(wing, beginning));
  }
}

/** Takes the half of a character off a file that was cut while the text was written. */
type Whole = (path: VaultPath, text: string) => Promise<void>;

/**
 * Remembers the one derived file with a person's own words that is being replaced, because the app writes in place and a cut
 * would leave only the beginning. Plans have the journal for that; a derived file is in none.
 */
class Unfinished {
  readonly #state: Pick<StateStore, 'read' | 'write' | 'remove'>;
  readonly #file: string;
  #failed = false;

  constructor(state: Pick<StateStore, 'read' | 'write' | 'remove'>, device: string) {
    this.#state = state;
    this.#file = `local.${device}/derived.json`;
  }

  /** Runs `write`, which is to make the file hold `text`, so that a cut in the middle can be mended. */
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

  /** As `settle`, when a write has failed since; else nothing. A later record would take the place of what it remembers. */
  async settleFailed(vault: Pick<VaultStore, 'edit'>, whole: Whole): Promise<void> {
    if (this.#failed) await this.settle(vault, whole);
  }

  /** Completes what an earlier run was cut off in; leaves alone a file that holds anything but the beginning of the text. */
  async settle(vault: Pick<VaultStore, 'edit'>, whole: Whole): Promise<void> {
    const record = parse(await this.#state.read(this.#file));
    if (record === null) {
      this.#failed = false;
      return;
    }
    const { path, text } = record;
    await whole(path, text);
    try {
      await vault.edit(path, (now) => (now !== text && text.startsWith(now) ? text : null));
    } catch (error) {
      // What is no text is not the beginning of ours: it is for a person to look at, and no reason not to start.
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

/** A note that changes between reading and replacing is read again this often. */
const MAX_TRIES = 5;
const BOM = /^\uFEFF/;

interface VaultOptions {
  readonly app: Pick<App, 'vault' | 'workspace' | 'fileManager'>;
  readonly durable: Durable;
  readonly state: StateStore;
  readonly device: string;
}

export interface ObsidianVault extends VaultStore {
  /** Makes the folders of these names in the vault where they lack, durably. */
  makeFolders(names: readonly string[]): Promise<void>;
  /** Completes what an earlier run was cut off in and no journal knows of. Call it before anything else. */
  settle(): Promise<void>;
}

/**
 * The open vault of the app, through the app's own calls, so that editors and caches stay right. What a file is comes from
 * its loaded tree; what a file holds, from the disk. The app writes in place: a cut may leave the beginning of a text.
 */
export function createVault({ app, durable, state, device }: VaultOptions): ObsidianVault {
  const { vault, fileManager } = app;
  const { adapter } = vault;
  const folders = new Folders(vault, durable);
  const unfinished = new Unfinished(state, device);
  const newBytes = new NewBytes(state, device);
  // One at a time: the app's own order is by file, and two who make the same file would both find it missing.
  const queue = new KeyedMutex();
  const alone = <T>(at: VaultPath, work: () => Promise<T>): Promise<T> =>
    queue.run('', () => {
      checkPath(at);
      return work();
    });

  /** The bytes of a file, or null when it is gone and the app has not heard of it yet. */
  const bytesOf = async (file: TFile): Promise<ArrayBuffer | null> => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await vault.readBinary(file);
      } catch (error) {
        if ((await adapter.stat(file.path)) === null) return null;
        if (tries === MAX_TRIES) throw error; // It may have come back in between.
      }
    }
  };

  const textOf = (file: TFile): Promise<string | null> => readText(file, bytesOf);

  /** True when a new file may not have this path: on this disk, or on another one that the vault is synced to. */
  const isTaken = async (at: VaultPath): Promise<boolean> => {
    const siblings = vault.getFolderByPath(folderOf(at) || '/')?.children ?? [];
    const folded = fold(fileName(at));
    return siblings.some(({ name }) => fold(name) === folded) || adapter.exists(at, false);
  };

  /** Makes a file that is not there, with its folders; false, with nothing made, when somebody was faster. */
  const make = async (
    at: VaultPath,
    content: string | Uint8Array<ArrayBuffer>,
    meanwhile: readonly (() => void)[] = [],
  ): Promise<boolean> => {
    const ours = typeof content === 'string' ? new TextEncoder().encode(content) : content;
    const made = await folders.make(at);
    try {
      if (typeof content === 'string') await vault.create(at, content);
      else await vault.createBinary(at, bufferOf(content));
      await expectWhole(adapter, at, ours);
      const synced = durable.file(at);
      for (const piece of meanwhile) piece();
      await synced;
      return true;
    } catch (error) {
      // What goes wrong here must not hide the first failure.
      const isOurs = await takeAway(adapter, at, ours).catch(() => true);
      await folders.giveBack(made);
      if (isOurs) throw error;
      return false;
    }
  };

  /** Makes a file with its folders; false, with nothing made, when the path is taken. */
  const makeNew = (
    at: VaultPath,
    content: string | Uint8Array<ArrayBuffer>,
    meanwhile?: readonly (() => void)[],
    around = (making: () => Promise<boolean>) => making(),
  ): Promise<boolean> =>
    alone(at, async () => {
      await folders.missing(at); // Refuses a path through a file, which nothing could stand below.
      if (await isTaken(at)) {
        // Whoever has it may have been cut before it was on the disk.
        if ((await adapter.stat(at))?.type === 'file') await durable.file(at);
        return false;
      }
      return around(() => make(at, content, meanwhile));
    });

  const makeUnlessTaken = async (at: VaultPath, text: string): Promise<void> => {
    if ((await adapter.exists(at, false)) || !(await make(at, text)))
      throw busy(at, 'stands on disk, and the app does not show it');
  };

  /** Puts `change(text)` in the place of `text`, in one go for everybody inside the app. */
  const replace = async (
    file: TFile,
    text: string,
    change: (old: string) => string | null,
  ): Promise<'written' | 'left' | 'raced'> => {
    // What the callback throws keeps the app from writing; what came of it is told here, whatever the app does with that.
    const stopped: { by: 'left' | 'raced' | { readonly thrown: unknown } | null } = { by: null };
    let made: string | null = null;
    const stop = (by: NonNullable<typeof stopped.by>): never => {
      stopped.by = by;
      throw new Error('Nothing is written.');
    };
    try {
      await vault.process(file, (now) => {
        // The app may leave out a byte order mark when it reads, so it is no difference.
        if (now.replace(BOM, '') !== text.replace(BOM, '')) return stop('raced');
        made = attempt(() => change(text), stop);
        return made ?? stop('left');
      });
      await expectWhole(adapter, file.path, new TextEncoder().encode(made ?? text));
      return 'written';
    } catch (error) {
      if (stopped.by === null) {
        // Gone, and the app has not heard of it yet.
        if (made === null && (isAbsence(error) || !(await adapter.exists(file.path).catch(() => true))))
          return 'raced';
        // Only text can be taken back. What goes wrong here must not hide the first failure.
        await dropCutEnd(vault, file.path, made ?? '').catch(() => undefined);
        throw error;
      }
      if (typeof stopped.by === 'object') throw stopped.by.thrown;
      return stopped.by;
    }
  };

  const whole = async (at: VaultPath, text: string): Promise<void> => {
    if (await dropCutEnd(vault, at, text)) await durable.file(at);
  };

  return {
    atomicWrites: false,
    async *list(folder): AsyncGenerator<FileEntry> {
      if (folder !== '') checkPath(folder);
      const top = vault.getFolderByPath(folder || '/');
      if (top !== null) yield* entriesBelow(top);
    },
    async stat(at) {
      checkPath(at);
      const found = vault.getFileByPath(at) && (await adapter.stat(at));
      return found?.type === 'file' ? toStat(found) : null;
    },
    async read(at) {
      checkPath(at);
      const file = vault.getFileByPath(at);
      return file && textOf(file);
    },
    async readBytes(at, maxBytes) {
      checkPath(at);
      const file = vault.getFileByPath(at);
      if (file === null || !(await durable.isOwn(at))) return null;
      // The app reads a file whole, so its size is asked first.
      if (((await adapter.stat(at))?.size ?? 0) > maxBytes) throw tooLarge(at, maxBytes);
      const bytes = await bytesOf(file);
      if (bytes !== null && bytes.byteLength > maxBytes) throw tooLarge(at, maxBytes);
      return bytes && new Uint8Array(bytes);
    },
    create: makeNew,
    createBytes: (at, bytes) => makeNew(at, bytes, [], (making) => newBytes.around(at, bytes, making)),
    async move(from, to, noted) {
      // Before the vault's turn is taken, as whoever notes may need it.
      await noted;
      return alone(to, async () => {
        checkPath(from);
        await folders.missing(to);
        return !(await isTaken(to)) && moveFile(vault, folders, from, to);
      });
    },
    edit: (at, change) =>
      alone(at, async () => {
        for (let tries = 0; tries < MAX_TRIES; tries += 1) {
          const file = vault.getFileByPath(at);
          const text = file && (await textOf(file));
          if (file === null || text === null) return false;
          const outcome = await replace(file, text, change);
          if (outcome === 'written') return settled(durable, adapter, at);
          if (outcome === 'left') return false;
        }
        throw busy(at, 'is being changed by someone else');
      }),
    remove: (at, expected) =>
      alone(at, async () => {
        const found = vault.getAbstractFileByPath(at);
        if (found instanceof TFolder) throw notAllowed(at, 'is no regular file');
        if (expected !== undefined && found instanceof TFile) {
          const text = await textOf(found);
          if (text !== null && text !== expected) return false;
        }
        try {
          if (found !== null) await fileManager.trashFile(found);
        } catch (error) {
          // What counts is that it is gone: the app may fail after it has done its work.
          if (await adapter.exists(at, true)) throw error;
        }
        if (await adapter.exists(at, true)) throw busy(at, 'could not be removed');
        // Also where it was gone before: whoever removed it may have been cut before that was on the disk.
        await folders.sync(at);
        return true;
      }),
    async putDerived(at, text, { was, durable: isDurable }) {
      await unfinished.settleFailed(this, whole);
      return alone(at, async () => {
        const file = vault.getFileByPath(at);
        if (file === null || was === null) {
          if (file !== null || was !== null) return false;
          await makeUnlessTaken(at, text);
          return true;
        }
        const write = async (): Promise<boolean> => {
          const isWritten = (await replace(file, was, () => text)) === 'written';
          return isWritten && (!isDurable || settled(durable, adapter, at));
        };
        return isDurable ? unfinished.around(at, text, write) : write();
      });
    },
    append: (at, text) =>
      alone(at, async () => {
        const file = vault.getFileByPath(at);
        if (file === null) return makeUnlessTaken(at, text);
        const before = (await adapter.stat(at))?.size ?? 0;
        await vault.append(file, text);
        await expectLonger(adapter, at, { before, added: utf8Length(text) });
        await durable.file(at);
      }),
    async missingFolders(at) {
      checkPath(at);
      return folders.missing(at);
    },
    subfolders: async (folder) => folders.below(folder),
    removeEmptyFolders: (names) => queue.run('', () => folders.removeEmpty(names)),
    changes: (listener) => listenTo(app, listener),
    makeFolders: (names) =>
      queue.run('', async () => {
        for (const name of names) {
          await folders.make(`${name}/`);
          await durable.folder(name);
        }
      }),
    async settle() {
      await settleJournaled(state, device, whole);
      await unfinished.settle(this, whole);
      await newBytes.settle(this);
      await settleMaps(vault);
    },
  };
}

/** What `work` returns; what it throws is handed to `stop`. */
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
