// Loaded into every thread of a server before its own program: it collects garbage again and again and keeps the largest heap that was
// left in the file BENCH_HEAP_PEAK.<thread>, in bytes. It begins anew when the file is gone. It can look only between two turns of the
// thread's event loop.
import { existsSync, writeFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { setTimeout } from 'node:timers';
import v8 from 'node:v8';
import vm from 'node:vm';
import { threadId } from 'node:worker_threads';

const file = `${process.env.BENCH_HEAP_PEAK}.${threadId}`;
v8.setFlagsFromString('--expose-gc');
const collect = vm.runInNewContext('gc');
let peak = 0;
const look = () => {
  const start = performance.now();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  if (!existsSync(file) || heapUsed + external > peak) {
    peak = heapUsed + external;
    writeFileSync(file, String(peak));
  }
  // A fifth of the time goes into collecting.
  setTimeout(look, Math.max(20, 4 * (performance.now() - start))).unref();
};
look();
