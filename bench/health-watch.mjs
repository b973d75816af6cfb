// Loaded into a server before its own program: at SIGUSR2 it writes to the file BENCH_HEALTH how long the event loop was
// held since it was last asked, in milliseconds, and what memory is held, in bytes: of the process as it is, and of the heap
// when all that nobody needs is collected.
import { renameSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import process from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const file = process.env.BENCH_HEALTH;
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
process.on('SIGUSR2', () => {
  const [loopP99, loopMax] = [delay.percentile(99) / 1e6, delay.max / 1e6];
  const { rss } = process.memoryUsage();
  for (let n = 0; n < 3; n += 1) collect();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  writeFileSync(`${file}.tmp`, JSON.stringify({ loopP99, loopMax, rss, heapUsed, external, arrayBuffers }));
  renameSync(`${file}.tmp`, file);
  delay.reset();
});
