import { type App, TFile, TFolder } from 'obsidian';
import { BrainError } from '../../core/errors';
import { PathQueue } from '../../core/path-queue';
import type { FileEntry, StateStore, VaultStore } from '../../core/ports';
import { utf8Length } from '../../core/rules/hash';
import { fileName, fold, folderOf, type VaultPath } from '../../core/rules/paths';
import { notAllowed, tooLarge } from '../../core/store-path';
import { readText } from './decode';
import { type Durable, isAbsence, settled } from './durable';
import { listenTo } from './events';
import { entriesBelow, toStat } from './files';
import { Folders } from './folders';
import { bufferOf, moveFile } from './move';
import { NewBytes } from './new-bytes';
import { checkPath } from './paths';
import { settleJournaled, settleMaps } from './settle';
import { dropCutEnd } from './torn';
import { Unfinished } from './unfinished';
import { expectLonger, expectWhole, takeAway } from './whole';

/** A note that changes between reading and replacing is read again this often. */
const MAX_TRIES = 5;
const BOM = /^\uFEFF/;

export interface VaultOptions {
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
  const queue = new PathQueue();
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
