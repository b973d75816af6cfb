import type { Clock } from './ports';

/**
 * So long may work go on before others have their turn, in milliseconds. The last piece begins within it, and the system may
 * collect its garbage meanwhile; together they are to stay under the 12 ms that a person would notice.
 */
const SLICE_MS = 4;

/**
 * Keeps long work from holding the thread, which inside the app also draws the window: of the small pieces that it is
 * given, as many are done at once as fit into one slice, and the next ones in a later turn of the event loop. All that
 * share a pace share its slices.
 */
export class Pace {
  #start = -Infinity;
  #rest: Promise<void> | null = null;

  /** `breathe` resolves in a later turn of the event loop, after whatever waits there already. */
  constructor(
    private readonly breathe: () => Promise<void>,
    private readonly clock: Clock,
  ) {}

  /** Does a piece of work when there is time for it: at once within a slice, else when the next one begins. */
  async run<T>(work: () => T): Promise<T> {
    // The work follows its check without a gap: of many that wait, each asks again after the one before it is done.
    while (this.#isOver()) await (this.#rest ??= this.#pause());
    return work();
  }

  /** A clock that was set back ends a slice as well; it must not make an endless one. */
  #isOver(): boolean {
    const spent = this.#now() - this.#start;
    return spent < 0 || spent >= SLICE_MS;
  }

  async #pause(): Promise<void> {
    await this.breathe();
    this.#start = this.#now();
    this.#rest = null;
  }

  #now(): number {
    return this.clock.now().getTime();
  }
}
