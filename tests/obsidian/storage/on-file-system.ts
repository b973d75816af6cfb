import type { DataWriteOptions, ListedFiles, Stat } from 'obsidian';
import { type FileSystem, hasCode, type OpenFile, orNull } from '../../../src/adapters/files/file-system';
import { readAll, writeAll } from '../../../src/adapters/files/whole-file';
import { fsError } from '../core/fs-error';
import { joinPath, nameOf, parentOf } from '../core/path';
import type { Storage } from './storage';

/**
 * A vault on any file system, call by call as the app's own adapter makes them: files are emptied and written in place, nothing
 * is ever synced. On a file system in memory any of these calls can be made to fail, or to be the last one.
 */
export class FileSystemStorage implements Storage {
  readonly caseInsensitive = false;
  /** The file that is being written in place just now: nobody can save it between the first call of that and the last. */
  writing: string | null = null;

  constructor(
    readonly fs: FileSystem,
    /** Absolute. */
    readonly basePath: string,
  ) {}

  async stat(at: string): Promise<Stat | null> {
    const found = await orNull(this.fs.lstat(this.#full(at)));
    if (found === null) return null;
    const { birthtimeMs, mtimeMs, size } = found;
    return { type: found.isDirectory() ? 'folder' : 'file', ctime: birthtimeMs, mtime: mtimeMs, size };
  }

  async list(at: string): Promise<ListedFiles> {
    const entries = await this.fs.readdir(this.#full(at));
    const paths = (folders: boolean): string[] =>
      entries.filter((entry) => entry.isDirectory() === folders).map(({ name }) => joinPath(at, name));
    return { files: paths(false), folders: paths(true) };
  }

  read(at: string): Promise<Uint8Array> {
    return this.#with(at, 'r', async (file) => readAll(file, (await file.stat()).size, at));
  }

  write(at: string, bytes: Uint8Array, times?: DataWriteOptions): Promise<void> {
    if (times?.mtime !== undefined) throw new Error('This file system sets no times.');
    return this.#writing(at, 'w', bytes);
  }

  append(at: string, bytes: Uint8Array): Promise<void> {
    return this.#writing(at, 'a', bytes);
  }

  async mkdir(at: string): Promise<void> {
    try {
      await this.fs.mkdir(this.#full(at));
    } catch (error) {
      if (hasCode(error, 'ENOENT')) {
        await this.mkdir(parentOf(at));
        await this.fs.mkdir(this.#full(at));
      } else if (!hasCode(error, 'EEXIST') || (await this.stat(at))?.type !== 'folder') throw error;
    }
  }

  rename(from: string, to: string): Promise<void> {
    return this.fs.rename(this.#full(from), this.#full(to));
  }

  remove(at: string): Promise<void> {
    return this.fs.unlink(this.#full(at));
  }

  async rmdir(at: string, recursive: boolean): Promise<void> {
    const { files, folders } = await this.list(at);
    if (files.length + folders.length > 0 && !recursive) throw fsError('ENOTEMPTY', 'rmdir', nameOf(at));
    for (const file of files) await this.remove(file);
    for (const folder of folders) await this.rmdir(folder, true);
    await this.fs.rmdir(this.#full(at));
  }

  async #writing(at: string, flags: string, bytes: Uint8Array): Promise<void> {
    this.writing = at;
    try {
      await this.#with(at, flags, (file) => writeAll(file, bytes));
    } finally {
      this.writing = null;
    }
  }

  async #with<T>(at: string, flags: string, work: (file: OpenFile) => Promise<T>): Promise<T> {
    const file = await this.fs.open(this.#full(at), flags);
    try {
      return await work(file);
    } finally {
      await file.close();
    }
  }

  #full(at: string): string {
    return at === '' ? this.basePath : `${this.basePath}/${at}`;
  }
}
