import type { UserEvent } from 'obsidian';
import type { HostState } from '../core/host-state';
import { MetadataCache } from '../metadata/metadata-cache';
import { Keymap, Scope } from '../ui/keymap';
import { FileManager } from '../vault/file-manager';
import { Vault } from '../vault/vault';
import { Workspace } from '../workspace/workspace';
import { SecretStorage } from './secret-storage';

/** The host of a popover; the fake shows none. */
export class RenderContext {
  hoverPopover = null;
}

/** One vault in one window. */
export class App {
  keymap = new Keymap();
  scope = new Scope();
  workspace: Workspace;
  vault: Vault;
  metadataCache: MetadataCache;
  fileManager: FileManager;
  lastEvent: UserEvent | null = null;
  renderContext = new RenderContext();
  secretStorage: SecretStorage;
  readonly #state: HostState;

  constructor(state: HostState, configDir: string) {
    this.#state = state;
    this.vault = new Vault(state, configDir);
    this.metadataCache = new MetadataCache(this.vault);
    this.fileManager = new FileManager(this.vault, this.metadataCache, state);
    this.secretStorage = new SecretStorage(state.device);
    this.workspace = new Workspace(state);
    state.adopt(this);
    state.look = (path) => this.vault.reconcile(path);
  }

  isDarkMode(): boolean {
    return this.#state.document.body.classList.contains('theme-dark');
  }

  /** What was saved under the key, or null. */
  loadLocalStorage(key: string): unknown {
    const text = this.#state.device.localStorage.get(key);
    return text === undefined ? null : JSON.parse(text);
  }

  saveLocalStorage(key: string, data: unknown): void {
    const text: unknown = data === null ? null : JSON.stringify(data);
    if (typeof text === 'string') this.#state.device.localStorage.set(key, text);
    else this.#state.device.localStorage.delete(key);
  }
}
