import { MIB } from '../base/hash';
import { BrainError } from '../base/errors';
import type { Clock } from '../base/host';

const WINDOW_MS = 60_000;

interface Window {
  readonly start: number;
  calls: number;
  bytes: number;
  /** The one file that may have more than the minute has left. */
  overdrawn: object | null;
}

/** The least that a file counts (bytes): each takes a block of the disk, however short it is. */
const FILE_BYTES = 4096;

/** Counts changes and their bytes for each caller, in fixed windows of one minute; a limit of 0 disables it. */
export class RateLimit {
  readonly #windows = new Map<string, Window>();

  constructor(
    private readonly perMinute: number,
    private readonly clock: Clock,
    private readonly bytesPerMinute = 0,
  ) {}

  /**
   * Counts one call.
   * @throws BrainError `rate_limited` with `retry_after` in seconds when the minute is used up
   */
  take(name: string): void {
    if (this.perMinute === 0) return;
    const window = this.#window(name);
    if (window.calls >= this.perMinute) {
      throw this.#refusal(window, `More than ${this.perMinute} changes in a minute.`);
    }
    window.calls += 1;
  }

  /**
   * Counts the bytes of a call, whether or not it succeeds.
   * @throws BrainError `rate_limited` with `retry_after` in seconds when the minute has fewer bytes left
   */
  takeBytes(name: string, bytes: number): void {
    if (this.bytesPerMinute === 0) return;
    const window = this.#window(name);
    window.bytes += bytes;
    if (window.bytes > this.bytesPerMinute) throw this.#bytesRefusal(window);
  }

  /**
   * Counts the bytes of a file as they come; its size is not known before. One file of a minute may have more than the minute has
   * left, or none larger than that could be sent. Others that are sent at the same time are refused then, and so is the next one.
   * @throws BrainError `rate_limited`, at the first byte, when the minute is used up, or later when another file has used it up
   */
  fileCounter(name: string): (bytes: number) => void {
    if (this.bytesPerMinute === 0) return () => undefined;
    const file = {};
    let isBegun = false;
    return (bytes) => {
      const window = this.#window(name);
      const isOver = window.bytes >= this.bytesPerMinute;
      if (isOver && (!isBegun || (window.overdrawn !== null && window.overdrawn !== file))) {
        throw this.#bytesRefusal(window);
      }
      window.bytes += isBegun ? bytes : Math.max(bytes, FILE_BYTES);
      isBegun = true;
      if (window.bytes >= this.bytesPerMinute) window.overdrawn ??= file;
    };
  }

  #window(name: string): Window {
    const now = this.clock.now().getTime();
    const known = this.#windows.get(name);
    if (known && now - known.start < WINDOW_MS && now >= known.start) return known;
    const window: Window = { start: now, calls: 0, bytes: 0, overdrawn: null };
    this.#windows.set(name, window);
    return window;
  }

  #bytesRefusal(window: Window): BrainError {
    const most =
      this.bytesPerMinute % MIB === 0 ? `${this.bytesPerMinute / MIB} MiB` : `${this.bytesPerMinute} bytes`;
    return this.#refusal(window, `Changes were sent with more than ${most} in a minute.`);
  }

  #refusal({ start }: Window, what: string): BrainError {
    const rest = start + WINDOW_MS - this.clock.now().getTime();
    const retryAfter = Math.max(1, Math.ceil(rest / 1000));
    return new BrainError('rate_limited', `${what} Wait ${retryAfter} s, then go on.`, {
      retry_after: retryAfter,
    });
  }
}
