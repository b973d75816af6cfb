import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { EngineKind } from './search-engine';
import type { Measured } from './search-goals';
import { inOwnProcess } from './search-process';
import type { Figures, Job } from './search-worker';
import { withFolder } from './support';

/** A peer may use what it needs. */
const HEAP_MIB = 12_288;

type Taken = Record<Job['task'], Figures[]>;

interface Turn {
  readonly kind: EngineKind;
  readonly taken: Taken;
  error: Error | undefined;
}

/**
 * Medians of so many runs of each engine, or the error of the first that fails. Every task of every run has a process of its
 * own, and the engines take turns: a machine that others make slower for a while is slower for all of them.
 */
export async function measureEngines(
  kinds: readonly EngineKind[],
  job: Omit<Job, 'task' | 'folder' | 'engine'>,
  runs: number,
): Promise<ReadonlyMap<string, Measured | Error>> {
  const all = kinds.map((kind): Turn => ({ kind, taken: nothingTaken(), error: undefined }));
  for (let run = 0; run < runs; run += 1) {
    for (const one of all) one.error ??= await runOnce(one.kind, job, one.taken);
  }
  return new Map(all.map(({ kind, taken, error }) => [kind.name, error ?? medians(taken)]));
}

/** Adds the figures of one run of an engine to those that were taken before. */
async function runOnce(
  kind: EngineKind,
  job: Omit<Job, 'task' | 'folder' | 'engine'>,
  taken: Taken,
): Promise<Error | undefined> {
  const ofFile = kind.load === undefined ? [] : (['load', 'weigh'] as const);
  return withFolder(async (folder) => {
    for (const task of ['build' as const, ...ofFile, 'hold' as const]) {
      // What holds its index in a file starts from an empty folder.
      const own = join(folder, task === 'hold' ? 'hold' : 'saved');
      await mkdir(own, { recursive: true });
      const measured = await inOwnProcess({ ...job, engine: kind.name, task, folder: own }, HEAP_MIB);
      if (measured instanceof Error) return measured;
      taken[task].push(measured);
    }
    return undefined;
  });
}

function nothingTaken(): Taken {
  return { build: [], hold: [], load: [], weigh: [] };
}

function medians({ build, hold, load, weigh }: Taken): Measured {
  return {
    build: medianOf(build),
    hold: medianOf(hold),
    ...(load.length > 0 && { load: medianOf(load), weigh: medianOf(weigh) }),
  };
}

/** Each figure's median over runs that measured the same things. */
function medianOf(runs: readonly Figures[]): Figures {
  const figure = (pick: (run: Figures) => number | undefined): number | undefined => {
    const values = runs.flatMap((run) => pick(run) ?? []).sort((a, b) => a - b);
    return values[Math.floor(values.length / 2)];
  };
  const [build, update] = [figure((run) => run.build), figure((run) => run.update)];
  const [file, cold] = [figure((run) => run.file), figure((run) => run.cold)];
  const held = figure((run) => run.held);
  const queries = runs[0]?.queries?.map(({ name }, index) => ({
    name,
    p50: figure((run) => run.queries?.[index]?.p50) ?? Number.NaN,
    p99: figure((run) => run.queries?.[index]?.p99) ?? Number.NaN,
  }));
  return {
    ...(build !== undefined && { build }),
    ...(update !== undefined && { update }),
    ...(file !== undefined && { file }),
    ...(cold !== undefined && { cold }),
    ...(held !== undefined && { held }),
    ...(queries !== undefined && { queries }),
    processor: figure((run) => run.processor) ?? Number.NaN,
    peak: figure((run) => run.peak) ?? Number.NaN,
  };
}
