import { setImmediate as breathe } from 'node:timers/promises';
import type { Clock, Log } from '../../core/base/host';
import { type FileSystem, nodeFileSystem } from '../files/file-system';
import { lockVault } from '../files/lock';
import { type NodeState, openNodeState, prepareState, tempsRestorer } from '../files/state-folder';
import { syncRecent } from '../files/sync-recent';
import { useNodeDigest } from '../host/device';
import { type NodeVault, openNodeVault } from './vault';

interface StorageOptions {
  readonly device: string;
  readonly clock: Clock;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** False: changes from outside are not watched for. */
  readonly watch?: boolean;
  /** Changes from outside are told when this has settled, also those made before. */
  readonly watchAfter?: Promise<unknown>;
  /** A folder that is watched besides those of the notes. */
  readonly alsoWatch?: string | undefined;
  readonly fs?: FileSystem;
}

/** An opened vault with its state, both this process's alone until they are closed. */
interface Storage {
  readonly vault: NodeVault;
  readonly state: NodeState;
  /** Stops watching and gives the vault back. Call it when the last write has ended. */
  close(): Promise<void>;
}

/**
 * Opens the vault in the folder `root` for this process, a server without the app.
 * @throws VaultInUse when another service has it, Error when the folder or its state cannot be used.
 */
export async function openStorage(root: string, options: StorageOptions): Promise<Storage> {
  const { device, clock, log, watch = true, fs = nodeFileSystem, alsoWatch, watchAfter } = options;
  useNodeDigest();
  const base = await fs.realpath(root);
  const shared = { device, fs };
  await prepareState(base, shared);
  const lock = await lockVault(base, { ...shared, clock, kind: 'serve' });
  try {
    if (lock.tookOverAt !== null) {
      await syncRecent(base, { fs, now: lock.tookOverAt, log, also: alsoWatch, breathe: () => breathe() });
    }
    const restore = tempsRestorer(base, shared, () => lock.stands());
    const state = await openNodeState(base, { ...shared, restore });
    const watching = watch ? { watch: log, watchAfter } : {};
    const vault = await openNodeVault(base, { ...shared, log, alsoWatch, restore, ...watching });
    return {
      vault,
      state,
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
