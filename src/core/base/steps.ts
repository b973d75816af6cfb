import { BrainError, vaultClosed } from './errors';
import type { Clock, StopSignal } from './host';
import type { IfMatch } from './if-match';

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

/** How far long work has come. */
export interface Progress {
  readonly done: number;
  readonly total: number;
}

/** Somebody who waits for long work: wants to hear how far it is, and may call it off. */
export interface Watch {
  /** What stands when it stops stays; everything else is left alone. */
  readonly signal?: StopSignal | undefined;
  /** Must not throw. */
  readonly progress?: ((progress: Progress) => void) | undefined;
  /** The versions at which the note that is changed may be, beside an `expected_hash` of the input. */
  readonly ifMatch?: IfMatch | undefined;
}

/** @throws BrainError `busy` when the work was called off. */
export function refuseStopped(signal: StopSignal | undefined): void {
  if (signal?.stopped !== true) return;
  throw new BrainError(
    'busy',
    'It was called off, and nothing was written. Start it again when it is wanted.',
  );
}

/** Work in small steps, between which others may have their turn; it returns what comes of it. */
export type Steps<T> = Generator<void, T>;

/** Counts work in units of any kind, to tell when a step is full. */
export class Tally {
  #done = 0;

  constructor(private readonly perStep: number) {}

  /** Counts more work; true when a step is full with it: then it is time to pause. */
  isFull(units = 1): boolean {
    this.#done += units;
    if (this.#done < this.perStep) return false;
    this.#done = 0;
    return true;
  }
}

/** Does all the steps at once. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Does the steps in slices of time. */
export async function inSlices<T>(steps: Steps<T>, pace: Pick<Pace, 'run'>): Promise<T> {
  for (;;) {
    const step = await pace.run(() => steps.next());
    if (step.done === true) return step.value;
  }
}

/** From so many UTF-16 units on a text is read before its change is carried out, and waits for it … */
export const LONG_TEXT = 1 << 16;

/** So many items are sorted, merged or looked at in one step. */
export const ITEMS_PER_STEP = 2048;

/** What `items.sort(compare)` gives, a new array when there are many, a part of the work a step. */
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

/** Of equal items those of the first run come first. */
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
