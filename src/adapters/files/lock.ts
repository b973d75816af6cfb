import type { Clock } from '../../core/base/host';
import { type Claim, type LeaseOptions, takeLease } from '../../core/lease/lease';
import { ClaimFiles, type HolderKind, holderOf, pause, selfAt } from './claims';
import { type FileSystem, nodeFileSystem } from './file-system';
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
  /** Ends the wait for the answer of another service; the promise rejects then. */
  readonly signal?: AbortSignal | undefined;
  readonly sleep?: LeaseOptions['sleep'];
}

/**
 * Takes the vault for this process. Only one service of a device writes into it, as two would not see each other's queue.
 * A service of another device on this very folder, local or over a network, counts as well; a service on a synced copy of the
 * folder does not. The lease in the folder of the device decides: see `docs/decisions/one-lease.md`.
 * @throws VaultInUse when a live process holds it.
 */
export async function lockVault(root: string, options: LockOptions): Promise<VaultLock> {
  const { device, clock, kind, fs = nodeFileSystem, onLost, signal } = options;
  const { sleep = (ms, isIdle) => pause(ms, isIdle, isIdle ? undefined : signal) } = options;
  const folder = localFolder(root, device);
  const place = {
    folder,
    name: 'lock',
    self: await selfAt(clock.now(), kind),
    temps: tempFolder(root, device),
  };
  const files = new ClaimFiles(fs, place);
  const others = async (): Promise<ClaimFiles[]> => {
    const found: ClaimFiles[] = [];
    for (const { name } of await fs.readdir(stateFolder(root))) {
      const other = name.slice('local.'.length);
      if (name.startsWith('local.') && other !== device)
        found.push(files.ofOther(other, localFolder(root, other)));
    }
    return found;
  };
  const taken = await takeLease(files, { sleep, onLost, others });
  if ('holder' in taken) throw inUse(taken.holder, taken.holder.files.other);
  const { lease } = taken;
  const now = clock.now().getTime();
  return {
    tookOverAt: lease.tookOver ? Math.min(now, await mtimeOf(fs, files.at(lease.number))) : null,
    holds: () => lease.holds(),
    release: () => lease.release(),
  };
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
  mirror: { name: 'brain store mirror', way: 'Stop that one' },
};

/** Says who holds the vault, by a claim that can be read, of this device or another. */
function inUse({ text }: Claim, device: string | undefined): VaultInUse {
  const { kind, pid, host, started } = holderOf(text) ?? { kind: undefined, pid: 0, host: '', started: '' };
  const { name, way } = kind === undefined ? { name: '', way: 'Stop that one' } : KINDS[kind];
  const [who, since] = [`process ${pid} on ${host}`, minute(started)];
  if (device !== undefined)
    return new VaultInUse(
      `The same folder is in use by ${name || 'a server'} on another device (${device}: ${who}) since ${since}. Two servers on one folder lose each other's changes. ${way} first.`,
    );
  const where = kind === 'mirror' ? 'folder' : 'vault';
  return new VaultInUse(
    `The ${where} is in use by ${name === '' ? who : `${name} (${who})`} since ${since}. ${way} first.`,
  );
}

/** Formats a time as `2026-11-20 10:32 UTC`; returns other text as it is. */
function minute(time: string): string {
  return time.replace(/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)[\d:.]*Z$/, '$1 $2 UTC');
}
