import path from 'node:path';
import type { Clock } from '../../core/base/host';
import { type Claim, type LeaseOptions, livingHolder, takeLease } from '../../core/lease/lease';
import { ClaimFiles, type HolderKind, holderOf, pause, selfAt } from './claims';
import { type FileSystem, hasCode, nodeFileSystem, orNull } from './file-system';
import { localFolder, stateFolder, tempFolder } from './state-folder';

/** Another service has the vault open. The message says which one, and what to do. */
export class VaultInUse extends Error {
  override readonly name = 'VaultInUse';
}

export interface VaultLock {
  /**
   * The time at which the lock was taken over from a service that was cut off or lost power (ms since the epoch): the
   * earlier of this machine's clock and the file server's. Null when no lock was left.
   */
  readonly tookOverAt: number | null;
  /** Looks whether the vault is still this process's own, as before each step that changes it; see `Lease`. */
  holds(): Promise<boolean>;
  /** Releases the vault; another service may open it at once. A lock file of another service stays. */
  release(): Promise<void>;
}

interface LockOptions {
  readonly device: string;
  readonly clock: Clock;
  /** The kind of this service, for the message that a second service gets. */
  readonly kind?: HolderKind;
  readonly fs?: FileSystem;
  /** Called once when another service has taken the vault over, as this one stood still for long. */
  readonly onLost?: (() => void) | undefined;
  readonly sleep?: LeaseOptions['sleep'];
}

/**
 * Takes the vault for this process. Only one service of a device writes into it, as two would not see each other's queue.
 * A service of another device on this very folder, local or over a network, counts as well; a service on a synced copy of the
 * folder does not. The lease in the folder of the device decides: see `docs/decisions/one-lease.md`.
 * @throws VaultInUse when a live process holds it.
 */
export async function lockVault(root: string, options: LockOptions): Promise<VaultLock> {
  const { device, clock, kind, fs = nodeFileSystem, onLost, sleep = pause } = options;
  const folder = localFolder(root, device);
  const place = {
    folder,
    name: 'lock',
    self: await selfAt(clock.now(), kind),
    temps: tempFolder(root, device),
  };
  const files = new ClaimFiles(fs, place);
  const taken = await takeLease(files, { sleep, onLost });
  if ('holder' in taken) throw inUse(taken.holder);
  const { lease } = taken;
  try {
    const other = await otherDevice({ fs, root, folder }, files, sleep);
    if (other !== null) throw other;
    const tookOverAt = Math.min(clock.now().getTime(), await mtimeOf(fs, files.at(lease.number)));
    return {
      tookOverAt: lease.tookOver ? tookOverAt : null,
      holds: () => lease.holds(),
      release: () => lease.release(),
    };
  } catch (error) {
    await lease.release();
    throw error;
  }
}

/** Returns why this folder is in use by a live service of another device; null when there is none. */
async function otherDevice(
  { fs, root, folder: own }: { readonly fs: FileSystem; readonly root: string; readonly folder: string },
  files: ClaimFiles,
  sleep: LeaseOptions['sleep'],
): Promise<VaultInUse | null> {
  const state = stateFolder(root);
  const names = (await fs.readdir(state)).map(({ name }) => name).filter((name) => name.startsWith('local.'));
  const folders = names.map((name) => path.join(state, name)).filter((folder) => folder !== own);
  const found = await Promise.all(
    folders.map(async (folder) => {
      const other = await orInaccessible(livingHolder(files.ofOthers(folder), sleep));
      return other === null ? null : sharedBy(other, path.basename(folder).slice('local.'.length));
    }),
  );
  return found.find((each) => each !== null) ?? null;
}

/** Resolves null where this user may not read the folder of another user: a service there cannot be recognized. */
async function orInaccessible<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await orNull(work);
  } catch (error) {
    if (hasCode(error, 'EACCES', 'EPERM')) return null;
    throw error;
  }
}

/** Returns the mtime of a file; infinity when it is unknown. */
async function mtimeOf(fs: FileSystem, file: string): Promise<number> {
  const stat = await fs.lstat(file).catch(() => null);
  return stat?.mtimeMs ?? Number.POSITIVE_INFINITY;
}

const KINDS: Readonly<Record<HolderKind, { readonly name: string; readonly way: string }>> = {
  obsidian: {
    name: 'Obsidian',
    way: 'Stop the server in its settings for Brain Server, or close that vault',
  },
  serve: { name: 'brain serve', way: 'Stop that server' },
  mirror: { name: 'brain mirror', way: 'Stop that one' },
};

/** Says who holds the vault. The maker of a claim that lives can be read. */
function inUse(claim: Claim): VaultInUse {
  const { name, way, who, since, kind } = wordsOf(claim);
  const where = kind === 'mirror' ? 'folder' : 'vault';
  return new VaultInUse(
    `The ${where} is in use by ${name === '' ? who : `${name} (${who})`} since ${since}. ${way} first.`,
  );
}

function sharedBy(claim: Claim, device: string): VaultInUse {
  const { name, way, who, since } = wordsOf(claim);
  return new VaultInUse(
    `The same folder is in use by ${name || 'a server'} on another device (${device}: ${who}) since ${since}. Two servers on one folder lose each other's changes. ${way} first.`,
  );
}

function wordsOf({ text }: Claim) {
  const { kind, pid, host, started } = holderOf(text) ?? { kind: undefined, pid: 0, host: '', started: '' };
  const known = kind === undefined ? { name: '', way: 'Stop that one' } : KINDS[kind];
  return { ...known, kind, who: `process ${pid} on ${host}`, since: minute(started) };
}

/** Formats a time as `2026-11-20 10:32 UTC`; returns other text as it is. */
function minute(time: string): string {
  return time.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)[\d:.]*Z$/, '$1 $2 UTC');
}
