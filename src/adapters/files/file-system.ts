import {
  closeSync,
  type Dirent,
  fchmod,
  fstatSync,
  fsync,
  ftruncate,
  lstatSync,
  open,
  read,
  realpathSync,
  type Stats,
  write,
} from 'node:fs';
import { link, mkdir, readdir, rename, rmdir, unlink } from 'node:fs/promises';
import { promisify } from 'node:util';

/** What the store asks about a file or folder. */
export type FileInfo = Pick<
  Stats,
  | 'dev'
  | 'ino'
  | 'mode'
  | 'size'
  | 'mtimeMs'
  | 'ctimeMs'
  | 'birthtimeMs'
  | 'isFile'
  | 'isDirectory'
  | 'isSymbolicLink'
>;

/** An open file or folder: the calls of Node's `FileHandle` that the store makes. */
export interface OpenFile {
  stat(): Promise<FileInfo>;
  read(buffer: Uint8Array, offset: number, length: number, position: number): Promise<{ bytesRead: number }>;
  /** May write less than it was given, as the system call may. */
  write(buffer: Uint8Array, offset: number, length: number): Promise<{ bytesWritten: number }>;
  chmod(mode: number): Promise<void>;
  truncate(length: number): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Every call that the store makes to the file system, and no other. It is a port so that tests can make the n-th call
 * fail, write short, or be the last one before a crash.
 */
export interface FileSystem {
  open(path: string, flags: string | number, mode?: number): Promise<OpenFile>;
  /** Null, or the error ENOENT, when nothing stands there. */
  lstat(path: string): Promise<FileInfo | null>;
  realpath(path: string): Promise<string>;
  readdir(path: string): Promise<Pick<Dirent, 'name' | 'isFile' | 'isDirectory'>[]>;
  mkdir(path: string, mode?: number): Promise<void>;
  rmdir(path: string): Promise<void>;
  link(from: string, to: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  unlink(path: string): Promise<void>;
}

/**
 * The file system of this machine. What may have to wait for the disk goes through Node's thread pool; what the system
 * answers from memory (what stands at a path and where it leads, letting go of an open file) is asked at once, because the way
 * through the pool takes ten times longer than the answer and a write asks a dozen times.
 */
export const nodeFileSystem: FileSystem = {
  open: async (path, flags, mode) => openFile(await openDescriptor(path, flags, mode)),
  // Every new note asks for what is not there, and making an error takes five times longer than the answer.
  lstat: (path) => atOnce(() => lstatSync(path, { throwIfNoEntry: false }) ?? null),
  // Asked for every folder that is used. It waits for no more than `lstat` of what lies in the folder does.
  realpath: (path) => atOnce(() => realpathSync.native(path)),
  readdir: (path) => readdir(path, { withFileTypes: true }),
  mkdir: (path, mode) => mkdir(path, mode),
  rmdir,
  link,
  rename,
  unlink,
};

const openDescriptor = promisify<string, string | number, number | undefined, number>(open);
const readDescriptor = promisify(read);
const writeDescriptor = promisify(write);
const syncDescriptor = promisify(fsync);
const truncateDescriptor = promisify(ftruncate);
const chmodDescriptor = promisify(fchmod);

function openFile(descriptor: number): OpenFile {
  return {
    stat: () => atOnce(() => fstatSync(descriptor)),
    read: (buffer, offset, length, position) => readDescriptor(descriptor, buffer, offset, length, position),
    write: (buffer, offset, length) => writeDescriptor(descriptor, buffer, offset, length),
    chmod: (mode) => chmodDescriptor(descriptor, mode),
    truncate: (length) => truncateDescriptor(descriptor, length),
    sync: () => syncDescriptor(descriptor),
    close: () => atOnce(() => closeSync(descriptor)),
  };
}

/** False on Windows, where a folder need not be synced, nor may it. */
export const SYNCS_FOLDERS = process.platform !== 'win32';

/**
 * Brings the names in a folder that is open to the disk. Resolves false where there is no such call, as on some network drives:
 * what is in their files is synced all the same.
 */
export async function syncFolder(folder: Pick<OpenFile, 'sync'>): Promise<boolean> {
  try {
    await folder.sync();
    return true;
  } catch (error) {
    if (hasCode(error, 'EINVAL', 'ENOTSUP')) return false;
    throw error;
  }
}

/** The outcome of a call that does not wait, as the others give it. */
function atOnce<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => resolve(work()));
}

/** True when `error` is a system error with one of these codes (`ENOENT`). */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  const code = codeOf(error);
  return code !== null && codes.includes(code);
}

/** The system's word for what is wrong (`EIO`); null when the error has none. */
export function codeOf(error: unknown): string | null {
  // Not by `instanceof`: the errors of Node's own modules may come from another realm.
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

/** True when `error` says that this file system has no hard links (exFAT, some network shares). */
export function hasNoLinks(error: unknown): boolean {
  return hasCode(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS');
}

/** What a promise resolves with, or null when the thing it is about does not exist, as no name that long does. */
export async function orNull<T>(result: Promise<T>): Promise<T | null> {
  try {
    return await orGone(result);
  } catch (error) {
    if (hasCode(error, 'ENAMETOOLONG')) return null;
    throw error;
  }
}

/**
 * The same for what a listing has found. It rejects with ENAMETOOLONG when the path to it, with that of the vault, is longer
 * than the system takes: it stands there all the same.
 */
export async function orGone<T>(result: Promise<T>): Promise<T | null> {
  try {
    return await result;
  } catch (error) {
    // ENOTDIR: a part of the path is a file, so there is nothing below it. ELOOP: a link in it leads to itself.
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return null;
    throw error;
  }
}

/** A file as it was found: where, and which. */
export interface StandingFile {
  readonly full: string;
  readonly stat: FileInfo;
}

/** True when this very file still stands there. */
export async function isSameFile(
  fs: FileSystem,
  { full, stat: { dev, ino } }: StandingFile,
): Promise<boolean> {
  const now = await orNull(fs.lstat(full));
  return now !== null && now.dev === dev && now.ino === ino;
}
