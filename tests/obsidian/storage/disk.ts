import {
  appendFile,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
  unlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import type { DataWriteOptions, ListedFiles, Stat } from 'obsidian';
import { joinPath } from '../core/path';
import type { Storage } from './storage';

/** A vault in a real folder, for what needs real files: locks, syncing to disk, another process. Node only. */
export class DiskStorage implements Storage {
  readonly basePath: string;
  /** As told: the file system of the machine is taken as it is. */
  readonly caseInsensitive: boolean;

  constructor(basePath: string, options: { readonly caseInsensitive?: boolean } = {}) {
    this.basePath = basePath;
    this.caseInsensitive = options.caseInsensitive ?? false;
  }

  async stat(at: string): Promise<Stat | null> {
    const found = await stat(this.#full(at)).catch((error: unknown) => {
      if (isAbsent(error)) return null;
      throw error;
    });
    if (found === null) return null;
    const { birthtimeMs, mtimeMs, size } = found;
    return {
      type: found.isDirectory() ? 'folder' : 'file',
      ctime: Math.round(birthtimeMs),
      mtime: Math.round(mtimeMs),
      size,
    };
  }

  async list(at: string): Promise<ListedFiles> {
    const found = await readdir(this.#full(at), { withFileTypes: true });
    const paths = (folders: boolean): string[] =>
      found.filter((entry) => entry.isDirectory() === folders).map((entry) => joinPath(at, entry.name));
    return { files: paths(false), folders: paths(true) };
  }

  async read(at: string): Promise<Uint8Array> {
    return readFile(this.#full(at));
  }

  async write(at: string, bytes: Uint8Array, times?: DataWriteOptions): Promise<void> {
    await writeFile(this.#full(at), bytes);
    await this.#date(at, times);
  }

  async append(at: string, bytes: Uint8Array, times?: DataWriteOptions): Promise<void> {
    await appendFile(this.#full(at), bytes);
    await this.#date(at, times);
  }

  async mkdir(at: string): Promise<void> {
    await mkdir(this.#full(at), { recursive: true });
  }

  async rename(from: string, to: string): Promise<void> {
    await rename(this.#full(from), this.#full(to));
  }

  async remove(at: string): Promise<void> {
    await unlink(this.#full(at));
  }

  async rmdir(at: string, recursive: boolean): Promise<void> {
    if (recursive) await rm(this.#full(at), { recursive: true });
    else await rmdir(this.#full(at));
  }

  async #date(at: string, times: DataWriteOptions | undefined): Promise<void> {
    if (times?.mtime === undefined) return;
    const seconds = times.mtime / 1000;
    await utimes(this.#full(at), seconds, seconds);
  }

  #full(at: string): string {
    return path.join(this.basePath, at);
  }
}

function isAbsent(error: unknown): boolean {
  // Not by `instanceof`: under Jest the errors of Node's own modules come from another realm.
  if (typeof error !== 'object' || error === null || !('code' in error)) return false;
  return error.code === 'ENOENT' || error.code === 'ENOTDIR';
}
