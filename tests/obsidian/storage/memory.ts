import type { DataWriteOptions, ListedFiles, Stat } from 'obsidian';
import { fsError } from '../core/fs-error';
import { isWithin, joinPath, nameOf, parentOf } from '../core/path';
import { joinBytes } from '../core/text';
import type { Storage } from './storage';

interface Entry {
  /** As it was spelt when it was made. */
  readonly path: string;
  /** Null for a folder. */
  readonly bytes: Uint8Array | null;
  readonly ctime: number;
  readonly mtime: number;
}

/** A vault in memory, on a file system that tells names by case or does not. */
export class MemoryStorage implements Storage {
  readonly basePath = null;
  readonly caseInsensitive: boolean;
  readonly #entries = new Map<string, Entry>();

  constructor(options: { readonly caseInsensitive?: boolean } = {}) {
    this.caseInsensitive = options.caseInsensitive ?? false;
    this.#put({ path: '', bytes: null, ctime: Date.now(), mtime: Date.now() });
  }

  async stat(path: string): Promise<Stat | null> {
    const entry = this.#get(path);
    if (entry === undefined) return null;
    const { ctime, mtime, bytes } = entry;
    return { type: bytes === null ? 'folder' : 'file', ctime, mtime, size: bytes?.byteLength ?? 0 };
  }

  async list(path: string): Promise<ListedFiles> {
    this.#folder(path, 'scandir');
    const key = this.#key(path);
    const below = [...this.#entries]
      .filter(([at]) => at !== '' && parentOf(at) === key)
      .map(([, entry]) => entry);
    return {
      files: below.filter((entry) => entry.bytes !== null).map((entry) => entry.path),
      folders: below.filter((entry) => entry.bytes === null).map((entry) => entry.path),
    };
  }

  async read(path: string): Promise<Uint8Array> {
    return this.#file(path, 'open').slice();
  }

  async write(path: string, bytes: Uint8Array, times: DataWriteOptions = {}): Promise<void> {
    const old = this.#get(path);
    if (old?.bytes === null) throw fsError('EISDIR', 'open', path);
    const spelt = old?.path ?? joinPath(this.#folder(parentOf(path), 'open', path).path, nameOf(path));
    // Real clocks of file systems are finer than a millisecond: two writes in a row are told apart.
    const now = Math.max(Date.now(), (old?.mtime ?? 0) + 1);
    this.#put({
      path: spelt,
      bytes: bytes.slice(),
      ctime: times.ctime ?? old?.ctime ?? now,
      mtime: times.mtime ?? now,
    });
  }

  async append(path: string, bytes: Uint8Array, times?: DataWriteOptions): Promise<void> {
    const old = this.#get(path) === undefined ? new Uint8Array() : this.#file(path, 'open');
    await this.write(path, joinBytes(old, bytes), times);
  }

  async mkdir(path: string): Promise<void> {
    const found = this.#get(path);
    if (found?.bytes === null) return;
    if (found !== undefined) throw fsError('EEXIST', 'mkdir', path);
    await this.mkdir(parentOf(path));
    const spelt = joinPath(this.#folder(parentOf(path), 'mkdir', path).path, nameOf(path));
    this.#put({ path: spelt, bytes: null, ctime: Date.now(), mtime: Date.now() });
  }

  async rename(from: string, to: string): Promise<void> {
    const source = this.#get(from);
    if (source === undefined) throw fsError('ENOENT', 'rename', from);
    const spelt = joinPath(this.#folder(parentOf(to), 'rename', to).path, nameOf(to));
    const moved = [...this.#entries].filter(([key]) => isWithin(key, this.#key(from)));
    for (const [key] of moved) this.#entries.delete(key);
    for (const [, entry] of moved)
      this.#put({ ...entry, path: spelt + entry.path.slice(source.path.length) });
  }

  async remove(path: string): Promise<void> {
    this.#file(path, 'unlink');
    this.#entries.delete(this.#key(path));
  }

  async rmdir(path: string, recursive: boolean): Promise<void> {
    this.#folder(path, 'rmdir');
    const below = [...this.#entries.keys()].filter((key) => isWithin(key, this.#key(path)));
    if (below.length > 1 && !recursive) throw fsError('ENOTEMPTY', 'rmdir', path);
    for (const key of below) this.#entries.delete(key);
  }

  #key(path: string): string {
    return this.caseInsensitive ? path.toLowerCase() : path;
  }

  #get(path: string): Entry | undefined {
    return this.#entries.get(this.#key(path));
  }

  #put(entry: Entry): void {
    this.#entries.set(this.#key(entry.path), entry);
  }

  #file(path: string, call: string): Uint8Array {
    const entry = this.#get(path);
    if (entry === undefined) throw fsError('ENOENT', call, path);
    if (entry.bytes === null) throw fsError('EISDIR', call, path);
    return entry.bytes;
  }

  #folder(path: string, call: string, wanted = path): Entry {
    const entry = this.#get(path);
    if (entry === undefined) throw fsError('ENOENT', call, wanted);
    if (entry.bytes !== null) throw fsError('ENOTDIR', call, wanted);
    return entry;
  }
}
