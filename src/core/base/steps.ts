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

/** The slices of a vault. */
interface Slices {
  start: number;
  next: Promise<void> | null;
  isStopped: boolean;
}

/**
 * A scheduler that keeps long work from blocking the thread, which inside the app also draws the window. It runs as many of
 * the small pieces that it is given as fit into one slice, and the next ones in a later turn of the event loop. All work on
 * one `Pace` shares its slices.
 */
export class Pace {
  /** The present slice, which the paces of all callers share. */
  #slices: Slices = { start: -Infinity, next: null, isStopped: false };
  #caller = '';

  /** @param breathe resolves in a later turn of the event loop, after everything that is queued there already */
  constructor(
    private readonly breathe: () => Promise<void>,
    private readonly clock: Clock,
    private readonly watch?: PaceWatch,
    private readonly texts?: TextRunner,
  ) {}

  /** Returns this pace for a caller, whose long texts do not wait for those of another caller. */
  of(caller: string): Pace {
    const pace = new Pace(this.breathe, this.clock, this.watch, this.texts);
    pace.#slices = this.#slices;
    pace.#caller = caller;
    return pace;
  }

  /**
   * Runs a call on a long text: as the host does it, else here, in slices.
   * @throws BrainError `too_entangled`
   */
  apart(call: TextCall): Promise<unknown> {
    const here = (): Promise<unknown> => inSlices(call.here(), { run: (work) => this.run(work) });
    return this.texts === undefined ? here() : this.texts.run(call, this.#caller, here);
  }

  /** The name of the caller, empty for the service itself. */
  get caller(): string {
    return this.#caller;
  }

  /** True when the vault is being closed. No further piece runs then. */
  get isStopped(): boolean {
    return this.#slices.isStopped;
  }

  /** Makes every later `run` throw. */
  stop(): void {
    this.#slices.isStopped = true;
  }

  /**
   * Runs a piece of work: at once within a slice, else when the next slice begins.
   * @throws BrainError `starting` when the vault is being closed; the piece does not run then.
   */
  async run<T>(work: () => T): Promise<T> {
    // No turn lies between the check and the work: each of many waiting calls checks again after the one before it.
    while (this.#isOver()) await (this.#slices.next ??= this.#pause());
    if (this.#slices.isStopped) throw vaultClosed();
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
    const spent = this.#now() - this.#slices.start;
    return spent < 0 || spent >= SLICE_MS;
  }

  async #pause(): Promise<void> {
    await this.breathe();
    this.#slices.start = this.#now();
    this.watch?.sliceBegins();
    this.#slices.next = null;
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
  /** The idempotency key as the caller sent it, unchecked; undefined without any. */
  readonly key?: unknown;
  /** Called when the answer is that of a former call with the key. */
  readonly replayed?: (() => void) | undefined;
}

/** @throws BrainError `busy` when the signal has stopped. */
export function refuseStopped(signal: StopSignal | undefined): void {
  if (signal?.stopped !== true) return;
  throw new BrainError(
    'busy',
    'It was called off, and nothing was written. Start it again when it is wanted.',
  );
}

/**
 * Work in small steps: the generator yields after each step, so that other work can run, and returns the result. It may yield a
 * call on a long text, and is resumed with the result of the call.
 */
export type Steps<T> = Generator<TextCall | undefined, T, unknown>;

/** A computation on one text. Input and result are plain data, so that a thread can do it for others. */
export interface TextTask<In, Out> {
  /** The name by which a thread finds the same task. */
  readonly name: string;
  readonly steps: (input: In) => Steps<Out>;
  /** Returns the text that the work grows with. */
  readonly textOf: (input: In) => string;
}

/** A task with its input, which whoever runs the steps may give to a thread. */
export interface TextCall {
  readonly task: string;
  readonly input: unknown;
  readonly text: string;
  /** Returns the steps of the task, to run them here. */
  readonly here: () => Steps<unknown>;
}

/** Runs calls on long texts for the callers of a vault. */
export interface TextRunner {
  /**
   * Resolves with the result of the task.
   * @param here runs the task on this thread, in slices
   * @throws BrainError `too_entangled` for a text that ended what read it, `starting` when the vault is being closed
   */
  run(call: TextCall, caller: string, here: () => Promise<unknown>): Promise<unknown>;
}

/**
 * Does a task as a part of other steps; a long text may be read in a thread meanwhile.
 * @param here the steps for this thread, where they differ from those of the task
 */
export function* apart<In, Out>(
  task: TextTask<In, Out>,
  input: In,
  here: () => Steps<Out> = () => task.steps(input),
): Steps<Out> {
  const text = task.textOf(input);
  if (text.length < LONG_TEXT) return yield* here();
  // Whoever resumes the steps gives the result of this task.
  return (yield { task: task.name, input, text, here }) as Out;
}

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
  let step = steps.next();
  while (step.done !== true) {
    const call = step.value;
    step = call === undefined ? steps.next() : steps.next(finish(call.here()));
  }
  return step.value;
}

/**
 * Runs the steps in slices of time and resolves with their result. Calls on long texts run as the pace does them; without such a
 * pace, in the same slices.
 * @throws BrainError `starting` when the vault is being closed, `too_entangled` for a text that cannot be read
 */
export async function inSlices<T>(
  steps: Steps<T>,
  pace: Pick<Pace, 'run'> & Partial<Pick<Pace, 'apart'>>,
): Promise<T> {
  let next = (): IteratorResult<TextCall | undefined, T> => steps.next();
  for (;;) {
    const step = await pace.run(next);
    if (step.done === true) return step.value;
    const call = step.value;
    if (call === undefined) {
      next = () => steps.next();
      continue;
    }
    try {
      const result = await (pace.apart?.(call) ?? inSlices(call.here(), pace));
      next = () => steps.next(result);
    } catch (error) {
      // The steps may have an answer of their own to it.
      next = () => steps.throw(error);
    }
  }
}

/**
 * The length from which a text is read in a thread, where the host has threads, and before its change takes the writer's lock
 * (UTF-16 units).
 */
export const LONG_TEXT = 1 << 14;

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
export function partitionPoint<T>(sorted: ArrayLike<T>, isBefore: (item: T) => boolean): number {
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
