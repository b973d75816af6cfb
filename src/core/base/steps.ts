import { BrainError, vaultClosed } from './errors';
import type { Clock, StopSignal } from './host';
import type { IfMatch } from './if-match';

/**
 * The length of a slice (ms). The last piece begins within it and may end after it, and the engine may collect garbage
 * meanwhile; all of it is to stay under the 12 ms that a person notices.
 */
const SLICE_MS = 4;

/** Listeners of a `Pace`, which measure how long the thread is held. They must not throw. */
export interface PaceWatch {
  /** Called when a slice begins, in a new turn of the event loop. */
  sliceBegins(): void;
  pieceBegins(): void;
  pieceEnds(): void;
}

/**
 * A scheduler that keeps long work from blocking the thread, which inside the app also draws the window. It runs as many of
 * the small pieces that it is given as fit into one slice, and the next ones in a later turn of the event loop. All work on
 * one `Pace` shares its slices.
 */
export class Pace {
  #start = -Infinity;
  #nextSlice: Promise<void> | null = null;
  #isStopped = false;

  /** @param breathe resolves in a later turn of the event loop, after everything that is queued there already */
  constructor(
    private readonly breathe: () => Promise<void>,
    private readonly clock: Clock,
    private readonly watch?: PaceWatch,
  ) {}

  /** True when the vault is being closed. No further piece runs then. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Makes every later `run` throw. */
  stop(): void {
    this.#isStopped = true;
  }

  /**
   * Runs a piece of work: at once within a slice, else when the next slice begins.
   * @throws BrainError `starting` when the vault is being closed; the piece does not run then.
   */
  async run<T>(work: () => T): Promise<T> {
    // No turn lies between the check and the work: each of many waiting calls checks again after the one before it.
    while (this.#isOver()) await (this.#nextSlice ??= this.#pause());
    if (this.#isStopped) throw vaultClosed();
    if (this.watch === undefined) return work();
    this.watch.pieceBegins();
    try {
      return work();
    } finally {
      this.watch.pieceEnds();
    }
  }

  /** Tells whether the slice has ended. A clock that was set back ends it too, so that no slice is endless. */
  #isOver(): boolean {
    const spent = this.#now() - this.#start;
    return spent < 0 || spent >= SLICE_MS;
  }

  async #pause(): Promise<void> {
    await this.breathe();
    this.#start = this.#now();
    this.watch?.sliceBegins();
    this.#nextSlice = null;
  }

  #now(): number {
    return this.clock.now().getTime();
  }
}

/** The means to spread long work over time. */
export interface Pacing {
  readonly pace: Pace;
  /** Resolves after `milliseconds` without keeping the process alive. */
  readonly sleep: (milliseconds: number) => Promise<void>;
}

/** The progress of long work, in units of that work. */
export interface Progress {
  readonly done: number;
  readonly total: number;
  /** The part of the work, when it has several, each with its own count. */
  readonly phase?: 'reading' | 'writing' | undefined;
}

/** Options of a call: a stop signal, a listener for progress, the versions that it may change. */
export interface Watch {
  /** Stops the operation: completed changes stay, and no other change begins. */
  readonly signal?: StopSignal | undefined;
  /** Must not throw. */
  readonly progress?: ((progress: Progress) => void) | undefined;
  /** The versions that the changed note may have, in addition to `expected_hash` of the input. */
  readonly ifMatch?: IfMatch | undefined;
  /** The bytes that the caller sends beside the input, for operations that receive a file; to be read at most once. */
  readonly body?: AsyncIterable<Uint8Array> | undefined;
}

/** @throws BrainError `busy` when the signal has stopped. */
export function refuseStopped(signal: StopSignal | undefined): void {
  if (signal?.stopped !== true) return;
  throw new BrainError(
    'busy',
    'It was called off, and nothing was written. Start it again when it is wanted.',
  );
}

/** Work in small steps: the generator yields after each step, so that other work can run, and returns the result. */
export type Steps<T> = Generator<void, T>;

/** A counter of work in any unit, which tells when a step is full. */
export class Tally {
  #done = 0;

  constructor(private readonly perStep: number) {}

  /** Counts more work and returns true when the step is full: the caller yields then. */
  isFull(units = 1): boolean {
    this.#done += units;
    if (this.#done < this.perStep) return false;
    this.#done = 0;
    return true;
  }
}

/** Runs all steps at once and returns their result. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/**
 * Runs the steps in slices of time and resolves with their result.
 * @throws BrainError `starting` when the vault is being closed.
 */
export async function inSlices<T>(steps: Steps<T>, pace: Pick<Pace, 'run'>): Promise<T> {
  for (;;) {
    const step = await pace.run(() => steps.next());
    if (step.done === true) return step.value;
  }
}

/** The length from which a text is parsed in slices before its change takes the writer's lock (UTF-16 units). */
export const LONG_TEXT = 1 << 16;

/** The items that one step sorts, merges or visits. */
export const ITEMS_PER_STEP = 2048;

/** Sorts like `items.sort(compare)`, in steps. Stable. A long array is copied, a short one is sorted in place. */
export function* sortSteps<T extends object>(items: T[], compare: (a: T, b: T) => number): Steps<T[]> {
  if (items.length <= ITEMS_PER_STEP) return items.sort(compare);
  let runs: T[][] = [];
  for (let from = 0; from < items.length; from += ITEMS_PER_STEP) {
    runs.push(items.slice(from, from + ITEMS_PER_STEP).sort(compare));
    yield;
  }
  while (runs.length > 1) {
    const longer: T[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      longer.push(yield* merge(runs[at] ?? [], runs[at + 1] ?? [], compare));
    }
    runs = longer;
  }
  return runs[0] ?? [];
}

/** Merges two sorted runs. Of equal items those of the first run come first. */
function* merge<T extends object>(first: T[], second: T[], compare: (a: T, b: T) => number): Steps<T[]> {
  const [last] = first.slice(-1);
  const [next] = second;
  if (last === undefined || next === undefined || compare(last, next) <= 0) {
    yield;
    return first.concat(second);
  }
  const merged: T[] = [];
  let [a, b] = [0, 0];
  for (;;) {
    const left = first[a];
    const right = second[b];
    if (left === undefined && right === undefined) return merged;
    if (left !== undefined && (right === undefined || compare(left, right) <= 0)) {
      merged.push(left);
      a += 1;
    } else if (right !== undefined) {
      merged.push(right);
      b += 1;
    }
    if (merged.length % ITEMS_PER_STEP === 0) yield;
  }
}

/** Adds an item to the best of many: a list of at most `max` items, the best first. Of equal items the earlier one stays. */
export function keepBest<T>(best: T[], item: T, max: number, compare: (a: T, b: T) => number): void {
  const last = best[max - 1];
  if (last !== undefined && compare(item, last) >= 0) return;
  best.splice(
    partitionPoint(best, (each) => compare(each, item) <= 0),
    0,
    item,
  );
  best.splice(max);
}

/** Returns the number of items at the beginning of a sorted list for which `isBefore` is true: a binary search. */
export function partitionPoint<T>(sorted: readonly T[], isBefore: (item: T) => boolean): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = sorted[middle];
    if (item !== undefined && isBefore(item)) low = middle + 1;
    else high = middle;
  }
  return low;
}
