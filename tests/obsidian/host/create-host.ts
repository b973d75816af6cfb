import { App } from '../app/app';
import { type Device, newDevice } from '../core/device';
import { HostState, type RequestHandler, setCurrentHost } from '../core/host-state';
import { parentOf } from '../core/path';
import type { HostSettings } from '../core/settings';
import { toBytes } from '../core/text';
import { setUpDom } from '../dom/setup';
import { MemoryStorage } from '../storage/memory';
import type { Storage } from '../storage/storage';
import { Host } from './host';

export interface HostOptions {
  /** Files that the vault holds at the start; a trailing slash makes a folder. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** True for a file system on which names that differ only in case are one. */
  readonly caseInsensitive?: boolean;
  /** A vault elsewhere than in memory, or the storage of an earlier host, for a restart. */
  readonly storage?: Storage;
  /** The document of the main window. Without one there are only files, commands and recorded notices. */
  readonly document?: Document;
  /** Opens the window of a popout; without it an iframe stands for the window. */
  readonly openWindow?: () => Window;
  readonly vaultName?: string;
  readonly configDir?: string;
  /** Local storage and secrets of an earlier host on this device. */
  readonly device?: Device;
  /** Answers `requestUrl`. Without it every request fails as it does without a network. */
  readonly requests?: RequestHandler;
  readonly settings?: Partial<HostSettings>;
}

/** Starts a fake app on a vault. Plugins can be loaded at once; files are known after `host.layoutReady()`. */
export async function createHost(options: HostOptions = {}): Promise<Host> {
  const { files = {}, caseInsensitive = false, document = null } = options;
  const storage = options.storage ?? new MemoryStorage({ caseInsensitive });
  const state = new HostState({
    storage,
    document,
    vaultName: options.vaultName ?? 'Vault',
    device: options.device ?? newDevice(),
    requests: options.requests ?? offline,
    openWindow: options.openWindow ?? null,
    settings: options.settings ?? {},
  });
  for (const [path, content] of Object.entries(files)) await lay(storage, path, content);
  setCurrentHost(state);
  const dom = document === null ? null : setUpDom(document, state);
  const app = new App(state, options.configDir ?? '.obsidian');
  return new Host(app, state, dom);
}

async function lay(storage: Storage, path: string, content: string | Uint8Array): Promise<void> {
  if (path.endsWith('/')) return storage.mkdir(path.slice(0, -1));
  await storage.mkdir(parentOf(path));
  await storage.write(path, typeof content === 'string' ? toBytes(content) : content);
}

function offline(): never {
  throw new Error('net::ERR_INTERNET_DISCONNECTED');
}
