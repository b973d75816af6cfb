import { Worker } from 'node:worker_threads';
import { OutOfMemory, type Thread } from './pool';

/** The program of a thread, and what it may use. */
interface Program {
  readonly script: string;
  readonly heapMib: number;
  readonly workerData?: unknown;
}

/**
 * Starts a thread of Node that sends one message for each message it gets. It gets no environment, and its output is dropped.
 */
export function startWorker<Job, Answer>({ script, heapMib, workerData }: Program): Thread<Job, Answer> {
  const worker = new Worker(script, {
    eval: true,
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: heapMib, maxYoungGenerationSizeMb: 32 },
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
  });
  worker.unref();
  const failed = new Promise<never>((_, reject) => {
    worker.once('error', (error) => {
      const isMemory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      reject(isMemory ? new OutOfMemory(error.message) : error);
    });
    worker.once('messageerror', reject);
    worker.once('exit', () => reject(new Error('The thread ended without an answer.')));
  });
  failed.catch(() => undefined); // A thread also ends when nobody waits for it.
  return {
    read(job) {
      // The script sends messages of this type only, one for each job.
      const answer = new Promise<Answer>((resolve) =>
        worker.once('message', (message) => resolve(message as Answer)),
      );
      worker.postMessage(job);
      return Promise.race([answer, failed]);
    },
    end: () => void worker.terminate(),
  };
}
