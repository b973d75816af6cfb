import path from 'node:path';
import { BrainError } from '../../core/base/errors';
import { damagedText } from '../../core/base/text';
import { checkStorePath, MAX_STATE_BYTES, type StateStore } from '../../core/ports/ports';
import { Disk, type Keeper, type Modes, OF_GROUP, PRIVATE } from './disk';
import { type FileSystem, hasCode, nodeFileSystem, orNull, syncNames, SYNCS_FOLDERS } from './file-system';
import { walk } from './folders';
import { ownMemory } from './whole-file';

/** Checks a path before it is used on the disk. @throws BrainError `path_not_allowed`. */
export function checkPath(at: string): void {
  checkStorePath(at, process.platform === 'win32');
}

/** The folder of the service's own state inside the vault: hidden, so no editor shows it. */
const STATE_FOLDER = '.brain';
/** The version of the layout. A state of another version must not be written to. */
const LAYOUT = 1;
/** The permission bit that lets the group of a folder make files in it. */
const GROUP_WRITES = 0o020;

interface NodeStateOptions {
  readonly device: string;
  readonly fs?: FileSystem;
}

/** Options for opening the state. */
interface OpenOptions extends NodeStateOptions {
  readonly keeper?: Keeper | undefined;
}

export interface NodeState extends StateStore {
  /** Closes the open folders. */
  close(): Promise<void>;
}

/** Returns the folder of the state of the vault at `root`. */
export function stateFolder(root: string): string {
  return path.join(root, STATE_FOLDER);
}

/** Returns the folder that only this device reads and writes: its lock, journal and temporary files. */
export function localFolder(root: string, device: string): string {
  return path.join(stateFolder(root), `local.${device}`);
}

/**
 * Returns the folder of temporary files: on the same file system as the notes where possible, as the files are renamed into
 * place.
 */
export function tempFolder(root: string, device: string): string {
  return path.join(localFolder(root, device), 'tmp');
}

/** Returns the folder of received files that are not ingested yet. */
export function uploadFolder(root: string, device: string): string {
  return path.join(localFolder(root, device), 'uploads');
}

/** Returns the folder of the imports that are being made ready or taken back. */
export function importsFolder(root: string, device: string): string {
  return path.join(localFolder(root, device), 'imports');
}

/**
 * Makes the missing folders of the state, keeps this machine's part out of git, and checks the layout. Safe while a service
 * runs on the vault.
 * @throws Error when `.brain` leads outside the vault or was written by a newer version.
 */
export async function prepareState(
  root: string,
  { device, fs = nodeFileSystem }: NodeStateOptions,
): Promise<void> {
  const base = await fs.realpath(root);
  await makeFolder(fs, stateFolder(base), (await modesFor(fs, base)).folder);
  const real = await fs.realpath(stateFolder(base));
  if (!real.startsWith(base + path.sep)) {
    throw new Error(
      `${stateFolder(base)} leads outside the vault. Replace the link by a folder, then start again.`,
    );
  }
  const modes = await modesFor(fs, real);
  await closeToOthers(fs, real, modes);
  await makeFolder(fs, localFolder(base, device), PRIVATE.folder);
  await makeFolder(fs, tempFolder(base, device), PRIVATE.folder);
  const disk = new Disk(fs, real, { folder: tempFolder(base, device), modes });
  try {
    // The leading dot keeps these two names out of the store itself.
    await disk.create('.gitignore', Buffer.from('local.*\n'));
    await disk.create('version', Buffer.from(`${LAYOUT}\n`));
    const text = (await disk.read('version'))?.toString('utf8').trim() ?? '';
    if (text !== String(LAYOUT)) {
      throw new Error(
        `The state in ${real} has layout "${text}"; this version knows ${LAYOUT}. Start the newer version, or move that folder away to begin with an empty history.`,
      );
    }
  } finally {
    await disk.folders.close();
  }
}

/**
 * Returns what keeps this process from changing the vault once its lock is not in place. It makes the folder of temporary files
 * again when another program has removed it, as sync programs do with empty folders; when the lock is gone too, the whole state
 * was removed (by `git clean`, or with its disk), and another process may own the vault by now.
 */
export function keeperOf(
  base: string,
  { device, fs = nodeFileSystem }: NodeStateOptions,
  holds: () => Promise<boolean>,
): Keeper {
  const check = async (): Promise<void> => {
    if (await holds()) return;
    throw new BrainError(
      'busy',
      `Another server took the vault over while this one stood still, or ${localFolder(base, device)} was taken away while the service ran. Start it again.`,
    );
  };
  const restore = async (): Promise<void> => {
    if ((await orNull(fs.lstat(tempFolder(base, device)))) !== null) return;
    await check();
    await makeFolder(fs, tempFolder(base, device), PRIVATE.folder);
  };
  let restoring: Promise<void> | null = null;
  // One call makes it for all changes that need it at the same time.
  return { check, restore: () => (restoring ??= restore().finally(() => (restoring = null))) };
}

/** Opens the state of the vault in the folder `root`, after `prepareState`. */
export async function openNodeState(
  root: string,
  { device, fs = nodeFileSystem, keeper }: OpenOptions,
): Promise<NodeState> {
  const base = await fs.realpath(root);
  const folder = await fs.realpath(stateFolder(base));
  const temps = { folder: tempFolder(base, device), keeper, modes: await modesFor(fs, folder) };
  const disk = new Disk(fs, folder, temps);
  return {
    async read(at) {
      checkPath(at);
      const bytes = await disk.read(at);
      return bytes && damagedText(bytes);
    },
    async write(at, text) {
      checkPath(at);
      await disk.replace(at, Buffer.from(text), { sync: true });
    },
    async readBytes(at) {
      checkPath(at);
      const bytes = await disk.read(at, MAX_STATE_BYTES);
      return bytes && ownMemory(bytes);
    },
    async readPart(at, from, to) {
      checkPath(at);
      return disk.readPart(at, from, to);
    },
    async writeBytes(at, bytes) {
      checkPath(at);
      await disk.replace(at, bytes, { sync: false });
    },
    async rewrite(at, change) {
      checkPath(at);
      return disk.rewrite(at, async (bytes) => change(ownMemory(bytes)));
    },
    async create(at, text) {
      checkPath(at);
      return disk.create(at, Buffer.from(text));
    },
    async append(at, text, sync) {
      checkPath(at);
      await disk.append(at, Buffer.from(text), sync);
    },
    async list(folder) {
      if (folder !== '') checkPath(folder);
      const paths: string[] = [];
      for await (const files of walk(disk.folders, folder, isHidden))
        paths.push(...files.map((file) => file.path));
      return paths.sort();
    },
    async *stats(folder) {
      if (folder !== '') checkPath(folder);
      for await (const files of walk(disk.folders, folder, isHidden)) {
        for (const { path: at, full } of files) {
          const stat = await orNull(fs.lstat(full));
          if (stat?.isFile() !== true) continue;
          const { size, ino, mtimeMs, ctimeMs } = stat;
          yield { path: at, size, stamp: [size, ino, mtimeMs, ctimeMs].join() };
        }
      }
    },
    async folders(folder) {
      if (folder !== '') checkPath(folder);
      const found = await disk.folders.find(folder);
      const entries = found === null ? [] : ((await orNull(fs.readdir(found.full))) ?? []);
      return entries
        .filter((entry) => entry.isDirectory())
        .map((entry) => entry.name)
        .sort();
    },
    async remove(at) {
      checkPath(at);
      await disk.remove(at);
    },
    close: () => disk.folders.close(),
  };
}

function isHidden(name: string): boolean {
  return name.startsWith('.');
}

/** Returns the modes of what is made in a folder: the users of a group share a folder into which the group may write. */
async function modesFor(fs: FileSystem, folder: string): Promise<Modes> {
  const mode = (await fs.lstat(folder))?.mode ?? 0;
  return (mode & GROUP_WRITES) === 0 ? PRIVATE : OF_GROUP;
}

/**
 * Takes the rights of other users from the folder of the state, which earlier versions made for all to read. What keeps it from doing so
 * ends no start: the folder may be another user's, and not every drive knows modes.
 */
async function closeToOthers(fs: FileSystem, folder: string, { folder: rights }: Modes): Promise<void> {
  if (!SYNCS_FOLDERS) return;
  try {
    const mode = ((await fs.lstat(folder))?.mode ?? 0) & 0o7777;
    const closed = mode & (0o7000 | rights);
    if (closed === mode) return;
    const handle = await fs.open(folder, 'r');
    await handle.chmod(closed).finally(() => handle.close());
  } catch {
    // The folder keeps its rights.
  }
}

/**
 * Makes one folder when it is missing. Its name is made durable in any case, as an earlier start may have been cut off
 * here.
 */
export async function makeFolder(fs: FileSystem, folder: string, mode?: number): Promise<void> {
  try {
    await fs.mkdir(folder, mode);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
  await syncNames(fs, path.dirname(folder));
}
