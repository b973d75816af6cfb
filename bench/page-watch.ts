import type { JSHandle, Page } from 'playwright-core';
import { Timings } from './support';

/** What the thread of a page did while something was done to it. */
export interface Phase {
  readonly name: string;
  readonly steps: Timings;
  /** Tasks over 50 ms, as the browser itself tells of them. */
  readonly longTasks: readonly number[];
  /** How many rows of lists stand in the document afterwards. */
  readonly rows: number;
  readonly profile: Profile;
}

/** As much of the browser's CPU profile as is read here; times in microseconds. */
export interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string };
    readonly children?: readonly number[];
  }[];
  readonly samples?: readonly number[];
  readonly timeDeltas?: readonly number[];
}

interface Steps {
  readonly steps: Timings;
  /** Takes the time of one step. */
  readonly time: (work: () => Promise<void>) => Promise<void>;
}

type Watch = (name: string, run: (steps: Steps) => Promise<void>) => Promise<Phase>;

/** A profile is taken so often, in microseconds. */
const SAMPLE_EVERY = 500;
/** What was begun ends within this time, and its tasks are told, in milliseconds. */
const SETTLE = 500;
/** Functions that are named: those that held the thread the longest. */
const NAMED = 12;

/** Collects the durations (ms) of tasks over 50 ms from now on, in a list in the page. */
export function watchLongTasks(page: Page): Promise<JSHandle<number[]>> {
  return page.evaluateHandle(() => {
    const durations: number[] = [];
    const observer = new PerformanceObserver((list) => {
      durations.push(...list.getEntries().map(({ duration }) => duration));
    });
    observer.observe({ entryTypes: ['longtask'] });
    return durations;
  });
}

/** Watches the thread of a page: returns a function that runs a phase and says what the thread did meanwhile. */
export async function watchPage(page: Page): Promise<Watch> {
  const longTasks = await watchLongTasks(page);
  const session = await page.context().newCDPSession(page);
  await session.send('Profiler.enable');
  await session.send('Profiler.setSamplingInterval', { interval: SAMPLE_EVERY });
  return async (name, run) => {
    const steps = new Timings();
    await longTasks.evaluate((durations) => void durations.splice(0));
    await session.send('Profiler.start');
    await run({ steps, time: (work) => steps.time(work) });
    await page.waitForTimeout(SETTLE);
    const { profile } = await session.send('Profiler.stop');
    const long = await longTasks.evaluate((durations) => [...durations]);
    return { name, steps, longTasks: long, rows: await page.getByRole('option').count(), profile };
  };
}

export interface Cost {
  readonly name: string;
  /** Milliseconds in the function itself, and in it with all that it called. */
  readonly own: number;
  readonly whole: number;
}

/** The named functions that held the thread the longest with what they called, the costliest first. */
export function costliest({ nodes, samples = [], timeDeltas = [] }: Profile): Cost[] {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, callFrame.functionName]));
  const parents = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  );
  const costs = new Map<string, { own: number; whole: number }>();
  samples.forEach((sample, at) => {
    const took = (timeDeltas[at] ?? 0) / 1000;
    const counted = new Set<string>();
    for (let id: number | undefined = sample; id !== undefined; id = parents.get(id)) {
      const name = names.get(id) ?? '';
      const cost = costs.get(name) ?? { own: 0, whole: 0 };
      if (id === sample) cost.own += took;
      // A function that calls itself is under way once.
      if (!counted.has(name)) cost.whole += took;
      counted.add(name);
      costs.set(name, cost);
    }
  });
  return [...costs]
    .filter(([name]) => isNamed(name))
    .map(([name, cost]) => ({ name, ...cost }))
    .sort((a, b) => b.whole - a.whole)
    .slice(0, NAMED);
}

/** Names of one or two letters are those of a minified library: what they cost stands with those who called them. */
function isNamed(name: string): boolean {
  return name.length > 2 && name !== '(idle)' && name !== '(root)';
}
