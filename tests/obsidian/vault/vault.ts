import type { DataWriteOptions, TAbstractFile as RealAbstractFile, TFile as RealFile } from 'obsidian';
import { Events } from '../core/events';
import { inner, isHidden, nameOf } from '../core/path';
import { toBuffer, toBytes, toText, withoutBom } from '../core/text';
import { FileSystemAdapter, HostAdapter } from './adapter';
import { ownFile, type TAbstractFile, TFile, TFolder } from './files';
import type { FilesPort, VaultEvent } from './files-port';
import { subtree, VaultIndex } from './vault-index';
import { VaultWatch } from './vault-watch';

/** The files of one vault as plugins see them. Its own changes are known, and told, before they resolve. */
export class Vault extends Events {
  readonly adapter: HostAdapter;
  configDir: string;
  readonly #port: FilesPort;
  readonly #index: VaultIndex;
  readonly #watch: VaultWatch;
  readonly #texts = new WeakMap<object, string>();

  constructor(port: FilesPort, configDir: string) {
    super();
    this.#port = port;
    this.configDir = configDir;
    const { basePath } = port.storage;
    this.adapter = basePath === null ? new HostAdapter(port) : new FileSystemAdapter(port, basePath);
    this.#index = new VaultIndex(this);
    this.#watch = new VaultWatch(port.storage, this.#index, (kind, file) => {
      if (file instanceof TFile) this.#texts.delete(file);
      this.#tell(kind, file);
    });
  }

  /** Of the fake alone: looks at a path again and tells what has changed there. */
  async reconcile(path: string): Promise<void> {
    if (isHidden(path)) return;
    await this.#port.queue.run([path], () => this.#watch.look(path));
  }

  getName(): string {
    return this.#port.vaultName;
  }

  getRoot(): TFolder {
    return this.#index.root;
  }

  getAbstractFileByPath(path: string): TAbstractFile | null {
    return path === '' ? null : this.#index.get(path);
  }

  getFileByPath(path: string): TFile | null {
    const found = this.#index.get(path);
    return found instanceof TFile ? found : null;
  }

  getFolderByPath(path: string): TFolder | null {
    const found = this.getAbstractFileByPath(path);
    return found instanceof TFolder ? found : null;
  }

  getAllLoadedFiles(): TAbstractFile[] {
    return this.#index.all();
  }

  getFiles(): TFile[] {
    return this.#index.all().filter((file) => file instanceof TFile);
  }

  /** Of the fake alone: another number whenever a file has appeared, gone or moved. */
  get filesVersion(): number {
    return this.#index.version;
  }

  getMarkdownFiles(): TFile[] {
    return this.getFiles().filter((file) => file.extension === 'md');
  }

  getAllFolders(includeRoot = false): TFolder[] {
    const folders = this.#index.all().filter((file) => file instanceof TFolder);
    return folders.filter((folder) => includeRoot || !folder.isRoot());
  }

  static recurseChildren(root: RealAbstractFile, cb: (file: TAbstractFile) => unknown): void {
    for (const file of subtree(ownFile(root))) cb(file);
  }

  getResourcePath(file: RealFile): string {
    return this.adapter.getResourcePath(file.path);
  }

  async read(file: RealFile): Promise<string> {
    return withoutBom(toText(await this.#port.storage.read(file.path)));
  }

  async cachedRead(file: RealFile): Promise<string> {
    const cached = this.#texts.get(file);
    if (cached !== undefined) return cached;
    const text = await this.read(file);
    this.#texts.set(file, text);
    return text;
  }

  async readBinary(file: RealFile): Promise<ArrayBuffer> {
    return toBuffer(await this.#port.storage.read(file.path));
  }

  create(path: string, data: string, options?: DataWriteOptions): Promise<TFile> {
    return this.#create(path, toBytes(data), options);
  }

  createBinary(path: string, data: ArrayBuffer, options?: DataWriteOptions): Promise<TFile> {
    return this.#create(path, new Uint8Array(data), options);
  }

  async createFolder(path: string): Promise<TFolder> {
    const at = inner(path);
    if (await this.#taken(at)) throw new Error('Folder already exists.');
    return this.#port.queue.run([at], async () => {
      await this.#port.storage.mkdir(at);
      await this.#watch.arrived(at);
      const folder = this.getFolderByPath(at);
      if (folder === null) throw new Error(`The vault does not show ${path}.`);
      return folder;
    });
  }

  modify(file: RealFile, data: string, options?: DataWriteOptions): Promise<void> {
    return this.#write(file, () => this.#port.storage.write(file.path, toBytes(data), options));
  }

  modifyBinary(file: RealFile, data: ArrayBuffer, options?: DataWriteOptions): Promise<void> {
    return this.#write(file, () => this.#port.storage.write(file.path, new Uint8Array(data), options));
  }

  append(file: RealFile, data: string, options?: DataWriteOptions): Promise<void> {
    return this.#write(file, () => this.#port.storage.append(file.path, toBytes(data), options));
  }

  appendBinary(file: RealFile, data: ArrayBuffer, options?: DataWriteOptions): Promise<void> {
    return this.#write(file, () => this.#port.storage.append(file.path, new Uint8Array(data), options));
  }

  process(file: RealFile, fn: (data: string) => string, options?: DataWriteOptions): Promise<string> {
    return this.#port.queue.run([file.path], async () => {
      const raw = toText(await this.#port.storage.read(file.path));
      const text = fn(this.#port.settings.processStripsBom ? withoutBom(raw) : raw);
      if (text === raw) return text;
      await this.#port.storage.write(file.path, toBytes(text), options);
      await this.#written(file);
      return text;
    });
  }

  async rename(renamed: RealAbstractFile, newPath: string): Promise<void> {
    const file = ownFile(renamed);
    const to = inner(newPath);
    const from = file.path;
    const sameFile = this.#port.storage.caseInsensitive && from.toLowerCase() === to.toLowerCase();
    if (!sameFile && (await this.#taken(to))) throw new Error('Destination file already exists!');
    await this.#port.queue.run([...subtree(file).map((one) => one.path), to], async () => {
      await this.#port.storage.rename(from, to);
      await this.#watch.foldersOf(to);
      for (const moved of this.#index.move(file, to)) this.#tell('rename', moved.file, moved.oldPath);
    });
  }

  async copy<T extends RealAbstractFile>(file: T, newPath: string): Promise<T>;
  async copy(file: RealAbstractFile, newPath: string): Promise<RealAbstractFile> {
    const to = inner(newPath);
    if (await this.#taken(to)) throw new Error('Destination file already exists!');
    const own = ownFile(file);
    if (own instanceof TFile) return this.createBinary(to, await this.readBinary(own));
    const folder = await this.createFolder(to);
    const children = own instanceof TFolder ? own.children : [];
    for (const child of children) await this.copy(child, `${to}/${nameOf(child.path)}`);
    return folder;
  }

  delete(file: RealAbstractFile, force = false): Promise<void> {
    return this.#erase(ownFile(file), force);
  }

  trash(file: RealAbstractFile, system: boolean): Promise<void> {
    return this.moveToTrash(file, system);
  }

  /** Of the fake alone: `trash` and `delete` under names that the file manager may call. */
  async moveToTrash(file: RealAbstractFile, system: boolean): Promise<void> {
    if (!system || !(await this.adapter.trashSystem(file.path))) await this.adapter.trashLocal(file.path);
    await this.reconcile(file.path);
  }

  async eraseForGood(file: RealAbstractFile): Promise<void> {
    await this.#erase(ownFile(file), true);
  }

  async #erase(file: TAbstractFile, force: boolean): Promise<void> {
    if (file instanceof TFolder) {
      for (const child of [...file.children]) await this.#erase(child, force);
      await this.#gone(file, () => this.#port.storage.rmdir(file.path, force));
      return;
    }
    await this.#gone(file, () => this.#port.storage.remove(file.path));
  }

  async #create(path: string, bytes: Uint8Array, options: DataWriteOptions | undefined): Promise<TFile> {
    const at = inner(path);
    // Looked up before the operation has its turn: two calls for one name can both come this far.
    if (await this.#taken(at)) throw new Error('File already exists.');
    return this.#port.queue.run([at], async () => {
      await this.#port.storage.write(at, bytes, options);
      await this.#watch.arrived(at);
      const file = this.getFileByPath(at);
      if (file === null) throw new Error(`The vault does not show ${path}.`);
      return file;
    });
  }

  async #taken(path: string): Promise<boolean> {
    return this.#index.get(path) !== null || (await this.#port.storage.stat(path)) !== null;
  }

  #write(file: RealFile, work: () => Promise<void>): Promise<void> {
    return this.#port.queue.run([file.path], async () => {
      await work();
      await this.#written(file);
    });
  }

  async #written(file: RealFile): Promise<void> {
    await this.#watch.arrived(file.path);
  }

  #gone(file: TAbstractFile, work: () => Promise<void>): Promise<void> {
    return this.#port.queue.run([file.path], async () => {
      await work();
      this.#index.drop(file);
      this.#tell('delete', file);
    });
  }

  #tell(kind: VaultEvent, file: TAbstractFile, oldPath = file.path): void {
    if (kind === 'rename') this.trigger(kind, file, oldPath);
    else this.trigger(kind, file);
    for (const hook of this.#port.vaultHooks) hook(kind, file, oldPath);
    if (kind !== 'modify') return;
    for (let count = 1; count <= this.#port.settings.repeatedModify; count += 1) {
      this.#port.scheduler.later(this.#port.settings.outsideDelay * count, () => {
        if (this.#index.get(file.path) === file) this.trigger('modify', file);
      });
    }
  }
}
