// Loaded into a server before its own program: at SIGUSR2 it writes to the file BENCH_HEALTH how long the event loop was
// held since it was last asked and what the processors have spent on it, in milliseconds, and what memory is held, in bytes: of the
// process as it is, and of the heap when all that nobody needs is collected. With BENCH_HEAPS, V8 prints each collection of garbage of each thread, as --trace-gc
// does, and every collection is a whole one, so that the heap that it leaves is what the thread needs; the collections at SIGUSR2
// have the reason "testing", which marks that place among the lines. The text comes out when the process ends.
import { renameSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import process from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const { BENCH_HEALTH: file, BENCH_HEAPS: heaps } = process.env;
for (const flag of ['--expose-gc', ...(heaps ? ['--trace-gc', '--gc-global'] : [])]) setFlagsFromString(flag);
const collect = runInNewContext('gc');
/** The processor time of all threads so far (ms). */
const cpuNow = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
process.on('SIGUSR2', () => {
  const [loopP99, loopMax] = [delay.percentile(99) / 1e6, delay.max / 1e6];
  const { rss } = process.memoryUsage();
  const cpu = cpuNow();
  for (let n = 0; n < 3; n += 1) collect();
  if (file !== undefined) {
    const { heapUsed, external } = process.memoryUsage();
    writeFileSync(
      `${file}.tmp`,
      JSON.stringify({ loopP99, loopMax, rss, heapUsed, external, cpu, cpuAfter: cpuNow() }),
    );
    renameSync(`${file}.tmp`, file);
  }
  delay.reset();
});
