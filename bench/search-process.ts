import { fork } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Figures, Job } from './search-worker';

const WORKER = join('.cache', 'search-worker.mjs');

/** Bundles what the measuring processes run: the engines and nothing else, so that an empty one is small. */
export async function buildWorker(): Promise<void> {
  mkdirSync('.cache', { recursive: true });
  await build({
    entryPoints: [join('bench', 'search-worker.ts')],
    outfile: WORKER,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // As the headless server is bundled; the peers stay what their packages hold.
    minifySyntax: true,
    logLevel: 'warning',
  });
}

/** Does one job in a process of its own; resolves with its error when the engine cannot do it. */
export function inOwnProcess(job: Job, heapMiB: number): Promise<Figures | Error> {
  return new Promise((resolve) => {
    const child = fork(WORKER, [], {
      // Without source maps, as programs run: with them ours took longer, and the peers, which are not in the bundle, did not.
      execArgv: ['--expose-gc', `--max-old-space-size=${heapMiB}`],
      stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
    });
    let errors = '';
    child.stderr?.on('data', (data: Buffer) => (errors += data.toString()));
    child.once('message', ({ figures }: { figures: Figures }) => resolve(figures));
    child.once('exit', (code, signal) => {
      const reason = /^.*Error: .*$/m.exec(errors)?.[0] ?? errors.trim().slice(-300);
      resolve(new Error(`${job.engine} ended with ${signal ?? code}: ${reason}`));
    });
    child.send(job);
  });
}
