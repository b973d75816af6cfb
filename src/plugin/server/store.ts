import type { App, Plugin } from 'obsidian';
import { isRecord } from '../../core/base/json';

const PREFIX = 'brain-server:';

/**
 * What is kept for this vault on this device alone: it does not travel with the vault, and it is no file of the vault.
 * Keys carry a prefix, since all plugins share the place.
 */
export class DeviceStore {
  readonly #app: Pick<App, 'loadLocalStorage' | 'saveLocalStorage'>;

  constructor(app: Pick<App, 'loadLocalStorage' | 'saveLocalStorage'>) {
    this.#app = app;
  }

  /** The text under the key, or null when there is none. */
  get(key: string): string | null {
    const found: unknown = this.#app.loadLocalStorage(PREFIX + key);
    return typeof found === 'string' ? found : null;
  }

  /** Keeps a text; null forgets it. */
  set(key: string, value: string | null): void {
    this.#app.saveLocalStorage(PREFIX + key, value);
  }
}

/** What a person has decided about the server on this device. */
export class StartChoice {
  readonly #store: DeviceStore;

  constructor(store: DeviceStore) {
    this.#store = store;
  }

  /** True once the person has seen the folders and agreed. */
  get confirmed(): boolean {
    return this.#store.get('folders') === 'confirmed';
  }

  /** True when the person has been asked, whatever the answer was: nobody is asked twice unbidden. */
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

  /** Remembers "Not now"; an earlier agreement stands. */
  postpone(): void {
    if (!this.confirmed) this.#store.set('folders', 'postponed');
  }

  /** True while the folders that the person has agreed to are still to be made. */
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

/** Settings as `data.json` holds them: what a person has changed, and what another version of this plugin kept there. */
export type SavedSettings = Readonly<Record<string, unknown>>;

/**
 * The settings of this vault. Only what differs from the defaults is written, and keys that this version does not know
 * stay as they are: the file travels between devices whose versions differ.
 */
export class SettingsStore {
  readonly #plugin: Pick<Plugin, 'loadData' | 'saveData'>;
  readonly #listeners = new Set<() => void>();
  #saved: SavedSettings = {};
  #problem: string | null = null;
  /** The last reading or writing: one at a time, so that a reading never brings back what was changed meanwhile. */
  #last: Promise<void> = Promise.resolve();

  constructor(plugin: Pick<Plugin, 'loadData' | 'saveData'>) {
    this.#plugin = plugin;
  }

  get saved(): SavedSettings {
    return this.#saved;
  }

  /** Why the file could not be read, for the person; null when it could. */
  get problem(): string | null {
    return this.#problem;
  }

  /** Reads the file again. A file that cannot be read leaves the defaults, and is not written over. */
  load(): Promise<void> {
    return this.#inTurn(() => this.#load());
  }

  async #load(): Promise<void> {
    const before = JSON.stringify(this.#saved);
    try {
      const data: unknown = await this.#plugin.loadData();
      this.#saved = isRecord(data) ? data : {};
      this.#problem = null;
    } catch (error) {
      this.#saved = {};
      this.#problem = `The settings file data.json of this plugin cannot be read (${String(error)}). Repair or delete it, then reload the plugin.`;
    }
    if (JSON.stringify(this.#saved) !== before) this.#tell();
  }

  /**
   * Keeps a value; `undefined` goes back to the default. Resolves when it is written.
   * @throws Error when the file could not be read before: writing would lose what stands in it.
   */
  set(key: string, value: unknown): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#problem !== null) throw new Error(this.#problem);
      const { [key]: _, ...others } = this.#saved;
      const next = value === undefined ? others : { ...others, [key]: value };
      await this.#plugin.saveData(next);
      this.#saved = next;
      this.#tell();
    });
  }

  /** Calls `listener` after every change, here or on another device. Returns how to stop that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined); // Told to whoever asked for it; the next one goes on.
    return done;
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
