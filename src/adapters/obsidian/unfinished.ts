import { BrainError } from '../../core/errors';
import type { StateStore, VaultStore } from '../../core/ports';
import { vaultPath, type VaultPath } from '../../core/rules/paths';

/** Takes the half of a character off a file that was cut while the text was written. */
type Whole = (path: VaultPath, text: string) => Promise<void>;

/**
 * Remembers the one derived file with a person's own words that is being replaced, because the app writes in place and a cut
 * would leave only the beginning. Plans have the journal for that; a derived file is in none.
 */
export class Unfinished {
  readonly #state: Pick<StateStore, 'read' | 'write' | 'remove'>;
  readonly #file: string;
  #failed = false;

  constructor(state: Pick<StateStore, 'read' | 'write' | 'remove'>, device: string) {
    this.#state = state;
    this.#file = `local.${device}/derived.json`;
  }

  /** Runs `write`, which is to make the file hold `text`, so that a cut in the middle can be mended. */
  async around<T>(path: VaultPath, text: string, write: () => Promise<T>): Promise<T> {
    await this.#state.write(this.#file, JSON.stringify({ path, text }));
    try {
      const written = await write();
      await this.#state.remove(this.#file);
      return written;
    } catch (error) {
      this.#failed = true;
      throw error;
    }
  }

  /** As `settle`, when a write has failed since; else nothing. A later record would take the place of what it remembers. */
  async settleFailed(vault: Pick<VaultStore, 'edit'>, whole: Whole): Promise<void> {
    if (this.#failed) await this.settle(vault, whole);
  }

  /** Completes what an earlier run was cut off in; leaves alone a file that holds anything but the beginning of the text. */
  async settle(vault: Pick<VaultStore, 'edit'>, whole: Whole): Promise<void> {
    const record = parse(await this.#state.read(this.#file));
    if (record === null) {
      this.#failed = false;
      return;
    }
    const { path, text } = record;
    await whole(path, text);
    try {
      await vault.edit(path, (now) => (now !== text && text.startsWith(now) ? text : null));
    } catch (error) {
      // What is no text is not the beginning of ours: it is for a person to look at, and no reason not to start.
      if (!(error instanceof BrainError && error.code === 'unsupported_type')) throw error;
    }
    await this.#state.remove(this.#file);
    this.#failed = false;
  }
}

function parse(record: string | null): { path: VaultPath; text: string } | null {
  if (record === null) return null;
  const data: unknown = JSON.parse(record);
  if (typeof data !== 'object' || data === null || !('path' in data) || !('text' in data)) return null;
  const { path, text } = data;
  return typeof path === 'string' && typeof text === 'string' ? { path: vaultPath(path), text } : null;
}
