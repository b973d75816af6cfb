import type { App } from 'obsidian';

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
