import { type App, FileSystemAdapter, type Vault } from 'obsidian';
import type { Clock, Log } from '../../core/base/host';
import type { StateStore } from '../../core/ports/ports';
import { type AppExclusions, appExclusions } from '../../core/vocabulary/read-scope';
import type { Keeper } from '../files/disk';
import { nodeFileSystem } from '../files/file-system';
import { lockVault } from '../files/lock';
import { keeperOf } from '../files/state-folder';
import { syncRecent } from '../files/sync-recent';
import { deviceId, useNodeDigest } from '../host/device';
import { durableOf } from './durable';
import { openState, prepareState } from './state';
import { createVault, type ObsidianVault } from './vault';

export { VaultInUse } from '../files/lock';

interface StorageOptions {
  /** Its `BRAIN_DEVICE` names this machine. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** The inbox when it is in the vault; else null. */
  readonly inbox: string | null;
  /** Resolves in a later turn of the event loop. */
  readonly breathe: () => Promise<void>;
  /** Called once when another service has taken the vault over: nothing more can be written. */
  readonly onLost: () => void;
}

/** The open vault of the app with the service's state. Both belong to this process until `close`. */
interface Storage {
  readonly vault: ObsidianVault;
  readonly state: StateStore;
  /** The name under which this machine keeps its own state; a headless server on it has the same. */
  readonly device: string;
  /** The folder of the vault on this machine; empty when it is not on a disk. */
  readonly place: string;
  /** What keeps changes by other ways from the vault once it is not this process's own; absent when it is not on a disk. */
  readonly keeper?: Keeper | undefined;
  /** Releases the vault. Call it when the last write has ended. */
  close(): Promise<void>;
}

/**
 * Opens the vault of the app for this process. Call it when the layout is ready: before, the app does not know its files. A
 * vault that is not on this machine's disk cannot be reached by another process, so it is not locked.
 * @throws VaultInUse when another service has it, Error when its state cannot be used.
 */
export async function openStorage(
  app: Pick<App, 'vault' | 'workspace' | 'fileManager'>,
  { env, clock, log, inbox, breathe, onLost }: StorageOptions,
): Promise<Storage> {
  useNodeDigest();
  const { adapter } = app.vault;
  const device = deviceId(env);
  const durable = durableOf(adapter);
  const shared = { adapter, durable, device };
  await prepareState(shared);
  const place = adapter instanceof FileSystemAdapter ? adapter.getBasePath() : '';
  const lock = place === '' ? null : await lockVault(place, { device, clock, kind: 'obsidian', onLost });
  try {
    if (lock !== null && lock.tookOverAt !== null) {
      const now = lock.tookOverAt;
      await syncRecent(place, { fs: nodeFileSystem, now, log, also: inbox ?? undefined, breathe });
    }
    const keeper = lock === null ? undefined : keeperOf(place, { device }, () => lock.holds());
    const check = keeper && (() => keeper.check());
    const state = openState({ ...shared, check });
    const vault = createVault({ app, durable, state, device, check });
    await vault.settle();
    return {
      vault,
      state,
      device,
      place,
      keeper,
      close: async () => lock?.release(),
    };
  } catch (error) {
    await lock?.release();
    throw error;
  }
}

/**
 * Returns the name of this machine and user, which tells devices apart in settings that travel with the vault; null when
 * `BRAIN_DEVICE` is invalid, which opening the vault reports.
 */
export function thisDevice(env: Readonly<Record<string, string | undefined>>): string | null {
  try {
    return deviceId(env);
  } catch {
    return null;
  }
}

/** Returns what the app's settings leave out of its vault. */
export function exclusionsOf({
  adapter,
  configDir,
}: Pick<Vault, 'adapter' | 'configDir'>): Promise<AppExclusions> {
  const read = async (path: string): Promise<string | null> =>
    (await adapter.exists(path)) ? adapter.read(path) : null;
  return appExclusions(read, configDir);
}
