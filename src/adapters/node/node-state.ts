import path from 'node:path';
import { MAX_STATE_BYTES, type StateStore } from '../../core/ports';
import { damagedText } from '../../core/rules/utf8';
import { Disk } from './disk';
import { type FileSystem, hasCode, nodeFileSystem, orNull, syncFolder, SYNCS_FOLDERS } from './file-system';
import { checkPath } from './store-path';
import { walk } from './walk';

/** Folder of the service's own state inside the vault: hidden, so no editor shows it. */
const STATE_FOLDER = '.brain';
/** Layout of the state. A version that cannot be read must not be written into. */
const LAYOUT = 1;
/** Another user of the machine has no business in what only this machine keeps. */
const PRIVATE = 0o700;

export interface NodeStateOptions {
  readonly device: string;
  readonly fs?: FileSystem;
}

export interface NodeState extends StateStore {
  /** Lets go of the folders. */
  close(): Promise<void>;
}

/** Where the state of the vault at `root` is. */
export function stateFolder(root: string): string {
  return path.join(root, STATE_FOLDER);
}

/** What only this device reads and writes: its lock, journal and temporary files. */
export function localFolder(root: string, device: string): string {
  return path.join(stateFolder(root), `local.${device}`);
}

/** Temporary files: on the same device as the notes wherever possible, as they are renamed into place. */
export function tempFolder(root: string, device: string): string {
  return path.join(localFolder(root, device), 'tmp');
}

/**
 * Makes the folders of the state where they lack, keeps this machine's part out of git, and checks the layout. Does no
 * harm to a service that runs on the vault already.
 * @throws Error when `.brain` leads outside the vault or was written by a newer version.
 */
export async function prepareState(
  root: string,
  { device, fs = nodeFileSystem }: NodeStateOptions,
): Promise<void> {
  const base = await fs.realpath(root);
  await makeFolder(fs, stateFolder(base));
  const real = await fs.realpath(stateFolder(base));
  if (!real.startsWith(base + path.sep)) {
    throw new Error(
      `${stateFolder(base)} leads outside the vault. Replace the link by a folder, then start again.`,
    );
  }
  await makeFolder(fs, localFolder(base, device), PRIVATE);
  await makeFolder(fs, tempFolder(base, device), PRIVATE);
  const disk = new Disk(fs, real, tempFolder(base, device));
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

/** Opens the state of the vault in the folder `root`, after `prepareState`. */
export async function openNodeState(
  root: string,
  { device, fs = nodeFileSystem }: NodeStateOptions,
): Promise<NodeState> {
  const base = await fs.realpath(root);
  const disk = new Disk(fs, await fs.realpath(stateFolder(base)), tempFolder(base, device));
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
      // A small one may be a part of a larger memory that others use.
      return bytes && new Uint8Array(bytes);
    },
    async writeBytes(at, bytes) {
      checkPath(at);
      await disk.replace(at, bytes, { sync: false });
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
      const isHidden = (name: string): boolean => name.startsWith('.');
      for await (const files of walk(disk.folders, folder, isHidden))
        paths.push(...files.map((file) => file.path));
      return paths.sort();
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

/** Makes one folder where it lacks; its name is durable in any case, as an earlier start may have been cut here. */
async function makeFolder(fs: FileSystem, folder: string, mode?: number): Promise<void> {
  try {
    await fs.mkdir(folder, mode);
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
  if (!SYNCS_FOLDERS) return;
  const parent = await fs.open(path.dirname(folder), 'r');
  try {
    await syncFolder(parent);
  } finally {
    await parent.close();
  }
}
