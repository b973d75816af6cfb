import type { FileStat, VaultStore } from '../ports';
import type { VaultPath } from '../rules/paths';
import { sameStat } from '../same-stat';

/** What stood at a path at some time, and the time and size of the file right before it was read. */
interface Seen {
  readonly stat: FileStat | null;
  readonly text: string | null;
}

/**
 * A file that is read before it is needed, while the disk is busy with something else. What was read counts only when the
 * file is then still the same, so that nothing a person has written meanwhile is missed.
 */
export class ReadAhead {
  #seen: Promise<Seen | null> | null = null;

  constructor(
    private readonly vault: Pick<VaultStore, 'stat' | 'read'>,
    readonly path: VaultPath,
  ) {}

  /** Begins to read. */
  begin(): void {
    // Whatever is wrong with the file is found again by the reading that counts.
    this.#seen = this.#look().catch(() => null);
  }

  /** The text as it stands now, or null when there is no file; rejects as reading it does. */
  async text(): Promise<string | null> {
    const seen = await this.#seen;
    const stat = await this.vault.stat(this.path);
    return seen !== null && sameStat(seen.stat, stat) ? seen.text : this.vault.read(this.path);
  }

  async #look(): Promise<Seen> {
    const stat = await this.vault.stat(this.path);
    return { stat, text: stat === null ? null : await this.vault.read(this.path) };
  }
}
