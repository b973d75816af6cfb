import { constants } from 'node:fs';
import { lstat, open, opendir, readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { BrainError } from '../../core/base/errors';
import type { Log, StopSignal } from '../../core/base/host';
import { PROCESSED, QUARANTINE } from '../../core/documents/paths';
import {
  MAX_FILE_BYTES,
  MAX_FOLDER_FILES,
  type Reach,
  type SourceFile,
  type SourceFiles,
  type SourceFolder,
} from '../../core/documents/ports';
import {
  fold,
  inputPath,
  isIgnoredName,
  type VaultPath,
  vaultPath,
  withoutBrain,
} from '../../core/vocabulary/paths';
import { hasCode } from '../files/file-system';
import { resolveFence, type FenceOptions, openInbox, type PathPolicy } from './path-policy';

/** The depth of folders; people do not make deeper ones, programs do. */
const MAX_DEPTH = 32;
/** The number of names that a listing reads in all. */
const MAX_ENTRIES = 50_000;

interface ListOptions {
  readonly recursive: boolean;
  /** Returns false for a file or folder to skip. */
  readonly isOpen: (full: string) => boolean;
  readonly signal?: StopSignal;
}

/**
 * Returns the absolute paths of the regular files below a folder, in no promised order. Names are read one by one, so a
 * huge folder is refused before it is in memory. Links, hidden files and temporary files of other programs are skipped.
 * @throws BrainError `too_large` when there are too many files or names, or folders are too deep; `source_missing` when the
 * folder is gone; `path_not_allowed` when a folder cannot be read.
 */
async function listSources(top: string, options: ListOptions): Promise<string[]> {
  const { recursive, isOpen, signal } = options;
  const files: string[] = [];
  let entries = 0;
  const waiting = [{ full: top, depth: 0 }];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for await (const entry of await opened(at.full)) {
      if (signal?.stopped === true) return [];
      if ((entries += 1) > MAX_ENTRIES) throw listTooLarge(`more than ${MAX_ENTRIES} names`);
      const full = path.join(at.full, entry.name);
      if (isIgnoredName(entry.name) || !isOpen(full)) continue;
      if (entry.isFile()) {
        files.push(full);
        if (files.length > MAX_FOLDER_FILES) throw listTooLarge(`more than ${MAX_FOLDER_FILES} files`);
      } else if (recursive && entry.isDirectory()) {
        if (at.depth >= MAX_DEPTH) throw listTooLarge(`folders more than ${MAX_DEPTH} deep`);
        waiting.push({ full, depth: at.depth + 1 });
      }
    }
  }
  return files;
}

async function opened(full: string) {
  try {
    return await opendir(full);
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) {
      throw new BrainError(
        'source_missing',
        'The folder is not there any more. Look whether it was moved or renamed.',
      );
    }
    if (hasCode(error, 'EACCES', 'EPERM')) {
      const name = path.basename(full);
      const message = `The folder "${name}" cannot be read by the service. Allow it, or move the folder away.`;
      throw new BrainError('path_not_allowed', message);
    }
    throw error;
  }
}

function listTooLarge(what: string): BrainError {
  return new BrainError(
    'too_large',
    `The folder has ${what}. Ingest its parts one after the other. Nothing was done.`,
  );
}

const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const CHUNK_BYTES = 1024 * 1024;
const MAX_PATH = 4096;

/** Returns the source files of this machine, for a service whose vault is in the folder `options.root`. */
export function nodeSourceFiles(options: FenceOptions): SourceFiles {
  return {
    async locate(text, reach) {
      let problem = refusal(options, reach);
      const candidates = await candidatesOf(text, options);
      const fence = await resolveFence(options);
      for (const wanted of candidates) {
        if (!fence.mayLeadInside(wanted, reach)) continue;
        const real = await realPathOf(wanted);
        if (!fence.allows(real.at, reach)) continue;
        if (real.isThere) return describe(real.at, fence);
        problem = missing();
      }
      throw problem;
    },
    read: readWhole,
    async list(folder, recursive, reach, signal) {
      const fence = await resolveFence(options);
      const found = await listSources(folder.full, {
        recursive,
        isOpen: (full) => fence.allows(full, reach) && !isHandled(fence.inVault(full)),
        ...(signal && { signal }),
      });
      return found.map((full) => fileAt(full, fence)).sort(byFile);
    },
  };
}

/**
 * Logs allowed folders that are missing, as a mistyped one allows nothing. Never rejects; it may never end on a disk that
 * does not answer.
 */
export async function logMissingRoots(allowed: readonly string[], log: Log): Promise<void> {
  for (const folder of allowed) {
    const isThere = await stat(folder).then(
      () => true,
      (error: unknown) => !hasCode(error, 'ENOENT', 'ENOTDIR'),
    );
    if (!isThere) log.warn('ingest.root_missing', { folder });
  }
}

/**
 * Returns the absolute paths that a caller may mean, the likeliest first: a text that begins with `/` is a path of this
 * machine, else one in the vault's inbox. Empty when it can name no file.
 */
async function candidatesOf(text: string, options: FenceOptions): Promise<string[]> {
  if (text === '' || text.length > MAX_PATH || /\p{Cc}/u.test(text)) return [];
  if (text.split(/[\\/]/).includes('..')) return [];
  const written = pathInVault(text);
  const isAbsolute = path.isAbsolute(text);
  const below: string[] = [];
  // A folder "brain" of the owner comes before the prefix that callers may write.
  for (const inVault of written === null ? [] : new Set<string>([written, withoutBrain(written)])) {
    const isInbox = `${inVault}/`.startsWith(`${openInbox(options.watchDir)}/`);
    if (!isAbsolute || isInbox) below.push(await spelled(options.root, inVault));
  }
  if (!isAbsolute) return below;
  // Device paths (`\\?\`, `\\.\`), and alternate data streams, which a colon behind the drive opens.
  const isOdd = process.platform === 'win32' && (/^[\\/]{2}[?.]/.test(text) || text.indexOf(':', 2) > 0);
  return isOdd ? [] : [path.resolve(text), ...below];
}

function pathInVault(text: string): VaultPath | null {
  try {
    // A person may have given a file any name that the disk allows; on Windows a colon would open an alternate data stream.
    return inputPath(text.replace(/\/+$/, ''), undefined, () => process.platform !== 'win32');
  } catch (error) {
    if (error instanceof BrainError) return null;
    throw error;
  }
}

/**
 * Returns a path of the vault as the disk spells it: names are NFC to callers, and other programs may have written another
 * form.
 */
async function spelled(root: string, below: string): Promise<string> {
  let at = root;
  for (const segment of below.split('/')) {
    const plain = path.join(at, segment);
    const isOdd = /[^ -~]/.test(segment) && (await lstat(plain).catch(() => null)) === null;
    const names = isOdd ? await readdir(at).catch(() => []) : [];
    at = path.join(at, names.find((name) => name.normalize('NFC') === segment) ?? segment);
  }
  return at;
}

/**
 * Returns the real path. For a missing file it is the real path of its deepest existing parent with the rest appended, so
 * that a missing file and a link to one meet the same fence as others.
 */
async function realPathOf(full: string): Promise<{ readonly at: string; readonly isThere: boolean }> {
  let rest = '';
  for (let at = full; ;) {
    try {
      const real = await realpath(at);
      return { at: rest === '' ? real : path.join(real, rest), isThere: rest === '' };
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      // A link to nothing or to itself could lead anywhere a moment later.
      if ((await lstat(at).catch(() => null))?.isSymbolicLink() === true)
        return { at: path.parse(at).root, isThere: false };
    }
    const parent = path.dirname(at);
    if (parent === at) return { at: full, isThere: false };
    rest = path.join(path.basename(at), rest);
    at = parent;
  }
}

function isUnreachable(error: unknown): boolean {
  return hasCode(error, 'ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM', 'ENAMETOOLONG', 'EINVAL', 'UNKNOWN');
}

async function describe(real: string, fence: PathPolicy): Promise<SourceFile | SourceFolder> {
  const info = await lstat(real).catch(() => null);
  if (info === null) throw missing();
  if (info.isFile()) return fileAt(real, fence);
  if (!info.isDirectory()) throw notRegular();
  const inVault = fence.inVault(real);
  return { kind: 'folder', full: real, file: inVault === null ? real : vaultPath(inVault) };
}

function fileAt(full: string, fence: PathPolicy): SourceFile {
  const inVault = fence.inVault(full);
  const at = inVault === null ? null : vaultPath(inVault);
  return { kind: 'file', file: at ?? full, name: path.basename(full).normalize('NFC'), path: at, full };
}

async function readWhole(source: SourceFile): Promise<Uint8Array<ArrayBuffer>> {
  const expected = await statWithoutLinks(source.full);
  const handle = await open(source.full, READ_FLAGS).catch((error: unknown) => {
    if (isUnreachable(error)) throw missing();
    throw error;
  });
  try {
    const info = await handle.stat({ bigint: true });
    // The checked and the opened file must be the same: a folder may have become a link in between.
    if (!info.isFile() || info.ino !== expected.ino || info.dev !== expected.dev) throw missing();
    if (info.size > MAX_FILE_BYTES) throw tooLarge(source.name);
    const chunks: Uint8Array[] = [];
    let size = 0;
    for (;;) {
      // The bytes are counted, as a file may grow, and some report a size of zero.
      const chunk = new Uint8Array(Math.min(CHUNK_BYTES, MAX_FILE_BYTES + 1 - size));
      const { bytesRead } = await handle.read(chunk, 0, chunk.length, size);
      if (bytesRead === 0) return joined(chunks, size);
      size += bytesRead;
      if (size > MAX_FILE_BYTES) throw tooLarge(source.name);
      chunks.push(chunk.subarray(0, bytesRead));
    }
  } finally {
    await handle.close();
  }
}

/**
 * Checks every segment of a path for links: this keeps links out on systems where `open` cannot refuse them.
 * @throws BrainError `source_missing` for a link, and for anything but a regular file.
 */
async function statWithoutLinks(full: string) {
  const { root } = path.parse(full);
  let at = root;
  for (const segment of full.slice(root.length).split(path.sep)) {
    at = path.join(at, segment);
    const info = await lstat(at).catch(() => null);
    if (info === null || info.isSymbolicLink()) throw missing();
  }
  const info = await lstat(full, { bigint: true }).catch(() => null);
  // Checked before it is opened: opening a pipe or a device may have an effect.
  if (info?.isFile() !== true) throw missing();
  return info;
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

const HANDLED: readonly string[] = [PROCESSED, QUARANTINE];

/** Returns true for the folders of processed and quarantined files, which are not ingested again with their parent. */
function isHandled(inVault: string | null): boolean {
  return inVault !== null && HANDLED.includes(fold(inVault));
}

function byFile(a: SourceFile, b: SourceFile): number {
  return a.file < b.file ? -1 : a.file > b.file ? 1 : 0;
}

/** Returns the refusal, in the same words whether the file exists or not. */
function refusal({ watchDir }: FenceOptions, reach: Reach): BrainError {
  const inbox = openInbox(watchDir);
  const message =
    reach === 'person'
      ? 'Files of the service, of its settings and of the system are not ingested. Choose a file elsewhere.'
      : `Files are ingested only from the folder "${inbox}" of the vault and from folders that its owner allows (BRAIN_INGEST_ROOTS). Put the file there and give a path such as "${inbox}/report.pdf".`;
  return new BrainError('path_not_allowed', message);
}

function missing(): BrainError {
  return new BrainError(
    'source_missing',
    'There is no file or folder at this path. Look whether it was moved or renamed.',
  );
}

function notRegular(): BrainError {
  return new BrainError(
    'unsupported_type',
    'This is neither a file nor a folder, so it has no text that could be ingested.',
  );
}

function tooLarge(name: string): BrainError {
  const limit = MAX_FILE_BYTES / (1024 * 1024);
  return new BrainError(
    'too_large',
    `"${name}" has more than ${limit} MiB. Split it, then ingest its parts.`,
    {
      limit: MAX_FILE_BYTES,
    },
  );
}
