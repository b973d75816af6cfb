import { BrainError } from './errors';
import type { Clock } from './ports';

const WINDOW_MS = 60_000;

/** Counts mutating calls per caller in fixed windows of one minute; a limit of 0 switches it off. */
export class RateLimit {
  readonly #windows = new Map<string, { start: number; count: number }>();

  constructor(
    private readonly perMinute: number,
    private readonly clock: Clock,
  ) {}

  /** Counts one call. @throws BrainError `rate_limited` with `retry_after` in seconds when the minute is used up. */
  take(name: string): void {
    if (this.perMinute === 0) return;
    const now = this.clock.now().getTime();
    const known = this.#windows.get(name);
    const window =
      known && now - known.start < WINDOW_MS && now >= known.start ? known : { start: now, count: 0 };
    if (window.count >= this.perMinute) {
      const retryAfter = Math.max(1, Math.ceil((window.start + WINDOW_MS - now) / 1000));
      throw new BrainError(
        'rate_limited',
        `More than ${this.perMinute} changes in a minute. Wait ${retryAfter} s, then go on.`,
        { retry_after: retryAfter },
      );
    }
    window.count += 1;
    this.#windows.set(name, window);
  }
}
