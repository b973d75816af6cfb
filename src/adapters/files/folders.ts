import { constants } from 'node:fs';
import path from 'node:path';
import { BrainError } from '../../core/base/errors';
import { notAllowed } from '../../core/ports/ports';
import { isIgnoredName } from '../../core/vocabulary/paths';
import {
  type FileInfo,
  type FileSystem,
  hasCode,
  type OpenFile,
  orGone,
  orNull,
  syncFolder,
  SYNCS_FOLDERS,
} from './file-system';

/** The number of recently written folders that stay open, so that syncing one is a single call. */
const MAX_OPEN = 64;
const FOLDER_FLAGS = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);
const NOT_ASCII = /[^ -~]/;
/** The entries of a folder that are read for each missing name, on average. */
const NAMES_PER_MISS = 16;

/** An existing folder inside the root. */
export interface Folder {
  /** The absolute path, as the disk spells it. */
  readonly full: string;
  /** Tells this folder from another one that has replaced it. */
  readonly identity: string;
}

/** A folder that is kept open. `users` counts the syncs that wait for it or are under way. */
interface OpenFolder {
  readonly handle: Promise<OpenFile>;
  users: number;
}

/**
 * The folders below one root. Every path of the store is resolved here, and a path that leads outside the root through a
 * link, at any level, is refused. A path is resolved anew each time, because a folder may have been moved and replaced by a
 * link. A link that replaces a folder between the check and the call that follows is not detected: no call of Node takes an
 * open folder. Names are NFC to the outside; a name that the disk spells in another form is found all the same.
 */
export class Folders {
  readonly #open = new Map<string, OpenFolder>();
  /** The identities of folders whose own names are on the disk, as this process has synced their parents. */
  readonly #settled = new Set<string>();
  #isClosed = false;
  /** Names that the disk does not spell in NFC, by the path of the file or folder. */
  readonly #spelling = new Map<string, string>();
  /** The names that may still be missing from a folder until it is read again, by its identity. */
  readonly #skips = new Map<string, number>();

  constructor(
    readonly fs: FileSystem,
    /** An absolute path without links. */
    readonly root: string,
    /** Called before a folder is made; the folder is not made when it rejects. */
    private readonly beforeMaking?: () => Promise<void>,
    /** The mode of folders that are made; the user's umask clears bits of it. */
    private readonly mode = 0o777,
  ) {}

  /**
   * Returns the folder, or null when there is none.
   * @throws BrainError `path_not_allowed` when it leads outside the root or into a hidden folder, whether it exists or not,
   * or is a file.
   */
  async find(folder: string): Promise<Folder | null> {
    const found = await this.#look(folder);
    if (found === null) await this.#checkAbove(folder);
    return found;
  }

  /** Returns the folder as `find` does, without checking where the path of a missing folder leads. */
  async #look(folder: string): Promise<Folder | null> {
    const full = this.#full(folder);
    const stat = await orNull(this.fs.lstat(full));
    if (stat === null) return (await this.respell(folder)) ? this.#look(folder) : null;
    // No earlier answer is reused: a folder keeps its identity when its parent is moved and replaced by a link.
    const real = await this.#realPath(folder, full);
    if (real === null) return null;
    if (stat.isSymbolicLink()) return this.#look(real);
    if (!stat.isDirectory()) throw notAllowed(folder, 'is a file, not a folder');
    return { full, identity: identityOf(stat) };
  }

  /** Refuses a missing folder when the existing part of its path leads outside the root. */
  async #checkAbove(folder: string): Promise<void> {
    for (let at = parentOf(folder); (await this.#realPath(at, this.#full(at))) === null && at !== '';)
      at = parentOf(at);
  }

  /** Returns the missing folders of a path, outermost first, the folder itself included. */
  async missing(folder: string): Promise<string[]> {
    const missing: string[] = [];
    // The innermost existing folder shows whether the path leads outside.
    for (let at = folder; at !== '' && (await this.#look(at)) === null; at = parentOf(at)) missing.push(at);
    return missing.reverse();
  }

  /** Makes the folder with its parents; `made` are the new ones, outermost first. */
  async make(folder: string): Promise<{ folder: Folder; made: string[] }> {
    const found = await this.find(folder);
    if (found) return { folder: found, made: [] };
    await this.beforeMaking?.();
    const made: string[] = [];
    try {
      for (const missing of await this.missing(folder)) {
        if (await this.#makeOne(missing)) made.push(missing);
      }
      const folderNow = await this.find(folder);
      if (folderNow === null) throw new Error(`The folder ${folder} was removed while it was being made.`);
      return { folder: folderNow, made };
    } catch (error) {
      await this.removeEmpty(made);
      throw error;
    }
  }

  async #makeOne(folder: string): Promise<boolean> {
    try {
      await this.fs.mkdir(this.#full(folder), this.mode);
      return true;
    } catch (error) {
      if (hasCode(error, 'EEXIST')) return false;
      throw error;
    }
  }

  /** Removes the folders that are empty, innermost first, durably. */
  async removeEmpty(folders: readonly string[]): Promise<void> {
    for (const folder of [...folders].reverse()) {
      try {
        const found = await this.find(folder);
        if (found === null) continue;
        this.#settled.delete(found.identity);
        await this.fs.rmdir(found.full);
        const parent = await this.find(parentOf(folder));
        if (parent) await this.#sync(parent);
      } catch (error) {
        // Some systems report a folder that is not empty as EEXIST. A folder that has become a file or a link meanwhile
        // stays.
        const kept =
          error instanceof BrainError || hasCode(error, 'ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR');
        if (!kept) throw error;
      }
    }
  }

  /**
   * Makes changes of names in the folder durable, and the folder itself: an earlier run may have made it and been cut off
   * before its name was on the disk. `made` are folders that were just made for it.
   */
  async sync(folder: Folder, made: readonly string[] = []): Promise<void> {
    await this.#sync(folder);
    let at = folder;
    for (let level = 0; level < made.length || !this.#settled.has(at.identity); level += 1) {
      if (at.full === this.root) return;
      const parent = await this.#around(at);
      // Another process has removed a folder that is gone, with all changes in it.
      if (parent === null) return;
      await this.#sync(parent);
      this.#settled.add(at.identity);
      at = parent;
    }
  }

  /** Returns the parent of a folder; null when it is gone. */
  async #around({ full }: Folder): Promise<Folder | null> {
    // The path of a folder may lead through a link, so the parent of its path may be another folder.
    const parent = await orNull(this.fs.realpath(path.dirname(full)));
    if (parent === null) return null;
    const stat = await orNull(this.fs.lstat(parent));
    return stat && { full: parent, identity: identityOf(stat) };
  }

  async #sync({ full, identity }: Folder): Promise<void> {
    if (!SYNCS_FOLDERS) return;
    const open = this.#open.get(identity) ?? { handle: this.fs.open(full, FOLDER_FLAGS), users: 0 };
    // Before the first await, or a second sync would open the folder again. Inserted last: the map is in the order of use.
    this.#open.delete(identity);
    // After `close`, a folder is not kept, and so it is closed when its sync is done.
    if (!this.#isClosed) this.#open.set(identity, open);
    open.users += 1;
    const handle = await this.#handleOf(identity, open);
    try {
      await syncFolder(handle);
    } finally {
      open.users -= 1;
      if (this.#open.get(identity) !== open) await this.#closeIdle(open);
    }
    for (const [oldest, other] of this.#open) {
      if (this.#open.size <= MAX_OPEN) break;
      this.#open.delete(oldest);
      await this.#closeIdle(other);
    }
  }

  /** Waits for a folder to be open. A folder that cannot be opened is forgotten, so that the next sync tries again. */
  async #handleOf(identity: string, open: OpenFolder): Promise<OpenFile> {
    try {
      return await open.handle;
    } catch (error) {
      if (this.#open.get(identity) === open) this.#open.delete(identity);
      throw error;
    }
  }

  /** Closes a folder that is no longer kept. While syncs still use it, the last of them closes it. */
  async #closeIdle(open: OpenFolder): Promise<void> {
    if (open.users === 0) await (await open.handle).close();
  }

  /** Returns the last segment of a path as the disk spells it. */
  spelled(at: string): string {
    return this.#spelling.get(at) ?? nameOf(at);
  }

  /** Remembers that the disk spells the last segment of `at` as `name`. */
  spell(at: string, name: string): void {
    this.#spelling.set(at, name);
  }

  /**
   * Finds out how the disk spells a path that was not found. Returns true when the spelling has changed, so that another try
   * makes sense. A name in NFD is found at once. For one in neither form the folder has to be read, which takes time linear in
   * its files, so that a large folder is not read for each of many new names.
   */
  async respell(at: string): Promise<boolean> {
    if (!NOT_ASCII.test(at)) return false;
    const before = this.#full(parentOf(at));
    const parent = await this.find(parentOf(at));
    if (parent === null) return false;
    const moved = this.#full(parentOf(at)) !== before;
    const name = nameOf(at);
    if (!NOT_ASCII.test(name)) return moved;
    const decomposed = name.normalize('NFD');
    if (this.spelled(at) !== decomposed && (await this.#exists(path.join(parent.full, decomposed)))) {
      this.spell(at, decomposed);
      return true;
    }
    const skips = this.#skips.get(parent.identity) ?? 0;
    if (skips > 0 && !this.#spelling.has(at)) {
      this.#skips.set(parent.identity, skips - 1);
      return moved;
    }
    const names = (await this.fs.readdir(parent.full)).map((entry) => entry.name);
    if (this.#skips.size >= MAX_OPEN) this.#skips.clear();
    this.#skips.set(parent.identity, Math.floor(names.length / NAMES_PER_MISS));
    const spelled = names.includes(name) ? name : names.find((other) => other.normalize('NFC') === name);
    const renamed = spelled !== undefined && spelled !== this.spelled(at);
    if (spelled === undefined || spelled === name) this.#spelling.delete(at);
    else this.spell(at, spelled);
    return moved || renamed;
  }

  /** Has the next missing name read its folder, because there may be a new file whose name is in neither form. */
  forgetMisses(): void {
    this.#skips.clear();
  }

  async #exists(full: string): Promise<boolean> {
    return (await orNull(this.fs.lstat(full))) !== null;
  }

  /** Closes the open folders. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const open = [...this.#open.values()];
    this.#open.clear();
    for (const each of open) await this.#closeIdle(each);
  }

  #full(folder: string): string {
    if (folder === '') return this.root;
    if (this.#spelling.size === 0) return path.join(this.root, folder);
    let full = this.root;
    let at = '';
    for (const segment of folder.split('/')) {
      at = joined(at, segment);
      full = path.join(full, this.#spelling.get(at) ?? segment);
    }
    return full;
  }

  /** Returns the real path of the folder, relative to the root; null when it is gone. */
  async #realPath(folder: string, full: string): Promise<string | null> {
    const real = await orNull(this.fs.realpath(full));
    if (real === null) {
      if ((await orNull(this.fs.lstat(full))) !== null)
        throw notAllowed(folder, 'is a link that leads nowhere');
      return null;
    }
    if (real !== this.root && !real.startsWith(this.root + path.sep)) {
      throw notAllowed(folder, 'leads outside the vault');
    }
    const segments = real.slice(this.root.length + 1).split(path.sep);
    if (segments.some((segment) => segment.startsWith('.')))
      throw notAllowed(folder, 'leads into a hidden folder');
    return segments.join('/');
  }
}

/** Returns a key that tells a file or folder from another one that has replaced it. */
export function identityOf({ dev, ino, birthtimeMs }: FileInfo): string {
  return `${dev}:${ino}:${birthtimeMs}`;
}

/** Returns the folder of a path; empty for the root. */
export function parentOf(at: string): string {
  return at.slice(0, Math.max(0, at.lastIndexOf('/')));
}

function nameOf(at: string): string {
  return at.slice(at.lastIndexOf('/') + 1);
}

/** Joins a folder and a name; the empty folder is the root. */
export function joined(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/**
 * Returns the names of the folders directly below a folder, empty ones too, without ignored ones and links. None when the
 * folder is absent.
 */
export async function subfolders(folders: Folders, folder: string): Promise<string[]> {
  const found = await folders.find(folder);
  const entries = found === null ? null : await orGone(folders.fs.readdir(found.full));
  const names = (entries ?? []).flatMap((entry) => (entry.isDirectory() ? entry.name.normalize('NFC') : []));
  return [...new Set(names)].filter((name) => !isIgnoredName(name));
}

/** The files of one folder: their paths in the vault and on the disk. */
export type FolderFiles = readonly { readonly path: string; readonly full: string }[];

/**
 * Called with a folder that cannot be read and the error (ENAMETOOLONG: also with a file that cannot be reached). It
 * returns to skip it, or throws to end the walk.
 */
export type OnUnreadable = (path: string, error: unknown) => void;

/**
 * Why a walk leaves out a file or folder that `skip` does not name: `not-utf8`, no call reaches its name, which is not
 * text; `twin`, another name in the folder is the same in NFC.
 */
type PassedOver = 'not-utf8' | 'twin';

/** Callbacks of a walk. */
interface WalkListener {
  /** Without it, a folder that cannot be read is an error. */
  readonly onUnreadable?: OnUnreadable;
  /** Called with each folder before it is read, the first one included. */
  readonly onFolder?: (path: string, full: string) => void;
  /** Called with a file or folder that is left out, at the path that it would have. */
  readonly onPassedOver?: (path: string, why: PassedOver) => void;
}

/**
 * Yields every regular file below a folder, folder by folder. Links are not followed. Nothing when the folder is absent.
 * `skip` decides by name and path which files and folders are skipped.
 */
export async function* walk(
  folders: Folders,
  start: string,
  skip: (name: string, path: string) => boolean,
  { onUnreadable = raise, onFolder, onPassedOver }: WalkListener = {},
): AsyncGenerator<FolderFiles> {
  const top = await folders.find(start);
  const waiting = top === null ? [] : [{ path: start, full: top.full }];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    onFolder?.(at.path, at.full);
    const entries = await entriesOf(folders, at, onUnreadable);
    const names = new Set(entries.map((entry) => entry.name));
    const files: { path: string; full: string }[] = [];
    for (const entry of entries) {
      const name = entry.name.normalize('NFC');
      const path = joined(at.path, name);
      if (skip(name, path)) continue;
      if (name !== entry.name) {
        // When both spellings exist, the one in NFC is the note: a path can name only one of them.
        if (names.has(name)) {
          onPassedOver?.(path, 'twin');
          continue;
        }
        names.add(name);
        folders.spell(path, entry.name);
      }
      const found = { path, full: `${at.full}/${entry.name}` };
      if (onPassedOver !== undefined && (await isUnreachable(folders, entry.name, found.full))) {
        onPassedOver(path, 'not-utf8');
        continue;
      }
      if (entry.isDirectory()) waiting.push(found);
      else if (entry.isFile()) files.push(found);
    }
    if (files.length > 0) yield files;
  }
}

async function entriesOf(
  { fs }: Folders,
  at: { path: string; full: string },
  onUnreadable: OnUnreadable,
): ReturnType<FileSystem['readdir']> {
  try {
    return (await orGone(fs.readdir(at.full))) ?? [];
  } catch (error) {
    onUnreadable(at.path, error);
    return [];
  }
}

/** Returns true when a listed name cannot be reached: Node replaces bytes that are not UTF-8 by U+FFFD. */
async function isUnreachable({ fs }: Folders, name: string, full: string): Promise<boolean> {
  if (!name.includes('\uFFFD')) return false;
  try {
    return (await orGone(fs.lstat(full))) === null;
  } catch {
    return false; // The file exists, whatever the error is.
  }
}

function raise(_: string, error: unknown): never {
  throw error;
}
