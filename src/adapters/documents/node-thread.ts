import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Answer } from '../document-program/protocol';
import { documentProgram } from './bundled-program';
import { OutOfMemory, type StartThread, WITHOUT_NETWORK } from './threads';

/** The largest heap of one thread (MiB). */
const HEAP_MIB = 512;

/**
 * The last lines of the script: they connect the program to its host and start it. Character maps are read from one folder,
 * by plain names only.
 */
const START = `
const { parentPort, workerData } = require('node:worker_threads');
const read = require('node:fs/promises').readFile;
brainDocuments.serve({
  onJob: (listener) => parentPort.on('message', listener),
  answer: (answer) => parentPort.postMessage(answer),
  characterMaps: async (name) => {
    if (workerData.folder === null || !/^[\\w-]+\\.bcmap$/.test(name)) return null;
    return read(workerData.folder + '/' + name).then((bytes) => new Uint8Array(bytes), () => null);
  },
});`;

/**
 * Returns a function that starts a thread of Node for documents. The thread gets no environment, and its output is dropped.
 *
 * @param folder the folder of pdf.js' character maps, or null
 */
export function nodeThreads(folder: string | null): StartThread {
  return () => {
    const worker = new Worker(`${WITHOUT_NETWORK}${documentProgram()}${START}`, {
      eval: true,
      workerData: { folder },
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB, maxYoungGenerationSizeMb: 32 },
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
      worker.once('exit', () => reject(new Error('The reader ended without an answer.')));
    });
    failed.catch(() => undefined); // A thread also ends when no document waits for it.
    return {
      read(job) {
        // The script above sends messages of this type only, one for each job.
        const answer = new Promise<Answer>((resolve) =>
          worker.once('message', (message) => resolve(message as Answer)),
        );
        worker.postMessage(job);
        return Promise.race([answer, failed]);
      },
      end: () => void worker.terminate(),
    };
  };
}

/** A file in the folder of the character maps: beside the built program, else in the package of pdf.js. */
const IN_MAPS = ['./cmaps/LICENSE', 'pdfjs-dist/cmaps/LICENSE'];

/** Returns the folder of pdf.js' character maps, or null when it is not installed. */
export function characterMapFolder(): string | null {
  for (const file of IN_MAPS) {
    try {
      return path.dirname(require.resolve(file));
    } catch {
      // The next place may have it.
    }
  }
  return null;
}
