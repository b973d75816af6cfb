import type { Plugin } from 'obsidian';
import { isRecord } from '../core/rules/record';

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
