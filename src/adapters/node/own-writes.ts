import type { FileStat } from '../../core/ports';
import { sameStat } from '../../core/same-stat';
import { SecondLooks } from './second-looks';

/** A file that was written by this process: how it looked right afterwards, and what was written. */
interface OwnWrite {
  /** Null while it is being written. */
  stat: FileStat | null;
  readonly bytes: Uint8Array;
}

/** What is needed to look at a file. */
interface Looks<Path> {
  /** Time and size of what stands there, at once; null when nothing does. */
  readonly stat: (path: Path) => FileStat | null;
  readonly read: (path: Path) => Promise<Uint8Array | null>;
  /** Called with a file that is not as it was written. */
  readonly tell: (path: Path) => void;
}

/**
 * Tells the echo of our own writes, which the watch reports like any other change, from the changes of others, so that nobody
 * reads again what was just written. An echo is known by the time and size of the file, which say nothing of a change within
 * one tick of the file system's clock; so each file is compared by its bytes once more, `afterMs` milliseconds later. By then
 * the watch has had the moment it needs to see a new folder, too.
 */
export class OwnWrites<Path extends string> {
  readonly #writes = new Map<Path, OwnWrite>();
  readonly #looks: Looks<Path>;
  readonly #second: SecondLooks<Path>;

  constructor(looks: Looks<Path>, afterMs: number) {
    this.#looks = looks;
    this.#second = new SecondLooks<Path>(afterMs, (path) => void this.#compare(path));
  }

  /** Writes a file; `work` resolves false when it has written nothing. */
  async during(path: Path, bytes: Uint8Array, work: () => Promise<boolean>): Promise<boolean> {
    const write: OwnWrite = { stat: null, bytes };
    this.#writes.set(path, write);
    let isWritten = false;
    try {
      isWritten = await work();
      return isWritten;
    } finally {
      if (this.#writes.get(path) === write) this.#settle(path, write, isWritten);
    }
  }

  /** True for a change that is no news: the file is being written here, or is as it was left. */
  isEcho(path: Path): boolean {
    const write = this.#writes.get(path);
    return write !== undefined && (write.stat === null || sameStat(write.stat, this.#looks.stat(path)));
  }

  close(): void {
    this.#second.close();
    this.#writes.clear();
  }

  #settle(path: Path, write: OwnWrite, isWritten: boolean): void {
    write.stat = isWritten ? this.#looks.stat(path) : null;
    if (write.stat !== null) return this.#second.add(path);
    // Nothing was written, or it is gone: what was heard meanwhile was of somebody else.
    this.#writes.delete(path);
    this.#looks.tell(path);
  }

  async #compare(path: Path): Promise<void> {
    const write = this.#writes.get(path);
    // One that is being written anew is compared when that is done.
    if (write === undefined || write.stat === null) return;
    const stands = await this.#looks.read(path).catch(() => null);
    if (this.#writes.get(path) !== write) return;
    this.#writes.delete(path);
    if (stands === null || Buffer.compare(stands, write.bytes) !== 0) this.#looks.tell(path);
  }
}
