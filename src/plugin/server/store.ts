import type { App, Plugin } from 'obsidian';
import { isRecord } from '../../core/base/json';

const PREFIX = 'brain-server:';

/**
 * The local storage of this vault on this device, which does not sync and is no file of the vault. Keys have a prefix, since
 * all plugins share the storage.
 */
export class DeviceStore {
  readonly #app: Pick<App, 'loadLocalStorage' | 'saveLocalStorage'>;

  constructor(app: Pick<App, 'loadLocalStorage' | 'saveLocalStorage'>) {
    this.#app = app;
  }

  /** Returns the text under a key; null for none. */
  get(key: string): string | null {
    const found: unknown = this.#app.loadLocalStorage(PREFIX + key);
    return typeof found === 'string' ? found : null;
  }

  /** Stores a text; null removes it. */
  set(key: string, value: string | null): void {
    this.#app.saveLocalStorage(PREFIX + key, value);
  }
}

/** The choices of the person about the server on this device. */
export class StartChoice {
  readonly #store: DeviceStore;

  constructor(store: DeviceStore) {
    this.#store = store;
  }

  /** True when the person has seen the folders and agreed. */
  get confirmed(): boolean {
    return this.#store.get('folders') === 'confirmed';
  }

  /** True when the person was asked, whatever the answer. The plugin asks once by itself. */
  get asked(): boolean {
    return this.#store.get('folders') !== null;
  }

  /** True when the server starts with the app on this device. */
  get starts(): boolean {
    return this.confirmed && this.#store.get('start') !== 'off';
  }

  confirm(): void {
    if (!this.confirmed) this.#store.set('layout', 'due');
    this.#store.set('folders', 'confirmed');
    this.#store.set('start', null);
  }

  /** Stores "Not now". An earlier agreement stays. */
  postpone(): void {
    if (!this.confirmed) this.#store.set('folders', 'postponed');
  }

  /** True while the folders that the person agreed to are still missing. */
  get layoutDue(): boolean {
    return this.#store.get('layout') !== null;
  }

  layoutMade(): void {
    this.#store.set('layout', null);
  }

  setStarts(starts: boolean): void {
    this.#store.set('start', starts ? null : 'off');
  }
}

/** The id of the token for a server elsewhere in the secret store of the app. */
const SERVER_SECRET = 'brain-server-remote-token';

/**
 * The token of this device for a server elsewhere, in the secret store of the app. It is kept together with the address that it
 * was given for, and handed out for that one only: the address syncs, and whoever changes it there must not be sent the token.
 */
export class ServerToken {
  readonly #secrets: Pick<App['secretStorage'], 'getSecret' | 'setSecret'>;

  constructor(secrets: Pick<App['secretStorage'], 'getSecret' | 'setSecret'>) {
    this.#secrets = secrets;
  }

  /** Returns the token for the server at an address, empty for a server that wants none; null when this device has none. */
  get(url: string): string | null {
    const [kept, token] = (this.#secrets.getSecret(SERVER_SECRET) ?? '').split(' ');
    return kept === url && token !== undefined ? token : null;
  }

  set(url: string, token: string): void {
    this.#secrets.setSecret(SERVER_SECRET, `${url} ${token}`);
  }

  forget(): void {
    this.#secrets.setSecret(SERVER_SECRET, '');
  }
}

/** The content of `data.json`: changed settings, and keys of other versions of this plugin. */
export type SavedSettings = Readonly<Record<string, unknown>>;

/**
 * The settings of this vault. Only values that differ from the defaults are written, and unknown keys are kept: the file
 * syncs between devices with different versions.
 */
export class SettingsStore {
  readonly #plugin: Pick<Plugin, 'loadData' | 'saveData'>;
  readonly #listeners = new Set<() => void>();
  #saved: SavedSettings = {};
  #problem: string | null = null;
  /** The last read or write. They run one at a time, so that a read never reverts a concurrent change. */
  #last: Promise<void> = Promise.resolve();

  constructor(plugin: Pick<Plugin, 'loadData' | 'saveData'>) {
    this.#plugin = plugin;
  }

  get saved(): SavedSettings {
    return this.#saved;
  }

  /** The address of the server elsewhere, as it is saved; null for the server inside the app. */
  get serverUrl(): string | null {
    const { serverUrl } = this.#saved;
    return typeof serverUrl === 'string' && serverUrl.trim() !== '' ? serverUrl : null;
  }

  /** The reason why the file is unreadable, for the person; null when it was read. */
  get problem(): string | null {
    return this.#problem;
  }

  /** Reads the file again. An unreadable file yields the defaults, and is not overwritten. */
  load(): Promise<void> {
    return this.#enqueue(() => this.#load());
  }

  async #load(): Promise<void> {
    const before = JSON.stringify(this.#saved);
    const read = await this.#read();
    this.#problem = typeof read === 'string' ? read : null;
    this.#saved = isRecord(read) ? read : {};
    if (JSON.stringify(this.#saved) !== before) this.#notify();
  }

  /** Returns the content of the file, null when it holds no settings, or the reason why it is unreadable. */
  async #read(): Promise<SavedSettings | string | null> {
    try {
      const data: unknown = await this.#plugin.loadData();
      return isRecord(data) ? data : null;
    } catch (error) {
      return `The settings file data.json of this plugin cannot be read (${String(error)}). Repair or delete it, then reload the plugin.`;
    }
  }

  /**
   * Stores a value; `undefined` restores the default. Resolves when it is written, merged with what the file holds by then: a sync
   * program may have brought the changes of another device before the app tells of them.
   * @throws Error when the file is unreadable, for a write would lose its content.
   */
  set(key: string, value: unknown): Promise<void> {
    return this.setAll({ [key]: value });
  }

  /** Stores several values at once, as `set` does one. */
  setAll(values: Readonly<Record<string, unknown>>): Promise<void> {
    return this.#enqueue(async () => {
      if (this.#problem !== null) throw new Error(this.#problem);
      const read = await this.#read();
      if (typeof read === 'string') throw new Error(read);
      // A sync program may have taken the file away for a moment.
      const next = Object.fromEntries(
        Object.entries({ ...(read ?? this.#saved), ...values }).filter(([, value]) => value !== undefined),
      );
      await this.#plugin.saveData(next);
      this.#saved = next;
      this.#notify();
    });
  }

  /** Calls `listener` after every change, here or on another device. Returns a function that unsubscribes. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined); // The caller gets the error. The next one runs.
    return done;
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
