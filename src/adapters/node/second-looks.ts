import { clearTimeout, setTimeout } from 'node:timers';
import type { VaultPath } from '../../core/rules/paths';

/** Milliseconds after which the watch sees what becomes of a new file, on slow drives as well. */
const LOOK_AGAIN_MS = 2000;

/**
 * Tells of every file once more some time after we wrote it. The watch needs a moment until it sees a new file or folder, and
 * says nothing of one that another program took away again before.
 */
export class SecondLooks {
  readonly #due = new Map<VaultPath, number>();
  readonly #tell: (path: VaultPath) => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(tell: (path: VaultPath) => void) {
    this.#tell = tell;
  }

  /** A file was written just now. */
  add(path: VaultPath): void {
    // The map is in the order of the times.
    this.#due.delete(path);
    this.#due.set(path, Date.now() + LOOK_AGAIN_MS);
    this.#timer ??= this.#wait(LOOK_AGAIN_MS);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#due.clear();
  }

  #wait(time: number): NodeJS.Timeout {
    return setTimeout(() => this.#look(), time).unref();
  }

  #look(): void {
    const now = Date.now();
    this.#timer = undefined;
    for (const [path, due] of this.#due) {
      if (due > now) {
        this.#timer = this.#wait(due - now);
        return;
      }
      this.#due.delete(path);
      this.#tell(path);
    }
  }
}
