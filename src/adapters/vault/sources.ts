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
import { fold, inputPath, isIgnoredName, type VaultPath, vaultPath } from '../../core/vocabulary/paths';
import { hasCode } from '../files/file-system';
import { fenceOf, type FenceOptions, openInbox, type PathPolicy } from './path-policy';

/** Deeper folders than people make; a tree that is deeper was made by a program. */
const MAX_DEPTH = 32;
/** So many names are looked at in all, whatever they are. */
const MAX_ENTRIES = 50_000;

interface ListOptions {
  readonly recursive: boolean;
  /** False for a file or folder that is to be passed over. */
  readonly isOpen: (full: string) => boolean;
  readonly signal?: StopSignal;
}

/**
 * Where the regular files below a folder are, in no promised order. Names are read one by one, so a huge folder is refused
 * before it is held in memory. Links, hidden names and those of other programs' temporary files are passed over.
 * @throws BrainError `too_large` when there are too many files or names, or folders are too deep; `source_missing` when the
 * folder is gone, `path_not_allowed` when one cannot be read.
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

/** The files of this machine, for a service whose vault is in the folder `options.root`. */
export function nodeSourceFiles(options: FenceOptions): SourceFiles {
  return {
    async locate(text, reach) {
      let problem = refusal(options, reach);
      const readings = await readingsOf(text, options);
      const fence = await fenceOf(options);
      for (const wanted of readings) {
        if (!fence.mayLeadInside(wanted, reach)) continue;
        const real = await endOf(wanted);
        if (!fence.allows(real.at, reach)) continue;
        if (real.isThere) return described(real.at, fence);
        problem = missing();
      }
      throw problem;
    },
    read: readWhole,
    async list(folder, recursive, reach, signal) {
      const fence = await fenceOf(options);
      const found = await listSources(folder.full, {
        recursive,
        isOpen: (full) => fence.allows(full, reach) && !isPutAway(fence.inVault(full)),
        ...(signal && { signal }),
      });
      return found.map((full) => fileAt(full, fence)).sort(byFile);
    },
  };
}

/**
 * Tells the log of folders that the owner allows and that are not there: one that was mistyped allows nothing. Never rejects;
 * on a disk that does not answer it may never end.
 */
export async function tellMissingRoots(allowed: readonly string[], log: Log): Promise<void> {
  for (const folder of allowed) {
    const isThere = await stat(folder).then(
      () => true,
      (error: unknown) => !hasCode(error, 'ENOENT', 'ENOTDIR'),
    );
    if (!isThere) log.warn('ingest.root_missing', { folder });
  }
}

/**
 * The absolute paths that a caller may mean, what is meant first: one that begins with `/` is a path of this machine, else one
 * of the vault's inbox. None when it could name no file.
 */
async function readingsOf(text: string, options: FenceOptions): Promise<string[]> {
  if (text === '' || text.length > MAX_PATH || /\p{Cc}/u.test(text)) return [];
  if (text.split(/[\\/]/).includes('..')) return [];
  const inVault = pathInVault(text);
  const isAbsolute = path.isAbsolute(text);
  const isInbox = `${inVault}/`.startsWith(`${openInbox(options.watchDir)}/`);
  const below = inVault === null || (isAbsolute && !isInbox) ? [] : [await spelled(options.root, inVault)];
  if (!isAbsolute) return below;
  // `\\?\` and `\\.\` reach devices, and a colon behind the drive opens a stream of a file.
  const isOdd = process.platform === 'win32' && (/^[\\/]{2}[?.]/.test(text) || text.indexOf(':', 2) > 0);
  return isOdd ? [] : [path.resolve(text), ...below];
}

function pathInVault(text: string): VaultPath | null {
  try {
    // A person may have given a file any name that the disk takes; on Windows a colon would open another stream of it.
    return inputPath(text.replace(/\/+$/, ''), undefined, () => process.platform !== 'win32');
  } catch (error) {
    if (error instanceof BrainError) return null;
    throw error;
  }
}

/** A path of the vault as the disk spells it: names are NFC to callers, and other programs may have written another form. */
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
 * Where a path leads. Of one that leads nowhere, where the deepest part that is there leads, so that a missing file and a
 * link to a missing file are judged by the same fence as others.
 */
async function endOf(full: string): Promise<{ readonly at: string; readonly isThere: boolean }> {
  let rest = '';
  for (let at = full; ;) {
    try {
      const real = await realpath(at);
      return { at: rest === '' ? real : path.join(real, rest), isThere: rest === '' };
    } catch (error) {
      if (!isNowhere(error)) throw error;
      // A link that ends nowhere, or in itself, could end anywhere a moment later.
      if ((await lstat(at).catch(() => null))?.isSymbolicLink() === true)
        return { at: path.parse(at).root, isThere: false };
    }
    const parent = path.dirname(at);
    if (parent === at) return { at: full, isThere: false };
    rest = path.join(path.basename(at), rest);
    at = parent;
  }
}

function isNowhere(error: unknown): boolean {
  return hasCode(error, 'ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM', 'ENAMETOOLONG', 'EINVAL', 'UNKNOWN');
}

async function described(real: string, fence: PathPolicy): Promise<SourceFile | SourceFolder> {
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
  const expected = await withoutLinks(source.full);
  const handle = await open(source.full, READ_FLAGS).catch((error: unknown) => {
    if (isNowhere(error)) throw missing();
    throw error;
  });
  try {
    const info = await handle.stat({ bigint: true });
    // What was looked at and what was opened must be one file: a folder may have become a link in between.
    if (!info.isFile() || info.ino !== expected.ino || info.dev !== expected.dev) throw missing();
    if (info.size > MAX_FILE_BYTES) throw tooLarge(source.name);
    const chunks: Uint8Array[] = [];
    let size = 0;
    for (;;) {
      // Counted here and not taken from the size: a file may grow, and some say that they hold nothing.
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

/** Looks at every segment: where a link cannot be refused when the file is opened, this is what keeps one out. */
async function withoutLinks(full: string) {
  const { root } = path.parse(full);
  let at = root;
  for (const segment of full.slice(root.length).split(path.sep)) {
    at = path.join(at, segment);
    const info = await lstat(at).catch(() => null);
    if (info === null || info.isSymbolicLink()) throw missing();
  }
  const info = await lstat(full, { bigint: true }).catch(() => null);
  // Not even opened: merely opening a pipe or a device may have an effect.
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

const PUT_AWAY: readonly string[] = [PROCESSED, QUARANTINE];

/** What has been handled stands there already, so a folder is not taken together with it. */
function isPutAway(inVault: string | null): boolean {
  return inVault !== null && PUT_AWAY.includes(fold(inVault));
}

function byFile(a: SourceFile, b: SourceFile): number {
  return a.file < b.file ? -1 : a.file > b.file ? 1 : 0;
}

/** The same words whether anything is there or not. */
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
