import type * as Real from 'obsidian';
import type { DataAdapter, DataWriteOptions, ListedFiles, Stat } from 'obsidian';
import { inner, isHidden, joinPath, nameOf, parentOf, splitExtension } from '../core/path';
import { toBuffer, toBytes, toText } from '../core/text';
import type { FilesPort } from './files-port';

/**
 * Files as they lie, dot-folders included. What it changes goes behind the back of the vault, which notices a little later,
 * as if another program had done it.
 */
export class HostAdapter implements DataAdapter {
  readonly #port: FilesPort;

  constructor(port: FilesPort) {
    this.#port = port;
  }

  getName(): string {
    return this.#port.vaultName;
  }

  getFullPath(normalizedPath: string): string {
    return joinPath(this.#port.storage.basePath ?? '', inner(normalizedPath));
  }

  getResourcePath(normalizedPath: string): string {
    return `app://fake/${encodeURI(this.getFullPath(normalizedPath))}`;
  }

  async exists(normalizedPath: string, sensitive = false): Promise<boolean> {
    const path = inner(normalizedPath);
    if ((await this.#port.storage.stat(path)) === null) return false;
    return !sensitive || !this.#port.storage.caseInsensitive || this.#isSpeltSo(path);
  }

  async stat(normalizedPath: string): Promise<Stat | null> {
    return this.#port.storage.stat(inner(normalizedPath));
  }

  async list(normalizedPath: string): Promise<ListedFiles> {
    return this.#port.storage.list(inner(normalizedPath));
  }

  async read(normalizedPath: string): Promise<string> {
    return toText(await this.#port.storage.read(inner(normalizedPath)));
  }

  async readBinary(normalizedPath: string): Promise<ArrayBuffer> {
    return toBuffer(await this.#port.storage.read(inner(normalizedPath)));
  }

  write(normalizedPath: string, data: string, options?: DataWriteOptions): Promise<void> {
    return this.#change([normalizedPath], (path) => this.#port.storage.write(path, toBytes(data), options));
  }

  writeBinary(normalizedPath: string, data: ArrayBuffer, options?: DataWriteOptions): Promise<void> {
    return this.#change([normalizedPath], (path) =>
      this.#port.storage.write(path, new Uint8Array(data), options),
    );
  }

  append(normalizedPath: string, data: string, options?: DataWriteOptions): Promise<void> {
    return this.#change([normalizedPath], (path) => this.#port.storage.append(path, toBytes(data), options));
  }

  appendBinary(normalizedPath: string, data: ArrayBuffer, options?: DataWriteOptions): Promise<void> {
    return this.#change([normalizedPath], (path) =>
      this.#port.storage.append(path, new Uint8Array(data), options),
    );
  }

  process(normalizedPath: string, fn: (data: string) => string, options?: DataWriteOptions): Promise<string> {
    return this.#change([normalizedPath], async (path) => {
      const text = fn(toText(await this.#port.storage.read(path)));
      await this.#port.storage.write(path, toBytes(text), options);
      return text;
    });
  }

  mkdir(normalizedPath: string): Promise<void> {
    return this.#change([normalizedPath], (path) => this.#port.storage.mkdir(path));
  }

  remove(normalizedPath: string): Promise<void> {
    return this.#change([normalizedPath], (path) => this.#port.storage.remove(path));
  }

  rmdir(normalizedPath: string, recursive: boolean): Promise<void> {
    return this.#change([normalizedPath], (path) => this.#port.storage.rmdir(path, recursive));
  }

  rename(normalizedPath: string, normalizedNewPath: string): Promise<void> {
    return this.#change([normalizedPath, normalizedNewPath], async (from, to) => {
      await this.#refuseTaken(from, to);
      await this.#port.storage.rename(from, to);
    });
  }

  copy(normalizedPath: string, normalizedNewPath: string): Promise<void> {
    return this.#change([normalizedPath, normalizedNewPath], async (from, to) => {
      await this.#refuseTaken(from, to);
      await this.#port.storage.write(to, await this.#port.storage.read(from));
    });
  }

  trashSystem(normalizedPath: string): Promise<boolean> {
    return this.#change([normalizedPath], async (path) => {
      if (!this.#port.settings.systemTrashWorks) return false;
      await this.#erase(path);
      this.#port.systemTrash.push(path);
      return true;
    });
  }

  trashLocal(normalizedPath: string): Promise<void> {
    return this.#change([normalizedPath], async (path) => {
      await this.#port.storage.mkdir('.trash');
      await this.#port.storage.rename(path, await this.#freeName('.trash', nameOf(path)));
    });
  }

  async #erase(path: string): Promise<void> {
    const found = await this.#port.storage.stat(path);
    if (found?.type === 'folder') await this.#port.storage.rmdir(path, true);
    else await this.#port.storage.remove(path);
  }

  async #freeName(folder: string, name: string): Promise<string> {
    const { basename, extension } = splitExtension(name);
    const ending = extension === '' ? '' : `.${extension}`;
    let path = joinPath(folder, name);
    for (let count = 2; (await this.#port.storage.stat(path)) !== null; count += 1) {
      path = joinPath(folder, `${basename} ${count}${ending}`);
    }
    return path;
  }

  /** A name may change its case alone, also where case does not count. */
  async #refuseTaken(from: string, to: string): Promise<void> {
    const sameFile = this.#port.storage.caseInsensitive && from.toLowerCase() === to.toLowerCase();
    if (!sameFile && (await this.#port.storage.stat(to)) !== null) {
      throw new Error('Destination file already exists!');
    }
  }

  async #isSpeltSo(path: string): Promise<boolean> {
    if (path === '') return true;
    const { files, folders } = await this.#port.storage.list(parentOf(path));
    return [...files, ...folders].includes(path) && this.#isSpeltSo(parentOf(path));
  }

  #change<T>(
    normalizedPaths: readonly string[],
    work: (first: string, second: string) => Promise<T>,
  ): Promise<T> {
    const paths = normalizedPaths.map(inner);
    return this.#port.queue.run(paths, async () => {
      const result = await work(paths[0] ?? '', paths[1] ?? '');
      for (const path of paths) if (!isHidden(path)) this.#port.noticeLater(path);
      return result;
    });
  }
}

/** The adapter of the desktop app: the vault is a folder on disk. A vault in memory has none. */
export class FileSystemAdapter extends HostAdapter {
  declare getFilePath: Real.FileSystemAdapter['getFilePath'];
  readonly #basePath: string;

  constructor(port: FilesPort, basePath: string) {
    super(port);
    this.#basePath = basePath;
  }

  getBasePath(): string {
    return this.#basePath;
  }

  static readLocalFile(path: string): Promise<ArrayBuffer> {
    return Promise.reject(new Error(`The fake host reads nothing outside the vault, not even ${path}.`));
  }

  static mkdir(path: string): Promise<void> {
    return Promise.reject(new Error(`The fake host makes nothing outside the vault, not even ${path}.`));
  }
}
