import { setImmediate as breathe } from 'node:timers/promises';
import type { Clock, Log } from '../../core/base/host';
import type { Keeper } from '../files/disk';
import { type FileSystem, nodeFileSystem } from '../files/file-system';
import { lockVault } from '../files/lock';
import { keeperOf, type NodeState, openNodeState, prepareState } from '../files/state-folder';
import { syncRecent } from '../files/sync-recent';
import { useNodeDigest } from '../host/device';
import { type NodeVault, openNodeVault } from './vault';

interface StorageOptions {
  readonly device: string;
  readonly clock: Clock;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** False: nothing is watched. */
  readonly watch?: boolean;
  /** The watcher starts when this settles; earlier changes are reported then. */
  readonly watchAfter?: Promise<unknown>;
  /** As in the options of the vault. */
  readonly unwatched?: ((path: string) => boolean) | undefined;
  /** The inbox, where it is none of the service's folders: after a crash its recent files are made durable. */
  readonly inbox?: string | undefined;
  readonly fs?: FileSystem;
  /** Called once when another service has taken the vault over: nothing more can be written. */
  readonly onLost?: (() => void) | undefined;
  /** Ends the wait for the answer of another service; opening rejects then. */
  readonly signal?: AbortSignal | undefined;
}

/** An open vault with its state. Both belong to this process until `close`. */
interface Storage {
  readonly vault: NodeVault;
  readonly state: NodeState;
  /** What keeps changes of other openings of files in the vault from it once it is not this process's own any more. */
  readonly keeper: Keeper;
  /** Stops watching and releases the vault. Call it when the last write has ended. */
  close(): Promise<void>;
}

/**
 * Opens the vault in the folder `root` for this process, a server without the app.
 * @throws VaultInUse when another service has it, Error when the folder or its state cannot be used.
 */
export async function openStorage(root: string, options: StorageOptions): Promise<Storage> {
  const { device, clock, log, fs = nodeFileSystem, onLost, signal } = options;
  const { watch = true, inbox, unwatched, watchAfter } = options;
  useNodeDigest();
  const base = await fs.realpath(root);
  const shared = { device, fs };
  await prepareState(base, shared);
  const lock = await lockVault(base, { ...shared, clock, kind: 'serve', onLost, signal });
  try {
    if (lock.tookOverAt !== null) {
      await syncRecent(base, { fs, now: lock.tookOverAt, log, also: inbox, breathe: () => breathe() });
    }
    const keeper = keeperOf(base, shared, () => lock.holds());
    const state = await openNodeState(base, { ...shared, keeper });
    const watching = watch ? { watch: log, watchAfter } : {};
    const vault = await openNodeVault(base, { ...shared, log, unwatched, keeper, ...watching });
    return {
      vault,
      state,
      keeper,
      async close() {
        try {
          await vault.close();
          await state.close();
        } finally {
          await lock.release();
        }
      },
    };
  } catch (error) {
    await lock.release();
    throw error;
  }
}
