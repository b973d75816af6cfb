import {
  closeSync,
  constants,
  type Dirent,
  fchmod,
  fstatSync,
  fsync,
  ftruncate,
  futimes,
  lstatSync,
  open,
  openSync,
  read,
  readSync,
  realpathSync,
  type Stats,
  write,
} from 'node:fs';
import { link, mkdir, readdir, rename, rmdir, unlink } from 'node:fs/promises';
import { promisify } from 'node:util';

/** The fields of a stat that the store reads. */
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

/** An open file or folder, with the calls of Node's `FileHandle` that the store makes. */
export interface OpenFile {
  stat(): Promise<FileInfo>;
  read(buffer: Uint8Array, offset: number, length: number, position: number): Promise<{ bytesRead: number }>;
  /** May write fewer bytes than it was given, as the system call may. */
  write(buffer: Uint8Array, offset: number, length: number): Promise<{ bytesWritten: number }>;
  chmod(mode: number): Promise<void>;
  truncate(length: number): Promise<void>;
  /** Sets the times of last access and last change (s since the epoch). */
  utimes(atime: number, mtime: number): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The file system calls that the store makes; it makes no others. It is a port so that tests can make the n-th call fail,
 * write short, or be the last one before a crash.
 */
export interface FileSystem {
  open(path: string, flags: string | number, mode?: number): Promise<OpenFile>;
  /** Resolves null, or rejects with ENOENT, when there is nothing. */
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
 * The file system of this machine. Calls that may wait for the disk use Node's thread pool. Calls that the system answers
 * from memory (a stat, where a path leads, opening a file that was found by its stat, closing a file) are synchronous:
 * the thread pool takes ten times longer than the answer, and a write makes a dozen such calls.
 */
export const nodeFileSystem: FileSystem = {
  open: async (path, flags, mode) =>
    openFile(
      makesNone(flags) && mayCallDirectly()
        ? directly(() => openSync(path, flags))
        : await openDescriptor(path, flags, mode),
    ),
  // Every new note stats a missing file, and making an error takes five times longer than the stat.
  lstat: (path) => asPromise(() => lstatSync(path, { throwIfNoEntry: false }) ?? null),
  // Called for every folder that is used. It takes no longer than the `lstat` of a file in the folder.
  realpath: (path) => asPromise(() => realpathSync.native(path)),
  readdir: (path) => readdir(path, { withFileTypes: true }),
  mkdir: (path, mode) => mkdir(path, mode),
  rmdir,
  link,
  rename,
  unlink,
};

/** Returns true for flags of a file that must be there. */
function makesNone(flags: string | number): flags is number {
  return typeof flags === 'number' && (flags & constants.O_CREAT) === 0;
}

const openDescriptor = promisify<string, string | number, number | undefined, number>(open);
const readDescriptor = promisify(read);
const writeDescriptor = promisify(write);
const syncDescriptor = promisify(fsync);
const truncateDescriptor = promisify(ftruncate);
const chmodDescriptor = promisify(fchmod);
const utimesDescriptor = promisify(futimes);

function openFile(descriptor: number): OpenFile {
  return {
    stat: () => asPromise(() => fstatSync(descriptor)),
    read: (buffer, offset, length, position) => readSome(descriptor, buffer, offset, length, position),
    write: (buffer, offset, length) => writeDescriptor(descriptor, buffer, offset, length),
    chmod: (mode) => chmodDescriptor(descriptor, mode),
    truncate: (length) => truncateDescriptor(descriptor, length),
    utimes: (atime, mtime) => utimesDescriptor(descriptor, atime, mtime),
    sync: () => syncDescriptor(descriptor),
    close: () => asPromise(() => closeSync(descriptor)),
  };
}

/** The longest read that is tried without the thread pool (bytes), and the time that shows that a disk was waited for (ms). */
const SHORT_READ = 64 * 1024;
const SLOW_MS = 1;
/** The number of calls that use the thread pool after a slow one; it doubles with each slow one, up to the maximum. */
let callsAfterSlow = 100;
const MAX_AFTER_SLOW = 100_000;
let callsInPool = 0;

/**
 * Returns true when an open or a short read may be a synchronous call: while the system answers such calls from its cache, a
 * vault is read three times as fast. After one that waited for a disk or a network drive the next ones use the thread pool.
 */
function mayCallDirectly(): boolean {
  if (callsInPool === 0) return true;
  callsInPool -= 1;
  return false;
}

/** Makes a synchronous call, and notes when it was slow. */
function directly<T>(call: () => T): T {
  const start = performance.now();
  const result = call();
  if (performance.now() - start > SLOW_MS) {
    callsInPool = callsAfterSlow;
    callsAfterSlow = Math.min(2 * callsAfterSlow, MAX_AFTER_SLOW);
  }
  return result;
}

/** Reads a part of a file. */
async function readSome(
  descriptor: number,
  buffer: Uint8Array,
  offset: number,
  length: number,
  position: number,
): Promise<{ bytesRead: number }> {
  if (length > SHORT_READ || !mayCallDirectly())
    return readDescriptor(descriptor, buffer, offset, length, position);
  return { bytesRead: directly(() => readSync(descriptor, buffer, offset, length, position)) };
}

/** False on Windows, where a folder need not and cannot be synced. */
export const SYNCS_FOLDERS = process.platform !== 'win32';

/**
 * Syncs the names in an open folder. Resolves false where the file system has no such call, as on some network drives: the
 * contents of the files are synced all the same.
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

/** Syncs the names in the folder at a path, where the system can. */
export async function syncNames(fs: FileSystem, folder: string): Promise<void> {
  if (!SYNCS_FOLDERS) return;
  const handle = await fs.open(folder, 'r');
  try {
    await syncFolder(handle);
  } finally {
    await handle.close();
  }
}

/** Runs a synchronous call and returns its outcome as a promise. */
function asPromise<T>(work: () => T): Promise<T> {
  return new Promise((resolve) => resolve(work()));
}

/** Returns true when `error` is a system error with one of these codes (`ENOENT`). */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  const code = codeOf(error);
  return code !== null && codes.includes(code);
}

/** Returns the system's error code (`EIO`); null when the error has none. */
export function codeOf(error: unknown): string | null {
  // Not `instanceof`: an error of Node's own modules may come from another realm.
  if (typeof error !== 'object' || error === null || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

/** Returns true when `error` means that this file system has no hard links (exFAT, some network shares). */
export function hasNoLinks(error: unknown): boolean {
  return hasCode(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS');
}

/** Resolves with the result, or with null when the file does not exist. A name that is too long counts as missing. */
export async function orNull<T>(result: Promise<T>): Promise<T | null> {
  try {
    return await orGone(result);
  } catch (error) {
    if (hasCode(error, 'ENAMETOOLONG')) return null;
    throw error;
  }
}

/**
 * Resolves with the result, or with null when a listed file is gone. It rejects with ENAMETOOLONG when the file exists and
 * its path, with that of the vault, is longer than the system allows.
 */
export async function orGone<T>(result: Promise<T>): Promise<T | null> {
  try {
    return await result;
  } catch (error) {
    // ENOTDIR: a part of the path is a file. ELOOP: a link in the path leads to itself.
    if (hasCode(error, 'ENOENT', 'ENOTDIR', 'ELOOP')) return null;
    throw error;
  }
}

/** A file as it was found: its path and its stat. */
export interface FoundFile {
  readonly full: string;
  readonly stat: FileInfo;
}

/** Returns true when this very file is still at its path. */
export async function isSameFile(fs: FileSystem, { full, stat: { dev, ino } }: FoundFile): Promise<boolean> {
  const now = await orNull(fs.lstat(full));
  return now !== null && now.dev === dev && now.ino === ino;
}
