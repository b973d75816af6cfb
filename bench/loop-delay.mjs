// Loaded into a server before its own program: at SIGUSR2 it writes how long its event loop was held since it was last asked
// to the file BENCH_LOOP_DELAY, in milliseconds.
import { renameSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import process from 'node:process';

const file = process.env.BENCH_LOOP_DELAY;
const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
process.on('SIGUSR2', () => {
  const [p50, p99, longest] = [delay.percentile(50), delay.percentile(99), delay.max].map((ns) => ns / 1e6);
  writeFileSync(`${file}.tmp`, JSON.stringify({ p50, p99, longest }));
  renameSync(`${file}.tmp`, file);
  delay.reset();
});
