import type { Clock } from './host';
import { vaultClosed } from './errors';

/**
 * So long may work go on before others have their turn, in milliseconds. The last piece begins within it, and the system may
 * collect its garbage meanwhile; together they are to stay under the 12 ms that a person would notice.
 */
const SLICE_MS = 4;

/** Told of the pieces of work, to measure from inside how long the thread is held. Must not throw. */
export interface PaceWatch {
  /** A slice begins, in its own turn of the event loop. */
  sliceBegins(): void;
  pieceBegins(): void;
  pieceEnds(): void;
}

/**
 * Keeps long work from holding the thread, which inside the app also draws the window: of the small pieces that it is
 * given, as many are done at once as fit into one slice, and the next ones in a later turn of the event loop. All that
 * share a pace share its slices.
 */
export class Pace {
  #start = -Infinity;
  #rest: Promise<void> | null = null;
  #isStopped = false;

  /** `breathe` resolves in a later turn of the event loop, after whatever waits there already. */
  constructor(
    private readonly breathe: () => Promise<void>,
    private readonly clock: Clock,
    private readonly watch?: PaceWatch,
  ) {}

  /** True when the vault is being closed: who works piece by piece then goes on to nothing else. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Begins no further piece of work. */
  stop(): void {
    this.#isStopped = true;
  }

  /**
   * Does a piece of work when there is time for it: at once within a slice, else when the next one begins.
   * @throws BrainError `starting` when the vault is being closed; the piece is not done then.
   */
  async run<T>(work: () => T): Promise<T> {
    // The work follows its check without a gap: of many that wait, each asks again after the one before it is done.
    while (this.#isOver()) await (this.#rest ??= this.#pause());
    if (this.#isStopped) throw vaultClosed();
    if (this.watch === undefined) return work();
    this.watch.pieceBegins();
    try {
      return work();
    } finally {
      this.watch.pieceEnds();
    }
  }

  /** A clock that was set back ends a slice as well; it must not make an endless one. */
  #isOver(): boolean {
    const spent = this.#now() - this.#start;
    return spent < 0 || spent >= SLICE_MS;
  }

  async #pause(): Promise<void> {
    await this.breathe();
    this.#start = this.#now();
    this.watch?.sliceBegins();
    this.#rest = null;
  }

  #now(): number {
    return this.clock.now().getTime();
  }
}

/** How long work is spread over time. */
export interface Pacing {
  readonly pace: Pace;
  /** Resolves after so many milliseconds without keeping the process alive. */
  readonly sleep: (milliseconds: number) => Promise<void>;
}
