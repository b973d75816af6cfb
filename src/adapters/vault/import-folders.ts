import { createHash } from 'node:crypto';
import { mkdir, readdir, rename, rm, unlink } from 'node:fs/promises';
import path from 'node:path';
import { BrainError } from '../../core/base/errors';
import type { Sha } from '../../core/base/hash';
import type { ImportFolder, ImportFolders } from '../../core/documents/ports';
import type { VaultPath } from '../../core/vocabulary/paths';
import { Disk, type Keeper } from '../files/disk';
import { hasCode, nodeFileSystem, orNull, syncNames } from '../files/file-system';
import { checkPath, importsFolder, tempFolder } from '../files/state-folder';
import { copyAll, ignoreErrors, writeAll } from '../files/whole-file';
import { readPieces, shaOf } from './uploads';

const FILE_MODE = 0o600;
const ID = /^[0-9a-f]{24}$/;

/** Opens the folders of imports of the vault at `root`, whose state has been opened before. */
export async function openImportFolders(
  root: string,
  device: string,
  keeper?: Keeper,
): Promise<ImportFolders & { close(): Promise<void> }> {
  const base = await nodeFileSystem.realpath(root);
  const all = importsFolder(base, device);
  const disk = new Disk(nodeFileSystem, base, { folder: tempFolder(base, device), keeper });
  await mkdir(all, { recursive: true, mode: 0o700 });
  // A link here, which a sync may bring, would lead the removal to files of other programs.
  if ((await nodeFileSystem.realpath(all)) !== all)
    throw new Error(`${all} is a link. Remove it, and start again.`);
  return {
    async open(id) {
      if (!ID.test(id)) throw new Error('no id of an import');
      return new NumberedFiles(disk, base, path.join(all, id));
    },
    ids: async () => (await readdir(all).catch(() => [])).filter((name) => ID.test(name)),
    close: () => disk.folders.close(),
  };
}

class NumberedFiles implements ImportFolder {
  constructor(
    private readonly disk: Disk,
    private readonly base: string,
    private readonly folder: string,
  ) {}

  async receive(file: number, bytes: AsyncIterable<Uint8Array>, from: number): Promise<number> {
    await this.make();
    const open = await nodeFileSystem.open(this.#at(file), 'a', FILE_MODE);
    let size = from;
    try {
      const { size: has } = await open.stat();
      if (has !== from) {
        throw new BrainError(
          'hash_mismatch',
          `The server has ${has} bytes of this file. Go on from there: set "offset" to ${has}.`,
          { offset: has },
        );
      }
      try {
        for await (const piece of bytes) {
          await writeAll(open, piece);
          size += piece.length;
        }
      } catch (error) {
        await open.truncate(from);
        if (!hasCode(error, 'ENOSPC', 'EDQUOT')) throw error;
        throw new BrainError('busy', 'The disk of the server is full, so nothing was kept. Make room on it.');
      }
    } finally {
      await open.close();
    }
    return size;
  }

  async append(file: number, bytes: Uint8Array): Promise<void> {
    await this.make();
    const open = await nodeFileSystem.open(this.#at(file), 'a', FILE_MODE);
    try {
      await writeAll(open, bytes);
    } finally {
      await open.close();
    }
  }

  async read(file: number, from: number, to: number): Promise<Uint8Array<ArrayBuffer>> {
    const open = await orNull(nodeFileSystem.open(this.#at(file), 'r'));
    if (open === null) return new Uint8Array();
    try {
      const { size } = await open.stat();
      const bytes = new Uint8Array(Math.max(0, Math.min(to, size) - from));
      let at = 0;
      while (at < bytes.length) {
        const { bytesRead } = await open.read(bytes, at, bytes.length - at, from + at);
        if (bytesRead === 0) break;
        at += bytesRead;
      }
      return bytes.subarray(0, at);
    } finally {
      await open.close();
    }
  }

  async factsOf(file: number): Promise<{ readonly hash: Sha; readonly size: number }> {
    const hash = createHash('sha256');
    let size = 0;
    const take = (piece: Uint8Array): void => {
      hash.update(piece);
      size += piece.length;
    };
    await orNull(readPieces(this.#at(file), Infinity, take));
    return { hash: shaOf(hash.digest('hex')), size };
  }

  async keepAt(file: number, at: VaultPath): Promise<boolean> {
    checkPath(at);
    const open = await nodeFileSystem.open(this.#at(file), 'r+');
    try {
      await open.sync();
    } finally {
      await open.close();
    }
    return this.disk.adopt(this.#at(file), at);
  }

  async takeFrom(at: VaultPath, file: number): Promise<boolean> {
    checkPath(at);
    const full = path.join(this.base, at);
    if ((await this.disk.stat(at)) === null) return false;
    await this.make();
    try {
      await rename(full, this.#at(file));
    } catch (error) {
      if (!hasCode(error, 'EXDEV')) throw error;
      await this.#copyFrom(full, file);
      await unlink(full);
    }
    for (const folder of [this.folder, path.dirname(full)]) await syncNames(nodeFileSystem, folder);
    return true;
  }

  remove(file: number): Promise<void> {
    return rm(this.#at(file), { force: true });
  }

  async discard(): Promise<void> {
    await ignoreErrors(rm(this.folder, { recursive: true, force: true }));
  }

  async #copyFrom(full: string, file: number): Promise<void> {
    const from = await nodeFileSystem.open(full, 'r');
    const to = await nodeFileSystem.open(this.#at(file), 'w', FILE_MODE);
    try {
      await copyAll(from, to);
      await to.sync();
    } finally {
      await from.close();
      await to.close();
    }
  }

  async make(): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
  }

  #at(file: number): string {
    return path.join(this.folder, String(file));
  }
}
