import process from 'node:process';
import { processTime } from '../../../src/adapters/host/device';
import { OutOfTime, ThreadPool } from '../../../src/adapters/threads/pool';
import { startWorker } from '../../../src/adapters/threads/worker';

/** A job for the thread of this process: to wait for the word, or to compute for ever, and how long it may compute (ms). */
export interface StoppedJob {
  readonly job: 'wait' | 'loop';
  readonly limitMs: number;
}

const word = new Int32Array(new SharedArrayBuffer(4));
const pool = new ThreadPool<StoppedJob['job'], string>({
  atOnce: 1,
  used: processTime,
  sleep: (ms) => new Promise((resolve) => void setTimeout(resolve, ms)),
});

async function run({ job, limitMs }: StoppedJob): Promise<string> {
  try {
    return await pool.run(job, {
      start: () =>
        startWorker({
          heapMib: 32,
          workerData: word,
          script: `
const { parentPort, workerData } = require('node:worker_threads');
parentPort.on('message', (job) => {
  while (job === 'loop');
  Atomics.wait(workerData, 0, 0);
  parentPort.postMessage('answered');
});`,
        }),
      kind: 'job',
      keep: false,
      limitMs,
      stopped: () => {
        throw new Error('It was stopped.');
      },
    });
  } catch (error) {
    return error instanceof OutOfTime ? 'out of time' : String(error);
  }
}

process.on('message', (message: StoppedJob | 'word') => {
  if (message === 'word') {
    Atomics.store(word, 0, 1);
    Atomics.notify(word, 0);
    return;
  }
  void run(message).then((outcome) => process.send?.(outcome));
  process.send?.('begun');
});
