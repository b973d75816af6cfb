import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, unlink } from 'node:fs/promises';
import path from 'node:path';
import { BrainError } from '../../core/base/errors';
import { isSha, type Sha } from '../../core/base/hash';
import { type Upload, type Uploads, uploadTooLarge } from '../../core/documents/ports';
import type { VaultPath } from '../../core/vocabulary/paths';
import { Disk, type Keeper } from '../files/disk';
import { hasCode, nodeFileSystem, type OpenFile } from '../files/file-system';
import { checkPath, tempFolder, uploadFolder } from '../files/state-folder';
import { ignoreErrors, writeAll } from '../files/whole-file';

/** The bytes that are hashed or read at a time. */
const PIECE_BYTES = 1024 * 1024;
/** The permission bits of a received file; the umask clears some of them. */
const FILE_MODE = 0o666;

/** The received files of one opening of a vault. */
export interface OpenUploads extends Uploads {
  /** Removes what is still staged. */
  close(): Promise<void>;
}

/**
 * Opens the folder of received files of the vault at `root`, whose state has been opened before. Files that an earlier
 * process has left there are removed: their senders send them again.
 */
export async function openUploads(root: string, device: string, keeper?: Keeper): Promise<OpenUploads> {
  const base = await nodeFileSystem.realpath(root);
  const folder = uploadFolder(base, device);
  const disk = new Disk(nodeFileSystem, base, { folder: tempFolder(base, device), keeper });
  const clear = async (): Promise<void> => {
    for (const name of await readdir(folder).catch(() => [])) {
      await ignoreErrors(rm(path.join(folder, name), { force: true }));
    }
  };
  await mkdir(folder, { recursive: true, mode: 0o700 });
  // A link here, which a sync may bring, would lead the removal to files of other programs.
  if ((await nodeFileSystem.realpath(folder)) !== folder)
    throw new Error(`${folder} is a link. Remove it, and start again.`);
  await clear();
  return {
    async receive(bytes, maxBytes) {
      // A sync program may have removed the empty folder.
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const full = path.join(folder, randomUUID());
      try {
        return new StagedFile(disk, full, await writeFile(full, bytes, maxBytes));
      } catch (error) {
        await ignoreErrors(unlink(full));
        if (!hasCode(error, 'ENOSPC', 'EDQUOT')) throw error;
        throw new BrainError('busy', 'The disk of the server is full, so nothing was kept. Make room on it.');
      }
    },
    async hashOf(at) {
      checkPath(at);
      if ((await disk.stat(at)) === null) return null;
      const hash = createHash('sha256');
      try {
        await readPieces(path.join(base, at), Infinity, (piece) => void hash.update(piece));
      } catch (error) {
        if (hasCode(error, 'ENOENT')) return null;
        throw error;
      }
      return shaOf(hash.digest('hex'));
    },
    async close() {
      // The files may be those of the server that took this one's place.
      await (keeper?.check() ?? Promise.resolve()).then(clear, () => undefined);
      await disk.folders.close();
    },
  };
}

class StagedFile implements Upload {
  readonly hash: Sha;
  readonly size: number;
  #isSettled = false;

  constructor(
    private readonly disk: Disk,
    private readonly full: string,
    { hash, size }: Pick<Upload, 'hash' | 'size'>,
  ) {
    this.hash = hash;
    this.size = size;
  }

  async read(maxBytes: number): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = new Uint8Array(Math.min(this.size, maxBytes));
    let at = 0;
    await readPieces(this.full, bytes.length, (piece) => {
      bytes.set(piece, at);
      at += piece.length;
    });
    return bytes.subarray(0, at);
  }

  async settle(): Promise<void> {
    if (this.#isSettled) return;
    const file = await nodeFileSystem.open(this.full, 'r+');
    try {
      await file.sync();
    } finally {
      await file.close();
    }
    this.#isSettled = true;
  }

  async keepAt(at: VaultPath): Promise<boolean> {
    checkPath(at);
    // Not earlier: a file of an abandoned batch never needs to be durable.
    await this.settle();
    return this.disk.adopt(this.full, at);
  }

  async discard(): Promise<void> {
    await ignoreErrors(unlink(this.full));
  }
}

/** Writes a new file from pieces and returns its hash and size. */
async function writeFile(
  full: string,
  bytes: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<{ hash: Sha; size: number }> {
  const hash = createHash('sha256');
  let size = 0;
  let file: OpenFile | null = null;
  try {
    for await (const piece of bytes) {
      size += piece.length;
      if (size > maxBytes) throw uploadTooLarge(maxBytes);
      file ??= await nodeFileSystem.open(full, 'wx', FILE_MODE);
      hash.update(piece);
      await writeAll(file, piece);
    }
    file ??= await nodeFileSystem.open(full, 'wx', FILE_MODE);
  } finally {
    await file?.close();
  }
  return { hash: shaOf(hash.digest('hex')), size };
}

/** Reads the first bytes of a file in pieces. */
export async function readPieces(
  full: string,
  bytes: number,
  take: (piece: Uint8Array) => void,
): Promise<void> {
  const file = await nodeFileSystem.open(full, 'r');
  try {
    const buffer = Buffer.allocUnsafe(Math.min(PIECE_BYTES, Math.max(1, bytes)));
    for (let at = 0; at < bytes;) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, bytes - at), at);
      if (bytesRead === 0) return;
      take(buffer.subarray(0, bytesRead));
      at += bytesRead;
    }
  } finally {
    await file.close();
  }
}

/** Returns a digest in hexadecimal digits as a hash. */
export function shaOf(digest: string): Sha {
  if (!isSha(digest)) throw new Error('no SHA-256');
  return digest;
}
