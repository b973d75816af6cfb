import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { EngineKind } from './search-engine';
import type { Measured } from './search-goals';
import { inOwnProcess } from './search-process';
import type { Figures, Job } from './search-worker';
import { withFolder } from './support';

/** A peer may use what it needs. */
const HEAP_MIB = 12_288;

/**
 * Medians of so many runs of one engine, every task of every run in a process of its own; the error of the first that fails.
 */
export async function measureEngine(
  kind: EngineKind,
  job: Omit<Job, 'task' | 'folder'>,
  runs: number,
): Promise<Measured | Error> {
  const figures: Record<Job['task'], Figures[]> = { build: [], hold: [], load: [], weigh: [] };
  const ofFile = kind.load === undefined ? [] : (['load', 'weigh'] as const);
  const tasks = ['build' as const, ...ofFile, 'hold' as const];
  for (let run = 0; run < runs; run += 1) {
    const error = await withFolder(async (folder) => {
      for (const task of tasks) {
        // What holds its index in a file starts from an empty folder.
        const own = join(folder, task === 'hold' ? 'hold' : 'saved');
        await mkdir(own, { recursive: true });
        const measured = await inOwnProcess({ ...job, task, folder: own }, HEAP_MIB);
        if (measured instanceof Error) return measured;
        figures[task].push(measured);
      }
      return undefined;
    });
    if (error !== undefined) return error;
  }
  const { build, hold, load, weigh } = figures;
  return {
    build: medianOf(build),
    hold: medianOf(hold),
    ...(ofFile.length > 0 && { load: medianOf(load), weigh: medianOf(weigh) }),
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
