import type { DataAdapter } from 'obsidian';
import { KeyedMutex } from '../../core/base/concurrency';
import type { StateStore } from '../../core/ports/ports';
import { utf8Length } from '../../core/base/hash';
import { fileName, folderOf } from '../../core/vocabulary/paths';
import { damagedText } from '../../core/base/text';
import { type Durable, expectLonger } from './durable';
import { checkPath, foldersOf } from './folders';

/** The folder of the service's own state inside the vault: hidden, so the app neither shows nor indexes it. */
const STATE_FOLDER = '.brain';
/** The version of the layout. A state of another version must not be written to. */
const LAYOUT = '1';

interface StateOptions {
  readonly adapter: DataAdapter;
  readonly durable: Durable;
  readonly device: string;
  /** Rejects once the vault is not this process's own any more; called right before each change. */
  readonly check?: (() => Promise<void>) | undefined;
}

/** Returns the adapter's path of a file of the state. */
function full(at: string): string {
  return at === '' ? STATE_FOLDER : `${STATE_FOLDER}/${at}`;
}

function tempFolder(device: string): string {
  return full(`local.${device}/tmp`);
}

/**
 * Makes the missing folders of the state, keeps this machine's part out of git, and checks the layout. Safe while a service
 * runs on the vault. The layout is that of the headless server: either may use the state after the other.
 * @throws Error when the state was written by a newer version.
 */
export async function prepareState(options: StateOptions): Promise<void> {
  const files = new StateFiles(options);
  await files.makeFolders(`${tempFolder(options.device)}/`);
  // The leading dot keeps the first of these names out of the store itself.
  await files.create(full('.gitignore'), 'local.*\n');
  await files.create(full('version'), `${LAYOUT}\n`);
  const text = (await files.read(full('version')))?.trim() ?? '';
  if (text === LAYOUT) return;
  throw new Error(
    `The state in ${STATE_FOLDER} has layout "${text}"; this version knows ${LAYOUT}. Start the newer version, or move that folder away to begin with an empty history.`,
  );
}

/** Opens the state of the vault, after `prepareState`. */
export function openState(options: StateOptions): StateStore {
  const { adapter } = options;
  const files = new StateFiles(options);
  const checked = (at: string): string => {
    checkPath(at);
    return full(at);
  };
  const folder = (at: string): string => (at === '' ? STATE_FOLDER : checked(at));
  const list = async (at: string): Promise<string[]> => {
    const waiting = [folder(at)];
    const paths: string[] = [];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if ((await adapter.stat(next))?.type !== 'folder') continue;
      const found = await adapter.list(next);
      waiting.push(...found.folders.filter(isShown));
      paths.push(...found.files.filter(isShown));
    }
    return paths.map((path) => path.slice(STATE_FOLDER.length + 1)).sort();
  };
  return {
    read: async (at) => files.read(checked(at)),
    write: async (at, text) => files.write(checked(at), text),
    readBytes: async (at) => files.readBytes(checked(at)),
    readPart: async (at, from, to) => files.readPart(checked(at), from, to),
    writeBytes: async (at, bytes) => files.writeBytes(checked(at), bytes),
    rewrite: async (at, change) => files.rewrite(checked(at), change),
    create: async (at, text) => files.create(checked(at), text),
    append: async (at, text, sync) => files.append(checked(at), text, sync),
    list,
    async *stats(at) {
      for (const path of await list(at)) {
        const stat = await adapter.stat(full(path));
        if (stat?.type === 'file')
          yield { path, size: stat.size, stamp: `${stat.mtime}.${stat.ctime}.${stat.size}` };
      }
    },
    async folders(at) {
      const name = folder(at);
      if ((await adapter.stat(name))?.type !== 'folder') return [];
      return (await adapter.list(name)).folders.map(fileName).sort();
    },
    remove: async (at) => files.remove(checked(at)),
  };
}

function isShown(path: string): boolean {
  return !fileName(path).startsWith('.');
}

/**
 * Files written as a whole through the app's adapter: temporary file, sync, rename, sync of the folder. Paths are the
 * adapter's.
 */
class StateFiles {
  readonly #adapter: DataAdapter;
  readonly #durable: Durable;
  readonly #temps: string;
  readonly #check: StateOptions['check'];
  readonly #queue = new KeyedMutex();

  constructor({ adapter, durable, device, check }: StateOptions) {
    this.#adapter = adapter;
    this.#durable = durable;
    this.#temps = tempFolder(device);
    this.#check = check;
  }

  async read(at: string): Promise<string | null> {
    if (!(await this.#isFile(at))) return null;
    return damagedText(new Uint8Array(await this.#adapter.readBinary(at)));
  }

  async readBytes(at: string): Promise<Uint8Array<ArrayBuffer> | null> {
    return (await this.#isFile(at)) ? new Uint8Array(await this.#adapter.readBinary(at)) : null;
  }

  async readPart(at: string, from: number, to: number): Promise<Uint8Array<ArrayBuffer> | null> {
    return (await this.#isFile(at)) ? this.#durable.part(at, from, to) : null;
  }

  /** Makes or replaces a file; a crash leaves the old or the new one. */
  write(at: string, text: string): Promise<void> {
    return this.#queue.run(at, () => this.#publish(at, text, (temp) => this.#durable.replace(temp, at)));
  }

  /** Replaces the bytes of a file, durably, while nothing else writes it; resolves false when `change` keeps them. */
  rewrite(at: string, change: Parameters<StateStore['rewrite']>[1]): Promise<boolean> {
    return this.#queue.run(at, async () => {
      const bytes = await this.readBytes(at);
      const changed = bytes && (await change(bytes));
      if (changed === null) return false;
      await this.#publish(at, damagedText(changed), (temp) => this.#durable.replace(temp, at));
      return true;
    });
  }

  /** Makes or replaces a file that can be made again: nothing is synced. */
  writeBytes(at: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    // The adapter writes the whole buffer, so a view of a part of it is copied.
    const whole = bytes.byteLength === bytes.buffer.byteLength ? bytes.buffer : bytes.slice().buffer;
    return this.#queue.run(at, async () => {
      await this.makeFolders(at);
      await this.#throughTemp(at, bytes.byteLength, async (temp) => {
        await this.#adapter.writeBinary(temp, whole);
        return () => this.#durable.replace(temp, at);
      });
    });
  }

  /** Makes a file; resolves false, changing nothing, when it exists: the existing one is made durable. */
  create(at: string, text: string): Promise<boolean> {
    return this.#queue.run(at, async () => {
      if (await this.#adapter.exists(at)) {
        // An earlier run may have been cut off before the file was on the disk.
        await this.#durable.file(at);
        return false;
      }
      await this.#publish(at, text, (temp) => this.#adapter.rename(temp, at));
      return true;
    });
  }

  append(at: string, text: string, sync: boolean): Promise<void> {
    return this.#queue.run(at, async () => {
      const stat = await this.#adapter.stat(at);
      const isNew = stat?.type !== 'file';
      await this.makeFolders(at);
      await this.#check?.();
      if (isNew) await this.#adapter.write(at, text);
      else await this.#adapter.append(at, text);
      await expectLonger(this.#adapter, at, { before: isNew ? 0 : stat.size, added: utf8Length(text) });
      if (sync) await this.#durable.file(at);
    });
  }

  remove(at: string): Promise<void> {
    return this.#queue.run(at, async () => {
      if (!(await this.#isFile(at))) return;
      await this.#check?.();
      await this.#adapter.remove(at);
      await this.#durable.folder(folderOf(at));
    });
  }

  /** Makes the parent folders of a path, durably. */
  async makeFolders(at: string): Promise<void> {
    for (const folder of foldersOf(at)) {
      if (await this.#adapter.exists(folder)) continue;
      await this.#check?.();
      await this.#adapter.mkdir(folder);
      await this.#durable.folder(folderOf(folder));
    }
  }

  async #publish(at: string, text: string, publish: (temp: string) => Promise<void>): Promise<void> {
    await this.makeFolders(at);
    await this.#throughTemp(at, utf8Length(text), async (temp) => {
      await this.#adapter.write(temp, text);
      await this.#durable.bytes(temp);
      return () => publish(temp);
    });
    await this.#durable.folder(folderOf(at));
  }

  /** Lets `write` write a temporary file of this many bytes, then runs the function that `write` resolves with. */
  async #throughTemp(
    at: string,
    bytes: number,
    write: (temp: string) => Promise<() => Promise<void>>,
  ): Promise<void> {
    // A random name: a file that a crash has left must never conflict with one of a later run.
    const temp = `${this.#temps}/${crypto.randomUUID()}`;
    try {
      const publish = await write(temp);
      // The size is checked because a full disk must not pass for a written file, whatever the calls before returned.
      const size = (await this.#adapter.stat(temp))?.size;
      if (size !== bytes) throw new Error(`Only ${size ?? 0} bytes of ${at} were written.`);
      await this.#check?.();
      await publish();
    } catch (error) {
      await this.#discard(temp);
      throw error;
    }
  }

  /**
   * Removes the temporary file of a failed write and ignores errors, which must not hide the first one; the next start
   * removes what is left.
   */
  async #discard(temp: string): Promise<void> {
    try {
      if (await this.#isFile(temp)) await this.#adapter.remove(temp);
    } catch {
      return;
    }
  }

  async #isFile(at: string): Promise<boolean> {
    return (await this.#adapter.stat(at))?.type === 'file';
  }
}
