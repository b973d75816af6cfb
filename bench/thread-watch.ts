import { readFileSync } from 'node:fs';
import { performance, PerformanceObserver, monitorEventLoopDelay } from 'node:perf_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { PaceWatch } from '../src/core/base/steps';
import { Timings } from './support';

/** A slice that takes longer is asked how much of it the thread was not even running, in milliseconds. */
const LONG_MS = 6;

interface Span {
  readonly from: number;
  readonly to: number;
  /** Of this, how long the thread waited for a processor that other programs had; 0 where that is not known. */
  readonly waited?: number;
  /** What this thread used of processors meanwhile, where that was asked; on a Node before 23.9, what all threads did. */
  readonly used?: number;
}

interface Clocks {
  cpuUsage(): NodeJS.CpuUsage;
  threadCpuUsage?(): NodeJS.CpuUsage;
}

/** How long the thread was held, in milliseconds: in all, by the work alone, and by the collection of garbage alone. */
export interface Held {
  readonly whole: Timings;
  readonly ours: Timings;
  readonly collecting: Timings;
}

/** As JSON can say it: median, 99th percentile, longest, longest of the work alone, longest collection. */
export interface Summary {
  readonly count: number;
  readonly times: readonly number[];
}

export function summary({ whole, ours, collecting }: Held): Summary {
  const all = [whole.quantile(0.5), whole.quantile(0.99), whole.quantile(1)];
  return { count: whole.count, times: [...all, ours.quantile(1), collecting.quantile(1)] };
}

/**
 * Watches the one thread: the slices of paced work, from the beginning of a slice to the end of its last piece, and the time
 * between two turns of the event loop. What the collection of garbage took of both is known from Node's own clock; what other
 * programs took of a slice, from Linux. No more of a slice is ours than the thread had of the processors meanwhile: it also
 * sleeps in the middle of its work, when it has to wait for another thread of the engine.
 */
export class ThreadWatch implements PaceWatch {
  readonly #slices: Span[] = [];
  readonly #pieces = new Timings();
  readonly #gaps: Span[] = [];
  readonly #collections: Span[] = [];
  readonly #observer = new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries())
      this.#collections.push({ from: startTime, to: startTime + duration });
  });
  #slice: { from: number; to: number; waited: number; used?: number } | null = null;
  #waitedBefore = 0;
  #usedBefore = used();
  #piece = 0;
  #running = true;

  constructor() {
    this.#observer.observe({ entryTypes: ['gc'] });
    let last = performance.now();
    const beat = (): void => {
      const now = performance.now();
      this.#gaps.push({ from: last, to: now });
      last = now;
      if (this.#running) setImmediate(beat);
    };
    setImmediate(beat);
  }

  sliceBegins(): void {
    this.#endSlice();
    const now = performance.now();
    this.#slice = { from: now, to: now, waited: 0 };
    this.#waitedBefore = waitedForProcessor();
    this.#usedBefore = used();
  }

  pieceBegins(): void {
    this.#piece = performance.now();
  }

  pieceEnds(): void {
    const now = performance.now();
    this.#pieces.add(now - this.#piece);
    const slice = this.#slice;
    if (slice === null) return;
    slice.to = now;
    if (now - slice.from <= LONG_MS) return;
    slice.waited = waitedForProcessor() - this.#waitedBefore;
    slice.used = used() - this.#usedBefore;
  }

  /** Forgets slices and turns so far: the work that is to be measured begins. */
  forget(): void {
    this.#slices.length = 0;
    this.#gaps.length = 0;
  }

  /** Ends the watch, and tells. Collections are reported late, so it takes a moment. */
  async end(): Promise<{ pieces: Timings; slices: Held; gaps: Held }> {
    this.#running = false;
    this.#endSlice();
    await new Promise((resolve) => setTimeout(resolve, 100));
    this.#observer.disconnect();
    return { pieces: this.#pieces, slices: this.#held(this.#slices), gaps: this.#held(this.#gaps) };
  }

  #endSlice(): void {
    if (this.#slice !== null) this.#slices.push(this.#slice);
    this.#slice = null;
  }

  #held(spans: readonly Span[]): Held {
    const held = { whole: new Timings(), ours: new Timings(), collecting: new Timings() };
    const collections = [...this.#collections].sort((a, b) => a.from - b.from);
    let first = 0;
    for (const { from, to, waited = 0, used = Infinity } of spans) {
      while ((collections[first]?.to ?? Infinity) < from) first += 1;
      let collecting = 0;
      for (let at = first; (collections[at]?.from ?? Infinity) < to; at += 1) {
        const { from: begun, to: ended } = collections[at] ?? { from: 0, to: 0 };
        collecting += Math.max(0, Math.min(to, ended) - Math.max(from, begun));
      }
      held.whole.add(to - from);
      held.ours.add(Math.min(used, Math.max(0, to - from - collecting - waited)));
      held.collecting.add(collecting);
    }
    return held;
  }
}

/** Milliseconds for which this thread was ready to run and had no processor, since it began; 0 but on Linux. */
function waitedForProcessor(): number {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[1]) / 1e6;
  } catch {
    return 0; // Another system: then what others take counts as ours.
  }
}

/** Milliseconds that this thread has used of processors: from Node 23.9 on; before, what all threads of the process have. */
function used(): number {
  const { cpuUsage, threadCpuUsage = cpuUsage }: Clocks = process;
  const { user, system } = threadCpuUsage();
  return (user + system) / 1000;
}

// What follows watches the plugin from inside the process of the stand-in for the app: slices.ts bundles this file for it.
/** The diagnostics channel of the plugin (`plugin/server/open-vault.ts`), whose module needs the app. */
const PACE_CHANNEL = 'brain-server:pace';

/** What was seen. `delay` is median, 99th percentile and longest, in milliseconds. */
export interface Seen {
  readonly slices: Summary;
  readonly gaps: Summary;
  readonly delay: readonly number[];
}

const delay = monitorEventLoopDelay({ resolution: 1 });
let thread: ThreadWatch | null = null;

function told(what: unknown): void {
  if (what === 'sliceBegins') thread?.sliceBegins();
  if (what === 'pieceBegins') thread?.pieceBegins();
  if (what === 'pieceEnds') thread?.pieceEnds();
}

export function begin(): void {
  thread = new ThreadWatch();
  subscribe(PACE_CHANNEL, told);
  delay.enable();
  process.on('SIGUSR2', () => {
    thread?.forget();
    delay.reset();
  });
}

export async function end(): Promise<Seen> {
  delay.disable();
  unsubscribe(PACE_CHANNEL, told);
  const ended = thread;
  thread = null;
  if (ended === null) throw new Error('The watch has not begun.');
  const { slices, gaps } = await ended.end();
  const inMs = [delay.percentile(50), delay.percentile(99), delay.max].map((time) => time / 1e6);
  return { slices: summary(slices), gaps: summary(gaps), delay: inMs };
}
