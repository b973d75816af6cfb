import { clearTimeout, setTimeout } from 'node:timers';

/** Tells of every file once more, so many milliseconds after it was last told of. */
export class SecondLooks<Path extends string> {
  readonly #due = new Map<Path, number>();
  readonly #afterMs: number;
  readonly #tell: (path: Path) => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(afterMs: number, tell: (path: Path) => void) {
    this.#afterMs = afterMs;
    this.#tell = tell;
  }

  /** Something happened to a file just now. */
  add(path: Path): void {
    // The map is in the order of the times.
    this.#due.delete(path);
    this.#due.set(path, Date.now() + this.#afterMs);
    this.#timer ??= this.#wait(this.#afterMs);
  }

  /** Nothing more needs to be told of a file. */
  drop(path: Path): void {
    this.#due.delete(path);
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
