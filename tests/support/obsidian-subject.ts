import { rm } from 'node:fs/promises';
import type { FileSystem } from '../../src/adapters/files/file-system';
import { durableOf } from '../../src/adapters/obsidian/durable';
import { openState, prepareState } from '../../src/adapters/obsidian/state';
import { createVault, type ObsidianVault } from '../../src/adapters/obsidian/vault';
import type { StateStore } from '../../src/core/ports/ports';
import { createHost, type Host, type HostOptions } from '../obsidian/index';
import { DiskStorage } from '../obsidian/storage/disk';
import { MemoryStorage } from '../obsidian/storage/memory';
import type { Storage } from '../obsidian/storage/storage';
import { withTempFolder } from './temp-folder';

export const DEVICE = 'test';

/** The stores of an app on a vault, without the lock: what dies in a test still runs. */
export interface AppStores {
  readonly host: Host;
  readonly vault: ObsidianVault;
  readonly state: StateStore;
}

/** Starts a fake app on the storage and opens its vault, as after a start of the app. */
export async function openApp(
  storage: Storage,
  options: Omit<HostOptions, 'storage'> = {},
): Promise<AppStores> {
  const host = await createHost({ ...options, storage });
  await host.layoutReady();
  return { host, ...(await openStores(host)) };
}

/** Opens the vault of an app that runs; its files are synced through `fs`. */
export async function openStores(
  { app }: Pick<Host, 'app'>,
  fs?: FileSystem,
): Promise<Pick<AppStores, 'vault' | 'state'>> {
  const durable = durableOf(app.vault.adapter, fs);
  const shared = { adapter: app.vault.adapter, durable, device: DEVICE };
  await prepareState(shared);
  const state = openState(shared);
  const vault = createVault({ app, durable, state, device: DEVICE });
  await vault.settle();
  return { vault, state };
}

/**
 * Files with their texts, and folders with a trailing slash, as they lie on the storage; with the service's state or without.
 */
export async function imageOf(
  storage: Storage,
  hidden = false,
  folder = '',
): Promise<Record<string, string>> {
  const image: Record<string, string> = {};
  const { files, folders } = await storage.list(folder);
  for (const path of files)
    image[path] = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await storage.read(path));
  for (const path of folders) {
    if (!hidden && path.startsWith('.')) continue;
    image[`${path}/`] = '';
    Object.assign(image, await imageOf(storage, hidden, path));
  }
  return image;
}

/** Runs `work` with an app on a vault in memory that holds `files`. */
export async function withMemoryApp(
  files: Readonly<Record<string, string>>,
  work: (stores: AppStores) => Promise<void>,
  options: Omit<HostOptions, 'storage' | 'files'> = {},
): Promise<void> {
  const storage = new MemoryStorage({ caseInsensitive: options.caseInsensitive ?? false });
  const stores = await openApp(storage, { ...options, files });
  try {
    await work(stores);
  } finally {
    stores.host.dispose();
  }
}

/** The same on a vault in a folder of the disk. */
export function withDiskApp(
  files: Readonly<Record<string, string>>,
  work: (stores: AppStores, root: string) => Promise<void>,
  options: Omit<HostOptions, 'storage' | 'files'> = {},
): Promise<void> {
  return withTempFolder(async (root) => {
    const stores = await openApp(new DiskStorage(root), { ...options, files });
    try {
      await work(stores, root);
    } finally {
      stores.host.dispose();
      await rm(root, { recursive: true, force: true });
    }
  });
}
